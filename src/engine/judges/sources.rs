//! Where the votes behind a number come from: pairs chosen for disagreement, or drawn at random.

use crate::store::{ChosenBy, Vote};

/// How the pairs of some votes were chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VoteSources {
    /// Votes on pairs of the queue, which holds pairs for disagreement and doubt.
    pub queue: usize,
    /// Votes on pairs drawn at random.
    pub audit: usize,
    /// Votes that settle a disagreement of others.
    pub adjudication: usize,
    /// Votes on pairs that the author looked for.
    pub direct: usize,
    /// Votes of older versions, which do not say.
    pub unknown: usize,
}

impl VoteSources {
    /// The sources of some votes.
    pub(super) fn of<'v>(votes: impl Iterator<Item = &'v Vote>) -> Self {
        let mut sources = Self::default();
        for vote in votes {
            *match vote.chosen_by {
                Some(ChosenBy::Queue) => &mut sources.queue,
                Some(ChosenBy::Audit) => &mut sources.audit,
                Some(ChosenBy::Adjudication) => &mut sources.adjudication,
                Some(ChosenBy::Direct) => &mut sources.direct,
                None => &mut sources.unknown,
            } += 1;
        }
        sources
    }

    pub(super) fn add(&mut self, other: Self) {
        self.queue += other.queue;
        self.audit += other.audit;
        self.adjudication += other.adjudication;
        self.direct += other.direct;
        self.unknown += other.unknown;
    }

    /// The words for each with its count, in a fixed order.
    pub fn counts(&self) -> [(&'static str, usize); 5] {
        [
            (ChosenBy::Queue.id(), self.queue),
            (ChosenBy::Audit.id(), self.audit),
            (ChosenBy::Adjudication.id(), self.adjudication),
            (ChosenBy::Direct.id(), self.direct),
            ("unknown", self.unknown),
        ]
    }

    /// Whether some votes are not on pairs drawn at random, so that agreement is biased.
    pub fn is_biased(&self) -> bool {
        self.counts().iter().any(|(word, count)| *word != ChosenBy::Audit.id() && *count > 0)
    }
}
