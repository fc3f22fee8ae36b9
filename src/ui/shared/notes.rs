//! Notes on tasks, runs and turns: those of the store, and those that are being saved.

use std::collections::HashMap;
use std::sync::Arc;

use super::Shared;
use crate::engine::{Noted, TaskId};
use crate::store::Note;
use crate::text::visible;
use crate::ui::query::{Errands, Lane, Query, Worker};
use crate::ui::renewal::NewIds;

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
    /// Further tasks that the draft is put on, too.
    pub draft_others: Vec<TaskId>,
    /// The user was warned that the draft would be lost.
    pub warned: bool,
    saving: Errands<SaveNotes>,
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

    /// Whether none is on its way to the disk.
    pub(super) fn is_idle(&self) -> bool {
        self.saving.is_idle()
    }

    /// The draft is about the same task in another reading of the store.
    pub(super) fn renew(&mut self, ids: &NewIds<'_>) {
        if let Some((about, _)) = &mut self.draft {
            *about = ids.about(*about).unwrap_or_else(|| About::task(TaskId { cell: 0, task: 0 }));
        }
        self.draft_others = self.draft_others.iter().filter_map(|id| ids.task(*id)).collect();
    }

    /// Keeps a text that was not saved.
    pub fn keep_draft(&mut self, about: About, text: String) {
        self.draft = Some((about, text));
        self.draft_edits = None;
        self.draft_others.clear();
        self.warned = false;
    }
}

impl Shared {
    /// Sends a note to the store, once for what it is about and once for every further task.
    pub fn save_note(&mut self, about: About, others: Vec<TaskId>, text: &str) {
        let abouts = std::iter::once(about).chain(others.into_iter().map(About::task));
        let notes: Vec<(About, Note)> =
            abouts.filter_map(|about| Some((about, self.note_on(about, text)?))).collect();
        self.send_notes(notes, NoteChange::Add);
    }

    /// Sends a note to the store as the new text of an older one.
    pub fn replace_note(&mut self, about: About, text: &str, old: Note) {
        let note = self.note_on(about, text).map(|note| (about, note));
        self.send_notes(note.into_iter().collect(), NoteChange::Replace(old));
    }

    fn note_on(&self, about: About, text: &str) -> Option<Note> {
        Some(Note {
            time: 0,
            author: self.author.clone(),
            cell: self.cell_of(about.id)?.clone(),
            task: self.task_of(about.id)?.id.clone(),
            draw: about.draw,
            turn: about.turn,
            note: text.trim().to_owned(),
        })
    }

    fn send_notes(&mut self, notes: Vec<(About, Note)>, change: NoteChange) {
        if notes.iter().any(|(_, note)| note.note.is_empty()) {
            return self.say("nothing was written, so nothing is saved");
        }
        if !notes.is_empty() {
            self.say("saving the note …");
            self.notes.saving.send(SaveNotes { notes, change }, &mut self.effects);
        }
    }

    /// Takes a note back.
    pub fn withdraw_note(&mut self, about: About, note: Note) {
        self.say("withdrawing the note …");
        let (notes, change) = (vec![(about, note)], NoteChange::Withdraw);
        self.notes.saving.send(SaveNotes { notes, change }, &mut self.effects);
    }

    /// Changes of notes that are on the disk now, or why not.
    pub(super) fn poll_notes(&mut self) {
        for (SaveNotes { change, notes }, Saved { done, why }) in self.notes.saving.take() {
            let what = if change == NoteChange::Withdraw { "withdrawn" } else { "saved" };
            let (count, asked) = (done.len(), notes.len());
            for ((about, _), note) in notes.iter().zip(done) {
                for id in self.rows_of(about.id) {
                    self.notes.apply(id, &change, note.clone());
                }
            }
            match why {
                None => {
                    let on = if asked > 1 { format!(" on {asked} tasks") } else { String::new() };
                    let author = notes.first().map_or("", |(_, note)| note.author.as_str());
                    self.say(format!("note {what}{on}, by {}", visible(author)));
                }
                Some(why) if change == NoteChange::Withdraw => {
                    self.say(format!("the note is not withdrawn: {}", visible(&why)));
                }
                Some(why) => self.keep_unsaved(&notes[count..], change, &why),
            }
        }
    }

    /// Offers a note again that could not be saved on these tasks.
    fn keep_unsaved(&mut self, notes: &[(About, Note)], change: NoteChange, why: &str) {
        let Some(((about, note), others)) = notes.split_first() else { return };
        let later = self.notes.draft.take();
        let later = later.map_or(String::new(), |(_, text)| format!("\n{text}"));
        self.notes.keep_draft(*about, format!("{}{later}", note.note));
        self.notes.draft_others = others.iter().map(|(about, _)| about.id).collect();
        if let NoteChange::Replace(old) = change {
            self.notes.draft_edits = Some(old);
        }
        self.say(format!("the note is not saved: {}; c continues it", visible(why)));
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

/// Add notes to the store, or change one; their time is when they are written.
#[derive(Clone, PartialEq)]
struct SaveNotes {
    notes: Vec<(About, Note)>,
    change: NoteChange,
}

/// The notes that are on the disk, from the first on, and why the next is not.
struct Saved {
    done: Vec<Note>,
    why: Option<String>,
}

impl Query for SaveNotes {
    type Answer = Saved;
    const LANE: Lane = Lane::Annotate;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let (mut done, mut why, now) = (Vec::new(), None, super::votes::now());
        for (_, mut note) in self.notes {
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
            if let Err(error) = saved {
                why = Some(error.to_string());
                break;
            }
            done.push(note);
        }
        send(Saved { done, why });
    }
}
