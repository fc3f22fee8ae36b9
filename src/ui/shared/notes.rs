//! Notes on tasks, runs and turns: those of the store, and those on their way to it.

use std::collections::HashMap;
use std::sync::Arc;

use super::Shared;
use crate::engine::{Noted, TaskId};
use crate::store::Note;
use crate::text::visible;
use crate::ui::query::{Errands, Lane, Query, Worker};

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The task.
    pub id: TaskId,
    /// The run; none for the whole task.
    pub draw: Option<u32>,
    /// The turn of the run; none for the whole run.
    pub turn: Option<u32>,
}

impl About {
    /// The whole task.
    pub fn task(id: TaskId) -> Self {
        Self { id, draw: None, turn: None }
    }

    /// What a note is about, in words.
    pub(in crate::ui) fn of_note(note: &Note) -> String {
        Self { draw: note.draw, turn: note.turn, ..Self::task(TaskId { cell: 0, task: 0 }) }.words()
    }

    /// In words.
    pub fn words(self) -> String {
        match (self.draw, self.turn) {
            (None, _) => "the task".to_owned(),
            (Some(draw), None) => format!("draw {draw}"),
            (Some(draw), Some(turn)) => format!("draw {draw}, turn {}", turn + 1),
        }
    }
}

/// The notes of the store, and one that is not saved yet.
#[derive(Debug, Default)]
pub struct Notes {
    by_task: HashMap<TaskId, Vec<Note>>,
    noted: Arc<Noted>,
    /// A note that was left before it was saved, or could not be.
    pub draft: Option<(About, String)>,
    /// The note that the draft replaces.
    pub draft_edits: Option<Note>,
    /// The user was warned that the draft would be lost.
    pub warned: bool,
    saving: Errands<SaveNote>,
    /// How often notes changed.
    version: usize,
}

impl Notes {
    /// The notes on a task, the oldest first.
    pub fn on(&self, id: TaskId) -> &[Note] {
        self.by_task.get(&id).map_or(&[], Vec::as_slice)
    }

    /// All tasks with their notes.
    pub fn all(&self) -> &HashMap<TaskId, Vec<Note>> {
        &self.by_task
    }

    /// The tasks that have notes.
    pub fn noted(&self) -> &Arc<Noted> {
        &self.noted
    }

    /// A number that changes with the notes.
    pub fn version(&self) -> usize {
        self.version
    }

    pub(super) fn set(&mut self, by_task: HashMap<TaskId, Vec<Note>>) {
        self.noted = Arc::new(by_task.keys().copied().collect());
        self.by_task = by_task;
        self.version += 1;
    }

    /// Takes in a change that is on the disk.
    fn apply(&mut self, id: TaskId, change: &NoteChange, note: Note) {
        let notes = self.by_task.entry(id).or_default();
        match change {
            NoteChange::Add => notes.push(note),
            NoteChange::Replace(old) => {
                notes.retain(|known| known != old);
                notes.push(note);
            }
            NoteChange::Withdraw => notes.retain(|known| *known != note),
        }
        let noted = Arc::make_mut(&mut self.noted);
        if notes.is_empty() {
            self.by_task.remove(&id);
            noted.remove(&id);
        } else {
            noted.insert(id);
        }
        self.version += 1;
    }

    /// Keeps a text that was not saved.
    pub fn keep_draft(&mut self, about: About, text: String) {
        self.draft = Some((about, text));
        self.draft_edits = None;
        self.warned = false;
    }
}

impl Shared {
    /// Sends a note to the store, perhaps as the new text of an older one.
    pub fn save_note(&mut self, about: About, text: &str, edits: Option<Note>) {
        let (Some(task), Some(cell)) = (self.task_of(about.id), self.cell_of(about.id)) else {
            return;
        };
        let note = Note {
            time: 0,
            author: self.author.clone(),
            cell: cell.clone(),
            task: task.id.clone(),
            draw: about.draw,
            turn: about.turn,
            note: text.trim().to_owned(),
        };
        if note.note.is_empty() {
            return self.say("nothing was written, so nothing is saved");
        }
        self.say("saving the note …");
        let change = edits.map_or(NoteChange::Add, NoteChange::Replace);
        self.notes.saving.send(SaveNote { about, note, change }, &mut self.effects);
    }

    /// Takes a note back.
    pub fn withdraw_note(&mut self, about: About, note: Note) {
        self.say("withdrawing the note …");
        let change = NoteChange::Withdraw;
        self.notes.saving.send(SaveNote { about, note, change }, &mut self.effects);
    }

    /// Changes of notes that are on the disk now, or why not.
    pub(super) fn poll_notes(&mut self) {
        for (SaveNote { about, change, .. }, (note, saved)) in self.notes.saving.take() {
            let withdrawn = change == NoteChange::Withdraw;
            match saved {
                Ok(()) => {
                    let what = if withdrawn { "withdrawn" } else { "saved" };
                    self.say(format!("note {what}, by {}", visible(&note.author)));
                    self.notes.apply(about.id, &change, note);
                }
                Err(why) if withdrawn => {
                    self.say(format!("the note is not withdrawn: {}", visible(&why)));
                }
                Err(why) => {
                    let later = self.notes.draft.take();
                    let later = later.map_or(String::new(), |(_, text)| format!("\n{text}"));
                    self.notes.keep_draft(about, format!("{}{later}", note.note));
                    if let NoteChange::Replace(old) = change {
                        self.notes.draft_edits = Some(old);
                    }
                    let why = visible(&why).into_owned();
                    self.say(format!("the note is not saved: {why}; c goes on with it"));
                }
            }
        }
    }
}

/// What happens to the notes of the store.
#[derive(Clone, Debug, PartialEq)]
enum NoteChange {
    /// A new one.
    Add,
    /// A new text of this one.
    Replace(Note),
    /// The note goes.
    Withdraw,
}

/// Add a note to the store, or change one; its time is when it is written.
#[derive(Clone, PartialEq)]
struct SaveNote {
    about: About,
    note: Note,
    change: NoteChange,
}

impl Query for SaveNote {
    type Answer = (Note, Result<(), String>);
    const LANE: Lane = Lane::Annotate;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let (mut note, now) = (self.note, super::votes::now());
        let saved = match &self.change {
            NoteChange::Withdraw => worker.store.withdraw_note(&note, now),
            NoteChange::Add => {
                note.time = now;
                worker.store.add_note(&note)
            }
            NoteChange::Replace(old) => {
                note.time = now;
                worker.store.replace_note(old, &note)
            }
        };
        send((note, saved.map_err(|error| error.to_string())));
    }
}
