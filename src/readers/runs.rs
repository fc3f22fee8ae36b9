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
            let Head { cell, task, origin, temperature, .. } = run.head;
            let Origin { source, trial, repeat, .. } = origin;
            let (reason, copy) = (reason(), false);
            let skip = Skip { cell, task, trial, source, reason, repeat, temperature, copy };
            return emit(Record::Skipped(skip));
        }
        run.head.outcome.success = Some(false);
    }
    emit(Record::Trajectory(Box::new(run)))
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
