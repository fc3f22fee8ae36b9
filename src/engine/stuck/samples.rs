//! How a metric depends on the number of samples.

use rayon::prelude::*;

use super::Scope;
use crate::engine::frame::mean;
use crate::engine::grid::resample_all;
use crate::engine::{Engine, Frame, PairValues};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::rng::Rng;

/// The most subsets of samples that are averaged over.
const MOST_SUBSETS: usize = 200;

/// The most subsets whose metrics are resampled; of more, as many at equal distances.
const MOST_RESAMPLED: usize = 12;

/// A metric of a scorer when only some of the samples are used.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRow {
    /// The index of the cell.
    pub cell: usize,
    /// The scorer's id.
    pub scorer: String,
    /// The number of samples used.
    pub samples: usize,
    /// The metric averaged over the subsets of that size on which it is defined.
    pub value: Option<f64>,
    /// The number of these subsets.
    pub subsets: usize,
    /// Tasks with a label and a value under some of these subsets; runs where every draw counts.
    pub n: usize,
    /// The tasks of these.
    pub tasks: usize,
}

/// A metric of a scorer by the number of samples, averaged over the cells of a scope.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleBand {
    /// The scorer's id.
    pub scorer: String,
    /// The number of samples used; a cell with fewer takes part with all.
    pub samples: usize,
    /// The metric averaged over subsets of that size and then over cells.
    pub value: Option<f64>,
    /// Its 95% interval, where it was asked for.
    pub interval: Option<Interval>,
    /// The number of cells in which the metric is defined.
    pub cells: usize,
}

impl Engine {
    /// A metric over the number of samples, averaged over the cells of a scope: every consistency scorer
    /// and number of samples. Every cell is resampled by itself.
    pub fn sample_bands(
        &self,
        scope: &Scope,
        metric: Metric,
        resampling: Option<Resampling>,
    ) -> Vec<SampleBand> {
        let cells = self.cells_of(scope);
        let most = |cell: &usize| {
            self.frames[*cell].tasks.iter().map(|task| task.samples.len()).max().unwrap_or(0)
        };
        let sizes = cells.iter().map(most).max().unwrap_or(0);
        let rows: Vec<(String, usize)> = self
            .consistency_ids()
            .into_iter()
            .flat_map(|scorer| (1..=sizes).map(move |samples| (scorer.clone(), samples)))
            .collect();
        let band = |(scorer, samples): (String, usize)| {
            let mut values = Vec::new();
            let mut drawn: Vec<Vec<f64>> = Vec::new();
            for cell in &cells {
                let (frame, most) = (&self.frames[*cell], most(cell));
                let size = (most, samples.min(most));
                let Some(pairs) = frame.pair_values(&scorer).filter(|_| most > 0) else { continue };
                let (value, ..) = over_subsets(frame, pairs, metric, size.0, size.1);
                let Some(value) = value else { continue };
                values.push(value);
                drawn.extend(
                    resampling.map(|resampling| {
                        resampled_subsets(frame, pairs, metric, size, resampling)
                    }),
                );
            }
            let lanes = drawn.first().map_or(0, Vec::len);
            let drawn: Vec<f64> =
                (0..lanes).map(|lane| mean(drawn.iter().map(|drawn| drawn[lane]))).collect();
            let cells = values.len();
            let value = (cells > 0).then(|| mean(values.into_iter()));
            let interval = value.and_then(|_| Interval::of(drawn));
            SampleBand { scorer, samples, value, interval, cells }
        };
        rows.into_par_iter().map(band).collect()
    }

    /// A metric over the number of samples, averaged over the subsets of each size.
    pub fn sample_sensitivity(&self, metric: Metric) -> Vec<SampleRow> {
        let cells = (0..self.frames.len()).into_par_iter();
        let rows: Vec<_> = cells.map(|cell| self.samples_of(cell, metric)).collect();
        rows.into_iter().flatten().collect()
    }

    /// The same for one cell: every consistency scorer and number of samples.
    pub fn samples_of(&self, cell: usize, metric: Metric) -> Vec<SampleRow> {
        let frame = &self.frames[cell];
        let most = frame.tasks.iter().map(|task| task.samples.len()).max().unwrap_or(0);
        let scorers = self.consistency_ids();
        let rows = scorers.iter().flat_map(|scorer| {
            let values = frame.pair_values(scorer);
            (1..=most).filter_map(move |samples| {
                let (value, subsets, rows) = over_subsets(frame, values?, metric, most, samples);
                let (n, tasks) = (rows.len(), frame.tasks_of(&rows));
                Some(SampleRow { cell, scorer: scorer.clone(), samples, value, subsets, n, tasks })
            })
        });
        rows.collect()
    }
}

/// The metric averaged over the subsets of this many of the samples, the number of subsets on which
/// it is defined, and the rows that take part in any of them.
fn over_subsets(
    frame: &Frame,
    values: PairValues<'_>,
    metric: Metric,
    most: usize,
    samples: usize,
) -> (Option<f64>, usize, Vec<usize>) {
    let mut takes_part = vec![false; frame.tasks.len()];
    let mut defined = Vec::new();
    for (scores, success) in scores_by_subset(frame, values, most, samples) {
        let Some(value) = metric.value(&scores, &success) else { continue };
        defined.push(value);
        for (part, score) in takes_part.iter_mut().zip(&scores) {
            *part |= !score.is_nan();
        }
    }
    let rows = (0..takes_part.len()).filter(|row| takes_part[*row]).collect();
    let subsets = defined.len();
    ((subsets > 0).then(|| mean(defined.into_iter())), subsets, rows)
}

/// Scores and outcomes of the tasks, subset by subset. Every task takes part with that many of its
/// samples, or with all where it has fewer.
fn scores_by_subset<'f>(
    frame: &'f Frame,
    values: PairValues<'f>,
    most: usize,
    samples: usize,
) -> impl Iterator<Item = (Vec<f64>, Vec<bool>)> + 'f {
    subsets(most, samples).into_iter().enumerate().map(move |(number, subset)| {
        // A task without some sample of the subset takes the next of the others, so that none is
        // judged by fewer samples than it has; these take turns.
        let mut others: Vec<usize> = (0..most).filter(|sample| !subset.contains(sample)).collect();
        let turn = number.checked_rem(others.len()).unwrap_or(0);
        others.rotate_left(turn);
        let scores = values.iter().map(|pairs| {
            let order = subset.iter().chain(&others);
            let taken = order.filter_map(|&sample| pairs.get(sample)).take(samples);
            mean(taken.copied())
        });
        let scores = frame.treated(scores.collect(), 0..frame.tasks.len());
        frame.with_labels(scores)
    })
}

/// The metric of every resample of a cell, averaged over some of the subsets of a size.
fn resampled_subsets(
    frame: &Frame,
    values: PairValues<'_>,
    metric: Metric,
    (most, samples): (usize, usize),
    resampling: Resampling,
) -> Vec<f64> {
    let all: Vec<_> = scores_by_subset(frame, values, most, samples).collect();
    let step = all.len().div_ceil(MOST_RESAMPLED).max(1);
    let some: Vec<(&[f64], &[bool])> =
        all.iter().step_by(step).map(|(scores, success)| (&scores[..], &success[..])).collect();
    let drawn = resample_all(metric, &some, frame, resampling);
    (0..resampling.resamples).map(|lane| mean(drawn.iter().map(|drawn| drawn[lane]))).collect()
}

/// All subsets of a size, or a fixed random choice where there are too many.
fn subsets(of: usize, size: usize) -> Vec<Vec<usize>> {
    if !too_many(of, size) {
        let mut all = Vec::new();
        combine(of, size, 0, &mut Vec::with_capacity(size), &mut all);
        return all;
    }
    let mut rng = Rng::new(0, size as u64);
    (0..MOST_SUBSETS)
        .map(|_| {
            let mut items: Vec<usize> = (0..of).collect();
            rng.shuffle(&mut items);
            items.truncate(size);
            items
        })
        .collect()
}

/// Whether there are more subsets of a size than are averaged over.
fn too_many(of: usize, size: usize) -> bool {
    let mut count = 1;
    // Choosing what to leave out gives the same count; on the smaller side it only grows.
    for k in 0..size.min(of - size) {
        count = count * (of - k) / (k + 1);
        if count > MOST_SUBSETS {
            return true;
        }
    }
    false
}

/// Adds every subset that extends `begun` with items from `next` on.
fn combine(of: usize, size: usize, next: usize, begun: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if begun.len() == size {
        all.push(begun.clone());
        return;
    }
    for item in next..=of - (size - begun.len()) {
        begun.push(item);
        combine(of, size, item + 1, begun, all);
        begun.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_of_every_size() {
        assert_eq!(subsets(3, 1), [[0], [1], [2]]);
        assert_eq!(subsets(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(subsets(3, 3), [[0, 1, 2]]);
        for (of, size, expected) in [
            (20, 10, MOST_SUBSETS),
            (64, 1, 64),
            (70, 69, 70),
            (300, 299, MOST_SUBSETS),
            (300, 300, 1),
        ] {
            let many = subsets(of, size);
            assert_eq!(many.len(), expected, "{size} of {of}");
            assert!(
                many.iter()
                    .all(|subset| subset.len() == size && subset.iter().all(|item| *item < of))
            );
        }
    }
}
