//! The confidence of turns along the run, by outcome.

use super::{BINS, SignalBy, TurnGroup, items};
use crate::engine::Engine;
use crate::engine::pool::Pool;
use crate::metrics::bootstrap::{Interval, Resampling, resampled_sums};
use crate::scorers::whitebox::Base;

/// The mean confidence of some turns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TurnMean {
    /// The mean; none without a turn.
    pub mean: Option<f64>,
    /// Its 95% interval from resampled tasks, where it was asked for.
    pub interval: Option<Interval>,
    /// The number of turns.
    pub turns: usize,
}

/// The confidence of the turns in one of [`BINS`] parts of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TurnMeans {
    /// Turns of runs that fail.
    pub failures: TurnMean,
    /// Turns of runs that succeed.
    pub successes: TurnMean,
}

/// What a row adds in a part of the run: the sum and number of its values if it fails, and if it succeeds.
type RowSums = [f64; 4];

impl Engine {
    /// The mean confidence of turns by their position in the run and by outcome, over some cells together.
    pub fn turn_means(
        &self,
        cells: &[usize],
        base: Base,
        resampling: Option<Resampling>,
    ) -> Vec<TurnMeans> {
        let pool = Pool::new(self, cells);
        let is_log = base.ranks_by_log();
        let mut parts = vec![vec![RowSums::default(); pool.rows()]; BINS];
        for (group, items) in items(&pool, base, SignalBy::Position) {
            let TurnGroup::Position(part) = group else { continue };
            for (row, value) in items.owner.iter().zip(&items.values) {
                let row = *row as usize;
                let first = if pool.success[row] { 2 } else { 0 };
                parts[part][row][first] += if is_log { value.exp() } else { *value };
                parts[part][row][first + 1] += 1.0;
            }
        }
        let lists: Vec<&[RowSums]> = parts.iter().map(Vec::as_slice).collect();
        let statistics: [fn(&RowSums) -> f64; 2] =
            [|sums| sums[0] / sums[1], |sums| sums[2] / sums[3]];
        let intervals = resampling.map_or_else(Vec::new, |resampling| {
            let Resampling { resamples, seed } = pool.affordable(resampling);
            let draw = |resample: usize| pool.weights(resample..resample + 1, seed);
            resampled_sums(&lists, resamples, draw, &statistics)
        });
        let means = |(part, rows): (usize, &&[RowSums])| {
            let sum = |index: usize| rows.iter().map(|row| row[index]).sum::<f64>();
            let mean = |side: usize| {
                let turns = sum(2 * side + 1);
                let mean = (turns > 0.0).then(|| sum(2 * side) / turns);
                let interval = intervals.get(part).and_then(|ends| ends[side]);
                TurnMean {
                    mean,
                    interval: interval.filter(|_| mean.is_some()),
                    turns: turns as usize,
                }
            };
            TurnMeans { failures: mean(0), successes: mean(1) }
        };
        lists.iter().enumerate().map(means).collect()
    }
}
