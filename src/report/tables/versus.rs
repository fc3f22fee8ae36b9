//! Two cells compared, the noise of repeating a run, and success in k draws.

use super::{CELL, cell_row, ends, value_or_why};
use crate::engine::{
    CellDraws, CellPairs, CellVersus, Change, Compared, Engine, Frame, Noise, Pass, Source,
    VersusOptions, left_out_notes, pair_cells, pass_of_cell,
};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::model::Cell;
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, TableColumn, count, real, text};
use crate::scorers::aggregate::Aggregator;
use crate::store::{RunColumns, Store, StoreError};

/// The columns of a number in both cells.
const COMPARED: [TableColumn; 9] = [
    real("baseline_value"),
    real("baseline_lo"),
    real("baseline_hi"),
    real("candidate_value"),
    real("candidate_lo"),
    real("candidate_hi"),
    real("difference"),
    real("difference_lo"),
    real("difference_hi"),
];

/// The columns that name two cells.
const PAIR: [TableColumn; 2] = [text("baseline"), text("candidate")];

/// What runs took; nothing without a store.
fn runs_of(store: Option<&Store>) -> Result<RunColumns, StoreError> {
    store.map_or_else(|| Ok(RunColumns::default()), Store::run_columns)
}

fn resampling(options: &TableOptions) -> Option<Resampling> {
    (options.resampling.resamples > 0).then_some(options.resampling)
}

/// What is done in every cell with its draws; a note names the runs that are left out.
fn each_cell(
    engine: &Engine,
    store: Option<&Store>,
    table: &mut Table,
    mut rows: impl FnMut(&Frame, &CellDraws) -> Vec<Vec<Datum>>,
) -> Result<(), StoreError> {
    let runs = runs_of(store)?;
    let source = Source { engine, runs: &runs };
    let mut left_out = Vec::new();
    for (cell, frame) in engine.frames().iter().enumerate() {
        let draws = source.draws(cell);
        left_out.push((frame.cell.to_string(), draws.left_out, draws.temperature));
        for row in rows(frame, &draws) {
            table.push([cell_row(&frame.cell), row].concat());
        }
    }
    table.notes.extend(left_out_notes(left_out));
    Ok(())
}

/// pass@k and pass^k of every cell, for every k that its draws allow.
pub(crate) fn passk(
    engine: &Engine,
    store: Option<&Store>,
    options: &TableOptions,
) -> Result<Table, StoreError> {
    let values = [
        count("k"),
        real("pass_at_k"),
        real("pass_at_k_lo"),
        real("pass_at_k_hi"),
        real("pass_hat_k"),
        real("pass_hat_k_lo"),
        real("pass_hat_k_hi"),
        count("tasks"),
        real("temperature"),
    ];
    let title = "success in k draws: pass@k by at least one, pass^k by all of them";
    let mut table = Table::new(title, &[&CELL[..], &values].concat());
    each_cell(engine, store, &mut table, |frame, draws| {
        let rows = pass_of_cell(frame, draws, resampling(options)).into_iter().map(|pass| {
            let mut row: Vec<Datum> = vec![u64::from(pass.k).into()];
            for (value, interval) in pass.values.into_iter().zip(pass.intervals) {
                row.push(value.into());
                row.extend(ends(interval));
            }
            row.extend([pass.tasks.into(), draws.temperature.into()]);
            row
        });
        rows.collect()
    })?;
    table.notes.push(
        "pass_at_k: at least one of k draws solves the task (pass@k); pass_hat_k: all k do (pass^k)"
            .to_owned(),
    );
    Ok(table)
}

/// How far repeats of the same runs differ, in every cell whose tasks have several draws.
pub(crate) fn noise(
    engine: &Engine,
    store: Option<&Store>,
    options: &TableOptions,
) -> Result<Table, StoreError> {
    let values = [
        count("tasks"),
        count("draws_least"),
        count("draws_most"),
        real("success"),
        real("flip"),
        real("flip_lo"),
        real("flip_hi"),
        count("mixed"),
        real("variance_within"),
        real("variance_between"),
        real("icc"),
        real("icc_lo"),
        real("icc_hi"),
        real("repeat_sd"),
        real("repeat_range"),
        real("repeat_sd_one_draw"),
        real("repeat_range_one_draw"),
        real("temperature"),
    ];
    let title = "how far repeats of the same runs differ";
    let mut table = Table::new(title, &[&CELL[..], &values].concat());
    let mut single = Vec::new();
    each_cell(engine, store, &mut table, |frame, draws| {
        let Some(noise) = Noise::new(frame, draws, resampling(options)) else {
            single.push(frame.cell.to_string());
            return Vec::new();
        };
        vec![noise_row(&noise, draws)]
    })?;
    if !single.is_empty() {
        let cells = single.join(", ");
        table.notes.push(format!("no task has two draws of one temperature in {cells}"));
    }
    Ok(table)
}

fn noise_row(noise: &Noise, draws: &CellDraws) -> Vec<Datum> {
    let mut row: Vec<Datum> = vec![
        noise.tasks.into(),
        u64::from(noise.draws.0).into(),
        u64::from(noise.draws.1).into(),
        noise.success.into(),
        noise.flip.into(),
    ];
    row.extend(ends(noise.flip_interval));
    row.push(noise.mixed.into());
    let variance = noise.variance;
    row.push(variance.map(|variance| variance.within).into());
    row.push(variance.map(|variance| variance.between).into());
    row.push(variance.map(|variance| variance.icc).into());
    row.extend(ends(noise.icc_interval.filter(|_| variance.is_some())));
    row.extend([noise.deviation.into(), noise.range().into()]);
    row.extend([noise.single_deviation.into(), noise.single_range().into()]);
    row.push(draws.temperature.into());
    row
}

/// Pairs of cells of one store compared; those that are meant where none is named.
pub(crate) fn versus(
    engine: &Engine,
    store: Option<&Store>,
    pairs: Option<&CellPairs>,
    options: &TableOptions,
) -> Result<Table, StoreError> {
    let runs = runs_of(store)?;
    let source = Source { engine, runs: &runs };
    let cells = source.cells();
    let known = pairs
        .map_or_else(|| pair_cells([&cells, &cells], [None; 2], true), |pairs| Ok(pairs.clone()));
    let pairs = match known {
        Ok(pairs) => pairs,
        Err(why) => {
            let mut empty = of_versus(&[], options.metric);
            empty.notes.push(why);
            return Ok(empty);
        }
    };
    let compare = VersusOptions {
        scorers: engine.scorers(),
        metric: options.metric,
        resampling: resampling(options),
        confidence: Interval::CONFIDENCE,
    };
    let compared: Vec<CellVersus> =
        pairs.iter().map(|pair| CellVersus::new([source; 2], *pair, &compare)).collect();
    Ok(of_versus(&compared, options.metric))
}

/// Compared cells as a table: one row for every number.
pub fn of_versus(compared: &[CellVersus], metric: Metric) -> Table {
    let named = [text("measure"), text("scorer"), text("aggregator")];
    let rest = [real("p"), count("tasks"), count("draws")];
    let columns = [&PAIR[..], &named, &COMPARED, &rest].concat();
    let mut table = Table::new("two cells on the tasks they share", &columns);
    for one in compared {
        let mut rows = Rows { cells: &one.cells, table: &mut table };
        rows.add_all(one, metric);
        if let Some(verdict) = one.versus.verdict() {
            let [baseline, candidate] = &one.cells;
            table.notes.push(format!("{candidate} against {baseline}: {verdict}"));
        }
    }
    table.notes.extend(CellVersus::notes(compared));
    table
}

/// The rows of two cells.
struct Rows<'a> {
    cells: &'a [Cell; 2],
    table: &'a mut Table,
}

impl Rows<'_> {
    fn add_all(&mut self, one: &CellVersus, metric: Metric) {
        let versus = &one.versus;
        self.compared("success", &versus.success);
        self.compared("reference-success", &versus.references);
        self.tests(one);
        self.noise(one);
        for (k, passes) in &versus.passes {
            for (pass, compared) in Pass::ALL.into_iter().zip(passes) {
                self.push(&pass.name(*k), compared_data(compared), None, compared.tasks, Some(*k));
            }
        }
        for (effort, compared) in &versus.efforts {
            self.compared(effort.id(), compared);
        }
        for found in &versus.scorers {
            let mut data = compared_data(&found.compared);
            for (index, side) in [0, 3].into_iter().zip(0..2) {
                data[index] = value_or_why(metric, found.compared.values[side], found.counts[side]);
            }
            let aggregator = found.scorer.aggregator().map(Aggregator::id);
            let mut row = self.names(metric.id());
            row.extend([found.scorer.id().into(), aggregator.into()]);
            row.extend(data);
            row.extend([Datum::Missing, found.compared.tasks.into(), Datum::Missing]);
            self.table.push(row);
        }
        for change in Change::LISTED {
            let tasks = versus.tasks.iter().filter(|task| task.change == Some(change)).count();
            self.push(change.word(), missing(), None, tasks, None);
        }
    }

    fn names(&self, measure: &str) -> Vec<Datum> {
        let [baseline, candidate] = self.cells;
        vec![baseline.to_string().into(), candidate.to_string().into(), measure.into()]
    }

    fn push(
        &mut self,
        measure: &str,
        data: [Datum; 9],
        p: Option<f64>,
        tasks: usize,
        draws: Option<u32>,
    ) {
        let mut row = self.names(measure);
        row.extend([Datum::Missing, Datum::Missing]);
        row.extend(data);
        row.extend([p.into(), tasks.into(), draws.map(u64::from).into()]);
        self.table.push(row);
    }

    fn compared(&mut self, measure: &str, compared: &Compared) {
        if compared.tasks > 0 {
            self.push(measure, compared_data(compared), None, compared.tasks, None);
        }
    }

    /// Tests of the difference: of `McNemar`'s the tasks that only one of the cells solves, and p.
    fn tests(&mut self, one: &CellVersus) {
        let tests = one.versus.tests;
        if let Some(mcnemar) = tests.mcnemar {
            let counts = |[baseline, candidate]: [u64; 2]| {
                let mut data = missing();
                (data[0], data[3]) = (baseline.into(), candidate.into());
                data
            };
            let (data, tasks) =
                (counts([mcnemar.lost, mcnemar.gained]), one.versus.references.tasks);
            self.push("mcnemar-exact", data.clone(), Some(mcnemar.exact()), tasks, None);
            let corrected = mcnemar.corrected().map(|(_, p)| p);
            self.push("mcnemar-corrected", data, corrected, tasks, None);
        }
        if let Some(permutation) = tests.permutation {
            let tasks = one.versus.labelled();
            self.push("permutation", missing(), Some(permutation.p), tasks, None);
        }
    }

    /// The noise floor, and what other numbers of tasks and draws would show.
    fn noise(&mut self, one: &CellVersus) {
        let versus = &one.versus;
        let tasks = versus.labelled();
        if let [Some(first), Some(second)] = &versus.noise {
            let mut data = missing();
            for (index, noise) in [(0, first), (3, second)] {
                data[index] = noise.flip.into();
                [data[index + 1], data[index + 2]] = ends(noise.flip_interval);
            }
            self.push("flip", data, None, first.tasks.min(second.tasks), None);
            let mut data = missing();
            for (index, noise) in [(0, first), (3, second)] {
                data[index] = noise.variance.map(|variance| variance.icc).into();
                [data[index + 1], data[index + 2]] = ends(noise.icc_interval);
            }
            self.push("icc", data, None, first.tasks.min(second.tasks), None);
        }
        if let Some(range) = versus.noise_range() {
            let mut data = missing();
            [data[7], data[8]] = [(-range).into(), range.into()];
            self.push("repeat", data, None, tasks, None);
        }
        let Some((draws, rows)) = versus.power() else { return };
        for (tasks, differences) in rows {
            for (draws, difference) in draws.iter().zip(differences) {
                let mut data = missing();
                data[6] = difference.into();
                self.push("detectable", data, None, tasks, Some(*draws));
            }
        }
    }
}

fn missing() -> [Datum; 9] {
    [const { Datum::Missing }; 9]
}

/// The values under [`COMPARED`].
fn compared_data(compared: &Compared) -> [Datum; 9] {
    let [a, b] = compared.values;
    let [a_lo, a_hi] = ends(compared.intervals[0]);
    let [b_lo, b_hi] = ends(compared.intervals[1]);
    let [lo, hi] = ends(compared.interval);
    [a.into(), a_lo, a_hi, b.into(), b_lo, b_hi, compared.difference.into(), lo, hi]
}

/// A task of two cells: what became of it, its id, and its draws that succeed of all of them in both.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedTask {
    /// What became of it.
    pub change: Change,
    /// Its id.
    pub task: String,
    /// Draws that succeed, and draws with a known outcome, in the first cell and in the second.
    pub repeats: [crate::metrics::Repeats; 2],
}

/// The tasks that are fixed, broken or shaky.
pub fn changed_tasks(one: &CellVersus, first: &Frame) -> Vec<ChangedTask> {
    let of_change = |change: Change| {
        let tasks = one.versus.changed(change).into_iter();
        tasks.map(move |task| ChangedTask {
            change,
            task: first.tasks[task.rows[0] as usize].id.clone(),
            repeats: task.repeats,
        })
    };
    Change::LISTED.into_iter().flat_map(of_change).collect()
}

/// Tasks that changed between two cells as a table.
pub fn of_changed(cells: &[Cell; 2], tasks: &[ChangedTask]) -> Table {
    let values = [
        text("change"),
        text("task"),
        count("baseline_solved"),
        count("baseline_draws"),
        count("candidate_solved"),
        count("candidate_draws"),
    ];
    let title = "tasks that changed between two cells";
    let mut table = Table::new(title, &[&PAIR[..], &values].concat());
    for task in tasks {
        let mut row: Vec<Datum> = cells.iter().map(|cell| cell.to_string().into()).collect();
        row.extend([task.change.word().into(), task.task.as_str().into()]);
        for side in task.repeats {
            row.extend([u64::from(side.solved).into(), u64::from(side.draws).into()]);
        }
        table.push(row);
    }
    table
}
