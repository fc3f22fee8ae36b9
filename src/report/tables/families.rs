//! Families of scorers: the best of each, compared, and what they cost.

use super::{CELL, cell_row, ends};
use crate::engine::{Engine, Point, best, families as summaries};
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, count, real, text};

/// Mean and peak of every family, and its best scorer in every cell.
pub(crate) fn families(engine: &Engine, options: &TableOptions) -> Table {
    let points = engine.points(&engine.grid(options.metric, None));
    of_points(&points, options.metric.higher_is_better())
}

/// The families of some values: mean and peak first, then the best scorer of every cell.
pub(super) fn of_points(points: &[Point], higher_is_better: bool) -> Table {
    let columns = [
        text("family"),
        text("cell"),
        text("scorer"),
        real("best"),
        real("mean"),
        real("peak"),
        count("cells"),
    ];
    let mut table = Table::new("the best scorer of every family", &columns);
    for summary in summaries(points, higher_is_better) {
        table.push(vec![
            summary.family.id().into(),
            "all".into(),
            summary.peak_scorer.into(),
            Datum::Missing,
            summary.mean.into(),
            summary.peak.into(),
            summary.cells.into(),
        ]);
    }
    for best in best(points, higher_is_better) {
        table.push(vec![
            best.family.id().into(),
            best.cell.to_string().into(),
            best.scorer.into(),
            best.value.into(),
            Datum::Missing,
            Datum::Missing,
            1usize.into(),
        ]);
    }
    table
}

/// The best reflexive scorer of every cell compared with its best consistency scorer.
pub(crate) fn paired(engine: &Engine, options: &TableOptions) -> Table {
    let values = [
        text("metric"),
        text("reflexive"),
        real("reflexive_value"),
        text("consistency"),
        real("consistency_value"),
        real("difference"),
        real("lo"),
        real("hi"),
    ];
    let title = "best reflexive minus best consistency scorer";
    let mut table = Table::new(title, &[&CELL[..], &values].concat());
    for pair in engine.paired(options.metric, options.resampling) {
        let mut row = cell_row(&engine.frames()[pair.cell].cell);
        row.push(options.metric.id().into());
        row.extend([pair.reflexive.0.into(), pair.reflexive.1.into()]);
        row.extend([pair.consistency.0.into(), pair.consistency.1.into()]);
        row.push(pair.difference.into());
        row.extend(ends(pair.interval));
        table.push(row);
    }
    table
}

/// Extra trajectories and model calls of every family.
pub(crate) fn cost(engine: &Engine) -> Table {
    let columns = [
        text("family"),
        count("extra_trajectories"),
        text("auxiliary_model"),
        count("auxiliary_calls"),
    ];
    let mut table = Table::new("what every family costs", &columns);
    for cost in engine.costs() {
        table.push(vec![
            cost.family.id().into(),
            cost.extra_trajectories.into(),
            cost.auxiliary_model.into(),
            cost.auxiliary_calls.into(),
        ]);
    }
    table
}
