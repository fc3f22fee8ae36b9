//! Finds stored values that are not what the engine computes, or that cannot be.

use std::collections::BTreeMap;

use super::computed::{Computed, Fresh, FreshColumn};
use super::made::recipes;
use super::refresh::Differences;
use crate::engine::Engine;
use crate::engine::load::reads_pairs;
use crate::model::{Cell, Score};
use crate::scorers::Spec;
use crate::store::{Store, StoreError};
use crate::text::counted;

/// Lists where the values in a store contradict its runs: copies of computed values, ensembles and
/// calibrations that differ from them, and values outside the range of their scorer. Values of pairs that loading ignores are left
/// out.
pub fn check_values(store: &Store) -> Result<Vec<String>, StoreError> {
    let engine = Engine::load(store, None)?;
    let computed = Computed::new(store.manifest());
    let (scores, pairs) = (store.scores()?, store.pairs()?);
    let made = recipes(store.manifest());
    let of_scorers = computed.scorers().iter().map(|scorer| FreshColumn::of(&engine, scorer));
    let of_recipes = made.iter().map(|made| FreshColumn::made(&engine, made).0);
    let mut fresh = Fresh::new(&engine, of_scorers.chain(of_recipes).collect());
    // Earlier versions wrote no logs, and without them the copies are right all the same.
    if scores.iter().all(|row| row.log.is_none()) {
        fresh.forget_logs();
    }
    let is_made = |row: &Score| made.iter().any(|made| made.name == row.scorer);
    let is_computed = |row: &Score| computed.has_score(row) || is_made(row);
    let differences = Differences::between(&scores, &fresh, is_computed);
    let mut problems = stale(&scores, &differences);
    let values = scores.iter().map(|row| (row.scorer.as_str(), &row.cell, row.value));
    problems.extend(out_of_range("scores", values));
    let pairs = pairs.iter().filter(|row| reads_pairs(&row.scorer));
    let values = pairs.map(|row| (row.scorer.as_str(), &row.cell, row.value));
    problems.extend(out_of_range("pairs", values));
    Ok(problems)
}

/// A line for every scorer and cell with stale rows.
fn stale(rows: &[Score], differences: &Differences) -> Vec<String> {
    let changed = differences.changed.iter().map(|(row, _)| *row);
    let stale = changed.chain(differences.obsolete.iter().copied()).map(|row| &rows[row]);
    let stale = stale.map(|row| (row.scorer.as_str(), &row.cell));
    lines(
        "scores",
        stale,
        "not what the runs and verdicts of the store give; `qualm score` writes them again",
    )
}

/// A line for every scorer and cell with impossible values.
fn out_of_range<'r>(
    table: &str,
    values: impl Iterator<Item = (&'r str, &'r Cell, Option<f64>)>,
) -> Vec<String> {
    let impossible = values.filter(|(scorer, _, value)| {
        let value = value.filter(|value| !value.is_nan());
        Spec::find(scorer).zip(value).is_some_and(|(spec, value)| !spec.range.contains(value))
    });
    let impossible = impossible.map(|(scorer, cell, _)| (scorer, cell));
    lines(table, impossible, "outside the range of the scorer")
}

fn lines<'r>(
    table: &str,
    rows: impl Iterator<Item = (&'r str, &'r Cell)>,
    problem: &str,
) -> Vec<String> {
    let mut counts: BTreeMap<_, u64> = BTreeMap::new();
    for row in rows {
        *counts.entry(row).or_default() += 1;
    }
    let line = |((scorer, cell), count): ((&str, _), u64)| {
        format!("{table}: `{scorer}` of {cell}: {} {problem}", counted(count, "value"))
    };
    counts.into_iter().map(line).collect()
}
