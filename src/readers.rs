//! Readers of what agent benchmarks write: one file a format, picked by content.
//!
//! A reader is given the bytes of one file and hands out [`Record`]s one by one, so that a run of
//! any length passes through memory as single trajectories.

mod error;
mod json;
mod logprobs;
mod sniff;
mod span;
mod tau1;
mod tau2;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::model::{Cell, Head, Origin, Skip, TaskText, Trajectory};

pub use error::ReadError;
pub use sniff::{Format, Sniffed, sniff, sniff_file};

/// What a reader hands out.
#[derive(Debug)]
pub enum Record {
    /// A run of the agent.
    Trajectory(Box<Trajectory>),
    /// A record that is no trajectory, and why.
    Skipped(Skip),
    /// What a task asks of the agent.
    Task(TaskText),
}

/// What the user says about the files, over what the files say themselves.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format, when it is not to be sniffed.
    pub format: Option<Format>,
    /// The dataset's name.
    pub dataset: Option<String>,
    /// The model's name.
    pub model: Option<String>,
    /// The condition's name.
    pub condition: Option<String>,
    /// Keep runs that crashed before the agent acted, as empty failures.
    pub keep_errored: bool,
}

impl ReadOptions {
    /// The cell of a run, from what its file says and what the user says over it.
    fn cell(&self, said: Said) -> Cell {
        let or = |own: &Option<String>, said: Option<String>, last: &str| {
            own.clone().or(said).unwrap_or_else(|| last.to_owned())
        };
        Cell {
            dataset: or(&self.dataset, said.dataset, "unnamed"),
            model: or(&self.model, said.model, "unnamed"),
            condition: or(&self.condition, said.condition, Cell::DEFAULT_CONDITION),
        }
    }
}

/// What a file says about the cell of its runs.
#[derive(Clone, Debug, Default)]
struct Said {
    dataset: Option<String>,
    model: Option<String>,
    condition: Option<String>,
}

/// A model's name without the provider that served it: `openrouter/qwen/qwen3` is `qwen3`.
fn model_name(llm: &str) -> String {
    llm.rsplit('/').find(|part| !part.is_empty()).unwrap_or(llm).to_owned()
}

/// Names what neither the file nor the user names, after the file, and says so.
fn name_after_file(
    path: &Path,
    options: &ReadOptions,
    said: &mut Said,
    dataset: &str,
    notes: &mut Vec<String>,
) {
    if options.dataset.is_none() && said.dataset.is_none() {
        notes.push(format!("does not say its dataset: called {dataset}; --dataset names it"));
        said.dataset = Some(dataset.to_owned());
    }
    if options.model.is_none() && said.model.is_none() {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let model = stem.unwrap_or_else(|| "unnamed".to_owned());
        notes.push(format!("does not say its model: called {model}; --model names it"));
        said.model = Some(model);
    }
}

/// Hands out a run, or the notice that it is none; false when no more are wanted.
fn hand_out(
    mut run: Trajectory,
    keep_errored: bool,
    reason: impl FnOnce() -> String,
    emit: &mut dyn FnMut(Record) -> bool,
) -> bool {
    if run.turns.is_empty() {
        if !keep_errored {
            let Head { cell, task, origin, .. } = run.head;
            let Origin { source, trial, .. } = origin;
            return emit(Record::Skipped(Skip { cell, task, trial, source, reason: reason() }));
        }
        run.head.outcome.success = Some(false);
    }
    emit(Record::Trajectory(Box::new(run)))
}

/// Counts the records of the same task and trial in a file.
#[derive(Debug, Default)]
struct Repeats(HashMap<(String, Option<i64>), u32>);

impl Repeats {
    fn next(&mut self, task: &str, trial: Option<i64>) -> u32 {
        let count = self.0.entry((task.to_owned(), trial)).or_insert(0);
        *count += 1;
        *count - 1
    }

    fn distinct(&self) -> usize {
        self.0.len()
    }
}

/// What is known of a file once it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileNotes {
    /// Things the user should know, such as a model's name that had to be guessed.
    pub notes: Vec<String>,
    /// The recorded trial numbers only repeat the task's id, as one fork writes them.
    pub trial_is_task: bool,
}

/// Takes each record; `false` ends the reading early.
pub type Emit<'a> = &'a mut dyn FnMut(Record) -> bool;

/// Reads one file of a known format.
pub fn read(input: &Input, options: &ReadOptions, emit: Emit<'_>) -> Result<FileNotes, ReadError> {
    let bytes = load(&input.path)?;
    match input.format {
        Format::Tau2 => tau2::read(input, &bytes, options, emit),
        Format::Tau1 => tau1::read(input, &bytes, options, emit),
    }
}

/// Some editors put it before the text; it is no part of the JSON.
pub(crate) const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// Reads a file into memory, as JSON that a parser takes: without a mark before the text, and with
/// what only Python writes mended.
pub fn load(path: &Path) -> Result<Vec<u8>, ReadError> {
    let mut bytes = fs::read(path).map_err(|error| ReadError::unreadable(path, &error))?;
    if bytes.starts_with(UTF8_BOM) {
        bytes.drain(..UTF8_BOM.len());
    }
    json::mend(&mut bytes);
    Ok(bytes)
}

/// A file to read, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file, as the user names it.
    pub path: PathBuf,
    /// The same file by its full path: what runs remember as their source.
    pub source: String,
    /// Its format.
    pub format: Format,
    /// Its size in bytes, with the files it refers to.
    pub bytes: u64,
}

/// What a walk over the paths of a command line found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Files to read, in the order of the command line, inside a folder by name.
    pub files: Vec<Input>,
    /// Files inside folders that no reader knows, and what they are instead.
    pub unknown: Vec<(PathBuf, String)>,
}

/// Finds the result files that `paths` name. A file that is named must be readable; of a folder,
/// the files that are no results are passed over, but one result at least must be there.
pub fn find_inputs(paths: &[PathBuf], options: &ReadOptions) -> Result<Inputs, ReadError> {
    let mut inputs = Inputs::default();
    for path in paths {
        let meta = fs::metadata(path).map_err(|error| ReadError::unreadable(path, &error))?;
        if meta.is_dir() {
            let before = inputs.files.len();
            walk(path, options, &mut inputs)?;
            if inputs.files.len() == before {
                return Err(ReadError::no_results(path));
            }
        } else {
            let format = match options.format {
                Some(format) => format,
                None => sniff_file(path)?.format(path)?,
            };
            inputs.add(path, format);
        }
    }
    Ok(inputs)
}

impl Inputs {
    /// Adds a file, unless the command line named it before.
    fn add(&mut self, path: &Path, format: Format) {
        let source = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let source = source.display().to_string();
        if self.files.iter().any(|file| file.source == source) {
            return;
        }
        let parts = if format == Format::Tau2 { tau2::part_files(path) } else { Vec::new() };
        let files = parts.iter().map(PathBuf::as_path).chain([path]);
        let bytes = files.filter_map(|file| fs::metadata(file).ok()).map(|meta| meta.len()).sum();
        self.files.push(Input { path: path.to_owned(), source, format, bytes });
    }
}

fn walk(folder: &Path, options: &ReadOptions, inputs: &mut Inputs) -> Result<(), ReadError> {
    let unreadable = |error: &std::io::Error| ReadError::unreadable(folder, error);
    let mut entries = fs::read_dir(folder)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unreadable(&error))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut parts: Vec<PathBuf> = Vec::new();
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in entries {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // Links to folders are not followed, lest a walk go round; pipes and devices are no files.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            folders.push(path);
        } else if path.is_file() {
            match format_of(&path, options) {
                Ok(format) => {
                    if format == Format::Tau2 {
                        parts.extend(tau2::part_files(&path));
                    }
                    inputs.add(&path, format);
                }
                Err(why) => inputs.unknown.push((path, why)),
            }
        }
    }
    // Simulations that a results.json refers to are read with it, not on their own.
    folders.retain(|folder| !parts.iter().any(|part| part.starts_with(folder)));
    folders.iter().try_for_each(|folder| walk(folder, options, inputs))
}

/// The format of a file in a folder, or why it is passed over.
fn format_of(path: &Path, options: &ReadOptions) -> Result<Format, String> {
    if !sniff::looks_like_json(path) {
        return Err("no JSON".to_owned());
    }
    match (sniff_file(path), options.format) {
        (Ok(_), Some(format)) | (Ok(Sniffed::Known(format)), None) => Ok(format),
        (Ok(Sniffed::Unknown { looks }), None) => Err(looks),
        (Err(error), _) => Err(error.problem().to_owned()),
    }
}
