//! The figures that the paper prints, as tables.

use std::collections::BTreeSet;

use super::families::of_points;
use super::grid::columns;
use crate::engine::{FEW, Point, fixed_rule_means};
use crate::metrics::Metric;
use crate::model::Cell;
use crate::published::{Figure, figures};
use crate::report::TableKind;
use crate::report::table::{Datum, Provenance, Table, count, real, text};
use crate::scorers::Family;

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

/// Makes a table of the published figures that `wanted` accepts; none where the paper prints no such
/// metric.
pub fn published(
    kind: PublishedKind,
    metric: Metric,
    wanted: impl Fn(&Figure) -> bool,
) -> Option<Table> {
    let fits = |figure: &Figure| !is_scorer(figure) || wanted(figure);
    let figures: Vec<Figure> = figures().filter(fits).collect();
    if kind != PublishedKind::Counts && !figures.iter().any(|figure| figure.table == metric.id()) {
        return None;
    }
    let made = match kind {
        PublishedKind::Grid => grid(&figures, metric),
        PublishedKind::Families => {
            of_points(&points(&figures, metric.id()), metric.higher_is_better())
        }
        PublishedKind::Counts => counts(&figures),
    };
    Some(made.in_scope("the published figures", Provenance::default()))
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

fn points(figures: &[Figure], table: &str) -> Vec<Point> {
    let figures = figures.iter().filter(|figure| figure.table == table && is_scorer(figure));
    let point = |figure: &Figure| Point {
        cell: Cell::new(figure.dataset, figure.model),
        scorer: name(figure),
        family: Family::of_id(figure.scorer),
        value: figure.value,
    };
    figures.map(point).collect()
}

fn grid(all: &[Figure], metric: Metric) -> Table {
    let mut table = Table::new(format!("the published {}", metric.id()), &columns());
    let same_cell = |a: &Figure, b: &Figure| (a.dataset, a.model) == (b.dataset, b.model);
    let minority = |figure: &Figure| {
        let fits = |other: &&Figure| {
            other.table == figure.table && other.scorer == "minority_n" && same_cell(other, figure)
        };
        all.iter().find(fits).map(|other| other.value)
    };
    let half_range = |figure: &Figure| {
        let fits = |other: &&Figure| {
            other.table == "auroc_ci"
                && (other.scorer, other.aggregator) == (figure.scorer, figure.aggregator)
                && same_cell(other, figure)
        };
        all.iter().find(fits).and_then(|other| other.half_range)
    };
    for figure in all.iter().filter(|figure| figure.table == metric.id() && is_scorer(figure)) {
        // Only half the range is printed, so the ends are as if it were symmetric.
        let half = if metric == Metric::Auroc { half_range(figure) } else { None };
        let minority = minority(figure);
        table.push(vec![
            figure.dataset.into(),
            figure.model.into(),
            "published".into(),
            figure.scorer.into(),
            figure.aggregator.into(),
            metric.id().into(),
            figure.value.into(),
            half.map(|half| figure.value - half).into(),
            half.map(|half| figure.value + half).into(),
            Datum::Missing,
            Datum::Missing,
            minority.map(|count| count as usize).into(),
            minority.is_some_and(|count| count < FEW as f64).into(),
        ]);
    }
    table
}

/// The points on the datasets of τ².
fn tau2(figures: &[Figure]) -> Vec<Point> {
    let all = points(figures, "auroc").into_iter();
    all.filter(|point| !point.cell.dataset.starts_with("bfcl")).collect()
}

fn counts(figures: &[Figure]) -> Table {
    let columns = [text("what"), real("value"), count("cells")];
    let mut table = Table::new("counts and means over the published grid", &columns);
    let white_box: Vec<Point> = points(figures, "auroc")
        .into_iter()
        .filter(|point| point.family == Family::WhiteBox)
        .collect();
    let cells: BTreeSet<&Cell> = white_box.iter().map(|point| &point.cell).collect();
    let below = white_box.iter().filter(|point| point.value < 0.5).count();
    table.push(vec!["white-box values".into(), white_box.len().into(), cells.len().into()]);
    table.push(vec!["white-box values below 0.5".into(), below.into(), cells.len().into()]);
    for (scorer, mean, cells) in fixed_rule_means(&tau2(figures)) {
        table.push(vec![format!("mean over τ² of {scorer}").into(), mean.into(), cells.into()]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::families;

    fn all() -> Vec<Figure> {
        figures().collect()
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
        let summaries = families(&points(&all(), "auroc"), true);
        for (family, mean, peak) in published {
            let found = summaries.iter().find(|summary| summary.family == family).expect("there");
            assert!((found.mean - mean).abs() <= 0.005, "{family:?}: {} {mean}", found.mean);
            assert!((found.peak - peak).abs() <= 0.005 + 1e-12, "{family:?}: {}", found.peak);
            assert_eq!(found.cells, 20);
        }
    }

    #[test]
    fn fixed_rules_over_tau2() {
        let white_box: Vec<Point> =
            tau2(&all()).into_iter().filter(|point| point.family == Family::WhiteBox).collect();
        let means = fixed_rule_means(&white_box);
        assert_eq!(means[0].0, "sp·last");
        assert!((means[0].1 - 0.53).abs() <= 0.005, "{}", means[0].1);
        assert_eq!(white_box.len(), 180);
    }

    #[test]
    fn the_white_box_grid_has_240_values() {
        let counts = counts(&all()).render(crate::report::OutputFormat::Csv);
        assert!(counts.contains("white-box values,240,20"), "{counts}");
    }
}
