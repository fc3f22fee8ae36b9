//! Tasks under scorers, tasks in numbers, and the turns of a run.

use super::{CELL, cell_row};
use crate::engine::{Engine, Frame, Solvability, Task};
use crate::metrics::Ranking;
use crate::report::TurnEntry;
use crate::report::table::{Datum, Table, TableColumn, count, flag, real, text};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::store::Cause;

/// The columns of a task under a scorer, after those of its cell.
const SCORED: [TableColumn; 7] = [
    text("task"),
    flag("success"),
    count("samples"),
    text("scorer"),
    text("aggregator"),
    real("value"),
    real("rank"),
];

/// A task's row under [`CELL`] and [`SCORED`].
fn scored(frame: &Frame, task: usize, scorer: &Scorer, value: [Datum; 2]) -> Vec<Datum> {
    let mut row = cell_row(&frame.cell);
    let task = &frame.tasks[task];
    row.extend([task.id.as_str().into(), task.success.into(), task.samples.len().into()]);
    row.extend([scorer.id().into(), scorer.aggregator().map(Aggregator::id).into()]);
    row.extend(value);
    row
}

/// Adds the draw to a row behind its task, in a table of an engine where every draw is a row.
fn insert_draw(row: &mut Vec<Datum>, task: &Task, engine: &Engine) {
    if engine.is_pooled() {
        row.insert(CELL.len() + 1, u64::from(task.draw).into());
    }
}

/// The columns of a table of tasks, with the draw where every draw is a row.
fn columns_of(engine: &Engine, values: &[TableColumn]) -> Vec<TableColumn> {
    let mut columns = [&CELL[..], values].concat();
    if engine.is_pooled() {
        columns.insert(CELL.len() + 1, count("draw"));
    }
    columns
}

/// Every task under every scorer.
pub(crate) fn scores(engine: &Engine) -> Table {
    let columns = columns_of(engine, &SCORED);
    let mut table = Table::new("every task under every scorer", &columns);
    for frame in engine.frames() {
        for scorer in engine.scorers() {
            let Some(values) = frame.values(scorer) else { continue };
            let ranks = Ranking::new(&values.rank).ranks(frame.tasks.len());
            for (task, rank) in ranks.into_iter().enumerate() {
                let value = [values.confidence(task).into(), rank.into()];
                let mut row = scored(frame, task, scorer, value);
                insert_draw(&mut row, &frame.tasks[task], engine);
                table.push(row);
            }
        }
    }
    table
}

/// Every task with its outcomes, counts and costs.
pub(crate) fn facts(engine: &Engine) -> Table {
    let values = [
        text("task"),
        flag("success"),
        count("draws"),
        count("solved"),
        text("solvability"),
        real("agreement"),
        flag("stuck"),
        count("turns"),
        count("tools"),
        text("termination"),
        real("reward"),
        real("cost"),
        flag("db_match"),
        text("basis"),
        text("failed_check"),
    ];
    let mut table = Table::new("every task in numbers", &columns_of(engine, &values));
    for frame in engine.frames() {
        for (index, task) in frame.tasks.iter().enumerate() {
            let mut row = cell_row(&frame.cell);
            row.extend([task.id.as_str().into(), task.success.into()]);
            row.extend([task.draws().into(), task.solved().into()]);
            row.push(task.solvability().map(Solvability::id).into());
            row.extend([frame.agreement(index).into(), frame.is_stuck(index).into()]);
            row.extend([task.turns, task.tools].map(|count| count.map(u64::from).into()));
            row.push(task.termination.as_deref().into());
            row.extend([task.reward.into(), task.cost.into(), task.db_match.into()]);
            row.push(task.checks.basis.as_ref().map(|basis| basis.as_str().to_owned()).into());
            row.push(task.checks.failed_names().into());
            insert_draw(&mut row, task, engine);
            table.push(row);
        }
    }
    table
}

/// The turns of a run: what each did, its confidence, and how much it counts.
pub(crate) fn turns(turns: &[TurnEntry]) -> Table {
    let columns = [
        count("turn"),
        text("action"),
        real("confidence"),
        count("rank"),
        real("weight"),
        count("tokens"),
        text("decisive_error"),
    ];
    let mut table = Table::new("the turns of a run", &columns);
    for (index, turn) in turns.iter().enumerate() {
        table.push(vec![
            (index + 1).into(),
            turn.action.as_str().into(),
            turn.view.confidence.into(),
            turn.view.rank.into(),
            turn.view.weight.into(),
            turn.tokens.map(u64::from).into(),
            marked_by(&turn.errors).into(),
        ]);
    }
    table
}

/// The causes of a decisive error with those who named them; none on other turns.
fn marked_by(errors: &[(String, Cause)]) -> Option<String> {
    let words: Vec<String> =
        errors.iter().map(|(author, cause)| format!("{} ({author})", cause.id())).collect();
    (!words.is_empty()).then(|| words.join(", "))
}
