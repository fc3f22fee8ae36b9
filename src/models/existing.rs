//! Which runs and pairs have values and verdicts already.

use std::collections::HashSet;

use super::settings::Question;
use crate::model::{Cell, Judgment, Score};
use crate::store::Entry;

/// The values and verdicts of a store, for looking up.
pub(super) struct Existing<'s> {
    /// Cell, task and draws of the pairs with a verdict.
    judged: HashSet<(&'s Cell, &'s str, u32, u32)>,
    /// Scorer, cell, task and draw of the runs with a value.
    valued: HashSet<(&'s str, &'s Cell, &'s str, u32)>,
}

impl<'s> Existing<'s> {
    /// What these rows hold; of the verdicts only those of a judge, if one is named.
    pub(super) fn new(judgments: &'s [Judgment], scores: &'s [Score], judge: Option<&str>) -> Self {
        let judgments = judgments.iter().filter(|row| judge.is_none_or(|judge| row.judge == judge));
        let pair = |row: &'s Judgment| (&row.cell, row.task.as_str(), row.draw_a, row.draw_b);
        let value = |row: &'s Score| (row.scorer.as_str(), &row.cell, row.task.as_str(), row.draw);
        Self { judged: judgments.map(pair).collect(), valued: scores.iter().map(value).collect() }
    }

    /// Whether a pair has a verdict, or a run the values of a question.
    pub(super) fn has(&self, question: Question, run: &Entry, other: Option<&Entry>) -> bool {
        let head = &run.head;
        if let Some(other) = other {
            let pair = (&head.cell, head.task.as_str(), head.draw, other.head.draw);
            return self.judged.contains(&pair);
        }
        let scorer = question.scorers()[0];
        self.valued.contains(&(scorer, &head.cell, head.task.as_str(), head.draw))
    }
}
