//! The tasks that a filter keeps.

use std::sync::{Arc, OnceLock};

use crate::engine::{Engine, TaskId};

/// The tasks that a filter keeps, and the engine over them.
#[derive(Debug)]
pub struct Kept {
    whole: Arc<Engine>,
    /// Kept tasks by cell; none when all are.
    lists: Option<Vec<Vec<u32>>>,
    filtered: OnceLock<Arc<Engine>>,
}

impl Kept {
    /// All tasks.
    pub fn all(whole: Arc<Engine>) -> Self {
        Self { whole, lists: None, filtered: OnceLock::new() }
    }

    /// Some tasks of every cell.
    pub(super) fn some(whole: Arc<Engine>, lists: Vec<Vec<u32>>) -> Self {
        Self { whole, lists: Some(lists), filtered: OnceLock::new() }
    }

    /// The tasks of a cell that are kept; none when all are.
    pub fn of(&self, cell: usize) -> Option<&[u32]> {
        self.lists.as_ref().map(|lists| lists[cell].as_slice())
    }

    /// The id among all tasks of a task of the engine over the kept ones.
    pub fn whole_id(&self, id: TaskId) -> TaskId {
        let task = self.of(id.cell as usize).and_then(|tasks| tasks.get(id.task as usize));
        TaskId { task: task.copied().unwrap_or(id.task), ..id }
    }

    /// How many tasks are kept in a cell.
    pub fn count(&self, cell: usize) -> usize {
        self.of(cell).map_or_else(|| self.whole.frames()[cell].tasks.len(), <[u32]>::len)
    }

    /// How many tasks are kept.
    pub fn total(&self) -> usize {
        (0..self.whole.frames().len()).map(|cell| self.count(cell)).sum()
    }

    /// The engine over the kept tasks only, built on first use.
    pub fn engine(&self) -> &Arc<Engine> {
        match &self.lists {
            None => &self.whole,
            Some(lists) => self.filtered.get_or_init(|| Arc::new(self.whole.filtered(lists))),
        }
    }
}
