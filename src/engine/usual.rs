//! The default scorer and cell of a store: a scorer with informative values, and a cell that has
//! them.

use rayon::prelude::*;

use super::{Engine, Frame};
use crate::metrics::TIE;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::scorers::{Family, Scorer};

/// What a scorer has in one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Tasks with an outcome.
    pub tasks: usize,
    /// Those that also have a value.
    pub valued: usize,
    /// Some succeeded and some failed, so that metrics are defined.
    pub both_classes: bool,
    /// Their values are not all the same.
    pub differ: bool,
}

impl Coverage {
    fn tells(self) -> bool {
        self.valued > 0 && self.both_classes && self.differ
    }
}

/// The first of some scorers, given in the order in which they are preferred with what each has in every
/// cell, that has a value for at least half of the tasks and values that differ, where metrics are
/// defined; and the first cell in which it tells something. Where none does, the first with any value.
pub fn usual(scorers: &[Vec<Coverage>]) -> Option<(usize, usize)> {
    let covers = |cells: &&(usize, &Vec<Coverage>)| {
        let defined = || cells.1.iter().filter(|cell| cell.both_classes);
        let tasks: usize = defined().map(|cell| cell.tasks).sum();
        let valued: usize = defined().map(|cell| cell.valued).sum();
        valued * 2 >= tasks && defined().any(|cell| cell.tells())
    };
    let all: Vec<(usize, &Vec<Coverage>)> = scorers.iter().enumerate().collect();
    let telling = |(_, cells): &&(usize, &Vec<Coverage>)| cells.iter().any(|cell| cell.tells());
    let valued = |(_, cells): &&(usize, &Vec<Coverage>)| cells.iter().any(|cell| cell.valued > 0);
    let found = all.iter().find(covers);
    let (scorer, cells) =
        found.or_else(|| all.iter().find(telling)).or_else(|| all.iter().find(valued))?;
    let cell = cells.iter().position(|cell| cell.tells());
    let cell = cell.or_else(|| cells.iter().position(|cell| cell.valued > 0));
    Some((*scorer, cell.unwrap_or(0)))
}

impl Engine {
    /// The scorer and the cell that a store opens with: `lnsp` under `min`, then `ter`, then the agreement
    /// of actions and messages, then the number of turns, then any other.
    pub fn usual_view(&self) -> Option<(Scorer, usize)> {
        let rank = |scorer: &Scorer| match scorer {
            Scorer::WhiteBox(Base::Lnsp, Aggregator::Min) => 0,
            Scorer::Ter => 1,
            // Sequences of actions differ where their sets or first actions do not.
            _ if scorer.id() == "aec" => 2,
            _ if scorer.id() == "fac" => 4,
            _ if scorer.family().is_consistency() => 3,
            Scorer::Turns => 5,
            Scorer::Tools => 6,
            _ if scorer.family() == Family::WhiteBox => 8,
            _ => 7,
        };
        let mut scorers = self.scorers.clone();
        scorers.sort_by_key(rank);
        let looked: Vec<Vec<Coverage>> = scorers
            .par_iter()
            .map(|scorer| self.frames.iter().map(|frame| frame.coverage(scorer)).collect())
            .collect();
        let (scorer, cell) = usual(&looked)?;
        Some((scorers.swap_remove(scorer), cell))
    }
}

impl Frame {
    /// What a scorer has in the cell.
    fn coverage(&self, scorer: &Scorer) -> Coverage {
        let success = self.tasks.iter().filter_map(|task| task.success);
        let (tasks, successes) =
            success.fold((0, 0), |(tasks, sum), success| (tasks + 1, sum + usize::from(success)));
        let both_classes = successes > 0 && successes < tasks;
        let Some(values) = self.values(scorer) else {
            return Coverage { tasks, both_classes, ..Coverage::default() };
        };
        let labelled =
            self.tasks.iter().zip(&values.rank).filter(|(task, _)| task.success.is_some());
        let known: Vec<f64> =
            labelled.map(|(_, value)| *value).filter(|value| !value.is_nan()).collect();
        let differ = known.iter().any(|value| (value - known[0]).abs() > TIE);
        Coverage { tasks, valued: known.len(), both_classes, differ }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(tasks: usize, valued: usize, both_classes: bool, differ: bool) -> Coverage {
        Coverage { tasks, valued, both_classes, differ }
    }

    #[test]
    fn a_scorer_must_cover_most_tasks_with_different_values() {
        let whole = cell(50, 50, true, true);
        let alike = cell(50, 50, true, false);
        let few = cell(50, 10, true, true);
        let none = cell(50, 0, true, false);
        assert_eq!(usual(&[vec![whole], vec![whole]]), Some((0, 0)));
        // All values the same, or of few tasks: the next one.
        assert_eq!(usual(&[vec![alike], vec![whole]]), Some((1, 0)));
        assert_eq!(usual(&[vec![few], vec![none], vec![whole]]), Some((2, 0)));
        // Better a few than none that tells anything, better the same than nothing.
        assert_eq!(usual(&[vec![alike], vec![few]]), Some((1, 0)));
        assert_eq!(usual(&[vec![none], vec![alike]]), Some((1, 0)));
        assert_eq!(usual(&[vec![none]]), None);
        assert_eq!(usual(&[]), None);
    }

    #[test]
    fn the_cell_has_both_outcomes_and_values() {
        let (none, one_class) = (cell(9, 0, true, false), cell(9, 9, false, true));
        let good = cell(9, 9, true, true);
        assert_eq!(usual(&[vec![none, one_class, good]]), Some((0, 2)));
        // Cells of one outcome do not count against a scorer.
        assert_eq!(usual(&[vec![cell(90, 0, false, false), good], vec![good, good]]), Some((0, 1)));
        assert_eq!(usual(&[vec![none, one_class]]), Some((0, 1)));
    }
}
