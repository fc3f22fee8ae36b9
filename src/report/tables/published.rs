//! The figures that the paper prints, as tables.

use std::cmp::Ordering;

use super::TASKS;
use super::counts::{CORRELATED, Counting, Values};
use super::families::of_points;
use super::grid::columns;
use crate::engine::{FEW, Point, name_cells};
use crate::metrics::Metric;
use crate::model::Cell;
use crate::published::{Figure, figures};
use crate::report::table::{Datum, Provenance, Table};
use crate::report::{TableKind, WideRow, WideTable, WideValue};
use crate::scorers::{Family, Scorer};
use crate::text::two;

/// A table of the published figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishedKind {
    /// The figures as they were printed.
    Grid,
    /// Best scorer of every family, mean and peak.
    Families,
    /// Counts and means over the grid.
    Counts,
}

impl PublishedKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Grid, Self::Families, Self::Counts];

    /// The id that `--table` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Grid => TableKind::Grid.id(),
            Self::Families => TableKind::Families.id(),
            Self::Counts => "counts",
        }
    }
}

/// Which published figures are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct PublishedFilter<'a> {
    /// Only these datasets; all if none is named.
    pub datasets: &'a [String],
    /// Only these models; all if none is named.
    pub models: &'a [String],
    /// Only this scorer (`lnsp`), or under one aggregator (`lnsp.min`): then also those that only the
    /// paper's appendix has (`pm`, `lnsp.early`).
    pub scorer: Option<&'a str>,
    /// The scorer that others are counted against.
    pub versus: Option<&'a str>,
    /// Also the white-box scorers that only the appendix has.
    pub all_scorers: bool,
}

impl PublishedFilter<'_> {
    fn accepts(&self, figure: &Figure) -> bool {
        let fits = |wanted: &[String], name: &str| {
            wanted.is_empty() || wanted.iter().any(|wanted| wanted == name)
        };
        let scorer = self.scorer.is_none_or(|wanted| {
            wanted == figure.scorer || wanted.replacen('.', "·", 1) == name(figure)
        });
        fits(self.datasets, figure.dataset) && fits(self.models, figure.model) && scorer
    }

    fn is_empty(&self) -> bool {
        let narrows = !self.datasets.is_empty() || !self.models.is_empty();
        !narrows && self.scorer.is_none() && !self.all_scorers
    }
}

/// The table of the paper's appendix that has all white-box scorers.
const APPENDIX: &str = "auroc_whitebox_full";
/// The table of its scorers of prefixes, which it computes in one cell.
const PREFIXES: &str = "auroc_prefix";

/// The figures that are wanted; where a scorer is named, also its figures of the appendix, as if they
/// were of the main table.
fn chosen(filter: &PublishedFilter<'_>) -> Vec<Figure> {
    let main = figures().filter(|figure| figure.table != APPENDIX);
    let mut chosen: Vec<Figure> =
        main.filter(|figure| !is_scorer(figure) || filter.accepts(figure)).collect();
    if filter.scorer.is_some() || filter.all_scorers {
        let key = |figure: &Figure| (figure.scorer, figure.aggregator);
        let auroc = Metric::Auroc.id();
        let known: Vec<_> = chosen.iter().filter(|figure| figure.table == auroc).map(key).collect();
        let more = figures().filter(|figure| {
            let is_appendix =
                figure.table == APPENDIX || figure.table == PREFIXES && filter.scorer.is_some();
            is_appendix
                && is_scorer(figure)
                && filter.accepts(figure)
                && !known.contains(&key(figure))
        });
        chosen.extend(more.map(|figure| Figure { table: auroc, ..figure }));
    }
    chosen
}

/// Makes a table of the published figures; none where the paper prints no such metric of these.
pub fn published(
    kind: PublishedKind,
    metric: Metric,
    filter: &PublishedFilter<'_>,
) -> Option<Table> {
    let figures = chosen(filter);
    let prints = |figures: &[Figure]| {
        figures.iter().any(|figure| figure.table == metric.id() && is_scorer(figure))
    };
    let of_versus = |scorer| {
        prints(&chosen(&PublishedFilter { scorer: Some(scorer), versus: None, ..*filter }))
    };
    if !prints(&figures) || !filter.versus.is_none_or(of_versus) {
        return None;
    }
    let made = match kind {
        PublishedKind::Grid => grid(&figures, metric),
        PublishedKind::Families => {
            let points = points(&figures, metric);
            of_points(&points, &scope_name(&points), metric.higher_is_better())
        }
        PublishedKind::Counts => counts(&figures, metric, filter),
    };
    Some(made.in_scope("the published figures", Provenance::default()))
}

/// What the cells of some published values are called together.
fn scope_name(points: &[Point]) -> String {
    let mut whole: Vec<Cell> = Vec::new();
    for figure in figures() {
        let cell = Cell::new(figure.dataset, figure.model);
        if !whole.contains(&cell) {
            whole.push(cell);
        }
    }
    let cells: Vec<&Cell> = points.iter().map(|point| &point.cell).collect();
    name_cells(&cells, &whole).unwrap_or_else(|| "all".to_owned())
}

/// Whether a figure is a scorer's, and not about the cell itself.
fn is_scorer(figure: &Figure) -> bool {
    !matches!(figure.scorer, "success_rate" | "minority_n")
}

fn name(figure: &Figure) -> String {
    match figure.aggregator {
        Some(rule) => format!("{}·{rule}", figure.scorer),
        None => figure.scorer.to_owned(),
    }
}

/// What the paper prints about a figure's cell.
fn about_cell(figures: &[Figure], figure: &Figure, scorer: &str) -> Option<f64> {
    let fits = |other: &&Figure| {
        other.table == Metric::Auroc.id()
            && other.scorer == scorer
            && (other.dataset, other.model) == (figure.dataset, figure.model)
    };
    figures.iter().find(fits).map(|other| other.value)
}

/// Both ends of a figure's interval. Only half the range is printed, so they are as if it were
/// symmetric.
fn ends(figures: &[Figure], figure: &Figure) -> Option<[f64; 2]> {
    let fits = |other: &&Figure| {
        other.table == "auroc_ci"
            && (other.scorer, other.aggregator) == (figure.scorer, figure.aggregator)
            && (other.dataset, other.model) == (figure.dataset, figure.model)
    };
    let half = figures.iter().find(fits)?.half_range?;
    (figure.table == Metric::Auroc.id()).then_some([figure.value - half, figure.value + half])
}

fn points(figures: &[Figure], metric: Metric) -> Vec<Point> {
    let of_metric = figures.iter().filter(|figure| figure.table == metric.id());
    let point = |figure: &Figure| {
        let rate = about_cell(figures, figure, "success_rate").map(|percent| percent / 100.0);
        let minority = about_cell(figures, figure, "minority_n");
        Point {
            cell: Cell::new(figure.dataset, figure.model),
            scorer: name(figure),
            family: Family::of_id(figure.scorer),
            value: figure.value,
            ends: ends(figures, figure),
            chance: rate.and_then(|rate| metric.chance(rate)),
            flagged: minority.is_some_and(|count| count < FEW as f64),
        }
    };
    of_metric.filter(|figure| is_scorer(figure)).map(point).collect()
}

fn grid(all: &[Figure], metric: Metric) -> Table {
    let mut table = Table::new(format!("the published {}", metric.id()), &columns());
    for figure in all.iter().filter(|figure| figure.table == metric.id() && is_scorer(figure)) {
        let minority = about_cell(all, figure, "minority_n");
        let [lo, hi] = ends(all, figure).map_or([None; 2], |ends| ends.map(Some));
        table.push(vec![
            figure.dataset.into(),
            figure.model.into(),
            "published".into(),
            figure.scorer.into(),
            figure.aggregator.into(),
            metric.id().into(),
            figure.value.into(),
            lo.into(),
            hi.into(),
            Datum::Missing,
            Datum::Missing,
            Datum::Missing,
            minority.map(|count| count as usize).into(),
            minority.is_some_and(|count| count < FEW as f64).into(),
            Datum::Missing,
        ]);
    }
    table.wide = Some(wide(all, metric));
    table.without(|name| name == TASKS)
}

/// The grid with a column per cell, as the paper prints it.
fn wide(all: &[Figure], metric: Metric) -> WideTable {
    let points = points(all, metric);
    let (mut columns, mut scorers): (Vec<Cell>, Vec<(Family, &str)>) = (Vec::new(), Vec::new());
    for point in &points {
        if !columns.contains(&point.cell) {
            columns.push(point.cell.clone());
        }
        if !scorers.contains(&(point.family, point.scorer.as_str())) {
            scorers.push((point.family, &point.scorer));
        }
    }
    columns.sort_by_key(|cell| columns_of_dataset(&points, &cell.dataset));
    scorers.sort_by_key(|(family, _)| family.position());
    let value = |scorer: &str, cell: &Cell| {
        let mut in_cell = points.iter().filter(|point| point.cell == *cell);
        let Some(point) = in_cell.clone().find(|point| point.scorer == scorer) else {
            return WideValue { text: "–".to_owned(), ..WideValue::default() };
        };
        let is_better = |other: &Point| {
            metric.better_first(Some(other.value), Some(point.value)) == Ordering::Less
        };
        WideValue {
            text: two(point.value),
            is_best: scorers.len() > 1 && !in_cell.any(is_better),
            is_flagged: point.flagged,
            ..WideValue::default()
        }
    };
    let mut rows = Vec::new();
    for family in scorers.chunk_by(|a, b| a.0 == b.0) {
        rows.push(WideRow::Head(family[0].0.id().to_owned()));
        rows.extend(family.iter().map(|(_, scorer)| {
            let values = columns.iter().map(|cell| value(scorer, cell)).collect();
            WideRow::Values(Scorer::parse(scorer).label(), values)
        }));
    }
    let rate = |cell: &Cell| {
        let figure = all.iter().find(|figure| {
            figure.scorer == "success_rate"
                && (figure.dataset, figure.model) == (&cell.dataset, &cell.model)
        });
        figure.map_or("–".to_owned(), |figure| format!("{:.0}%", figure.value))
    };
    let foot = vec![("success rate".to_owned(), columns.iter().map(rate).collect())];
    let few = format!("† fewer than {FEW} tasks of the rarer outcome");
    let remarks = points.iter().any(|point| point.flagged).then_some(few).into_iter().collect();
    WideTable { corner: metric.id().to_uppercase(), columns, rows, foot, remarks }
}

/// Where the first value of a dataset stands.
fn columns_of_dataset(points: &[Point], dataset: &str) -> Option<usize> {
    points.iter().position(|point| point.cell.dataset == dataset)
}

/// Where the text of the paper says other than its printed figures, because it was written from
/// unrounded ones.
const ROUNDED: [(&str, &str); 3] = [
    ("white-box values below 0.5", "the paper counts 91: rounding hides 7 values just below 0.5"),
    (
        "median Spearman correlation of auroc and auprc",
        "the paper says 0.94: rounded values rank with ties",
    ),
    (
        "median Spearman correlation of auroc and prr",
        "the paper says 0.95: rounded values rank with ties",
    ),
];

fn counts(figures: &[Figure], metric: Metric, filter: &PublishedFilter<'_>) -> Table {
    let values = Values {
        metric,
        points: points(figures, metric),
        correlated: CORRELATED.map(|metric| (metric, points(figures, metric))).into(),
        rivals: filter.versus.map_or(Vec::new(), |scorer| {
            let scorer = Some(scorer);
            points(&chosen(&PublishedFilter { scorer, versus: None, ..*filter }), metric)
        }),
    };
    let versus = filter.versus.map(|scorer| scorer.replacen('.', "·", 1));
    let counting = Counting::new(&values, versus.as_deref());
    let mut table = counting.table("counts and means over the published grid");
    if filter.is_empty() {
        for (what, note) in ROUNDED {
            table.note_row(what, note);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::families;

    fn auroc() -> Vec<Point> {
        points(&chosen(&PublishedFilter::default()), Metric::Auroc)
    }

    /// The paper prints means and peaks to three decimals from unrounded values; from its two-decimal
    /// grid they come out within the rounding.
    #[test]
    fn family_means_and_peaks_as_published() {
        let published = [
            (Family::WhiteBox, 0.628, 0.725),
            (Family::Reflexive, 0.691, 0.885),
            (Family::Action, 0.705, 0.849),
            (Family::Message, 0.603, 0.832),
            (Family::Judged, 0.686, 0.868),
        ];
        let summaries = families(&auroc(), true);
        for (family, mean, peak) in published {
            let found = summaries.iter().find(|summary| summary.family == family).expect("there");
            assert!((found.mean - mean).abs() <= 0.005, "{family:?}: {} {mean}", found.mean);
            assert!((found.peak - peak).abs() <= 0.005 + 1e-12, "{family:?}: {}", found.peak);
            assert_eq!(found.cells, 20);
        }
    }

    fn counted(metric: Metric, filter: &PublishedFilter<'_>) -> Vec<serde_json::Value> {
        let table = published(PublishedKind::Counts, metric, filter).expect("published");
        let json = table.render(crate::report::OutputFormat::Json);
        serde_json::from_str(&json).expect("JSON")
    }

    /// What the paper's text says about its grid, to the decimals that it prints.
    #[test]
    fn the_claims_of_the_paper() {
        let rows = counted(Metric::Auroc, &PublishedFilter::default());
        let row = |what: &str| {
            let row = rows.iter().find(|row| row["what"] == what);
            row.unwrap_or_else(|| panic!("no {what:?} in {rows:#?}"))
        };
        // From the printed figures, with Python: csv, statistics.median, scipy.stats.spearmanr.
        let claims = [
            ("white-box values", 240.0, 20),
            ("white-box values below 0.5", 84.0, 20),
            ("white-box intervals below 0.5", 21.0, 20),
            ("white-box intervals below 0.5 in cells without †", 10.0, 12),
            ("white-box intervals below 0.5 in cells with †", 11.0, 8),
            ("white-box intervals below 0.5 in telecom", 15.0, 5),
            ("white-box intervals below 0.5 in airline", 5.0, 5),
            ("cells whose best scorer separates from chance", 18.0, 20),
            ("median half-width of intervals in cells without †", 0.10, 12),
            ("median half-width of intervals in cells with †", 0.17, 8),
            ("median Spearman correlation of auroc and auprc", 0.950_593_383_328_396_8, 20),
            ("median Spearman correlation of auroc and prr", 0.937_381_339_173_326_7, 20),
            ("mean over τ² of each cell's best white-box scorer", 0.617_333_333_333_333_3, 15),
        ];
        for (what, value, cells) in claims {
            let row = row(what);
            let found = row["value"].as_f64().expect("a number");
            assert!((found - value).abs() < 1e-9, "{what}: {found} for {value}");
            assert_eq!(row["cells"], cells, "{what}");
        }
        for (what, note) in ROUNDED {
            assert_eq!(row(what)["note"], note);
        }
        let best = row("mean over τ² of sp·last")["value"].as_f64().expect("a number");
        assert!((best - 0.53).abs() <= 0.005, "{best}");
    }

    #[test]
    fn one_scorer_against_another() {
        let filter = PublishedFilter { versus: Some("prop-dist"), ..PublishedFilter::default() };
        let rows = counted(Metric::Auroc, &filter);
        let row = rows.iter().find(|row| row["what"] == "cells where prop-hmm beats prop-dist");
        let cells = auroc().into_iter().filter(|point| point.scorer == "prop-hmm");
        let dist = auroc();
        let wins = cells.filter(|point| {
            let same = |other: &&Point| other.scorer == "prop-dist" && other.cell == point.cell;
            point.value > dist.iter().find(same).expect("both").value + 1e-9
        });
        let unknown = PublishedFilter { versus: Some("moon"), ..PublishedFilter::default() };
        assert!(published(PublishedKind::Counts, Metric::Auroc, &unknown).is_none());
        // A scorer of the appendix is compared and otherwise not counted.
        let appendix = PublishedFilter { versus: Some("pm.early"), ..PublishedFilter::default() };
        let counts = counted(Metric::Auroc, &appendix);
        assert_eq!(counts[0]["value"], 240);
        assert!(counts.iter().any(|row| row["what"] == "cells where ter beats pm·early"));
        let all = PublishedFilter { all_scorers: true, ..PublishedFilter::default() };
        assert_eq!(counted(Metric::Auroc, &all)[0]["value"], 480);
        let (row, wins) = (row.expect("counted"), wins.count());
        assert_eq!((row["value"].as_u64(), row["cells"].as_u64()), (Some(wins as u64), Some(20)));
    }

    #[test]
    fn the_appendix_is_reached_by_naming_a_scorer() {
        let rows = |scorer| {
            let filter = PublishedFilter { scorer, ..PublishedFilter::default() };
            published(PublishedKind::Grid, Metric::Auroc, &filter).expect("printed").rows().len()
        };
        // Four aggregators of each base score in the main table, six in the appendix, 20 cells.
        assert_eq!((rows(None), rows(Some("pm"))), (22 * 20, 6 * 20));
        assert_eq!((rows(Some("lnsp")), rows(Some("lnsp.early"))), (6 * 20, 20));
        // Next actions were resampled in one cell.
        assert_eq!(rows(Some("prefix-name-min")), 1);
    }
}
