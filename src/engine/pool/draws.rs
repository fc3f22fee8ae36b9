//! The rows of a pool one by one, and the weights of several resamples at once.

use std::ops::Range;

use super::Pool;
use crate::engine::{Engine, Frame, TaskId};
use crate::metrics::bootstrap::{Resampling, Weights};

/// The most weights that are in memory at once.
const MOST_WEIGHTS: usize = 1 << 22;

/// A row of a pool.
pub(in crate::engine) struct PoolRow<'e> {
    /// Its index in the pool.
    pub(in crate::engine) index: usize,
    /// The index of its cell among those of the pool.
    pub(in crate::engine) part: usize,
    /// Its cell.
    pub(in crate::engine) frame: &'e Frame,
    /// Its index in the cell.
    pub(in crate::engine) task: usize,
}

impl PoolRow<'_> {
    /// The task that it is, given the cells of the pool.
    pub(in crate::engine) fn id(&self, cells: &[usize]) -> TaskId {
        TaskId { cell: cells[self.part] as u32, task: self.task as u32 }
    }
}

impl<'e> Pool<'e> {
    /// Every row.
    pub(in crate::engine) fn each(&self) -> impl Iterator<Item = PoolRow<'e>> + '_ {
        let of_cells =
            self.frames.iter().enumerate().flat_map(|(part, frame)| {
                (0..frame.tasks.len()).map(move |task| (part, *frame, task))
            });
        let row = |(index, (part, frame, task))| PoolRow { index, part, frame, task };
        of_cells.enumerate().map(row)
    }

    /// How often each row is drawn in some resamples.
    pub(in crate::engine) fn weights(&self, lanes: Range<usize>, seed: u64) -> Weights {
        let parts = self.frames.iter().map(|frame| frame.weights(lanes.clone(), seed));
        Weights::joined(parts.collect())
    }

    /// Passes the weights of all resamples to `take`, as many at a time as memory allows.
    pub(in crate::engine) fn resample(
        &self,
        resampling: Resampling,
        mut take: impl FnMut(&Weights),
    ) {
        let most = resampling.resamples;
        let chunk = (MOST_WEIGHTS / self.rows().max(1)).clamp(8, most.max(8));
        for start in (0..most).step_by(chunk) {
            take(&self.weights(start..(start + chunk).min(most), resampling.seed));
        }
    }
}

impl Engine {
    /// The resamples of some cells together: as many as are asked for, or fewer of very many rows.
    pub fn affordable(&self, cells: &[usize], resampling: Resampling) -> Resampling {
        Pool::new(self, cells).affordable(resampling)
    }
}
