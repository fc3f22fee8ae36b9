//! What a vote changed, as a question to the background.

use std::sync::Arc;

use crate::engine::{JudgeSpec, VoteEffect, VoteSubject, vote_effects};
use crate::metrics::Metric;
use crate::model::Cell;
use crate::store::Vote;
use crate::ui::query::{Hint, Lane, Query, Worker};
use crate::ui::shared::{KeptTasks, SavedVote};

/// What a vote changed.
#[derive(Clone, PartialEq)]
pub(super) struct EffectQuery {
    pub(super) vote: SavedVote,
    /// How many lines of votes there are.
    pub(super) lines: usize,
    pub(super) metric: Metric,
    pub(super) judge: Option<JudgeSpec>,
    pub(super) scope: String,
    pub(super) author: String,
    /// The cell and the task of the vote.
    pub(super) subject: (Cell, String, u32),
    pub(super) tasks: Hint<KeptTasks>,
    pub(super) votes: Hint<Arc<Vec<Vote>>>,
}

impl Query for EffectQuery {
    type Answer = Vec<VoteEffect>;
    const LANE: Lane = Lane::VoteEffect;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let (engine, votes) = (self.tasks.0.value.engine(), &self.votes.0);
        let before = engine.with_votes(&votes[..self.vote.before.min(votes.len())]);
        let after = engine.with_votes(votes);
        let (cell, task, draw) = (&self.subject.0, self.subject.1.as_str(), self.subject.2);
        let (author, metric) = (self.author.as_str(), self.metric);
        let subject = VoteSubject { cell, task, draw, author, metric };
        send(vote_effects(&before, &after, subject));
    }
}
