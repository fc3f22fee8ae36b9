//! Summary statistics of a whole grid of values, computed or published.

use std::collections::{BTreeMap, BTreeSet};

use super::Point;
use super::frame::mean;
use crate::metrics::bootstrap::quantile;
use crate::metrics::{TIE, spearman};
use crate::model::Cell;

/// The values of a grid under one metric.
#[derive(Clone, Debug)]
pub struct Overview<'a> {
    points: Vec<&'a Point>,
    higher_is_better: bool,
}

impl<'a> Overview<'a> {
    /// An overview of some values.
    pub fn new(points: impl IntoIterator<Item = &'a Point>, higher_is_better: bool) -> Self {
        Self { points: points.into_iter().collect(), higher_is_better }
    }

    /// The overview of some of the values.
    #[must_use]
    pub fn of(&self, fits: impl Fn(&Point) -> bool) -> Self {
        let points = self.points.iter().copied().filter(|point| fits(point)).collect();
        Self { points, higher_is_better: self.higher_is_better }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The cells that have a value.
    pub fn cells(&self) -> BTreeSet<&'a Cell> {
        self.points.iter().map(|point| &point.cell).collect()
    }

    /// The datasets that have a value.
    pub fn datasets(&self) -> BTreeSet<&'a str> {
        self.points.iter().map(|point| point.cell.dataset.as_str()).collect()
    }

    /// Values that are worse than chance.
    #[must_use]
    pub fn worse_than_chance(&self) -> Self {
        self.of(|point| point.chance.is_some_and(|chance| self.is_better(chance, point.value)))
    }

    /// Values whose whole interval is worse than chance.
    #[must_use]
    pub fn surely_worse_than_chance(&self) -> Self {
        let best = usize::from(self.higher_is_better);
        self.of(|point| {
            let compared = point.ends.zip(point.chance);
            compared.is_some_and(|(ends, chance)| self.is_better(chance, ends[best]))
        })
    }

    /// How many cells have a best scorer whose interval is better than chance.
    pub fn cells_with_a_sure_best(&self) -> usize {
        let worst = usize::from(!self.higher_is_better);
        let best = self.best_of_cells().into_values();
        let is_sure = |best: &Vec<&Point>| {
            best.iter().any(|point| {
                let compared = point.ends.zip(point.chance);
                compared.is_some_and(|(ends, chance)| self.is_better(ends[worst], chance))
            })
        };
        best.filter(is_sure).count()
    }

    /// The median of half the width of all intervals.
    pub fn median_half_width(&self) -> Option<f64> {
        let ends = self.points.iter().filter_map(|point| point.ends);
        median(ends.map(|[lo, hi]| (hi - lo) / 2.0).collect())
    }

    /// In how many cells each scorer is the best, the most first; equals count for each of them.
    pub fn leads(&self) -> Vec<(&'a str, usize)> {
        let mut leads: BTreeMap<&str, usize> = BTreeMap::new();
        for point in self.best_of_cells().into_values().flatten() {
            *leads.entry(&point.scorer).or_default() += 1;
        }
        let mut leads: Vec<(&str, usize)> = leads.into_iter().collect();
        leads.sort_by_key(|(_, cells)| std::cmp::Reverse(*cells));
        leads
    }

    /// Mean over cells of every scorer held fixed, the best first, and the number of its cells.
    pub fn fixed_means(&self) -> Vec<(&'a str, f64, usize)> {
        let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for point in &self.points {
            values.entry(&point.scorer).or_default().push(point.value);
        }
        let means = values.into_iter().map(|(scorer, values)| {
            let cells = values.len();
            (scorer, mean(values.into_iter()), cells)
        });
        let mut means: Vec<_> = means.collect();
        means.sort_by(
            |(_, a, _), (_, b, _)| {
                if self.higher_is_better { b.total_cmp(a) } else { a.total_cmp(b) }
            },
        );
        means
    }

    /// The mean over cells of the best value of each: what one who knew the best scorer of every cell
    /// would reach.
    pub fn oracle(&self) -> Option<f64> {
        let best = self.best_of_cells();
        let values = best.values().filter_map(|best| best.first()).map(|point| point.value);
        (!best.is_empty()).then(|| mean(values))
    }

    /// For every other scorer: in how many cells it is better than this one, and in how many both
    /// have a value.
    pub fn wins_over(&self, scorer: &str) -> Vec<(&'a str, usize, usize)> {
        let base: BTreeMap<&Cell, f64> = self
            .points
            .iter()
            .filter(|point| point.scorer == scorer)
            .map(|point| (&point.cell, point.value))
            .collect();
        let mut wins: Vec<(&str, usize, usize)> = Vec::new();
        for point in self.points.iter().filter(|point| point.scorer != scorer) {
            let Some(&other) = base.get(&point.cell) else { continue };
            let won = usize::from(self.is_better(point.value, other));
            match wins.iter_mut().find(|(name, ..)| *name == point.scorer) {
                Some((_, wins, cells)) => (*wins, *cells) = (*wins + won, *cells + 1),
                None => wins.push((&point.scorer, won, 1)),
            }
        }
        wins
    }

    /// The median over cells of the rank correlation of scorers under two metrics, and the number of
    /// cells with one.
    pub fn median_correlation(&self, other: &Self) -> (Option<f64>, usize) {
        let others: BTreeMap<(&Cell, &str), f64> =
            other.points.iter().map(|point| ((&point.cell, &*point.scorer), point.value)).collect();
        let mut cells: BTreeMap<&Cell, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
        for point in &self.points {
            if let Some(&value) = others.get(&(&point.cell, &*point.scorer)) {
                let (first, second) = cells.entry(&point.cell).or_default();
                first.push(point.value);
                second.push(value);
            }
        }
        let correlations = cells.values().filter_map(|(first, second)| spearman(first, second));
        let correlations: Vec<f64> = correlations.collect();
        let count = correlations.len();
        (median(correlations), count)
    }

    /// Whether a value is better than another, beyond noise in the last bit.
    fn is_better(&self, value: f64, other: f64) -> bool {
        if self.higher_is_better { value > other + TIE } else { value < other - TIE }
    }

    /// The best values of every cell: several where they are equal.
    fn best_of_cells(&self) -> BTreeMap<&'a Cell, Vec<&'a Point>> {
        let mut cells: BTreeMap<&Cell, Vec<&Point>> = BTreeMap::new();
        for &point in &self.points {
            let best = cells.entry(&point.cell).or_default();
            let known = best.first().map(|best| best.value);
            match known {
                Some(known) if self.is_better(known, point.value) => {}
                Some(known) if self.is_better(point.value, known) => *best = vec![point],
                _ => best.push(point),
            }
        }
        cells
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| quantile(&mut values, 0.5))
}
