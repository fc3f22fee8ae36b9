//! Notes on tasks, runs and turns: those of the store, and those on their way to it.

use std::collections::HashMap;
use std::sync::Arc;

use super::Shared;
use crate::engine::{Noted, TaskId};
use crate::store::{Note, notes};
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
    /// The user was warned that the draft would be lost.
    pub warned: bool,
    saving: Errands<SaveNote>,
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

    /// How many notes there are.
    pub fn count(&self) -> usize {
        self.by_task.values().map(Vec::len).sum()
    }

    pub(super) fn set(&mut self, by_task: HashMap<TaskId, Vec<Note>>) {
        self.noted = Arc::new(by_task.keys().copied().collect());
        self.by_task = by_task;
    }

    /// Keeps a text that was not saved.
    pub fn keep_draft(&mut self, about: About, text: String) {
        self.draft = Some((about, text));
        self.warned = false;
    }
}

impl Shared {
    /// Sends a note to the store.
    pub fn save_note(&mut self, about: About, text: &str) {
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
        self.notes.saving.send(SaveNote { about, note }, &mut self.effects);
    }

    /// Notes that are on the disk now, or why not.
    pub(super) fn poll_notes(&mut self) {
        for (SaveNote { about, .. }, (note, saved)) in self.notes.saving.take() {
            match saved {
                Ok(()) => {
                    self.say(format!("note saved, by {}", visible(&note.author)));
                    self.notes.by_task.entry(about.id).or_default().push(note);
                    Arc::make_mut(&mut self.notes.noted).insert(about.id);
                }
                Err(why) => {
                    let later = self.notes.draft.take();
                    let later = later.map_or(String::new(), |(_, text)| format!("\n{text}"));
                    self.notes.keep_draft(about, format!("{}{later}", note.note));
                    let why = visible(&why).into_owned();
                    self.say(format!("the note is not saved: {why}; c goes on with it"));
                }
            }
        }
    }
}

/// Add a note to the store; its time is when it is written.
#[derive(Clone, PartialEq)]
struct SaveNote {
    about: About,
    note: Note,
}

impl Query for SaveNote {
    type Answer = (Note, Result<(), String>);
    const LANE: Lane = Lane::Annotate;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let mut note = self.note;
        note.time = super::votes::now();
        let saved = notes::append(worker.store.path(), &note);
        send((note, saved.map_err(|error| error.to_string())));
    }
}
