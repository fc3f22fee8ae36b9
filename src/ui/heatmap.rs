//! Heatmaps of cells: column heads, values and their colours, shared by Grid and Aggregators.

mod columns;
mod value;

use std::cmp::Ordering;

use super::shared::{Pending, Shared};
use crate::report::heat;
use crate::scorers::Scorer;

pub(in crate::ui) use columns::Columns;
pub(in crate::ui) use value::Value;

/// Scorers × cells under the lens.
#[derive(Clone, Copy, Debug)]
pub(in crate::ui) struct Heatmap<'a> {
    /// Where the numbers come from.
    pub shared: &'a Shared,
    /// The scorer that differences are shown to, in place of values.
    pub pinned: Option<&'a Scorer>,
}

impl Heatmap<'_> {
    /// What is shown of a scorer in a cell: its value, or its difference to the pinned scorer.
    pub fn value(&self, scorer: &Scorer, cell: usize) -> Option<f64> {
        let numbers = &self.shared.numbers;
        let number = numbers.number(scorer, cell)?;
        let Some(pinned) = self.pinned else { return number.value };
        match numbers.difference(scorer, cell) {
            Pending::Known(difference) => difference.map(|difference| difference.value),
            Pending::Waiting => {
                // Until it is known: the same where both have all tasks, as most scorers do.
                let pinned = numbers.number(pinned, cell)?;
                let same_tasks = pinned.counts == number.counts;
                same_tasks.then_some(number.value? - pinned.value?)
            }
        }
    }

    /// The order in which better values come first, and missing ones last.
    pub fn better_first(&self, a: Option<f64>, b: Option<f64>) -> Ordering {
        self.shared.lens.metric.better_first(a, b)
    }

    /// The best value that any of these scorers has in a cell.
    pub fn best_value(&self, cell: usize, scorers: &[Scorer]) -> Option<f64> {
        let values = scorers.iter().filter_map(|scorer| self.shared.numbers.value(scorer, cell));
        if self.shared.lens.metric.higher_is_better() {
            values.reduce(f64::max)
        } else {
            values.reduce(f64::min)
        }
    }

    /// The best of these scorers in every cell, as values.
    pub fn best_values(&self, scorers: &[Scorer]) -> Vec<Option<f64>> {
        (0..self.shared.cells.len()).map(|cell| self.best_value(cell, scorers)).collect()
    }

    /// The scorer with the best value in a cell; the first where none has a value.
    pub fn best_scorer<'s>(&self, cell: usize, scorers: &'s [Scorer]) -> Option<&'s Scorer> {
        let best = self.best_value(cell, scorers);
        scorers.iter().find(|scorer| self.shared.numbers.value(scorer, cell) == best)
    }

    /// Where a value stands between the worst and the best, as [`heat`] says.
    fn heat(&self, value: f64, cell: usize, scorer: &Scorer) -> f64 {
        let counts = self.shared.numbers.number(scorer, cell).map(|number| number.counts);
        heat(self.shared.lens.metric, value, counts, self.pinned.is_some())
    }

    /// Whether colours go to both sides of a middle: of chance, or of no difference.
    fn is_diverging(&self) -> bool {
        self.pinned.is_some() || self.shared.lens.metric.chance(0.5).is_some()
    }
}
