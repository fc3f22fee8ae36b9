//! Two scorers of a cell compared on the tasks that both have, under the same resamples.

use super::frame::Scored;
use super::grid::{Counts, resample_all};
use super::{Engine, Frame};
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::metrics::{Labelled, Metric};
use crate::scorers::Scorer;

/// The difference between two scorers in one cell, on the tasks that both have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScorerDifference {
    /// First minus second.
    pub value: f64,
    /// The 95% interval of the difference, both resampled together.
    pub interval: Option<Interval>,
    /// Tasks with a label and a score of both; runs where every draw counts.
    pub n: usize,
    /// The tasks of these.
    pub tasks: usize,
}

impl ScorerDifference {
    /// Second minus first.
    #[must_use]
    pub fn negated(self) -> Self {
        let interval = self.interval.map(|Interval { lo, hi, skipped }| Interval {
            lo: -hi,
            hi: -lo,
            skipped,
        });
        Self { value: -self.value, interval, ..self }
    }
}

impl Engine {
    /// First minus second scorer in a cell.
    pub fn difference(
        &self,
        cell: usize,
        metric: Metric,
        first: &Scorer,
        second: &Scorer,
        resampling: Resampling,
    ) -> Option<ScorerDifference> {
        let frame = &self.frames[cell];
        let lists = vec![frame.scored(first, metric), frame.scored(second, metric)];
        let drawn = Drawn::all(lists, metric, frame, Some(resampling));
        let [Some(first), Some(second)] = &drawn[..] else { return None };
        first.minus(second, metric, frame, Some(resampling))
    }
}

/// The scores of a cell with their metric, in the data and in every resample.
pub(super) struct Drawn {
    pub(super) scored: Scored,
    pub(super) value: Option<f64>,
    resampled: Vec<f64>,
}

impl Drawn {
    /// The metric of every list of scores that there is, all under the same resamples.
    pub(super) fn all<S: Into<Scored>>(
        lists: Vec<Option<S>>,
        metric: Metric,
        frame: &Frame,
        resampling: Option<Resampling>,
    ) -> Vec<Option<Self>> {
        let success = frame.labels();
        let lists: Vec<Option<Scored>> =
            lists.into_iter().map(|scores| scores.map(Into::into)).collect();
        let known = lists.iter().flatten().map(|scored| scored.labelled(&success));
        let known: Vec<Labelled> = known.collect();
        let drawn = resampling.map(|resampling| resample_all(metric, &known, frame, resampling));
        let mut drawn = drawn.into_iter().flatten();
        let mut with_values = |scored: Scored| {
            let value = scored.labelled(&success).value(metric);
            Self { scored, value, resampled: drawn.next().unwrap_or_default() }
        };
        lists.into_iter().map(|scored| scored.map(&mut with_values)).collect()
    }

    /// The interval of the value. A resample may be defined where the data itself is not.
    pub(super) fn interval(&self) -> Option<Interval> {
        self.value.and_then(|_| Interval::of(self.resampled.clone()))
    }

    /// The difference to other scores of the same cell, on the tasks that have both. Where one of them was
    /// cross-fitted, both are taken within its folds.
    pub(super) fn minus(
        &self,
        other: &Self,
        metric: Metric,
        frame: &Frame,
        resampling: Option<Resampling>,
    ) -> Option<ScorerDifference> {
        let mut pairs = self.scored.scores.iter().zip(&other.scored.scores);
        let in_step = pairs.all(|(score, other)| score.is_nan() == other.is_nan());
        if in_step && self.scored.folds.is_some() == other.scored.folds.is_some() {
            return self.minus_in_step(other, frame);
        }
        let folds = |one: &Self, other: &Self| {
            one.scored.folds.clone().or_else(|| other.scored.folds.clone())
        };
        let shared = |one: &Self, other: &Self| {
            let folds = folds(one, other);
            Some(Scored { folds, ..one.scored.where_known(&other.scored.scores) })
        };
        let lists = vec![shared(self, other), shared(other, self)];
        let shared = Self::all(lists, metric, frame, resampling);
        let [Some(first), Some(second)] = &shared[..] else { return None };
        first.minus_in_step(second, frame)
    }

    /// The difference to other scores of the same tasks.
    fn minus_in_step(&self, other: &Self, frame: &Frame) -> Option<ScorerDifference> {
        let differences = self.resampled.iter().zip(&other.resampled).map(|(a, b)| a - b);
        let counts = Counts::of(&self.scored.scores, &frame.labels(), frame);
        Some(ScorerDifference {
            value: self.value? - other.value?,
            interval: Interval::of(differences.collect()),
            n: counts.runs,
            tasks: counts.tasks,
        })
    }
}
