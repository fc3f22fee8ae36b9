//! What readers do with every run: count it, and emit or skip it.

use std::collections::HashMap;

use super::{Emit, Record};
use crate::model::{Head, Origin, Skip, Trajectory};

/// Hands out a run, or the notice that it is none; false when no more are wanted.
pub(super) fn hand_out(
    mut run: Trajectory,
    keep_errored: bool,
    reason: impl FnOnce() -> String,
    emit: Emit<'_>,
) -> bool {
    if run.turns.is_empty() {
        if !keep_errored {
            return skip(run.head, reason(), emit);
        }
        run.head.outcome.success = Some(false);
    }
    emit(Record::Trajectory(Box::new(run)))
}

/// Hands out the notice that a record is no trajectory; false when no more are wanted.
pub(super) fn skip(head: Head, reason: String, emit: Emit<'_>) -> bool {
    let Head { cell, task, origin, temperature, .. } = head;
    let Origin { source, trial, repeat, .. } = origin;
    let copy = false;
    emit(Record::Skipped(Skip { cell, task, trial, source, reason, repeat, temperature, copy }))
}

/// The sum of counts that are known; none when nothing is, or when it is too large for a number.
pub(super) fn total(counts: impl Iterator<Item = Option<i64>>) -> Option<u64> {
    let mut counts = counts.flatten().filter_map(|count| u64::try_from(count).ok());
    let first = counts.next()?;
    counts.try_fold(first, u64::checked_add)
}

/// Counts the records of the same task and trial in an input.
#[derive(Debug, Default)]
pub(super) struct Repeats(HashMap<(String, Option<i64>), u32>);

impl Repeats {
    /// How many such records came before this one.
    pub(super) fn next(&mut self, task: &str, trial: Option<i64>) -> u32 {
        let count = self.0.entry((task.to_owned(), trial)).or_insert(0);
        *count += 1;
        *count - 1
    }

    /// How many different tasks and trials were seen.
    pub(super) fn distinct(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_overflows_is_absent() {
        assert_eq!(total([Some(2), None, Some(-1), Some(3)].into_iter()), Some(5));
        assert_eq!(total([None, Some(-1)].into_iter()), None);
        assert_eq!(total([Some(i64::MAX); 3].into_iter()), None);
    }
}
