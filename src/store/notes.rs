//! Notes that people write on runs: `annotations.jsonl`, one JSON object a line, only ever appended
//! to.
//!
//! Several programs may append at once, and one of them may replace the store meanwhile. Who appends
//! holds a lock for that moment, and so does a writer while the new store takes the old one's place:
//! no note is written into a folder that is about to go. The writer's own lock would not do: an
//! import holds it to its end, and a note should not wait for that.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Manifest, Store, StoreError, swap};
use crate::model::Cell;

/// The file's name.
pub(super) const FILE: &str = "annotations.jsonl";

/// A note on a task, a run or a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// When it was written, in seconds since 1970.
    pub time: u64,
    /// Who wrote it.
    pub author: String,
    /// The cell it is about.
    #[serde(flatten)]
    pub cell: Cell,
    /// The task.
    pub task: String,
    /// The run, 0 the reference; none when the note is about the whole task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<u32>,
    /// The turn of the run, from 0; none when the note is about the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The words.
    pub note: String,
}

/// A line's number, and its note or what is wrong with it.
pub(super) type Line = (usize, Result<Note, StoreError>);

impl Store {
    /// The notes in the store's folder as they are now, the oldest first. A line that was cut short
    /// by a crash is passed over.
    pub fn notes(&self) -> Result<Vec<Note>, StoreError> {
        self.note_lines()?.into_iter().map(|(_, note)| note).collect()
    }

    /// The notes, or what is wrong with them, by line.
    pub(super) fn note_lines(&self) -> Result<Vec<Line>, StoreError> {
        let path = self.path.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => {
                return Err(StoreError::Notes { path, why: format!("cannot be read ({error})") });
            }
        };
        let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
        let lines = lines.filter(|(line, _)| !line.trim_ascii().is_empty());
        let notes = lines.filter_map(|(line, number)| match serde_json::from_slice(line) {
            Ok(note) => Some((number, Ok(note))),
            // The next note began a new line, so a cut one need not be the last.
            Err(error) if error.is_eof() => None,
            Err(error) => {
                let why = format!("line {number} is no note ({})", reason(&error));
                Some((number, Err(StoreError::Notes { path: path.clone(), why })))
            }
        });
        Ok(notes.collect())
    }
}

/// The words of the parser, without a line number that is always 1.
fn reason(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Adds a note to the store at the path. When this returns, the note is on the disk.
pub fn append(store: &Path, note: &Note) -> Result<(), StoreError> {
    // A link to a store stands for the store, and the lock lies beside that.
    let store = &fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
    let path = store.join(FILE);
    let failed = |error: io::Error| StoreError::note(&path, &error);
    let _lock = swap::NotesLock::take(store).map_err(failed)?;
    // Under the lock, since two steps of an exchange may leave no store between them.
    if !Store::is_store(store) {
        Manifest::read(store)?;
    }
    let mut line = serde_json::to_vec(note).map_err(|error| failed(error.into()))?;
    line.push(b'\n');
    append_line(&path, line).map_err(failed)
}

/// Appends a line in one write, after a newline where the last one was cut short.
fn append_line(path: &Path, mut line: Vec<u8>) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let end = file.seek(SeekFrom::End(0))?;
    if end > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(end - 1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            line.insert(0, b'\n');
        }
    }
    let written = write_once(&mut file, &line).and_then(|()| file.sync_all());
    if written.is_err() {
        // Nothing of a note that failed stays. If that fails too, a cut line does no harm.
        let _ = file.set_len(end);
    }
    if end == 0 {
        sync_folder(path);
    }
    written
}

/// Writes all in one call: readers see the whole line or, after a crash, its beginning.
fn write_once(file: &mut File, line: &[u8]) -> io::Result<()> {
    loop {
        match file.write(line) {
            Ok(count) if count == line.len() => return Ok(()),
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

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::store::{Extras, StoreWriter};

    fn note() -> Note {
        let (author, task, note) = ("ada".to_owned(), "0".to_owned(), "odd".to_owned());
        let cell = Cell::new("d", "m");
        Note { time: 0, author, cell, task, draw: None, turn: None, note }
    }

    /// A first note is the delicate one: there is no file yet that could be carried over.
    #[test]
    fn a_note_and_a_replacement_wait_for_each_other() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("s.qualm");
        let replace = || {
            let writer = StoreWriter::create(&path).expect("free");
            writer.finish(Manifest::new(), &Extras::default()).expect("written");
        };
        replace();
        let works: [&(dyn Fn() + Sync); 2] =
            [&replace, &|| append(&path, &note()).expect("appended")];
        for work in works {
            thread::scope(|scope| {
                let lock = swap::NotesLock::take(&path).expect("free");
                let worker = scope.spawn(work);
                thread::sleep(Duration::from_millis(100));
                assert!(!worker.is_finished());
                drop(lock);
            });
        }
        assert_eq!(Store::open(&path).expect("a store").notes().expect("notes"), [note()]);
    }
}
