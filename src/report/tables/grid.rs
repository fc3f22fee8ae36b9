//! Scorers in cells: the grid, and what is read off it.

use super::{CELL, COUNTS, VALUE, cell_row, count_data, ends, value_or_why};
use crate::engine::{Engine, GridValue};
use crate::metrics::Metric;
use crate::report::TableOptions;
use crate::report::table::{Table, TableColumn, count, real, text};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;

/// The columns of a grid.
pub(super) fn columns() -> Vec<TableColumn> {
    [&CELL[..], &[text("scorer"), text("aggregator"), text("metric")], &VALUE, &COUNTS].concat()
}

/// A metric of some scorers in every cell.
pub(crate) fn grid(engine: &Engine, scorers: &[Scorer], options: &TableOptions) -> Table {
    let title = format!("{} of every scorer in every cell", options.metric.id());
    let mut table = Table::new(title, &columns());
    let row_order = options.row_order && options.metric == Metric::Prr;
    // An order-dependent value has no interval: resamples have no order.
    let resampling = (!row_order && options.resampling.resamples > 0).then_some(options.resampling);
    for GridValue { cell, scorer, value, interval, counts } in
        engine.grid_of(scorers, options.metric, resampling)
    {
        let scorer = &scorers[scorer];
        let value = if row_order { engine.prr_in_order(cell, scorer) } else { value };
        let mut row = cell_row(&engine.frames()[cell].cell);
        row.extend([scorer.id().into(), scorer.aggregator().map(Aggregator::id).into()]);
        row.push(options.metric.id().into());
        row.push(value_or_why(options.metric, value, counts));
        row.extend(ends(interval));
        row.extend(count_data(counts));
        table.push(row);
    }
    table
}

/// AUROC of every consistency scorer by the number of samples.
pub(crate) fn samples(engine: &Engine) -> Table {
    let columns = [&CELL[..], &[text("scorer"), count("samples"), real("value")]].concat();
    let mut table = Table::new("auroc over the number of samples", &columns);
    for sample in engine.sample_sensitivity() {
        let mut row = cell_row(&engine.frames()[sample.cell].cell);
        row.extend([sample.scorer.into(), sample.samples.into(), sample.value.into()]);
        table.push(row);
    }
    table
}

/// What the numbers of turns and tool calls predict.
pub(crate) fn baselines(engine: &Engine, options: &TableOptions) -> Table {
    let values = [
        text("scorer"),
        real("auroc"),
        real("prr"),
        real("success_mean"),
        real("failure_mean"),
        count("n"),
    ];
    let mut table = Table::new("what counts alone predict", &[&CELL[..], &values].concat());
    for baseline in engine.baselines() {
        let scorer =
            if baseline.scorer == Scorer::Turns.id() { Scorer::Turns } else { Scorer::Tools };
        let in_order = options.row_order.then(|| engine.prr_in_order(baseline.cell, &scorer));
        let mut row = cell_row(&engine.frames()[baseline.cell].cell);
        row.extend([scorer.id().into(), baseline.auroc.into()]);
        row.push(in_order.unwrap_or(baseline.prr).into());
        row.extend([baseline.success_mean.into(), baseline.failure_mean.into()]);
        row.push(baseline.n.into());
        table.push(row);
    }
    table
}

/// How far the aggregator moves every base score.
pub(crate) fn swing(engine: &Engine, options: &TableOptions) -> Table {
    let values = [
        text("scorer"),
        text("metric"),
        real("low"),
        text("low_aggregator"),
        real("high"),
        text("high_aggregator"),
        real("swing"),
    ];
    let title = "how far the aggregator moves a base score";
    let mut table = Table::new(title, &[&CELL[..], &values].concat());
    for swing in engine.swings(&engine.grid(options.metric, None)) {
        let mut row = cell_row(&engine.frames()[swing.cell].cell);
        row.extend([swing.base.id().into(), options.metric.id().into()]);
        let range = swing.high.0 - swing.low.0;
        row.extend([swing.low.0.into(), swing.low.1.into()]);
        row.extend([swing.high.0.into(), swing.high.1.into()]);
        row.push(range.into());
        table.push(row);
    }
    table
}
