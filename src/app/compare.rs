//! One trajectory, turn by turn.

use std::sync::Arc;

use super::App;
use super::action::Action;
use super::data::Load;
use super::jobs::{Opened, RunKey};
use crate::model::{Role, Trajectory};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::text::visible;
use crate::widgets::{Memo, floor, wrap};

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Compare {
    /// The open draw.
    pub draw: u32,
    /// The selected turn.
    pub turn: usize,
    /// What was said around the turns is hidden.
    pub folded: bool,
    /// The first line on screen, once it was scrolled away from the selected turn.
    pub scroll: Option<usize>,
    /// The run as lines of a width: wrapped once.
    pub lines: Memo<(RunKey, usize, bool), Arc<Vec<Said>>>,
}

/// A line of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The head of a turn.
    Turn(usize),
    /// Words of the agent.
    Agent(String),
    /// A fixed text that no model wrote, such as a greeting.
    Scripted(String),
    /// A tool call of the agent.
    Call(String),
    /// Thoughts before a turn.
    Thought(String),
    /// Words or calls of the user, or instructions.
    User(String),
    /// What a tool returned; whether it failed.
    Tool(String, bool),
    /// Nothing, between turns.
    Gap,
}

/// A result of a tool longer than this is cut in the transcript.
const LONGEST_RESULT: usize = 12;

/// A run as lines of a width.
pub fn lines(run: &Trajectory, room: usize, folded: bool) -> Vec<Said> {
    let mut lines = Vec::new();
    let mut turn = 0;
    let text = |text: &str| -> Vec<String> {
        let safe: Vec<_> = text
            .split('\n')
            .map(|line| visible(&line.replace('\t', "    ")).into_owned())
            .collect();
        wrap(&safe.join("\n"), room.saturating_sub(4))
    };
    for message in &run.messages {
        if message.is_turn() {
            if turn > 0 && !folded {
                lines.push(Said::Gap);
            }
            lines.push(Said::Turn(turn));
            turn += 1;
        }
        if folded {
            continue;
        }
        if let Some(thought) = &message.reasoning {
            lines.extend(text(thought).into_iter().map(Said::Thought));
        }
        let own: fn(String) -> Said = match message.role {
            Role::Assistant if message.scripted => Said::Scripted,
            Role::Assistant => Said::Agent,
            Role::User | Role::System => Said::User,
            Role::Tool => |line| Said::Tool(line, false),
        };
        if let Some(words) = message.words() {
            let mut all = text(words);
            if message.role == Role::Tool && all.len() > LONGEST_RESULT {
                let more = all.len() - LONGEST_RESULT;
                all.truncate(LONGEST_RESULT);
                all.push(format!("… {more} more lines"));
            }
            lines.extend(all.into_iter().map(|line| match own(line) {
                Said::Tool(line, _) => Said::Tool(line, message.error),
                other => other,
            }));
        }
        for call in &message.tool_calls {
            let call = text(&format!("{}({})", call.name, call.arguments));
            let own = if message.role == Role::User { Said::User } else { Said::Call };
            lines.extend(call.into_iter().map(own));
        }
    }
    lines
}

/// A turn's confidence and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnView {
    /// The confidence; none without log-probabilities.
    pub confidence: Option<f64>,
    /// Its height between the lowest of the run, or so, and 1.
    pub height: f64,
    /// Its weight under the aggregator.
    pub weight: Option<f64>,
    /// It is the weakest of the run.
    pub weakest: bool,
}

impl App {
    /// The draw that is open.
    pub fn run_key(&self) -> Option<RunKey> {
        Some(RunKey { id: self.task?, draw: self.compare.draw })
    }

    /// The run that is open, once it is read.
    pub fn run(&self) -> Option<&Trajectory> {
        self.opened()?.ready().map(|own| &own.run)
    }

    /// The run that is open, or why it is not.
    pub fn opened(&self) -> Option<&Load<Arc<Opened>>> {
        self.data.runs.get(self.run_key()?)
    }

    /// The confidence and weight of every turn of a run under the lens.
    pub fn turn_views(&self, run: &Trajectory) -> Vec<TurnView> {
        let base = self.lens.base();
        let confidence = |turn: &crate::model::Turn| {
            let own = turn.scores?;
            match base {
                Base::Sp => Some(own.sp_log.exp()),
                Base::Lnsp => Some(own.lnsp),
                Base::Atn => own.atn,
                Base::Pm => own.pm,
            }
        };
        let all: Vec<Option<f64>> = run.turns.iter().map(confidence).collect();
        let known: Vec<f64> = all.iter().flatten().copied().collect();
        let rule = self.lens.scorer.aggregator().unwrap_or(Aggregator::Mean);
        let mut weights = rule.weights(&known).into_iter();
        let least = known.iter().copied().reduce(f64::min);
        let floor = floor(known.iter().copied());
        let mut found = false;
        all.into_iter()
            .map(|confidence| {
                let weight = confidence.and_then(|_| weights.next());
                let weakest =
                    known.len() > 1 && !found && confidence.is_some() && confidence == least;
                found |= weakest;
                let height = confidence.map_or(f64::NAN, |own| (own - floor) / (1.0 - floor));
                TurnView { confidence, height, weight, weakest }
            })
            .collect()
    }

    /// Turns in the weaker quarter of a run, which are looked at first.
    fn weak_turns(&self) -> Vec<usize> {
        let Some(run) = self.run() else { return Vec::new() };
        let views = self.turn_views(run);
        let mut known: Vec<(usize, f64)> = views
            .iter()
            .enumerate()
            .filter_map(|(turn, own)| Some((turn, own.confidence?)))
            .collect();
        known.sort_by(|a, b| a.1.total_cmp(&b.1));
        known.truncate(known.len().div_ceil(4));
        let mut weak: Vec<usize> = known.into_iter().map(|(turn, _)| turn).collect();
        weak.sort_unstable();
        weak
    }

    pub(super) fn update_compare(&mut self, action: &Action) {
        let turns = self.run().map_or(0, |run| run.turns.len());
        let last = turns.saturating_sub(1);
        let half = (self.layout.page / 2).max(1);
        let turn = self.compare.turn;
        let from = self.compare.scroll.unwrap_or(self.layout.scroll);
        let mut select = |turn: usize| {
            self.compare.turn = turn.min(last);
            self.compare.scroll = None;
        };
        match action {
            Action::Down => select(turn + 1),
            Action::Up => select(turn.saturating_sub(1)),
            Action::First => select(0),
            Action::Last => select(last),
            Action::HalfPageDown => {
                self.compare.scroll = Some((from + half).min(self.layout.hidden));
            }
            Action::HalfPageUp => self.compare.scroll = Some(from.saturating_sub(half)),
            Action::NextWeak => {
                let weak = self.weak_turns();
                if let Some(next) = weak.iter().find(|own| **own > turn).or(weak.first()) {
                    (self.compare.turn, self.compare.scroll) = (*next, None);
                }
            }
            Action::PreviousWeak => {
                let weak = self.weak_turns();
                if let Some(next) = weak.iter().rfind(|own| **own < turn).or(weak.last()) {
                    (self.compare.turn, self.compare.scroll) = (*next, None);
                }
            }
            Action::NextPane => self.step_draw(true),
            Action::PreviousPane => self.step_draw(false),
            Action::FoldTexts => {
                self.compare.folded = !self.compare.folded;
                self.compare.scroll = None;
            }
            Action::NextTask | Action::PreviousTask => {
                let before = self.task;
                self.move_task(action);
                if self.task != before {
                    (self.compare.turn, self.compare.scroll) = (0, None);
                }
                self.keep_draw();
            }
            _ => {}
        }
    }

    fn step_draw(&mut self, forwards: bool) {
        let Some(task) = self.task.and_then(|id| self.task_of(id)) else { return };
        let draws: Vec<u32> = task.draw_numbers().collect();
        let place = draws.iter().position(|own| *own == self.compare.draw).unwrap_or(0);
        let step = if forwards { 1 } else { draws.len() - 1 };
        if let Some(draw) = draws.get((place + step) % draws.len().max(1)) {
            self.compare.draw = *draw;
            self.compare.scroll = None;
        }
    }

    /// A task may lack the draw that is open.
    pub(super) fn keep_draw(&mut self) {
        let Some(task) = self.task.and_then(|id| self.task_of(id)) else { return };
        if task.row_of(self.compare.draw).is_none() {
            let first = task.draw_numbers().next().unwrap_or(0);
            self.compare.draw = first;
        }
    }
}
