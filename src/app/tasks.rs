//! The table of tasks: which, in what order, with which columns.

use std::sync::Arc;

use super::action::{Action, Screen};
use super::jobs::{FilterKey, TableKey};
use super::{App, Overlay};
use crate::engine::{Column, Task, TaskId, TaskQuery, TaskTable};
use crate::filter::Kind;
use crate::scorers::Scorer;
use crate::text::holds;

/// The state of the table.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// The tasks of all cells, not only of the selected one.
    pub all_cells: bool,
    /// The column that orders the rows.
    pub sort: Column,
    /// Largest first.
    pub descending: bool,
    /// Score columns beside that of the lens.
    pub extra: Vec<Scorer>,
    /// Place of the selected row.
    pub place: usize,
    /// The first row on screen.
    pub offset: usize,
    /// Words that are searched.
    pub search: String,
    /// The first hit is still to be gone to.
    pub seeking: bool,
    /// The row that the search goes out from.
    pub search_from: usize,
    /// The scorer that the table was last shown under, and the one before it.
    pub shown: Option<Scorer>,
    /// The scorer before, against which ranks moved.
    pub before: Option<Scorer>,
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            all_cells: false,
            sort: Column::Score,
            descending: true,
            extra: Vec::new(),
            place: 0,
            offset: 0,
            search: String::new(),
            seeking: false,
            search_from: 0,
            shown: None,
            before: None,
        }
    }
}

impl App {
    /// A task by its place.
    pub fn task_of(&self, id: TaskId) -> Option<&Task> {
        let frame = self.data.engine()?.frames().get(id.cell as usize)?;
        frame.tasks.get(id.task as usize)
    }

    /// The table that was last made; another may be on its way.
    pub fn table(&self) -> Option<&Arc<TaskTable>> {
        self.data.table.as_ref().map(|(_, table)| table)
    }

    /// The table, if it answers what is being looked at.
    pub fn current_table(&self) -> Option<&Arc<TaskTable>> {
        let (key, table) = self.data.table.as_ref()?;
        let (filter, _) = self.data.kept.as_ref()?;
        (self.table_key(filter.clone()) == *key).then_some(table)
    }

    /// The cell whose tasks are shown; none for all.
    pub fn table_cell(&self) -> Option<usize> {
        (!self.tasks.all_cells || self.screen == Screen::Aggregators).then_some(self.cell)
    }

    pub(super) fn task_query(&self) -> TaskQuery {
        TaskQuery {
            cell: self.table_cell(),
            scorer: self.lens.scorer.clone(),
            before: match self.screen {
                Screen::Aggregators => Some(self.compared_scorer()),
                _ => self.tasks.before.clone(),
            },
            extra: self.tasks.extra.clone(),
            sort: match self.screen {
                // By how far they move; see the pane.
                Screen::Aggregators => Column::Moved,
                _ => self.tasks.sort.clone(),
            },
            descending: self.screen == Screen::Aggregators || self.tasks.descending,
        }
    }

    pub(super) fn table_key(&self, filter: FilterKey) -> TableKey {
        let query = self.task_query();
        let order = format!(
            "{} {:?} {:?} {} {}",
            query.scorer,
            query.before.map(|own| own.to_string()),
            query.extra.iter().map(ToString::to_string).collect::<Vec<_>>(),
            query.sort.name(),
            query.descending
        );
        TableKey { filter, cell: query.cell, order, notes: self.data.note_count() }
    }

    /// Ranks move against the scorer that the table was last shown under.
    pub(super) fn follow_scorer(&mut self) {
        // A scorer that is only tried on was not chosen.
        let trying =
            matches!(self.overlays.last(), Some(Overlay::Picker(own)) if own.tried.is_some());
        if self.screen == Screen::Tasks
            && !trying
            && self.tasks.shown.as_ref() != Some(&self.lens.scorer)
        {
            self.tasks.before = self.tasks.shown.take();
            self.tasks.shown = Some(self.lens.scorer.clone());
        }
    }

    /// Keeps the selected task selected when the table changes, else the place.
    pub(super) fn keep_task(&mut self) {
        let Some(table) = self.table().cloned() else { return };
        let before = self.task;
        let place = before.and_then(|id| table.rows.iter().position(|own| *own == id));
        let last = table.rows.len().saturating_sub(1);
        self.tasks.place = place.unwrap_or(self.tasks.place).min(last);
        self.task = table.rows.get(self.tasks.place).copied();
        if before.is_some() && self.task != before {
            self.leave_place();
        }
        self.settle_panes();
        if self.tasks.seeking {
            self.first_hit();
        }
    }

    pub(super) fn select_task(&mut self, place: usize) {
        // Rows of a table that is about to go are not what the user will see.
        let Some(table) = self.current_table().cloned() else { return };
        self.tasks.place = place.min(table.rows.len().saturating_sub(1));
        self.task = table.rows.get(self.tasks.place).copied();
        if let Some(id) = self.task {
            self.cell = id.cell as usize;
        }
    }

    /// Moves the selection over the table, as on any list.
    pub(super) fn move_task(&mut self, action: &Action) {
        let place = self.tasks.place;
        let half = (self.layout.page / 2).max(1);
        self.tasks.seeking = false;
        match action {
            Action::Down | Action::NextTask => self.select_task(place + 1),
            Action::Up | Action::PreviousTask => self.select_task(place.saturating_sub(1)),
            Action::HalfPageDown => self.select_task(place + half),
            Action::HalfPageUp => self.select_task(place.saturating_sub(half)),
            Action::First => self.select_task(0),
            Action::Last => self.select_task(usize::MAX),
            _ => {}
        }
    }

    pub(super) fn update_tasks(&mut self, action: &Action) {
        match action {
            Action::Reverse => self.tasks.descending = !self.tasks.descending,
            Action::SetSort(column) => {
                if self.tasks.sort == *column {
                    self.tasks.descending = !self.tasks.descending;
                } else {
                    self.tasks.sort = column.clone();
                    // What is high is looked at first, what is a name or a rank from its beginning.
                    let first = [Column::Rank, Column::Top, Column::Bottom];
                    self.tasks.descending = column.kind() != Kind::Text && !first.contains(column);
                }
            }
            Action::ToggleColumn(scorer) => {
                match self.tasks.extra.iter().position(|own| own == scorer) {
                    Some(place) => drop(self.tasks.extra.remove(place)),
                    None => self.tasks.extra.push(scorer.clone()),
                }
            }
            Action::Scope => self.tasks.all_cells = !self.tasks.all_cells,
            Action::Search => {
                self.tasks.search_from = self.tasks.place;
                self.push_search(&self.tasks.search.clone());
            }
            Action::Left => self.select_cell(self.cell.saturating_sub(1)),
            Action::Right => self.select_cell(self.cell + 1),
            Action::NextHit => self.step_hit(true),
            Action::PreviousHit => self.step_hit(false),
            other => self.move_task(other),
        }
    }

    /// Whether a task fits the search: by id, or by a text of one of its draws.
    pub fn is_hit(&self, id: TaskId) -> bool {
        let words = self.tasks.search.trim();
        if words.is_empty() {
            return false;
        }
        let Some(task) = self.task_of(id) else { return false };
        if holds(&task.id, words) {
            return true;
        }
        let Some(found) = &self.data.found else { return false };
        let dataset = &self.columns[id.cell as usize].dataset;
        if found.asks.get(dataset).is_some_and(|own| own.contains(&task.id)) {
            return true;
        }
        let rows = task.row..task.row + task.draws() as u32;
        found.rows.range(rows).next().is_some()
    }

    /// Selects what is searched for: the task of that very id, else the next row that fits.
    pub(super) fn first_hit(&mut self) {
        let words = self.tasks.search.trim().to_owned();
        let Some(table) = self.current_table().cloned().filter(|_| !words.is_empty()) else {
            return;
        };
        let named =
            |id: &TaskId| self.task_of(*id).is_some_and(|own| own.id.eq_ignore_ascii_case(&words));
        if self.task.is_some_and(|id| named(&id)) {
            self.tasks.seeking = false;
            return;
        }
        if let Some(place) = table.rows.iter().position(named) {
            self.tasks.seeking = false;
            self.select_task(place);
        } else {
            self.next_hit(true, true);
            // Texts come in part by part: a later one may hold it.
            self.tasks.seeking = !self.task.is_some_and(|id| self.is_hit(id));
        }
    }

    /// Selects the next row that fits the search, going round; says whether there is one.
    pub(super) fn next_hit(&mut self, forwards: bool, from_here: bool) -> bool {
        let Some(table) = self.current_table().cloned() else { return false };
        let count = table.rows.len();
        let first = usize::from(!from_here);
        let place = |step: usize| {
            if forwards {
                (self.tasks.place + step) % count
            } else {
                (self.tasks.place + count - step % count) % count
            }
        };
        let hit = (first..count + first).map(place).find(|&place| self.is_hit(table.rows[place]));
        if let Some(place) = hit {
            self.select_task(place);
        }
        hit.is_some()
    }

    fn step_hit(&mut self, forwards: bool) {
        let words = self.tasks.search.trim().to_owned();
        if words.is_empty() {
            self.say("nothing is searched for: / begins");
        } else if !self.next_hit(forwards, false) {
            let done = self.data.found.as_ref().is_some_and(|own| own.done >= 1.0);
            let more = if done { "" } else { " yet; still searching" };
            self.say(format!("nothing holds “{words}”{more}"));
        }
    }
}
