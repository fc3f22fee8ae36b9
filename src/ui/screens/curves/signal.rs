//! The page of the signal: how well the confidence of turns separates failures, by position in the run and
//! by action.

mod draw;
mod query;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{PageState, Subject};
use crate::engine::{self, BINS, TurnGroup, TurnRef};
use crate::report::figure::FigureKind;
use crate::report::{OutputFormat, TableKind};
use crate::scorers::Scorer;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::lists::{self, Listed, MOST_LISTED};
use crate::ui::overlays::Choice;
use crate::ui::query::Slot;
use crate::ui::renewal::NewIds;
use crate::ui::screens::Go;
use crate::ui::shared::{FileContent, ScreenFigure, Shared};
use crate::ui::widgets::two;
use query::{BehindQuery, SignalAnswer, SignalQuery};

/// The state of the page.
#[derive(Debug, Default)]
pub struct Signal {
    pane: Pane,
    /// The selected part of the run.
    bin: usize,
    /// The selected action.
    row: usize,
    found: Slot<SignalQuery>,
    behind: Slot<BehindQuery>,
}

/// What has the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// Single turns by position.
    #[default]
    Turns,
    /// Runs by what is known of them so far.
    SoFar,
    /// Single turns by action.
    Actions,
}

impl Pane {
    const ALL: [Self; 3] = [Self::Turns, Self::SoFar, Self::Actions];

    fn stepped(self, by: usize) -> Self {
        let index = Self::ALL.iter().position(|pane| *pane == self).unwrap_or(0);
        Self::ALL[(index + by) % Self::ALL.len()]
    }
}

/// What can be clicked.
#[derive(Clone, Debug)]
pub enum Spot {
    /// A part of the run in the plot.
    Bin(usize),
    /// The row of an action.
    Action(usize),
}

impl Signal {
    fn query(subject: &Subject, shared: &Shared) -> Option<SignalQuery> {
        Some(SignalQuery {
            tasks: shared.kept()?.clone(),
            cells: subject.cells.clone(),
            base: shared.lens.base(),
            rule: shared.lens.turn_rule(),
        })
    }

    fn behind_query(&self, subject: &Subject, shared: &Shared) -> Option<BehindQuery> {
        Some(BehindQuery {
            tasks: shared.selected()?.clone(),
            cells: subject.cells.clone(),
            base: shared.lens.base(),
            rule: shared.lens.turn_rule(),
            group: self.selected()?.group.clone(),
        })
    }

    /// The numbers of a pane.
    fn of(&self, pane: Pane) -> &[engine::Signal] {
        let Some(found) = self.found.get() else { return &[] };
        let SignalAnswer { turns, so_far, actions, .. } = found.as_ref();
        match pane {
            Pane::Turns => turns,
            Pane::SoFar => so_far,
            Pane::Actions => actions,
        }
    }

    /// The selected number.
    fn selected(&self) -> Option<&engine::Signal> {
        let all = self.of(self.pane);
        let index = if self.pane == Pane::Actions { self.row } else { self.bin };
        all.get(index.min(all.len().saturating_sub(1)))
    }

    fn step(&mut self, forwards: bool, by: usize) {
        let (index, count) = match self.pane {
            Pane::Actions => {
                (&mut self.row, self.found.get().map_or(0, |found| found.actions.len()))
            }
            Pane::Turns | Pane::SoFar => (&mut self.bin, BINS),
        };
        let last = count.saturating_sub(1);
        *index = if forwards { (*index + by).min(last) } else { index.saturating_sub(by) };
    }

    /// Lists the turns behind the selected number.
    fn drill(&self, subject: &Subject, shared: &mut Shared) -> Go {
        let question = self.behind_query(subject, shared);
        let answer = question.as_ref().and_then(|question| self.behind.answer_to(question));
        let (Some(question), Some(answer)) = (&question, answer) else {
            shared.say("the turns are still being looked for");
            return Go::Stay;
        };
        let (count, turns) = (answer.0, answer.1.clone());
        let noun = if self.pane == Pane::SoFar { "run" } else { "turn" };
        let title = group_words(&question.group);
        let choices = turns.iter().map(|turn| choice(turn, shared)).collect();
        lists::list(Listed { title: &title, count, held_back: 0, noun }, choices, shared)
    }
}

/// The scorer whose turns are shown, as it is called.
fn scorer_label(shared: &Shared) -> String {
    Scorer::WhiteBox(shared.lens.base(), shared.lens.turn_rule()).label()
}

/// A turn as an entry of a list.
fn choice(turn: &TurnRef, shared: &Shared) -> Choice {
    let cell = shared.cell_of(turn.id).map_or(String::new(), ToString::to_string);
    let task = shared.task_label(turn.id).unwrap_or_default();
    Choice {
        name: format!("{cell}  task {task}, turn {}", turn.turn + 1),
        hint: format!("{:>5} {}", two(turn.confidence), if turn.success { "✓" } else { "✗" }),
        action: Action::OpenTurn(turn.id, turn.turn),
    }
}

/// Which turns a number is of, in words.
fn group_words(group: &TurnGroup) -> String {
    let percent = |part: usize| part * 100 / BINS;
    match group {
        TurnGroup::All => "all turns".to_owned(),
        TurnGroup::Position(bin) => {
            format!("turns at {}–{}% of the run", percent(*bin), percent(bin + 1))
        }
        TurnGroup::Share(share) => format!("the first {}% of every run", percent(share + 1)),
        TurnGroup::Message => "messages to the user".to_owned(),
        TurnGroup::Call => "tool calls".to_owned(),
        TurnGroup::Tool(name) => format!("calls of {}", visible(name)),
    }
}

impl PageState for Signal {
    type Spot = Spot;
    type Layout = ();

    fn update(&mut self, action: &Action, subject: &Subject, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => return self.drill(subject, shared),
            Action::NextPane => self.pane = self.pane.stepped(1),
            Action::PreviousPane => self.pane = self.pane.stepped(Pane::ALL.len() - 1),
            Action::Right | Action::Down => self.step(true, 1),
            Action::Left | Action::Up => self.step(false, 1),
            Action::HalfPageDown => self.step(true, BINS / 2),
            Action::HalfPageUp => self.step(false, BINS / 2),
            Action::First => self.step(false, usize::MAX),
            Action::Last => self.step(true, usize::MAX / 2),
            _ => return Go::Pass,
        }
        Go::Stay
    }

    fn refresh(&mut self, subject: &Subject, shared: &mut Shared) {
        self.found.poll();
        self.behind.poll();
        if let Some(question) = Self::query(subject, shared) {
            self.found.want(question, &mut shared.effects);
        }
        if let Some(question) = self.behind_query(subject, shared) {
            self.behind.want(question, &mut shared.effects);
        }
    }

    fn renew(&mut self, _: &NewIds<'_>) {
        (self.found, self.behind) = (Slot::default(), Slot::default());
    }

    fn is_waiting(&self) -> bool {
        self.found.is_waiting()
    }

    fn is_stale(&self, subject: &Subject, shared: &Shared) -> bool {
        let question = Self::query(subject, shared);
        self.found.get().is_some()
            && (shared.data.is_changing() || self.found.question() != question.as_ref())
    }

    fn draw(
        &self,
        subject: &Subject,
        shared: &Shared,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) {
        draw::draw(self, subject, shared, buffer, area, hits);
    }

    fn drawn(&mut self, (): ()) {}

    fn click(&mut self, spot: &Spot, dragged: bool, subject: &Subject, shared: &mut Shared) -> Go {
        match spot {
            Spot::Bin(bin) => {
                self.pane = if self.pane == Pane::Actions { Pane::Turns } else { self.pane };
                self.bin = *bin;
            }
            Spot::Action(row) if !dragged => {
                let again = self.pane == Pane::Actions && self.row == *row;
                (self.pane, self.row) = (Pane::Actions, *row);
                if again {
                    return self.drill(subject, shared);
                }
            }
            Spot::Action(_) => {}
        }
        Go::Stay
    }

    fn copied(&self, _: &Subject, shared: &Shared) -> Option<String> {
        let signal = self.selected()?;
        Some(format!("{}, {}", scorer_label(shared), draw::words(signal)))
    }

    fn export(
        &self,
        format: OutputFormat,
        _: &Subject,
        shared: &Shared,
    ) -> Result<FileContent, String> {
        let by_action = self.pane == Pane::Actions;
        let kind = if by_action { TableKind::Tools } else { TableKind::Positions };
        shared.table_content(kind, format)
    }

    fn figure(&self, subject: &Subject, shared: &Shared) -> Option<ScreenFigure> {
        let mut figure = ScreenFigure::new(FigureKind::Turns, shared);
        figure.cells = subject.cells.clone();
        Some(figure)
    }
}
