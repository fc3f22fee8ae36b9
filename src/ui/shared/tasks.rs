//! The list of tasks that Tasks shows and Compare goes through: which, in what order.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::blind::{Tells, tells};
use super::{Blind, KeptTasks, SelectedTasks, Shared, TaskColumns};
use crate::engine::{Column, Engine, Noted, TaskId, TaskQuery, TaskTable};
use crate::scorers::Scorer;
use crate::ui::query::{Hint, Lane, Query, Slot, Worker};

/// The list of tasks: its settings, and the selected row.
#[derive(Debug)]
pub struct TaskList {
    /// The tasks of all cells, not only of the selected one.
    pub all_cells: bool,
    /// The column that orders the rows.
    pub sort: Column,
    /// Largest first.
    pub descending: bool,
    /// The columns.
    pub columns: TaskColumns,
    /// The marked tasks, of whatever cell.
    pub marks: BTreeSet<TaskId>,
    /// The selected row.
    pub index: usize,
    /// The scorer that the list was last shown under.
    pub shown: Option<Scorer>,
    /// The scorer before that one: ranks moved against it.
    pub before: Option<Scorer>,
    pub(super) table: Slot<TableQuery>,
}

impl Default for TaskList {
    fn default() -> Self {
        Self {
            all_cells: false,
            sort: Column::Score,
            descending: true,
            columns: TaskColumns::default(),
            marks: BTreeSet::new(),
            index: 0,
            shown: None,
            before: None,
            table: Slot::default(),
        }
    }
}

impl TaskList {
    /// The newest table; another may be on its way.
    pub fn table(&self) -> Option<&Arc<TaskTable>> {
        self.table.get()
    }

    /// Whether the newest table is of an earlier question.
    pub fn is_stale(&self) -> bool {
        self.table.is_stale()
    }

    /// The marked tasks among the rows, in their order.
    pub fn marked(&self) -> Vec<TaskId> {
        let rows = self.table().filter(|_| !self.marks.is_empty()).map(|table| table.rows.iter());
        rows.into_iter().flatten().filter(|id| self.marks.contains(id)).copied().collect()
    }

    /// Whether a table is on its way.
    pub fn is_waiting(&self) -> bool {
        self.table.is_waiting()
    }
}

impl Shared {
    /// What the list of tasks shows.
    pub fn task_query(&self) -> TaskQuery {
        TaskQuery {
            cell: (!self.tasks.all_cells).then_some(self.cell),
            scorer: self.lens.scorer.clone(),
            before: self.compared.clone().or_else(|| self.tasks.before.clone()),
            extra: self.tasks.columns.scorers(),
            sort: self.tasks.sort.clone(),
            descending: self.tasks.descending,
        }
    }

    /// A table of the selected tasks as a question; none while they are not known.
    pub fn table_query(&self, query: TaskQuery) -> Option<TableQuery> {
        Some(TableQuery {
            scope: self.kept()?.clone(),
            selected: self.selected()?.clone(),
            tells: self.blind().map_or_else(Tells::default, |_| Tells {
                by_selection: self.selection_tells(&query),
                by_order: tells(&query.sort, &query),
            }),
            blind: self.blind(),
            query,
            notes: self.notes.version(),
            engine: Hint(self.engine()?.clone()),
            noted: Hint(self.notes.noted().clone()),
        })
    }

    /// The table of the list, if it answers what is looked at now.
    pub fn current_table(&self) -> Option<&Arc<TaskTable>> {
        self.tasks.table.answer_to(&self.table_query(self.task_query())?)
    }

    /// Asks for the table of the list; keeps the selected task selected when another comes.
    pub fn refresh_tasks(&mut self) {
        if self.tasks.table.poll() && self.current_table().is_some() {
            self.keep_task();
        }
        self.find_row();
        if let Some(question) = self.table_query(self.task_query()) {
            self.tasks.table.want(question, &mut self.effects);
        }
    }

    /// Finds the row of a task that was selected on another screen.
    fn find_row(&mut self) {
        let Some(table) = self.tasks.table() else { return };
        if self.task.is_some() && table.rows.get(self.tasks.index).copied() != self.task {
            let row = table.rows.iter().position(|row| Some(*row) == self.task);
            self.tasks.index = row.unwrap_or(self.tasks.index);
        }
    }

    /// Keeps the selected task selected when the table changes, else the row.
    fn keep_task(&mut self) {
        let Some(table) = self.tasks.table().cloned() else { return };
        let row = self.task.and_then(|id| table.rows.iter().position(|row| *row == id));
        let last = table.rows.len().saturating_sub(1);
        self.select_in(&table, row.unwrap_or(self.tasks.index).min(last));
    }

    /// Selects a row of the list, or the last one.
    pub fn select_task(&mut self, index: usize) {
        // Rows of a table that is about to go are not what the user will see.
        let Some(table) = self.current_table().cloned() else { return };
        self.select_in(&table, index.min(table.rows.len().saturating_sub(1)));
    }

    /// Selects the next task of the list, or the one before; says so where there is none.
    pub fn step_task(&mut self, forwards: bool) {
        let (before, index) = (self.task, self.tasks.index);
        self.select_task(if forwards { index + 1 } else { index.saturating_sub(1) });
        if self.task == before {
            self.say("there is no further task in this direction");
        }
    }

    /// Selects a row of a table, and the cell of its task: a list of all cells leads through them.
    fn select_in(&mut self, table: &TaskTable, index: usize) {
        self.tasks.index = index;
        self.task = table.rows.get(index).copied();
        if let Some(id) = self.task {
            self.cell = id.cell as usize;
        }
    }

    /// Selects the first task of a cell in a list of all cells; says whether there is one.
    pub(super) fn select_first_task_of(&mut self, cell: usize) -> bool {
        let table = self.current_table().filter(|_| self.tasks.all_cells);
        let first = table
            .and_then(|table| table.rows.iter().position(|id: &TaskId| id.cell as usize == cell));
        first.into_iter().for_each(|index| self.select_task(index));
        first.is_some()
    }
}

/// A table of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct TableQuery {
    scope: KeptTasks,
    selected: SelectedTasks,
    query: TaskQuery,
    blind: Option<Blind>,
    tells: Tells,
    /// How many notes there are: a column shows them.
    notes: usize,
    engine: Hint<Arc<Engine>>,
    noted: Hint<Arc<Noted>>,
}

impl Query for TableQuery {
    type Answer = TaskTable;
    const LANE: Lane = Lane::Table;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let (scope, selected) = (&self.scope.value, &self.selected.value);
        let mut table = self.engine.0.task_table(&self.query, scope, selected, &self.noted.0);
        if let Some(blind) = &self.blind {
            blind.value.apply(&mut table, self.tells, self.query.cell, &self.engine.0);
        }
        send(table);
    }
}
