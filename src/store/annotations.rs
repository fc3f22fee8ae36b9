//! What people add to a store: `annotations.jsonl`, one JSON object per line, only ever appended to.
//! A line with a `verdict` is a [`Vote`], any other a [`Note`].
//!
//! Several programs may append at once, and one of them may replace the store meanwhile. Appending
//! takes a lock for a moment, and so does a writer while it swaps the new store for the old one: no
//! line is written into a folder that is about to be removed. The writer's main lock would not do,
//! because an import holds it to its end and a note should not wait for that.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::{Manifest, Note, Store, StoreError, Vote, swap};
use crate::model::Cell;

/// The file's name.
pub(super) const FILE: &str = "annotations.jsonl";

/// The content of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Annotation {
    /// A comment on a task, a run or a turn.
    Note(Note),
    /// A person's verdict on a pair.
    Vote(Vote),
    /// A line of a newer qualm, by its `kind`. Skipping it loses nothing, because no line changes
    /// another one and no program rewrites the file.
    Newer(String),
}

impl Annotation {
    /// The task that it is about.
    pub(super) fn subject(&self) -> Option<(&Cell, &str)> {
        match self {
            Self::Note(note) => Some((&note.cell, &note.task)),
            Self::Vote(vote) => Some((&vote.cell, &vote.task)),
            Self::Newer(_) => None,
        }
    }
}

/// One line, with its content or what is wrong with it.
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) bytes: Vec<u8>,
    pub(super) annotation: Result<Annotation, StoreError>,
}

/// The fields that distinguish the kinds of lines.
#[derive(Deserialize)]
struct KindFields {
    kind: Option<String>,
    verdict: Option<IgnoredAny>,
}

impl Store {
    /// All annotations, the oldest first.
    pub(super) fn annotations(&self) -> Result<Vec<Annotation>, StoreError> {
        lines(&self.path.join(FILE))?.into_iter().map(|line| line.annotation).collect()
    }

    /// All lines, including those that cannot be read.
    pub(super) fn annotation_lines(&self) -> Result<Vec<Line>, StoreError> {
        lines(&self.path.join(FILE))
    }
}

/// The lines of a file, without those that a crash cut short; empty when there is no file.
pub(super) fn lines(path: &Path) -> Result<Vec<Line>, StoreError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let why = format!("cannot be read ({error})");
            return Err(StoreError::Notes { path: path.to_owned(), why });
        }
    };
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty());
    let lines = lines.filter_map(|(line, number)| {
        let annotation = match parse(line) {
            Ok(annotation) => Ok(annotation),
            // A truncated line need not be the last one: the next writer starts a new line.
            Err((_, error)) if error.is_eof() => return None,
            Err((kind, error)) => {
                let why = format!("line {number} is not a {kind} ({})", reason(&error));
                Err(StoreError::Notes { path: path.to_owned(), why })
            }
        };
        Some(Line { number, bytes: line.to_vec(), annotation })
    });
    Ok(lines.collect())
}

/// Parses a line; an error names the kind that the line should have been.
fn parse(line: &[u8]) -> Result<Annotation, (&'static str, serde_json::Error)> {
    let note = |error| ("note", error);
    let fields: KindFields = serde_json::from_slice(line).map_err(note)?;
    match fields.kind.as_deref() {
        Some("vote") => vote(line),
        None if fields.verdict.is_some() => vote(line),
        None | Some("note") => serde_json::from_slice(line).map(Annotation::Note).map_err(note),
        Some(kind) => Ok(Annotation::Newer(kind.to_owned())),
    }
}

fn vote(line: &[u8]) -> Result<Annotation, (&'static str, serde_json::Error)> {
    serde_json::from_slice(line).map(Annotation::Vote).map_err(|error| ("vote", error))
}

/// The parser's message without its line number, which is always 1.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Appends lines to a store's annotations; they are on the disk when this returns.
pub(super) fn append<T: Serialize>(store: &Path, rows: &[T]) -> Result<(), StoreError> {
    append_new(store, |path| {
        let mut text = Vec::new();
        for row in rows {
            serde_json::to_writer(&mut text, row)
                .map_err(|error| StoreError::note(path, &error.into()))?;
            text.push(b'\n');
        }
        Ok(text)
    })
}

/// Appends the complete lines that `make` returns. `make` gets the file's path, and nobody else appends
/// while it runs.
pub(super) fn append_new(
    store: &Path,
    make: impl FnOnce(&Path) -> Result<Vec<u8>, StoreError>,
) -> Result<(), StoreError> {
    // The lock lies beside the store itself, not beside a link to it.
    let store: PathBuf = fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
    let path = store.join(FILE);
    let failed = |error: io::Error| StoreError::note(&path, &error);
    let _lock = swap::NotesLock::take(&store).map_err(failed)?;
    // Checked under the lock, because a swap in two steps leaves no store for a moment.
    if !Store::is_store(&store) {
        Manifest::read(&store)?;
    }
    let text = make(&path)?;
    if text.is_empty() { Ok(()) } else { append_text(&path, text).map_err(failed) }
}

/// Appends lines in one write, after a newline if the last line was cut short.
fn append_text(path: &Path, mut text: Vec<u8>) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let end = file.seek(SeekFrom::End(0))?;
    if end > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(end - 1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            text.insert(0, b'\n');
        }
    }
    let written = write_once(&mut file, &text).and_then(|()| file.sync_all());
    if written.is_err() {
        // Removes what was written. If that fails too, a truncated line does no harm.
        let _ = file.set_len(end);
    }
    if end == 0 {
        sync_folder(path);
    }
    written
}

/// Writes everything in one call: readers see whole lines or, after a crash, the beginning of one.
fn write_once(file: &mut File, text: &[u8]) -> io::Result<()> {
    loop {
        match file.write(text) {
            Ok(count) if count == text.len() => return Ok(()),
            Ok(_) => return Err(ErrorKind::StorageFull.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Syncs the folder of a new file to the disk, on systems that can.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}
