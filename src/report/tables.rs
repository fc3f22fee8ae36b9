//! The tables, one file per group, and what their rows have in common.

pub(super) mod checks;
pub(super) mod counts;
pub(super) mod decisions;
pub(super) mod families;
pub(super) mod grid;
pub(super) mod judges;
pub(super) mod locate;
pub(super) mod merge;
pub(super) mod published;
pub(super) mod scorers;
pub(super) mod signal;
pub(super) mod stopping;
pub(super) mod store;
pub(super) mod stuck;
pub(super) mod task_list;
pub(super) mod tasks;
pub(super) mod versus;
mod wide;

use super::table::{Datum, Table, TableColumn, count, mark, real, text};
use crate::engine::{Counts, Engine, Frame, Scope, ScorerDifference};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Interval;
use crate::model::Cell;
use crate::text::counted;

/// The columns that name a cell.
const CELL: [TableColumn; 3] = [text("dataset"), text("model"), text("condition")];

/// Says that a table has gaps for somebody who votes.
const HELD_BACK: &str = "what would tell of pairs that you have not voted on is left empty";

/// The columns that say what a number rests on.
const COUNTS: [TableColumn; 5] =
    [count("n"), count(TASKS), count("successes"), count("minority"), mark("flagged")];

/// The name of the column of tasks beside `n`, and the end of its name beside another count.
const TASKS: &str = "tasks";

/// What `n` counts.
#[derive(Clone, Copy)]
enum Unit {
    /// Runs, where every draw counts.
    Runs,
    /// Pairs of runs.
    Pairs,
    /// Tasks in any case.
    Tasks,
}

/// A table that has a column of tasks beside every count. It stays where a task may have several rows, and
/// a note says what is counted; elsewhere every task has one, and the column goes.
fn with_tasks(mut table: Table, unit: Unit, engine: &Engine) -> Table {
    if !engine.is_pooled() {
        return table.without(|name| name == TASKS || name.ends_with("_tasks"));
    }
    let counted = match unit {
        Unit::Runs => "every run counts: n is the number of runs",
        Unit::Pairs => "every run counts: n is the number of pairs of runs",
        Unit::Tasks => "every run counts: n is the number of tasks, each with all of its runs",
    };
    table.notes.push(format!("{counted}, tasks that of their tasks; intervals resample tasks"));
    table
}

/// The column of resamples that an interval leaves out, since they have one outcome only.
const SKIPPED: [TableColumn; 1] = [count("skipped")];

/// The columns of a number with its interval.
const VALUE: [TableColumn; 3] = [real("value"), real("lo"), real("hi")];

/// The columns of a difference with its interval.
const DIFFERENCE: [TableColumn; 3] =
    [real("difference"), real("difference_lo"), real("difference_hi")];

/// A cell's values under [`CELL`], at the beginning of a row.
fn cell_row(cell: &Cell) -> Vec<Datum> {
    vec![cell.dataset.as_str().into(), cell.model.as_str().into(), cell.condition.as_str().into()]
}

/// Both ends of an interval.
fn ends(interval: Option<Interval>) -> [Datum; 2] {
    [interval.map(|interval| interval.lo).into(), interval.map(|interval| interval.hi).into()]
}

/// The value under [`SKIPPED`].
fn skipped(interval: Option<Interval>) -> Datum {
    interval.map(|interval| interval.skipped).into()
}

/// A difference and both ends of its interval.
fn difference_data(difference: Option<ScorerDifference>) -> [Datum; 3] {
    let [lo, hi] = ends(difference.and_then(|difference| difference.interval));
    [difference.map(|difference| difference.value).into(), lo, hi]
}

/// A metric's value or, where it has none, why.
fn value_or_why(metric: Metric, value: Option<f64>, counts: Counts) -> Datum {
    let why = || metric.undefined(counts.runs, counts.successes);
    value.map_or_else(|| why().map_or(Datum::Missing, Datum::Undefined), Datum::from)
}

/// The values under [`COUNTS`].
fn count_data(counts: Counts) -> [Datum; 5] {
    [
        counts.runs.into(),
        counts.tasks.into(),
        counts.successes.into(),
        counts.minority().into(),
        counts.is_flagged().into(),
    ]
}

/// Which cells and how many tasks an engine holds: `airline/gpt-4o, 50 tasks`, or `airline where turns > 5: 5
/// cells, 80 tasks`.
pub(super) fn scope_in_words(engine: &Engine) -> String {
    let frames = engine.frames();
    let rows: usize = frames.iter().map(|frame| frame.tasks.len()).sum();
    let tasks: usize = frames.iter().map(Frame::task_count).sum();
    let runs = if engine.is_pooled() { counted(rows as u64, "run") + ", " } else { String::new() };
    let cells = match frames {
        [only] => only.cell.to_string(),
        several => counted(several.len() as u64, "cell"),
    };
    let counts = format!("{cells}, {runs}{}", counted(tasks as u64, "task"));
    match engine.scope_name(&Scope::All) {
        all if all == "all" => counts,
        cell if cell == cells => counts,
        narrowed => format!("{narrowed}: {counts}"),
    }
}
