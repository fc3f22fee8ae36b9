//! Marked tasks, which can be written to a file, copied, opened one after another, or noted.

use std::collections::HashMap;

use super::Tasks;
use crate::engine::{Column, TaskId};
use crate::report::{TableRequest, TaskListing};
use crate::store::Note;
use crate::text::counted;
use crate::ui::overlays::NoteEditor;
use crate::ui::screens::{Go, Target};
use crate::ui::shared::{About, Shared};

impl Tasks {
    /// Marks the selected task, or takes its mark away, and goes on to the next.
    pub(super) fn mark(shared: &mut Shared) {
        let Some(id) = shared.task else { return shared.say("there is no task to mark") };
        if !shared.tasks.marks.remove(&id) {
            shared.tasks.marks.insert(id);
        }
        shared.select_task(shared.tasks.index + 1);
    }

    /// Takes all marks away, also those of tasks that are not in the list.
    pub(super) fn clear_marks(shared: &mut Shared) {
        let count = std::mem::take(&mut shared.tasks.marks).len();
        shared.say(match count {
            0 => "no task is marked: Space marks one".to_owned(),
            _ => format!("{} no longer marked", counted(count as u64, "task")),
        });
    }

    /// Opens the selected task; from a marked one, the neighbours are the marked ones.
    pub(super) fn drill(&self, shared: &mut Shared) -> Go {
        match shared.task {
            Some(id) if shared.tasks.marks.contains(&id) => Go::Open(Target::Marked(id)),
            Some(id) => Go::Open(self.search.opened(id, shared)),
            None => {
                shared.say("there is no task here");
                Go::Stay
            }
        }
    }

    /// A note on every marked task; without marks it is on the selected one.
    pub(super) fn note(shared: &mut Shared) -> Go {
        let marked = shared.tasks.marked();
        match &marked[..] {
            [] => Go::Pass,
            [first, others @ ..] => {
                NoteEditor::open_on_each(About::task(*first), others.to_vec(), shared)
            }
        }
    }

    /// Copies the marked rows, else the selected one, and says which.
    pub(super) fn copy(&self, shared: &mut Shared) -> Go {
        let Some(text) = super::ScreenState::copied(self, shared) else { return Go::Pass };
        let what = match shared.tasks.marked().len() {
            0 => "this row".to_owned(),
            count => counted(count as u64, "marked row"),
        };
        shared.copy(text);
        shared.say(format!("copied as a Markdown table: {what}"));
        Go::Stay
    }

    /// Rows of the table as a report makes them, with the columns that are shown.
    pub(super) fn listing(rows: Vec<TaskId>, shared: &Shared) -> Option<TableRequest> {
        let text = |notes: &Vec<Note>| {
            let words = notes.iter().map(|note| format!("{}: {}", note.author, note.note));
            words.collect::<Vec<_>>().join(" | ")
        };
        let notes: HashMap<TaskId, String> =
            shared.notes.all().iter().map(|(id, notes)| (*id, text(notes))).collect();
        let list = &shared.tasks;
        let shown = list.columns.shown().map(|choice| choice.column.clone());
        let telling = shown.filter(|one| *one == Column::Note || shared.column_tells(one));
        let open = rows.iter().copied().filter(|id| shared.holds_back(*id)).collect();
        // Of one cell, the columns that name it are not shown.
        let is_shown = |column: &Column| {
            list.all_cells || !matches!(column, Column::Dataset | Column::Model | Column::Condition)
        };
        let columns = list.columns.shown().map(|choice| choice.column.clone()).filter(is_shown);
        Some(TableRequest::TaskList(Box::new(TaskListing {
            list: shared.current_table()?.clone(),
            rows,
            columns: columns.collect(),
            scorer: shared.lens.scorer.clone(),
            extra: list.columns.scorers(),
            notes,
            held_back: (open, telling.collect()),
        })))
    }
}
