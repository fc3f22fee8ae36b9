//! The tasks that an expression keeps: a scope, or a selection.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::engine::{Engine, TaskId};

/// The tasks that an expression keeps, and the engine over them.
#[derive(Debug)]
pub struct Kept {
    whole: Arc<Engine>,
    /// Kept tasks by cell; none when all are.
    lists: Option<Vec<Vec<u32>>>,
    /// The expressions that keep them.
    by: Vec<String>,
    filtered: OnceLock<Arc<Engine>>,
    outcomes: OnceLock<Vec<Outcomes>>,
}

/// How the references of some tasks ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// References that succeeded.
    pub successes: usize,
    /// References that failed.
    pub failures: usize,
}

impl Outcomes {
    /// The only outcome that is left; none where both are there, or neither.
    pub fn only(self) -> Option<bool> {
        match (self.successes, self.failures) {
            (1.., 0) => Some(true),
            (0, 1..) => Some(false),
            _ => None,
        }
    }
}

impl Kept {
    /// All tasks.
    pub fn all(whole: Arc<Engine>) -> Self {
        let (filtered, outcomes) = (OnceLock::new(), OnceLock::new());
        Self { whole, lists: None, by: Vec::new(), filtered, outcomes }
    }

    /// Some tasks of every cell: those of a scope that an expression keeps.
    pub(super) fn some(&self, lists: Vec<Vec<u32>>, expression: &str) -> Self {
        let mut by = self.by.clone();
        by.push(expression.to_owned());
        Self { lists: Some(lists), by, ..Self::all(self.whole.clone()) }
    }

    /// The tasks of a cell that are kept; none when all are.
    pub fn of(&self, cell: usize) -> Option<&[u32]> {
        self.lists.as_ref().map(|lists| lists[cell].as_slice())
    }

    /// The kept rows of a cell, as ids among all.
    pub fn ids(&self, cell: usize) -> impl Iterator<Item = TaskId> + '_ {
        let of = self.of(cell);
        let task = move |index: usize| of.map_or(index as u32, |tasks| tasks[index]);
        (0..self.count(cell)).map(move |index| TaskId { cell: cell as u32, task: task(index) })
    }

    /// The id among all tasks of a task of the engine over the kept ones.
    pub fn whole_id(&self, id: TaskId) -> TaskId {
        let task = self.of(id.cell as usize).and_then(|tasks| tasks.get(id.task as usize));
        TaskId { task: task.copied().unwrap_or(id.task), ..id }
    }

    /// How many rows are kept in a cell: tasks, or draws where every draw is a row.
    pub fn count(&self, cell: usize) -> usize {
        self.of(cell).map_or_else(|| self.whole.frames()[cell].tasks.len(), <[u32]>::len)
    }

    /// How many tasks the kept rows of a cell belong to; other than their count where every draw is a row.
    pub fn tasks(&self, cell: usize) -> usize {
        let frame = &self.whole.frames()[cell];
        match self.of(cell) {
            Some(kept) if frame.is_pooled() => {
                let first = |row: &u32| frame.rows_of(*row as usize).start;
                kept.iter().map(first).collect::<BTreeSet<_>>().len()
            }
            Some(kept) => kept.len(),
            None => frame.task_count(),
        }
    }

    /// How many rows are kept.
    pub fn total(&self) -> usize {
        (0..self.whole.frames().len()).map(|cell| self.count(cell)).sum()
    }

    /// How the references of the kept tasks ended, by cell.
    pub fn outcomes(&self) -> &[Outcomes] {
        self.outcomes.get_or_init(|| {
            let cells = 0..self.whole.frames().len();
            cells.map(|cell| self.count_outcomes(cell)).collect()
        })
    }

    fn count_outcomes(&self, cell: usize) -> Outcomes {
        let tasks = &self.whole.frames()[cell].tasks;
        let mut outcomes = Outcomes::default();
        let mut add = |success: Option<bool>| match success {
            Some(true) => outcomes.successes += 1,
            Some(false) => outcomes.failures += 1,
            None => {}
        };
        match self.of(cell) {
            Some(kept) => kept.iter().for_each(|task| add(tasks[*task as usize].success)),
            None => tasks.iter().for_each(|task| add(task.success)),
        }
        outcomes
    }

    /// The engine over all tasks.
    pub fn whole(&self) -> &Arc<Engine> {
        &self.whole
    }

    /// The engine over the kept tasks only, built on first use.
    pub fn engine(&self) -> &Arc<Engine> {
        match &self.lists {
            None => &self.whole,
            Some(lists) => self.filtered.get_or_init(|| {
                let mut engine = self.whole.filtered(lists);
                self.by.iter().for_each(|expression| engine.narrowed.note_tasks(expression));
                Arc::new(engine)
            }),
        }
    }
}
