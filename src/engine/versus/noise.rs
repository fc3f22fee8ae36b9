//! The noise floor of a cell: how far repeats of the same runs differ.

use super::draws::{CellDraws, range};
use super::passk::{PassRow, pass_rows};
use crate::engine::Frame;
use crate::metrics::bootstrap::{Interval, Resampling, clustered};
use crate::metrics::power::repeat_deviation;
use crate::metrics::{Repeats, Variance, VarianceSums, variance_sums};

/// How far repeats of a cell's runs differ, from the tasks with several draws of one temperature.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// Tasks with two or more draws.
    pub tasks: usize,
    /// Their fewest and their most draws.
    pub draws: (u32, u32),
    /// The mean share of draws that succeed.
    pub success: f64,
    /// The share of tasks whose outcome flips between two draws.
    pub flip: f64,
    /// Its interval.
    pub flip_interval: Option<Interval>,
    /// Tasks that some draws solve and some do not.
    pub mixed: usize,
    /// Variances within and between tasks, and the intraclass correlation; none of a single task.
    pub variance: Option<Variance>,
    /// The interval of the intraclass correlation.
    pub icc_interval: Option<Interval>,
    /// The standard deviation of the difference between two repeats with one draw per task.
    pub single_deviation: f64,
    /// The same with as many draws as there are.
    pub deviation: f64,
}

/// The 97.5% quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

impl Noise {
    /// The noise of a cell; none where no task has two draws.
    pub fn new(frame: &Frame, draws: &CellDraws, resampling: Option<Resampling>) -> Option<Self> {
        Self::of(&draws.tasks, frame.stream(), resampling)
    }

    pub(super) fn of(
        tasks: &[Repeats],
        stream: u64,
        resampling: Option<Resampling>,
    ) -> Option<Self> {
        let tasks: Vec<Repeats> = tasks.iter().copied().filter(|task| task.draws > 1).collect();
        let draws = range(tasks.iter())?;
        let count = tasks.len() as f64;
        let mean = |of: fn(Repeats) -> Option<f64>| {
            tasks.iter().filter_map(|task| of(*task)).sum::<f64>() / count
        };
        let sums: Vec<[f64; 6]> = tasks.iter().map(|task| all_sums(*task)).collect();
        let whole = sums.iter().fold([0.0; 6], |mut all, task| {
            all.iter_mut().zip(task).for_each(|(sum, added)| *sum += added);
            all
        });
        let flip: fn(&[f64; 6]) -> f64 = |sums| sums[5] / sums[0];
        let icc: fn(&[f64; 6]) -> f64 =
            |sums| variance_of(sums).map_or(f64::NAN, |variance| variance.icc);
        let several = resampling.filter(|_| tasks.len() > 1);
        let mut intervals = several
            .map(|resampling| clustered(&sums, resampling, stream, &[flip, icc]))
            .unwrap_or_default()
            .into_iter();
        let pairs: Vec<[Repeats; 2]> = tasks.iter().map(|task| [*task; 2]).collect();
        let flips: f64 = tasks.iter().filter_map(|task| task.flip()).sum();
        Some(Self {
            tasks: tasks.len(),
            draws,
            success: mean(Repeats::rate),
            flip: flip(&whole),
            flip_interval: intervals.next().flatten(),
            mixed: tasks.iter().filter(|task| task.is_mixed()).count(),
            variance: variance_of(&whole).filter(|variance| !variance.icc.is_nan()),
            icc_interval: intervals.next().flatten(),
            single_deviation: flips.sqrt() / count,
            deviation: repeat_deviation(&pairs)?,
        })
    }

    /// Both ends of the range in which 95% of the differences between two repeats with one draw per task
    /// lie, above and below 0.
    pub fn single_range(&self) -> f64 {
        Z * self.single_deviation
    }

    /// The same with as many draws as there are.
    pub fn range(&self) -> f64 {
        Z * self.deviation
    }
}

/// The end of the range in which 95% of differences with this deviation lie.
pub(super) fn range_of(deviation: f64) -> f64 {
    Z * deviation
}

/// Sums of the analysis of variance, and of the probability to flip.
fn all_sums(task: Repeats) -> [f64; 6] {
    let [tasks, draws, solved, squares, squared_draws] = variance_sums(task);
    [tasks, draws, solved, squares, squared_draws, task.flip().unwrap_or(0.0)]
}

fn variance_of(sums: &[f64; 6]) -> Option<Variance> {
    let [tasks, draws, solved, squares, squared_draws, _] = *sums;
    let sums: VarianceSums = [tasks, draws, solved, squares, squared_draws];
    Variance::of(&sums)
}

/// pass@k and pass^k of a cell for every k that its draws allow.
pub fn pass_of_cell(
    frame: &Frame,
    draws: &CellDraws,
    resampling: Option<Resampling>,
) -> Vec<PassRow> {
    pass_rows(&draws.tasks, frame.stream(), resampling)
}
