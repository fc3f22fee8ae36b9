//! The same summaries on the paper's own figures.

use std::collections::BTreeSet;

use super::kind::TableKind;
use super::rows::{Field, Rows};
use super::tables::{GRID, family_table};
use crate::engine::{FEW, Point, fixed_rule_means};
use crate::metrics::Metric;
use crate::model::Cell;
use crate::published::{Figure, figures};
use crate::scorers::Family;

/// Tables that can be made of the published figures: the counts, or one of the usual ones.
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

/// Makes a table of the published figures that `wanted` lets through; none where the paper prints no
/// such metric.
pub fn published(
    kind: PublishedKind,
    metric: Metric,
    wanted: impl Fn(&Figure) -> bool,
) -> Option<Rows> {
    let figures: Vec<Figure> = figures().filter(|own| !is_scorer(own) || wanted(own)).collect();
    if kind != PublishedKind::Counts && !figures.iter().any(|own| own.table == metric.id()) {
        return None;
    }
    Some(match kind {
        PublishedKind::Grid => grid(&figures, metric),
        PublishedKind::Families => {
            family_table(&points(&figures, metric.id()), metric.higher_is_better())
        }
        PublishedKind::Counts => counts(&figures),
    })
}

/// Whether a figure is a scorer's, and not about the cell itself.
fn is_scorer(own: &Figure) -> bool {
    !matches!(own.scorer, "success_rate" | "minority_n")
}

fn name(own: &Figure) -> String {
    match own.aggregator {
        Some(rule) => format!("{}·{rule}", own.scorer),
        None => own.scorer.to_owned(),
    }
}

fn points(figures: &[Figure], table: &str) -> Vec<Point> {
    let own = figures.iter().filter(|own| own.table == table && is_scorer(own));
    own.map(|own| Point {
        cell: Cell::new(own.dataset, own.model),
        scorer: name(own),
        family: Family::of_id(own.scorer),
        value: own.value,
    })
    .collect()
}

fn grid(all: &[Figure], metric: Metric) -> Rows {
    let mut rows = Rows::new(&GRID);
    let of = |own: &Figure, scorer: &str| {
        let fits = |other: &&Figure| {
            other.table == own.table
                && other.scorer == scorer
                && (other.dataset, other.model) == (own.dataset, own.model)
        };
        all.iter().find(fits).map(|other| other.value)
    };
    let half_range = |own: &Figure| {
        let fits = |other: &&Figure| {
            other.table == "auroc_ci"
                && (other.scorer, other.aggregator) == (own.scorer, own.aggregator)
                && (other.dataset, other.model) == (own.dataset, own.model)
        };
        all.iter().find(fits).and_then(|other| other.half_range)
    };
    for own in all.iter().filter(|own| own.table == metric.id() && is_scorer(own)) {
        // Only half the range is printed, so the ends are as if it were symmetric.
        let half = if metric == Metric::Auroc { half_range(own) } else { None };
        let minority = of(own, "minority_n");
        rows.push(vec![
            own.dataset.into(),
            own.model.into(),
            "published".into(),
            own.scorer.into(),
            own.aggregator.into(),
            metric.id().into(),
            own.value.into(),
            half.map(|half| own.value - half).into(),
            half.map(|half| own.value + half).into(),
            Field::Missing,
            Field::Missing,
            minority.map(|count| count as usize).into(),
            Field::Mark(minority.is_some_and(|count| count < FEW as f64)),
        ]);
    }
    rows
}

/// The points on the datasets of τ².
fn tau2(figures: &[Figure]) -> Vec<Point> {
    let all = points(figures, "auroc").into_iter();
    all.filter(|own| !own.cell.dataset.starts_with("bfcl")).collect()
}

fn counts(figures: &[Figure]) -> Rows {
    let mut rows = Rows::new(&["what", "value", "cells"]);
    let white_box: Vec<Point> =
        points(figures, "auroc").into_iter().filter(|own| own.family == Family::WhiteBox).collect();
    let cells: BTreeSet<&Cell> = white_box.iter().map(|own| &own.cell).collect();
    let below = white_box.iter().filter(|own| own.value < 0.5).count();
    rows.push(vec!["white-box values".into(), white_box.len().into(), cells.len().into()]);
    rows.push(vec!["white-box values below 0.5".into(), below.into(), cells.len().into()]);
    let tau2 = tau2(figures);
    for (scorer, mean, cells) in fixed_rule_means(&tau2) {
        rows.push(vec![format!("mean over τ² of {scorer}").into(), mean.into(), cells.into()]);
    }
    rows
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
        let own = families(&points(&all(), "auroc"), true);
        for (family, mean, peak) in published {
            let own = own.iter().find(|own| own.family == family).expect("there");
            assert!((own.mean - mean).abs() <= 0.005, "{family:?}: {} {mean}", own.mean);
            assert!((own.peak - peak).abs() <= 0.005 + 1e-12, "{family:?}: {} {peak}", own.peak);
            assert_eq!(own.cells, 20);
        }
    }

    #[test]
    fn fixed_rules_over_tau2() {
        let white_box: Vec<Point> =
            tau2(&all()).into_iter().filter(|own| own.family == Family::WhiteBox).collect();
        let means = fixed_rule_means(&white_box);
        assert_eq!(means[0].0, "sp·last");
        assert!((means[0].1 - 0.53).abs() <= 0.005, "{}", means[0].1);
        assert_eq!(white_box.len(), 180);
    }

    #[test]
    fn the_white_box_grid_has_240_values() {
        let counts = counts(&all()).render(super::super::Format::Csv);
        assert!(counts.contains("white-box values,240,20"), "{counts}");
    }
}
