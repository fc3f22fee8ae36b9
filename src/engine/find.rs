//! Names of cells and tasks to their places.

use std::collections::HashMap;

use super::Frame;
use crate::model::Cell;

/// Finds tasks in frames. Rows come mostly in the order of the tasks, so the next one is tried first.
pub(super) struct Finder<'f> {
    frames: &'f [Frame],
    cells: HashMap<&'f Cell, usize>,
    /// For every frame the task that is expected next.
    next: Vec<usize>,
    /// For every frame its tasks by id, once one was not the next.
    ids: Vec<Option<HashMap<&'f str, usize>>>,
}

impl<'f> Finder<'f> {
    pub(super) fn new(frames: &'f [Frame]) -> Self {
        Self {
            frames,
            cells: frames.iter().enumerate().map(|(place, own)| (&own.cell, place)).collect(),
            next: vec![0; frames.len()],
            ids: vec![None; frames.len()],
        }
    }

    /// The place of a cell's frame.
    pub(super) fn frame(&self, cell: &Cell) -> Option<usize> {
        self.cells.get(cell).copied()
    }

    /// The place of a task in a frame.
    pub(super) fn task(&mut self, frame: usize, id: &str) -> Option<usize> {
        let tasks = &self.frames[frame].tasks;
        let next = self.next[frame];
        let task = if tasks.get(next).is_some_and(|own| own.id == id) {
            next
        } else {
            let ids = self.ids[frame].get_or_insert_with(|| {
                tasks.iter().enumerate().map(|(place, own)| (own.id.as_str(), place)).collect()
            });
            *ids.get(id)?
        };
        self.next[frame] = task + 1;
        Some(task)
    }
}
