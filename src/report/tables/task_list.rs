//! Tasks of a list with the columns that a screen shows.

use super::{CELL, HELD_BACK, cell_row};
use crate::engine::{Column, Engine, TaskId};
use crate::report::TaskListing;
use crate::report::table::{ColumnKind, Datum, Table, TableColumn, count, flag, real, text};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;

/// The columns that name a cell. Those that the screen leaves out come first, so that a row says whose
/// it is.
const CELL_COLUMNS: [Column; 3] = [Column::Dataset, Column::Model, Column::Condition];

/// The tasks of a list, with its rows and columns in their order.
pub(crate) fn task_list(engine: &Engine, listing: &TaskListing) -> Table {
    let unnamed = CELL_COLUMNS.into_iter().filter(|column| !listing.columns.contains(column));
    let mut columns: Vec<Column> = unnamed.chain(listing.columns.iter().cloned()).collect();
    if engine.is_pooled() {
        let task = columns.iter().position(|column| *column == Column::Task);
        columns.insert(task.map_or(columns.len(), |task| task + 1), Column::Draw);
    }
    let mut fields: Vec<TableColumn> = Vec::new();
    for column in &columns {
        for mut field in fields_of(column, listing) {
            // Counts of turns and tools are columns, and scorers too.
            if fields.iter().any(|known| known.name == field.name) {
                field.name = format!("{}_score", field.name).into();
            }
            fields.push(field);
        }
    }
    let mut table = Table::new(format!("tasks under {}", listing.scorer), &fields);
    if listing.rows.iter().any(|id| listing.held_back.0.contains(id)) {
        table.notes.push(HELD_BACK.to_owned());
    }
    for &id in &listing.rows {
        let data = columns.iter().flat_map(|column| {
            if listing.held_back.0.contains(&id) && listing.held_back.1.contains(column) {
                return vec![Datum::Missing; fields_of(column, listing).len()];
            }
            data_of(column, id, engine, listing)
        });
        table.push(data.collect());
    }
    table
}

/// The fields that hold what a column shows.
fn fields_of(column: &Column, listing: &TaskListing) -> Vec<TableColumn> {
    let cell = |name: &str| CELL.into_iter().filter(|field| field.name == name).collect();
    match column {
        Column::Dataset | Column::Model | Column::Condition => cell(&column.name()),
        Column::Task => vec![text("task")],
        Column::Draw => vec![count("draw")],
        Column::Success => vec![flag("success"), count("samples"), count("samples_solved")],
        Column::Score => vec![text("scorer"), text("aggregator"), real("value")],
        Column::Rank if listing.list.has_moves() => vec![real("rank"), real("moved")],
        Column::Rank => vec![real("rank")],
        Column::Turns => vec![count("turns")],
        Column::Tools => vec![count("tools")],
        Column::Termination => vec![text("termination")],
        Column::Solved => vec![count("solved")],
        Column::Draws => vec![count("draws")],
        Column::Agreement => vec![real("agreement")],
        Column::Reward => vec![real("reward")],
        Column::Cost => vec![real("cost")],
        Column::Note => vec![text("notes")],
        Column::Scorer(scorer) => {
            vec![TableColumn { name: scorer.column().into(), kind: ColumnKind::Real }]
        }
        // No screen offers the others.
        _ => Vec::new(),
    }
}

/// The values of a task under [`fields_of`].
fn data_of(column: &Column, id: TaskId, engine: &Engine, listing: &TaskListing) -> Vec<Datum> {
    let TaskListing { list, scorer, extra, notes, .. } = listing;
    let frame = &engine.frames()[id.cell as usize];
    let task = &frame.tasks[id.task as usize];
    let [dataset, model, condition] = &cell_row(&frame.cell)[..] else { return Vec::new() };
    let value_of = |wanted: &Scorer| {
        let index = extra.iter().position(|known| known == wanted);
        index.and_then(|index| list.extra(id, index))
    };
    match column {
        Column::Dataset => vec![dataset.clone()],
        Column::Model => vec![model.clone()],
        Column::Condition => vec![condition.clone()],
        Column::Task => vec![task.id.as_str().into()],
        Column::Draw => vec![u64::from(task.draw).into()],
        Column::Success => {
            let solved = task.samples.iter().filter(|sample| sample.success == Some(true));
            vec![task.success.into(), task.samples.len().into(), solved.count().into()]
        }
        Column::Score => {
            let rule = scorer.aggregator().map(Aggregator::id);
            vec![scorer.id().into(), rule.into(), list.score(id).into()]
        }
        Column::Rank if list.has_moves() => vec![list.rank(id).into(), list.moved(id).into()],
        Column::Rank => vec![list.rank(id).into()],
        Column::Turns => vec![task.turns.map(u64::from).into()],
        Column::Tools => vec![task.tools.map(u64::from).into()],
        Column::Termination => vec![task.termination.as_deref().into()],
        Column::Solved => vec![task.solved().into()],
        Column::Draws => vec![task.draws().into()],
        Column::Agreement => vec![frame.agreement(id.task as usize).into()],
        Column::Reward => vec![task.reward.into()],
        Column::Cost => vec![task.cost.into()],
        Column::Note => vec![notes.get(&id).cloned().into()],
        Column::Scorer(scorer) => vec![value_of(scorer).into()],
        _ => Vec::new(),
    }
}
