//! What people add to a store: `annotations.jsonl`, one JSON object per line, only ever appended
//! to.
//!
//! | line | is |
//! |---|---|
//! | with a `verdict` | a [`Vote`] |
//! | of the kind `label` | a [`StepLabel`]: the turn at which a run went wrong |
//! | of the kind `binding` | the runs that an earlier line of an older version is about |
//! | of the kind `withdrawal` | the end of an earlier note |
//! | any other | a [`Note`], which may replace an earlier one |
//!
//! A note, vote or label belongs to its runs. The line has their identities; the draw is only a
//! hint: the number of the run when the line was written.

mod lines;
mod log;
mod resolve;

use std::fmt;
use std::path::{Path, PathBuf};

use super::{Note, StepLabel, Store, StoreError, Vote};
use crate::model::Cell;
use crate::remote;

pub(super) use lines::{Annotation, LabelLine, Line, NoteLine, Remark, VoteLine, read};
pub(super) use log::{FILE, Log, append, append_made, append_new, append_to, json};
pub(super) use resolve::{Known, Reading};

/// The notes, votes and labels of a store, under the current numbers of their draws.
#[derive(Clone, Debug, Default)]
pub struct Annotations {
    /// The notes that stand, the oldest first.
    pub notes: Vec<Note>,
    /// All votes, the oldest first, including those that a later one replaces.
    pub votes: Vec<Vote>,
    /// All labels, the oldest first, including those that a later one replaces.
    pub labels: Vec<StepLabel>,
    /// Lines that cannot be read.
    pub damaged: Vec<DamagedLine>,
    /// Lines about something that the store does not have, such as a run that is gone.
    pub orphans: Vec<Orphan>,
    /// Numbers of lines that a newer version wrote.
    pub newer: Vec<usize>,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedLine {
    /// The file of the line.
    pub path: PathBuf,
    /// The number of the line.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for DamagedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, why } = self;
        write!(f, "{}: line {line} {why}; repair or remove it", path.display())
    }
}

/// A line about something that the store does not have. It stays in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    /// The file of the line.
    pub path: PathBuf,
    /// The number of the line.
    pub line: usize,
    /// The cell it is about.
    pub cell: Cell,
    /// The task.
    pub task: String,
    /// What is missing.
    pub why: String,
}

impl fmt::Display for Orphan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, cell, task, why } = self;
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        write!(f, "{file}, line {line}: {cell}, task {task}: {why}")
    }
}

impl Store {
    /// The same store with its notes and votes in another file, which several stores may share. Only
    /// lines about this store's runs count.
    #[must_use]
    pub fn with_log(mut self, path: PathBuf) -> Self {
        (self.shared_log, self.keeps_own_log) = (Some(path), false);
        self
    }

    /// The same store, whose own notes and votes count but are not added to: new ones go to a file of the
    /// user's, where only lines about this store's runs count.
    #[must_use]
    pub fn with_annotations(mut self, path: PathBuf) -> Self {
        self.shared_log = Some(path);
        self
    }

    /// The file of notes and votes.
    pub fn log_path(&self) -> PathBuf {
        self.log().path()
    }

    /// Where notes and votes are kept.
    pub(super) fn log(&self) -> Log<'_> {
        match &self.shared_log {
            Some(path) => Log::Shared(path),
            None if remote::is_address(&self.path) => Log::ReadOnly(&self.path),
            None => Log::Inside(&self.path),
        }
    }

    /// The files of some name that hold what people add: the store's own, and that of the user's where
    /// there is one.
    pub(super) fn logs(&self, name: &str) -> Result<Vec<PathBuf>, StoreError> {
        let inside = self.keeps_own_log.then(|| self.own_file(name)).transpose()?;
        let is_log =
            |path: &Path| if name == FILE { path.to_owned() } else { path.with_file_name(name) };
        let shared = self.shared_log.as_deref().map(is_log);
        Ok(inside.into_iter().chain(shared).collect())
    }

    /// A small file of the store.
    #[cfg(not(feature = "remote"))]
    #[allow(clippy::unnecessary_wraps, reason = "fetching one of a store at an address may fail")]
    pub(super) fn own_file(&self, name: &str) -> Result<PathBuf, StoreError> {
        Ok(self.path.join(name))
    }

    /// The notes and votes that are there now.
    pub fn annotations(&self) -> Result<Annotations, StoreError> {
        let mut all = Annotations::default();
        let mut readable = Vec::new();
        for path in self.logs(FILE)? {
            for line in lines::read(&path)? {
                let (path, number) = (path.clone(), line.number);
                match line.annotation {
                    Err(why) => all.damaged.push(DamagedLine { path, line: number, why }),
                    Ok(Annotation::Newer) => all.newer.push(number),
                    Ok(annotation) => readable.push((path, number, annotation)),
                }
            }
        }
        let reading = Reading::new(self, readable.iter().map(|(_, _, annotation)| annotation))?;
        for (path, number, annotation) in &readable {
            match reading.find(annotation) {
                Known::Note(note) => all.notes.push(note),
                Known::Vote(vote) => all.votes.push(vote),
                Known::Label(label) => all.labels.push(label),
                Known::Missing(why) => all.orphans.extend(orphan(path, *number, annotation, why)),
                Known::Nothing => {}
            }
        }
        Ok(all)
    }

    /// Appends to lines of older versions which runs they are about, before these are numbered anew.
    pub(super) fn bind_annotations(&self) -> Result<(), StoreError> {
        let log = self.log();
        if lines::read(&log.path())?.is_empty() {
            return Ok(());
        }
        log::append_made(&log, |path| {
            let lines = lines::read(path)?.into_iter();
            let known: Vec<Annotation> = lines.filter_map(|line| line.annotation.ok()).collect();
            let reading = Reading::with_text(self, known.iter())?;
            Ok(known.iter().filter_map(|annotation| reading.binding(annotation)).collect())
        })
    }
}

fn orphan(path: &Path, line: usize, annotation: &Annotation, why: String) -> Option<Orphan> {
    let (cell, task) = annotation.subject()?;
    Some(Orphan { path: path.to_owned(), line, cell: cell.clone(), task: task.to_owned(), why })
}
