//! The grid: scorers by family × cells.

use std::collections::BTreeSet;

use super::App;
use super::action::{Action, Screen};
use crate::metrics::Metric;
use crate::scorers::{Family, Scorer};

/// How a grid shows its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// The value.
    #[default]
    Value,
    /// The value and half the range of its interval.
    HalfRange,
    /// The ends of the interval.
    Interval,
    /// The rank among the scorers of the cell.
    Rank,
    /// Only the colour.
    Swatch,
}

impl Show {
    /// All of them, in the order they come.
    pub const ALL: [Self; 5] =
        [Self::Value, Self::HalfRange, Self::Interval, Self::Rank, Self::Swatch];

    /// The name in flags.
    pub fn id(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::HalfRange => "half-range",
            Self::Interval => "interval",
            Self::Rank => "rank",
            Self::Swatch => "swatch",
        }
    }

    /// The way of that name.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.id() == id)
    }

    pub(super) fn next(self) -> Self {
        let place = Self::ALL.iter().position(|own| *own == self).unwrap_or(0);
        Self::ALL[(place + 1) % Self::ALL.len()]
    }
}

/// A row of the grid.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// The name of a family, above its scorers.
    Head(Family),
    /// A folded family: its best value in every cell.
    Folded(Family, Vec<Scorer>),
    /// A scorer.
    Scorer(Scorer),
}

/// The state of the grid. Its selected column is the app's cell; its selected row is the lens.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// How values are shown.
    pub show: Show,
    /// Rows by the selected column's values, best first.
    pub sort_rows: bool,
    /// Columns by this scorer's values, best first.
    pub sort_columns: Option<Scorer>,
    /// Folded families.
    pub folded: BTreeSet<Family>,
    /// The folded family that is selected, in place of the lens's scorer.
    pub on_family: Option<Family>,
    /// The scorer that differences are shown to.
    pub pinned: Option<Scorer>,
    /// The first row and column on screen.
    pub offset: (usize, usize),
}

impl App {
    /// The scorers of the grid: those of the store and, if it is another, that of the lens.
    pub fn grid_scorers(&self) -> Vec<Scorer> {
        let Some(engine) = self.data.engine() else { return Vec::new() };
        let mut scorers = engine.scorers().to_vec();
        for scorer in &self.outside {
            // After the other aggregators of the same base score.
            let last = scorers.iter().rposition(|own| own.id() == scorer.id());
            scorers.insert(last.map_or(scorers.len(), |place| place + 1), scorer.clone());
        }
        scorers
    }

    /// Finds which of the lens's and the pinned scorer the store does not list, though it has values
    /// of them. Asking that may look at all tasks, so it is asked when they change.
    pub(super) fn find_outside(&mut self) {
        let Some(engine) = self.data.engine() else { return };
        let asked: Vec<Scorer> =
            std::iter::once(&self.lens.scorer).chain(&self.grid.pinned).cloned().collect();
        if asked != self.outside_of {
            let mut outside: Vec<Scorer> = Vec::new();
            for own in &asked {
                let known = engine.scorers().contains(own) || outside.contains(own);
                if !known && engine.has_values(own) {
                    outside.push(own.clone());
                }
            }
            self.outside = outside;
            self.outside_of = asked;
        }
    }

    /// The rows of the grid from top to bottom.
    pub fn grid_rows(&self) -> Vec<Row> {
        let mut scorers = self.grid_scorers();
        if self.grid.sort_rows {
            let value = |own: &Scorer| self.grid_value(own, self.cell);
            scorers.sort_by(|a, b| self.better_first(value(a), value(b)));
            return scorers.into_iter().map(Row::Scorer).collect();
        }
        let mut rows = Vec::new();
        for family in Family::ALL {
            let own: Vec<Scorer> =
                scorers.iter().filter(|own| own.family() == family).cloned().collect();
            if own.is_empty() {
                continue;
            }
            if self.grid.folded.contains(&family) {
                rows.push(Row::Folded(family, own));
            } else {
                rows.push(Row::Head(family));
                rows.extend(own.into_iter().map(Row::Scorer));
            }
        }
        rows
    }

    /// The cells from left to right.
    pub fn grid_columns(&self) -> Vec<usize> {
        let mut cells: Vec<usize> = (0..self.columns.len()).collect();
        if let Some(scorer) = &self.grid.sort_columns {
            let value = |cell: usize| self.grid_value(scorer, cell);
            cells.sort_by(|&a, &b| self.better_first(value(a), value(b)));
        }
        cells
    }

    /// The scorer that differences are shown to, on the screen that shows them.
    pub fn pinned(&self) -> Option<&Scorer> {
        self.grid.pinned.as_ref().filter(|_| self.screen == Screen::Grid)
    }

    /// What the grid shows of a scorer in a cell: its value, or its difference to the pinned one.
    pub fn grid_value(&self, scorer: &Scorer, cell: usize) -> Option<f64> {
        let value = self.data.numbers.value(scorer, cell)?;
        match self.pinned() {
            Some(pinned) => Some(value - self.data.numbers.value(pinned, cell)?),
            None => Some(value),
        }
    }

    fn better_first(&self, a: Option<f64>, b: Option<f64>) -> std::cmp::Ordering {
        let sign = if self.lens.metric.higher_is_better() { 1.0 } else { -1.0 };
        let key = |value: Option<f64>| value.map_or(f64::NEG_INFINITY, |value| value * sign);
        key(b).total_cmp(&key(a))
    }

    /// The scorers with the best value of a cell.
    pub fn best_in(&self, cell: usize, scorers: &[Scorer]) -> Option<f64> {
        let values = scorers.iter().filter_map(|own| self.data.numbers.value(own, cell));
        if self.lens.metric.higher_is_better() {
            values.reduce(f64::max)
        } else {
            values.reduce(f64::min)
        }
    }

    /// Where a value stands between the worst and the best, 0 being chance; for metrics without a
    /// chance level, 0 is best and 1 worst.
    pub fn heat(&self, value: f64, cell: usize, scorer: &Scorer) -> f64 {
        if self.pinned().is_some() {
            let sign = if self.lens.metric.higher_is_better() { 1.0 } else { -1.0 };
            return (sign * value / 0.3).clamp(-1.0, 1.0);
        }
        let counts = self.data.numbers.number(scorer, cell).map(|own| own.counts);
        let rate = counts.map_or(0.5, |own| own.successes as f64 / own.tasks.max(1) as f64);
        chance_heat(self.lens.metric, value, rate)
    }

    /// The row that is selected: the lens's scorer, or the folded family in its place.
    pub fn grid_selected(&self, rows: &[Row]) -> Option<usize> {
        let folded = |row: &Row| match row {
            Row::Folded(family, _) => Some(*family) == self.grid.on_family,
            _ => false,
        };
        let lens = |row: &Row| match row {
            Row::Scorer(own) => *own == self.lens.scorer,
            Row::Folded(_, own) => own.contains(&self.lens.scorer),
            Row::Head(_) => false,
        };
        rows.iter().position(folded).or_else(|| rows.iter().position(lens))
    }

    /// Selects a row, or the nearest one that can be selected.
    pub(super) fn select_grid_row(&mut self, rows: &[Row], place: usize, down: bool) {
        let selectable = |row: &&Row| !matches!(row, Row::Head(_));
        let place = place.min(rows.len().saturating_sub(1));
        let row = if down {
            rows[place..].iter().find(selectable).or(rows.iter().rfind(selectable))
        } else {
            rows[..=place].iter().rfind(selectable).or(rows.iter().find(selectable))
        };
        match row {
            Some(Row::Scorer(scorer)) => {
                self.grid.on_family = None;
                self.lens.scorer = scorer.clone();
            }
            Some(Row::Folded(family, own)) => {
                // What the row shows is what is looked through: the best of the family here.
                let best = self.best_in(self.cell, own);
                let has = |own: &&Scorer| self.data.numbers.value(own, self.cell) == best;
                let scorer = own.iter().find(has).or(own.first()).cloned();
                self.grid.on_family = Some(*family);
                self.lens.scorer = scorer.unwrap_or_else(|| self.lens.scorer.clone());
            }
            _ => {}
        }
    }

    pub(super) fn update_grid(&mut self, action: &Action) {
        let rows = self.grid_rows();
        let columns = self.grid_columns();
        if rows.is_empty() || columns.is_empty() {
            return;
        }
        let row = self.grid_selected(&rows).unwrap_or(0);
        let column = columns.iter().position(|own| *own == self.cell).unwrap_or(0);
        let half = (self.layout.page / 2).max(1);
        match action {
            Action::Down => self.select_grid_row(&rows, row + 1, true),
            Action::Up => self.select_grid_row(&rows, row.saturating_sub(1), false),
            Action::HalfPageDown => self.select_grid_row(&rows, row + half, true),
            Action::HalfPageUp => self.select_grid_row(&rows, row.saturating_sub(half), false),
            Action::First => self.select_grid_row(&rows, 0, true),
            Action::Last => self.select_grid_row(&rows, rows.len(), false),
            Action::Left => self.select_cell(columns[column.saturating_sub(1)]),
            Action::Right => self.select_cell(columns[(column + 1).min(columns.len() - 1)]),
            Action::SortRows => self.grid.sort_rows = !self.grid.sort_rows,
            Action::SortColumns => {
                let own = self.lens.scorer.clone();
                let again = self.grid.sort_columns.as_ref() == Some(&own);
                self.grid.sort_columns = (!again).then_some(own);
            }
            Action::Fold => self.fold(&rows[row].clone()),
            Action::FoldAll => {
                if self.grid.folded.is_empty() {
                    self.grid.folded = Family::ALL.into_iter().collect();
                    self.grid.on_family = Some(self.lens.scorer.family());
                } else {
                    self.grid.folded.clear();
                    self.grid.on_family = None;
                }
                self.grid.sort_rows = false;
            }
            Action::Pin => {
                let own = self.lens.scorer.clone();
                let again = self.grid.pinned.as_ref() == Some(&own);
                self.grid.pinned = (!again).then_some(own);
            }
            _ => {}
        }
    }

    fn fold(&mut self, row: &Row) {
        let family = match row {
            Row::Head(family) | Row::Folded(family, _) => *family,
            Row::Scorer(scorer) => scorer.family(),
        };
        self.grid.sort_rows = false;
        if self.grid.folded.remove(&family) {
            self.grid.on_family = None;
            let rows = self.grid_rows();
            let head = rows.iter().position(|own| *own == Row::Head(family)).unwrap_or(0);
            let inside = self.lens.scorer.family() == family;
            if !inside {
                self.select_grid_row(&rows, head + 1, true);
            }
        } else {
            self.grid.folded.insert(family);
            self.grid.on_family = Some(family);
        }
    }
}

/// How far a value is from what chance gives, in shares of what is possible on its side.
fn chance_heat(metric: Metric, value: f64, rate: f64) -> f64 {
    let about = |chance: f64, best: f64, worst: f64| {
        let good = (value - chance) / (best - chance);
        let bad = (value - chance) / (worst - chance);
        if good >= 0.0 { good.min(1.0) } else { -bad.clamp(0.0, 1.0) }
    };
    match metric {
        Metric::Auroc => about(0.5, 1.0, 0.0),
        Metric::Auprc => about(rate, 1.0, 0.0),
        Metric::Prr => about(0.0, 1.0, -1.0),
        Metric::Aurc => about(1.0 - rate, 0.0, 1.0),
        // No level of chance: low is good. Half is as bad as it gets in practice.
        Metric::Ece | Metric::Brier => (value / 0.5).clamp(0.0, 1.0),
    }
}

/// The value of a metric that a guess has, where there is one.
pub fn chance(metric: Metric, rate: f64) -> Option<f64> {
    match metric {
        Metric::Auroc => Some(0.5),
        Metric::Auprc => Some(rate),
        Metric::Prr => Some(0.0),
        Metric::Aurc => Some(1.0 - rate),
        Metric::Ece | Metric::Brier => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_is_about_chance() {
        assert!((chance_heat(Metric::Auroc, 0.75, 0.1) - 0.5).abs() < 1e-12);
        assert!((chance_heat(Metric::Auroc, 0.25, 0.1) + 0.5).abs() < 1e-12);
        assert!(chance_heat(Metric::Auprc, 0.3, 0.3).abs() < 1e-12);
        assert!((chance_heat(Metric::Aurc, 0.0, 0.3) - 1.0).abs() < 1e-12);
        assert!(chance_heat(Metric::Aurc, 0.8, 0.3) < 0.0);
        assert!((chance_heat(Metric::Ece, 0.25, 0.3) - 0.5).abs() < 1e-12);
    }
}
