//! Benchmark results into a store: reads files side by side, streams their runs into the tables,
//! numbers the draws, and keeps what an older store at the same place held.

mod alike;
mod draws;
mod merge;
mod stream;
mod verdicts;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::{Cell, Skip, TaskText};
use crate::readers::{self, FileNotes, Input, ReadError, ReadOptions};
use crate::scorers::whitebox::Spans;
use crate::store::{CellSummary, Entry, Extras, Manifest, Source, Store, StoreError, StoreWriter};

pub use draws::Reference;
pub use stream::Progress;
pub use verdicts::{VerdictSummary, import_verdicts, is_verdicts};

/// What the user asks of an import.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// How files are read and what is said over them.
    pub read: ReadOptions,
    /// Which runs are the references; the design's rule when unsaid.
    pub reference: Option<Reference>,
}

/// Why an import failed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// An input is at fault.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The store is at fault.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No run is of the file or trial that was named.
    #[error(
        "--reference {0}: no run is of that file or trial; name a file or trial of this import"
    )]
    NoReference(Reference),
    /// Real results do not go into a store of made-up ones.
    #[error(
        "{}: holds synthetic demo data, and real results are not mixed into it; name another store \
         with -o",
        .0.display()
    )]
    Synthetic(PathBuf),
}

/// What came in.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Files read, with what should be known about each.
    pub files: Vec<(PathBuf, Vec<String>)>,
    /// Files in folders that no reader knows, and what they are instead.
    pub unknown: Vec<(PathBuf, String)>,
    /// Trajectories of these files.
    pub added: u64,
    /// Trajectories of the older store that gave way to them.
    pub replaced: u64,
    /// Trajectories of the older store that stayed.
    pub kept: u64,
    /// Stored values that went with the trajectories they were about.
    pub dropped_values: u64,
    /// Trajectories of these files whose harness gave no grade.
    pub ungraded: u64,
    /// Records of these files that are no trajectories.
    pub skipped: Vec<Skip>,
    /// Trajectories that say the same, word for word, as one of another file.
    pub alike: u64,
    /// Tasks in which no run fits `--reference`.
    pub without_reference: u64,
    /// All cells of the store as it is now.
    pub cells: Vec<CellSummary>,
}

/// Imports result files and folders into a store, new or old.
pub fn import(
    paths: &[PathBuf],
    store: &Path,
    options: &ImportOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Summary, ImportError> {
    let inputs = readers::find_inputs(paths, &options.read)?;
    // The lock is taken before the older store is looked at.
    let mut writer = StoreWriter::create(store)?;
    let older = if Store::is_store(store) { Some(Store::open(store)?) } else { None };
    if older.as_ref().is_some_and(|older| older.manifest().synthetic) {
        return Err(ImportError::Synthetic(store.to_owned()));
    }
    let spans = Spans::of(older.as_ref().and_then(|own| own.manifest().span.as_deref()));
    let mut read = stream::read_into(&inputs.files, &options.read, spans, &mut writer, progress)?;
    writer.flush()?;
    let added = writer.entries_mut().len();
    let mut manifest = older.as_ref().map_or_else(Manifest::new, |own| own.manifest().clone());
    manifest.written_by = Manifest::new().written_by;
    record_sources(&mut manifest, &inputs.files, &read, writer.entries_mut());
    let mut summary = Summary {
        files: read_notes(&inputs.files, &read.notes),
        unknown: inputs.unknown,
        added: added as u64,
        skipped: std::mem::take(&mut read.skipped),
        ..Summary::default()
    };
    summary.ungraded =
        writer.entries_mut().iter().filter(|entry| entry.head.outcome.success.is_none()).count()
            as u64;
    forget_trials(&mut writer, &read.notes, &inputs.files);

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
    add_tasks(&mut extras, read.tasks);
    summary.cells = writer.finish(manifest, &extras)?.cells;
    Ok(summary)
}

/// Numbers all draws, and remembers which runs were chosen as references. Returns the number of tasks
/// in which none of them is.
fn number_draws(
    writer: &mut StoreWriter,
    manifest: &mut Manifest,
    options: &ImportOptions,
) -> Result<u64, ImportError> {
    let entries = writer.entries_mut();
    if let Some(reference) = &options.reference {
        if !entries.is_empty() && !entries.iter().any(|own| reference.fits(&own.head)) {
            return Err(ImportError::NoReference(reference.clone()));
        }
        manifest.reference = Some(reference.to_string());
    }
    let reference = manifest.reference.as_deref().map(Reference::parse);
    let sources = manifest.sources.iter().enumerate();
    let order: HashMap<&str, usize> =
        sources.map(|(place, own)| (own.path.as_str(), place)).collect();
    Ok(draws::number(entries, &order, reference.as_ref()))
}

fn read_notes(files: &[Input], notes: &[FileNotes]) -> Vec<(PathBuf, Vec<String>)> {
    files.iter().zip(notes).map(|(file, own)| (file.path.clone(), own.notes.clone())).collect()
}

/// A trial number that only repeats the task's id tells nothing.
fn forget_trials(writer: &mut StoreWriter, notes: &[FileNotes], files: &[Input]) {
    for (file, _) in files.iter().zip(notes).filter(|(_, notes)| notes.trial_is_task) {
        let source = &file.source;
        for entry in writer.entries_mut().iter_mut().filter(|own| own.head.origin.source == *source)
        {
            entry.head.origin.trial = None;
        }
    }
}

/// Lists the files as imported; one that was imported before keeps its place.
fn record_sources(
    manifest: &mut Manifest,
    files: &[Input],
    read: &stream::Read,
    entries: &[Entry],
) {
    // The same file may have been imported as another cell before: its skipped records stay.
    let cells: HashSet<&Cell> = (entries.iter().map(|own| &own.head.cell))
        .chain(read.skipped.iter().map(|own| &own.cell))
        .collect();
    let now = seconds_now();
    for (file, trajectories) in files.iter().zip(&read.trajectories) {
        let source = Source {
            path: file.source.clone(),
            format: file.format.id().to_owned(),
            bytes: file.bytes,
            trajectories: *trajectories,
            imported_at: now,
        };
        manifest.skipped.retain(|own| own.source != source.path || !cells.contains(&own.cell));
        match manifest.sources.iter_mut().find(|own| own.path == source.path) {
            Some(known) => *known = source,
            None => manifest.sources.push(source),
        }
    }
    manifest.skipped.extend(read.skipped.iter().cloned());
}

/// Adds task texts; what is said now goes over what was said before.
fn add_tasks(extras: &mut Extras, tasks: Vec<TaskText>) {
    let key = |own: &TaskText| (own.dataset.clone(), own.task.clone());
    let mut all: HashMap<_, _> = extras.tasks.drain(..).map(|own| (key(&own), own)).collect();
    all.extend(tasks.into_iter().map(|own| (key(&own), own)));
    extras.tasks = all.into_values().collect();
    extras.tasks.sort_by(|a, b| {
        a.dataset.cmp(&b.dataset).then_with(|| crate::model::natural_order(&a.task, &b.task))
    });
}

/// Seconds since 1970.
fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
