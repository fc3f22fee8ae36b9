//! A pair to vote on: its runs side by side, blind until the user has voted.

mod draw;
mod query;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, NoView, Screen, ScreenState, Target};
use crate::engine::{PairId, TriageItem, TriageQueue};
use crate::report::OutputFormat;
use crate::store::Ruling;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::lists::pair_name;
use crate::ui::panel::{self, Layout, PaneSpec, Panel, PanelPosition, Spot};
use crate::ui::query::Slot;
use crate::ui::shared::{FileContent, RunKey, Shared, VoteMarks};
use query::QueueQuery;

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Triage {
    /// The runs of the pair.
    pub panel: Panel,
    /// The pair. The queue may change under it; the vote is on this pair.
    pub pair: Option<PairId>,
    queue: Slot<QueueQuery>,
    marks: VoteMarks,
}

impl Triage {
    /// The queue, once it is that of the filter; new votes may still be counted.
    pub fn queue(&self, shared: &Shared) -> Option<&TriageQueue> {
        let current = shared.is_of_filter(&self.queue.question()?.tasks.key);
        self.queue.get().filter(|_| current).map(AsRef::as_ref)
    }

    /// What the queue says of the pair; none when the filter leaves it out.
    pub fn item(&self, shared: &Shared) -> Option<&TriageItem> {
        self.queue(shared)?.items.iter().find(|item| Some(item.pair) == self.pair)
    }

    fn open_pair(&mut self, pair: PairId, shared: &mut Shared) {
        (self.pair, shared.pair) = (Some(pair), Some(pair));
        self.panel.leave_position();
        self.panel.free.clear();
        self.show_pair(shared);
    }

    /// Puts the pair on screen, whatever was selected meanwhile.
    fn show_pair(&mut self, shared: &mut Shared) {
        let Some(pair) = self.pair else { return };
        (shared.cell, shared.task) = (pair.id.cell as usize, Some(pair.id));
        self.panel.specs = [0, pair.draw].map(PaneSpec::draw).to_vec();
        self.panel.blind = shared.vote_on(pair).is_none();
        self.panel.follow_task(shared);
    }

    /// Goes to the next pair that is not done, or to the one before in the queue.
    fn step_pair(&mut self, forwards: bool, shared: &mut Shared) {
        let Some(queue) = self.queue(shared) else { return };
        let items = &queue.items;
        let current = items.iter().position(|item| Some(item.pair) == self.pair);
        let next = match (current, forwards) {
            _ if items.is_empty() => None,
            (Some(index), false) => Some((index + items.len() - 1) % items.len()),
            (current, _) => {
                let from = current.map_or(0, |index| index + 1);
                queue.next_open(from).filter(|next| Some(*next) != current)
            }
        };
        match next.map(|next| items[next].pair) {
            Some(pair) => self.open_pair(pair, shared),
            None => shared.say("every pair of the queue is done: Esc goes back"),
        }
    }

    fn vote(&self, ruling: Ruling, shared: &mut Shared) {
        let Some(pair) = self.pair else { return };
        let runs = [0, pair.draw].map(|draw| RunKey { id: pair.id, draw });
        if self.panel.keys != runs || self.panel.compared(shared).is_none() {
            return shared.say("the pair is not on screen yet; vote once it is");
        }
        shared.cast_vote(pair, ruling);
    }
}

impl ScreenState for Triage {
    type View = NoView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = (Option<PairId>, PanelPosition);

    const ABOUT: &'static str = "Triage: vote on a pair";
    const NEEDS: Needs = Needs::Task;
    const ENDING: &'static str = "svg";
    const LEGEND: Legend = panel::LEGEND;

    fn arrive(&mut self, target: &Target, shared: &mut Shared) {
        self.panel.forget_scrolls();
        match target {
            Target::Pair(pair) => self.open_pair(*pair, shared),
            Target::Pane(pane) => {
                self.show_pair(shared);
                self.panel.return_to(*pane, shared);
            }
            _ => {
                self.panel.free.clear();
                self.show_pair(shared);
            }
        }
    }

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::Vote(ruling) => self.vote(*ruling, shared),
            Action::UndoVote => {
                // The user sees what becomes of the vote.
                if let Some(pair) = shared.undo_vote().filter(|pair| Some(*pair) != self.pair) {
                    self.open_pair(pair, shared);
                }
            }
            Action::NextTask => self.step_pair(true, shared),
            Action::PreviousTask => self.step_pair(false, shared),
            // The pair is looked at without voting.
            Action::Open(Screen::Compare) => {
                return self
                    .pair
                    .map_or(Go::Pass, |pair| Go::Open(Target::Task(pair.id, Some(pair.draw))));
            }
            other => return self.panel.update(other, shared),
        }
        Go::Stay
    }

    fn wheel(&mut self, down: bool, _shared: &mut Shared) -> Go {
        self.panel.wheel(down)
    }

    fn search(&mut self, words: &str, _done: bool, shared: &mut Shared) {
        self.panel.search_for(words, shared);
    }

    fn adjust(&mut self, shared: &mut Shared) {
        self.show_pair(shared);
    }

    fn refresh(&mut self, shared: &mut Shared) {
        let is_new = self.queue.poll();
        self.marks.update(self.queue.get_mut(), is_new, shared);
        if let Some(tasks) = shared.kept().cloned() {
            let question = QueueQuery { tasks, author: shared.author.clone() };
            self.queue.want(question, &mut shared.effects);
        }
        shared.want_runs(&self.panel.keys);
    }

    fn is_waiting(&self, _shared: &Shared) -> bool {
        self.queue.is_waiting()
    }

    fn draw(
        &self,
        shared: &Shared,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) -> Layout {
        draw::draw(self, shared, buffer, area, hits)
    }

    fn drawn(&mut self, layout: Layout) {
        self.panel.drawn(layout);
    }

    fn click(&mut self, spot: &Spot, dragged: bool, shared: &mut Shared) -> Go {
        self.panel.click(spot, dragged, shared)
    }

    fn position(&self) -> Self::Position {
        (self.pair, self.panel.position())
    }

    fn resume(&mut self, (pair, position): &Self::Position, shared: &mut Shared) {
        (self.pair, shared.pair) = (*pair, *pair);
        self.show_pair(shared);
        self.panel.resume(position, shared);
    }

    fn heading(&self, shared: &Shared) -> Heading {
        Heading::of_task(shared)
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        Some(visible(&pair_name(self.pair?, shared)).into_owned())
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        self.panel.export(format, shared)
    }

    fn view(&self, _open: bool, _shared: &Shared) -> NoView {
        NoView::default()
    }

    fn restore(&mut self, _view: &NoView, _shared: &mut Shared) {}

    fn resolve(&mut self, _view: &NoView, _shared: &mut Shared) -> Vec<String> {
        Vec::new()
    }
}
