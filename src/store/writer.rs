//! Writes a new store.

mod added;
mod append;
mod settled;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use polars::prelude::{DataFrame, PolarsResult};

use self::settled::Settled;
use super::manifest::{CellSummary, Manifest};
use super::swap::Draft;
use super::table::{TableName, TableWriter, Written};
use super::{
    Entry, FirstRows, Store, StoreError, checks, contexts, drift, heads, messages, tokens,
    user_tokens, values,
};
use append::Base;

use crate::model::{
    Cell, Check, DriftRow, Judgment, PairValue, Score, TaskText, Trajectory, natural_order,
};

/// Trajectories per row group of text and tokens: few enough that one run is read quickly, enough that
/// the groups compress well.
const GROUP: usize = 100;

/// Bytes of text and tokens that may wait in memory; beyond that, a row group is written although it
/// has few trajectories.
const GROUP_BYTES: usize = 2 << 20;

/// Rows of a small table that are converted to columns at once.
pub(super) const CHUNK: usize = 1 << 15;

/// The tables of a store beside trajectories and their text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras {
    /// Values of scorers.
    pub scores: Vec<Score>,
    /// Values of pairs.
    pub pairs: Vec<PairValue>,
    /// Verdicts of judges.
    pub judgments: Vec<Judgment>,
    /// The instructions of tasks.
    pub tasks: Vec<TaskText>,
    /// The drift of turns, by ascending trajectory and turn.
    pub drift: Vec<DriftRow>,
}

/// Writes a store that becomes visible with [`StoreWriter::finish`]. Dropped before that, it leaves an
/// existing store untouched.
pub struct StoreWriter {
    // Order matters: the tables' files are closed before they are removed with the draft.
    large: BTreeMap<TableName, TableWriter>,
    waiting: Vec<Trajectory>,
    waiting_bytes: usize,
    entries: Vec<Entry>,
    settled: Settled,
    /// The keys of the contexts that are written.
    contexts: HashSet<u64>,
    /// Turns without tokens, by cell and by why.
    unscored: HashMap<Cell, BTreeMap<String, u64>>,
    /// Checks of runs that were written without them, by the id of the run.
    added: BTreeMap<u32, Vec<Check>>,
    /// The store that a part is appended to; none of a whole store.
    base: Option<Base>,
    draft: Draft,
}

impl StoreWriter {
    /// Begins a store at a path; an existing one is replaced at the end.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            large: BTreeMap::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            entries: Vec::new(),
            settled: Settled::default(),
            contexts: HashSet::new(),
            unscored: HashMap::new(),
            added: BTreeMap::new(),
            base: None,
            draft: Draft::begin(path)?,
        })
    }

    /// Begins a part that is appended to a store, which need not exist: what it has stays as it is.
    pub fn append(path: &Path) -> Result<Self, StoreError> {
        let mut writer = Self::create(path)?;
        let base = Base::of(writer.draft.store())?;
        writer.contexts.clone_from(&base.contexts);
        writer.base = Some(base);
        Ok(writer)
    }

    /// The manifest of the store that a part is appended to; none where there is no store yet.
    pub fn appended_to(&self) -> Option<&Manifest> {
        self.base.as_ref().and_then(|base| base.store.as_ref()).map(Store::manifest)
    }

    /// Adds a trajectory.
    pub fn push(&mut self, run: Trajectory) -> Result<(), StoreError> {
        self.waiting_bytes += run.bytes();
        let most = if run.messages.is_empty() { CHUNK } else { GROUP };
        self.waiting.push(run);
        if self.waiting.len() >= most || self.waiting_bytes >= GROUP_BYTES {
            self.write_group()?;
        }
        Ok(())
    }

    /// Writes what is still in memory, so that [`StoreWriter::entries_mut`] sees every trajectory.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        if self.waiting.is_empty() { Ok(()) } else { self.write_group() }
    }

    /// The trajectories written so far, for numbering their draws.
    pub fn entries_mut(&mut self) -> &mut [Entry] {
        &mut self.entries
    }

    /// Completes the store and puts it at its path. Cells that the manifest lists come first, in that
    /// order, then the others in the order in which they were added.
    pub fn finish(
        mut self,
        mut manifest: Manifest,
        extras: &Extras,
    ) -> Result<Manifest, StoreError> {
        self.flush()?;
        self.write_added()?;
        if self.settled.has_any() {
            return self.finish_settled(manifest, extras);
        }
        manifest.cells = self.sort(&manifest);
        let written = self.write_small(extras)?;
        self.commit(manifest, written)
    }

    /// Adds to cells why turns have no tokens.
    fn explain(&mut self, cells: &mut [CellSummary]) {
        for summary in cells {
            summary.unscored = self.unscored.remove(&summary.cell).unwrap_or_default();
        }
    }

    /// Puts the store at its path, with these tables beside the large ones.
    fn commit(
        mut self,
        mut manifest: Manifest,
        mut written: Vec<(TableName, Written)>,
    ) -> Result<Manifest, StoreError> {
        for (name, table) in std::mem::take(&mut self.large) {
            written.push((name, table.finish()?));
        }
        let removed: Vec<TableName> = TableName::ALL
            .into_iter()
            .filter(|table| written.iter().all(|(name, _)| name != table))
            .collect();
        (manifest.tables, manifest.files) = (BTreeMap::new(), BTreeMap::new());
        manifest.parts.clear();
        written.into_iter().for_each(|(name, table)| manifest.record(name, Some(table)));
        // Draws may be numbered anew: what people wrote on the older store keeps its runs.
        if let Ok(older) = Store::open(self.draft.store()) {
            older.bind_annotations()?;
        }
        self.draft.commit(manifest, &removed)
    }

    /// Sorts the entries, the cells of the manifest first, and counts the content of each cell.
    fn sort(&mut self, manifest: &Manifest) -> Vec<CellSummary> {
        let order = cell_order(manifest, &self.entries);
        self.entries.sort_by(|a, b| {
            let cell = |entry: &Entry| order.get(&entry.head.cell).copied();
            (cell(a).cmp(&cell(b)))
                .then_with(|| natural_order(&a.head.task, &b.head.task))
                .then(a.head.draw.cmp(&b.head.draw))
                .then(a.id.cmp(&b.id))
        });
        let mut cells = summaries(&self.entries, manifest, order);
        self.explain(&mut cells);
        cells
    }

    fn write_group(&mut self) -> Result<(), StoreError> {
        let mut runs = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let contexts = contexts::frame(&mut runs, &mut self.contexts);
        let before = self.base.as_ref().map_or(0, |base| base.next_id);
        let first_id = before + self.settled.runs() + self.entries.len() as u32;
        let mut rows = FirstRows {
            message: self.rows(TableName::Messages),
            turn: self.rows(TableName::Turns),
            token: self.rows(TableName::Tokens),
            tokens: 0,
            check: self.rows(TableName::Checks),
            checks: 0,
            user_token: self.rows(TableName::UserTokens),
            user_tokens: 0,
        };
        let checks = checks::frame((first_id..).zip(runs.iter().map(|run| &run.checks[..])));
        self.write_large(TableName::Messages, messages::frame(first_id.., &runs))?;
        self.write_large(TableName::Turns, tokens::turns_frame(first_id.., &runs))?;
        self.write_large(TableName::Tokens, tokens::tokens_frame(first_id.., &runs))?;
        self.write_large(TableName::Checks, checks)?;
        self.write_large(TableName::UserTokens, user_tokens::frame(first_id.., &runs))?;
        self.write_large(TableName::Contexts, contexts)?;
        for (id, run) in (first_id..).zip(runs) {
            self.count_unscored(&run);
            rows.tokens = run.turns.iter().filter(|turn| turn.tokens.is_some()).count() as u32;
            rows.checks = run.checks.len() as u32;
            rows.user_tokens = run.user_tokens.len() as u32;
            self.entries.push(Entry { id, head: run.head, rows });
            rows.message += run.messages.len() as u64;
            rows.turn += run.turns.len() as u64;
            rows.token += u64::from(rows.tokens);
            rows.check += u64::from(rows.checks);
            rows.user_token += u64::from(rows.user_tokens);
        }
        Ok(())
    }

    fn count_unscored(&mut self, run: &Trajectory) {
        // Of a run without texts nobody knows which turns had tokens.
        let turns = if run.messages.is_empty() { 0 } else { run.turns.len() };
        let reasons = (0..turns).filter_map(|turn| run.without_tokens(turn));
        for reason in reasons {
            let counts = self.unscored.entry(run.head.cell.clone()).or_default();
            *counts.entry(reason.id().to_owned()).or_default() += 1;
        }
    }

    fn rows(&self, name: TableName) -> u64 {
        let before = self.base.as_ref().and_then(|base| base.rows.get(&name).copied());
        before.unwrap_or(0) + self.large.get(&name).map_or(0, TableWriter::rows)
    }

    fn write_large(
        &mut self,
        name: TableName,
        batch: PolarsResult<DataFrame>,
    ) -> Result<(), StoreError> {
        let mut table = self.large.remove(&name);
        TableWriter::append(&mut table, &self.draft, name, batch)?;
        self.large.extend(table.map(|table| (name, table)));
        Ok(())
    }

    /// Writes the tables that are read whole, except empty ones.
    fn write_small(&self, extras: &Extras) -> Result<Vec<(TableName, Written)>, StoreError> {
        use TableName::{Drift, Judgments, Pairs, Scores, Tasks, Trajectories};
        let (Extras { scores, pairs, judgments, tasks, drift: drifts }, draft) =
            (extras, &self.draft);
        let written = [
            (Trajectories, write_whole(draft, Trajectories, &self.entries, heads::frame)?),
            (Scores, write_whole(draft, Scores, scores, values::scores_frame)?),
            (Pairs, write_whole(draft, Pairs, pairs, values::pairs_frame)?),
            (Judgments, write_whole(draft, Judgments, judgments, values::judgments_frame)?),
            (Tasks, write_whole(draft, Tasks, tasks, values::tasks_frame)?),
            (Drift, write_whole(draft, Drift, drifts, drift::frame)?),
        ];
        Ok(written.into_iter().filter_map(|(name, table)| Some((name, table?))).collect())
    }
}

/// Writes a table that is read whole; none when it is empty and not written.
pub(super) fn write_whole<T>(
    draft: &Draft,
    name: TableName,
    rows: &[T],
    frame: impl Fn(&[T]) -> PolarsResult<DataFrame>,
) -> Result<Option<Written>, StoreError> {
    let mut table: Option<TableWriter> = None;
    append_all(&mut table, draft, name, rows, frame)?;
    table.map(TableWriter::finish).transpose()
}

/// Appends rows to a table.
fn append_all<T>(
    table: &mut Option<TableWriter>,
    draft: &Draft,
    name: TableName,
    rows: &[T],
    frame: impl Fn(&[T]) -> PolarsResult<DataFrame>,
) -> Result<(), StoreError> {
    rows.chunks(CHUNK).try_for_each(|chunk| TableWriter::append(table, draft, name, frame(chunk)))
}

/// The index of every cell in the finished store.
fn cell_order(manifest: &Manifest, entries: &[Entry]) -> HashMap<Cell, usize> {
    let mut order = HashMap::new();
    let known = manifest.cells.iter().map(|summary| &summary.cell);
    let skipped = manifest.skipped.iter().map(|skip| &skip.cell);
    for cell in known.chain(entries.iter().map(|entry| &entry.head.cell)).chain(skipped) {
        let next = order.len();
        if !order.contains_key(cell) {
            order.insert(cell.clone(), next);
        }
    }
    order
}

/// Counts the content of each cell anew; the entries are sorted.
pub(super) fn recount(entries: &[Entry], manifest: &Manifest) -> Vec<CellSummary> {
    let mut cells = summaries(entries, manifest, cell_order(manifest, entries));
    for summary in &mut cells {
        // Turns are not looked at here.
        let listed = manifest.cells.iter().find(|listed| listed.cell == summary.cell);
        summary.unscored = listed.map(|listed| listed.unscored.clone()).unwrap_or_default();
    }
    cells
}

/// Counts the content of each cell; the entries are sorted.
fn summaries(
    entries: &[Entry],
    manifest: &Manifest,
    order: HashMap<Cell, usize>,
) -> Vec<CellSummary> {
    let mut order: Vec<(Cell, usize)> = order.into_iter().collect();
    order.sort_by_key(|(_, index)| *index);
    let mut cells: Vec<CellSummary> =
        order.into_iter().map(|(cell, _)| CellSummary::new(cell)).collect();
    for summary in &mut cells {
        summary.pooled = manifest.is_pooled(&summary.cell);
    }
    let index: HashMap<Cell, usize> =
        cells.iter().enumerate().map(|(index, summary)| (summary.cell.clone(), index)).collect();
    let mut last_task: Option<(&Cell, &str)> = None;
    for Entry { head, .. } in entries {
        let cell = &mut cells[index[&head.cell]];
        let task = Some((&head.cell, head.task.as_str()));
        cell.tasks += u64::from(task != last_task);
        cell.without_reference += u64::from(task != last_task && head.draw != 0);
        last_task = task;
        cell.trajectories += 1;
        cell.turns += u64::from(head.turns);
        cell.turns_with_logprobs += u64::from(head.turns_with_logprobs);
        if let Some(success) = head.outcome.success {
            let counts = head.draw == 0 || cell.pooled;
            let (reference, success) = (u64::from(counts), u64::from(success));
            cell.labelled += 1;
            cell.successes += success;
            cell.references_labelled += reference;
            cell.reference_successes += reference * success;
        }
    }
    for skip in &manifest.skipped {
        cells[index[&skip.cell]].skipped += 1;
    }
    cells.retain(|cell| cell.trajectories + cell.skipped > 0);
    cells
}
