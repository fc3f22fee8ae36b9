//! Tables of a page: those of `qualm report` that have rows.

use askama::Template;

use super::Source;
use crate::engine::Frame;
use crate::metrics::Metric;
use crate::model::Cell;
use crate::report::formats::{exact, short_value};
use crate::report::{Table, TableKind, TableOptions, TableRequest, table};
use crate::store::StoreError;
use crate::text::{grouped, visible};

/// The tables that a page has, in their order.
const KINDS: [TableKind; 17] = [
    TableKind::Cells,
    TableKind::Grid,
    TableKind::Families,
    TableKind::Methods,
    TableKind::Paired,
    TableKind::Counts,
    TableKind::Baselines,
    TableKind::Samples,
    TableKind::PassK,
    TableKind::StuckPairs,
    TableKind::StuckTasks,
    TableKind::Judges,
    TableKind::JudgeTer,
    TableKind::Checks,
    TableKind::Locate,
    TableKind::Swing,
    TableKind::Cost,
];

/// Rows of a table, at most.
const MOST_ROWS: usize = 2_000;

#[derive(Template)]
#[template(path = "page/table.html")]
pub(super) struct TableView {
    pub(super) id: &'static str,
    title: String,
    scope: String,
    notes: Vec<String>,
    columns: Vec<Column>,
    rows: Vec<Vec<Value>>,
}

struct Column {
    name: String,
    is_number: bool,
}

struct Value {
    shown: String,
    /// The number by which rows are sorted, where it is not the one that is shown.
    exact: Option<String>,
    is_number: bool,
}

/// The tables that have rows.
pub(super) fn tables(source: &Source<'_>) -> Result<Vec<TableView>, StoreError> {
    let options = TableOptions {
        metric: source.options.metrics.first().copied().unwrap_or(Metric::Auroc),
        resampling: source.options.resampling,
        ..TableOptions::default()
    };
    // Where no cell has a condition, there is no column of them.
    let is_plain = |frame: &Frame| frame.cell.condition == Cell::DEFAULT_CONDITION;
    let is_plain = source.engine.frames().iter().all(is_plain);
    let mut views = Vec::new();
    for kind in KINDS {
        let request = TableRequest::from(kind);
        let made = table(&request, source.engine, Some(source.store), &options)?;
        if !made.is_empty() {
            views.push(view(kind.id(), &made.without(|name| is_plain && name == "condition")));
        }
    }
    Ok(views)
}

fn view(id: &'static str, table: &Table) -> TableView {
    let columns = table.columns().iter().enumerate().map(|(index, column)| Column {
        name: visible(&column.name).into_owned(),
        is_number: table.stands_right(index),
    });
    let columns: Vec<Column> = columns.collect();
    let row = |row: &Vec<crate::report::Datum>| -> Vec<Value> {
        let values = row.iter().zip(table.columns()).zip(&columns);
        let value = |((datum, column), view): ((_, &crate::report::TableColumn), &Column)| {
            let shown = short_value(datum, column.kind);
            let exact = exact(datum).filter(|exact| *exact != shown && view.is_number);
            Value { shown: visible(&shown).into_owned(), exact, is_number: view.is_number }
        };
        values.map(value).collect()
    };
    let rows: Vec<Vec<Value>> = table.rows().iter().take(MOST_ROWS).map(row).collect();
    let mut notes: Vec<String> =
        table.notes.iter().map(|note| visible(note).into_owned()).collect();
    if table.rows().len() > MOST_ROWS {
        let (shown, all) = (grouped(MOST_ROWS as u64), grouped(table.rows().len() as u64));
        notes.push(format!("the first {shown} of {all} rows; qualm report --table {id} has all"));
    }
    let (title, scope) = (visible(&table.title).into_owned(), visible(&table.scope).into_owned());
    TableView { id, title, scope, notes, columns, rows }
}
