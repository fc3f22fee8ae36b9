//! Replaces some tables of a store in one step.

use std::fs;
use std::path::Path;

use super::swap::Draft;
use super::table::{TableName, TableWriter};
use super::writer::{write_manifest, write_whole};
use super::{Entry, Manifest, ScorerSettings, Store, StoreError, tokens, values};
use crate::model::{Judgment, PairValue, Score, Trajectory, TurnScores};

/// The number of runs that are rescored at once.
const BATCH: usize = 100;

/// A change of some tables of a store that takes effect as a whole. It holds the store's lock from its
/// beginning, so nobody changes what it reads; unchanged tables are linked, not copied.
/// Dropped before [`Amendment::commit`], it leaves the store unchanged.
pub struct Amendment {
    draft: Draft,
    store: Store,
    manifest: Manifest,
    /// The tables that were replaced, with their rows; none for a table that became empty.
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

    /// The store before the change.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Replaces the values of scorers.
    pub fn scores(&mut self, rows: &[Score]) -> Result<(), StoreError> {
        let count = write_whole(&self.draft, TableName::Scores, rows, values::scores_frame)?;
        self.written.push((TableName::Scores, count));
        Ok(())
    }

    /// Replaces the values of pairs.
    pub fn pairs(&mut self, rows: &[PairValue]) -> Result<(), StoreError> {
        let count = write_whole(&self.draft, TableName::Pairs, rows, values::pairs_frame)?;
        self.written.push((TableName::Pairs, count));
        Ok(())
    }

    /// Replaces the verdicts of judges.
    pub fn judgments(&mut self, rows: &[Judgment]) -> Result<(), StoreError> {
        let count = write_whole(&self.draft, TableName::Judgments, rows, values::judgments_frame)?;
        self.written.push((TableName::Judgments, count));
        Ok(())
    }

    /// Records the settings of a scorer, or that it has no values any more.
    pub fn settings(&mut self, scorer: &str, settings: Option<ScorerSettings>) {
        match settings {
            Some(settings) => drop(self.manifest.scorers.insert(scorer.to_owned(), settings)),
            None => drop(self.manifest.scorers.remove(scorer)),
        }
    }

    /// Rescores all turns with `rescore` and records the span in the manifest. Returns the scores in
    /// the order of the table; `progress` gets the number of runs done and of all.
    pub fn turns(
        &mut self,
        span: &str,
        mut rescore: impl FnMut(&mut Trajectory),
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<Option<TurnScores>>, StoreError> {
        let mut entries: Vec<Entry> = self.store.entries()?;
        entries.sort_by_key(|entry| entry.id);
        let mut table: Option<TableWriter> = None;
        let mut scores = Vec::new();
        for (number, batch) in entries.chunks(BATCH).enumerate() {
            let mut runs = self.store.trajectories(batch)?;
            runs.iter_mut().for_each(&mut rescore);
            scores.extend(runs.iter().flat_map(|run| run.turns.iter().map(|turn| turn.scores)));
            let rows = tokens::turns_frame(batch.iter().map(|entry| entry.id), &runs);
            TableWriter::append(&mut table, &self.draft, TableName::Turns, rows)?;
            progress((number + 1) * BATCH, entries.len());
        }
        let rows = table.map(TableWriter::finish).transpose()?;
        self.written.push((TableName::Turns, rows));
        self.manifest.span = Some(span.to_owned());
        Ok(scores)
    }

    /// Makes the change take effect.
    pub fn commit(mut self) -> Result<Manifest, StoreError> {
        for table in TableName::ALL {
            let name = table.as_str().to_owned();
            match self.written.iter().find(|(replaced, _)| *replaced == table) {
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
