//! Replaces some tables of a store in one step.

use std::path::Path;

use super::swap::Draft;
use super::table::{TableName, TableWriter, Written};
use super::writer::{CHUNK, write_whole};
use super::{Entry, Manifest, ScorerSettings, Store, StoreError, copies, drift, tokens, values};
use crate::model::{DriftRow, Judgment, PairValue, Score, Trajectory, TurnScores};

/// The number of runs that are rescored at once.
const BATCH: usize = 100;

/// A change of some tables of a store that takes effect as a whole. It holds the store's lock from its
/// beginning, so nobody changes what it reads; unchanged tables stay as they are.
/// Dropped before [`Amendment::commit`], it leaves the store unchanged.
pub struct Amendment {
    draft: Draft,
    store: Store,
    manifest: Manifest,
    /// The tables that were replaced; none for one that became empty.
    written: Vec<(TableName, Option<Written>)>,
    /// Whether `scores` holds what is computed from the tables as they are, and whether also from votes.
    computed: Option<bool>,
}

impl Amendment {
    /// Begins a change of the store at the path.
    pub fn begin(path: &Path) -> Result<Self, StoreError> {
        let draft = Draft::begin(path)?;
        let store = Store::open(path)?;
        store.require_all_tables()?;
        let manifest = store.manifest().clone();
        Ok(Self { draft, store, manifest, written: Vec::new(), computed: None })
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

    /// The same with rows that are made one after the other, of which only some are in memory at once.
    pub fn scores_in_parts(&mut self, rows: impl Iterator<Item = Score>) -> Result<(), StoreError> {
        let name = TableName::Scores;
        let (mut table, mut rows) = (None, rows);
        loop {
            let chunk: Vec<Score> = rows.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                break;
            }
            TableWriter::append(&mut table, &self.draft, name, values::scores_frame(&chunk))?;
        }
        self.written.push((name, table.map(TableWriter::finish).transpose()?));
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

    /// Replaces the drift of turns; the rows are by ascending trajectory and turn.
    pub fn drift(&mut self, rows: &[DriftRow]) -> Result<(), StoreError> {
        let count = write_whole(&self.draft, TableName::Drift, rows, drift::frame)?;
        self.written.push((TableName::Drift, count));
        Ok(())
    }

    /// Records the settings of a scorer, or that it has no values any more.
    pub fn settings(&mut self, scorer: &str, settings: Option<ScorerSettings>) {
        match settings {
            Some(settings) => drop(self.manifest.scorers.insert(scorer.to_owned(), settings)),
            None => drop(self.manifest.scorers.remove(scorer)),
        }
    }

    /// Records the settings of a judge.
    pub fn judge(&mut self, judge: &str, settings: ScorerSettings) {
        self.manifest.judges.insert(judge.to_owned(), settings);
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

    /// Records that the copies of computed values are those of the changed store. `from_votes` says
    /// whether votes are among what they are computed from.
    pub fn computed(&mut self, from_votes: bool) {
        self.computed = Some(from_votes);
    }

    /// Whether the manifest says of the copies what [`Amendment::computed`] would record.
    pub fn is_current(&self, from_votes: bool) -> bool {
        let now = copies::inputs(&self.store, &self.manifest, from_votes);
        match &self.manifest.computed_from {
            Some(from) => *from == now,
            None => !self.manifest.tables.contains_key(TableName::Scores.as_str()),
        }
    }

    /// Makes the change take effect.
    pub fn commit(mut self) -> Result<Manifest, StoreError> {
        self.adopt();
        let mut removed = Vec::new();
        for (table, written) in self.written {
            if written.is_none() {
                removed.push(table);
            }
            self.manifest.record(table, written);
        }
        if let Some(from_votes) = self.computed {
            let inputs = copies::inputs(&self.store, &self.manifest, from_votes);
            let has_scores = self.manifest.tables.contains_key(TableName::Scores.as_str());
            self.manifest.computed_from = has_scores.then_some(inputs);
        }
        self.draft.commit(self.manifest, &removed)
    }

    /// Records the files of tables that an earlier version wrote, so that later changes are noticed.
    fn adopt(&mut self) {
        for table in &self.store.tables {
            let name = table.name().as_str();
            let is_replaced = self.written.iter().any(|(replaced, _)| *replaced == table.name());
            let Some(table) = table.without_parts(self.store.path()) else { continue };
            if !is_replaced
                && self.manifest.tables.contains_key(name)
                && !self.manifest.files.contains_key(name)
                && let Ok(file) = table.digest()
            {
                self.manifest.files.insert(name.to_owned(), file);
            }
        }
    }
}
