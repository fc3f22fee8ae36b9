//! Families of scorers: the best of each, compared, and what they cost.

use std::collections::BTreeSet;

use super::{
    CELL, COUNTS, SKIPPED, TASKS, Unit, VALUE, cell_row, count_data, difference_data, ends,
    skipped, with_tasks,
};
use crate::engine::{
    Engine, Favours, PairedVerdict, Point, Scope, ScorerDifference, best, families as summaries,
};
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, count, flag, real, text};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;

/// Mean and peak of every family, and its best scorer in every cell.
pub(crate) fn families(engine: &Engine, options: &TableOptions) -> Table {
    let mut engine = engine.clone();
    options.choose_scorers(&mut engine);
    let points = engine.points(&engine.grid(options.metric, None), options.metric);
    let all = engine.scope_name(&Scope::All);
    let mut table = of_points(&points, &all, options.metric.higher_is_better());
    table.notes.extend(options.scorers_in_words(&engine));
    table
}

/// The families of some values: mean and peak first, then the best scorer of every cell. Of one cell
/// alone there is nothing to average. `all` is what the cells are called together.
pub(super) fn of_points(points: &[Point], all: &str, higher_is_better: bool) -> Table {
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
            all.into(),
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

/// Some scorers compared with one in every cell, on the tasks that both have, and in how many cells the
/// difference is decisive.
pub(crate) fn paired_with(
    engine: &Engine,
    scorers: &[Scorer],
    versus: &Scorer,
    options: &TableOptions,
) -> Table {
    let values = [
        text("metric"),
        text("scorer"),
        real("value"),
        text("versus"),
        real("versus_value"),
        real("difference"),
        real("lo"),
        real("hi"),
        flag("decisive"),
        count("n"),
        count(TASKS),
        count("skipped"),
    ];
    let title = format!("every scorer minus {versus}, on the tasks that both have");
    let mut table = Table::new(title, &[&CELL[..], &values].concat());
    let metric = options.metric;
    for scorer in scorers.iter().filter(|scorer| *scorer != versus) {
        let cells = engine.paired_scorers(scorer, versus, metric, options.resampling);
        if cells.is_empty() {
            continue;
        }
        for row in &cells {
            let mut data = cell_row(&engine.frames()[row.cell].cell);
            let [value, versus_value] = row.values.map(Datum::from);
            data.extend([metric.id().into(), scorer.to_string().into(), value]);
            data.extend([versus.to_string().into(), versus_value]);
            data.extend(difference_data(Some(row.difference)));
            data.push((row.difference.favours(metric) != Favours::Open).into());
            data.extend([row.difference.n.into(), row.difference.tasks.into()]);
            data.push(skipped(row.difference.interval));
            table.push(data);
        }
        let verdict = PairedVerdict::of(&cells, metric);
        let words = verdict.words(&scorer.to_string(), &versus.to_string());
        table.notes.push(format!("{scorer} and {versus}: {words}"));
    }
    let chance = "of scorers that are equally good, 1 interval in 20 would exclude 0 by chance";
    table.notes.extend((!table.is_empty()).then(|| chance.to_owned()));
    with_tasks(table, Unit::Runs, engine)
}

/// The best scorer of every family of methods in every cell, as in the paper's second figure.
pub(crate) fn methods(engine: &Engine, options: &TableOptions) -> Table {
    let metric = options.metric;
    let named = [text("family"), text("scorer"), text("aggregator"), text("metric")];
    let columns = [&CELL[..], &named, &VALUE, &COUNTS, &SKIPPED, &[count("scorers")]].concat();
    let title = format!("the best {} of every family of methods in every cell", metric.id());
    let mut table = Table::new(title, &columns);
    let resampling = (options.resampling.resamples > 0).then_some(options.resampling);
    for found in engine.best_of_methods(metric, resampling) {
        let mut row = cell_row(&engine.frames()[found.best.cell].cell);
        let rule = found.scorer.aggregator().map(Aggregator::id);
        row.extend([found.method.id().into(), found.scorer.id().into(), rule.into()]);
        row.extend([metric.id().into(), found.best.value.into()]);
        row.extend(ends(found.best.interval));
        row.extend(count_data(found.best.counts));
        row.extend([skipped(found.best.interval), found.among.into()]);
        table.push(row);
    }
    let note = "the best of several is chosen on the same tasks, so that a family with more scorers has \
                an advantage; intervals are of the chosen scorer alone";
    table.notes.extend((!table.is_empty()).then(|| note.to_owned()));
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
