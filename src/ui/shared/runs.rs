//! The texts of the runs on screen, and how runs are shown.

use std::sync::Arc;

use super::{Load, Shared};
use crate::compare::{Measure, TurnView, turn_views};
use crate::engine::TaskId;
use crate::model::Trajectory;
use crate::store::StoreError;
use crate::ui::panel::Detail;
use crate::ui::query::{Asked, Lane, Query, Worker};
use crate::ui::renewal::NewIds;

/// One draw of one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunKey {
    /// The task.
    pub id: TaskId,
    /// The draw.
    pub draw: u32,
}

/// A run with its text.
#[derive(Debug)]
pub struct Opened {
    /// The run.
    pub run: Trajectory,
    /// What its task asks: hidden from the agent.
    pub instruction: Option<String>,
}

/// How runs are shown, on every screen that shows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunDisplay {
    /// How much of every action.
    pub detail: Detail,
    /// What tokens are coloured by.
    pub heat: Option<Measure>,
    /// Messages are compared with the first pane's word by word.
    pub words: bool,
}

/// Runs that are open. Only what is looked at is kept: a run may be megabytes.
#[derive(Debug, Default)]
pub struct Runs {
    open: Vec<(RunKey, Load<Arc<Opened>>)>,
    asked: Asked<RunsQuery>,
}

impl Runs {
    /// A run that was asked for; none when it was not.
    pub fn get(&self, key: RunKey) -> Option<&Load<Arc<Opened>>> {
        self.open.iter().find(|(open, _)| *open == key).map(|(_, run)| run)
    }

    /// Keeps the runs that say the same in another reading of the store.
    pub(super) fn renew(&mut self, ids: &NewIds<'_>) {
        self.asked.forget();
        let kept = std::mem::take(&mut self.open).into_iter();
        let kept = kept.filter(|(_, run)| matches!(run, Load::Ready(_)));
        self.open = kept.filter_map(|(key, run)| Some((ids.same_run(key)?, run))).collect();
    }

    /// Takes in what was read, if it is still waited for.
    pub(super) fn poll(&mut self) {
        for (key, run) in self.asked.take() {
            if let Some((_, open)) = self.open.iter_mut().find(|(open, _)| *open == key) {
                *open = run.map_or_else(Load::Failed, |run| Load::Ready(Arc::new(run)));
            }
        }
    }
}

impl Shared {
    /// Confidence, rank and weight of every turn of a run under the lens.
    pub fn turn_views(&self, run: &Trajectory) -> Vec<TurnView> {
        turn_views(run, self.lens.base(), self.lens.turn_rule())
    }

    /// Asks for the texts of these runs, and forgets all others.
    pub fn want_runs(&mut self, keys: &[RunKey]) {
        if keys.iter().all(|key| self.runs.get(*key).is_some()) {
            return;
        }
        // What is on its way is asked for again: a newer question overtakes it.
        self.runs.open.retain(|(key, run)| keys.contains(key) && !matches!(run, Load::Waiting));
        let mut missing = Vec::new();
        for key in keys.iter().filter(|key| self.runs.get(**key).is_none()).copied() {
            let row = self.task_of(key.id).and_then(|task| task.row_of(key.draw));
            missing.push((key, row));
        }
        for (key, row) in &missing {
            let unknown = || Load::Failed("the store has no such run".to_owned());
            self.runs.open.push((*key, row.map_or_else(unknown, |_| Load::Waiting)));
        }
        let runs = missing.into_iter().filter_map(|(key, row)| Some((key, row?))).collect();
        self.runs.asked.forget();
        self.runs.asked.want(RunsQuery { runs }, &mut self.effects);
    }
}

/// The texts of runs, with their rows in the store's table.
#[derive(Clone, PartialEq)]
struct RunsQuery {
    runs: Vec<(RunKey, u32)>,
}

impl Query for RunsQuery {
    type Answer = (RunKey, Result<Opened, String>);
    const LANE: Lane = Lane::Runs;

    /// One after the other, so that what can be read is shown.
    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        for (key, row) in self.runs {
            if !send((key, open(worker, row).map_err(|error| error.to_string()))) {
                return;
            }
        }
    }
}

fn open(worker: &Worker, row: u32) -> Result<Opened, StoreError> {
    let entry = worker.store.entry(u64::from(row))?;
    let run = worker.store.trajectory(&entry)?;
    let task = (entry.head.cell.dataset, entry.head.task);
    Ok(Opened { run, instruction: worker.instructions().get(&task).cloned() })
}
