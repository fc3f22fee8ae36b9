//! What the screen asks in the background.

use super::Group;
use crate::engine::{
    PairOutcome, SampleBand, Scope, ScopeEffect, Solvability, StuckRow, StuckTask, TaskId,
};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::report::TableRequest;
use crate::scorers::pattern::Pattern;
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::{Blind, KeptTasks};

/// Stuck tasks whose patterns are looked up: as many as one scrolls through.
const MOST_PATTERNS: usize = 5_000;

/// How far draws agree, and which tasks are stuck.
#[derive(Clone, Debug, PartialEq)]
pub struct StuckQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The cells that are looked at together.
    pub scope: Scope,
    /// The metric of effect and samples.
    pub metric: Metric,
    /// The pairs that the user voted on, where the others are held back.
    pub blind: Option<Blind>,
}

/// How far draws agree, and which tasks are stuck.
#[derive(Clone, Debug, Default)]
pub struct StuckAnswer {
    /// Agreement by the outcome of pairs.
    pub pairs: Vec<StuckRow<PairOutcome>>,
    /// Agreement by how often tasks are solved.
    pub tasks: Vec<StuckRow<Solvability>>,
    /// The metric under each treatment.
    pub effect: Vec<ScopeEffect>,
    /// The metric by the number of samples.
    pub samples: Vec<SampleBand>,
    /// The tasks that no draw solves, the most stuck first.
    pub list: Vec<StuckTask>,
    /// How many tasks are held back, stuck or not.
    pub held_back: usize,
    /// What the draws of the first of them repeat.
    pub patterns: Vec<Option<Pattern>>,
}

/// One number of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupValue {
    /// Mean agreement; none of an empty group.
    pub mean: Option<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
    /// Pairs or tasks that it counts.
    pub n: usize,
    /// The tasks that these are, or belong to.
    pub tasks: usize,
}

impl StuckAnswer {
    /// The agreement of a group under a scorer.
    pub fn value(&self, scorer: &str, group: Group) -> Option<GroupValue> {
        fn value<G>(row: &StuckRow<G>) -> GroupValue {
            GroupValue { mean: row.mean, interval: row.interval, n: row.n, tasks: row.tasks }
        }
        match group {
            Group::Pairs(outcome) => find(&self.pairs, scorer, &outcome).map(value),
            Group::Tasks(solvability) => find(&self.tasks, scorer, &solvability).map(value),
        }
    }

    /// The same as the row of a table.
    pub fn row(&self, scorer: &str, group: Group) -> Option<TableRequest> {
        Some(match group {
            Group::Pairs(outcome) => {
                TableRequest::StuckPairs(vec![find(&self.pairs, scorer, &outcome)?.clone()])
            }
            Group::Tasks(solvability) => {
                TableRequest::StuckTasks(vec![find(&self.tasks, scorer, &solvability)?.clone()])
            }
        })
    }
}

fn find<'r, G: PartialEq>(
    rows: &'r [StuckRow<G>],
    scorer: &str,
    group: &G,
) -> Option<&'r StuckRow<G>> {
    rows.iter().find(|row| row.scorer == scorer && row.group == *group)
}

impl StuckQuery {
    fn pairs(&self, resampling: Option<Resampling>) -> Vec<StuckRow<PairOutcome>> {
        let engine = self.tasks.value.engine();
        engine.stuck_pairs(std::slice::from_ref(&self.scope), &engine.consistency_ids(), resampling)
    }

    fn tasks(&self, resampling: Option<Resampling>) -> Vec<StuckRow<Solvability>> {
        let engine = self.tasks.value.engine();
        engine.stuck_tasks(std::slice::from_ref(&self.scope), &engine.consistency_ids(), resampling)
    }

    fn effect(&self, resampling: Option<Resampling>) -> Vec<ScopeEffect> {
        self.tasks.value.engine().scope_effect(&self.scope, self.metric, resampling)
    }

    fn samples(&self, resampling: Option<Resampling>) -> Vec<SampleBand> {
        self.tasks.value.engine().sample_bands(&self.scope, self.metric, resampling)
    }
}

impl Query for StuckQuery {
    type Answer = StuckAnswer;
    const LANE: Lane = Lane::Stuck;

    /// Numbers first; then what the draws repeat; then intervals.
    fn run(self, worker: &Worker, send: &mut dyn FnMut(StuckAnswer) -> bool) {
        let kept = &self.tasks.value;
        let engine = kept.engine();
        let mut answer = StuckAnswer {
            pairs: self.pairs(None),
            tasks: self.tasks(None),
            effect: self.effect(None),
            samples: self.samples(None),
            list: engine.stuck_list(&self.scope),
            held_back: 0,
            patterns: Vec::new(),
        };
        if let Some(blind) = &self.blind {
            // To be in the list tells that all draws failed.
            let whole = kept.whole();
            answer.list.retain(|task| !blind.value.is_open(kept.whole_id(task.id), whole));
            let holds = |cell: usize| self.scope.holds(&whole.frames()[cell].cell);
            answer.held_back = blind.value.open(whole, holds).tasks;
        }
        let ids: Vec<TaskId> = answer.list.iter().take(MOST_PATTERNS).map(|task| task.id).collect();
        // From here on tasks are named by their ids among all.
        answer.list.iter_mut().for_each(|task| task.id = kept.whole_id(task.id));
        if !send(answer.clone()) {
            return;
        }
        // A store whose action types cannot be read shows no patterns; opening a run says why.
        answer.patterns = engine.patterns(&worker.store, &ids).unwrap_or_default();
        if !send(answer.clone()) {
            return;
        }
        answer.pairs = self.pairs(Some(worker.resampling));
        answer.tasks = self.tasks(Some(worker.resampling));
        if !send(answer.clone()) {
            return;
        }
        answer.effect = self.effect(Some(worker.resampling));
        if send(answer.clone()) {
            answer.samples = self.samples(Some(worker.resampling));
            send(answer);
        }
    }
}
