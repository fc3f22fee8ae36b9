//! Scorers in cells: the grid, and tables derived from it.

use super::{
    CELL, COUNTS, SKIPPED, TASKS, Unit, VALUE, cell_row, count_data, ends, skipped, value_or_why,
    with_tasks,
};
use crate::engine::{Engine, GridValue};
use crate::metrics::Metric;
use crate::report::TableOptions;
use crate::report::table::{Table, TableColumn, count, real, text};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;

/// The columns of a grid.
pub(super) fn columns() -> Vec<TableColumn> {
    let named = [text("scorer"), text("aggregator"), text("metric")];
    [&CELL[..], &named, &VALUE, &COUNTS, &SKIPPED].concat()
}

/// A metric of some scorers in every cell.
pub(crate) fn grid(engine: &Engine, scorers: &[Scorer], options: &TableOptions) -> Table {
    let row_order = options.row_order && options.metric == Metric::Prr;
    // An order-dependent value has no interval: resamples have no order.
    let resampling = (!row_order && options.resampling.resamples > 0).then_some(options.resampling);
    let mut values = engine.grid_of(scorers, options.metric, resampling);
    if row_order {
        for value in &mut values {
            value.value = engine.prr_in_order(value.cell, &scorers[value.scorer]);
        }
    }
    of_values(engine, scorers, &values, options.metric)
}

/// Values of a metric, each under the scorer of its index.
pub(crate) fn of_values(
    engine: &Engine,
    scorers: &[Scorer],
    values: &[GridValue],
    metric: Metric,
) -> Table {
    let title = format!("{} of every scorer in every cell", metric.id());
    let mut table = Table::new(title, &columns());
    for GridValue { cell, scorer, value, interval, counts } in values {
        let scorer = &scorers[*scorer];
        let mut row = cell_row(&engine.frames()[*cell].cell);
        row.extend([scorer.id().into(), scorer.aggregator().map(Aggregator::id).into()]);
        row.push(metric.id().into());
        row.push(value_or_why(metric, *value, *counts));
        row.extend(ends(*interval));
        row.extend(count_data(*counts));
        row.push(skipped(*interval));
        table.push(row);
    }
    with_tasks(table, Unit::Runs, engine)
}

/// A metric of every consistency scorer by the number of samples.
pub(crate) fn samples(engine: &Engine, metric: Metric) -> Table {
    let values = [
        text("scorer"),
        count("samples"),
        real("value"),
        text("metric"),
        count("subsets"),
        count("n"),
        count(TASKS),
    ];
    let title = format!("{} over the number of samples", metric.id());
    let mut table = Table::new(title, &[&CELL[..], &values].concat());
    for sample in engine.sample_sensitivity(metric) {
        let mut row = cell_row(&engine.frames()[sample.cell].cell);
        row.extend([sample.scorer.into(), sample.samples.into(), sample.value.into()]);
        row.extend([metric.id().into(), sample.subsets.into(), sample.n.into()]);
        row.push(sample.tasks.into());
        table.push(row);
    }
    with_tasks(table, Unit::Runs, engine)
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
        count(TASKS),
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
        row.extend([baseline.n.into(), baseline.tasks.into()]);
        table.push(row);
    }
    with_tasks(table, Unit::Runs, engine)
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
