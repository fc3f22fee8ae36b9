//! Benchmark results into a store: reads inputs side by side, streams their runs into the tables,
//! numbers the draws, and keeps what an older store at the same path held.

mod alike;
mod draws;
mod merge;
mod stream;
mod verdicts;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::{Cell, Skip, TaskText};
use crate::readers::{self, Claimed, InputNotes, ReadError, ReadOptions};
use crate::scorers::whitebox::Spans;
use crate::store::{
    CellSummary, Entry, Extras, ImportedFile, Manifest, Store, StoreError, StoreWriter,
};

pub use draws::Reference;
pub use stream::ImportProgress;
pub use verdicts::{VerdictSummary, import_verdicts, is_verdicts};

/// What the user asks of an import.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// How inputs are read, and the names that go over theirs.
    pub read: ReadOptions,
    /// Which runs are the references; by default a greedy one among sampled ones, else the first.
    pub reference: Option<Reference>,
}

/// Why an import failed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// An input cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No run comes from the file or trial that was named.
    #[error(
        "--reference {0}: no run is of that file or trial; name a file or trial of this import"
    )]
    NoReference(Reference),
    /// The store holds synthetic results, which real ones are not mixed with.
    #[error(
        "{}: holds synthetic demo data, and real results are not mixed into it; name another store \
         with -o",
        .0.display()
    )]
    Synthetic(PathBuf),
}

/// What an import read, replaced and left out.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Inputs that were read, with what the user should know about each.
    pub files: Vec<(PathBuf, Vec<String>)>,
    /// Files in folders that no reader knows, and what they are instead.
    pub unknown: Vec<(PathBuf, String)>,
    /// Trajectories of these files.
    pub added: u64,
    /// Trajectories of the older store that they replace.
    pub replaced: u64,
    /// Trajectories of the older store that stay.
    pub kept: u64,
    /// Stored values that no longer hold, because their trajectories or samples changed.
    pub dropped_values: u64,
    /// Trajectories of these files whose harness gave no grade.
    pub ungraded: u64,
    /// Records of these files that are no trajectories.
    pub skipped: Vec<Skip>,
    /// Trajectories that say the same, word for word, as one of another file.
    pub alike: u64,
    /// Tasks in which no run fits `--reference`.
    pub without_reference: u64,
    /// All cells of the new store.
    pub cells: Vec<CellSummary>,
}

/// Imports result files and folders into a store, new or old.
pub fn import(
    paths: &[PathBuf],
    store: &Path,
    options: &ImportOptions,
    progress: &(dyn Fn(ImportProgress) + Sync),
) -> Result<Summary, ImportError> {
    let inputs = readers::find_inputs(paths, &options.read)?;
    // The lock is taken before the older store is looked at.
    let mut writer = StoreWriter::create(store)?;
    let older = if Store::is_store(store) { Some(Store::open(store)?) } else { None };
    if older.as_ref().is_some_and(|older| older.manifest().synthetic) {
        return Err(ImportError::Synthetic(store.to_owned()));
    }
    let spans = Spans::of(older.as_ref().and_then(|store| store.manifest().span.as_deref()));
    let mut read = stream::read_into(&inputs.claimed, &options.read, spans, &mut writer, progress)?;
    writer.flush()?;
    let added = writer.entries_mut().len();
    let mut manifest = older.as_ref().map_or_else(Manifest::new, |store| store.manifest().clone());
    manifest.written_by = Manifest::new().written_by;
    record_sources(&mut manifest, &inputs.claimed, &read, writer.entries_mut());
    let mut summary = Summary {
        files: notes_by_path(&inputs.claimed, &read.notes),
        unknown: inputs.unknown,
        added: added as u64,
        skipped: std::mem::take(&mut read.skipped),
        ..Summary::default()
    };
    summary.ungraded =
        writer.entries_mut().iter().filter(|entry| entry.head.outcome.success.is_none()).count()
            as u64;
    forget_trials(&mut writer, &read.notes, &inputs.claimed);

    let older = match &older {
        Some(older) => merge::keep(older, &mut writer, &summary.skipped, &mut read.alike)?,
        None => merge::Kept::default(),
    };
    summary.alike = read.alike.count;
    summary.kept = older.draws.len() as u64;
    summary.replaced = older.replaced;
    summary.without_reference = number_draws(&mut writer, &mut manifest, options)?;
    let entries = writer.entries_mut();
    let (mut extras, dropped) = older.extras(&entries[added..], &entries[..added]);
    summary.dropped_values = dropped;
    merge::keep_settings(&mut manifest.scorers, &extras);
    add_tasks(&mut extras, read.tasks);
    summary.cells = writer.finish(manifest, &extras)?.cells;
    Ok(summary)
}

/// Numbers all draws and records which runs are references. Returns the number of tasks that have none
/// of them.
fn number_draws(
    writer: &mut StoreWriter,
    manifest: &mut Manifest,
    options: &ImportOptions,
) -> Result<u64, ImportError> {
    let entries = writer.entries_mut();
    if let Some(reference) = &options.reference {
        if !entries.is_empty() && !entries.iter().any(|entry| reference.fits(&entry.head)) {
            return Err(ImportError::NoReference(reference.clone()));
        }
        manifest.reference = Some(reference.to_string());
    }
    let reference = manifest.reference.as_deref().map(Reference::parse);
    let sources = manifest.sources.iter().enumerate();
    let order: HashMap<&str, usize> =
        sources.map(|(index, source)| (source.path.as_str(), index)).collect();
    Ok(draws::number(entries, &order, reference.as_ref()))
}

fn notes_by_path(inputs: &[Claimed], notes: &[InputNotes]) -> Vec<(PathBuf, Vec<String>)> {
    let path = |input: &Claimed| input.claim.path().to_owned();
    inputs.iter().zip(notes).map(|(input, notes)| (path(input), notes.notes.clone())).collect()
}

/// Removes trial numbers that only repeat the task's id.
fn forget_trials(writer: &mut StoreWriter, notes: &[InputNotes], inputs: &[Claimed]) {
    for (input, _) in inputs.iter().zip(notes).filter(|(_, notes)| notes.trial_is_task) {
        let source = input.claim.source();
        let entries = writer.entries_mut().iter_mut();
        for entry in entries.filter(|entry| entry.head.origin.source == source) {
            entry.head.origin.trial = None;
        }
    }
}

/// Adds the inputs to the list of sources; one that was imported before keeps its position.
fn record_sources(
    manifest: &mut Manifest,
    inputs: &[Claimed],
    read: &stream::Read,
    entries: &[Entry],
) {
    // The same file may have been imported as another cell before: its skipped records stay.
    let cells: HashSet<&Cell> = (entries.iter().map(|entry| &entry.head.cell))
        .chain(read.skipped.iter().map(|skip| &skip.cell))
        .collect();
    let now = seconds_now();
    for (input, trajectories) in inputs.iter().zip(&read.trajectories) {
        let source = ImportedFile {
            path: input.claim.source().to_owned(),
            format: input.reader.info().id.to_owned(),
            bytes: input.claim.bytes(),
            trajectories: *trajectories,
            imported_at: now,
        };
        manifest.skipped.retain(|skip| skip.source != source.path || !cells.contains(&skip.cell));
        match manifest.sources.iter_mut().find(|known| known.path == source.path) {
            Some(known) => *known = source,
            None => manifest.sources.push(source),
        }
    }
    manifest.skipped.extend(read.skipped.iter().cloned());
}

/// Adds task texts; a new text replaces an older one of the same task.
fn add_tasks(extras: &mut Extras, tasks: Vec<TaskText>) {
    let key = |text: &TaskText| (text.dataset.clone(), text.task.clone());
    let mut all: HashMap<_, _> = extras.tasks.drain(..).map(|text| (key(&text), text)).collect();
    all.extend(tasks.into_iter().map(|text| (key(&text), text)));
    extras.tasks = all.into_values().collect();
    extras.tasks.sort_by(|a, b| {
        a.dataset.cmp(&b.dataset).then_with(|| crate::model::natural_order(&a.task, &b.task))
    });
}

/// Seconds since 1970.
fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
