//! Looking at one pair after the other and voting on it.

use crate::app::action::{Action, Screen};
use crate::app::jobs::Request;
use crate::app::{App, PaneSpec};
use crate::engine::{PairId, TriageItem};
use crate::store::{Ruling, Vote, votes};
use crate::text::visible;

/// The pair that is being looked at, and what was voted before.
#[derive(Clone, Debug, Default)]
pub struct Triaging {
    /// Its place in the queue.
    pub place: usize,
    /// Votes of this sitting that can be taken back: the pair, and what stood before.
    undo: Vec<(PairId, Option<Ruling>)>,
    /// Votes on their way to the disk.
    pub pending: usize,
}

impl App {
    /// The pair that is being looked at.
    pub fn triage_item(&self) -> Option<&TriageItem> {
        self.judges_view()?.triage.items.get(self.judges.triaging.place)
    }

    /// The user's own vote on a pair, as it stands.
    pub fn own_vote(&self, pair: PairId) -> Option<Ruling> {
        let (task, cell) = (self.task_of(pair.id)?, self.columns.get(pair.id.cell as usize)?);
        let mine: Vec<Vote> = self
            .data
            .votes
            .iter()
            .filter(|own| {
                own.author == self.author
                    && own.cell == *cell
                    && own.task == task.id
                    && own.draw_b == pair.draw
                    && own.draw_a == 0
            })
            .cloned()
            .collect();
        votes::current(&mine).first().map(|own| own.verdict)
    }

    pub(in crate::app) fn update_triage(&mut self, action: &Action) {
        match action {
            Action::Vote(ruling) => self.vote(*ruling),
            Action::UndoVote => self.undo_vote(),
            Action::NextPair => self.next_pair(true),
            Action::PreviousPair => self.next_pair(false),
            other => self.update_compare(other),
        }
    }

    pub(in crate::app) fn begin_triage(&mut self, place: usize) {
        if self.judges_view().is_none_or(|own| own.triage.items.is_empty()) {
            return self.say("there is no pair to look at: no judges disagree, and none is unsure");
        }
        self.go_to_pair(place);
    }

    /// Opens a pair of the queue.
    fn go_to_pair(&mut self, place: usize) {
        let Some(item) = self.judges_view().and_then(|own| own.triage.items.get(place)) else {
            return;
        };
        let pair = self.whole_pair(item.pair);
        self.judges.triaging.place = place;
        self.judges.place = place;
        (self.cell, self.task) = (pair.id.cell as usize, Some(pair.id));
        self.leave_place();
        self.compare.free.clear();
        self.compare.specs = [0, pair.draw].map(|draw| PaneSpec { cell: None, draw }).to_vec();
        self.compare.focus = 0;
        self.open(Screen::Triage);
        self.settle_panes();
    }

    /// The next pair that nobody voted on; all of them once that is done.
    pub(in crate::app) fn next_pair(&mut self, forwards: bool) {
        let Some(view) = self.judges_view() else { return };
        let (count, place) = (view.triage.items.len(), self.judges.triaging.place);
        if count == 0 {
            return;
        }
        let next = if forwards {
            view.triage.next_open(place + 1).filter(|next| *next != place)
        } else {
            Some((place + count - 1) % count)
        };
        match next {
            Some(next) => self.go_to_pair(next),
            None => self.say("every pair of the queue is done: Esc goes back"),
        }
    }

    pub(in crate::app) fn vote(&mut self, ruling: Ruling) {
        let Some(pair) = self.triage_item().map(|own| self.whole_pair(own.pair)) else { return };
        let before = self.own_vote(pair);
        self.judges.triaging.undo.push((pair, before));
        self.send_vote(pair, ruling);
    }

    pub(in crate::app) fn undo_vote(&mut self) {
        match self.judges.triaging.undo.pop() {
            Some((pair, before)) => self.send_vote(pair, before.unwrap_or(Ruling::Withdrawn)),
            None => self.say("no vote of this sitting is left to take back"),
        }
    }

    fn send_vote(&mut self, pair: PairId, verdict: Ruling) {
        let (Some(task), Some(cell)) =
            (self.task_of(pair.id), self.columns.get(pair.id.cell as usize))
        else {
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
        };
        self.judges.triaging.pending += 1;
        self.say("saving the vote …");
        self.ask(Request::Vote { pair, vote: Box::new(vote) });
    }

    /// A vote is on the disk, or why not.
    pub(in crate::app) fn voted(&mut self, pair: PairId, vote: Vote, saved: Result<(), String>) {
        self.judges.triaging.pending = self.judges.triaging.pending.saturating_sub(1);
        if let Err(why) = saved {
            // What is not on the disk was not voted.
            self.judges.triaging.undo.pop();
            return self.say(format!("the vote is not saved: {}; vote again", visible(&why)));
        }
        let word = match vote.verdict {
            Ruling::Equivalent => "equivalent",
            Ruling::Different => "not equivalent",
            Ruling::Unsure => "unsure",
            Ruling::Withdrawn => "taken back",
        };
        let name = self.task_of(pair.id).map_or(String::new(), |own| own.id.clone());
        self.say(format!("saved: task {}, draw {}: {word}", visible(&name), pair.draw));
        let done = vote.verdict != Ruling::Withdrawn;
        self.data.votes.push(vote);
        let kept = self.data.kept.as_ref().map(|own| own.1.clone());
        self.data.mark_pair(
            |own| {
                kept.as_ref().map_or(own, |kept| PairId { id: kept.whole_id(own.id), ..own })
                    == pair
            },
            done,
        );
    }
}
