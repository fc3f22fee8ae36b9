//! Compares the rows of `scores` that a store holds with what the engine computes now.

use std::collections::HashMap;

use crate::model::{Cell, Score};

/// Values closer than this are the same.
const SAME: f64 = 1e-12;

/// What a row is about: cell, task, draw, scorer and aggregator.
type Key<'r> = (&'r Cell, &'r str, u32, &'r str, Option<&'r str>);

fn key(row: &Score) -> Key<'_> {
    (&row.cell, &row.task, row.draw, &row.scorer, row.aggregator.as_deref())
}

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
        computed: &[Score],
        is_computed: impl Fn(&Score) -> bool,
    ) -> Self {
        let mut unmatched: HashMap<Key<'_>, usize> =
            computed.iter().enumerate().map(|(index, row)| (key(row), index)).collect();
        let mut differences = Self::default();
        for (index, row) in stored.iter().enumerate().filter(|(_, row)| is_computed(row)) {
            match unmatched.remove(&key(row)) {
                Some(now)
                    if !is_same(row.value, computed[now].value)
                        || !is_same(row.log, computed[now].log)
                        || row.fold != computed[now].fold =>
                {
                    differences.changed.push((index, now));
                }
                Some(_) => {}
                None => differences.obsolete.push(index),
            }
        }
        differences.missing = unmatched.into_values().collect();
        differences.missing.sort_unstable();
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

    /// The computed rows that are new or changed, in order.
    pub(super) fn fresh(&self) -> Vec<usize> {
        let changed = self.changed.iter().map(|(_, now)| *now);
        let mut fresh: Vec<usize> = changed.chain(self.missing.iter().copied()).collect();
        fresh.sort_unstable();
        fresh
    }

    /// Makes the stored rows what is computed. Rows keep their order, new ones come last.
    pub(super) fn apply(&self, stored: &mut Vec<Score>, computed: &[Score]) {
        for &(row, now) in &self.changed {
            stored[row] = computed[now].clone();
        }
        let mut obsolete = self.obsolete.iter().copied().peekable();
        let mut row = 0;
        stored.retain(|_| {
            let goes = obsolete.next_if_eq(&row).is_some();
            row += 1;
            !goes
        });
        stored.extend(self.missing.iter().map(|&now| computed[now].clone()));
    }
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

    #[test]
    fn stored_rows_become_the_computed_ones() {
        let mut stored = vec![
            row("1", "mine", 9.0),
            row("1", "aec", 0.5),
            row("gone", "aec", 0.5),
            row("2", "aec", 0.25),
            row("2", "aec", 0.25),
        ];
        let computed = [row("1", "aec", 0.75), row("2", "aec", 0.25), row("3", "aec", 1.0)];
        let is_computed = |row: &Score| row.scorer == "aec";
        let differences = Differences::between(&stored, &computed, is_computed);
        assert_eq!(
            differences,
            Differences { changed: vec![(1, 0)], obsolete: vec![2, 4], missing: vec![2] }
        );
        differences.apply(&mut stored, &computed);
        let expected = [
            row("1", "mine", 9.0),
            row("1", "aec", 0.75),
            row("2", "aec", 0.25),
            row("3", "aec", 1.0),
        ];
        assert_eq!(stored, expected);
        assert!(Differences::between(&stored, &computed, is_computed).is_empty());
    }
}
