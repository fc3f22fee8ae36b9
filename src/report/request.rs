//! Which table is wanted, and the one function that makes it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::layout::GridLayout;
use super::table::{Provenance, Table};
use super::tables::versus::ChangedTask;
use super::tables::{
    checks, counts, decisions, families, grid, judges, locate, scope_in_words, signal, stopping,
    store, stuck, task_list, tasks, versus,
};
use crate::compare::{TurnView, turn_views};
use crate::engine::{
    BestThreshold, CellPairs, CellVersus, Column, Engine, GridValue, PairOrder, PairOutcome, Scope,
    Solvability, StuckRow, StuckTask, TaskId, TaskTable,
};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::metrics::threshold::Aim;
use crate::model::{Cell, Costs, Trajectory};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::pattern::Pattern;
use crate::scorers::whitebox::Base;
use crate::scorers::{Family, Recipe, Scorer};
use crate::store::{Cause, StepLabel, Store, StoreError};
use crate::text::counted;

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
    /// All pairs in random order.
    Audit,
    /// The pairs on which people disagree.
    Adjudication,
    /// How well turn confidence locates the decisive error.
    Locate,
    /// What rewards are made of and which checks fail.
    Checks,
    /// Best scorer of every family, mean and peak.
    Families,
    /// Best scorer of the three families of methods.
    Methods,
    /// Best reflexive scorer compared with the best consistency scorer.
    Paired,
    /// A metric over the number of samples.
    Samples,
    /// What counts alone predict.
    Baselines,
    /// What every family costs.
    Cost,
    /// How far aggregators move a base score.
    Swing,
    /// Counts and means over the whole grid.
    Counts,
    /// Success in k draws.
    PassK,
    /// How far repeats of the same runs differ.
    Noise,
    /// Two cells on the tasks they share.
    Versus,
    /// Points of curves.
    Curves,
    /// The best threshold for an aim.
    Thresholds,
    /// Ensembles of scorers.
    Ensemble,
    /// Calibrated scorers.
    Calibration,
    /// How well turns separate failures, by their position in the run.
    Positions,
    /// How well turns separate failures, by what they did.
    Tools,
    /// Early stopping, simulated on recorded runs.
    Stopping,
}

impl TableKind {
    /// All of them.
    pub const ALL: [Self; 32] = [
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
        Self::Audit,
        Self::Adjudication,
        Self::Locate,
        Self::Checks,
        Self::Families,
        Self::Methods,
        Self::Paired,
        Self::Samples,
        Self::Baselines,
        Self::Cost,
        Self::Swing,
        Self::Counts,
        Self::PassK,
        Self::Noise,
        Self::Versus,
        Self::Curves,
        Self::Thresholds,
        Self::Ensemble,
        Self::Calibration,
        Self::Positions,
        Self::Tools,
        Self::Stopping,
    ];

    /// Whether every row is about a task.
    pub fn lists_tasks(self) -> bool {
        matches!(self, Self::Tasks | Self::Stuck | Self::Triage)
    }

    /// Whether it is computed from outcomes and the values of its scorers alone.
    pub fn needs_only_values(self) -> bool {
        matches!(self, Self::Grid | Self::Curves)
    }

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
            Self::Audit => "audit",
            Self::Adjudication => "adjudication",
            Self::Locate => "locate",
            Self::Checks => "checks",
            Self::Families => "families",
            Self::Methods => "methods",
            Self::Paired => "paired",
            Self::Samples => "samples",
            Self::Baselines => "baselines",
            Self::Cost => "cost",
            Self::Swing => "swing",
            Self::Counts => "counts",
            Self::PassK => "passk",
            Self::Noise => "noise",
            Self::Versus => "versus",
            Self::Curves => "curves",
            Self::Thresholds => "thresholds",
            Self::Ensemble => "ensemble",
            Self::Calibration => "calibration",
            Self::Positions => "positions",
            Self::Tools => "tools",
            Self::Stopping => "stopping",
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
    /// Summaries of families take all white-box scorers, not only those of the paper's main table.
    pub all_scorers: bool,
    /// Early stopping at every threshold, not only at those that stop each further 5% of the runs.
    pub all_thresholds: bool,
}

impl TableOptions {
    /// Leaves an engine with the scorers that summaries of families take.
    pub(super) fn choose_scorers(&self, engine: &mut Engine) {
        if !self.all_scorers {
            engine.retain(|_| true, Scorer::is_in_main_table);
        }
    }

    /// Which white-box scorers these are, in words.
    pub(super) fn scorers_in_words(&self, engine: &Engine) -> Option<String> {
        let scorers = engine.scorers().iter();
        let count = scorers.filter(|scorer| scorer.family() == Family::WhiteBox).count();
        let white_box = counted(count as u64, "white-box scorer");
        let which = if self.all_scorers {
            "all of them"
        } else {
            "those of the paper's main table (sp, lnsp, atn under first, mean, min and last); \
             --all-scorers takes all"
        };
        (count > 0).then(|| format!("{white_box}: {which}"))
    }
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            metric: Metric::Auroc,
            resampling: Resampling::default(),
            row_order: false,
            all_scorers: false,
            all_thresholds: false,
        }
    }
}

/// A table that is wanted, with what a screen adds to it.
#[derive(Clone, Debug)]
pub enum TableRequest {
    /// A table that needs nothing but the store.
    Kind(TableKind),
    /// Counts and means over the whole grid.
    Counts {
        /// The scorer that others are counted against; the best fixed one if none is named.
        versus: Option<Scorer>,
    },
    /// Pairs of cells compared, the baseline first.
    Versus(CellPairs),
    /// Cells that were compared already.
    VersusKnown(Box<CellVersus>),
    /// Tasks that changed between two cells.
    ChangedTasks([Cell; 2], Vec<ChangedTask>),
    /// Points of the curves of some scorers.
    Curves {
        /// The scorers.
        scorers: Vec<Scorer>,
        /// All cells together.
        pool: bool,
    },
    /// The best thresholds of some scorers.
    Thresholds {
        /// The scorers.
        scorers: Vec<Scorer>,
        /// What they are to achieve.
        aims: Vec<Aim>,
        /// What things cost.
        costs: Costs,
        /// All cells together.
        pool: bool,
    },
    /// A threshold that is known already.
    KnownThreshold {
        /// The cells that it is of together.
        cells: Scope,
        /// The scorer.
        scorer: Scorer,
        /// The threshold, and what it achieves.
        best: Box<BestThreshold>,
        /// What things cost.
        costs: Costs,
    },
    /// Some ensembles.
    Ensembles(Vec<Recipe>),
    /// Calibrations of some scorers.
    Calibrations(Vec<Scorer>),
    /// Scorers compared with one in every cell.
    Paired {
        /// The scorers that are compared.
        scorers: Vec<Scorer>,
        /// The one that they are compared with.
        versus: Scorer,
    },
    /// The grid of some scorers.
    Grid {
        /// The scorers.
        scorers: Vec<Scorer>,
        /// How it is laid out.
        layout: GridLayout,
    },
    /// Values of the grid that are known already.
    GridValues {
        /// The scorers that the values name by their index.
        scorers: Vec<Scorer>,
        /// The values.
        values: Vec<GridValue>,
    },
    /// Agreement by the outcomes of pairs that is known already.
    StuckPairs(Vec<StuckRow<PairOutcome>>),
    /// Agreement by the solvability of tasks that is known already.
    StuckTasks(Vec<StuckRow<Solvability>>),
    /// Tasks that no draw solves, each with what its draws repeat.
    Unsolved(Vec<(StuckTask, Option<Pattern>)>),
    /// Tasks of a list under a scorer.
    TaskList(Box<TaskListing>),
    /// Every task with its outcomes, counts and costs.
    TaskFacts,
    /// A table of judges or pairs for somebody who votes, without what would tell of pairs that are not
    /// voted on.
    ForVoter {
        /// Which table.
        kind: TableKind,
        /// Who votes.
        voter: String,
    },
    /// People compared with each other.
    Annotators,
    /// The turns of a run: what each did, its confidence and its weight.
    Turns(Vec<TurnEntry>),
}

/// Tasks of a list as a table shows them. Its ids are those of the engine over all tasks.
#[derive(Clone, Debug)]
pub struct TaskListing {
    /// The list.
    pub list: Arc<TaskTable>,
    /// The rows of it that are wanted, in their order.
    pub rows: Vec<TaskId>,
    /// The columns, in their order.
    pub columns: Vec<Column>,
    /// The scorer of its scores and ranks.
    pub scorer: Scorer,
    /// Its further scorers.
    pub extra: Vec<Scorer>,
    /// What people wrote, by task.
    pub notes: HashMap<TaskId, String>,
    /// What is held back from somebody who votes: the values of these tasks in these columns.
    pub held_back: (HashSet<TaskId>, Vec<Column>),
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
    /// Who marked it as the decisive error, and the cause.
    pub errors: Vec<(String, Cause)>,
}

impl From<TableKind> for TableRequest {
    fn from(kind: TableKind) -> Self {
        Self::Kind(kind)
    }
}

impl TableRequest {
    /// The turns of a run under a base score and an aggregator, with the marks of people on them.
    pub fn turns(run: &Trajectory, base: Base, rule: Aggregator, marks: &[StepLabel]) -> Self {
        let views = turn_views(run, base, rule).into_iter().enumerate();
        let entry = |(turn, view): (usize, TurnView)| {
            let here = marks.iter().filter(|label| label.turn as usize == turn);
            TurnEntry {
                action: run.action(turn),
                view,
                tokens: run.turns[turn].scores.map(|scores| scores.tokens),
                errors: here.map(|label| (label.author.clone(), label.cause)).collect(),
            }
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
        TableRequest::Kind(kind) => of_kind(*kind, engine, store, options, None)?,
        TableRequest::ForVoter { kind, voter } => {
            of_kind(*kind, engine, store, options, Some(voter))?
        }
        TableRequest::Counts { versus } => counts::counts(engine, versus.as_ref(), options),
        TableRequest::Versus(pairs) => versus::versus(engine, store, Some(pairs), options)?,
        TableRequest::VersusKnown(known) => {
            versus::of_versus(std::slice::from_ref(known), options.metric)
        }
        TableRequest::ChangedTasks(cells, tasks) => versus::of_changed(cells, tasks),
        TableRequest::Curves { scorers, pool } => {
            decisions::curves(engine, scorers, *pool, options)
        }
        TableRequest::Thresholds { scorers, aims, costs, pool } => {
            decisions::thresholds(engine, scorers, aims, costs, *pool, options)
        }
        TableRequest::KnownThreshold { cells, scorer, best, costs } => {
            decisions::known_threshold(engine, cells, scorer, best, costs)
        }
        TableRequest::Ensembles(recipes) => decisions::ensembles(engine, recipes, options),
        TableRequest::Calibrations(scorers) => decisions::calibrations(engine, scorers, options),
        TableRequest::Paired { scorers, versus } => {
            families::paired_with(engine, scorers, versus, options)
        }
        TableRequest::Grid { scorers, layout } => grid::grid(engine, scorers, layout, options),
        TableRequest::GridValues { scorers, values } => {
            grid::of_values(engine, scorers, values, options.metric)
        }
        TableRequest::StuckPairs(rows) => stuck::pair_rows(engine, rows),
        TableRequest::StuckTasks(rows) => stuck::task_rows(engine, rows),
        TableRequest::Unsolved(list) => stuck::unsolved(engine, list),
        TableRequest::TaskList(listing) => task_list::task_list(engine, listing),
        TableRequest::TaskFacts => tasks::facts(engine),
        TableRequest::Annotators => judges::annotators(engine, options),
        TableRequest::Turns(turns) => tasks::turns(turns),
    };
    let resampling = made.has_intervals().then_some(options.resampling);
    let provenance = Provenance { resampling, ..Provenance::of(engine.manifest()) };
    Ok(made.in_scope(scope_in_words(engine), provenance))
}

/// The scorer that a store opens with, where a table is about few.
pub(super) fn usual_scorer(engine: &Engine) -> Vec<Scorer> {
    engine.usual_view().map(|(scorer, _)| scorer).into_iter().collect()
}

fn of_kind(
    kind: TableKind,
    engine: &Engine,
    store: Option<&Store>,
    options: &TableOptions,
    voter: Option<&str>,
) -> Result<Table, StoreError> {
    Ok(match kind {
        TableKind::Grid => grid::grid(engine, engine.scorers(), &GridLayout::default(), options),
        TableKind::Cells => store::cells_in(engine),
        TableKind::Tasks => tasks::scores(engine),
        TableKind::StuckPairs => stuck::pairs(engine, options),
        TableKind::StuckTasks => stuck::tasks(engine, options),
        TableKind::Stuck => stuck::list(engine, store)?,
        TableKind::StuckEffect => stuck::effect(engine, options),
        TableKind::Judges => judges::judges(engine, options, voter),
        TableKind::JudgeTer => judges::ter(engine, options, voter),
        TableKind::Triage => judges::triage(engine, PairOrder::Queue, voter),
        TableKind::Audit => judges::triage(engine, PairOrder::Audit, voter),
        TableKind::Adjudication => judges::triage(engine, PairOrder::Adjudication, voter),
        TableKind::Locate => locate::table(engine, store, options)?,
        TableKind::Checks => checks::checks(engine),
        TableKind::Families => families::families(engine, options),
        TableKind::Methods => families::methods(engine, options),
        TableKind::Paired => families::paired(engine, options),
        TableKind::Samples => grid::samples(engine, options.metric),
        TableKind::Baselines => grid::baselines(engine, options),
        TableKind::Cost => families::cost(engine),
        TableKind::Swing => grid::swing(engine, options),
        TableKind::Counts => counts::counts(engine, None, options),
        TableKind::PassK => versus::passk(engine, store, options)?,
        TableKind::Noise => versus::noise(engine, store, options)?,
        TableKind::Versus => versus::versus(engine, store, None, options)?,
        TableKind::Curves => decisions::curves(engine, &usual_scorer(engine), false, options),
        TableKind::Thresholds => {
            let costs = store.map(Store::costs).transpose()?.flatten().unwrap_or_default();
            let scorers = usual_scorer(engine);
            decisions::thresholds(engine, &scorers, &Aim::USUAL, &costs, false, options)
        }
        TableKind::Ensemble => decisions::ensembles(engine, &engine.usual_ensembles(), options),
        TableKind::Calibration => decisions::calibrations(engine, &usual_scorer(engine), options),
        TableKind::Positions => signal::positions(engine, options),
        TableKind::Tools => signal::tools(engine, store, options)?,
        TableKind::Stopping => stopping::table(engine, options),
    })
}
