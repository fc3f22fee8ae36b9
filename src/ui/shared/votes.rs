//! Votes on pairs: those of the store, those of this sitting, and how the last one is withdrawn.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Shared;
use crate::engine::{PairId, TriageQueue};
use crate::store::{Ruling, Vote, votes};
use crate::text::visible;
use crate::ui::query::{Errands, Lane, Query, Worker};

/// Votes of the store and of this sitting.
#[derive(Debug, Default)]
pub struct Votes {
    lines: Arc<Vec<Vote>>,
    /// Votes of this sitting, the last one last.
    cast: Vec<Cast>,
    /// The number of the next vote.
    next: u64,
    saving: Errands<SaveVote>,
}

/// A vote of this sitting.
#[derive(Clone, Copy, Debug)]
struct Cast {
    number: u64,
    pair: PairId,
    ruling: Ruling,
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

    pub(super) fn set(&mut self, lines: Vec<Vote>) {
        self.lines = Arc::new(lines);
    }
}

impl Shared {
    /// The user's vote on a pair, as it stands on the disk.
    pub fn vote_on(&self, pair: PairId) -> Option<Ruling> {
        let mine = |vote: &&Vote| vote.author == self.author && is_on(vote, pair, self);
        let mine: Vec<Vote> = self.votes.lines.iter().filter(mine).cloned().collect();
        votes::current(&mine).first().map(|vote| vote.verdict)
    }

    /// Votes on a pair.
    pub fn cast_vote(&mut self, pair: PairId, ruling: Ruling) {
        // What is on its way to the disk comes before what is there.
        let last = self.votes.cast.iter().rfind(|cast| cast.pair == pair);
        let before = match last {
            Some(cast) => Some(cast.ruling),
            None => self.vote_on(pair),
        };
        let number = self.votes.next;
        self.votes.cast.push(Cast { number, pair, ruling, before, saved: false });
        self.send_vote(pair, ruling);
    }

    /// Withdraws the last vote of the sitting: what stood before stands again. Returns its pair.
    pub fn undo_vote(&mut self) -> Option<PairId> {
        let Some(last) = self.votes.cast.last().copied() else {
            self.say("no vote of this sitting is left to take back");
            return None;
        };
        if !last.saved {
            self.say("the last vote is still being saved");
            return None;
        }
        self.send_vote(last.pair, last.before.unwrap_or(Ruling::Withdrawn));
        Some(last.pair)
    }

    fn send_vote(&mut self, pair: PairId, verdict: Ruling) {
        let number = self.votes.next;
        self.votes.next += 1;
        let (Some(task), Some(cell)) = (self.task_of(pair.id), self.cell_of(pair.id)) else {
            return;
        };
        let vote = Vote {
            time: 0,
            author: self.author.clone(),
            cell: cell.clone(),
            task: task.id.clone(),
            draw_a: 0,
            draw_b: pair.draw,
            verdict,
            note: None,
            chosen_by: None,
        };
        self.say("saving the vote …");
        self.votes.saving.send(SaveVote { number, pair, vote }, &mut self.effects);
    }

    /// Votes that are on the disk now, or why not.
    pub(super) fn poll_votes(&mut self) {
        for (SaveVote { number, pair, .. }, (vote, saved)) in self.votes.saving.take() {
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
            let word = match vote.verdict {
                Ruling::Equivalent => "equivalent",
                Ruling::Different => "not equivalent",
                Ruling::Unsure => "unsure",
                Ruling::Withdrawn => "taken back",
            };
            let name = self.task_of(pair.id).map_or(String::new(), |task| task.id.clone());
            self.say(format!("saved: task {}, draw {}: {word}", visible(&name), pair.draw));
            Arc::make_mut(&mut self.votes.lines).push(vote);
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
        for vote in lines[first..].iter().filter(|vote| vote.author == shared.author) {
            for item in queue.items.iter_mut().filter(|item| is_on(vote, item.pair, shared)) {
                item.done = vote.verdict != Ruling::Withdrawn;
            }
        }
    }
}

/// Whether a vote is on a pair.
fn is_on(vote: &Vote, pair: PairId, shared: &Shared) -> bool {
    vote.draw_a.min(vote.draw_b) == 0
        && vote.draw_a.max(vote.draw_b) == pair.draw
        && shared.task_of(pair.id).is_some_and(|task| task.id == vote.task)
        && shared.cell_of(pair.id) == Some(&vote.cell)
}

/// Add a vote to the store; its time is when it is written.
#[derive(Clone, PartialEq)]
struct SaveVote {
    number: u64,
    pair: PairId,
    vote: Vote,
}

impl Query for SaveVote {
    type Answer = (Vote, Result<(), String>);
    const LANE: Lane = Lane::Annotate;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let mut vote = self.vote;
        vote.time = now();
        let saved = worker.store.add_votes(std::slice::from_ref(&vote));
        send((vote, saved.map_err(|error| error.to_string())));
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
