use std::fs;
use std::path::Path;

use super::swap::Draft;
use super::table::{TableName, TableWriter};
use super::writer::{write_manifest, write_whole};
use super::{Entry, Manifest, Store, StoreError, tokens, values};
use crate::model::{Judgment, PairValue, Score, Trajectory, TurnScores};

/// Runs that are rescored together.
const BATCH: usize = 100;

/// A change of some tables of a store, as a whole and in one step. It holds the store's lock from its
/// beginning, so what it reads is what it changes; tables that do not change are linked, not copied.
/// Dropped before [`Amendment::commit`], it leaves the store as it was.
pub struct Amendment {
    draft: Draft,
    store: Store,
    manifest: Manifest,
    written: Vec<(TableName, Option<u64>)>,
}

impl Amendment {
    /// Begins a change of the store at the path.
    pub fn begin(path: &Path) -> Result<Self, StoreError> {
        let draft = Draft::begin(path)?;
        let store = Store::open(path)?;
        store.require_all_tables()?;
        let manifest = store.manifest().clone();
        Ok(Self { draft, store, manifest, written: Vec::new() })
    }

    /// The store as it is before the change.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Replaces the values of scorers.
    pub fn scores(&mut self, rows: &[Score]) -> Result<(), StoreError> {
        let own = write_whole(&self.draft, TableName::Scores, rows, values::scores_frame)?;
        self.written.push((TableName::Scores, own));
        Ok(())
    }

    /// Replaces the values of pairs.
    pub fn pairs(&mut self, rows: &[PairValue]) -> Result<(), StoreError> {
        let own = write_whole(&self.draft, TableName::Pairs, rows, values::pairs_frame)?;
        self.written.push((TableName::Pairs, own));
        Ok(())
    }

    /// Replaces the verdicts of judges.
    pub fn judgments(&mut self, rows: &[Judgment]) -> Result<(), StoreError> {
        let own = write_whole(&self.draft, TableName::Judgments, rows, values::judgments_frame)?;
        self.written.push((TableName::Judgments, own));
        Ok(())
    }

    /// Scores all turns anew by `set`, over a span that the manifest then names. Returns the scores
    /// in the order of the table; `progress` is told how many of how many runs are done.
    pub fn turns(
        &mut self,
        span: &str,
        mut set: impl FnMut(&mut Trajectory),
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<Option<TurnScores>>, StoreError> {
        let mut entries: Vec<Entry> = self.store.entries()?;
        entries.sort_by_key(|entry| entry.id);
        let mut table: Option<TableWriter> = None;
        let mut all = Vec::new();
        for (number, batch) in entries.chunks(BATCH).enumerate() {
            let mut runs = self.store.trajectories(batch)?;
            runs.iter_mut().for_each(&mut set);
            all.extend(runs.iter().flat_map(|run| run.turns.iter().map(|turn| turn.scores)));
            let rows = tokens::turns_frame(batch.iter().map(|entry| entry.id), &runs);
            TableWriter::append(&mut table, &self.draft, TableName::Turns, rows)?;
            progress((number + 1) * BATCH, entries.len());
        }
        let rows = table.map(TableWriter::finish).transpose()?;
        self.written.push((TableName::Turns, rows));
        self.manifest.span = Some(span.to_owned());
        Ok(all)
    }

    /// Puts the change in place.
    pub fn commit(mut self) -> Result<Manifest, StoreError> {
        for table in TableName::ALL {
            let name = table.as_str().to_owned();
            match self.written.iter().find(|(own, _)| *own == table) {
                Some((_, Some(rows))) => drop(self.manifest.tables.insert(name, *rows)),
                Some((_, None)) => drop(self.manifest.tables.remove(&name)),
                None if self.store.table(table).is_some() => self.link(table)?,
                None => {}
            }
        }
        write_manifest(&self.draft, &self.manifest)?;
        self.draft.commit()?;
        Ok(self.manifest)
    }

    fn link(&self, table: TableName) -> Result<(), StoreError> {
        let (from, to) = (table.path(self.store.path()), table.path(self.draft.folder()));
        fs::hard_link(&from, &to)
            .or_else(|_| fs::copy(&from, &to).map(drop))
            .map_err(|error| StoreError::write(&from, &error))
    }
}
