//! What the page asks in the background.

use super::MOST_LISTED;
use crate::engine::{Scope, StopIntervals, StoppedRun, Stopping};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::{KeptTasks, SelectedTasks};

/// Early stopping at all thresholds.
#[derive(Clone, Debug, PartialEq)]
pub struct StoppingQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The cells that are looked at together.
    pub cells: Scope,
    /// The base score.
    pub base: Base,
    /// The aggregator over the turns so far.
    pub rule: Aggregator,
}

impl StoppingQuery {
    fn simulated(&self) -> Option<Stopping> {
        let engine = self.tasks.value.engine();
        engine.stopping(&engine.cells_of(&self.cells), self.base, self.rule)
    }
}

impl Query for StoppingQuery {
    type Answer = Option<Stopping>;
    const LANE: Lane = Lane::Stopping;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        send(self.simulated());
    }
}

/// The intervals of what a threshold does.
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalsQuery {
    /// The simulation.
    pub question: StoppingQuery,
    /// The threshold, as the scorer ranks.
    pub threshold: f64,
}

impl Query for IntervalsQuery {
    /// The intervals, and the resamples behind them.
    type Answer = (StopIntervals, usize);
    const LANE: Lane = Lane::StopIntervals;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let engine = self.question.tasks.value.engine();
        let Some(simulated) = self.question.simulated() else { return };
        let cells = engine.cells_of(&self.question.cells);
        let resampling = engine.affordable(&cells, worker.resampling);
        let mut found = simulated.intervals(engine, &[self.threshold], resampling);
        send((found.pop().unwrap_or_default(), resampling.resamples));
    }
}

/// The selected runs that a threshold stops.
#[derive(Clone, Debug, PartialEq)]
pub struct StoppedQuery {
    /// The tasks.
    pub tasks: SelectedTasks,
    /// The cells that are looked at together.
    pub cells: Scope,
    /// The base score.
    pub base: Base,
    /// The aggregator over the turns so far.
    pub rule: Aggregator,
    /// The threshold, as the scorer ranks.
    pub threshold: f64,
}

impl Query for StoppedQuery {
    /// Their number, and the first of them.
    type Answer = (usize, Vec<StoppedRun>);
    const LANE: Lane = Lane::Behind;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let kept = &self.tasks.value;
        let engine = kept.engine();
        let simulated = engine.stopping(&engine.cells_of(&self.cells), self.base, self.rule);
        let mut runs = simulated.map_or(Vec::new(), |found| found.stopped(self.threshold));
        let count = runs.len();
        runs.truncate(MOST_LISTED);
        runs.iter_mut().for_each(|run| run.id = kept.whole_id(run.id));
        send((count, runs));
    }
}
