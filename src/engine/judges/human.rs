//! Votes into verdicts: people become the judge `human`, and each of several also one alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Engine, Verdict};
use crate::engine::find::Finder;
use crate::model::{HUMAN, judge_of};
use crate::store::{Vote, votes};

impl Engine {
    /// The votes that count.
    pub fn votes(&self) -> &[Vote] {
        &self.votes
    }

    /// The same engine with these votes in place of those it has: all lines of the store, as
    /// [`crate::store::Store::votes`] returns them, or with new ones behind. Nothing is read.
    #[must_use]
    pub fn with_votes(&self, votes: &[Vote]) -> Self {
        let mut engine = self.clone();
        engine.set_votes(votes);
        engine.rejudged(self)
    }

    /// Makes verdicts of votes. Who calls it judges anew.
    pub(in crate::engine) fn set_votes(&mut self, votes: &[Vote]) {
        let votes = votes::current(votes);
        self.judges.without_votes();
        let authors: BTreeSet<&str> = votes.iter().map(|own| own.author.as_str()).collect();
        let human = (!authors.is_empty()).then(|| self.judges.place_or_new(HUMAN));
        let several = authors.len() > 1;
        let alone: Vec<u32> = authors
            .iter()
            .filter(|_| several)
            .map(|author| self.judges.place_or_new(&judge_of(author)))
            .collect();
        let place = |author: &str| {
            let place = authors.iter().position(|own| *own == author)?;
            alone.get(place).copied()
        };
        let mut verdicts: Vec<Vec<Verdict>> = vec![Vec::new(); self.frames.len()];
        let mut finder = Finder::new(&self.frames);
        // The votes are sorted, so those on one pair are neighbours.
        for on_pair in votes.chunk_by(|a, b| pair(a) == pair(b) && a.task == b.task) {
            let first = &on_pair[0];
            let Some(frame) = finder.frame(&first.cell) else { continue };
            let Some(task) = finder.task(frame, &first.task) else { continue };
            let verdict = |judge, equivalent| Verdict {
                task: task as u32,
                draw_a: first.draw_a.min(first.draw_b),
                draw_b: first.draw_a.max(first.draw_b),
                judge,
                equivalent: Some(equivalent),
                confidence: f64::NAN,
            };
            let all = human.and_then(|human| Some(verdict(human, majority(on_pair)?)));
            let own = on_pair
                .iter()
                .filter_map(|vote| Some(verdict(place(&vote.author)?, vote.verdict.equivalent()?)));
            verdicts[frame].extend(all.into_iter().chain(own));
        }
        self.frames.iter_mut().zip(verdicts).for_each(|(frame, own)| frame.human = own);
        self.votes = Arc::new(votes);
    }
}

fn pair(vote: &Vote) -> (&crate::model::Cell, u32, u32) {
    (&vote.cell, vote.draw_a, vote.draw_b)
}

/// What most authors say; none of a tie, or when all leave it open.
fn majority(votes: &[Vote]) -> Option<bool> {
    let said = || votes.iter().filter_map(|vote| vote.verdict.equivalent());
    let equivalent = said().filter(|own| *own).count();
    let different = said().count() - equivalent;
    (equivalent != different).then_some(equivalent > different)
}
