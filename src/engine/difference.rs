//! Two scorers of a cell compared on the tasks that both have, under the same resamples.

use super::grid::{Counts, resample_all};
use super::{Engine, Frame};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
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
        let scores = |scorer| frame.sample(scorer, metric).map(|(scores, _)| scores);
        let drawn =
            Drawn::all(vec![scores(first), scores(second)], metric, frame, Some(resampling));
        let [Some(first), Some(second)] = &drawn[..] else { return None };
        first.minus(second, metric, frame, Some(resampling))
    }
}

/// The scores of a cell with their metric, in the data and in every resample.
pub(super) struct Drawn {
    pub(super) scores: Vec<f64>,
    pub(super) value: Option<f64>,
    resampled: Vec<f64>,
}

impl Drawn {
    /// The metric of every list of scores that there is, all under the same resamples.
    pub(super) fn all(
        lists: Vec<Option<Vec<f64>>>,
        metric: Metric,
        frame: &Frame,
        resampling: Option<Resampling>,
    ) -> Vec<Option<Self>> {
        let success = frame.labels();
        let known = lists.iter().flatten().map(|scores| (&scores[..], &success[..]));
        let known: Vec<(&[f64], &[bool])> = known.collect();
        let drawn = resampling.map(|resampling| resample_all(metric, &known, frame, resampling));
        let mut drawn = drawn.into_iter().flatten();
        let with_values = |scores: Vec<f64>| {
            let value = metric.value(&scores, &success);
            Self { scores, value, resampled: drawn.next().unwrap_or_default() }
        };
        let mut with_values = with_values;
        lists.into_iter().map(|scores| scores.map(&mut with_values)).collect()
    }

    /// The interval of the value. A resample may be defined where the data itself is not.
    pub(super) fn interval(&self) -> Option<Interval> {
        self.value.and_then(|_| Interval::of(self.resampled.clone()))
    }

    /// The difference to other scores of the same cell, on the tasks that have both.
    pub(super) fn minus(
        &self,
        other: &Self,
        metric: Metric,
        frame: &Frame,
        resampling: Option<Resampling>,
    ) -> Option<ScorerDifference> {
        let mut pairs = self.scores.iter().zip(&other.scores);
        if pairs.all(|(score, other)| score.is_nan() == other.is_nan()) {
            return self.minus_in_step(other, frame);
        }
        let lists = vec![Some(self.where_known(other)), Some(other.where_known(self))];
        let shared = Self::all(lists, metric, frame, resampling);
        let [Some(first), Some(second)] = &shared[..] else { return None };
        first.minus_in_step(second, frame)
    }

    /// The difference to other scores of the same tasks.
    fn minus_in_step(&self, other: &Self, frame: &Frame) -> Option<ScorerDifference> {
        let differences = self.resampled.iter().zip(&other.resampled).map(|(a, b)| a - b);
        let counts = Counts::of(&self.scores, &frame.labels(), frame);
        Some(ScorerDifference {
            value: self.value? - other.value?,
            interval: Interval::of(differences.collect()),
            n: counts.runs,
            tasks: counts.tasks,
        })
    }

    /// The scores, NaN where the other has none.
    fn where_known(&self, other: &Self) -> Vec<f64> {
        let pairs = self.scores.iter().zip(&other.scores);
        pairs.map(|(score, other)| if other.is_nan() { f64::NAN } else { *score }).collect()
    }
}
