//! What the page asks in the background.

use crate::engine::{MethodBest, PairedCell};
use crate::metrics::Metric;
use crate::scorers::Scorer;
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::KeptTasks;

/// The best scorer of every family of methods in every cell.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodsQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The metric.
    pub metric: Metric,
}

impl Query for MethodsQuery {
    /// First without intervals, then with them.
    type Answer = Vec<MethodBest>;
    const LANE: Lane = Lane::Families;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let engine = self.tasks.value.engine();
        if send(engine.best_of_methods(self.metric, None)) {
            send(engine.best_of_methods(self.metric, Some(worker.resampling)));
        }
    }
}

/// Two scorers in every cell.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The metric.
    pub metric: Metric,
    /// The first scorer.
    pub first: Scorer,
    /// The second scorer, which is subtracted.
    pub second: Scorer,
}

impl Query for PairedQuery {
    type Answer = Vec<PairedCell>;
    const LANE: Lane = Lane::Paired;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let engine = self.tasks.value.engine();
        let Self { metric, first, second, .. } = &self;
        send(engine.paired_scorers(first, second, *metric, worker.resampling));
    }
}
