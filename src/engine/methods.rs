//! The three families of methods, as the paper's second figure compares them.

use super::{Engine, GridValue};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::{Family, Scorer};

/// A family of methods: what a scorer looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MethodFamily {
    /// The probabilities of tokens.
    WhiteBox,
    /// The agreement of draws.
    Consistency,
    /// The agent's assessment of its run.
    Reflexive,
}

impl MethodFamily {
    /// All of them, in the order of the figure.
    pub const ALL: [Self; 3] = [Self::WhiteBox, Self::Consistency, Self::Reflexive];

    /// The id that JSON uses, also on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::WhiteBox => "white-box",
            Self::Consistency => "consistency",
            Self::Reflexive => "reflexive",
        }
    }

    /// The method of a scorer of the paper; none of other scorers, of controls and of baselines.
    pub fn of(scorer: &Scorer) -> Option<Self> {
        let rule = scorer.aggregator();
        let is_in_paper = scorer.spec().is_some_and(|spec| spec.in_paper)
            && rule.is_none_or(|rule| Aggregator::PAPER.contains(&rule));
        let method = match scorer.family() {
            Family::WhiteBox => Self::WhiteBox,
            Family::Action | Family::Message | Family::Judged => Self::Consistency,
            Family::Reflexive => Self::Reflexive,
            Family::Propagation | Family::Prefix | Family::Baseline | Family::Brought => {
                return None;
            }
        };
        is_in_paper.then_some(method)
    }
}

/// The best scorer of a method in a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodBest {
    /// The method.
    pub method: MethodFamily,
    /// The scorer.
    pub scorer: Scorer,
    /// Its value; [`GridValue::scorer`] is its index in [`Engine::scorers`]. The interval is of this
    /// scorer as if it had been chosen beforehand.
    pub best: GridValue,
    /// How many scorers it is the best of.
    pub among: usize,
}

impl Engine {
    /// The best scorer of every method in every cell, of the paper's scorers that have a value there:
    /// all 24 white-box ones, six of consistency, two reflexive. The first of equals wins.
    pub fn best_of_methods(
        &self,
        metric: Metric,
        resampling: Option<Resampling>,
    ) -> Vec<MethodBest> {
        let grid = self.grid(metric, None);
        let better = |a: f64, b: f64| if metric.higher_is_better() { a > b } else { a < b };
        let best = |cell: usize, method: MethodFamily| {
            let is_candidate = |value: &&GridValue| {
                value.cell == cell
                    && value.value.is_some()
                    && MethodFamily::of(&self.scorers[value.scorer]) == Some(method)
            };
            let candidates = || grid.iter().filter(is_candidate);
            let best = candidates().reduce(|best, next| match (best.value, next.value) {
                (Some(a), Some(b)) if better(b, a) => next,
                _ => best,
            })?;
            let (best, scorer) = (best.clone(), self.scorers[best.scorer].clone());
            Some(MethodBest { method, scorer, best, among: candidates().count() })
        };
        let cells = 0..self.frames.len();
        let mut found: Vec<MethodBest> = cells
            .flat_map(|cell| MethodFamily::ALL.into_iter().map(move |method| (cell, method)))
            .filter_map(|(cell, method)| best(cell, method))
            .collect();
        if let Some(resampling) = resampling {
            for of_cell in found.chunk_by_mut(|a, b| a.best.cell == b.best.cell) {
                let scorers: Vec<Scorer> =
                    of_cell.iter().map(|found| found.scorer.clone()).collect();
                let cell = of_cell[0].best.cell;
                let drawn = self.resampled(cell, metric, &scorers, None, resampling);
                for (found, drawn) in of_cell.iter_mut().zip(drawn) {
                    found.best.interval = drawn.interval;
                }
            }
        }
        found
    }
}
