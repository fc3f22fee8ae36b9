//! A pair to vote on: its runs side by side, blind until the user has voted.

mod draw;
mod query;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, NoView, Screen, ScreenState, Target};
use crate::engine::{PairId, TriageItem, TriageQueue, VoteEffect};
use crate::report::OutputFormat;
use crate::store::{ChosenBy, Ruling};
use crate::text::{grouped, visible};
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::lists::pair_name;
use crate::ui::panel::{self, Layout, PaneSpec, Panel, PanelPosition, Spot};
use crate::ui::query::{Hint, Slot};
use crate::ui::renewal::NewIds;
use crate::ui::shared::{FileContent, PairQueue, RunKey, SavedVote, ScreenFigure, Shared};
use query::EffectQuery;

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Triage {
    /// The runs of the pair.
    pub panel: Panel,
    /// The pair. The queue may change under it; the vote is on this pair.
    pub pair: Option<PairId>,
    /// How the pair was chosen.
    chosen_by: Option<ChosenBy>,
    queue: PairQueue,
    /// What the last vote changed.
    effect: Slot<EffectQuery>,
}

impl Triage {
    /// The pairs to vote on; new votes may still be counted.
    pub fn queue(&self, shared: &Shared) -> Option<&TriageQueue> {
        self.queue.get(shared)
    }

    /// What the last vote changed, if it was on the pair on screen.
    pub fn effects(&self, shared: &Shared) -> &[VoteEffect] {
        let last = shared.votes.last().filter(|last| Some(last.pair) == self.pair);
        let question = last.and_then(|last| Self::effect_question(last, shared));
        let known = question.and_then(|question| self.effect.answer_to(&question));
        known.map_or(&[], |effects| effects.as_slice())
    }

    /// The question what a vote changed.
    fn effect_question(vote: SavedVote, shared: &Shared) -> Option<EffectQuery> {
        let (task, cell) = (shared.task_of(vote.pair.id)?, shared.cell_of(vote.pair.id)?);
        let lines = shared.votes.lines();
        Some(EffectQuery {
            vote,
            lines: lines.len(),
            metric: shared.lens.metric,
            judge: shared.lens.judge.clone(),
            scope: shared.lens.scope.clone(),
            author: shared.author.clone(),
            subject: (cell.clone(), task.id.clone(), task.draw),
            tasks: Hint(shared.data.chosen.scope.clone()?),
            votes: Hint(lines.clone()),
        })
    }

    /// Whether another queue is on its way.
    pub(super) fn is_queue_stale(&self) -> bool {
        self.queue.is_stale()
    }

    /// What the queue says of the pair; none when the scope leaves it out.
    pub fn item(&self, shared: &Shared) -> Option<&TriageItem> {
        self.queue(shared)?.items.iter().find(|item| Some(item.pair) == self.pair)
    }

    fn open_pair(&mut self, pair: PairId, chosen_by: ChosenBy, shared: &mut Shared) {
        (self.pair, shared.pair) = (Some(pair), Some(pair));
        self.chosen_by = Some(chosen_by);
        if shared.vote_on(pair).is_none() {
            shared.blinding.opened.insert(pair);
        }
        self.panel.leave_position();
        self.panel.free.clear();
        self.show_pair(shared);
    }

    /// How the pair was chosen: directly, if the user saw how its runs ended.
    fn chosen_by(&self, shared: &Shared) -> ChosenBy {
        let is_known = self.pair.is_some_and(|pair| shared.blinding.disclosed.contains(&pair.id));
        match self.chosen_by {
            Some(ChosenBy::Adjudication) => ChosenBy::Adjudication,
            Some(chosen_by) if !is_known => chosen_by,
            _ => ChosenBy::Direct,
        }
    }

    /// Puts the pair on screen, whatever was selected meanwhile.
    fn show_pair(&mut self, shared: &mut Shared) {
        let Some(pair) = self.pair else { return };
        (shared.cell, shared.task) = (pair.id.cell as usize, Some(pair.id));
        let first = shared.task_of(pair.id).map_or(0, |task| task.draw);
        self.panel.specs = [first, pair.draw].map(PaneSpec::draw).to_vec();
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
        let position = next.and_then(|next| position_words(current, next, items.len(), forwards));
        match next.map(|next| items[next].pair) {
            Some(pair) if Some(pair) == self.pair => shared.say("there is no other pair here"),
            Some(pair) => {
                self.open_pair(pair, shared.order.chosen_by(), shared);
                position.into_iter().for_each(|words| shared.say(words));
            }
            None if self.panel.blind => shared.say("no other pair is left; this one is not done"),
            None => shared.say("every pair here is done: Esc goes back, r offers others there"),
        }
    }

    fn vote(&self, ruling: Ruling, shared: &mut Shared) {
        let Some(pair) = self.pair else { return };
        let runs = [0, pair.draw].map(|draw| RunKey { id: pair.id, draw });
        if self.panel.keys != runs || self.panel.compared(shared).is_none() {
            return shared.say("the pair is not on screen yet; vote once it is");
        }
        let chosen_by = self.chosen_by(shared);
        let passed = self.passed(chosen_by, shared);
        shared.cast_vote(pair, ruling, chosen_by, passed.into_iter());
    }

    /// The pairs before this one in the random order that the user voted on already.
    fn passed(&self, chosen_by: ChosenBy, shared: &Shared) -> Vec<PairId> {
        let queue = self.queue(shared).filter(|_| chosen_by == ChosenBy::Audit);
        let items = queue.map_or(&[][..], |queue| &queue.items);
        let before = items.iter().take_while(|item| Some(item.pair) != self.pair);
        before.filter(|item| item.done).map(|item| item.pair).collect()
    }
}

/// Which pair of the list a step led to: always on the way back, forwards where it went round the end.
fn position_words(
    before: Option<usize>,
    next: usize,
    count: usize,
    forwards: bool,
) -> Option<String> {
    let position = format!("pair {} of {}", grouped(next as u64 + 1), grouped(count as u64));
    match (before, forwards) {
        (Some(before), true) if next < before => Some(format!("{position} (wrapped round)")),
        (Some(before), false) if next > before => Some(format!("{position} (wrapped round)")),
        (_, true) => None,
        (_, false) => Some(position),
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
            Target::Pair(pair, chosen_by) => self.open_pair(*pair, *chosen_by, shared),
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
                let undone = shared.undo_vote();
                if let Some((pair, chosen_by)) = undone.filter(|(pair, _)| Some(*pair) != self.pair)
                {
                    self.open_pair(pair, chosen_by, shared);
                }
            }
            Action::NextTask => self.step_pair(true, shared),
            Action::PreviousTask => self.step_pair(false, shared),
            // All runs of the task are shown with outcomes: a later vote on it is not blind.
            Action::Open(Screen::Compare) => {
                if self.panel.blind {
                    self.chosen_by = Some(ChosenBy::Direct);
                    shared.say("outcomes are shown here: your vote will not count in the audit");
                } else if self.pair.is_some_and(|pair| shared.hides_outcomes(pair.id)) {
                    shared.say(
                        "outcomes are shown here: votes on other pairs of the task will not count in \
                         the audit",
                    );
                }
                shared.blinding.disclosed.extend(self.pair.map(|pair| pair.id));
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
        self.queue.refresh(shared);
        self.effect.poll();
        if let Some(question) =
            shared.votes.last().and_then(|last| Self::effect_question(last, shared))
        {
            self.effect.want(question, &mut shared.effects);
        }
        shared.want_runs(&self.panel.keys);
    }

    fn renew(&mut self, ids: &NewIds<'_>) {
        self.panel.renew(ids);
        self.pair = self.pair.and_then(|pair| ids.pair(pair));
        (self.queue, self.effect) = (PairQueue::default(), Slot::default());
    }

    fn is_waiting(&self, _shared: &Shared) -> bool {
        self.queue.is_waiting() || self.effect.is_waiting()
    }

    fn is_stale(&self, _shared: &Shared) -> bool {
        false
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

    fn figure(&self, _: &Shared) -> Option<ScreenFigure> {
        None
    }

    fn view(&self, _open: bool, _shared: &Shared) -> NoView {
        NoView::default()
    }

    fn restore(&mut self, _view: &NoView, _shared: &mut Shared) {}

    fn resolve(&mut self, _view: &NoView, _shared: &mut Shared) -> Vec<String> {
        Vec::new()
    }
}
