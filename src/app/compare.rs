//! Runs of a task side by side: which, where in them, and how much of them is shown.

mod blocks;
mod moves;
mod panes;
mod side;
mod tokens;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::App;
use super::action::Screen;
use super::data::Load;
use super::jobs::{Opened, RunKey};
use crate::compare::{
    Effect, HeatRange, Loop, Measure, Sheet, TurnView, beside, loops, turn_views,
};
use crate::model::Trajectory;
use crate::scorers::aggregate::Aggregator;
use crate::widgets::Memo;
pub use blocks::{Block, BlockKey, Blocks, Ink, LaidOut};
pub use panes::PaneSpec;
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

impl Detail {
    /// All of them, in the order they are gone through.
    pub const ALL: [Self; 3] = [Self::Heads, Self::Short, Self::Whole];

    /// The name in flags.
    pub fn id(self) -> &'static str {
        match self {
            Self::Heads => "heads",
            Self::Short => "short",
            Self::Whole => "whole",
        }
    }

    /// The detail of that name.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.id() == id)
    }

    fn next(self) -> Self {
        match self {
            Self::Heads => Self::Short,
            Self::Short => Self::Whole,
            Self::Whole => Self::Heads,
        }
    }
}

/// Where a pane is that scrolls on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The selected row, once one was gone to.
    pub row: Option<usize>,
    /// The first line on screen, once it was scrolled away from the selected row.
    pub scroll: Option<usize>,
}

/// What the side pane depends on: runs, notes, the engine, the lens.
type SideKey = (Vec<RunKey>, usize, u64, String);

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Compare {
    /// What the panes show of any task.
    pub specs: Vec<PaneSpec>,
    /// The same of the selected task.
    pub keys: Vec<RunKey>,
    /// The pane that has the keys.
    pub focus: usize,
    /// The selected turn of that pane.
    pub turn: usize,
    /// The selected row; none until one was gone to: then it is the turn's.
    pub row: Option<usize>,
    /// The first line on screen, once it was scrolled away from the selected row.
    pub scroll: Option<usize>,
    /// The panes' own places, when their scrolling is not locked.
    pub free: Vec<Cursor>,
    /// How much is shown.
    pub detail: Detail,
    /// Rows that are shown whole, or not, unlike the others.
    pub toggled: BTreeSet<usize>,
    /// What tokens are coloured by.
    pub heat: Option<Measure>,
    /// The selected token; the one most in doubt when none was gone to.
    pub token: Option<usize>,
    /// Messages are held against the first pane's word by word.
    pub words: bool,
    /// The side pane is shown, or not; by the room there is when unsaid.
    pub side: Option<bool>,
    /// Words that are searched in the runs.
    pub search: String,
    /// The row that the search goes out from.
    pub search_from: usize,
    /// What drawing laid out last.
    pub laid_out: LaidOut,
    sheet: Memo<Vec<RunKey>, Arc<Sheet>>,
    token_lines: Memo<(RunKey, usize, usize), Arc<Vec<TokenLine>>>,
    effects: Memo<Vec<RunKey>, Arc<[Vec<Effect>; 3]>>,
    loops: Memo<Vec<RunKey>, Arc<Vec<Vec<Loop>>>>,
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
        self.opened.iter().map(|own| &own.run).collect()
    }
}

impl App {
    /// The runs whose text the open screen shows.
    pub fn run_keys(&self) -> Vec<RunKey> {
        match self.screen {
            Screen::Compare | Screen::Read | Screen::Triage => self.compare.keys.clone(),
            Screen::Tasks => {
                let first =
                    |id| Some(RunKey { id, draw: self.task_of(id)?.draw_numbers().next()? });
                self.task.and_then(first).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The run that has the keys, or why it is not there.
    pub fn opened(&self) -> Option<&Load<Arc<Opened>>> {
        let keys = self.run_keys();
        let focus = if self.screen == Screen::Tasks { 0 } else { self.compare.focus };
        self.data.runs.get(*keys.get(focus)?)
    }

    /// The run that has the keys, once it is read.
    pub fn run(&self) -> Option<&Trajectory> {
        self.opened()?.ready().map(|own| &own.run)
    }

    /// The runs of the panes, once all are read; an error says why one cannot be.
    pub fn comparison(&self) -> Option<Result<Comparison, &str>> {
        let keys = &self.compare.keys;
        let mut opened = Vec::with_capacity(keys.len());
        for key in keys {
            match self.data.runs.get(*key)? {
                Load::Ready(own) => opened.push(own.clone()),
                Load::Failed(error) => return Some(Err(error)),
                Load::Waiting => return None,
            }
        }
        if opened.is_empty() {
            return None;
        }
        let sheet = self.compare.sheet.get(keys.clone(), || {
            let runs: Vec<&Trajectory> = opened.iter().map(|own| &own.run).collect();
            Arc::new(Sheet::new(&runs))
        });
        Some(Ok(Comparison { opened, sheet }))
    }

    /// The same where errors do not matter.
    pub(super) fn compared(&self) -> Option<Comparison> {
        self.comparison()?.ok()
    }

    /// Confidence, rank and weight of every turn of a run under the lens.
    pub fn turn_views(&self, run: &Trajectory) -> Vec<TurnView> {
        let rule = self.lens.scorer.aggregator().unwrap_or(Aggregator::Mean);
        turn_views(run, self.lens.base(), rule)
    }

    /// What the first two runs changed: both, only the first, only the second.
    pub fn effects(&self, own: &Comparison) -> Arc<[Vec<Effect>; 3]> {
        self.compare.effects.get(self.compare.keys.clone(), || {
            Arc::new(beside(own.run(0), own.run(1.min(own.opened.len() - 1))))
        })
    }

    /// Calls that a run makes again and again, by pane.
    pub fn loops(&self, own: &Comparison) -> Arc<Vec<Vec<Loop>>> {
        self.compare.loops.get(self.compare.keys.clone(), || {
            Arc::new(own.runs().iter().map(|run| loops(run)).collect())
        })
    }

    /// The selected row of a pane.
    pub fn row_in(&self, sheet: &Sheet, pane: usize) -> usize {
        let last = sheet.rows.len().saturating_sub(1);
        let own = self.compare.free.get(pane).map_or(self.compare.row, |own| own.row);
        let row = own.or_else(|| match self.compare.turn {
            0 => Some(sheet.first_action()),
            turn => sheet.row_of_turn(self.compare.focus, turn),
        });
        // A run may have fewer turns than the one before: then its last.
        let end =
            || (0..sheet.rows.len()).rfind(|row| sheet.step(*row, self.compare.focus).is_some());
        row.or_else(end).unwrap_or(sheet.first_action()).min(last)
    }

    /// Whether a row is shown whole.
    pub fn is_whole(&self, row: usize) -> bool {
        (self.compare.detail == Detail::Whole) != self.compare.toggled.contains(&row)
    }

    /// Forgets where one was: another task or other runs are looked at.
    pub(super) fn leave_place(&mut self) {
        let own = &mut self.compare;
        (own.turn, own.row, own.scroll, own.token) = (0, None, None, None);
        own.toggled.clear();
        own.free.iter_mut().for_each(|own| *own = Cursor::default());
    }

    /// Keeps the selected turn while the rows around it change.
    pub(super) fn keep_turn(&mut self) {
        let own = &mut self.compare;
        (own.row, own.scroll) = (None, None);
        own.toggled.clear();
    }
}
