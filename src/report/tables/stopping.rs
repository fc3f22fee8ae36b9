//! Early stopping, simulated on recorded runs.

use super::signal::white_box;
use super::{CELL, TASKS, Unit, cell_row, ends, with_tasks};
use crate::engine::{Engine, StopIntervals, StopPoint, Stopping};
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, TableColumn, count, mark, real, text};

const COLUMNS: [TableColumn; 32] = [
    text("scorer"),
    text("aggregator"),
    real("threshold"),
    count("stopped"),
    count("failures_stopped"),
    real("failures_stopped_share"),
    real("failures_stopped_share_lo"),
    real("failures_stopped_share_hi"),
    count("successes_killed"),
    real("successes_killed_share"),
    real("successes_killed_share_lo"),
    real("successes_killed_share_hi"),
    count("turns_saved"),
    count("turns_saved_of_failures"),
    real("turns_saved_share"),
    real("turns_saved_share_lo"),
    real("turns_saved_share_hi"),
    real("cost_saved"),
    real("cost_saved_share"),
    real("cost_saved_share_lo"),
    real("cost_saved_share_hi"),
    real("turns_per_run"),
    real("turns_per_run_stopping"),
    real("cost_per_run"),
    real("cost_per_run_stopping"),
    count("n"),
    count(TASKS),
    count("failures"),
    count("successes"),
    count("with_cost"),
    real("log_threshold"),
    mark("flagged"),
];

/// The shares of the runs at whose thresholds early stopping is listed: every 5%.
const SHARES: usize = 20;

/// What stopping a run below a threshold does, by threshold.
pub(crate) fn table(engine: &Engine, options: &TableOptions) -> Table {
    let title = "early stopping, simulated on recorded runs";
    let mut table = Table::new(title, &[&CELL[..], &COLUMNS].concat());
    for cell in 0..engine.frames().len() {
        for (base, rule) in white_box(engine) {
            let Some(stopping) = engine.stopping(&[cell], base, rule) else { continue };
            let points = if options.all_thresholds {
                stopping.points.clone()
            } else {
                stopping.levels(SHARES)
            };
            let below: Vec<f64> = points.iter().map(|point| point.threshold).collect();
            let intervals = stopping.intervals(engine, &below, options.resampling);
            for (point, intervals) in points.iter().zip(intervals) {
                let mut row = cell_row(&engine.frames()[cell].cell);
                row.extend([base.id().into(), rule.id().into()]);
                row.extend(data(&stopping, point, intervals));
                table.push(row);
            }
        }
    }
    if !table.is_empty() {
        let rule = "a run is stopped at the first turn after which its score so far is below the threshold";
        let cost = "the cost of the turns after the stop is their share of the run's turns";
        let levels = "the thresholds are those that stop each further 5% of the runs; \
                      --all-thresholds takes all";
        table.notes.extend([rule, cost].map(str::to_owned));
        table.notes.extend((!options.all_thresholds).then(|| levels.to_owned()));
    }
    with_tasks(table, Unit::Runs, engine)
}

fn data(stopping: &Stopping, point: &StopPoint, intervals: StopIntervals) -> Vec<Datum> {
    let (whole, runs) = (&stopping.whole, stopping.counts.runs as f64);
    let share = |part: f64, all: f64| Datum::from((all > 0.0).then(|| part / all));
    let has_cost = whole.with_cost > 0;
    let cost = |value: f64| Datum::from(has_cost.then_some(value));
    let (turns, with_cost) = (whole.turns as f64, whole.with_cost as f64);
    let mut data = vec![
        stopping.confidence(point.threshold).into(),
        point.stopped().into(),
        point.failures.into(),
        share(point.failures as f64, whole.failures as f64),
    ];
    data.extend(ends(intervals.failures));
    data.extend([point.successes.into(), share(point.successes as f64, whole.successes as f64)]);
    data.extend(ends(intervals.successes));
    data.extend([point.turns.into(), point.turns_of_failures.into()]);
    data.push(share(point.turns as f64, turns));
    data.extend(ends(intervals.turns));
    data.extend([cost(point.cost), share(point.cost, whole.cost)]);
    data.extend(ends(intervals.cost));
    data.extend([(turns / runs).into(), ((turns - point.turns as f64) / runs).into()]);
    data.push(cost(whole.cost / with_cost));
    data.push(cost((whole.cost - point.cost) / with_cost));
    data.extend([stopping.counts.runs.into(), stopping.counts.tasks.into()]);
    data.extend([whole.failures.into(), whole.successes.into(), whole.with_cost.into()]);
    data.push(stopping.is_log.then_some(point.threshold).into());
    data.push(stopping.counts.is_flagged().into());
    data
}
