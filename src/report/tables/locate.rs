//! How well the confidence of turns locates the turns that people marked as decisive errors.

use super::ends;
use crate::engine::{Engine, locate, runs_of};
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, TableColumn, count, mark, real, text};
use crate::store::{Cause, Store, StoreError};
use crate::text::counted;

const COLUMNS: [TableColumn; 19] = [
    text("scorer"),
    text("cause"),
    real("rank"),
    real("rank_lo"),
    real("rank_hi"),
    real("rank_chance"),
    real("top1"),
    real("top1_lo"),
    real("top1_hi"),
    real("top1_chance"),
    real("top3"),
    real("top3_lo"),
    real("top3_hi"),
    real("top3_chance"),
    real("turns"),
    count("n"),
    count("tasks"),
    mark("flagged"),
    count("unscored"),
];

/// The rank of the marked turn from the least confident, and how often it is among the first, by base
/// score and cause.
pub(crate) fn table(
    engine: &Engine,
    store: Option<&Store>,
    options: &TableOptions,
) -> Result<Table, StoreError> {
    let title = "how well turn confidence locates the decisive error";
    let mut table = Table::new(title, &COLUMNS);
    let marked = store.map_or(Ok(Vec::new()), |store| engine.marked_runs(store))?;
    if marked.is_empty() {
        table.notes.push("no turn is marked: * in Compare marks the decisive error".to_owned());
        return Ok(table);
    }
    let (marks, runs) = (marked.len() as u64, runs_of(&marked) as u64);
    table.notes.push(format!("{} on {}", counted(marks, "mark"), counted(runs, "failed run")));
    for found in locate(&marked, Some(options.resampling)) {
        let mut row: Vec<Datum> =
            vec![found.base.id().into(), found.cause.map_or("all", Cause::id).into()];
        let measures = [
            (found.rank, found.rank_chance),
            (found.top1, found.top1_chance),
            (found.top3, found.top3_chance),
        ];
        for ((value, interval), chance) in measures {
            row.push(value.into());
            row.extend(ends(interval));
            row.push(chance.into());
        }
        row.extend([found.turns.into(), found.n.into(), found.tasks.into()]);
        row.extend([found.is_flagged().into(), found.unscored.into()]);
        table.push(row);
    }
    Ok(table)
}
