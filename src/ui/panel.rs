//! Runs side by side, which Compare and Triage share: which runs are shown, what is selected in
//! them, and how much of them is shown.

mod answers;
mod blocks;
mod draw;
mod export;
mod legend;
mod moves;
mod notes;
mod panes;
mod position;
mod search;
mod side;
mod texts;
mod tokens;
mod writer;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::query::Slot;
use super::shared::{Load, Opened, RunKey, Shared};
use super::view::Named;
use super::widgets::Memo;
use crate::compare::{
    ExpectedCall, HeatRange, Loop, Measure, Sheet, SideEffect, beside, expected_calls, loops,
};
use crate::engine::TaskId;
use crate::model::Trajectory;
use answers::AnswersQuery;
pub use blocks::{Block, BlockKey, Blocks, Ink};
pub use draw::{Layout, Spot};
pub(in crate::ui) use legend::LEGEND;
pub use panes::PaneSpec;
pub(in crate::ui) use panes::same_task;
pub use position::PanelPosition;
pub use search::Hit;
pub use side::{Section, reward_parts};
pub use tokens::TokenLine;

/// How much of every action is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Detail {
    /// One line each.
    Heads,
    /// The beginnings of texts, and which arguments differ.
    #[default]
    Short,
    /// Everything that is not very long.
    Whole,
}

impl Named for Detail {
    const ALL: &'static [Self] = &[Self::Heads, Self::Short, Self::Whole];

    fn id(self) -> &'static str {
        match self {
            Self::Heads => "heads",
            Self::Short => "short",
            Self::Whole => "whole",
        }
    }
}

/// The position in a pane that scrolls on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The selected row, once one was selected.
    pub row: Option<usize>,
    /// The first line on screen, once it was scrolled away from the selected row.
    pub scroll: Option<usize>,
}

/// Which part of the runs must be in sight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sight {
    /// The selected row; nothing scrolls as long as it is.
    #[default]
    Row,
    /// The selected row, at a third of the height.
    Third,
    /// The line of the selected hit.
    Hit,
}

/// A position that is taken once the runs are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// The first place that holds the searched words.
    FirstHit,
    /// The row of an action, counted from 0, of the focused pane or, where its run has ended, of another.
    Action(usize),
    /// A turn of the focused pane, counted from 0.
    Turn(usize),
}

/// What the side pane depends on: runs, notes, the engine, the lens.
type SideKey = (Vec<RunKey>, usize, u64, String);

/// Runs of a task side by side.
#[derive(Debug, Default)]
pub struct Panel {
    /// What the panes show of any task.
    pub specs: Vec<PaneSpec>,
    /// The same of the selected task.
    pub keys: Vec<RunKey>,
    /// The pane that has the keys.
    pub focus: usize,
    /// The selected turn of that pane.
    pub turn: usize,
    /// The selected row; the turn's until one was selected.
    pub row: Option<usize>,
    /// The first line on screen, once it was scrolled away from the selected row.
    pub scroll: Option<usize>,
    /// The position in every pane, when each scrolls on its own.
    pub free: Vec<Cursor>,
    /// Rows that are shown whole, or not, unlike the others.
    pub toggled: BTreeSet<usize>,
    /// The selected token; the one most in doubt until one was selected.
    pub token: Option<usize>,
    /// Words that are searched in the runs.
    pub search: String,
    /// The place where they stand that is selected.
    pub hit: Option<Hit>,
    /// How the runs were graded and judged is hidden, since the user is to judge them.
    pub blind: bool,
    /// For every pane its first line on screen, and how far it could be scrolled.
    pub scrolls: Vec<(usize, usize)>,
    /// Lines of a pane.
    page: usize,
    /// The task that the position is of.
    task: Option<TaskId>,
    /// The row and the pane that the search starts from.
    search_from: (usize, usize),
    /// The searched words come from another screen: Esc goes back there at once.
    carried: bool,
    /// What must be in sight.
    sight: Sight,
    /// The position to take once the runs are read.
    seek: Option<Seek>,
    /// What models answered about the runs.
    answers: Slot<AnswersQuery>,
    found: Memo<(Vec<RunKey>, String), Arc<Vec<Hit>>>,
    sheet: Memo<Vec<RunKey>, Arc<Sheet>>,
    laid_out: Memo<BlockKey, Arc<Blocks>>,
    token_lines: Memo<(RunKey, usize, usize), Arc<Vec<TokenLine>>>,
    effects: Memo<Vec<RunKey>, Arc<[Vec<SideEffect>; 3]>>,
    loops: Memo<Vec<RunKey>, Arc<Vec<Vec<Loop>>>>,
    expected: Memo<Vec<RunKey>, Arc<Vec<Vec<ExpectedCall>>>>,
    sections: Memo<SideKey, Arc<Vec<Section>>>,
    range: Memo<(Vec<RunKey>, Measure), Option<HeatRange>>,
}

/// The open runs, aligned.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The runs, by pane.
    pub opened: Vec<Arc<Opened>>,
    /// Their rows.
    pub sheet: Arc<Sheet>,
}

impl Comparison {
    /// The run of a pane.
    pub fn run(&self, pane: usize) -> &Trajectory {
        &self.opened[pane].run
    }

    /// All runs.
    pub fn runs(&self) -> Vec<&Trajectory> {
        self.opened.iter().map(|opened| &opened.run).collect()
    }
}

impl Panel {
    /// The runs of the panes, once all are read; an error says why one cannot be.
    pub fn comparison<'s>(&self, shared: &'s Shared) -> Option<Result<Comparison, &'s str>> {
        let mut opened = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            match shared.runs.get(*key)? {
                Load::Ready(run) => opened.push(run.clone()),
                Load::Failed(error) => return Some(Err(error)),
                Load::Waiting => return None,
            }
        }
        if opened.is_empty() {
            return None;
        }
        let sheet = self.sheet.get(self.keys.clone(), || {
            let runs: Vec<&Trajectory> = opened.iter().map(|opened| &opened.run).collect();
            Arc::new(Sheet::new(&runs))
        });
        Some(Ok(Comparison { opened, sheet }))
    }

    /// The runs of the panes, once all are read.
    pub(in crate::ui) fn compared(&self, shared: &Shared) -> Option<Comparison> {
        self.comparison(shared)?.ok()
    }

    /// The run of the focused pane, once it is read.
    pub fn run<'s>(&self, shared: &'s Shared) -> Option<&'s Trajectory> {
        let opened = shared.runs.get(*self.keys.get(self.focus)?)?;
        opened.ready().map(|opened| &opened.run)
    }

    /// What the first two runs changed: both, only the first, only the second.
    pub fn effects(&self, comparison: &Comparison) -> Arc<[Vec<SideEffect>; 3]> {
        self.effects.get(self.keys.clone(), || {
            let other = 1.min(comparison.opened.len() - 1);
            Arc::new(beside(comparison.run(0), comparison.run(other)))
        })
    }

    /// Calls that a run makes again and again, by pane.
    pub fn loops(&self, comparison: &Comparison) -> Arc<Vec<Vec<Loop>>> {
        self.loops.get(self.keys.clone(), || {
            Arc::new(comparison.runs().iter().map(|run| loops(run)).collect())
        })
    }

    /// What became of the expected calls of every pane's run; nothing is known while that is hidden.
    pub fn expected(&self, comparison: &Comparison) -> Arc<Vec<Vec<ExpectedCall>>> {
        if self.blind {
            return Arc::new(vec![Vec::new(); comparison.opened.len()]);
        }
        self.expected.get(self.keys.clone(), || {
            Arc::new(comparison.runs().iter().map(|run| expected_calls(run)).collect())
        })
    }

    /// The selected row of a pane.
    pub fn row_in(&self, sheet: &Sheet, pane: usize) -> usize {
        let last = sheet.rows.len().saturating_sub(1);
        let selected = self.free.get(pane).map_or(self.row, |cursor| cursor.row);
        let row = selected.or_else(|| match self.turn {
            0 => Some(sheet.first_action()),
            turn => sheet.row_of_turn(self.focus, turn),
        });
        // A run may have fewer turns than the one before: then its last.
        let end = || (0..sheet.rows.len()).rfind(|row| sheet.step(*row, self.focus).is_some());
        row.or_else(end).unwrap_or(sheet.first_action()).min(last)
    }

    /// The selected turn of the focused pane; none on a row that is no turn of it.
    pub fn turn_in_focus(&self, sheet: &Sheet) -> Option<usize> {
        sheet.turn_at(self.row_in(sheet, self.focus), self.focus)
    }

    /// Whether a row is shown whole.
    pub fn is_whole(&self, row: usize, detail: Detail) -> bool {
        (detail == Detail::Whole) != self.toggled.contains(&row)
    }

    /// Shows the selected task. The position in another one is forgotten.
    pub(in crate::ui) fn follow_task(&mut self, shared: &Shared) {
        if self.task != shared.task {
            // What a view names is of the first task that there is.
            if self.task.is_some() {
                self.leave_position();
                self.lead_with_row(shared);
            }
            self.task = shared.task;
        }
        self.settle_panes(shared);
    }

    /// Takes the position over to the selected task, which was chosen on another screen.
    pub(in crate::ui) fn keep_position(&mut self, shared: &Shared) {
        if self.task.is_some() && self.task != shared.task {
            self.lead_with_row(shared);
        }
        self.stay_on(shared);
    }

    /// Takes the selected task for the one that the position is of.
    pub(in crate::ui) fn stay_on(&mut self, shared: &Shared) {
        self.task = shared.task;
    }

    /// Whether the selected task is the one that the position is of.
    pub(in crate::ui) fn is_of_task(&self, shared: &Shared) -> bool {
        self.task == shared.task
    }

    /// Forgets the position: another task or other runs come.
    pub(in crate::ui) fn leave_position(&mut self) {
        (self.turn, self.row, self.scroll, self.token) = (0, None, None, None);
        (self.hit, self.seek, self.sight) = (None, None, Sight::Row);
        self.toggled.clear();
        self.free.iter_mut().for_each(|cursor| *cursor = Cursor::default());
    }

    /// Keeps the selected turn while the rows around it change.
    fn keep_turn(&mut self) {
        (self.row, self.scroll) = (None, None);
        (self.hit, self.sight) = (None, Sight::Row);
        self.toggled.clear();
    }

    /// Goes to an action once the runs are read.
    pub(in crate::ui) fn seek_action(&mut self, action: usize, shared: &Shared) {
        self.seek = Some(Seek::Action(action));
        self.settle_position(shared);
    }

    /// Goes to a turn of the focused pane, once the runs are read.
    pub(in crate::ui) fn seek_turn(&mut self, turn: usize, shared: &Shared) {
        self.seek = Some(Seek::Turn(turn));
        self.settle_position(shared);
    }

    /// Takes the position that was asked for before the runs were read.
    pub(in crate::ui) fn settle_position(&mut self, shared: &Shared) {
        let Some(comparison) = self.seek.and_then(|_| self.compared(shared)) else { return };
        match self.seek.take() {
            Some(Seek::FirstHit) => {
                if let Some(hit) = self.hits(&comparison).first() {
                    self.show_hit(&comparison, *hit, shared);
                }
            }
            Some(Seek::Action(action)) => {
                let sheet = &comparison.sheet;
                let row_of =
                    |pane: usize| sheet.rows.iter().position(|row| row.steps[pane] == Some(action));
                let row = row_of(self.focus).or_else(|| (0..self.keys.len()).find_map(row_of));
                self.select_row(sheet, row.unwrap_or(sheet.rows.len()));
                self.sight = Sight::Third;
            }
            Some(Seek::Turn(turn)) => {
                let row = comparison.sheet.row_of_turn(self.focus, turn);
                self.select_row(&comparison.sheet, row.unwrap_or(0));
                self.sight = Sight::Third;
            }
            None => {}
        }
    }

    /// Takes in what drawing found out.
    pub(in crate::ui) fn drawn(&mut self, layout: Layout) {
        (self.page, self.scrolls) = (layout.page, layout.scrolls);
    }

    /// Another screen was shown meanwhile: what is selected decides what is in sight.
    pub(in crate::ui) fn forget_scrolls(&mut self) {
        self.scrolls.clear();
    }
}
