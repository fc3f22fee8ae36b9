//! Finds the frame and the task that a stored row is about.

use std::collections::HashMap;

use super::Frame;
use crate::model::Cell;

/// Finds tasks in frames by name. Rows come mostly in the order of the tasks, so the next task is
/// tried first.
pub(super) struct Finder<'f> {
    frames: &'f [Frame],
    cells: HashMap<&'f Cell, usize>,
    /// For every frame the task that is expected next.
    next: Vec<usize>,
    /// For every frame its tasks by id, filled when a task is not the next.
    ids: Vec<Option<HashMap<&'f str, usize>>>,
}

impl<'f> Finder<'f> {
    pub(super) fn new(frames: &'f [Frame]) -> Self {
        Self {
            frames,
            cells: frames.iter().enumerate().map(|(index, frame)| (&frame.cell, index)).collect(),
            next: vec![0; frames.len()],
            ids: vec![None; frames.len()],
        }
    }

    /// The index of a cell's frame.
    pub(super) fn frame(&self, cell: &Cell) -> Option<usize> {
        self.cells.get(cell).copied()
    }

    /// The index of a task in a frame: that of its first row.
    pub(super) fn task(&mut self, frame: usize, id: &str) -> Option<usize> {
        let tasks = &self.frames[frame].tasks;
        let next = self.next[frame];
        let task = if tasks.get(next).is_some_and(|task| task.id == id) {
            next
        } else {
            let ids = self.ids[frame].get_or_insert_with(|| {
                // The first of several rows of a task stays.
                let rows = tasks.iter().enumerate().rev();
                rows.map(|(index, task)| (task.id.as_str(), index)).collect()
            });
            *ids.get(id)?
        };
        self.next[frame] = self.frames[frame].rows_of(task).end;
        Some(task)
    }
}
