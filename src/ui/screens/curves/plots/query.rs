//! What the page asks in the background.

use crate::engine::{BestThreshold, Curves, NearRuns, Scope, TaskId};
use crate::metrics::threshold::Aim;
use crate::model::Costs;
use crate::scorers::Scorer;
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::{KeptTasks, SelectedTasks};

/// Tasks on each side of a threshold that are listed.
pub const NEAR: usize = 10;

/// The curves of some scorers, without bands.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvesQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The cells that are looked at together.
    pub cells: Scope,
    /// The scorers.
    pub scorers: Vec<Scorer>,
}

impl Query for CurvesQuery {
    type Answer = Curves;
    const LANE: Lane = Lane::Curves;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Curves) -> bool) {
        let engine = self.tasks.value.engine();
        send(engine.curves(&engine.cells_of(&self.cells), &self.scorers, None));
    }
}

/// The same with bands, in a lane of their own, so that curves do not wait for them.
#[derive(Clone, Debug, PartialEq)]
pub struct BandsQuery(pub CurvesQuery);

impl Query for BandsQuery {
    type Answer = Curves;
    const LANE: Lane = Lane::Bands;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Curves) -> bool) {
        let CurvesQuery { tasks, cells, scorers } = &self.0;
        let engine = tasks.value.engine();
        send(engine.curves(&engine.cells_of(cells), scorers, Some(worker.resampling)));
    }
}

/// The best threshold of a scorer for an aim.
#[derive(Clone, Debug, PartialEq)]
pub struct BestQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The cells that are looked at together.
    pub cells: Scope,
    /// The scorer.
    pub scorer: Scorer,
    /// The aim.
    pub aim: Aim,
    /// What a failure, a review and a run cost.
    pub costs: Costs,
}

impl Query for BestQuery {
    type Answer = Option<BestThreshold>;
    const LANE: Lane = Lane::Threshold;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let engine = self.tasks.value.engine();
        let cells = engine.cells_of(&self.cells);
        let Self { scorer, aim, costs, .. } = &self;
        send(engine.best_threshold(&cells, scorer, *aim, costs, worker.resampling));
    }
}

/// The selected tasks just above and below a threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct NearQuery {
    /// The tasks.
    pub tasks: SelectedTasks,
    /// The cells that are looked at together.
    pub cells: Scope,
    /// The scorer.
    pub scorer: Scorer,
    /// The threshold, in the numbers that rank.
    pub threshold: f64,
}

impl Query for NearQuery {
    type Answer = NearRuns;
    const LANE: Lane = Lane::Near;

    fn run(self, _: &Worker, send: &mut dyn FnMut(NearRuns) -> bool) {
        let kept = &self.tasks.value;
        let engine = kept.engine();
        let cells = engine.cells_of(&self.cells);
        // One more on each side tells where the expression that selects them may end.
        let mut near = engine.near_threshold(&cells, &self.scorer, self.threshold, NEAR + 1);
        let whole = |id: &mut TaskId| *id = kept.whole_id(*id);
        near.above.iter_mut().chain(&mut near.below).for_each(|run| whole(&mut run.id));
        send(near);
    }
}
