//! Families of scorers: the best of each, compared, and what they cost.

use std::collections::BTreeSet;

use super::{CELL, TASKS, Unit, cell_row, difference_data, skipped, with_tasks};
use crate::engine::{Engine, Point, ScorerDifference, best, families as summaries};
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, count, real, text};

/// Mean and peak of every family, and its best scorer in every cell.
pub(crate) fn families(engine: &Engine, options: &TableOptions) -> Table {
    let mut engine = engine.clone();
    options.choose_scorers(&mut engine);
    let points = engine.points(&engine.grid(options.metric, None), options.metric);
    let mut table = of_points(&points, options.metric.higher_is_better());
    table.notes.extend(options.scorers_in_words(&engine));
    table
}

/// The families of some values: mean and peak first, then the best scorer of every cell. Of one cell
/// alone there is nothing to average.
pub(super) fn of_points(points: &[Point], higher_is_better: bool) -> Table {
    let columns = [
        text("family"),
        text("cell"),
        text("scorer"),
        real("best"),
        real("mean"),
        real("peak"),
        count("cells"),
        count("scorers"),
    ];
    let mut table = Table::new("the best scorer of every family", &columns);
    let scorers = |family| {
        let names = points.iter().filter(|point| point.family == family);
        names.map(|point| point.scorer.as_str()).collect::<BTreeSet<_>>().len()
    };
    let several = points.iter().any(|point| point.cell != points[0].cell);
    for summary in summaries(points, higher_is_better).into_iter().filter(|_| several) {
        table.push(vec![
            summary.family.id().into(),
            "all".into(),
            summary.peak_scorer.into(),
            Datum::Missing,
            summary.mean.into(),
            summary.peak.into(),
            summary.cells.into(),
            scorers(summary.family).into(),
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
            scorers(best.family).into(),
        ]);
    }
    table
}

/// The best reflexive scorer of every cell compared with its best consistency scorer, and `ter` with
/// the best of the others.
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
        count("n"),
        count(TASKS),
        real("consistency_minus_reflexive"),
        real("consistency_minus_reflexive_lo"),
        real("consistency_minus_reflexive_hi"),
        text("best_other"),
        real("ter_minus_best_other"),
        real("ter_minus_best_other_lo"),
        real("ter_minus_best_other_hi"),
        count("ter_minus_best_other_n"),
        count("ter_minus_best_other_tasks"),
        count("skipped"),
        count("ter_minus_best_other_skipped"),
    ];
    let title = "best reflexive, best consistency scorer and ter, on the tasks that both have";
    let mut table = Table::new(title, &[&CELL[..], &values].concat());
    for row in engine.paired(options.metric, options.resampling) {
        let (mut data, pair) =
            (cell_row(&engine.frames()[row.cell].cell), row.reflexive_and_consistency);
        data.push(options.metric.id().into());
        let difference = pair.as_ref().map(|pair| pair.difference);
        let (reflexive, consistency) = pair.map(|pair| (pair.first, pair.second)).unzip();
        for named in [reflexive, consistency] {
            let (name, value) = named.unzip();
            data.extend([name.into(), value.into()]);
        }
        data.extend(difference_data(difference));
        data.push(difference.map(|difference| difference.n).into());
        data.push(difference.map(|difference| difference.tasks).into());
        data.extend(difference_data(difference.map(ScorerDifference::negated)));
        let skips = |difference: Option<ScorerDifference>| {
            skipped(difference.and_then(|difference| difference.interval))
        };
        let of_families = skips(difference);
        let ter = row.ter_and_best_other;
        data.push(ter.as_ref().map(|pair| pair.second.0.as_str()).into());
        let difference = ter.map(|pair| pair.difference);
        data.extend(difference_data(difference));
        data.push(difference.map(|difference| difference.n).into());
        data.push(difference.map(|difference| difference.tasks).into());
        data.extend([of_families, skips(difference)]);
        table.push(data);
    }
    with_tasks(table, Unit::Runs, engine)
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
