//! Every scorer in every cell, with intervals.

use rayon::prelude::*;

use super::{Engine, FEW, Frame};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling, Weights, resampled};
use crate::metrics::prr_in_order;
use crate::scorers::Scorer;

/// Counts in a weight matrix that are held at once; more resamples of a large cell go in turns.
const MOST_COUNTS: usize = 1 << 22;

/// Tasks that a number rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tasks with score and label.
    pub tasks: usize,
    /// Successes among them.
    pub successes: usize,
}

impl Counts {
    fn of(scores: &[f64], success: &[bool]) -> Self {
        let known = scores.iter().zip(success).filter(|(score, _)| !score.is_nan());
        known.fold(Self::default(), |own, (_, success)| Self {
            tasks: own.tasks + 1,
            successes: own.successes + usize::from(*success),
        })
    }

    /// Tasks of the rarer outcome.
    pub fn minority(self) -> usize {
        self.successes.min(self.tasks - self.successes)
    }

    /// Too few of the rarer outcome to rank anything.
    pub fn is_flagged(self) -> bool {
        self.minority() < FEW
    }
}

/// One scorer in one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct GridValue {
    /// Place of the cell.
    pub cell: usize,
    /// Place of the scorer.
    pub scorer: usize,
    /// The metric; none where it is not defined.
    pub value: Option<f64>,
    /// Its 95% interval, where it was asked for.
    pub interval: Option<Interval>,
    /// What it rests on.
    pub counts: Counts,
}

/// The difference between two scorers in one cell, resampled together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// First minus second.
    pub value: f64,
    /// The 95% interval of the difference.
    pub interval: Option<Interval>,
}

impl Engine {
    /// The metric of every scorer in every cell, cell by cell; a scorer without values in a cell is
    /// left out there. Intervals only where resampling is asked for.
    pub fn grid(&self, metric: Metric, resampling: Option<Resampling>) -> Vec<GridValue> {
        let cells: Vec<Vec<GridValue>> = (0..self.frames.len())
            .into_par_iter()
            .map(|cell| self.grid_cell(cell, metric, resampling))
            .collect();
        cells.into_iter().flatten().collect()
    }

    fn grid_cell(
        &self,
        cell: usize,
        metric: Metric,
        resampling: Option<Resampling>,
    ) -> Vec<GridValue> {
        let frame = &self.frames[cell];
        let samples: Vec<(usize, Vec<f64>, Vec<bool>)> = self
            .scorers
            .iter()
            .enumerate()
            .filter_map(|(scorer, own)| {
                let (scores, success) = frame.sample(own, metric)?;
                Some((scorer, scores, success))
            })
            .collect();
        let all: Vec<(&[f64], &[bool])> =
            samples.iter().map(|(_, scores, success)| (&scores[..], &success[..])).collect();
        let intervals = match resampling {
            Some(resampling) => intervals(metric, &all, frame, resampling),
            None => vec![None; all.len()],
        };
        let values = samples.iter().zip(intervals);
        values
            .map(|((scorer, scores, success), interval)| {
                let value = metric.value(scores, success);
                let counts = Counts::of(scores, success);
                // A resample may be defined where the data itself is not.
                let interval = interval.filter(|_| value.is_some());
                GridValue { cell, scorer: *scorer, value, interval, counts }
            })
            .collect()
    }

    /// PRR with ties in the order of the tasks, for comparison with code that only sorts.
    pub fn prr_in_order(&self, cell: usize, scorer: &Scorer) -> Option<f64> {
        let (scores, success) = self.frames[cell].sample(scorer, Metric::Prr)?;
        prr_in_order(&scores, &success)
    }

    /// First minus second scorer in a cell, under the same resamples.
    pub fn difference(
        &self,
        cell: usize,
        metric: Metric,
        first: &Scorer,
        second: &Scorer,
        resampling: Resampling,
    ) -> Option<Difference> {
        let frame = &self.frames[cell];
        let (a, success) = frame.sample(first, metric)?;
        let (b, _) = frame.sample(second, metric)?;
        let value = metric.value(&a, &success)? - metric.value(&b, &success)?;
        let all = [(&a[..], &success[..]), (&b[..], &success[..])];
        let mut both = resample_all(metric, &all, frame, resampling);
        let (second, first) = (both.pop()?, both.pop()?);
        let differences = first.into_iter().zip(second).map(|(a, b)| a - b).collect();
        Some(Difference { value, interval: Interval::of(differences) })
    }
}

fn intervals(
    metric: Metric,
    samples: &[(&[f64], &[bool])],
    frame: &Frame,
    resampling: Resampling,
) -> Vec<Option<Interval>> {
    let all = resample_all(metric, samples, frame, resampling);
    all.into_iter().map(Interval::of).collect()
}

/// Resampled values of every sample, all under the same draws of tasks.
fn resample_all(
    metric: Metric,
    samples: &[(&[f64], &[bool])],
    frame: &Frame,
    resampling: Resampling,
) -> Vec<Vec<f64>> {
    let tasks = frame.tasks.len();
    let chunk = (MOST_COUNTS / tasks.max(1)).clamp(8, resampling.resamples.max(8));
    let mut all = vec![Vec::with_capacity(resampling.resamples); samples.len()];
    let mut start = 0;
    while start < resampling.resamples {
        let end = (start + chunk).min(resampling.resamples);
        let weights = Weights::draw(tasks, start..end, resampling.seed, frame.stream());
        let drawn: Vec<Vec<f64>> = samples
            .par_iter()
            .map(|(scores, success)| resampled(metric, scores, success, &weights))
            .collect();
        all.iter_mut().zip(drawn).for_each(|(all, drawn)| all.extend(drawn));
        start = end;
    }
    all
}
