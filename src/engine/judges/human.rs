//! Turns votes into verdicts: people are the judge `human`, and each of several authors is a judge
//! too.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::{Engine, Pair, Verdict, Verdicts, VoteSources};
use crate::engine::find::Finder;
use crate::model::{HUMAN, judge_of};
use crate::store::{Vote, votes};

/// A verdict that votes make, with where they come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::engine) struct HumanVerdict {
    pub(in crate::engine) verdict: Verdict,
    pub(in crate::engine) sources: VoteSources,
}

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
        // An adjudication follows on the votes of others and is no opinion of its own.
        let independent = votes.iter().filter(|vote| !vote.is_adjudication());
        let authors: BTreeSet<&str> = independent.map(|vote| vote.author.as_str()).collect();
        let human = (!votes.is_empty()).then(|| self.judges.index_or_new(HUMAN));
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
        let mut verdicts: Vec<Vec<HumanVerdict>> = vec![Vec::new(); self.frames.len()];
        let mut finder = Finder::new(&self.frames);
        // The votes are sorted, so those on one pair are neighbours.
        for on_pair in votes.chunk_by(|a, b| pair(a) == pair(b) && a.task == b.task) {
            let first = &on_pair[0];
            let Some(frame) = finder.frame(&first.cell) else { continue };
            let Some(task) = finder.task(frame, &first.task) else { continue };
            let verdict = |judge, equivalent, votes: &[Vote]| {
                let decided = votes.iter().filter(|vote| vote.verdict.equivalent().is_some());
                let verdict = Verdict {
                    task: task as u32,
                    draw_a: first.draw_a,
                    draw_b: first.draw_b,
                    judge,
                    equivalent: Some(equivalent),
                    confidence: f64::NAN,
                };
                let verdict = self.frames[frame].settled(verdict);
                HumanVerdict { verdict, sources: VoteSources::of(decided) }
            };
            let together = human.and_then(|human| Some(verdict(human, decided(on_pair)?, on_pair)));
            let independent = on_pair.iter().filter(|vote| !vote.is_adjudication());
            let alone = independent.filter_map(|vote| {
                let (judge, equivalent) = (judge_alone(&vote.author)?, vote.verdict.equivalent()?);
                Some(verdict(judge, equivalent, std::slice::from_ref(vote)))
            });
            verdicts[frame].extend(together.into_iter().chain(alone));
        }
        self.frames.iter_mut().zip(verdicts).for_each(|(frame, human)| frame.human = human);
        self.votes = Arc::new(votes);
    }
}

impl Engine {
    /// What people but one say of pairs together, and where their votes come from: a person is compared
    /// with others, not with a majority that holds the person's vote.
    pub(super) fn verdicts_without(&self, author: &str) -> (Verdicts, HashMap<Pair, VoteSources>) {
        let (mut verdicts, mut sources) = (HashMap::new(), HashMap::new());
        let mut finder = Finder::new(&self.frames);
        let others: Vec<Vote> =
            self.votes.iter().filter(|vote| vote.author != author).cloned().collect();
        for on_pair in others.chunk_by(|a, b| pair(a) == pair(b) && a.task == b.task) {
            let first = &on_pair[0];
            let Some(frame) = finder.frame(&first.cell) else { continue };
            let Some(task) = finder.task(frame, &first.task) else { continue };
            let Some(equivalent) = decided(on_pair) else { continue };
            let key = ((frame as u32, task as u32), first.draw_a, first.draw_b);
            verdicts.insert(key, equivalent);
            let decided = on_pair.iter().filter(|vote| vote.verdict.equivalent().is_some());
            sources.insert(key, VoteSources::of(decided));
        }
        (verdicts, sources)
    }
}

fn pair(vote: &Vote) -> (&crate::model::Cell, u32, u32) {
    (&vote.cell, vote.draw_a, vote.draw_b)
}

/// What people say of a pair: the newest adjudication that decides, else what most authors say; none
/// where these are even or all unsure.
fn decided(votes: &[Vote]) -> Option<bool> {
    let settled = votes.iter().filter(|vote| vote.is_adjudication());
    let settled = settled.filter(|vote| vote.verdict.equivalent().is_some());
    if let Some(last) = settled.max_by_key(|vote| vote.time) {
        return last.verdict.equivalent();
    }
    let (equivalent, different) = split(votes);
    (equivalent != different).then_some(equivalent > different)
}

/// How many authors independently call a pair equivalent, and how many different.
pub(in crate::engine) fn split(votes: &[Vote]) -> (usize, usize) {
    let independent = votes.iter().filter(|vote| !vote.is_adjudication());
    let said: Vec<bool> = independent.filter_map(|vote| vote.verdict.equivalent()).collect();
    let equivalent = said.iter().filter(|equivalent| **equivalent).count();
    (equivalent, said.len() - equivalent)
}
