//! Writes trajectories that come in the order of the store without keeping them, so that a store of any
//! number of them needs little memory.

use polars::prelude::{DataFrame, PolarsResult};
use rayon::prelude::*;

use super::{StoreWriter, append_all, cell_order, summaries};
use crate::store::manifest::{CellSummary, Manifest};
use crate::store::swap::Draft;
use crate::store::table::{TableName, TableWriter};
use crate::store::{Entry, Extras, StoreError, drift, heads, values};

/// What is known of the trajectories that are written for good.
#[derive(Default)]
pub(super) struct Settled {
    cells: Vec<CellSummary>,
    runs: u32,
}

impl Settled {
    /// How many trajectories are written.
    pub(super) fn runs(&self) -> u32 {
        self.runs
    }

    pub(super) fn has_any(&self) -> bool {
        self.runs > 0
    }

    /// Counts further trajectories, which begin with a task that was not counted before.
    fn count(&mut self, entries: &[Entry]) {
        self.runs += entries.len() as u32;
        let manifest = Manifest::default();
        for summary in summaries(entries, &manifest, cell_order(&manifest, entries)) {
            match self.cells.last_mut().filter(|last| last.cell == summary.cell) {
                Some(last) => last.add(&summary),
                None => self.cells.push(summary),
            }
        }
    }
}

/// A table whose rows come from a slice.
type Job<'r> = (TableName, Box<Append<'r>>);

type Append<'r> = dyn Fn(&mut Option<TableWriter>) -> Result<(), StoreError> + Send + Sync + 'r;

fn job<'r, T: Sync>(
    draft: &'r Draft,
    name: TableName,
    rows: &'r [T],
    frame: fn(&[T]) -> PolarsResult<DataFrame>,
) -> Job<'r> {
    (name, Box::new(move |table| append_all(table, draft, name, rows, frame)))
}

impl StoreWriter {
    /// Writes the trajectories that were pushed, and these values, for good, and forgets them. All
    /// trajectories must come in the order of the store, those of a task in one piece.
    pub fn settle(&mut self, extras: &Extras) -> Result<(), StoreError> {
        use TableName::{Drift, Judgments, Pairs, Scores, Tasks, Trajectories};
        self.flush()?;
        let entries = std::mem::take(&mut self.entries);
        let Extras { scores, pairs, judgments, tasks, drift: drifts } = extras;
        let draft = &self.draft;
        let jobs = [
            job(draft, Trajectories, &entries, heads::frame),
            job(draft, Scores, scores, values::scores_frame),
            job(draft, Pairs, pairs, values::pairs_frame),
            job(draft, Judgments, judgments, values::judgments_frame),
            job(draft, Tasks, tasks, values::tasks_frame),
            job(draft, Drift, drifts, drift::frame),
        ];
        let open = jobs.into_iter().map(|(name, write)| (name, self.large.remove(&name), write));
        let open: Vec<_> = open.collect();
        let written = open.into_par_iter().map(|(name, mut table, write)| {
            write(&mut table)?;
            Ok((name, table))
        });
        let written: Vec<(TableName, Option<TableWriter>)> =
            written.collect::<Result<_, StoreError>>()?;
        let tables = written.into_iter().filter_map(|(name, table)| Some((name, table?)));
        self.large.extend(tables);
        self.settled.count(&entries);
        Ok(())
    }

    /// Completes a store of which everything comes in its order.
    pub(super) fn finish_settled(
        mut self,
        mut manifest: Manifest,
        extras: &Extras,
    ) -> Result<Manifest, StoreError> {
        self.settle(extras)?;
        manifest.cells = std::mem::take(&mut self.settled.cells);
        self.explain(&mut manifest.cells);
        self.commit(manifest, Vec::new())
    }
}
