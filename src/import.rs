//! Benchmark results into a store: reads inputs side by side, streams their runs into the tables,
//! numbers the draws, and keeps what an older store at the same path held.

mod alike;
mod append;
mod backlog;
mod draws;
mod given;
mod joined;
mod labels;
mod merge;
mod runs;
mod scores;
mod sheet;
mod sources;
mod stamp;
mod stream;
mod together;
mod unchanged;
mod verdicts;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::model::{Cell, Skip, TaskText, Unscored};
use crate::readers::{self, Claimed, InputNotes, Inputs, NO_MESSAGE, ReadError, ReadOptions};
use crate::scorers::whitebox::Spans;
use crate::store::{
    Annotations, CellSummary, Entry, Extras, Manifest, Store, StoreError, StoreWriter,
};

use draws::{Numbered, Numbering};
use labels::LabelFile;
use sheet::Sheet;
use sources::Sources;
use unchanged::Unchanged;
use verdicts::is_of_verdicts;

pub use draws::Reference;
pub use given::GivenCounts;
pub use joined::{Doubt, Joined};
pub use labels::Labelled;
pub use merge::Dropped;
pub use scores::{ScoreImportOptions, ScoresSummary, import_scores};
pub use stamp::{add_file, stamp};
pub use stream::ImportProgress;
pub use together::{apart, cells_of, together};
pub use verdicts::{VerdictSummary, import_verdicts};

/// What the user asks of an import.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// How inputs are read, and the names that go over theirs.
    pub read: ReadOptions,
    /// Which runs are the references; by default the greedy ones among sampled ones, else the first
    /// trial of the first file, and none where the draws of a task have no order.
    pub reference: Option<Reference>,
    /// Replace what an older store holds instead of adding to it. Notes and votes stay; so does the
    /// rest where an input is read in part.
    pub replace: bool,
    /// Files with labels, which go over those of the harness; a later file goes over an earlier one.
    pub labels: Vec<PathBuf>,
    /// What the inputs look like, for a cached store.
    pub stamp: Option<String>,
    /// The store is a cache of the inputs: the runs of those that look as they did when they were read
    /// stay, and only the others are read.
    pub cached: bool,
    /// Adds a part of whole cells to the store, which stays as it is.
    pub append: bool,
}

/// Why an import failed. Nothing was changed, but for [`ImportError::VotesLeft`].
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
        "--reference {0}: no run comes from that file or trial; name a file or trial of this import"
    )]
    NoReference(Reference),
    /// No value is of the scorer whose direction was stated.
    #[error(
        "--smaller-is-surer {0}: the files have no such scorer; name one of their columns, or a value of their column `scorer`"
    )]
    NoScorer(String),
    /// A scorer is an ensemble or a calibration that the store keeps.
    #[error(
        "{0}: the store makes this scorer of others; give the column another name, or leave it out"
    )]
    Made(String),
    /// The verdicts of models are in the store, the votes of people could not be added.
    #[error(
        "{}: the verdicts are imported, but the votes are not ({why}); import the file again",
        path.display()
    )]
    VotesLeft {
        /// The store.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// A part would change a cell that the store has.
    #[error(
        "{}: the store has runs of {cell}, and --append adds whole cells only; import without --append, or name another condition with --condition",
        path.display()
    )]
    KnownCell {
        /// The store.
        path: PathBuf,
        /// The cell.
        cell: Cell,
    },
    /// A part would be of several datasets.
    #[error(
        "{}: --append adds one dataset at a time, and the files have {}; append the files of each dataset on their own, or name it with --dataset",
        path.display(),
        datasets.join(", ")
    )]
    SeveralDatasets {
        /// The store.
        path: PathBuf,
        /// The datasets.
        datasets: Vec<String>,
    },
    /// The store holds synthetic results, which real ones are not mixed with.
    #[error(
        "{}: holds synthetic demo data, which is never mixed with real results; name another store with -o",
        .0.display()
    )]
    Synthetic(PathBuf),
}

/// A table that a user brings to the runs of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brought {
    /// Verdicts of judges or people on pairs.
    Verdicts,
    /// Values of scorers.
    Scores,
}

impl Brought {
    /// What a file brings, by its columns; none of results, which a reader knows.
    pub fn of(path: &Path) -> Option<Self> {
        // A pipe can be read only once, by a reader of results.
        if !path.is_file() || readers::is_claimed(path) {
            return None;
        }
        let header = Sheet::columns(path)?;
        let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        if verdicts::has_columns(&header) {
            Some(Self::Verdicts)
        } else if scores::has_columns(&header) && header.iter().all(|name| !is_of_verdicts(name)) {
            Some(Self::Scores)
        } else if is_csv || Sheet::is_parquet(path) {
            // Its error says what is missing.
            let is_verdicts = header.iter().any(|name| is_of_verdicts(name));
            Some(if is_verdicts { Self::Verdicts } else { Self::Scores })
        } else {
            None
        }
    }
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
    pub dropped: Dropped,
    /// Trajectories of these files whose harness gave no grade.
    pub ungraded: u64,
    /// What every file of labels did.
    pub labelled: Vec<Labelled>,
    /// Files that were read in part, since they are cut off, and what is wrong with each.
    pub pending: Vec<ReadError>,
    /// Turns of these files that lack a score, by why.
    pub unscored: BTreeMap<Unscored, u64>,
    /// Trajectories of these files with a policy, a system prompt and tool definitions.
    pub given: GivenCounts,
    /// Records of these files that are no trajectories.
    pub skipped: Vec<Skip>,
    /// Trajectories that repeat one of another file, where one file is a copy of the other.
    pub alike: u64,
    /// Tasks of the new store that have no reference, and so count in no metric.
    pub without_reference: Vec<(Cell, String)>,
    /// Cells of the new store in which every draw counts, because none is the reference.
    pub pooled: Vec<Cell>,
    /// Cells that these files came into and that have runs of several files.
    pub joined: Vec<Joined>,
    /// All cells of the new store.
    pub cells: Vec<CellSummary>,
    /// Notes and votes about something that the new store does not have, and lines that cannot be read.
    pub annotations: Annotations,
}

/// Imports result files and folders into a store, new or old.
pub fn import(
    paths: &[PathBuf],
    store: &Path,
    options: &ImportOptions,
    progress: &(dyn Fn(ImportProgress) + Sync),
) -> Result<Summary, ImportError> {
    import_inputs(readers::find_inputs(paths, &options.read)?, store, options, progress)
}

/// The same for inputs that were found already.
pub fn import_inputs(
    inputs: Inputs,
    store: &Path,
    options: &ImportOptions,
    progress: &(dyn Fn(ImportProgress) + Sync),
) -> Result<Summary, ImportError> {
    let again = options.cached.then(|| inputs.clone());
    let imported = import_some(inputs, store, (options, Reading::Changed), progress)?;
    match (imported, again) {
        // What is stored does not go with what is new.
        (None, Some(inputs)) => {
            let imported = import_some(inputs, store, (options, Reading::All), progress)?;
            Ok(imported.unwrap_or_default())
        }
        (imported, _) => Ok(imported.unwrap_or_default()),
    }
}

/// Which inputs of a cached store are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Those that changed.
    Changed,
    /// All of them.
    All,
}

/// The same; none where reading only what changed would give another store than reading everything.
fn import_some(
    inputs: Inputs,
    store: &Path,
    (options, reading): (&ImportOptions, Reading),
    progress: &(dyn Fn(ImportProgress) + Sync),
) -> Result<Option<Summary>, ImportError> {
    if options.append {
        return append::append(inputs, store, options, progress).map(Some);
    }
    let labels = options.labels.iter().map(|path| LabelFile::read(path));
    let labels = labels.collect::<Result<Vec<_>, _>>()?;
    // The lock is taken before the older store is looked at.
    let mut writer = StoreWriter::create(store)?;
    let older = open_older(store, options)?;
    let spans = Spans::of(older.as_ref().and_then(|store| store.manifest().span.as_deref()));
    // Every file is looked at, which takes long where there are many.
    let stamped = inputs.claimed.iter().filter(|_| options.cached);
    let stamps: Vec<String> = stamped.map(stamp::input_stamp).collect();
    let kept = older.as_ref().filter(|_| reading == Reading::Changed);
    let stored = Unchanged::of(kept, &inputs.claimed, options);
    let claimed = (&inputs.claimed[..], &stored);
    let mut read = stream::read_into(claimed, &options.read, spans, &mut writer, progress)?;
    writer.flush()?;
    if !stored.fits_texts(&read, &inputs.claimed)? {
        return Ok(None);
    }
    let stored_texts = stored.texts()?;
    let added = writer.entries_mut().len();
    if added == 0 {
        refuse_nothing(&read, &inputs.claimed, options)?;
    }
    let is_whole = read.pending.is_empty();
    let merged = older.as_ref().filter(|_| !options.replace || !is_whole);
    let mut manifest = merged.map_or_else(Manifest::new, |store| store.manifest().clone());
    manifest.written_by = Manifest::new().written_by;
    manifest.stamp = options.stamp.clone().filter(|_| is_whole);
    forget_trials(&mut writer, &mut read, &inputs.claimed);
    let sources = Sources { inputs: &inputs.claimed, read: &read, stored: &stored, stamps };
    sources.record(&mut manifest, writer.entries_mut(), options);
    let mut summary = summary_of((&inputs.claimed, inputs.unknown), &mut read, added);
    let older = match merged {
        Some(older) => merge::keep(older, &mut writer, &summary.skipped, spans, &mut read.alike)?,
        None => merge::Kept::default(),
    };
    older.forget_repaired(&mut manifest.skipped, &writer.entries_mut()[..added]);
    summary.alike = read.alike.copies();
    summary.kept = older.draws.len() as u64;
    summary.replaced = older.replaced;
    summary.without_reference = number_draws(&mut writer, &mut manifest, options)?;
    label(&labels, &mut writer, added, &mut summary)?;
    let entries = writer.entries_mut();
    let (mut extras, dropped) =
        older.extras(&entries[added..], &entries[..added], &manifest.pooled);
    summary.dropped = dropped;
    merge::keep_settings(&mut manifest.scorers, &extras);
    merge::forget_copies(&mut manifest, &extras);
    summary.pooled.clone_from(&manifest.pooled);
    let definitions = joined::Definitions::new(&inputs.claimed, &read, &extras.tasks);
    summary.joined = joined::joined(writer.entries_mut(), added, &manifest.sources, &definitions);
    extras.tasks.extend(stored_texts);
    add_tasks(&mut extras, read.tasks.into_iter().map(|(_, text)| text).collect());
    summary.cells = writer.finish(manifest, &extras)?.cells;
    // The import is complete, whatever is wrong with the notes.
    let annotations = Store::open(store).and_then(|store| store.annotations());
    summary.annotations = annotations.unwrap_or_default();
    Ok(Some(summary))
}

/// The store that is there, if its runs may have to be kept.
fn open_older(path: &Path, options: &ImportOptions) -> Result<Option<Store>, ImportError> {
    let is_needed = !options.replace || options.read.partial || options.cached;
    if !Store::is_store(path) || !is_needed {
        return Ok(None);
    }
    let older = match Store::open(path) {
        // It is kept only where an input is cut off.
        Err(_) if options.replace => return Ok(None),
        opened => opened?,
    };
    if older.manifest().synthetic {
        return Err(ImportError::Synthetic(path.to_owned()));
    }
    Ok(Some(older))
}

/// Refuses inputs without a run, unless skipped records explain why there is none.
fn refuse_nothing(
    read: &stream::Read,
    inputs: &[Claimed],
    options: &ImportOptions,
) -> Result<(), ImportError> {
    if let Some(error) = read.pending.first() {
        return Err(error.clone().into());
    }
    let is_nothing = read.skipped.iter().all(|skip| skip.reason == NO_MESSAGE);
    match inputs.first().filter(|_| is_nothing && !options.read.partial) {
        Some(first) => {
            Err(ReadError::without_runs(first.claim.path(), first.reader.info().id).into())
        }
        None => Ok(()),
    }
}

/// Gives new runs the labels of files, one file after the other.
fn label(
    files: &[LabelFile],
    writer: &mut StoreWriter,
    added: usize,
    summary: &mut Summary,
) -> Result<(), ImportError> {
    for file in files {
        summary.labelled.push(file.apply(writer, added)?);
    }
    let is_ungraded = |entry: &&Entry| entry.head.outcome.success.is_none();
    summary.ungraded = writer.entries_mut()[..added].iter().filter(is_ungraded).count() as u64;
    Ok(())
}

/// Numbers all draws and records which runs are references. Returns the tasks that have none.
fn number_draws(
    writer: &mut StoreWriter,
    manifest: &mut Manifest,
    options: &ImportOptions,
) -> Result<Vec<(Cell, String)>, ImportError> {
    let entries = writer.entries_mut();
    if let Some(reference) = &options.reference {
        manifest.reference = Some(reference.to_string());
    }
    let reference = manifest.reference.as_deref().map(Reference::parse);
    let numbering = Numbering::new(&manifest.sources, &manifest.skipped, reference.as_ref());
    match &options.reference {
        Some(stated) if !entries.is_empty() && !numbering.is_found(stated, entries) => {
            Err(ImportError::NoReference(stated.clone()))
        }
        _ => {
            let Numbered { without, pooled } = numbering.number(entries);
            manifest.pooled = pooled;
            Ok(without)
        }
    }
}

/// The summary of what was read, before anything is said of the store.
fn summary_of(
    (claimed, unknown): (&[Claimed], Vec<(PathBuf, String)>),
    read: &mut stream::Read,
    added: usize,
) -> Summary {
    Summary {
        files: notes_by_path(claimed, &read.notes),
        unknown,
        added: added as u64,
        skipped: std::mem::take(&mut read.skipped),
        pending: std::mem::take(&mut read.pending),
        unscored: std::mem::take(&mut read.unscored),
        given: read.given,
        ..Summary::default()
    }
}

fn notes_by_path(inputs: &[Claimed], notes: &[InputNotes]) -> Vec<(PathBuf, Vec<String>)> {
    let path = |input: &Claimed| input.claim.path().to_owned();
    inputs.iter().zip(notes).map(|(input, notes)| (path(input), notes.notes.clone())).collect()
}

/// Removes trial numbers that only repeat the task's id.
fn forget_trials(writer: &mut StoreWriter, read: &mut stream::Read, inputs: &[Claimed]) {
    for (input, _) in inputs.iter().zip(&read.notes).filter(|(_, notes)| notes.trial_is_task) {
        let source = input.claim.source();
        let entries = writer.entries_mut().iter_mut();
        for entry in entries.filter(|entry| entry.head.origin.source == source) {
            entry.head.origin.trial = None;
        }
        for skip in read.skipped.iter_mut().filter(|skip| skip.source == source) {
            skip.trial = None;
        }
    }
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
