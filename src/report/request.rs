//! Which table is wanted, and the one function that makes it.

use std::collections::HashMap;
use std::sync::Arc;

use super::table::{Provenance, Table};
use super::tables::{families, grid, judges, scope_in_words, store, stuck, tasks};
use crate::compare::{TurnView, turn_views};
use crate::engine::{Engine, TaskId, TaskTable};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::model::Trajectory;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::store::{Store, StoreError};

/// A table that needs nothing but the store: what `--table` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Every scorer in every cell.
    Grid,
    /// What the store holds.
    Cells,
    /// Every task under every scorer.
    Tasks,
    /// Agreement by the outcomes of pairs.
    StuckPairs,
    /// Agreement by the solvability of tasks.
    StuckTasks,
    /// The tasks that no draw solves, by agreement.
    Stuck,
    /// What stuck tasks do to consistency.
    StuckEffect,
    /// Judges compared with each other and the database.
    Judges,
    /// `ter` under every judge.
    JudgeTer,
    /// The pairs that a person should look at first.
    Triage,
    /// Best scorer of every family, mean and peak.
    Families,
    /// Best reflexive scorer compared with the best consistency scorer.
    Paired,
    /// AUROC over the number of samples.
    Samples,
    /// What counts alone predict.
    Baselines,
    /// What every family costs.
    Cost,
    /// How far aggregators move a base score.
    Swing,
}

impl TableKind {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Grid,
        Self::Cells,
        Self::Tasks,
        Self::StuckPairs,
        Self::StuckTasks,
        Self::Stuck,
        Self::StuckEffect,
        Self::Judges,
        Self::JudgeTer,
        Self::Triage,
        Self::Families,
        Self::Paired,
        Self::Samples,
        Self::Baselines,
        Self::Cost,
        Self::Swing,
    ];

    /// The id that `--table` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Cells => "cells",
            Self::Tasks => "tasks",
            Self::StuckPairs => "stuck-pairs",
            Self::StuckTasks => "stuck-tasks",
            Self::Stuck => "stuck",
            Self::StuckEffect => "stuck-effect",
            Self::Judges => "judges",
            Self::JudgeTer => "judge-ter",
            Self::Triage => "triage",
            Self::Families => "families",
            Self::Paired => "paired",
            Self::Samples => "samples",
            Self::Baselines => "baselines",
            Self::Cost => "cost",
            Self::Swing => "swing",
        }
    }
}

/// How the numbers of a table are computed.
#[derive(Clone, Copy, Debug)]
pub struct TableOptions {
    /// The metric, for a table about one.
    pub metric: Metric,
    /// How intervals are drawn.
    pub resampling: Resampling,
    /// PRR with ties in the order of the tasks.
    pub row_order: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self { metric: Metric::Auroc, resampling: Resampling::default(), row_order: false }
    }
}

/// A table that is wanted, with what a screen adds to it.
#[derive(Clone, Debug)]
pub enum TableRequest {
    /// A table that needs nothing but the store.
    Kind(TableKind),
    /// The grid of some scorers.
    Grid(Vec<Scorer>),
    /// The tasks of a list under a scorer, in the list's order. Its ids are those of the engine over
    /// all tasks.
    TaskList {
        /// The list.
        list: Arc<TaskTable>,
        /// The scorer of its scores and ranks.
        scorer: Scorer,
        /// What people wrote, by task.
        notes: HashMap<TaskId, String>,
    },
    /// Every task with its outcomes, counts and costs.
    TaskFacts,
    /// People compared with each other.
    Annotators,
    /// The turns of a run: what each did, its confidence and its weight.
    Turns(Vec<TurnEntry>),
}

/// A turn of a run in a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnEntry {
    /// What the turn did.
    pub action: String,
    /// Its confidence, rank and weight.
    pub view: TurnView,
    /// Tokens that were scored.
    pub tokens: Option<u32>,
}

impl From<TableKind> for TableRequest {
    fn from(kind: TableKind) -> Self {
        Self::Kind(kind)
    }
}

impl TableRequest {
    /// The turns of a run under a base score and an aggregator.
    pub fn turns(run: &Trajectory, base: Base, rule: Aggregator) -> Self {
        let views = turn_views(run, base, rule).into_iter().enumerate();
        let entry = |(turn, view): (usize, TurnView)| TurnEntry {
            action: run.action(turn),
            view,
            tokens: run.turns[turn].scores.map(|scores| scores.tokens),
        };
        Self::Turns(views.map(entry).collect())
    }
}

/// Makes any table. Only what the draws of stuck tasks repeat is in the store's texts: without a
/// store, that column is empty.
pub fn table(
    request: &TableRequest,
    engine: &Engine,
    store: Option<&Store>,
    options: &TableOptions,
) -> Result<Table, StoreError> {
    let made = match request {
        TableRequest::Kind(kind) => of_kind(*kind, engine, store, options)?,
        TableRequest::Grid(scorers) => grid::grid(engine, scorers, options),
        TableRequest::TaskList { list, scorer, notes } => tasks::list(engine, list, scorer, notes),
        TableRequest::TaskFacts => tasks::facts(engine),
        TableRequest::Annotators => judges::annotators(engine, options),
        TableRequest::Turns(turns) => tasks::turns(turns),
    };
    let resampling = made.has_intervals().then_some(options.resampling);
    let provenance = Provenance { resampling, ..Provenance::of(engine.manifest()) };
    Ok(made.in_scope(scope_in_words(engine), provenance))
}

fn of_kind(
    kind: TableKind,
    engine: &Engine,
    store: Option<&Store>,
    options: &TableOptions,
) -> Result<Table, StoreError> {
    Ok(match kind {
        TableKind::Grid => grid::grid(engine, engine.scorers(), options),
        TableKind::Cells => store::cell_counts(engine),
        TableKind::Tasks => tasks::scores(engine),
        TableKind::StuckPairs => stuck::pairs(engine, options),
        TableKind::StuckTasks => stuck::tasks(engine, options),
        TableKind::Stuck => stuck::list(engine, store)?,
        TableKind::StuckEffect => stuck::effect(engine, options),
        TableKind::Judges => judges::judges(engine, options),
        TableKind::JudgeTer => judges::ter(engine, options),
        TableKind::Triage => judges::triage(engine),
        TableKind::Families => families::families(engine, options),
        TableKind::Paired => families::paired(engine, options),
        TableKind::Samples => grid::samples(engine),
        TableKind::Baselines => grid::baselines(engine, options),
        TableKind::Cost => families::cost(engine),
        TableKind::Swing => grid::swing(engine, options),
    })
}
