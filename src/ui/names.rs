//! Short names of tasks and cells: cut to fit, but still distinguishable.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::shared::Shared;
use super::widgets::{short_names, width};
use crate::engine::TaskId;
use crate::text::visible;

/// Of more tasks every id is cut by itself.
const MOST_TASKS: usize = 20_000;

/// Widths that are remembered: a screen, its heading and what lies over it.
const MOST_WIDTHS: usize = 4;

/// Short ids by what they are short for; what is not there is short already.
type Ids = Arc<HashMap<String, String>>;

/// Which tasks, and how much room their ids have.
type Key = (u64, Option<usize>, usize);

/// Short ids of tasks, made once for every width.
#[derive(Debug, Default)]
pub struct TaskNames(RefCell<Vec<(Key, Ids)>>);

/// The ids of some tasks, each in the same room.
#[derive(Clone, Debug)]
pub struct ShortIds {
    ids: Ids,
    room: usize,
}

impl ShortIds {
    /// A task's id in the room there is.
    pub fn of(&self, id: &str) -> String {
        let id = visible(id);
        self.ids.get(&*id).map_or_else(|| short_names(&[id], self.room).remove(0), Clone::clone)
    }
}

impl Shared {
    /// The ids of a cell's tasks, or of all, at most this wide.
    pub fn short_ids(&self, cell: Option<usize>, room: usize) -> ShortIds {
        let key = (self.data.version, cell, room);
        let mut known = self.task_names.0.borrow_mut();
        let found = known.iter().position(|(other, _)| *other == key);
        let (key, ids) = match found {
            Some(index) => known.remove(index),
            None => (key, Arc::new(self.cut_ids(cell, room))),
        };
        known.insert(0, (key, ids.clone()));
        known.truncate(MOST_WIDTHS);
        ShortIds { ids, room }
    }

    fn cut_ids(&self, cell: Option<usize>, room: usize) -> HashMap<String, String> {
        let Some(engine) = self.engine() else { return HashMap::new() };
        let frames = engine.frames().iter().enumerate();
        let frames = frames.filter(|(index, _)| cell.is_none_or(|only| only == *index));
        let tasks = frames.flat_map(|(_, frame)| frame.tasks.iter());
        let mut ids: Vec<String> =
            tasks.map(|task| visible(&task.id).into_owned()).take(MOST_TASKS + 1).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() > MOST_TASKS || ids.iter().all(|id| width(id) <= room) {
            return HashMap::new();
        }
        let short = short_names(&ids, room);
        ids.into_iter().zip(short).collect()
    }

    /// The id of a task in some room.
    pub fn short_id(&self, id: TaskId, room: usize) -> String {
        let name = self.task_of(id).map_or("", |task| task.id.as_str());
        let draw = self.task_of(id).filter(|_| self.is_pooled(id.cell));
        let draw = draw.map_or(String::new(), |task| format!(" #{}", task.draw));
        self.short_ids(Some(id.cell as usize), room.saturating_sub(draw.len())).of(name) + &draw
    }

    /// The names of all cells, at most this wide.
    pub fn short_cells(&self, room: usize) -> Vec<String> {
        let names = self.cells.iter().map(|cell| visible(&cell.to_string()).into_owned());
        short_names(&names.collect::<Vec<_>>(), room)
    }
}
