//! The store read anew while it is looked at: others wrote into it.

use std::collections::HashMap;
use std::sync::Arc;

use super::query::Worker;
use super::shared::{About, Loaded, RunKey};
use crate::engine::{Engine, PairId, Task, TaskId};
use crate::metrics::bootstrap::Resampling;
use crate::model::Cell;
use crate::watch::News;

/// What came of a look at what is watched, all read: the explorer only has to take it up.
#[derive(Debug)]
pub struct Renewal {
    pub(super) worker: Option<(Arc<Worker>, Box<Loaded>)>,
    pub(super) words: Option<String>,
    pub(super) waits_for: Option<String>,
}

impl Renewal {
    /// Reads the store that a look found.
    pub fn new(news: News, resampling: Resampling) -> Self {
        let News { store, words, mut waits_for } = news;
        let worker = store.map(|store| Arc::new(Worker::new(store, resampling)));
        let worker = worker.and_then(|worker| match Loaded::read(&worker.store) {
            Ok(loaded) => Some((worker, Box::new(loaded))),
            Err(error) => {
                waits_for = Some(error.to_string());
                None
            }
        });
        Self { worker, words, waits_for }
    }
}

/// Where cells, tasks and draws of an engine are in a newer one. A task is known by its name, a draw by the
/// words of its run.
#[derive(Debug)]
pub struct NewIds<'a> {
    old: Side<'a>,
    new: Side<'a>,
    cells: Vec<Option<usize>>,
    tasks: HashMap<(usize, &'a str), u32>,
}

/// An engine, and the fingerprints of its runs by their rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub(super) engine: &'a Engine,
    pub(super) prints: &'a [Option<u64>],
}

impl<'a> Side<'a> {
    fn task(self, id: TaskId) -> Option<&'a Task> {
        self.engine.frames().get(id.cell as usize)?.tasks.get(id.task as usize)
    }

    fn print(self, task: &Task, draw: u32) -> Option<u64> {
        self.prints.get(task.row_of(draw)? as usize).copied().flatten()
    }
}

impl<'a> NewIds<'a> {
    pub(super) fn new(old: Side<'a>, new: Side<'a>) -> Self {
        let frames = new.engine.frames();
        let find = |cell: &Cell| frames.iter().position(|frame| frame.cell == *cell);
        let cells = old.engine.frames().iter().map(|frame| find(&frame.cell)).collect();
        let names = frames.iter().enumerate().flat_map(|(cell, frame)| {
            frame.tasks.iter().zip(0..).map(move |(task, index)| ((cell, task.id.as_str()), index))
        });
        Self { old, new, cells, tasks: names.collect() }
    }

    /// A cell.
    pub fn cell(&self, cell: usize) -> Option<usize> {
        self.cells.get(cell).copied().flatten()
    }

    /// A task.
    pub fn task(&self, id: TaskId) -> Option<TaskId> {
        let cell = self.cell(id.cell as usize)?;
        let task = *self.tasks.get(&(cell, self.old.task(id)?.id.as_str()))?;
        Some(TaskId { cell: cell as u32, task })
    }

    /// A draw of a task: the run with the same words, else the one with the same number.
    pub fn draw(&self, id: TaskId, draw: u32) -> Option<u32> {
        let (old, new) = (self.old.task(id)?, self.new.task(self.task(id)?)?);
        let is_same = |other: &u32| {
            let print = self.old.print(old, draw);
            print.is_some() && self.new.print(new, *other) == print
        };
        let same_number = new.row_of(draw).map(|_| draw);
        same_number.filter(is_same).or_else(|| new.draw_numbers().find(is_same)).or(same_number)
    }

    /// A run.
    pub fn run(&self, key: RunKey) -> Option<RunKey> {
        Some(RunKey { id: self.task(key.id)?, draw: self.draw(key.id, key.draw)? })
    }

    /// A run that says the same as before.
    pub fn same_run(&self, key: RunKey) -> Option<RunKey> {
        let run = self.run(key)?;
        let print = |side: Side<'a>, key: RunKey| side.print(side.task(key.id)?, key.draw);
        let before = print(self.old, key);
        (before.is_some() && before == print(self.new, run)).then_some(run)
    }

    /// A pair.
    pub fn pair(&self, pair: PairId) -> Option<PairId> {
        let draw = self.draw(pair.id, pair.draw).filter(|draw| *draw != 0)?;
        Some(PairId { id: self.task(pair.id)?, draw })
    }

    /// What a note is about. Where its run is gone, it is about the task.
    pub fn about(&self, about: About) -> Option<About> {
        let draw = about.draw.and_then(|draw| self.draw(about.id, draw));
        let turn = about.turn.filter(|_| draw.is_some());
        Some(About { id: self.task(about.id)?, draw, turn })
    }
}
