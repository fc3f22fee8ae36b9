//! Votes on pairs: those of the store, those of this session, and withdrawing the last one.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Shared;
use crate::engine::{PairId, PairOrder, TriageQueue};
use crate::store::{ChosenBy, Ruling, Vote, votes};
use crate::text::{counted, visible};
use crate::ui::query::{Errands, Lane, Query, Worker};
use crate::ui::renewal::NewIds;

/// Votes of the store and of this sitting.
#[derive(Debug, Default)]
pub struct Votes {
    lines: Arc<Vec<Vote>>,
    /// Votes of this sitting, the last one last.
    cast: Vec<Cast>,
    /// The number of the next vote.
    next: u64,
    /// The last vote that was saved, or withdrawn.
    last: Option<SavedVote>,
    saving: Errands<SaveVote>,
}

/// A vote that is on the disk: what it changed is what the lines from `before` on changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedVote {
    /// The pair.
    pub pair: PairId,
    /// How many lines there were before it.
    pub before: usize,
}

/// A vote of this sitting.
#[derive(Clone, Copy, Debug)]
struct Cast {
    number: u64,
    pair: PairId,
    ruling: Ruling,
    chosen_by: ChosenBy,
    /// What stood before.
    before: Option<Ruling>,
    /// It is on the disk.
    saved: bool,
}

impl Votes {
    /// All lines of votes, as they stand on the disk.
    pub fn lines(&self) -> &Arc<Vec<Vote>> {
        &self.lines
    }

    /// The last vote of this sitting that was saved, or withdrawn.
    pub fn last(&self) -> Option<SavedVote> {
        self.last
    }

    /// Whether none is on its way to the disk.
    pub(super) fn is_idle(&self) -> bool {
        self.saving.is_idle()
    }

    /// The votes of this sitting are on the same pairs in another reading of the store.
    pub(super) fn renew(&mut self, ids: &NewIds<'_>) {
        self.cast.retain_mut(|cast| {
            let pair = ids.pair(cast.pair);
            cast.pair = pair.unwrap_or(cast.pair);
            pair.is_some()
        });
        self.last = None;
    }

    pub(super) fn set(&mut self, lines: Vec<Vote>) {
        self.lines = Arc::new(lines);
    }
}

impl Shared {
    /// The user's vote on a pair, as it stands on the disk; an adjudication before the independent one.
    pub fn vote_on(&self, pair: PairId) -> Option<Ruling> {
        self.standing(pair).last().map(|vote| vote.verdict)
    }

    /// The user's votes on a pair that stand: an independent one, and perhaps an adjudication.
    fn standing(&self, pair: PairId) -> Vec<Vote> {
        let mine = |vote: &&Vote| vote.author == self.author && is_on(vote, pair, self);
        let mine: Vec<Vote> = self.votes.lines.iter().filter(mine).cloned().collect();
        votes::current(&mine)
    }

    /// The votes of other people on a pair that stand.
    pub fn votes_of_others(&self, pair: PairId) -> Vec<Vote> {
        let theirs = |vote: &&Vote| vote.author != self.author && is_on(vote, pair, self);
        let theirs: Vec<Vote> = self.votes.lines.iter().filter(theirs).cloned().collect();
        votes::current(&theirs)
    }

    /// Votes on a pair. `passed` are pairs that stand before it in the random order and that the user
    /// voted on by another way: their votes are written again as part of the audit, which would else
    /// leave out the pairs that were chosen for disagreement.
    pub fn cast_vote(
        &mut self,
        pair: PairId,
        ruling: Ruling,
        chosen_by: ChosenBy,
        passed: impl Iterator<Item = PairId>,
    ) {
        let adjudicates = chosen_by == ChosenBy::Adjudication;
        let is_alike = |other: ChosenBy| (other == ChosenBy::Adjudication) == adjudicates;
        // What is on its way to the disk comes before what is there.
        let mut cast = self.votes.cast.iter().rev();
        let last = cast.find(|cast| cast.pair == pair && is_alike(cast.chosen_by));
        let before = last.map(|cast| cast.ruling).or_else(|| {
            let standing = self.standing(pair).into_iter();
            let mut alike = standing.filter(|vote| vote.is_adjudication() == adjudicates);
            alike.next().map(|vote| vote.verdict)
        });
        let again = |pair: PairId| {
            let mut votes = self.standing(pair).into_iter();
            let vote = votes.find(|vote| !vote.is_adjudication())?;
            // A vote on a pair of which the user knew what is said of it is no part of an audit.
            let is_queued = vote.chosen_by == Some(ChosenBy::Queue);
            is_queued.then_some(Vote { chosen_by: Some(ChosenBy::Audit), ..vote })
        };
        let again: Vec<Vote> = passed.filter_map(again).collect();
        let number = self.votes.next;
        self.votes.cast.push(Cast { number, pair, ruling, chosen_by, before, saved: false });
        self.send_vote(pair, ruling, chosen_by, again);
    }

    /// Withdraws the last vote of the sitting: what stood before stands again. Returns its pair, and how
    /// that was chosen.
    pub fn undo_vote(&mut self) -> Option<(PairId, ChosenBy)> {
        let Some(last) = self.votes.cast.last().copied() else {
            self.say("no vote of this session is left to withdraw");
            return None;
        };
        if !last.saved {
            self.say("the last vote is still being saved");
            return None;
        }
        let ruling = last.before.unwrap_or(Ruling::Withdrawn);
        self.send_vote(last.pair, ruling, last.chosen_by, Vec::new());
        Some((last.pair, last.chosen_by))
    }

    /// Sends a vote to the store, after others that are written again.
    fn send_vote(
        &mut self,
        pair: PairId,
        verdict: Ruling,
        chosen_by: ChosenBy,
        mut votes: Vec<Vote>,
    ) {
        let number = self.votes.next;
        self.votes.next += 1;
        let (Some(task), Some(cell)) = (self.task_of(pair.id), self.cell_of(pair.id)) else {
            return;
        };
        votes.push(Vote {
            time: 0,
            author: self.author.clone(),
            cell: cell.clone(),
            task: task.id.clone(),
            draw_a: task.draw.min(pair.draw),
            draw_b: task.draw.max(pair.draw),
            verdict,
            note: None,
            chosen_by: Some(chosen_by),
        });
        self.say("saving the vote …");
        self.votes.saving.send(SaveVote { number, pair, votes }, &mut self.effects);
    }

    /// Votes that are on the disk now, or why not.
    pub(super) fn poll_votes(&mut self) {
        for (SaveVote { number, pair, .. }, (votes, saved)) in self.votes.saving.take() {
            let cast = &mut self.votes.cast;
            let index = cast.iter().position(|cast| cast.number == number);
            if let Err(why) = saved {
                // What is not on the disk was not voted; an undo that failed can be tried again.
                if let Some(index) = index {
                    cast.remove(index);
                }
                self.say(format!("the vote is not saved: {}; vote again", visible(&why)));
                continue;
            }
            match index {
                Some(index) => cast[index].saved = true,
                // An undo: what it withdraws is no longer to be undone.
                None => drop(cast.pop()),
            }
            let Some(vote) = votes.last() else { continue };
            let name = self.task_of(pair.id).map_or(String::new(), |task| task.id.clone());
            let name = format!("task {}, draw {}", visible(&name), pair.draw);
            let again = match votes.len() {
                1 => String::new(),
                more => format!(
                    "; {} of yours on pairs before it counted in the audit",
                    counted(more as u64 - 1, "vote")
                ),
            };
            self.say(match vote.verdict {
                Ruling::Equivalent => format!("vote on {name} saved: equivalent{again}"),
                Ruling::Different => format!("vote on {name} saved: different{again}"),
                Ruling::Unsure => format!("vote on {name} saved: unsure{again}"),
                Ruling::Withdrawn => format!("vote on {name} withdrawn"),
            });
            self.votes.last = Some(SavedVote { pair, before: self.votes.lines.len() });
            Arc::make_mut(&mut self.votes.lines).extend(votes);
        }
    }
}

/// Which votes of this sitting are marked in a queue of pairs. The engine counts a vote a little later.
#[derive(Debug, Default)]
pub struct VoteMarks {
    /// How many lines of votes there were when the queue was first shown.
    first: Option<usize>,
    /// How many of them are marked.
    marked: usize,
}

impl VoteMarks {
    /// Marks the pairs as done that were voted on since; all of them anew in a new queue.
    pub fn update(&mut self, queue: Option<&mut TriageQueue>, is_new: bool, shared: &Shared) {
        let lines = shared.votes.lines();
        let first = *self.first.get_or_insert(lines.len());
        let Some(queue) = queue.filter(|_| is_new || self.marked != lines.len()) else { return };
        self.marked = lines.len();
        let settles = queue.order == PairOrder::Adjudication;
        let counts =
            |vote: &&Vote| vote.author == shared.author && (!settles || vote.is_adjudication());
        for vote in lines[first..].iter().filter(counts) {
            for item in queue.items.iter_mut().filter(|item| is_on(vote, item.pair, shared)) {
                item.done = if settles {
                    vote.verdict.equivalent().is_some()
                } else {
                    vote.verdict != Ruling::Withdrawn
                };
            }
        }
    }
}

/// Whether a vote is on a pair.
fn is_on(vote: &Vote, pair: PairId, shared: &Shared) -> bool {
    let draws = [vote.draw_a, vote.draw_b];
    shared.task_of(pair.id).is_some_and(|task| {
        let is_pair = draws == [task.draw, pair.draw] || draws == [pair.draw, task.draw];
        is_pair && task.id == vote.task
    }) && shared.cell_of(pair.id) == Some(&vote.cell)
}

/// Add votes to the store; their time is when they are written. The last one is the user's.
#[derive(Clone, PartialEq)]
struct SaveVote {
    number: u64,
    pair: PairId,
    votes: Vec<Vote>,
}

impl Query for SaveVote {
    type Answer = (Vec<Vote>, Result<(), String>);
    const LANE: Lane = Lane::Annotate;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let (mut votes, time) = (self.votes, now());
        votes.iter_mut().for_each(|vote| vote.time = time);
        let saved = worker.store.add_votes(&votes);
        send((votes, saved.map_err(|error| error.to_string())));
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
