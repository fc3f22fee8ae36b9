//! The lens: the scorer, metric, scope and selection that all screens share.

use crate::engine::{JudgeSpec, StuckTreatment};
use crate::metrics::Metric;
use crate::report::Show;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::ui::view::Named;

impl Named for Show {
    const ALL: &'static [Self] = &Self::ALL;

    fn id(self) -> &'static str {
        Self::id(self)
    }
}

/// The scorer, metric, scope and selection under which everything is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Lens {
    /// The scorer, with its aggregator.
    pub scorer: Scorer,
    /// The metric.
    pub metric: Metric,
    /// The tasks that numbers are computed on, as an expression; empty for all.
    pub scope: String,
    /// The tasks in scope that lists show, likewise.
    pub selection: String,
    /// How heatmaps show their values.
    pub show: Show,
    /// The scorer that the grid shows differences to.
    pub pinned: Option<Scorer>,
    /// β of a smooth minimum.
    pub beta: f64,
    /// Turns of a window.
    pub window: usize,
    /// Whose verdicts make TER; by default the store's first judge.
    pub judge: Option<JudgeSpec>,
    /// What stuck tasks do to agreement scores.
    pub stuck: StuckTreatment,
}

impl Default for Lens {
    fn default() -> Self {
        Self {
            scorer: Scorer::WhiteBox(Base::Lnsp, Aggregator::Min),
            metric: Metric::Auroc,
            scope: String::new(),
            selection: String::new(),
            show: Show::Value,
            pinned: None,
            beta: Aggregator::USUAL_BETA,
            window: Aggregator::USUAL_WINDOW,
            judge: None,
            stuck: StuckTreatment::Counted,
        }
    }
}

impl Lens {
    /// Steps of β.
    pub const BETAS: [f64; 12] =
        [0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0];

    /// The widest window.
    pub const WIDEST: usize = 12;

    /// A scorer by id and aggregator; an id that is not known names scores that the store holds.
    pub fn parse_scorer(id: &str, aggregator: Option<&str>) -> Option<Scorer> {
        match aggregator {
            Some(aggregator) => Scorer::parse_white_box(&format!("{id}.{aggregator}")),
            None => Some(Scorer::parse(id)),
        }
    }

    /// All aggregators at their current settings.
    pub fn rules(&self) -> Vec<Aggregator> {
        let set = |rule| match rule {
            Aggregator::Softmin { .. } => Aggregator::Softmin { beta: self.beta },
            Aggregator::Window { .. } => Aggregator::Window { turns: self.window },
            other => other,
        };
        Aggregator::ALL.into_iter().map(set).collect()
    }

    /// The base score that aggregators are shown for.
    pub fn base(&self) -> Base {
        self.scorer.base().unwrap_or(Base::Lnsp)
    }

    /// The aggregator whose weights turns are shown with.
    pub fn turn_rule(&self) -> Aggregator {
        self.scorer.aggregator().unwrap_or(Aggregator::Mean)
    }

    /// The aggregator after or before the current one; none of a scorer without one.
    pub fn stepped_rule(&self, forwards: bool) -> Option<Aggregator> {
        let current = self.scorer.aggregator()?;
        let rules = self.rules();
        let index = rules.iter().position(|rule| same_kind(*rule, current)).unwrap_or(0);
        let step = if forwards { 1 } else { rules.len() - 1 };
        Some(rules[(index + step) % rules.len()])
    }

    /// A larger or smaller β or window, whichever the aggregator has.
    pub fn slid(&self, up: bool) -> Option<Aggregator> {
        match self.scorer.aggregator()? {
            Aggregator::Softmin { beta } => {
                let next = if up {
                    Self::BETAS.into_iter().find(|step| *step > beta)
                } else {
                    Self::BETAS.into_iter().rev().find(|step| *step < beta)
                };
                Some(Aggregator::Softmin { beta: next.unwrap_or(beta) })
            }
            Aggregator::Window { turns } => {
                let turns = if up { turns + 1 } else { turns - 1 };
                Some(Aggregator::Window { turns: turns.clamp(1, Self::WIDEST) })
            }
            _ => None,
        }
    }

    /// The metric after or before the current one.
    pub fn step_metric(&mut self, forwards: bool) {
        let all = Metric::ALL;
        let index = all.iter().position(|metric| *metric == self.metric).unwrap_or(0);
        let step = if forwards { 1 } else { all.len() - 1 };
        self.metric = all[(index + step) % all.len()];
    }

    /// Remembers the setting of an adjustable aggregator.
    pub(in crate::ui) fn remember(&mut self) {
        self.scorer.aggregator().into_iter().for_each(|rule| self.remember_rule(rule));
    }

    pub(in crate::ui) fn remember_rule(&mut self, rule: Aggregator) {
        match rule {
            Aggregator::Softmin { beta } => self.beta = beta,
            Aggregator::Window { turns } => self.window = turns,
            _ => {}
        }
    }
}

/// Whether two aggregators differ at most in their setting.
pub fn same_kind(a: Aggregator, b: Aggregator) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b)
}
