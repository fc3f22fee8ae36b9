//! Tables of stuck policies.

use super::kind::TableOptions;
use super::rows::{Field, Rows};
use super::tables::{cell_fields, count_fields, ends, undefined};
use crate::engine::{Engine, PairOutcome, Scope, Solvability, StuckRow};
use crate::scorers::pattern::Pattern;

pub(super) fn pairs(engine: &Engine, options: &TableOptions) -> Rows {
    let (scopes, scorers) = (engine.scopes(), engine.consistency_ids());
    let rows = engine.stuck_pairs(&scopes, &scorers, Some(options.resampling));
    groups("outcome", &rows, PairOutcome::id)
}

pub(super) fn tasks(engine: &Engine, options: &TableOptions) -> Rows {
    let (scopes, scorers) = (engine.scopes(), engine.consistency_ids());
    let rows = engine.stuck_tasks(&scopes, &scorers, Some(options.resampling));
    groups("group", &rows, Solvability::id)
}

fn groups<G: Copy>(group: &'static str, stuck: &[StuckRow<G>], id: fn(G) -> &'static str) -> Rows {
    let mut rows = Rows::new(&["scope", "scorer", group, "mean", "lo", "hi", "n"]);
    for own in stuck {
        let [lo, hi] = ends(own.interval);
        rows.push(vec![
            own.scope.to_string().into(),
            own.scorer.clone().into(),
            id(own.group).into(),
            own.mean.into(),
            lo,
            hi,
            own.n.into(),
        ]);
    }
    rows
}

/// The tasks that no draw solves, those that agree most first. `patterns` are by place in
/// [`Engine::stuck_list`]; the column is empty where there are none.
pub fn stuck_list(engine: &Engine, patterns: &[Option<Pattern>]) -> Rows {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "task",
        "score",
        "by",
        "stuck",
        "draws",
        "pattern",
    ]);
    for (place, own) in engine.stuck_list(&Scope::All).into_iter().enumerate() {
        let frame = &engine.frames()[own.id.cell as usize];
        let mut row = cell_fields(&frame.cell).to_vec();
        row.push(frame.tasks[own.id.task as usize].id.clone().into());
        row.extend([own.score.into(), own.by.into(), own.is_stuck.into(), own.draws.into()]);
        row.push(patterns.get(place).and_then(Option::as_ref).map(ToString::to_string).into());
        rows.push(row);
    }
    rows
}

pub(super) fn effect(engine: &Engine, options: &TableOptions) -> Rows {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "scorer",
        "metric",
        "stuck",
        "treatment",
        "value",
        "lo",
        "hi",
        "difference",
        "difference_lo",
        "difference_hi",
        "n",
        "successes",
        "minority",
        "flagged",
    ]);
    for effect in engine.stuck_effect(options.metric, Some(options.resampling)) {
        for own in &effect.values {
            let mut row = cell_fields(&engine.frames()[effect.cell].cell).to_vec();
            row.extend([effect.scorer.id().into(), options.metric.id().into()]);
            row.extend([effect.stuck.into(), own.treatment.id().into()]);
            let none = || undefined(options.metric, own.counts);
            row.push(own.value.map_or_else(none, Field::from));
            row.extend(ends(own.interval));
            row.push(own.difference.into());
            row.extend(ends(own.paired));
            row.extend(count_fields(own.counts));
            rows.push(row);
        }
    }
    rows
}
