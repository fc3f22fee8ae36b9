//! Makes verdicts of votes: people are the judge `human`, and each of several authors a judge alone.

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

    /// The same engine with other votes: all lines of the store, as [`crate::store::Store::votes`]
    /// returns them, perhaps with new ones after them. Nothing is read.
    #[must_use]
    pub fn with_votes(&self, votes: &[Vote]) -> Self {
        let mut engine = self.clone();
        engine.set_votes(votes);
        engine.rejudged(self)
    }

    /// Makes verdicts of votes. The caller must then call [`Engine::judge_anew`].
    pub(in crate::engine) fn set_votes(&mut self, votes: &[Vote]) {
        let votes = votes::current(votes);
        self.judges.without_votes();
        let authors: BTreeSet<&str> = votes.iter().map(|vote| vote.author.as_str()).collect();
        let human = (!authors.is_empty()).then(|| self.judges.index_or_new(HUMAN));
        let several = authors.len() > 1;
        let alone: Vec<u32> = authors
            .iter()
            .filter(|_| several)
            .map(|author| self.judges.index_or_new(&judge_of(author)))
            .collect();
        let judge_alone = |author: &str| {
            let index = authors.iter().position(|known| *known == author)?;
            alone.get(index).copied()
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
                draw_a: first.draw_a,
                draw_b: first.draw_b,
                judge,
                equivalent: Some(equivalent),
                confidence: f64::NAN,
            };
            let together = human.and_then(|human| Some(verdict(human, majority(on_pair)?)));
            let alone = on_pair.iter().filter_map(|vote| {
                Some(verdict(judge_alone(&vote.author)?, vote.verdict.equivalent()?))
            });
            verdicts[frame].extend(together.into_iter().chain(alone));
        }
        self.frames.iter_mut().zip(verdicts).for_each(|(frame, human)| frame.human = human);
        self.votes = Arc::new(votes);
    }
}

fn pair(vote: &Vote) -> (&crate::model::Cell, u32, u32) {
    (&vote.cell, vote.draw_a, vote.draw_b)
}

/// What most authors say; none in a tie, or when all are unsure.
fn majority(votes: &[Vote]) -> Option<bool> {
    let said = || votes.iter().filter_map(|vote| vote.verdict.equivalent());
    let equivalent = said().filter(|equivalent| *equivalent).count();
    let different = said().count() - equivalent;
    (equivalent != different).then_some(equivalent > different)
}
