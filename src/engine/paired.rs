//! Two scorers compared over all cells, with a verdict.

use rayon::prelude::*;

use super::{Engine, ScorerDifference};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::scorers::Scorer;
use crate::text::counted;

/// Two scorers in one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedCell {
    /// The index of the cell.
    pub cell: usize,
    /// The values of both, each on all of its tasks.
    pub values: [Option<f64>; 2],
    /// First minus second, on the tasks that both have.
    pub difference: ScorerDifference,
}

/// Whether a difference is decisive, and for which scorer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Favours {
    /// The interval of the difference is on the better side of 0.
    First,
    /// It is on the worse side.
    Second,
    /// It includes 0, or there is none.
    Open,
}

impl ScorerDifference {
    /// Which scorer the interval favours.
    pub fn favours(&self, metric: Metric) -> Favours {
        let Some(interval) = self.interval else { return Favours::Open };
        let (above, below) = (interval.lo > 0.0, interval.hi < 0.0);
        let is_better = if metric.higher_is_better() { above } else { below };
        match (above || below, is_better) {
            (false, _) => Favours::Open,
            (true, true) => Favours::First,
            (true, false) => Favours::Second,
        }
    }
}

/// In how many cells which scorer is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairedVerdict {
    /// Cells whose interval favours the first scorer.
    pub first: usize,
    /// Cells whose interval favours the second scorer.
    pub second: usize,
    /// Cells with a difference.
    pub cells: usize,
}

impl PairedVerdict {
    /// The verdict over some cells.
    pub fn of(cells: &[PairedCell], metric: Metric) -> Self {
        let count = |wanted: Favours| {
            cells.iter().filter(|row| row.difference.favours(metric) == wanted).count()
        };
        Self { first: count(Favours::First), second: count(Favours::Second), cells: cells.len() }
    }

    /// The verdict as a sentence: `decisive in 3 of 20 cells: VC is better in 2, TER in 1`.
    pub fn words(self, first: &str, second: &str) -> String {
        let Self { first: won, second: lost, cells } = self;
        let of = format!("{} of {}", won + lost, counted(cells as u64, "cell"));
        match (won, lost) {
            (0, 0) => format!("decisive in {of}: every interval of the difference includes 0"),
            (_, 0) => format!("decisive in {of}: {first} is better in {won}"),
            (0, _) => format!("decisive in {of}: {second} is better in {lost}"),
            _ => format!("decisive in {of}: {first} is better in {won}, {second} in {lost}"),
        }
    }

    /// How many cells would be decisive if the scorers were equally good: one in 20.
    pub fn by_chance(self) -> f64 {
        self.cells as f64 / 20.0
    }
}

impl Engine {
    /// Two scorers in every cell in which both have values and the metric is defined.
    pub fn paired_scorers(
        &self,
        first: &Scorer,
        second: &Scorer,
        metric: Metric,
        resampling: Resampling,
    ) -> Vec<PairedCell> {
        let row = |cell: usize| {
            let frame = &self.frames[cell];
            let value = |scorer| {
                let (scores, success) = frame.sample(scorer, metric)?;
                metric.value(&scores, &success)
            };
            Some(PairedCell {
                cell,
                values: [value(first), value(second)],
                difference: self.difference(cell, metric, first, second, resampling)?,
            })
        };
        (0..self.frames.len()).into_par_iter().filter_map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::bootstrap::Interval;

    fn cell(lo: f64, hi: f64) -> PairedCell {
        let interval = Some(Interval { lo, hi, skipped: 0 });
        let value = f64::midpoint(lo, hi);
        let difference = ScorerDifference { value, interval, n: 9, tasks: 9 };
        PairedCell { cell: 0, values: [None; 2], difference }
    }

    #[test]
    fn an_interval_decides_where_it_excludes_zero() {
        let cells = [cell(0.1, 0.3), cell(-0.1, 0.3), cell(-0.3, -0.1), cell(0.0, 0.2)];
        let found = PairedVerdict::of(&cells, Metric::Auroc);
        assert_eq!(found, PairedVerdict { first: 1, second: 1, cells: 4 });
        let words = found.words("VC", "TER");
        assert_eq!(words, "decisive in 2 of 4 cells: VC is better in 1, TER in 1");
        // A smaller error is better.
        let one = PairedVerdict::of(&cells[..1], Metric::Ece);
        assert_eq!(one, PairedVerdict { first: 0, second: 1, cells: 1 });
        assert_eq!(one.words("VC", "TER"), "decisive in 1 of 1 cell: TER is better in 1");
    }
}
