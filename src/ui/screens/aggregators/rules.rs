//! The base score under every aggregator: which is selected, and what the choice changes.

use super::Aggregators;
use crate::engine::TaskId;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::ui::action::Action;
use crate::ui::screens::Go;
use crate::ui::shared::{Lens, Shared, same_kind};

/// How far the choice among the paper's aggregators moves the metric in a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swing {
    /// From the lowest value to the highest.
    pub by: f64,
    /// The aggregator that gives the lowest value.
    pub low: Aggregator,
    /// The aggregator that gives the highest value.
    pub high: Aggregator,
}

/// A turn as an aggregator sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightedTurn {
    pub confidence: f64,
    pub weight: f64,
}

impl Aggregators {
    /// The scorers of the heatmap: the base score under every aggregator.
    pub fn rule_scorers(shared: &Shared) -> Vec<Scorer> {
        let base = shared.lens.base();
        shared.lens.rules().into_iter().map(|rule| Scorer::WhiteBox(base, rule)).collect()
    }

    /// The scorer that ranks are compared with.
    pub fn compared_scorer(&self, shared: &Shared) -> Scorer {
        // Of softmin and window, as they are set now.
        let rules = shared.lens.rules();
        let rule = rules.into_iter().find(|rule| same_kind(*rule, self.compared));
        Scorer::WhiteBox(shared.lens.base(), rule.unwrap_or(self.compared))
    }

    /// The base scores that have values, under the lens's aggregator.
    pub(super) fn base_scorers(shared: &Shared) -> Option<Vec<Scorer>> {
        let engine = shared.engine()?;
        let rule = shared.lens.scorer.aggregator().unwrap_or(Aggregator::Min);
        let all = Base::ALL.map(|base| Scorer::WhiteBox(base, rule));
        Some(all.into_iter().filter(|scorer| engine.has_values(scorer)).collect())
    }

    /// Aggregators are those of a base score: one stands in for another scorer, where there is one.
    pub(super) fn settle_base(&mut self, shared: &mut Shared) {
        let Some(engine) = shared.engine() else { return };
        let lens = &shared.lens;
        // Asking for values may look at all tasks, so it is asked once.
        if lens.scorer.base().is_some() || self.without_base.as_ref() == Some(&lens.scorer) {
            return;
        }
        let bases = [lens.base()].into_iter().chain(Base::ALL);
        let mut scorers = bases.map(|base| Scorer::WhiteBox(base, Aggregator::Min));
        match scorers.find(|scorer| engine.has_values(scorer)) {
            Some(scorer) => shared.stand_in(scorer),
            None => self.without_base = Some(lens.scorer.clone()),
        }
    }

    /// Selects another aggregator of the heatmap.
    pub(super) fn move_rule(action: &Action, shared: &mut Shared) -> Go {
        let rules = shared.lens.rules();
        let current = shared.lens.scorer.aggregator();
        let index = current.and_then(|rule| rules.iter().position(|other| same_kind(*other, rule)));
        let Some(index) = index else { return Go::Pass };
        let last = rules.len() - 1;
        let index = match action {
            Action::Down | Action::HalfPageDown => (index + 1).min(last),
            Action::Up | Action::HalfPageUp => index.saturating_sub(1),
            Action::First => 0,
            Action::Last => last,
            _ => return Go::Pass,
        };
        shared.lens.scorer = Scorer::WhiteBox(shared.lens.base(), rules[index]);
        Go::Stay
    }

    /// Sets the slider of softmin or window to one of its steps.
    pub(super) fn slide(step: usize, shared: &mut Shared) {
        match shared.lens.scorer.aggregator() {
            Some(Aggregator::Softmin { .. }) => {
                let beta = Lens::BETAS[step.min(Lens::BETAS.len() - 1)];
                shared.set_rule(Aggregator::Softmin { beta });
            }
            Some(Aggregator::Window { .. }) => {
                shared.set_rule(Aggregator::Window { turns: (step + 1).min(Lens::WIDEST) });
            }
            _ => {}
        }
    }
}

/// How far the choice among the paper's aggregators moves the metric in a cell.
pub(super) fn swing(cell: usize, shared: &Shared) -> Option<Swing> {
    let base = shared.lens.base();
    let values = Aggregator::PAPER.into_iter().filter_map(|rule| {
        Some((shared.numbers.value(&Scorer::WhiteBox(base, rule), cell)?, rule))
    });
    let values: Vec<(f64, Aggregator)> = values.collect();
    let order = |a: &&(f64, Aggregator), b: &&(f64, Aggregator)| a.0.total_cmp(&b.0);
    let (low, high) = (values.iter().min_by(order)?, values.iter().max_by(order)?);
    Some(Swing { by: high.0 - low.0, low: low.1, high: high.1 })
}

/// The scored turns of a task's reference, with their weights under an aggregator.
pub(super) fn weighted_turns(id: TaskId, rule: Aggregator, shared: &Shared) -> Vec<WeightedTurn> {
    let Some(engine) = shared.engine() else { return Vec::new() };
    let Some(frame) = engine.frames().get(id.cell as usize) else { return Vec::new() };
    let base = shared.lens.base();
    let values = frame.turn_values(id.task as usize, base);
    let known = values.iter().filter(|value| !value.is_nan());
    let is_log = base.ranks_by_log();
    let confidences: Vec<f64> =
        known.map(|&value| if is_log { value.exp() } else { value }).collect();
    let weights = rule.weights(&confidences);
    let turns = confidences.into_iter().zip(weights);
    turns.map(|(confidence, weight)| WeightedTurn { confidence, weight }).collect()
}
