//! From a confidence to a decision: curves, thresholds, ensembles and calibrations.

use std::collections::BTreeMap;

use super::{
    CELL, COUNTS, DIFFERENCE, Unit, VALUE, cell_row, count_data, difference_data, ends,
    value_or_why, with_tasks,
};
use crate::engine::{BestThreshold, Engine, Estimate, HeldOut, NoFit, Scope, ScorerCurves};
use crate::metrics::bootstrap::Resampling;
use crate::metrics::curve::{Band, Bands, CurvePoint};
use crate::metrics::threshold::{Aim, Decision};
use crate::model::Costs;
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, TableColumn, count, flag, real, text};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::{Method, Recipe, Scorer};
use crate::text::counted;

/// The columns that name a scorer.
const SCORER: [TableColumn; 2] = [text("scorer"), text("aggregator")];

fn scorer_data(scorer: &Scorer) -> [Datum; 2] {
    [scorer.id().into(), scorer.aggregator().map(Aggregator::id).into()]
}

/// The cells that numbers are computed on together: each alone, or all of them.
fn groups(engine: &Engine, pool: bool) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..engine.frames().len()).collect();
    if pool { vec![all] } else { all.into_iter().map(|cell| vec![cell]).collect() }
}

/// What some cells have in common, under [`CELL`].
fn cells_row(engine: &Engine, cells: &[usize]) -> Vec<Datum> {
    let rows: Vec<Vec<Datum>> =
        cells.iter().map(|cell| cell_row(&engine.frames()[*cell].cell)).collect();
    let Some((first, others)) = rows.split_first() else { return vec![Datum::Missing; CELL.len()] };
    let same = |index: usize| others.iter().all(|row| row[index] == first[index]);
    let shared = |index: usize| if same(index) { first[index].clone() } else { Datum::Missing };
    (0..CELL.len()).map(shared).collect()
}

/// The resampling, unless no resample is wanted.
fn resampling(options: &TableOptions) -> Option<Resampling> {
    (options.resampling.resamples > 0).then_some(options.resampling)
}

/// Says that there are fewer resamples than were asked for.
fn fewer_words(what: &str, drawn: usize) -> String {
    format!("{what} are from {}, because there are many tasks", counted(drawn as u64, "resample"))
}

/// Every point of the curves of some scorers.
pub(crate) fn curves(
    engine: &Engine,
    scorers: &[Scorer],
    pool: bool,
    options: &TableOptions,
) -> Table {
    let point = [text("curve"), real("threshold"), real("x"), real("y"), real("lo"), real("hi")];
    let columns = [&CELL[..], &SCORER, &point, &[count("n")]].concat();
    let mut table = Table::new("points of curves", &columns);
    let mut fewer = None;
    for cells in groups(engine, pool) {
        let made = engine.curves(&cells, scorers, resampling(options));
        fewer = fewer.or(made.resamples.filter(|drawn| *drawn < options.resampling.resamples));
        for curves in &made.scorers {
            let mut head = cells_row(engine, &cells);
            head.extend(scorer_data(&curves.scorer));
            points(&mut table, &head, curves);
        }
    }
    table.notes.extend(fewer.map(|drawn| fewer_words("bands", drawn)));
    if table.is_empty() {
        table.notes.push("no task here has a label and a score of these scorers".to_owned());
    }
    table
}

/// A curve: its name, its points, and which band is its own.
type Curve = (&'static str, Vec<CurvePoint>, fn(&Bands) -> &[Band]);

fn points(table: &mut Table, head: &[Datum], curves: &ScorerCurves) {
    let bands = curves.bands.as_ref();
    let steps = &curves.steps;
    let of = |all: fn(&ScorerCurves) -> Vec<CurvePoint>, means: &[CurvePoint]| {
        if curves.is_cross_fitted { means.to_vec() } else { all(curves) }
    };
    let lines: [Curve; 3] = [
        ("roc", of(|curves| curves.steps.roc(), &curves.roc), |bands| &bands.roc),
        (
            "precision-recall",
            of(|curves| curves.steps.precision_recall(), &curves.precision_recall),
            |bands| &bands.precision_recall,
        ),
        (
            "risk-coverage",
            of(|curves| curves.steps.risk_coverage(), &curves.risk_coverage),
            |bands| &bands.risk_coverage,
        ),
    ];
    let mut push = |row: [Datum; 7]| table.push([head, &row].concat());
    for (name, line, band) in lines {
        for CurvePoint { x, y, threshold } in line {
            let threshold = curves.scale.confidence(threshold);
            let ends = bands.and_then(|bands| Bands::at(band(bands), x));
            let (lo, hi) =
                ends.map_or((Datum::Missing, Datum::Missing), |(lo, hi)| (lo.into(), hi.into()));
            let runs = steps.total().items;
            push([name.into(), threshold.into(), x.into(), y.into(), lo, hi, runs.into()]);
        }
    }
    for (index, bin) in curves.reliability.iter().flatten().enumerate() {
        let Some(share) = bin.share() else { continue };
        let interval = bands.and_then(|bands| bands.reliability[index]);
        let [lo, hi] = ends(interval);
        let [mean, runs] = [bin.mean.into(), bin.runs.into()];
        push(["reliability".into(), Datum::Missing, mean, share.into(), lo, hi, runs]);
    }
    let histogram = &curves.histogram;
    let width = (histogram.high - histogram.low) / histogram.successes.len() as f64;
    for (name, counts) in
        [("histogram-success", &histogram.successes), ("histogram-failure", &histogram.failures)]
    {
        for (bin, runs) in counts.iter().enumerate() {
            // The middle of the bin.
            let x = curves.scale.confidence(histogram.low + (bin as f64 + 0.5) * width);
            let none = || Datum::Missing;
            let y = *runs as f64;
            push([name.into(), none(), x.into(), y.into(), none(), none(), (*runs).into()]);
        }
    }
}

/// A share or cost of held-out runs: its columns.
const HELD_OUT: [[&str; 3]; 5] = [
    ["held_out_coverage", "held_out_coverage_lo", "held_out_coverage_hi"],
    ["held_out_success", "held_out_success_lo", "held_out_success_hi"],
    ["held_out_caught", "held_out_caught_lo", "held_out_caught_hi"],
    ["held_out_lost", "held_out_lost_lo", "held_out_lost_hi"],
    ["held_out_cost", "held_out_cost_lo", "held_out_cost_hi"],
];

/// The best threshold of some scorers for some aims, and what it achieves on runs that did not choose it.
pub(crate) fn thresholds(
    engine: &Engine,
    scorers: &[Scorer],
    aims: &[Aim],
    costs: &Costs,
    pool: bool,
    options: &TableOptions,
) -> Table {
    let mut table = threshold_table();
    let mut fewer = None;
    for cells in groups(engine, pool) {
        for (scorer, aim) in scorers.iter().flat_map(|scorer| aims.iter().map(move |a| (scorer, a)))
        {
            let best = engine.best_threshold(&cells, scorer, *aim, costs, options.resampling);
            let Some(best) = best else { continue };
            let drawn = best.held_out.map(|held| held.resamples);
            fewer = fewer.or(drawn.filter(|drawn| *drawn < options.resampling.resamples));
            table.push(threshold_row(engine, &cells, scorer, &best, costs));
        }
    }
    let Costs { failure, review, run } = costs;
    table.notes.push(format!(
        "a failure that is accepted costs {failure}, a review {review}, a run {run}; held_out is every fold \
         under the threshold of the others"
    ));
    table.notes.extend(fewer.map(|drawn| fewer_words("intervals", drawn)));
    table
}

/// A threshold of a scorer over some cells together that is known already.
pub(crate) fn known_threshold(
    engine: &Engine,
    cells: &Scope,
    scorer: &Scorer,
    best: &BestThreshold,
    costs: &Costs,
) -> Table {
    let mut table = threshold_table();
    table.push(threshold_row(engine, &engine.cells_of(cells), scorer, best, costs));
    table
}

fn threshold_row(
    engine: &Engine,
    cells: &[usize],
    scorer: &Scorer,
    best: &BestThreshold,
    costs: &Costs,
) -> Vec<Datum> {
    let mut row = cells_row(engine, cells);
    row.extend(scorer_data(scorer));
    row.extend(threshold_data(best, costs));
    row
}

/// The columns of thresholds.
fn threshold_table() -> Table {
    let chosen = [
        text("aim"),
        flag("achieved"),
        real("threshold"),
        count("accepted"),
        count("reviewed"),
        count("failures_caught"),
        count("successes_lost"),
        real("coverage"),
        real("success"),
        real("caught"),
        real("lost"),
        real("cost"),
    ];
    let held_out: Vec<TableColumn> = HELD_OUT.iter().flatten().map(|name| real(name)).collect();
    let last = [count("n"), count("successes"), count("folds"), count("unachieved")];
    let columns = [&CELL[..], &SCORER, &chosen, &held_out, &last].concat();
    Table::new("the best threshold for an aim", &columns)
}

fn threshold_data(best: &BestThreshold, costs: &Costs) -> Vec<Datum> {
    let decision = best.decision.as_ref();
    let of = |count: fn(&Decision) -> usize| Datum::from(decision.map(count));
    let share = |of: fn(&Decision) -> Option<f64>| Datum::from(decision.and_then(of));
    let mut row = vec![best.aim.to_string().into(), best.threshold.is_some().into()];
    row.push(best.confidence().into());
    row.extend([of(|d| d.accepted), of(Decision::reviewed)]);
    row.extend([of(Decision::failures_caught), of(Decision::successes_lost)]);
    row.extend([share(Decision::coverage), share(Decision::retained)]);
    row.extend([share(Decision::share_caught), share(Decision::share_lost)]);
    row.push(decision.and_then(|decision| decision.cost(costs)).into());
    let estimates =
        |held: &HeldOut| [held.coverage, held.retained, held.caught, held.lost, held.cost];
    let estimates = best.held_out.as_ref().map_or_else(Default::default, estimates);
    row.extend(estimates.into_iter().flat_map(estimate_data));
    let held_out = best.held_out.as_ref();
    let counts = held_out.map(|held| held.decision).or(best.decision);
    row.push(counts.map(|decision| decision.runs).into());
    row.push(counts.map(|decision| decision.successes).into());
    row.push(held_out.map(|held| held.folds).into());
    row.push(held_out.map(|held| held.unachieved).into());
    row
}

fn estimate_data(estimate: Estimate) -> [Datum; 3] {
    let [lo, hi] = ends(estimate.interval);
    [estimate.value.into(), lo, hi]
}

/// Ensembles in every cell, compared with the best of their scorers.
pub(crate) fn ensembles(engine: &Engine, recipes: &[Recipe], options: &TableOptions) -> Table {
    let named = [text("ensemble"), text("metric")];
    let best = [text("best"), real("best_value"), real("best_lo"), real("best_hi")];
    let last = [count("folds"), text("weights")];
    let columns = [&CELL[..], &named, &VALUE, &best, &DIFFERENCE, &COUNTS, &last].concat();
    let title = format!("{} of ensembles and of the best of their scorers", options.metric.id());
    let mut table = Table::new(title, &columns);
    let mut without = Without::default();
    for cell in 0..engine.frames().len() {
        for recipe in recipes {
            let made = engine.ensemble(cell, recipe, options.metric, resampling(options));
            let Some(made) = without.unless(made, &recipe.to_string()) else { continue };
            let mut row = cell_row(&engine.frames()[cell].cell);
            row.extend([recipe.to_string().into(), options.metric.id().into()]);
            row.push(value_or_why(options.metric, made.value.value, made.counts));
            row.extend(ends(made.value.interval));
            row.push(made.best.as_ref().map(|(scorer, _)| scorer.flag()).into());
            row.extend(estimate_data(made.best.map(|(_, value)| value).unwrap_or_default()));
            row.extend(difference_data(made.difference));
            row.extend(count_data(made.counts));
            row.push(made.folds.into());
            let weights = recipe.inputs.iter().zip(&made.weights);
            let weights: Vec<String> =
                weights.map(|(scorer, weight)| format!("{} {weight:.2}", scorer.flag())).collect();
            row.push((!weights.is_empty()).then(|| weights.join(", ")).into());
            table.push(row);
        }
    }
    without.tell(&mut table);
    with_tasks(table, Unit::Runs, engine)
}

/// Calibrations of some scorers in every cell: errors before and after.
pub(crate) fn calibrations(engine: &Engine, scorers: &[Scorer], options: &TableOptions) -> Table {
    let mut columns = [&CELL[..], &SCORER, &[text("method")]].concat();
    for names in [
        ["ece_before", "ece_before_lo", "ece_before_hi"],
        ["ece_after", "ece_after_lo", "ece_after_hi"],
        ["ece_difference", "ece_difference_lo", "ece_difference_hi"],
        ["brier_before", "brier_before_lo", "brier_before_hi"],
        ["brier_after", "brier_after_lo", "brier_after_hi"],
        ["brier_difference", "brier_difference_lo", "brier_difference_hi"],
    ] {
        columns.extend(names.map(real));
    }
    columns.extend(COUNTS);
    columns.push(count("folds"));
    let mut table = Table::new("calibration errors before and after", &columns);
    let mut without = Without::default();
    for cell in 0..engine.frames().len() {
        for scorer in scorers {
            for method in Method::CALIBRATIONS {
                let Ok(recipe) = Recipe::new(method, vec![scorer.clone()]) else { continue };
                let made = engine.calibration(cell, &recipe, resampling(options));
                let Some(made) = without.unless(made, &recipe.to_string()) else { continue };
                let mut row = cell_row(&engine.frames()[cell].cell);
                row.extend(scorer_data(scorer));
                row.push(method.id().into());
                for (estimates, difference) in
                    [(made.ece, made.ece_difference), (made.brier, made.brier_difference)]
                {
                    row.extend(estimates.into_iter().flat_map(estimate_data));
                    row.extend(difference_data(difference));
                }
                row.extend(count_data(made.counts));
                row.push(made.folds.into());
                table.push(row);
            }
        }
    }
    without.tell(&mut table);
    with_tasks(table, Unit::Runs, engine)
}

/// In how many cells something could not be fitted, and why.
#[derive(Default)]
struct Without(BTreeMap<(String, String), u64>);

impl Without {
    /// What was made; where nothing was, that is counted.
    fn unless<T>(&mut self, made: Result<T, NoFit>, recipe: &str) -> Option<T> {
        let why = match made {
            Ok(made) => return Some(made),
            Err(why) => why,
        };
        *self.0.entry((recipe.to_owned(), why.to_string())).or_default() += 1;
        None
    }

    fn tell(self, table: &mut Table) {
        let note = |((recipe, why), cells): ((String, String), u64)| {
            format!("{recipe}: nothing in {}: {why}", counted(cells, "cell"))
        };
        table.notes.extend(self.0.into_iter().map(note));
    }
}
