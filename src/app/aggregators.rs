//! Aggregators × cells for one base score, and which tasks change their rank with the aggregator.

use super::App;
use super::action::Action;
use super::lens::same_kind;
use crate::engine::TaskId;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;

/// The panes of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The heatmap.
    #[default]
    Heatmap,
    /// The tasks whose ranks move.
    Tasks,
}

/// The state of the screen.
#[derive(Clone, Debug)]
pub struct Aggregators {
    /// The pane that has the keys.
    pub pane: Pane,
    /// The aggregator that ranks are compared with.
    pub compared: Aggregator,
    /// The first column and task on screen.
    pub offset: (usize, usize),
}

impl Default for Aggregators {
    fn default() -> Self {
        Self { pane: Pane::Heatmap, compared: Aggregator::Mean, offset: (0, 0) }
    }
}

impl App {
    /// The scorers of the heatmap: the base score under every aggregator.
    pub fn rule_scorers(&self) -> Vec<Scorer> {
        let base = self.lens.base();
        self.lens.rules().into_iter().map(|rule| Scorer::WhiteBox(base, rule)).collect()
    }

    /// The scorer that ranks are compared with.
    pub fn compared_scorer(&self) -> Scorer {
        let rules = self.lens.rules();
        let compared = self.aggregators.compared;
        let rule = rules.into_iter().find(|own| same_kind(*own, compared)).unwrap_or(compared);
        Scorer::WhiteBox(self.lens.base(), rule)
    }

    /// How far the choice among the paper's aggregators moves the metric in a cell, with the one
    /// that gives the lowest value and the one that gives the highest.
    pub fn swing(&self, cell: usize) -> Option<(f64, Aggregator, Aggregator)> {
        let base = self.lens.base();
        let scorers = Aggregator::PAPER.map(|rule| Scorer::WhiteBox(base, rule));
        let values: Vec<(f64, Aggregator)> = scorers
            .iter()
            .filter_map(|own| Some((self.data.numbers.value(own, cell)?, own.aggregator()?)))
            .collect();
        let order = |a: &&(f64, Aggregator), b: &&(f64, Aggregator)| a.0.total_cmp(&b.0);
        let (low, high) = (values.iter().min_by(order)?, values.iter().max_by(order)?);
        Some((high.0 - low.0, low.1, high.1))
    }

    /// The confidences of a task's turns and their weights under an aggregator.
    pub fn weighted_turns(&self, id: TaskId, rule: Aggregator) -> Vec<(f64, f64)> {
        let Some(engine) = self.data.engine() else { return Vec::new() };
        let Some(frame) = engine.frames().get(id.cell as usize) else { return Vec::new() };
        let base = self.lens.base();
        let values = frame.turn_values(id.task as usize, base);
        let is_log = base == crate::scorers::whitebox::Base::Sp;
        let known = values.iter().filter(|value| !value.is_nan());
        let turns: Vec<f64> =
            known.map(|&value| if is_log { value.exp() } else { value }).collect();
        let weights = rule.weights(&turns);
        turns.into_iter().zip(weights).collect()
    }

    pub(super) fn update_aggregators(&mut self, action: &Action) {
        if let Action::NextPane | Action::PreviousPane = action {
            self.aggregators.pane = match self.aggregators.pane {
                Pane::Heatmap => Pane::Tasks,
                Pane::Tasks => Pane::Heatmap,
            };
            return;
        }
        if *action == Action::Pin {
            let current = self.lens.scorer.aggregator();
            self.aggregators.compared = current.unwrap_or(Aggregator::Mean);
            return;
        }
        if let Action::NextHit | Action::PreviousHit = action {
            return;
        }
        if self.aggregators.pane == Pane::Tasks && !matches!(action, Action::Left | Action::Right) {
            self.move_task(action);
            return;
        }
        let rules = self.lens.rules();
        let current = self.lens.scorer.aggregator();
        let place = current.and_then(|rule| rules.iter().position(|own| same_kind(*own, rule)));
        let rule = match (action, place) {
            (Action::Down | Action::HalfPageDown, Some(place)) => {
                rules.get(place + 1).or(rules.last())
            }
            (Action::Up | Action::HalfPageUp, Some(place)) => rules.get(place.saturating_sub(1)),
            (Action::First, Some(_)) => rules.first(),
            (Action::Last, Some(_)) => rules.last(),
            (Action::Left, _) => {
                self.select_cell(self.cell.saturating_sub(1));
                None
            }
            (Action::Right, _) => {
                self.select_cell(self.cell + 1);
                None
            }
            _ => None,
        };
        if let Some(rule) = rule {
            self.lens.scorer = Scorer::WhiteBox(self.lens.base(), *rule);
        }
    }
}
