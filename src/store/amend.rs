use std::fs;
use std::path::Path;

use super::swap::Draft;
use super::table::{TableName, TableWriter};
use super::writer::{write_manifest, write_whole};
use super::{Entry, Manifest, Store, StoreError, tokens, values};
use crate::model::{Judgment, PairValue, Score, Trajectory};

/// Runs that are rescored together.
const BATCH: usize = 100;

/// What is to change in a store; what is none stays.
#[derive(Default)]
pub struct Amendment<'a> {
    /// All values of scorers.
    pub scores: Option<Vec<Score>>,
    /// All values of pairs.
    pub pairs: Option<Vec<PairValue>>,
    /// All verdicts.
    pub judgments: Option<Vec<Judgment>>,
    /// Sets the scores of a run's turns.
    pub turns: Option<&'a mut dyn FnMut(&mut Trajectory)>,
    /// The span that the turn scores are over from now on.
    pub span: Option<String>,
}

/// Replaces some tables of a store, as a whole and in one step: the others are linked, not copied.
/// `progress` is told how many of how many runs were rescored.
pub fn amend(
    path: &Path,
    amendment: Amendment<'_>,
    progress: &dyn Fn(usize, usize),
) -> Result<Manifest, StoreError> {
    let draft = Draft::begin(path)?;
    let store = Store::open(path)?;
    let mut manifest = store.manifest().clone();
    let mut written: Vec<(TableName, Option<u64>)> = Vec::new();
    if let Some(rows) = &amendment.scores {
        let own = write_whole(&draft, TableName::Scores, rows, values::scores_frame)?;
        written.push((TableName::Scores, own));
    }
    if let Some(rows) = &amendment.pairs {
        let own = write_whole(&draft, TableName::Pairs, rows, values::pairs_frame)?;
        written.push((TableName::Pairs, own));
    }
    if let Some(rows) = &amendment.judgments {
        let own = write_whole(&draft, TableName::Judgments, rows, values::judgments_frame)?;
        written.push((TableName::Judgments, own));
    }
    if let Some(set) = amendment.turns {
        let own = write_turns(&draft, &store, set, progress)?;
        written.push((TableName::Turns, own));
        manifest.span = amendment.span;
    }
    for table in TableName::ALL {
        let name = table.as_str().to_owned();
        match written.iter().find(|(own, _)| *own == table) {
            Some((_, Some(rows))) => drop(manifest.tables.insert(name, *rows)),
            Some((_, None)) => drop(manifest.tables.remove(&name)),
            None if store.table(table).is_some() => link(&draft, &store, table)?,
            None => {}
        }
    }
    write_manifest(&draft, &manifest)?;
    draft.commit()?;
    Ok(manifest)
}

fn link(draft: &Draft, store: &Store, table: TableName) -> Result<(), StoreError> {
    let (from, to) = (table.path(store.path()), table.path(draft.folder()));
    fs::hard_link(&from, &to)
        .or_else(|_| fs::copy(&from, &to).map(drop))
        .map_err(|error| StoreError::write(&from, &error))
}

/// Writes the turns anew, with the scores that `set` gives them.
fn write_turns(
    draft: &Draft,
    store: &Store,
    set: &mut dyn FnMut(&mut Trajectory),
    progress: &dyn Fn(usize, usize),
) -> Result<Option<u64>, StoreError> {
    let mut entries: Vec<Entry> = store.entries()?;
    entries.sort_by_key(|entry| entry.id);
    let mut table: Option<TableWriter> = None;
    for (number, batch) in entries.chunks(BATCH).enumerate() {
        let mut runs = store.trajectories(batch)?;
        runs.iter_mut().for_each(&mut *set);
        let ids = batch.iter().map(|entry| entry.id);
        TableWriter::append(&mut table, draft, TableName::Turns, tokens::turns_frame(ids, &runs))?;
        progress((number + 1) * BATCH, entries.len());
    }
    table.map(TableWriter::finish).transpose()
}
