//! A note that was not saved when the explorer ended. It names its task, so that it can be offered
//! again when the store is next opened.

use serde::{Deserialize, Serialize};

use super::app::App;
use super::history::History;
use super::overlays::Overlay;
use super::shared::{About, Shared};
use super::view::View;
use crate::engine::TaskId;
use crate::model::Cell;
use crate::store::Note;

/// A note that is not saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The cell of the task that it is about.
    #[serde(flatten)]
    pub cell: Cell,
    /// The task.
    pub task: String,
    /// The run; none for the whole task.
    pub draw: Option<u32>,
    /// The turn of the run; none for the whole run.
    pub turn: Option<u32>,
    /// What was written.
    pub text: String,
    /// The note that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<Note>,
    /// Further tasks that it is put on, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(Cell, String)>,
}

/// What is kept of the explorer when it is left.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    /// What was looked at.
    pub view: View,
    /// A note that is not saved.
    pub draft: Option<Draft>,
    /// What was typed into prompts.
    pub history: History,
}

impl App {
    /// Offers a note that was not saved, once the store is read.
    pub fn offer(&mut self, draft: Draft) {
        self.unfinished = Some(draft);
    }

    /// What is to be kept when the explorer is left, after the last answers are taken in.
    pub fn leave(&mut self) -> Left {
        self.answered();
        let history = self.shared.history.clone();
        Left { view: self.remembered(), draft: self.draft(), history }
    }

    /// The view as it comes back the next time: nothing is selected, and no scope picks runs by how they
    /// were graded.
    fn remembered(&self) -> View {
        let mut view = self.view();
        view.lens.selection = None;
        if self.shared.engine().is_none() || self.shared.scope_depends_on_outcomes() {
            view.lens.scope = None;
        }
        view
    }

    /// The note that is being written, after one that was left before.
    fn draft(&self) -> Option<Draft> {
        let written = self.overlays.iter().find_map(|overlay| match overlay {
            Overlay::Note(editor) => Some(Unsaved {
                about: editor.about()?,
                text: editor.text(),
                edits: editor.edits().cloned(),
                others: editor.others().to_vec(),
            }),
            _ => None,
        });
        let written = written.filter(|unsaved| !unsaved.text.trim().is_empty());
        let notes = &self.shared.notes;
        let kept = notes.draft.clone().map(|(about, text)| Unsaved {
            about,
            text,
            edits: notes.draft_edits.clone(),
            others: notes.draft_others.clone(),
        });
        let mut both: Vec<Unsaved> = kept.into_iter().chain(written).collect();
        let Some(mut last) = both.pop() else { return self.unfinished.clone() };
        if let Some(first) = both.pop() {
            last.text = format!("{}\n{}", first.text, last.text);
            last.edits = None;
        }
        Draft::new(last, &self.shared)
    }

    /// Takes up the note that was offered, where the store has a task for it.
    pub(super) fn take_up_draft(&mut self) {
        let Some(draft) = self.unfinished.take() else { return };
        match draft.about(&self.shared) {
            Some(about) => {
                let others = draft.others.iter();
                let others = others.filter_map(|(cell, task)| find(cell, task, &self.shared));
                let others: Vec<TaskId> = others.collect();
                self.shared.notes.keep_draft(about, draft.text);
                self.shared.notes.draft_others = others;
                self.shared.notes.draft_edits = draft.edits;
                self.shared.say("a note is not saved: c continues it");
            }
            None => self.unfinished = Some(draft),
        }
    }
}

/// A note that is not saved, by the ids of the open store.
struct Unsaved {
    about: About,
    text: String,
    edits: Option<Note>,
    others: Vec<TaskId>,
}

/// A task by its names.
fn find(cell: &Cell, task: &str, shared: &Shared) -> Option<TaskId> {
    let frames = shared.engine()?.frames();
    let cell = frames.iter().position(|frame| frame.cell == *cell)?;
    let task = frames[cell].tasks.iter().position(|known| known.id == task)?;
    Some(TaskId { cell: cell as u32, task: task as u32 })
}

impl Draft {
    fn new(unsaved: Unsaved, shared: &Shared) -> Option<Self> {
        let Unsaved { about, text, edits, others } = unsaved;
        let named =
            |id: TaskId| Some((shared.cell_of(id)?.clone(), shared.task_of(id)?.id.clone()));
        let (cell, task) = named(about.id)?;
        let others = others.into_iter().filter_map(named).collect();
        Some(Self { cell, task, draw: about.draw, turn: about.turn, text, edits, others })
    }

    /// What it is about. Where the task is gone, the first task is offered, so that the text is not lost.
    fn about(&self, shared: &Shared) -> Option<About> {
        let frames = shared.engine()?.frames();
        let found = find(&self.cell, &self.task, shared);
        let found = found.map(|id| About { draw: self.draw, turn: self.turn, ..About::task(id) });
        let first = || {
            let cell = frames.iter().position(|frame| !frame.tasks.is_empty())?;
            Some(About::task(TaskId { cell: cell as u32, task: 0 }))
        };
        found.or_else(first)
    }
}
