//! How a grid is laid out: the order of its scorers and cells, which families are folded, what its values
//! are compared with, and how they are shown.

use std::collections::BTreeSet;

use crate::engine::{Counts, ScorerDifference};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Interval;
use crate::model::Cell;
use crate::scorers::{Family, Scorer};

/// A difference to the pinned scorer that has the strongest colour.
const STRONGEST_DIFFERENCE: f64 = 0.3;

/// What is left of the colour of a value that is not distinguishable from chance.
pub const FAINT: f64 = 0.45;

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
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Value, Self::HalfRange, Self::Interval, Self::Rank, Self::Swatch];

    /// The name in flags and state.
    pub fn id(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::HalfRange => "half-range",
            Self::Interval => "interval",
            Self::Rank => "rank",
            Self::Swatch => "swatch",
        }
    }
}

/// How a grid is laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GridLayout {
    /// The scorer that the others are compared with.
    pub pinned: Option<Scorer>,
    /// The cell by whose values the scorers are ordered, best first.
    pub order_rows: Option<usize>,
    /// The scorer by whose values the cells are ordered, best first.
    pub order_columns: Option<Scorer>,
    /// Families that are one row: the best value of each cell.
    pub folded: BTreeSet<Family>,
    /// Whether cells and scorers without any value are shown.
    pub show_empty: bool,
    /// How values are shown.
    pub show: Show,
    /// Whether values have a colour, in formats with colours.
    pub heat: bool,
}

/// A row of the grid.
#[derive(Clone, Debug, PartialEq)]
pub enum GridRow {
    /// The name of a family, above its scorers.
    Head(Family),
    /// A folded family: its best value in every cell.
    Folded(Family, Vec<Scorer>),
    /// A scorer.
    Scorer(Scorer),
}

impl GridRow {
    /// The family of the row.
    pub fn family(&self) -> Family {
        match self {
            Self::Head(family) | Self::Folded(family, _) => *family,
            Self::Scorer(scorer) => scorer.family(),
        }
    }
}

/// Scorers from top to bottom, family by family.
pub fn rows_by_family(scorers: &[Scorer], folded: &BTreeSet<Family>) -> Vec<GridRow> {
    let mut rows = Vec::new();
    for family in Family::ALL {
        let members = scorers.iter().filter(|scorer| scorer.family() == family);
        let members: Vec<Scorer> = members.cloned().collect();
        if members.is_empty() {
            continue;
        }
        if folded.contains(&family) {
            rows.push(GridRow::Folded(family, members));
        } else {
            rows.push(GridRow::Head(family));
            rows.extend(members.into_iter().map(GridRow::Scorer));
        }
    }
    rows
}

/// Cells dataset by dataset, in the order in which the store has them.
pub fn columns_by_dataset(cells: &[Cell]) -> Vec<usize> {
    let first = |cell: &usize| {
        cells.iter().position(|other| other.dataset == cells[*cell].dataset).unwrap_or(*cell)
    };
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_by_key(first);
    order
}

/// Where a value stands between the worst and the best, 0 being chance; for metrics without a chance level, 0
/// is best and 1 worst. Of a difference, 0 is none.
pub fn heat(metric: Metric, value: f64, counts: Option<Counts>, is_difference: bool) -> f64 {
    if is_difference {
        let sign = if metric.higher_is_better() { 1.0 } else { -1.0 };
        return (sign * value / STRONGEST_DIFFERENCE).clamp(-1.0, 1.0);
    }
    metric.heat(value, counts.map_or(0.5, Counts::success_rate))
}

/// Whether an interval holds what chance gives, or cannot tell; not before it is known.
pub fn holds_chance(metric: Metric, interval: Option<Interval>, counts: Option<Counts>) -> bool {
    let (Some(interval), Some(counts)) = (interval, counts) else { return false };
    let chance = metric.chance(counts.success_rate());
    chance.is_some_and(|chance| !counts.can_be_resampled() || holds(interval, chance))
}

/// Whether the interval of a difference holds zero; not before it is known.
pub fn holds_zero(difference: Option<ScorerDifference>) -> bool {
    let interval = difference.and_then(|difference| difference.interval);
    interval.is_some_and(|interval| holds(interval, 0.0))
}

fn holds(interval: Interval, level: f64) -> bool {
    interval.lo <= level && level <= interval.hi
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_by_dataset() {
        let cells = [("b", "m"), ("a", "m"), ("b", "n"), ("a", "n")];
        let cells = cells.map(|(dataset, model)| Cell::new(dataset, model));
        assert_eq!(columns_by_dataset(&cells), [0, 2, 1, 3]);
    }
}
