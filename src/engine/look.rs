//! Intervals of chosen scorers in one cell, which screens ask for cell by cell.

use super::Engine;
use super::grid::resample_all;
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::scorers::Scorer;

/// The intervals of one scorer in one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resampled {
    /// The interval of its value.
    pub interval: Option<Interval>,
    /// The interval of its difference to the pinned scorer, resampled together.
    pub paired: Option<Interval>,
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
        let samples: Vec<Option<(Vec<f64>, Vec<bool>)>> =
            scorers.iter().chain(pinned).map(|scorer| frame.sample(scorer, metric)).collect();
        let known: Vec<(&[f64], &[bool])> =
            samples.iter().flatten().map(|(scores, success)| (&scores[..], &success[..])).collect();
        let defined: Vec<bool> =
            known.iter().map(|(scores, success)| metric.value(scores, success).is_some()).collect();
        let mut drawn = resample_all(metric, &known, frame, resampling).into_iter().zip(defined);
        // A resample may be defined where the data itself is not.
        let mut drawn: Vec<Option<Vec<f64>>> = samples
            .iter()
            .map(|sample| sample.as_ref().and_then(|_| drawn.next()))
            .map(|drawn| drawn.filter(|(_, defined)| *defined).map(|(values, _)| values))
            .collect();
        let pinned = if pinned.is_some() { drawn.pop().flatten() } else { None };
        let resampled = |values: Option<Vec<f64>>| {
            let Some(values) = values else { return Resampled::default() };
            let paired = pinned.as_ref().and_then(|pinned| {
                Interval::of(values.iter().zip(pinned).map(|(value, pin)| value - pin).collect())
            });
            Resampled { interval: Interval::of(values), paired }
        };
        drawn.into_iter().map(resampled).collect()
    }
}
