//! The tables of `qualm report`, by name.

use super::kind::{TableKind, TableOptions};
use super::rows::{Field, Rows};
use super::{judges, stuck};
use crate::engine::{Counts, Engine, GridValue, best, families};
use crate::metrics::bootstrap::Interval;
use crate::metrics::{Metric, Ranking};
use crate::model::Cell;
use crate::scorers::Scorer;

/// Makes a table of what the engine knows. The patterns of `stuck` are in the store's texts: with
/// them it is made by [`super::stuck_list`].
pub fn table(kind: TableKind, engine: &Engine, options: &TableOptions) -> Rows {
    match kind {
        TableKind::Grid => grid(engine, options),
        TableKind::Cells => cells(engine),
        TableKind::Tasks => tasks(engine),
        TableKind::StuckPairs => stuck::pairs(engine, options),
        TableKind::StuckTasks => stuck::tasks(engine, options),
        TableKind::Stuck => stuck::stuck_list(engine, &[]),
        TableKind::StuckEffect => stuck::effect(engine, options),
        TableKind::Judges => judges::judges(engine, options),
        TableKind::JudgeTer => judges::ter(engine, options),
        TableKind::Triage => judges::triage(engine),
        TableKind::Families => family_rows(engine, options),
        TableKind::Paired => paired(engine, options),
        TableKind::Samples => samples(engine),
        TableKind::Baselines => baselines(engine, options),
        TableKind::Cost => cost(engine),
        TableKind::Swing => swing(engine, options),
    }
}

pub(super) fn cell_fields(cell: &Cell) -> [Field; 3] {
    [cell.dataset.clone().into(), cell.model.clone().into(), cell.condition.clone().into()]
}

pub(super) fn ends(interval: Option<Interval>) -> [Field; 2] {
    [interval.map(|own| own.lo).into(), interval.map(|own| own.hi).into()]
}

/// The columns of a grid.
pub(super) const GRID: [&str; 13] = [
    "dataset",
    "model",
    "condition",
    "scorer",
    "aggregator",
    "metric",
    "value",
    "lo",
    "hi",
    "n",
    "successes",
    "minority",
    "flagged",
];

fn grid(engine: &Engine, options: &TableOptions) -> Rows {
    grid_of(engine, engine.scorers(), options)
}

/// The grid of chosen scorers.
pub fn grid_of(engine: &Engine, scorers: &[Scorer], options: &TableOptions) -> Rows {
    let mut rows = Rows::new(&GRID);
    let row_order = options.row_order && options.metric == Metric::Prr;
    // An order-dependent value has no interval: resamples have no order.
    let resampling = (!row_order && options.resampling.resamples > 0).then_some(options.resampling);
    for GridValue { cell, scorer, value, interval, counts } in
        engine.grid_of(scorers, options.metric, resampling)
    {
        let scorer = &scorers[scorer];
        let value = if row_order { engine.prr_in_order(cell, scorer) } else { value };
        let mut row = cell_fields(&engine.frames()[cell].cell).to_vec();
        row.push(scorer.id().into());
        row.push(scorer.aggregator().map(crate::scorers::aggregate::Aggregator::id).into());
        row.push(options.metric.id().into());
        row.push(value.map_or_else(|| undefined(options.metric, counts), Field::from));
        row.extend(ends(interval));
        row.extend(count_fields(counts));
        rows.push(row);
    }
    rows
}

/// Why a metric has no value.
pub(super) fn undefined(metric: Metric, counts: Counts) -> Field {
    match counts {
        Counts { tasks: 0, .. } => Field::NotApplicable("no labels"),
        // These are defined for one class too; the scores are no probabilities.
        _ if metric.needs_probabilities() => Field::NotApplicable("not in 0..1"),
        Counts { tasks, successes } if successes == tasks => Field::NotApplicable("all passed"),
        Counts { successes: 0, .. } => Field::NotApplicable("all failed"),
        _ => Field::Missing,
    }
}

pub(super) fn count_fields(counts: Counts) -> [Field; 4] {
    [
        counts.tasks.into(),
        counts.successes.into(),
        counts.minority().into(),
        Field::Mark(counts.is_flagged()),
    ]
}

fn cells(engine: &Engine) -> Rows {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "tasks",
        "trajectories",
        "labelled",
        "successes",
        "turns_with_logprobs",
        "skipped",
    ]);
    for own in &engine.manifest().cells {
        let mut row = cell_fields(&own.cell).to_vec();
        let counts = [
            own.tasks,
            own.trajectories,
            own.labelled,
            own.successes,
            own.turns_with_logprobs,
            own.skipped,
        ];
        row.extend(counts.map(Field::from));
        rows.push(row);
    }
    rows
}

/// The columns of a table of tasks.
pub const TASKS: [&str; 10] = [
    "dataset",
    "model",
    "condition",
    "task",
    "success",
    "samples",
    "scorer",
    "aggregator",
    "value",
    "rank",
];

pub(super) fn tasks(engine: &Engine) -> Rows {
    let mut rows = Rows::new(&TASKS);
    for frame in engine.frames() {
        for scorer in engine.scorers() {
            let Some(values) = frame.values(scorer) else { continue };
            let ranks = Ranking::new(&values.rank).ranks(frame.tasks.len());
            for (place, task) in frame.tasks.iter().enumerate() {
                let mut row = cell_fields(&frame.cell).to_vec();
                row.push(task.id.clone().into());
                row.push(task.success.into());
                row.push(task.samples.len().into());
                row.push(scorer.id().into());
                row.push(scorer.aggregator().map(crate::scorers::aggregate::Aggregator::id).into());
                row.push(values.confidence(place).into());
                row.push(ranks[place].into());
                rows.push(row);
            }
        }
    }
    rows
}

/// The columns of the families' table.
pub(super) const FAMILIES: [&str; 7] =
    ["family", "cell", "scorer", "best", "mean", "peak", "cells"];

fn family_rows(engine: &Engine, options: &TableOptions) -> Rows {
    let points = engine.points(&engine.grid(options.metric, None));
    family_table(&points, options.metric.higher_is_better())
}

/// Mean and peak of every family, then its best scorer in every cell.
pub(super) fn family_table(points: &[crate::engine::Point], higher_is_better: bool) -> Rows {
    let mut rows = Rows::new(&FAMILIES);
    for own in families(points, higher_is_better) {
        rows.push(vec![
            own.family.id().into(),
            "all".into(),
            own.peak_scorer.into(),
            Field::Missing,
            own.mean.into(),
            own.peak.into(),
            own.cells.into(),
        ]);
    }
    for own in best(points, higher_is_better) {
        rows.push(vec![
            own.family.id().into(),
            own.cell.to_string().into(),
            own.scorer.into(),
            own.value.into(),
            Field::Missing,
            Field::Missing,
            1usize.into(),
        ]);
    }
    rows
}

fn paired(engine: &Engine, options: &TableOptions) -> Rows {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "metric",
        "reflexive",
        "reflexive_value",
        "consistency",
        "consistency_value",
        "difference",
        "lo",
        "hi",
    ]);
    for own in engine.paired(options.metric, options.resampling) {
        let mut row = cell_fields(&engine.frames()[own.cell].cell).to_vec();
        row.push(options.metric.id().into());
        row.extend([own.reflexive.0.into(), own.reflexive.1.into()]);
        row.extend([own.consistency.0.into(), own.consistency.1.into()]);
        row.push(own.difference.into());
        row.extend(ends(own.interval));
        rows.push(row);
    }
    rows
}

fn samples(engine: &Engine) -> Rows {
    let mut rows = Rows::new(&["dataset", "model", "condition", "scorer", "samples", "value"]);
    for own in engine.sample_sensitivity() {
        let mut row = cell_fields(&engine.frames()[own.cell].cell).to_vec();
        row.extend([own.scorer.into(), own.samples.into(), own.value.into()]);
        rows.push(row);
    }
    rows
}

fn baselines(engine: &Engine, options: &TableOptions) -> Rows {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "scorer",
        "auroc",
        "prr",
        "success_mean",
        "failure_mean",
        "n",
    ]);
    for own in engine.baselines() {
        let mut row = cell_fields(&engine.frames()[own.cell].cell).to_vec();
        let scorer = if own.scorer == Scorer::Turns.id() { Scorer::Turns } else { Scorer::Tools };
        let in_order = options.row_order.then(|| engine.prr_in_order(own.cell, &scorer));
        let prr = in_order.unwrap_or(own.prr);
        row.push(scorer.id().into());
        row.extend([own.auroc, prr, own.success_mean, own.failure_mean].map(Field::from));
        row.push(own.n.into());
        rows.push(row);
    }
    rows
}

fn cost(engine: &Engine) -> Rows {
    let mut rows =
        Rows::new(&["family", "extra_trajectories", "auxiliary_model", "auxiliary_calls"]);
    for own in engine.costs() {
        rows.push(vec![
            own.family.id().into(),
            own.extra_trajectories.into(),
            own.auxiliary_model.into(),
            own.auxiliary_calls.into(),
        ]);
    }
    rows
}

fn swing(engine: &Engine, options: &TableOptions) -> Rows {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "scorer",
        "metric",
        "low",
        "low_aggregator",
        "high",
        "high_aggregator",
        "swing",
    ]);
    for own in engine.swings(&engine.grid(options.metric, None)) {
        let mut row = cell_fields(&engine.frames()[own.cell].cell).to_vec();
        row.extend([own.base.id().into(), options.metric.id().into()]);
        row.extend([own.low.0.into(), own.low.1.into(), own.high.0.into(), own.high.1.into()]);
        row.push((own.high.0 - own.low.0).into());
        rows.push(row);
    }
    rows
}
