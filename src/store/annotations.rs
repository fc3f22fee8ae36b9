//! What people add to a store: `annotations.jsonl`, one JSON object a line, only ever appended to.
//! A line with a `verdict` is a [`Vote`], any other a [`Note`].
//!
//! Several programs may append at once, and one of them may replace the store meanwhile. Who appends
//! holds a lock for that moment, and so does a writer while the new store takes the old one's place:
//! nothing is written into a folder that is about to go. The writer's own lock would not do: an
//! import holds it to its end, and a note should not wait for that.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::{Manifest, Note, Store, StoreError, Vote, swap};
use crate::model::Cell;

/// The file's name.
pub(super) const FILE: &str = "annotations.jsonl";

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Annotation {
    /// Words on a task, a run or a turn.
    Note(Note),
    /// A person's verdict on a pair.
    Vote(Vote),
    /// Something that a later qualm wrote, by its `kind`. It is passed over, which loses nothing:
    /// no line changes what another says, and no program rewrites the file.
    Newer(String),
}

impl Annotation {
    /// The task that it is about.
    pub(super) fn subject(&self) -> Option<(&Cell, &str)> {
        match self {
            Self::Note(own) => Some((&own.cell, &own.task)),
            Self::Vote(own) => Some((&own.cell, &own.task)),
            Self::Newer(_) => None,
        }
    }
}

/// A line's number, its bytes, and what it says or what is wrong with it.
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) bytes: Vec<u8>,
    pub(super) says: Result<Annotation, StoreError>,
}

/// What tells one kind of line from another.
#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
    verdict: Option<IgnoredAny>,
}

impl Store {
    /// What people added, the oldest first.
    pub(super) fn annotations(&self) -> Result<Vec<Annotation>, StoreError> {
        lines(&self.path.join(FILE))?.into_iter().map(|line| line.says).collect()
    }

    /// The same by line, with what is wrong.
    pub(super) fn annotation_lines(&self) -> Result<Vec<Line>, StoreError> {
        lines(&self.path.join(FILE))
    }
}

/// The lines of a file, without those that a crash cut short; none when there is no file.
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
        let says = match parse(line) {
            Ok(says) => Ok(says),
            // The next one began a new line, so a cut one need not be the last.
            Err((_, error)) if error.is_eof() => return None,
            Err((what, error)) => {
                let why = format!("line {number} is no {what} ({})", reason(&error));
                Err(StoreError::Notes { path: path.to_owned(), why })
            }
        };
        Some(Line { number, bytes: line.to_vec(), says })
    });
    Ok(lines.collect())
}

/// What a line says, or what it should have been and why it is not.
fn parse(line: &[u8]) -> Result<Annotation, (&'static str, serde_json::Error)> {
    let note = |error| ("note", error);
    let told: Kind = serde_json::from_slice(line).map_err(note)?;
    match told.kind.as_deref() {
        Some("vote") => vote(line),
        None if told.verdict.is_some() => vote(line),
        None | Some("note") => serde_json::from_slice(line).map(Annotation::Note).map_err(note),
        Some(kind) => Ok(Annotation::Newer(kind.to_owned())),
    }
}

fn vote(line: &[u8]) -> Result<Annotation, (&'static str, serde_json::Error)> {
    serde_json::from_slice(line).map(Annotation::Vote).map_err(|error| ("vote", error))
}

/// The words of the parser, without a line number that is always 1.
fn reason(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Adds lines to the store at the path. When this returns, they are on the disk.
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

/// Adds what `make` returns, lines with their ends, to the file that it is handed the path of.
/// Nobody else appends meanwhile.
pub(super) fn append_new(
    store: &Path,
    make: impl FnOnce(&Path) -> Result<Vec<u8>, StoreError>,
) -> Result<(), StoreError> {
    // A link to a store stands for the store, and the lock lies beside that.
    let store: PathBuf = fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
    let path = store.join(FILE);
    let failed = |error: io::Error| StoreError::note(&path, &error);
    let _lock = swap::NotesLock::take(&store).map_err(failed)?;
    // Under the lock, since two steps of an exchange may leave no store between them.
    if !Store::is_store(&store) {
        Manifest::read(&store)?;
    }
    let text = make(&path)?;
    if text.is_empty() { Ok(()) } else { append_text(&path, text).map_err(failed) }
}

/// Appends lines in one write, after a newline where the last one was cut short.
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
        // Nothing of what failed stays. If that fails too, a cut line does no harm.
        let _ = file.set_len(end);
    }
    if end == 0 {
        sync_folder(path);
    }
    written
}

/// Writes all in one call: readers see whole lines or, after a crash, the beginning of one.
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

/// Brings a new file's name to the disk, where folders can be synced.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}
