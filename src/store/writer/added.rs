//! Adds checks to runs whose rows are written already.

use std::io;

use super::StoreWriter;
use crate::model::Check;
use crate::store::parts::Parted;
use crate::store::table::{Table, TableName};
use crate::store::{Entry, StoreError, checks, disk};

/// Runs whose checks are written at once.
const BATCH: usize = 1000;

impl StoreWriter {
    /// Adds a check to the run at an index of [`StoreWriter::entries_mut`].
    pub fn add_check(&mut self, index: usize, check: Check) {
        self.added.entry(self.entries[index].id).or_default().push(check);
    }

    /// Writes the table of checks again, with those that were added behind the others of their run.
    pub(super) fn write_added(&mut self) -> Result<(), StoreError> {
        if self.added.is_empty() {
            return Ok(());
        }
        let name = TableName::Checks;
        let written = match self.large.remove(&name) {
            Some(table) => {
                table.finish()?;
                let path = name.path(self.draft.folder());
                let table = Table::open(self.draft.folder(), name)?;
                let failed = |error: io::Error| StoreError::write(&path, &error);
                disk::remove_file(&path).map_err(failed)?;
                table.map(Parted::of)
            }
            None => None,
        };
        let mut row = 0;
        let mut entries = std::mem::take(&mut self.entries);
        for batch in entries.chunks_mut(BATCH) {
            let mut all = checks::of_runs(written.as_ref(), batch)?;
            for (Entry { id, rows, .. }, checks) in batch.iter_mut().zip(&mut all) {
                checks.extend(self.added.remove(id).unwrap_or_default());
                (rows.check, rows.checks) = (row, checks.len() as u32);
                row += u64::from(rows.checks);
            }
            let ids = batch.iter().map(|entry| entry.id);
            self.write_large(name, checks::frame(ids.zip(all.iter().map(Vec::as_slice))))?;
        }
        self.entries = entries;
        Ok(())
    }
}
