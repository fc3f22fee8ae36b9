//! Is an agent consistent because it is right, or because it repeats itself? Agreement by the
//! outcomes of the pair, by the solvability of the task, and by the number of samples.

use rayon::prelude::*;

use super::frame::{mean, name_stream};
use super::{Engine, Frame, PairValues, Task};
use crate::metrics::auroc;
use crate::metrics::bootstrap::{Interval, Resampling, clustered};
use crate::rng::Rng;

/// Subsets of samples that are averaged over, at most.
const MOST_SUBSETS: usize = 200;

/// How reference and sample of a pair ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairOutcome {
    /// Both succeeded.
    BothSucceed,
    /// One of them did.
    OneSucceeds,
    /// Neither did.
    BothFail,
}

impl PairOutcome {
    /// All of them, in the order they are listed.
    pub const ALL: [Self; 3] = [Self::BothSucceed, Self::OneSucceeds, Self::BothFail];

    /// The id that JSON uses.
    pub fn id(self) -> &'static str {
        match self {
            Self::BothSucceed => "success-success",
            Self::OneSucceeds => "success-failure",
            Self::BothFail => "failure-failure",
        }
    }

    /// The outcome of a pair whose labels are known.
    pub fn of(reference: Option<bool>, sample: Option<bool>) -> Option<Self> {
        Some(match (reference?, sample?) {
            (true, true) => Self::BothSucceed,
            (false, false) => Self::BothFail,
            _ => Self::OneSucceeds,
        })
    }
}

/// How often the draws of a task succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Solvability {
    /// All draws succeed.
    Always,
    /// Some do.
    Sometimes,
    /// None does.
    Never,
}

impl Solvability {
    /// All of them, in the order they are listed.
    pub const ALL: [Self; 3] = [Self::Always, Self::Sometimes, Self::Never];

    /// The id that JSON uses.
    pub fn id(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Sometimes => "sometimes",
            Self::Never => "never",
        }
    }

    /// The solvability of a task; none when a draw has no label.
    pub fn of(task: &Task) -> Option<Self> {
        let draws = task.samples.iter().map(|sample| sample.success).chain([task.success]);
        let labels: Option<Vec<bool>> = draws.collect();
        let labels = labels?;
        Some(match labels.iter().filter(|label| **label).count() {
            0 => Self::Never,
            solved if solved == labels.len() => Self::Always,
            _ => Self::Sometimes,
        })
    }
}

/// Mean agreement of one group under one scorer.
#[derive(Clone, Debug, PartialEq)]
pub struct StuckRow {
    /// `all`, a dataset, or `dataset/model`.
    pub scope: String,
    /// The scorer's id.
    pub scorer: String,
    /// The group's id.
    pub group: &'static str,
    /// Mean agreement; none of an empty group.
    pub mean: Option<f64>,
    /// Its 95% interval, over tasks.
    pub interval: Option<Interval>,
    /// Pairs or tasks in the group.
    pub n: usize,
}

/// AUROC of a scorer when only some of the samples are used.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRow {
    /// Place of the cell.
    pub cell: usize,
    /// The scorer's id.
    pub scorer: String,
    /// Samples used.
    pub samples: usize,
    /// AUROC averaged over subsets of that size.
    pub value: Option<f64>,
}

impl Engine {
    /// Consistency scorers that have pair values.
    pub fn consistency_ids(&self) -> Vec<String> {
        let wanted = self.scorers.iter().filter(|own| own.family().is_consistency());
        let ids = wanted.map(|own| own.id().to_owned());
        ids.filter(|id| self.frames.iter().any(|own| own.pair_values(id).is_some())).collect()
    }

    /// Frames by scope: all, every dataset, every cell.
    fn scopes(&self) -> Vec<(String, Vec<&Frame>)> {
        let mut scopes = vec![("all".to_owned(), self.frames.iter().collect::<Vec<_>>())];
        let mut datasets: Vec<&str> = Vec::new();
        for frame in &self.frames {
            if !datasets.contains(&frame.cell.dataset.as_str()) {
                datasets.push(&frame.cell.dataset);
            }
        }
        for dataset in datasets {
            let own = self.frames.iter().filter(|frame| frame.cell.dataset == dataset).collect();
            scopes.push((dataset.to_owned(), own));
        }
        let cells = self.frames.iter().map(|frame| (frame.cell.to_string(), vec![frame]));
        scopes.extend(cells);
        scopes
    }

    /// Agreement by the outcomes of reference and sample.
    pub fn stuck_pairs(&self, resampling: Option<Resampling>) -> Vec<StuckRow> {
        self.stuck(resampling, &PairOutcome::ALL, PairOutcome::id, |frame, scorer, group| {
            let values = frame.pair_values(scorer)?;
            let tasks = frame.tasks.iter().zip(values.iter()).map(|(task, values)| {
                let pairs = task.samples.iter().zip(values).filter(|(sample, value)| {
                    PairOutcome::of(task.success, sample.success) == Some(group) && !value.is_nan()
                });
                pairs.fold([0.0, 0.0], |[sum, n], (_, value)| [sum + value, n + 1.0])
            });
            Some(tasks.collect())
        })
    }

    /// Agreement by how often the draws of a task succeed.
    pub fn stuck_tasks(&self, resampling: Option<Resampling>) -> Vec<StuckRow> {
        self.stuck(resampling, &Solvability::ALL, Solvability::id, |frame, scorer, group| {
            let values = frame.pair_values(scorer)?;
            let tasks = frame.tasks.iter().zip(values.iter()).map(|(task, values)| {
                let value = mean(values.iter().copied());
                let counts = Solvability::of(task) == Some(group) && !value.is_nan();
                if counts { [value, 1.0] } else { [0.0, 0.0] }
            });
            Some(tasks.collect())
        })
    }

    /// Means over groups; `sums` gives what every task of a frame adds to sum and count.
    fn stuck<G: Copy + Sync>(
        &self,
        resampling: Option<Resampling>,
        groups: &[G],
        id: fn(G) -> &'static str,
        sums: impl Fn(&Frame, &str, G) -> Option<Vec<[f64; 2]>> + Sync,
    ) -> Vec<StuckRow> {
        let scorers = self.consistency_ids();
        let rows: Vec<Vec<StuckRow>> = self
            .scopes()
            .par_iter()
            .map(|(scope, frames)| {
                let rows =
                    scorers.iter().flat_map(|scorer| groups.iter().map(move |own| (scorer, *own)));
                rows.map(|(scorer, group)| {
                    let tasks: Vec<[f64; 2]> = frames
                        .iter()
                        .filter_map(|frame| sums(frame, scorer, group))
                        .flatten()
                        .collect();
                    stuck_row(scope, scorer, id(group), &tasks, resampling)
                })
                .collect()
            })
            .collect();
        rows.into_iter().flatten().collect()
    }

    /// AUROC over the number of samples, averaged over the subsets of each size.
    pub fn sample_sensitivity(&self) -> Vec<SampleRow> {
        let scorers = self.consistency_ids();
        let cells = (0..self.frames.len()).into_par_iter().map(|cell| {
            let frame = &self.frames[cell];
            let most = frame.tasks.iter().map(|task| task.samples.len()).max().unwrap_or(0);
            let rows = scorers.iter().flat_map(|scorer| {
                let values = frame.pair_values(scorer);
                (1..=most).filter_map(move |samples| {
                    let value = over_subsets(frame, values?, most, samples);
                    Some(SampleRow { cell, scorer: scorer.clone(), samples, value })
                })
            });
            rows.collect::<Vec<_>>()
        });
        cells.collect::<Vec<_>>().into_iter().flatten().collect()
    }
}

fn stuck_row(
    scope: &str,
    scorer: &str,
    group: &'static str,
    tasks: &[[f64; 2]],
    resampling: Option<Resampling>,
) -> StuckRow {
    let [sum, n] = tasks.iter().fold([0.0, 0.0], |[sum, n], own| [sum + own[0], n + own[1]]);
    let ratio: fn(&[f64; 2]) -> f64 = |[sum, n]| sum / n;
    let interval = resampling.filter(|_| n > 0.0).and_then(|resampling| {
        clustered(tasks, resampling, name_stream(&[scope]), &[ratio]).pop().flatten()
    });
    StuckRow {
        scope: scope.to_owned(),
        scorer: scorer.to_owned(),
        group,
        mean: (n > 0.0).then_some(sum / n),
        interval,
        n: n as usize,
    }
}

/// AUROC averaged over the subsets of this many of the samples.
fn over_subsets(frame: &Frame, values: PairValues<'_>, most: usize, samples: usize) -> Option<f64> {
    let aurocs = subsets(most, samples).into_iter().map(|subset| {
        let scores = values
            .iter()
            .map(|own| mean(subset.iter().filter_map(|&sample| own.get(sample)).copied()));
        let (scores, success) = frame.with_labels(scores.collect());
        auroc(&scores, &success)
    });
    let aurocs: Option<Vec<f64>> = aurocs.collect();
    aurocs.map(|own| mean(own.into_iter())).filter(|value| !value.is_nan())
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
    // A subset and what it leaves out are as many; counted on the smaller side, the count only grows.
    for k in 0..size.min(of - size) {
        count = count * (of - k) / (k + 1);
        if count > MOST_SUBSETS {
            return true;
        }
    }
    false
}

/// Adds every subset that continues `begun` with items from `next` on.
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
            assert!(many.iter().all(|own| own.len() == size && own.iter().all(|item| *item < of)));
        }
    }

    #[test]
    fn outcomes_need_labels() {
        assert_eq!(PairOutcome::of(Some(true), None), None);
        assert_eq!(PairOutcome::of(Some(true), Some(false)), Some(PairOutcome::OneSucceeds));
        assert_eq!(PairOutcome::of(Some(false), Some(false)), Some(PairOutcome::BothFail));
    }
}
