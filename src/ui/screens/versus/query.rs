//! What the screen asks in the background.

use crate::engine::{CellVersus, Change, Source, TaskId, VersusOptions};
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::metrics::{Metric, Repeats};
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::{Blind, KeptTasks};

/// Two cells, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct VersusQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The first cell and the second.
    pub pair: [usize; 2],
    /// The metric of scorers.
    pub metric: Metric,
    /// The pairs that the user voted on, where the others are held back.
    pub blind: Option<Blind>,
}

/// A task that changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedTask {
    /// Its ids in the first cell and in the second, among all tasks.
    pub ids: [TaskId; 2],
    /// How often its draws succeed in both.
    pub repeats: [Repeats; 2],
    /// A draw of each that shows the change.
    pub draws: [u32; 2],
}

/// Two cells, compared.
#[derive(Clone, Debug)]
pub struct VersusAnswer {
    /// The numbers.
    pub one: CellVersus,
    /// The tasks in scope that are fixed, broken and shaky.
    pub lists: [Vec<ListedTask>; 3],
    /// How many tasks are held back from the lists.
    pub held_back: usize,
    /// Why what runs took could not be read.
    pub problem: Option<String>,
}

impl VersusQuery {
    fn answer(&self, worker: &Worker, resampling: Option<Resampling>) -> VersusAnswer {
        let kept = &self.tasks.value;
        let engine = kept.engine();
        let (runs, problem) = worker.run_columns();
        let source = Source { engine, runs };
        let options = VersusOptions {
            scorers: engine.scorers(),
            metric: self.metric,
            resampling,
            confidence: Interval::CONFIDENCE,
        };
        let one = CellVersus::new([source; 2], self.pair, &options);
        let mut held_back = 0;
        let lists = Change::LISTED.map(|change| {
            let mut listed = Vec::new();
            for task in one.versus.changed(change) {
                let ids = [0, 1].map(|side| {
                    let cell = self.pair[side] as u32;
                    kept.whole_id(TaskId { cell, task: task.rows[side] })
                });
                // To be in a list tells how the draws ended.
                let is_open =
                    |blind: &Blind| ids.iter().any(|id| blind.value.is_open(*id, kept.whole()));
                if self.blind.as_ref().is_some_and(is_open) {
                    held_back += 1;
                } else {
                    listed.push(ListedTask { ids, repeats: task.repeats, draws: task.draws });
                }
            }
            listed
        });
        VersusAnswer { one, lists, held_back, problem: problem.clone() }
    }
}

impl Query for VersusQuery {
    type Answer = VersusAnswer;
    const LANE: Lane = Lane::Versus;

    /// Numbers and lists first, then intervals.
    fn run(self, worker: &Worker, send: &mut dyn FnMut(VersusAnswer) -> bool) {
        if send(self.answer(worker, None)) {
            send(self.answer(worker, Some(worker.resampling)));
        }
    }
}
