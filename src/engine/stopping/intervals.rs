//! Intervals of what stopping does, from resampled tasks.

use super::{Low, Pool, Run, Stopping};
use crate::engine::Engine;
use crate::metrics::bootstrap::{Interval, Resampling, resampled_sums};

/// The 95% intervals of what stopping does at a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StopIntervals {
    /// The share of failed runs that are stopped.
    pub failures: Option<Interval>,
    /// The share of successful runs that are stopped.
    pub successes: Option<Interval>,
    /// The share of turns that are saved.
    pub turns: Option<Interval>,
    /// The share of the cost that is saved.
    pub cost: Option<Interval>,
}

/// What a run adds: whether it is stopped and counts, for failures and for successes, then the saved and
/// all turns, then the saved and all cost.
type Sums = [f64; 8];

const STATISTICS: [fn(&Sums) -> f64; 4] = [
    |sums| sums[0] / sums[1],
    |sums| sums[2] / sums[3],
    |sums| sums[4] / sums[5],
    |sums| sums[6] / sums[7],
];

impl Stopping {
    /// The intervals at some thresholds, all under the same resamples of the tasks of the engine that
    /// the simulation is of.
    pub fn intervals(
        &self,
        engine: &Engine,
        thresholds: &[f64],
        resampling: Resampling,
    ) -> Vec<StopIntervals> {
        let pool = Pool::new(engine, &self.cells);
        let lists: Vec<Vec<Sums>> = thresholds.iter().map(|below| self.sums(*below)).collect();
        let lists: Vec<&[Sums]> = lists.iter().map(Vec::as_slice).collect();
        let draw = |resample: usize| pool.weights(resample..resample + 1, resampling.seed);
        let all = resampled_sums(&lists, resampling.resamples, draw, &STATISTICS);
        let named = |found: Vec<Option<Interval>>| match found[..] {
            [failures, successes, turns, cost] => {
                StopIntervals { failures, successes, turns, cost }
            }
            _ => StopIntervals::default(),
        };
        all.into_iter().map(named).collect()
    }

    /// What every row adds at a threshold.
    fn sums(&self, threshold: f64) -> Vec<Sums> {
        let sums = |(run, low): (&Option<Run>, Option<&Low>)| {
            let Some(run) = run else { return Sums::default() };
            let one = |is: bool| f64::from(u8::from(is));
            let saved = low.map_or(0, |low| run.turns - low.turn - 1);
            [
                one(!run.success && low.is_some()),
                one(!run.success),
                one(run.success && low.is_some()),
                one(run.success),
                f64::from(saved),
                f64::from(run.turns),
                low.map_or(0.0, |low| run.cost_after(low.turn)),
                run.cost.unwrap_or(0.0),
            ]
        };
        self.runs.iter().zip(self.first_below(threshold)).map(sums).collect()
    }
}
