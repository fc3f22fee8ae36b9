//! Notes that people write on runs, kept as lines of `annotations.jsonl`.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::annotations::{self, Annotation};
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
    /// The notes that are in the store's folder now, the oldest first. A line that a crash cut short is
    /// skipped.
    pub fn notes(&self) -> Result<Vec<Note>, StoreError> {
        let note =
            |annotation| if let Annotation::Note(note) = annotation { Some(note) } else { None };
        Ok(self.annotations()?.into_iter().filter_map(note).collect())
    }
}

/// Adds a note to a store; it is on the disk when this returns.
pub fn append(store: &Path, note: &Note) -> Result<(), StoreError> {
    annotations::append(store, std::slice::from_ref(note))
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::store::{Extras, Manifest, StoreWriter, swap};

    fn note() -> Note {
        let (author, task, note) = ("ada".to_owned(), "0".to_owned(), "odd".to_owned());
        let cell = Cell::new("d", "m");
        Note { time: 0, author, cell, task, draw: None, turn: None, note }
    }

    /// The first note is the hard case: no file exists yet that a replacement could carry over.
    #[test]
    fn a_note_and_a_replacement_wait_for_each_other() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("s.qualm");
        let replace = || {
            let writer = StoreWriter::create(&path).expect("free");
            writer.finish(Manifest::new(), &Extras::default()).expect("written");
        };
        replace();
        let actions: [&(dyn Fn() + Sync); 2] =
            [&replace, &|| append(&path, &note()).expect("appended")];
        for action in actions {
            thread::scope(|scope| {
                let lock = swap::NotesLock::take(&path).expect("free");
                let worker = scope.spawn(action);
                thread::sleep(Duration::from_millis(100));
                assert!(!worker.is_finished());
                drop(lock);
            });
        }
        assert_eq!(Store::open(&path).expect("a store").notes().expect("notes"), [note()]);
    }
}
