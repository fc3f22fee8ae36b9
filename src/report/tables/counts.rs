//! Counts and means over a whole grid, of a store or of the paper.

use crate::engine::{Engine, Overview, Point};
use crate::metrics::Metric;
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, count, real, text};
use crate::scorers::{Family, Scorer};

/// The datasets of τ².
const TAU2: [&str; 3] = ["airline", "retail", "telecom"];

/// Values of the same scorers and cells under several metrics.
pub(super) struct Values {
    /// The metric that is counted.
    pub metric: Metric,
    /// Its values, with intervals where there are any.
    pub points: Vec<Point>,
    /// Values of all metrics between which scorers' ranks are correlated.
    pub correlated: Vec<(Metric, Vec<Point>)>,
    /// Values of the scorer that others are counted against, which may be none of those counted.
    pub rivals: Vec<Point>,
}

/// Counts and means over the grid of a store.
pub(crate) fn counts(engine: &Engine, versus: Option<&Scorer>, options: &TableOptions) -> Table {
    let all = engine;
    let mut engine = engine.clone();
    options.choose_scorers(&mut engine);
    let points = |metric, resampling| engine.points(&engine.grid(metric, resampling), metric);
    let resampling = (options.resampling.resamples > 0).then_some(options.resampling);
    let values = Values {
        metric: options.metric,
        points: points(options.metric, resampling),
        correlated: CORRELATED.map(|metric| (metric, points(metric, None))).into(),
        rivals: versus.map_or(Vec::new(), |versus| {
            let mut alone = all.clone();
            alone.retain(|_| true, |scorer| scorer == versus);
            alone.points(&alone.grid(options.metric, None), options.metric)
        }),
    };
    let versus = versus.map(ToString::to_string);
    let counting = Counting::new(&values, versus.as_deref());
    let mut made = counting.table("counts and means over the grid");
    made.notes.extend(options.scorers_in_words(&engine));
    made
}

/// The metrics whose rankings of scorers are compared, with the first of them.
pub(super) const CORRELATED: [Metric; 3] = [Metric::Auroc, Metric::Auprc, Metric::Prr];

/// The rows of a table of counts.
pub(super) struct Counting<'a> {
    values: &'a Values,
    all: Overview<'a>,
    versus: Option<&'a str>,
    rows: Vec<Vec<Datum>>,
}

impl<'a> Counting<'a> {
    pub(super) fn new(values: &'a Values, versus: Option<&'a str>) -> Self {
        let all = Overview::new(&values.points, values.metric.higher_is_better());
        Self { values, all, versus, rows: Vec::new() }
    }

    /// The table, with an empty column for notes.
    pub(super) fn table(mut self, title: &str) -> Table {
        let white_box = self.all.of(|point| point.family == Family::WhiteBox);
        self.add_chance("white-box", &white_box);
        self.add_chance("all", &self.all.clone());
        self.add_intervals();
        self.add_correlations();
        self.add_leads();
        self.add_means("mean of", &self.all.clone());
        let tau2 = self.all.of(|point| TAU2.contains(&point.cell.dataset.as_str()));
        if !tau2.is_empty() && tau2.len() < self.all.len() {
            self.add_means("mean over τ² of", &tau2);
        }
        self.add_wins();
        let columns = [text("what"), real("value"), count("cells"), text("note")];
        let mut table = Table::new(title, &columns);
        self.rows.into_iter().for_each(|row| table.push(row));
        table
    }

    fn add(&mut self, what: impl Into<String>, value: impl Into<Datum>, cells: usize) {
        self.rows.push(vec![what.into().into(), value.into(), cells.into(), Datum::Missing]);
    }

    /// How many values are worse than chance, and how many surely so.
    fn add_chance(&mut self, name: &str, values: &Overview<'_>) {
        if values.is_empty() {
            return;
        }
        let cells = values.cells().len();
        self.add(format!("{name} values"), values.len(), cells);
        let worse = match self.values.metric {
            Metric::Auroc => "below 0.5",
            _ => "worse than chance",
        };
        if self.values.points.iter().all(|point| point.chance.is_none()) {
            return;
        }
        self.add(format!("{name} values {worse}"), values.worse_than_chance().len(), cells);
        if self.values.points.iter().all(|point| point.ends.is_none()) {
            return;
        }
        let sure = values.surely_worse_than_chance();
        self.add(format!("{name} intervals {worse}"), sure.len(), cells);
        for (flagged, words) in [(false, "without †"), (true, "with †")] {
            let among = values.of(|point| point.flagged == flagged).cells().len();
            let sure = sure.of(|point| point.flagged == flagged).len();
            self.add(format!("{name} intervals {worse} in cells {words}"), sure, among);
        }
        for dataset in values.datasets() {
            let among = values.of(|point| point.cell.dataset == dataset).cells().len();
            let sure = sure.of(|point| point.cell.dataset == dataset).len();
            self.add(format!("{name} intervals {worse} in {dataset}"), sure, among);
        }
    }

    /// Whether the best scorer of a cell is better than chance, and how wide intervals are.
    fn add_intervals(&mut self) {
        let all = self.all.clone();
        let with_intervals = all.of(|point| point.ends.is_some());
        if with_intervals.is_empty() {
            return;
        }
        if self.values.points.iter().any(|point| point.chance.is_some()) {
            let what = "cells whose best scorer separates from chance";
            self.add(what, all.cells_with_a_sure_best(), all.cells().len());
        }
        for (flagged, words) in [(false, "without †"), (true, "with †")] {
            let among = with_intervals.of(|point| point.flagged == flagged);
            let what = format!("median half-width of intervals in cells {words}");
            self.add(what, among.median_half_width(), among.cells().len());
        }
    }

    fn add_correlations(&mut self) {
        let overviews = self.values.correlated.iter().map(|(metric, points)| {
            (metric.id(), Overview::new(points, metric.higher_is_better()))
        });
        let overviews: Vec<_> = overviews.collect();
        let Some(((first, of_first), others)) = overviews.split_first() else { return };
        for (other, of_other) in others {
            let (median, cells) = of_first.median_correlation(of_other);
            if cells > 0 {
                let what = format!("median Spearman correlation of {first} and {other}");
                self.add(what, median, cells);
            }
        }
    }

    fn add_leads(&mut self) {
        let cells = self.all.cells().len();
        for (scorer, leads) in self.all.leads() {
            self.add(format!("cells that {scorer} leads"), leads, cells);
        }
    }

    /// The mean of every scorer over cells, and what knowing the best one of each would give.
    fn add_means(&mut self, words: &str, values: &Overview<'a>) {
        for (scorer, mean, cells) in values.fixed_means() {
            self.add(format!("{words} {scorer}"), mean, cells);
        }
        let white_box = values.of(|point| point.family == Family::WhiteBox);
        for (among, name) in [(&white_box, "white-box scorer"), (values, "scorer")] {
            if let Some(oracle) = among.oracle() {
                let what = format!("{words} each cell's best {name}");
                self.add(what, oracle, among.cells().len());
            }
        }
    }

    /// In how many cells other scorers beat one: the best fixed one, if none is named.
    fn add_wins(&mut self) {
        let best = self.all.fixed_means().into_iter().next().map(|(scorer, ..)| scorer);
        let Some(versus) = self.versus.or(best) else { return };
        let higher_is_better = self.values.metric.higher_is_better();
        let others = self.values.points.iter().filter(|point| point.scorer != versus);
        let of_versus = self.values.points.iter().filter(|point| point.scorer == versus);
        let known: Vec<&Point> = of_versus.collect();
        let rivals = if known.is_empty() { self.values.rivals.iter().collect() } else { known };
        let compared = Overview::new(others.chain(rivals), higher_is_better);
        for (scorer, wins, cells) in compared.wins_over(versus) {
            self.add(format!("cells where {scorer} beats {versus}"), wins, cells);
        }
    }
}
