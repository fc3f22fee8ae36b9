//! Compares the rows of `scores` that a store holds with what the engine computes now.

use super::computed::{Fresh, FreshValue};
use crate::model::Score;

/// Values closer than this are the same.
const SAME: f64 = 1e-12;

/// How stored rows differ from computed ones.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    /// Stored rows with another value, each with its computed row.
    pub(super) changed: Vec<(usize, usize)>,
    /// Stored rows that are not computed any more, or stored twice.
    pub(super) obsolete: Vec<usize>,
    /// Computed rows that are not stored.
    pub(super) missing: Vec<usize>,
}

impl Differences {
    /// Compares stored rows with computed ones; of the stored rows only those that `is_computed`.
    pub(super) fn between(
        stored: &[Score],
        fresh: &Fresh<'_>,
        is_computed: impl Fn(&Score) -> bool,
    ) -> Self {
        let (mut finder, mut is_stored) = (fresh.finder(), vec![false; fresh.len()]);
        let mut differences = Self::default();
        for (index, row) in stored.iter().enumerate().filter(|(_, row)| is_computed(row)) {
            match finder.find(row).filter(|(now, _)| !is_stored[*now]) {
                Some((now, value)) => {
                    is_stored[now] = true;
                    if !is_copy(row, value) {
                        differences.changed.push((index, now));
                    }
                }
                None => differences.obsolete.push(index),
            }
        }
        let absent = is_stored.iter().enumerate().filter(|(_, is_stored)| !**is_stored);
        let absent = absent.map(|(now, _)| now);
        differences.missing = absent.filter(|now| fresh.get(*now).is_some()).collect();
        differences
    }

    /// Leaves out the missing rows that are not wanted.
    pub(super) fn want(mut self, is_wanted: impl Fn(usize) -> bool) -> Self {
        self.missing.retain(|row| is_wanted(*row));
        self
    }

    /// Whether the stored rows are as computed.
    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.obsolete.is_empty() && self.missing.is_empty()
    }

    /// The computed rows that are new or changed.
    pub(super) fn fresh(&self) -> impl Iterator<Item = usize> {
        self.changed.iter().map(|(_, now)| *now).chain(self.missing.iter().copied())
    }

    /// The stored rows as they are computed. Rows keep their order, new ones come last.
    pub(super) fn applied<'f>(
        self,
        mut stored: Vec<Score>,
        fresh: &'f Fresh<'f>,
    ) -> impl Iterator<Item = Score> + 'f {
        for &(row, now) in &self.changed {
            stored[row] = fresh.score(now).unwrap_or_else(|| stored[row].clone());
        }
        let mut obsolete = self.obsolete.into_iter().peekable();
        let kept = stored.into_iter().enumerate();
        let kept = kept.filter(move |(row, _)| obsolete.next_if_eq(row).is_none());
        let new = self.missing.into_iter().filter_map(|now| fresh.score(now));
        kept.map(|(_, row)| row).chain(new)
    }
}

/// Whether a row is what is computed now.
fn is_copy(row: &Score, now: FreshValue) -> bool {
    is_same(row.value, Some(now.value)) && is_same(row.log, now.log) && row.fold == now.fold
}

fn is_same(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        // Equal infinities have no difference.
        // A log of a long run is a large number, of which the last bits are noise.
        (Some(a), Some(b)) => a.total_cmp(&b).is_eq() || (a - b).abs() <= SAME * a.abs().max(1.0),
        (a, b) => a.is_none() && b.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::score::computed::FreshColumn;
    use crate::engine::{Engine, Frame, Task};
    use crate::model::{Cell, CheckSummary};
    use crate::scorers::Scorer;

    fn row(task: &str, scorer: &str, value: f64) -> Score {
        Score {
            cell: Cell::new("d", "m"),
            task: task.to_owned(),
            draw: 0,
            scorer: scorer.to_owned(),
            aggregator: None,
            value: Some(value),
            log: None,
            fold: None,
        }
    }

    /// A cell of tasks with so many turns, from task 1 on.
    fn engine(turns: &[u32]) -> Engine {
        let task = |(id, turns): (u32, &u32)| Task {
            id: id.to_string(),
            draw: 0,
            success: None,
            db_match: None,
            db_graded: None,
            checks: CheckSummary::default(),
            turns: Some(*turns),
            tools: None,
            termination: None,
            reward: None,
            cost: None,
            row: id,
            samples: Vec::new(),
            has_reference: true,
        };
        let tasks: Vec<Task> = (1..).zip(turns).map(task).collect();
        let no_turns = tasks.iter().map(|_| Vec::new()).collect::<Vec<_>>();
        Engine::from_frames(vec![Frame::new(Cell::new("d", "m"), tasks, no_turns)])
    }

    #[test]
    fn stored_rows_become_the_computed_ones() {
        let stored = vec![
            row("1", "mine", 9.0),
            row("1", "turns", -5.0),
            row("gone", "turns", -5.0),
            row("2", "turns", -25.0),
            row("2", "turns", -25.0),
        ];
        let engine = engine(&[75, 25, 100]);
        let fresh = Fresh::new(&engine, vec![FreshColumn::of(&engine, &Scorer::Turns)]);
        let is_computed = |row: &Score| row.scorer == "turns";
        let differences = Differences::between(&stored, &fresh, is_computed);
        assert_eq!(
            differences,
            Differences { changed: vec![(1, 0)], obsolete: vec![2, 4], missing: vec![2] }
        );
        let applied: Vec<Score> = differences.applied(stored, &fresh).collect();
        let expected = [
            row("1", "mine", 9.0),
            row("1", "turns", -75.0),
            row("2", "turns", -25.0),
            row("3", "turns", -100.0),
        ];
        assert_eq!(applied, expected);
        assert!(Differences::between(&applied, &fresh, is_computed).is_empty());
    }
}
