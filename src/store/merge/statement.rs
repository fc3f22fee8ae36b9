//! What one author says of one thing, of which the newest counts: a vote on a pair, a label on a run.

use std::collections::HashMap;
use std::hash::Hash;

use crate::model::Cell;
use crate::store::annotations::{Annotation, Known, Reading};
use crate::store::{StepLabel, Vote};

/// A vote or a label.
pub(super) trait Statement: Sized {
    /// The author and what it is about.
    type Subject: Eq + Hash + Ord;

    /// The statement that a line makes, if it is one of this kind.
    fn of(known: Known) -> Option<Self>;

    fn subject(&self) -> Self::Subject;

    fn time(&self) -> u64;

    fn says_the_same(&self, other: &Self) -> bool;
}

impl Statement for Vote {
    /// The author, the pair, and whether it is an adjudication.
    type Subject = (String, Cell, String, u32, u32, bool);

    fn of(known: Known) -> Option<Self> {
        match known {
            Known::Vote(vote) => Some(vote),
            _ => None,
        }
    }

    fn subject(&self) -> Self::Subject {
        let (author, cell, task) = (self.author.clone(), self.cell.clone(), self.task.clone());
        (author, cell, task, self.draw_a, self.draw_b, self.is_adjudication())
    }

    fn time(&self) -> u64 {
        self.time
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.verdict == other.verdict
    }
}

impl Statement for StepLabel {
    /// The author and the run.
    type Subject = (String, Cell, String, u32);

    fn of(known: Known) -> Option<Self> {
        match known {
            Known::Label(label) => Some(label),
            _ => None,
        }
    }

    fn subject(&self) -> Self::Subject {
        (self.author.clone(), self.cell.clone(), self.task.clone(), self.draw)
    }

    fn time(&self) -> u64 {
        self.time
    }

    fn says_the_same(&self, other: &Self) -> bool {
        (self.turn, self.cause) == (other.turn, other.cause)
    }
}

/// The last statement of every author on everything, a withdrawal included, with its id.
pub(super) fn latest<'l, S: Statement>(
    reading: &Reading<'_>,
    lines: impl Iterator<Item = &'l Annotation>,
) -> HashMap<S::Subject, (S, String)> {
    let mut latest: HashMap<S::Subject, (S, String)> = HashMap::new();
    for line in lines {
        let (Some(said), Some(id)) = (S::of(reading.find(line)), line.id()) else { continue };
        let subject = said.subject();
        if latest.get(&subject).is_none_or(|(known, _)| said.time() >= known.time()) {
            latest.insert(subject, (said, id));
        }
    }
    latest
}
