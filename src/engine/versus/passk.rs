//! pass@k and pass^k for every k that the draws allow.

use crate::metrics::Repeats;
use crate::metrics::bootstrap::{Interval, Resampling, resampled_means};

/// The two conventions of success in k draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// pass@k: at least one of k draws succeeds.
    At,
    /// pass^k: all of k draws succeed.
    Hat,
}

impl Pass {
    /// Both, in the order they are listed.
    pub const ALL: [Self; 2] = [Self::At, Self::Hat];

    /// The name with a number of draws: `pass@3`, `pass^3`.
    pub fn name(self, k: u32) -> String {
        match self {
            Self::At => format!("pass@{k}"),
            Self::Hat => format!("pass^{k}"),
        }
    }

    /// The value of a task; NaN with fewer draws.
    pub(super) fn of(self, task: Repeats, k: u32) -> f64 {
        let value = match self {
            Self::At => task.pass_at(k),
            Self::Hat => task.pass_hat(k),
        };
        value.unwrap_or(f64::NAN)
    }
}

/// Success in k draws of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassRow {
    /// The number of draws.
    pub k: u32,
    /// Tasks with so many draws.
    pub tasks: usize,
    /// pass@k and pass^k.
    pub values: [f64; 2],
    /// Their intervals.
    pub intervals: [Option<Interval>; 2],
}

/// Success in k draws of these tasks.
pub(super) fn pass_rows(
    tasks: &[Repeats],
    stream: u64,
    resampling: Option<Resampling>,
) -> Vec<PassRow> {
    let most = tasks.iter().map(|task| task.draws).max().unwrap_or(0);
    let columns: Vec<Vec<f64>> = (1..=most)
        .flat_map(|k| {
            Pass::ALL.map(|pass| tasks.iter().map(|task| pass.of(*task, k)).collect::<Vec<f64>>())
        })
        .collect();
    let resampled = resampling
        .map(|resampling| resampled_means(tasks.len(), &columns, resampling, stream))
        .unwrap_or_default();
    let row = |k: u32| {
        let first = 2 * (k as usize - 1);
        let enough = tasks.iter().filter(|task| task.draws >= k).count();
        let interval = |column: usize| {
            let resampled = resampled.get(column).filter(|_| enough > 1);
            resampled.and_then(|values| Interval::of(values.clone()))
        };
        let mean = |column: usize| crate::engine::frame::mean(columns[column].iter().copied());
        PassRow {
            k,
            tasks: enough,
            values: [mean(first), mean(first + 1)],
            intervals: [interval(first), interval(first + 1)],
        }
    };
    (1..=most).map(row).collect()
}
