//! Intervals of chosen scorers in one cell, which screens ask for cell by cell.

use super::difference::Drawn;
use super::{Engine, ScorerDifference};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::scorers::Scorer;

/// The intervals of one scorer in one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resampled {
    /// The interval of its value.
    pub interval: Option<Interval>,
    /// Its difference to the pinned scorer.
    pub difference: Option<ScorerDifference>,
}

impl Engine {
    /// Intervals of some scorers in one cell, and of their differences to a pinned one, all under
    /// the same resamples.
    pub fn resampled(
        &self,
        cell: usize,
        metric: Metric,
        scorers: &[Scorer],
        pinned: Option<&Scorer>,
        resampling: Resampling,
    ) -> Vec<Resampled> {
        let frame = &self.frames()[cell];
        let lists = scorers.iter().chain(pinned).map(|scorer| frame.scored(scorer, metric));
        let mut drawn = Drawn::all(lists.collect(), metric, frame, Some(resampling));
        let pinned = if pinned.is_some() { drawn.pop().flatten() } else { None };
        let look = |drawn: Option<Drawn>| {
            let Some(drawn) = drawn else { return Resampled::default() };
            let difference = pinned
                .as_ref()
                .and_then(|pinned| drawn.minus(pinned, metric, frame, Some(resampling)));
            Resampled { interval: drawn.interval(), difference }
        };
        drawn.into_iter().map(look).collect()
    }
}
