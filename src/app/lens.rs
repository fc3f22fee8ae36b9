use crate::engine::{JudgeSpec, StuckTreatment};
use crate::metrics::Metric;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;

/// Through what everything is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Lens {
    /// The scorer, with its aggregator.
    pub scorer: Scorer,
    /// The metric.
    pub metric: Metric,
    /// The filter over tasks; empty for none.
    pub filter: String,
    /// β of a smooth minimum.
    pub beta: f64,
    /// Turns of a window.
    pub window: usize,
    /// Who makes TER; the store's first judge when unsaid.
    pub judge: Option<JudgeSpec>,
    /// What stuck tasks do to agreement scores.
    pub stuck: StuckTreatment,
}

impl Default for Lens {
    fn default() -> Self {
        Self {
            scorer: Scorer::WhiteBox(Base::Lnsp, Aggregator::Min),
            metric: Metric::Auroc,
            filter: String::new(),
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

    /// The aggregator after or before the current one; none of a scorer without one.
    pub fn stepped_rule(&self, forwards: bool) -> Option<Aggregator> {
        let current = self.scorer.aggregator()?;
        let rules = self.rules();
        let place = rules.iter().position(|own| same_kind(*own, current)).unwrap_or(0);
        let step = if forwards { 1 } else { rules.len() - 1 };
        Some(rules[(place + step) % rules.len()])
    }

    /// A larger or smaller β or window, whichever the aggregator has.
    pub fn slid(&self, up: bool) -> Option<Aggregator> {
        match self.scorer.aggregator()? {
            Aggregator::Softmin { beta } => {
                let next = if up {
                    Self::BETAS.into_iter().find(|own| *own > beta)
                } else {
                    Self::BETAS.into_iter().rev().find(|own| *own < beta)
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

    /// Remembers the setting of an adjustable aggregator.
    pub(super) fn remember(&mut self) {
        self.scorer.aggregator().into_iter().for_each(|rule| self.remember_rule(rule));
    }

    pub(super) fn remember_rule(&mut self, rule: Aggregator) {
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
