//! Notes that people write on runs, kept as lines of `annotations.jsonl`.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::annotations::{self, Annotation, Known, NoteLine, Reading, Remark};
use super::{Store, StoreError};
use crate::model::Cell;

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
    /// The draw, 0 for the reference; none when the note is about the whole task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<u32>,
    /// The turn of the run, from 0; none when the note is about the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The text.
    pub note: String,
}

impl Store {
    /// The notes that stand now, the oldest first, under the current numbers of their draws. Those that
    /// cannot be read or whose run is gone are left out; [`Store::annotations`] names them.
    pub fn notes(&self) -> Result<Vec<Note>, StoreError> {
        Ok(self.annotations()?.notes)
    }

    /// Adds a note; it is on the disk when this returns.
    pub fn add_note(&self, note: &Note) -> Result<(), StoreError> {
        annotations::append(&self.log(), &[self.note_line(note, None)?])
    }

    /// Replaces a note by a new text of its author.
    pub fn replace_note(&self, old: &Note, new: &Note) -> Result<(), StoreError> {
        annotations::append_made(&self.log(), |path| {
            Ok(vec![self.note_line(new, Some(self.note_id(path, old)?))?])
        })
    }

    /// Takes back a note of the same author.
    pub fn withdraw_note(&self, note: &Note, time: u64) -> Result<(), StoreError> {
        annotations::append_made(&self.log(), |path| {
            let (of, author) = (self.note_id(path, note)?, note.author.clone());
            Ok(vec![Remark::Withdrawal { of, author, time }])
        })
    }

    /// A note with what its run is known by.
    fn note_line(&self, note: &Note, replaces: Option<String>) -> Result<NoteLine, StoreError> {
        let line = NoteLine { note: note.clone(), run: None, other_runs: Vec::new(), replaces };
        let plain = Annotation::Note(line.clone());
        match Reading::with_text(self, std::iter::once(&plain))?.bound(&plain) {
            Some(Annotation::Note(bound)) => Ok(bound),
            _ => Ok(line),
        }
    }

    /// What other lines know a note by that stands in the file.
    fn note_id(&self, path: &Path, wanted: &Note) -> Result<String, StoreError> {
        let mut lines: Vec<Annotation> = Vec::new();
        for file in self.logs(annotations::FILE)? {
            let found = annotations::read(&file)?.into_iter();
            lines.extend(found.filter_map(|line| line.annotation.ok()));
        }
        let reading = Reading::new(self, lines.iter())?;
        let is_wanted =
            |line: &&Annotation| matches!(reading.find(line), Known::Note(note) if note == *wanted);
        let found = lines.iter().rev().find(is_wanted).and_then(Annotation::id);
        found.ok_or_else(|| StoreError::NoteChanged { path: path.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, TryLockError};

    use super::*;
    use crate::store::annotations::{Log, append_new};
    use crate::store::lock;
    use crate::store::{Extras, Manifest, StoreWriter};

    fn note() -> Note {
        let (author, task, note) = ("ada".to_owned(), "0".to_owned(), "odd".to_owned());
        let cell = Cell::new("d", "m");
        Note { time: 0, author, cell, task, draw: None, turn: None, note }
    }

    #[test]
    fn a_note_waits_for_another_one_and_for_nobody_else() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("s.qualm");
        let writer = StoreWriter::create(&path).expect("free");
        writer.finish(Manifest::new(), &Extras::default()).expect("written");
        let add = || Store::open(&path).and_then(|store| store.add_note(&note())).expect("added");
        add();
        append_new(&Log::Inside(&path), |_| {
            let lock = File::open(lock::beside(&path, "notes")).expect("a lock");
            assert!(matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
            Ok(Vec::new())
        })
        .expect("nothing to add");
        let writer = StoreWriter::create(&path).expect("free");
        add();
        writer.finish(Manifest::new(), &Extras::default()).expect("written");
        // The store is empty, so the notes are on a task that it does not have.
        let found = Store::open(&path).expect("a store").annotations().expect("notes");
        assert_eq!(found.orphans.len(), 2, "{found:?}");
    }
}
