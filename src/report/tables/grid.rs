//! Scorers in cells: the grid, and tables derived from it.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::wide::wide;
use super::{
    CELL, COUNTS, SKIPPED, TASKS, Unit, VALUE, cell_row, count_data, difference_data, ends,
    skipped, value_or_why, with_tasks,
};
use crate::engine::{Engine, GridValue, ScorerDifference};
use crate::metrics::Metric;
use crate::report::TableOptions;
use crate::report::layout::{GridLayout, GridRow, rows_by_family};
use crate::report::table::{Datum, Table, TableColumn, count, real, text};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;

/// The columns of a grid.
pub(super) fn columns() -> Vec<TableColumn> {
    let named = [text("scorer"), text("aggregator"), text("metric")];
    [&CELL[..], &named, &VALUE, &COUNTS, &SKIPPED].concat()
}

/// The columns of a difference to the pinned scorer.
const PINNED: [TableColumn; 5] = [
    text("pinned"),
    real("difference"),
    real("difference_lo"),
    real("difference_hi"),
    count("difference_n"),
];

/// What is known of a scorer in a cell.
pub(super) struct Known {
    pub(super) point: GridValue,
    /// The difference to the pinned scorer.
    pub(super) difference: Option<ScorerDifference>,
}

/// A metric of some scorers in every cell.
pub(super) struct Numbers<'a> {
    pub(super) engine: &'a Engine,
    pub(super) scorers: &'a [Scorer],
    pub(super) metric: Metric,
    pinned: Option<&'a Scorer>,
    /// By cell and scorer; a scorer without values in a cell has none.
    known: Vec<Vec<Option<Known>>>,
}

impl<'a> Numbers<'a> {
    fn new(
        engine: &'a Engine,
        scorers: &'a [Scorer],
        pinned: Option<&'a Scorer>,
        options: &TableOptions,
    ) -> Self {
        let metric = options.metric;
        let row_order = options.row_order && metric == Metric::Prr;
        // An order-dependent value has no interval: resamples have no order.
        let resampling = (!row_order && options.resampling.resamples > 0 && pinned.is_none())
            .then_some(options.resampling);
        let mut known: Vec<Vec<Option<Known>>> = engine
            .frames()
            .iter()
            .map(|_| std::iter::repeat_with(|| None).take(scorers.len()).collect())
            .collect();
        for mut point in engine.grid_of(scorers, metric, resampling) {
            if row_order {
                point.value = engine.prr_in_order(point.cell, &scorers[point.scorer]);
            }
            let (cell, scorer) = (point.cell, point.scorer);
            known[cell][scorer] = Some(Known { point, difference: None });
        }
        let mut numbers = Self { engine, scorers, metric, pinned, known };
        numbers.add_differences(options);
        numbers
    }

    /// Adds intervals and the differences to the pinned scorer, all under the same resamples.
    fn add_differences(&mut self, options: &TableOptions) {
        let (engine, scorers, metric) = (self.engine, self.scorers, self.metric);
        let Some(pinned) = self.pinned else { return };
        self.known.par_iter_mut().enumerate().for_each(|(cell, known)| {
            let looks = engine.resampled(cell, metric, scorers, Some(pinned), options.resampling);
            for (known, look) in known.iter_mut().zip(looks) {
                if let Some(known) = known {
                    known.point.interval = look.interval;
                    known.difference = look.difference;
                }
            }
        });
    }

    /// What is known of a scorer in a cell.
    pub(super) fn known(&self, scorer: &Scorer, cell: usize) -> Option<&Known> {
        let index = self.scorers.iter().position(|known| known == scorer)?;
        self.known[cell][index].as_ref()
    }

    /// Everything that is known, cell by cell.
    pub(super) fn all(&self) -> impl Iterator<Item = &Known> {
        self.known.iter().flatten().flatten()
    }

    /// What a grid shows of a scorer in a cell: its value, or its difference to the pinned one.
    fn shown(&self, scorer: &Scorer, cell: usize) -> Option<f64> {
        let known = self.known(scorer, cell)?;
        match self.pinned {
            Some(_) => known.difference.map(|difference| difference.value),
            None => known.point.value,
        }
    }

    /// Orders scorers by what a cell shows of them, the best first.
    pub(super) fn order_scorers(&self, scorers: &mut [Scorer], cell: usize) {
        let value = |scorer: &Scorer| self.shown(scorer, cell);
        scorers.sort_by(|a, b| self.metric.better_first(value(a), value(b)));
    }

    /// Orders cells by what they show of the scorer that orders them, the best first.
    pub(super) fn order_columns(&self, cells: &mut [usize], layout: &GridLayout) {
        if let Some(scorer) = &layout.order_columns {
            let value = |cell: usize| self.shown(scorer, cell);
            cells.sort_by(|&a, &b| self.metric.better_first(value(a), value(b)));
        }
    }

    /// The best value of a cell.
    pub(super) fn best_value(&self, cell: usize) -> Option<f64> {
        let values = self.known[cell].iter().flatten().filter_map(|known| known.point.value);
        values.min_by(|a, b| self.metric.better_first(Some(*a), Some(*b)))
    }

    /// The best of some scorers in a cell; the first where none has a value.
    pub(super) fn best<'s>(&self, scorers: &'s [Scorer], cell: usize) -> Option<&'s Scorer> {
        let value = |scorer: &Scorer| self.known(scorer, cell).and_then(|known| known.point.value);
        scorers.iter().min_by(|a, b| self.metric.better_first(value(a), value(b)))
    }

    /// The rank of a value in its cell, from 1.
    pub(super) fn rank(&self, of: &Known) -> usize {
        let values = self.known[of.point.cell].iter().flatten();
        let is_better = |known: &&Known| {
            known.point.value.is_some()
                && self.metric.better_first(known.point.value, of.point.value) == Ordering::Less
        };
        values.filter(is_better).count() + 1
    }

    /// A row per scorer and cell, in the order of the layout; of a folded family the best one.
    fn rows(&self, layout: &GridLayout) -> Vec<&Known> {
        let mut cells: Vec<usize> = (0..self.known.len()).collect();
        self.order_columns(&mut cells, layout);
        let mut scorers = self.scorers.to_vec();
        if let Some(cell) = layout.order_rows {
            self.order_scorers(&mut scorers, cell);
        }
        let rows: Vec<GridRow> = if layout.order_rows.is_some() || layout.folded.is_empty() {
            scorers.into_iter().map(GridRow::Scorer).collect()
        } else {
            rows_by_family(&scorers, &layout.folded)
        };
        let in_cell = |cell: usize| {
            rows.iter().filter_map(move |row| match row {
                GridRow::Head(_) => None,
                GridRow::Folded(_, members) => self.known(self.best(members, cell)?, cell),
                GridRow::Scorer(scorer) => self.known(scorer, cell),
            })
        };
        cells.into_iter().flat_map(in_cell).collect()
    }
}

/// A metric of some scorers in every cell.
pub(crate) fn grid(
    engine: &Engine,
    scorers: &[Scorer],
    layout: &GridLayout,
    options: &TableOptions,
) -> Table {
    let numbers = Numbers::new(engine, scorers, layout.pinned.as_ref(), options);
    let more = if layout.pinned.is_some() { &PINNED[..] } else { &[] };
    let mut table = Table::new(title(options.metric), &[&columns(), more].concat());
    for known in numbers.rows(layout) {
        let mut row = value_row(engine, scorers, &known.point, options.metric);
        if let Some(pinned) = &layout.pinned {
            row.push(pinned.flag().into());
            row.extend(difference_data(known.difference));
            row.push(known.difference.map(|difference| difference.n).into());
        }
        table.push(row);
    }
    table.wide = Some(wide(&numbers, layout));
    with_tasks(table, Unit::Runs, engine)
}

fn title(metric: Metric) -> String {
    format!("{} of every scorer in every cell", metric.id())
}

fn value_row(engine: &Engine, scorers: &[Scorer], known: &GridValue, metric: Metric) -> Vec<Datum> {
    let GridValue { cell, scorer, value, interval, counts } = known;
    let scorer = &scorers[*scorer];
    let mut row = cell_row(&engine.frames()[*cell].cell);
    row.extend([scorer.id().into(), scorer.aggregator().map(Aggregator::id).into()]);
    row.push(metric.id().into());
    row.push(value_or_why(metric, *value, *counts));
    row.extend(ends(*interval));
    row.extend(count_data(*counts));
    row.push(skipped(*interval));
    row
}

/// Values of a metric, each under the scorer of its index.
pub(crate) fn of_values(
    engine: &Engine,
    scorers: &[Scorer],
    values: &[GridValue],
    metric: Metric,
) -> Table {
    let mut table = Table::new(title(metric), &columns());
    values.iter().for_each(|known| table.push(value_row(engine, scorers, known, metric)));
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
