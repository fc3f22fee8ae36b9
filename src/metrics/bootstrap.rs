//! Task-clustered bootstrap: whole tasks are drawn with replacement. One matrix of how often each
//! task was drawn serves every scorer and every metric of a cell, so that differences between two
//! scorers are paired for free.
//!
//! The matrix is stored task by task, with one lane for every resample: a single walk down a ranking
//! updates all resamples at once with plain vector arithmetic.

mod interval;
mod means;
mod owned;
mod walk;

use std::ops::Range;

use super::points::{BINS, bin, probability};
use super::{Metric, Ranking};
use crate::rng::Rng;

pub use interval::{Interval, quantile};
pub use means::resampled_means;
pub use owned::resampled_auroc_of_items;
use walk::Walk;

/// How to resample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// Number of resamples.
    pub resamples: usize,
    /// Seed of the draws.
    pub seed: u64,
}

impl Resampling {
    /// The most resamples that a command takes; beyond it an interval no longer changes in its third
    /// decimal.
    pub const MOST: usize = 100_000;

    /// From so many tasks on fewer resamples do: intervals are narrow, and every resample takes long.
    pub const MANY_TASKS: usize = 100_000;

    /// The resamples of so many tasks.
    const OF_MANY: usize = 200;

    /// The same with fewer resamples where there are very many tasks.
    #[must_use]
    pub fn at_scale(self, tasks: usize) -> Self {
        let many = tasks > Self::MANY_TASKS;
        let resamples = if many { self.resamples.min(Self::OF_MANY) } else { self.resamples };
        Self { resamples, ..self }
    }
}

impl Default for Resampling {
    fn default() -> Self {
        Self { resamples: 1000, seed: 0 }
    }
}

/// How often each task was drawn in each of some resamples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    lanes: usize,
    counts: Vec<u16>,
    /// The rows of the largest resample.
    most: usize,
}

impl Weights {
    /// Draws the resamples `lanes` of a cell; every cell has another `stream`. Every resample has its
    /// own generator, so neither chunks nor threads change a draw.
    pub fn draw(tasks: usize, lanes: Range<usize>, seed: u64, stream: u64) -> Self {
        let width = lanes.len();
        let mut counts = vec![0u16; tasks * width];
        for (lane, resample) in lanes.enumerate() {
            let mut rng = Rng::new(seed, (stream << 32) | resample as u64);
            for _ in 0..tasks {
                counts[rng.below(tasks) * width + lane] += 1;
            }
        }
        Self { lanes: width, counts, most: tasks }
    }

    /// The same for rows of which several may belong to one task: tasks are drawn, and each brings all
    /// of its rows. `task_of` gives the task of every row, counted from 0 without gaps.
    pub fn draw_clusters(task_of: &[u32], lanes: Range<usize>, seed: u64, stream: u64) -> Self {
        let tasks = task_of.iter().max().map_or(0, |last| *last as usize + 1);
        let drawn = Self::draw(tasks, lanes, seed, stream);
        let counts: Vec<u16> = task_of.iter().flat_map(|task| drawn.of(*task)).copied().collect();
        let mut sizes = vec![0; drawn.lanes];
        for row in counts.chunks(drawn.lanes.max(1)) {
            sizes.iter_mut().zip(row).for_each(|(size, drawn)| *size += usize::from(*drawn));
        }
        Self { lanes: drawn.lanes, counts, most: sizes.into_iter().max().unwrap_or(0) }
    }

    /// Number of resamples.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    fn of(&self, task: u32) -> &[u16] {
        let start = task as usize * self.lanes;
        &self.counts[start..start + self.lanes]
    }

    /// How often each task was drawn in one resample.
    pub fn lane(&self, lane: usize) -> impl Iterator<Item = u16> {
        self.counts.iter().skip(lane).step_by(self.lanes.max(1)).copied()
    }
}

/// The metric of every resample; NaN where it is undefined. A task without a score or label has the
/// score NaN.
pub fn resampled(metric: Metric, scores: &[f64], success: &[bool], weights: &Weights) -> Vec<f64> {
    match metric {
        Metric::Auroc => auroc(&Ranking::new(scores), success, weights, weights.most),
        Metric::Auprc => Walk::new(scores, success, weights).auprc(),
        Metric::Prr => Walk::new(scores, success, weights).prr(),
        Metric::Aurc => Walk::new(scores, success, weights).aurc(),
        Metric::Ece => calibration(scores, success, weights),
        Metric::Brier => squares(scores, success, weights),
    }
}

/// AUROC of every resample, of which the largest has at most `most` items.
fn auroc(ranking: &Ranking, success: &[bool], weights: &Weights, most: usize) -> Vec<f64> {
    // Twice the number of pairs must fit the counter; narrow counters are faster.
    match most {
        0..=360 => auroc_narrow(ranking, success, weights),
        361..=90_000 => auroc_middle(ranking, success, weights),
        _ => auroc_wide(ranking, success, weights),
    }
}

macro_rules! auroc_lanes {
    ($name:ident, $counter:ty) => {
        #[allow(clippy::cast_lossless, reason = "the widest counter has no lossless cast")]
        fn $name(ranking: &Ranking, success: &[bool], weights: &Weights) -> Vec<f64> {
            let zero = || vec![0 as $counter; weights.lanes()];
            let (mut wrong, mut misses, mut hits) = (zero(), zero(), zero());
            let (mut block_misses, mut block_hits) = (zero(), zero());
            for block in ranking.blocks() {
                if let [item] = block {
                    let drawn = weights.of(*item);
                    if success[*item as usize] {
                        let lanes = wrong.iter_mut().zip(&mut hits).zip(&misses).zip(drawn);
                        for (((wrong, hits), misses), &drawn) in lanes {
                            let drawn = <$counter>::from(drawn);
                            *wrong += 2 * drawn * *misses;
                            *hits += drawn;
                        }
                    } else {
                        for (misses, &drawn) in misses.iter_mut().zip(drawn) {
                            *misses += <$counter>::from(drawn);
                        }
                    }
                    continue;
                }
                block_misses.fill(0);
                block_hits.fill(0);
                for &item in block {
                    let side =
                        if success[item as usize] { &mut block_hits } else { &mut block_misses };
                    for (side, &drawn) in side.iter_mut().zip(weights.of(item)) {
                        *side += <$counter>::from(drawn);
                    }
                }
                let lanes = wrong.iter_mut().zip(&mut hits).zip(&mut misses);
                for (((wrong, hits), misses), (tied_hits, tied_misses)) in
                    lanes.zip(block_hits.iter().zip(&block_misses))
                {
                    *wrong += tied_hits * (2 * *misses + tied_misses);
                    *hits += tied_hits;
                    *misses += tied_misses;
                }
            }
            let lanes = wrong.into_iter().zip(hits).zip(misses);
            lanes
                .map(|((wrong, hits), misses)| {
                    let pairs = 2.0 * hits as f64 * misses as f64;
                    if pairs > 0.0 { (pairs - wrong as f64) / pairs } else { f64::NAN }
                })
                .collect()
        }
    };
}

auroc_lanes!(auroc_narrow, u16);
auroc_lanes!(auroc_middle, u32);
auroc_lanes!(auroc_wide, u64);

/// Tasks with a score, if all scores are probabilities.
fn probabilities(scores: &[f64]) -> Option<Vec<(usize, f64)>> {
    let known = scores.iter().enumerate().filter(|(_, score)| !score.is_nan());
    known.map(|(task, score)| Some((task, probability(*score)?))).collect()
}

fn calibration(scores: &[f64], success: &[bool], weights: &Weights) -> Vec<f64> {
    let lanes = weights.lanes();
    let Some(known) = probabilities(scores) else { return vec![f64::NAN; lanes] };
    let mut gaps = vec![0.0; BINS * lanes];
    let mut items = vec![0u64; lanes];
    for (task, score) in known {
        let gap = f64::from(u8::from(success[task])) - score;
        let sums = &mut gaps[bin(score) * lanes..][..lanes];
        for ((sum, items), &drawn) in sums.iter_mut().zip(&mut items).zip(weights.of(task as u32)) {
            *sum += f64::from(drawn) * gap;
            *items += u64::from(drawn);
        }
    }
    let error = |lane: usize| -> f64 { (0..BINS).map(|bin| gaps[bin * lanes + lane].abs()).sum() };
    // 0 of 0 is NaN, as it should be.
    items.iter().enumerate().map(|(lane, items)| error(lane) / *items as f64).collect()
}

fn squares(scores: &[f64], success: &[bool], weights: &Weights) -> Vec<f64> {
    let Some(known) = probabilities(scores) else { return vec![f64::NAN; weights.lanes()] };
    let mut sums = vec![(0.0, 0u64); weights.lanes()];
    for (task, score) in known {
        let square = (f64::from(u8::from(success[task])) - score).powi(2);
        for (sum, &drawn) in sums.iter_mut().zip(weights.of(task as u32)) {
            sum.0 += f64::from(drawn) * square;
            sum.1 += u64::from(drawn);
        }
    }
    sums.into_iter().map(|(sum, items)| sum / items as f64).collect()
}

/// Intervals of statistics over sums that each task adds to, such as the counts of a confusion
/// table.
pub fn clustered<const N: usize>(
    tasks: &[[f64; N]],
    resampling: Resampling,
    stream: u64,
    statistics: &[fn(&[f64; N]) -> f64],
) -> Vec<Option<Interval>> {
    let Resampling { resamples, seed } = resampling;
    let draw = |resample: usize| Weights::draw(tasks.len(), resample..resample + 1, seed, stream);
    resampled_sums(&[tasks], resamples, draw, statistics).pop().unwrap_or_default()
}

/// The same for several lists of sums that rows add to, all under the same resamples: `draw` gives the
/// weights of the rows in one of them.
pub fn resampled_sums<const N: usize>(
    lists: &[&[[f64; N]]],
    resamples: usize,
    draw: impl Fn(usize) -> Weights,
    statistics: &[fn(&[f64; N]) -> f64],
) -> Vec<Vec<Option<Interval>>> {
    let mut values = vec![Vec::with_capacity(resamples); lists.len() * statistics.len()];
    for resample in 0..resamples {
        let weights = draw(resample);
        let mut values = values.iter_mut();
        for rows in lists {
            let mut sums = [0.0; N];
            for (row, drawn) in rows.iter().zip(weights.lane(0)) {
                sums.iter_mut().zip(row).for_each(|(sum, part)| *sum += part * f64::from(drawn));
            }
            let of_list = values.by_ref().take(statistics.len()).zip(statistics);
            of_list.for_each(|(values, statistic)| values.push(statistic(&sums)));
        }
    }
    let mut intervals = values.into_iter().map(Interval::of);
    lists.iter().map(|_| intervals.by_ref().take(statistics.len()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A resample written out, each task as often as it was drawn.
    fn written_out(
        scores: &[f64],
        success: &[bool],
        weights: &Weights,
        lane: usize,
    ) -> (Vec<f64>, Vec<bool>) {
        let drawn = weights.lane(lane).enumerate();
        drawn
            .flat_map(|(task, times)| (0..times).map(move |_| (scores[task], success[task])))
            .unzip()
    }

    fn example(tasks: usize, levels: usize) -> (Vec<f64>, Vec<bool>) {
        let mut rng = Rng::new(11, tasks as u64);
        let scores = (0..tasks).map(|task| match task % 9 {
            4 => f64::NAN,
            _ => rng.below(levels) as f64 / levels as f64,
        });
        let scores: Vec<f64> = scores.collect();
        let success =
            (0..tasks).map(|task| rng.chance(0.3 + 0.4 * f64::from(u8::from(task % 2 == 0))));
        (scores, success.collect())
    }

    #[test]
    fn a_resample_is_its_tasks_written_out() {
        for (tasks, levels) in [(9, 3), (60, 4), (60, 1000), (400, 7), (400, 100_000)] {
            let (scores, success) = example(tasks, levels);
            let weights = Weights::draw(tasks, 0..40, 5, 1);
            for metric in Metric::ALL {
                let lanes = resampled(metric, &scores, &success, &weights);
                for (lane, value) in lanes.into_iter().enumerate() {
                    let (scores, success) = written_out(&scores, &success, &weights, lane);
                    match metric.value(&scores, &success) {
                        Some(expected) => {
                            let same = (value - expected).abs() < 1e-9;
                            assert!(
                                same,
                                "{metric:?}, {tasks} tasks, lane {lane}: {value} {expected}"
                            );
                        }
                        None => assert!(value.is_nan(), "{metric:?}, lane {lane}: {value}"),
                    }
                }
            }
        }
    }

    #[test]
    fn chunks_draw_the_same() {
        let whole = Weights::draw(30, 0..10, 3, 7);
        let part = Weights::draw(30, 4..6, 3, 7);
        assert!(whole.lane(5).eq(part.lane(1)));
        assert_eq!(whole.lane(5).map(u32::from).sum::<u32>(), 30);
        let other = Weights::draw(30, 4..6, 3, 8);
        assert!(!part.lane(1).eq(other.lane(1)));
    }
}
