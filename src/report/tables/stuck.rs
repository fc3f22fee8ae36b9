//! Stuck policies: tasks that fail the same way in every draw.

use std::collections::HashSet;

use super::{
    CELL, COUNTS, DIFFERENCE, SKIPPED, TASKS, Unit, VALUE, cell_row, count_data, ends, skipped,
    value_or_why, with_tasks,
};
use crate::engine::{Engine, PairOutcome, Scope, Solvability, StuckRow, StuckTask, TaskId};
use crate::report::TableOptions;
use crate::report::table::{Table, count, flag, real, text};
use crate::scorers::pattern::Pattern;
use crate::store::{Store, StoreError};

/// Agreement of pairs by their outcomes.
pub(crate) fn pairs(engine: &Engine, options: &TableOptions) -> Table {
    let (scopes, scorers) = (named_scopes(engine), engine.consistency_ids());
    pair_rows(engine, &engine.stuck_pairs(&scopes, &scorers, Some(options.resampling)))
}

/// The scopes of an engine, without those that are the same tasks as another one.
fn named_scopes(engine: &Engine) -> Vec<Scope> {
    let mut names = HashSet::new();
    let mut scopes = engine.scopes();
    scopes.retain(|scope| names.insert(engine.scope_name(scope)));
    scopes
}

/// Agreement of pairs that is known already.
pub(crate) fn pair_rows(engine: &Engine, rows: &[StuckRow<PairOutcome>]) -> Table {
    let title = "agreement by the outcomes of pairs";
    let table = groups(engine, title, "outcome", rows, PairOutcome::id);
    with_tasks(table, Unit::Pairs, engine)
}

/// Agreement of tasks by how often they are solved.
pub(crate) fn tasks(engine: &Engine, options: &TableOptions) -> Table {
    let (scopes, scorers) = (named_scopes(engine), engine.consistency_ids());
    task_rows(engine, &engine.stuck_tasks(&scopes, &scorers, Some(options.resampling)))
}

/// Agreement of tasks that is known already.
pub(crate) fn task_rows(engine: &Engine, rows: &[StuckRow<Solvability>]) -> Table {
    let title = "agreement by the solvability of tasks";
    let table = groups(engine, title, "group", rows, Solvability::id);
    with_tasks(table, Unit::Tasks, engine)
}

fn groups<G: Copy>(
    engine: &Engine,
    title: &str,
    group: &'static str,
    rows: &[StuckRow<G>],
    id: fn(G) -> &'static str,
) -> Table {
    let columns = [
        text("scope"),
        text("scorer"),
        text(group),
        real("mean"),
        real("lo"),
        real("hi"),
        count("n"),
        count(TASKS),
    ];
    let mut table = Table::new(title, &columns);
    for row in rows {
        let [lo, hi] = ends(row.interval);
        table.push(vec![
            engine.scope_name(&row.scope).into(),
            row.scorer.as_str().into(),
            id(row.group).into(),
            row.mean.into(),
            lo,
            hi,
            row.n.into(),
            row.tasks.into(),
        ]);
    }
    table
}

/// The tasks that no draw solves, the most agreeing first, with what their draws repeat.
pub(crate) fn list(engine: &Engine, store: Option<&Store>) -> Result<Table, StoreError> {
    let list = engine.stuck_list(&Scope::All);
    let ids: Vec<TaskId> = list.iter().map(|task| task.id).collect();
    let patterns = store.map_or(Ok(Vec::new()), |store| engine.patterns(store, &ids))?;
    let patterns = patterns.into_iter().chain(std::iter::repeat(None));
    Ok(unsolved(engine, &list.into_iter().zip(patterns).collect::<Vec<_>>()))
}

/// Tasks that no draw solves, each with what its draws repeat.
pub(crate) fn unsolved(engine: &Engine, list: &[(StuckTask, Option<Pattern>)]) -> Table {
    let values =
        [text("task"), real("score"), text("by"), flag("stuck"), count("draws"), text("pattern")];
    let mut table = Table::new("the tasks that no draw solves", &[&CELL[..], &values].concat());
    for (task, pattern) in list {
        let frame = &engine.frames()[task.id.cell as usize];
        let mut row = cell_row(&frame.cell);
        row.push(frame.tasks[task.id.task as usize].id.as_str().into());
        row.extend([task.score.into(), task.by.into(), task.is_stuck.into(), task.draws.into()]);
        row.push(pattern.as_ref().map(ToString::to_string).into());
        table.push(row);
    }
    table
}

/// Every consistency scorer under every treatment of stuck tasks.
pub(crate) fn effect(engine: &Engine, options: &TableOptions) -> Table {
    let named = [text("scorer"), text("metric"), count("stuck"), text("treatment")];
    let columns = [&CELL[..], &named, &VALUE, &DIFFERENCE, &COUNTS, &SKIPPED].concat();
    let mut table = Table::new("the effect of stuck tasks on consistency", &columns);
    for effect in engine.stuck_effect(options.metric, Some(options.resampling)) {
        for treated in &effect.values {
            let mut row = cell_row(&engine.frames()[effect.cell].cell);
            row.extend([effect.scorer.id().into(), options.metric.id().into()]);
            row.extend([effect.stuck.into(), treated.treatment.id().into()]);
            row.push(value_or_why(options.metric, treated.value, treated.counts));
            row.extend(ends(treated.interval));
            row.push(treated.difference.into());
            row.extend(ends(treated.paired));
            row.extend(count_data(treated.counts));
            row.push(skipped(treated.interval));
            table.push(row);
        }
    }
    with_tasks(table, Unit::Runs, engine)
}
