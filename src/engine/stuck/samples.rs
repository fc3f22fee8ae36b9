//! How a metric depends on the number of samples.

use rayon::prelude::*;

use crate::engine::frame::mean;
use crate::engine::{Engine, Frame, PairValues};
use crate::metrics::Metric;
use crate::rng::Rng;

/// The most subsets of samples that are averaged over.
const MOST_SUBSETS: usize = 200;

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
    /// Tasks with a label and a value under some of these subsets.
    pub n: usize,
}

impl Engine {
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
                let (value, subsets, n) = over_subsets(frame, values?, metric, most, samples);
                Some(SampleRow { cell, scorer: scorer.clone(), samples, value, subsets, n })
            })
        });
        rows.collect()
    }
}

/// The metric averaged over the subsets of this many of the samples, the number of subsets on which
/// it is defined, and the tasks that take part in any of them. Every task takes part with that many of
/// its samples, or with all where it has fewer.
fn over_subsets(
    frame: &Frame,
    values: PairValues<'_>,
    metric: Metric,
    most: usize,
    samples: usize,
) -> (Option<f64>, usize, usize) {
    let mut takes_part = vec![false; frame.tasks.len()];
    let mut defined = Vec::new();
    for (number, subset) in subsets(most, samples).into_iter().enumerate() {
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
        let (scores, success) = frame.with_labels(scores);
        let Some(value) = metric.value(&scores, &success) else { continue };
        defined.push(value);
        for (part, score) in takes_part.iter_mut().zip(&scores) {
            *part |= !score.is_nan();
        }
    }
    let (subsets, n) = (defined.len(), takes_part.into_iter().filter(|part| *part).count());
    ((subsets > 0).then(|| mean(defined.into_iter())), subsets, n)
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
