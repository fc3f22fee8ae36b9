//! Looking at one pair after the other and voting on it.

use crate::app::action::{Action, Screen};
use crate::app::jobs::{Request, RunKey};
use crate::app::{App, PaneSpec};
use crate::engine::{PairId, TriageItem};
use crate::store::{Ruling, Vote, votes};
use crate::text::visible;

/// The pair that is being looked at, and what was voted in this sitting.
#[derive(Clone, Debug, Default)]
pub struct Triaging {
    /// The pair. The queue may change under it; what is voted on is this.
    pub pair: Option<PairId>,
    /// Votes of this sitting, the last one last.
    cast: Vec<Cast>,
    /// The number of the next vote.
    next: u64,
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

impl App {
    /// What the queue says of the pair; none when the filter leaves it out.
    pub fn triage_item(&self) -> Option<&TriageItem> {
        let pair = self.judges.triaging.pair?;
        self.judges_view()?.triage.items.iter().find(|own| own.pair == pair)
    }

    /// The user's own vote on a pair, as it stands on the disk.
    pub fn own_vote(&self, pair: PairId) -> Option<Ruling> {
        let (task, cell) = (self.task_of(pair.id)?, self.columns.get(pair.id.cell as usize)?);
        let mine = |own: &&Vote| {
            own.author == self.author
                && own.cell == *cell
                && own.task == task.id
                && own.draw_a.min(own.draw_b) == 0
                && own.draw_a.max(own.draw_b) == pair.draw
        };
        let mine: Vec<Vote> = self.data.votes.iter().filter(mine).cloned().collect();
        votes::current(&mine).first().map(|own| own.verdict)
    }

    /// Whether what others say of the pair is kept from the user, who has not voted yet.
    pub fn is_blind(&self) -> bool {
        let reading = self.screen == Screen::Read && self.back.last() == Some(&Screen::Triage);
        let voting = reading || self.screen == Screen::Triage;
        let pair = self.judges.triaging.pair.filter(|_| voting);
        pair.is_some_and(|pair| self.own_vote(pair).is_none())
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

    pub(in crate::app) fn begin_triage(&mut self) {
        let item = self.judges_view().and_then(|own| own.triage.items.get(self.judges.place));
        match item.map(|own| own.pair) {
            Some(pair) => self.go_to_pair(pair),
            None => self.say("there is no pair to look at: no judges disagree, and none is unsure"),
        }
    }

    fn go_to_pair(&mut self, pair: PairId) {
        self.judges.triaging.pair = Some(pair);
        self.leave_place();
        self.open(Screen::Triage);
        self.show_pair();
    }

    /// Puts the pair on screen, whatever was looked at meanwhile.
    pub(in crate::app) fn show_pair(&mut self) {
        let Some(pair) = self.judges.triaging.pair else { return };
        (self.cell, self.task) = (pair.id.cell as usize, Some(pair.id));
        self.compare.free.clear();
        self.compare.specs = [0, pair.draw].map(|draw| PaneSpec { cell: None, draw }).to_vec();
        self.compare.focus = self.compare.focus.min(1);
        self.settle_panes();
    }

    /// The next pair that is not done, or the one before in the queue.
    fn next_pair(&mut self, forwards: bool) {
        let Some(view) = self.judges_view() else { return };
        let items = &view.triage.items;
        let place = items.iter().position(|own| Some(own.pair) == self.judges.triaging.pair);
        let next = match (place, forwards) {
            _ if items.is_empty() => None,
            (Some(place), false) => Some((place + items.len() - 1) % items.len()),
            (place, _) => {
                let from = place.map_or(0, |place| place + 1);
                view.triage.next_open(from).filter(|next| Some(*next) != place)
            }
        };
        match next.map(|next| (next, items[next].pair)) {
            Some((place, pair)) => {
                self.judges.place = place;
                self.go_to_pair(pair);
            }
            None => self.say("every pair of the queue is done: Esc goes back"),
        }
    }

    fn vote(&mut self, ruling: Ruling) {
        let Some(pair) = self.judges.triaging.pair else { return };
        let shown = [0, pair.draw].map(|draw| RunKey { id: pair.id, draw });
        if self.compare.keys != shown || self.compared().is_none() {
            return self.say("the pair is not on screen yet; vote once it is");
        }
        self.cast(pair, ruling);
    }

    fn cast(&mut self, pair: PairId, ruling: Ruling) {
        // What is on its way to the disk stands before what is there.
        let own = &self.judges.triaging;
        let last = own.cast.iter().rfind(|own| own.pair == pair);
        let before = match last {
            Some(own) => Some(own.ruling),
            None => self.own_vote(pair),
        };
        let number = self.judges.triaging.next;
        self.judges.triaging.next += 1;
        self.judges.triaging.cast.push(Cast { number, pair, ruling, before, saved: false });
        self.send_vote(number, pair, ruling);
    }

    /// Takes the last vote of the sitting back: what stood before stands again.
    fn undo_vote(&mut self) {
        let Some(last) = self.judges.triaging.cast.last().copied() else {
            return self.say("no vote of this sitting is left to take back");
        };
        if !last.saved {
            return self.say("the last vote is still being saved");
        }
        let number = self.judges.triaging.next;
        self.judges.triaging.next += 1;
        self.send_vote(number, last.pair, last.before.unwrap_or(Ruling::Withdrawn));
    }

    fn send_vote(&mut self, number: u64, pair: PairId, verdict: Ruling) {
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
        self.say("saving the vote …");
        self.ask(Request::Vote { number, pair, vote: Box::new(vote) });
    }

    /// A vote is on the disk, or why not.
    pub(in crate::app) fn voted(
        &mut self,
        number: u64,
        pair: PairId,
        vote: Vote,
        saved: Result<(), String>,
    ) {
        let cast = &mut self.judges.triaging.cast;
        let place = cast.iter().position(|own| own.number == number);
        if let Err(why) = saved {
            // What is not on the disk was not voted; an undo that failed can be tried again.
            if let Some(place) = place {
                cast.remove(place);
            }
            return self.say(format!("the vote is not saved: {}; vote again", visible(&why)));
        }
        match place {
            Some(place) => cast[place].saved = true,
            // An undo: what it takes back is no longer to be undone.
            None => drop(cast.pop()),
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
        self.data.mark_pair(pair, done);
    }
}
