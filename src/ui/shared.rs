//! What all screens share: the store, the lens, what is selected, and what came back from the
//! background.

mod author;
mod blind;
mod columns;
mod costs;
mod data;
mod export;
mod labels;
mod lens;
mod named;
mod notes;
mod numbers;
mod outlook;
mod outside;
mod queue;
mod renew;
mod rows;
mod runs;
mod scope;
mod tasks;
mod together;
mod votes;

use std::path::PathBuf;
use std::sync::Arc;

use super::config::Config;
use super::effects::{Effect, Effects};
use super::history::History;
use super::keymap::Keymap;
use super::names::TaskNames;
use super::scoring::Scoring;
use super::theme::{Shade, Theme};
use super::view::Location;
use crate::engine::{Engine, JudgeSpec, PairId, PairOrder, Task, TaskId};
use crate::model::Cell;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::{Family, Scorer};
use crate::store::{CellSummary, Store};
use crate::text::bounded;

use author::Naming;
pub use blind::{Blind, Blinding, held_back_words};
pub use columns::{ColumnChange, ColumnChoice, TaskColumns};
pub use costs::KeptCosts;
pub use data::{Data, LensKey, Load, Loaded};
pub use export::{Export, FileContent, ScreenFigure, Written};
pub use labels::Labels;
pub use lens::{Lens, same_kind};
pub use named::Named;
pub use notes::{About, Notes};
pub use numbers::{Number, Numbers, Pending, WantedNumbers};
pub use outlook::{Outlook, Scorers};
use outside::Outside;
pub use queue::PairQueue;
pub use renew::Watching;
pub use runs::{Opened, RunDisplay, RunKey, Runs};
pub use scope::{Chosen, FilterKey, KeptTasks, Narrows, SelectedTasks, SelectionKey};
pub use tasks::{TableQuery, TaskList};
pub use together::Together;
pub use votes::{SavedVote, VoteMarks, Votes};

/// Bytes of a message, at most: it may quote a name or a reason of any length.
const LONGEST_NOTICE: usize = 2_000;

/// What all screens share.
#[derive(Debug)]
pub struct Shared {
    /// The store's name.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// The data is made up.
    pub synthetic: bool,
    /// What casts doubt on the numbers, once the store is read.
    pub doubts: Vec<String>,
    /// What the store holds, also of cells without runs.
    pub summaries: Vec<CellSummary>,
    /// The cells with runs: the columns of grids.
    pub cells: Vec<Cell>,
    /// Colours by role.
    pub theme: Theme,
    /// The keys.
    pub keymap: Keymap,
    /// Who writes notes and votes; empty until the name is known.
    pub author: String,
    naming: Naming,
    /// The scorer, metric, scope … under which everything is seen.
    pub lens: Lens,
    /// The scorer that the user chose, and the one that stands in for it on a screen that cannot show it.
    stand_in: Option<(Scorer, Scorer)>,
    /// A list of scorers is being tried on: the lens's scorer is not chosen yet.
    pub trying: bool,
    /// The scorer that ranks are compared with, where the open screen has one of its own.
    pub compared: Option<Scorer>,
    /// The selected cell, an index into `cells`.
    pub cell: usize,
    /// The selected task.
    pub task: Option<TaskId>,
    /// The pair that was opened last to vote on.
    pub pair: Option<PairId>,
    /// Which pairs are offered to vote on, in which order.
    pub order: PairOrder,
    /// A pair is open to vote on, perhaps under another screen: outcomes are held back.
    pub is_voting: bool,
    /// What is held back then.
    pub blinding: Blinding,
    /// The engine, the tasks in scope and the selected ones.
    pub data: Data,
    /// Values and intervals by scorer and cell.
    pub numbers: Numbers,
    /// The list of tasks that one goes through.
    pub tasks: TaskList,
    /// Their ids, cut to what room there is.
    pub(super) task_names: TaskNames,
    /// Texts of runs.
    pub runs: Runs,
    /// How runs are shown.
    pub display: RunDisplay,
    /// Lines of notes and votes that cannot be read: numbers may lack them.
    pub damaged: Vec<usize>,
    /// Notes.
    pub notes: Notes,
    /// Votes.
    pub votes: Votes,
    /// Selections and scopes with a name.
    pub named: Named,
    /// What a failure, a review and a run cost.
    pub costs: KeptCosts,
    /// What was typed into prompts.
    pub history: History,
    /// Turns that are marked as decisive errors.
    pub labels: Labels,
    /// What every scorer has and would cost.
    pub scorers: Scorers,
    /// The scoring that was started from here, as long as it goes on.
    pub scoring: Option<Scoring>,
    /// Files being written.
    pub export: Export,
    /// A message until the next key.
    pub notice: Option<String>,
    /// The store is followed while others write into it.
    pub watching: Option<Watching>,
    /// What is to be done outside.
    pub effects: Effects,
    outside: Outside,
}

impl Shared {
    /// What is known of a store before it is read.
    pub fn new(store: &Store, config: &Config, theme: Theme) -> Self {
        let manifest = store.manifest();
        let with_runs = manifest.cells.iter().filter(|summary| summary.trajectories > 0);
        Self {
            name: store.name(),
            path: store.path().to_owned(),
            synthetic: manifest.synthetic,
            doubts: Vec::new(),
            cells: with_runs.map(|summary| summary.cell.clone()).collect(),
            summaries: manifest.cells.clone(),
            theme,
            keymap: config.keymap.clone(),
            author: config.author.clone().unwrap_or_default(),
            naming: Naming::new(config),
            lens: Lens::default(),
            stand_in: None,
            trying: false,
            compared: None,
            cell: 0,
            task: None,
            pair: None,
            order: PairOrder::default(),
            is_voting: false,
            blinding: Blinding::default(),
            data: Data::default(),
            numbers: Numbers::default(),
            tasks: TaskList::default(),
            task_names: TaskNames::default(),
            runs: Runs::default(),
            display: RunDisplay::default(),
            damaged: Vec::new(),
            notes: Notes::default(),
            votes: Votes::default(),
            named: Named::default(),
            costs: KeptCosts::default(),
            history: History::default(),
            labels: Labels::default(),
            scorers: Scorers::new(store, &config.prices),
            scoring: None,
            export: Export::default(),
            notice: None,
            watching: None,
            effects: Effects::default(),
            outside: Outside::default(),
        }
    }

    /// Says something until the next key.
    pub fn say(&mut self, notice: impl Into<String>) {
        self.notice = Some(bounded(&notice.into(), LONGEST_NOTICE).into_owned());
    }

    /// Puts text on the clipboard and says so.
    pub fn copy(&mut self, text: String) {
        let first = text.lines().next().unwrap_or_default();
        self.say(format!("copied: {}", first.replace('\t', "  ")));
        self.effects.push(Effect::Copy(text));
    }

    /// The engine, once the store is read.
    pub fn engine(&self) -> Option<&Arc<Engine>> {
        self.data.engine()
    }

    /// A task by its id.
    pub fn task_of(&self, id: TaskId) -> Option<&Task> {
        let frame = self.engine()?.frames().get(id.cell as usize)?;
        frame.tasks.get(id.task as usize)
    }

    /// The cell of a task.
    pub fn cell_of(&self, id: TaskId) -> Option<&Cell> {
        self.cells.get(id.cell as usize)
    }

    /// The selected cell.
    pub fn current_cell(&self) -> Option<&Cell> {
        self.cells.get(self.cell)
    }

    /// What the store holds of the selected cell.
    pub fn current_summary(&self) -> Option<&CellSummary> {
        let cell = self.current_cell()?;
        self.summaries.iter().find(|summary| summary.cell == *cell)
    }

    /// Selects a cell. A task of another cell is not selected any more.
    pub fn select_cell(&mut self, cell: usize) {
        self.cell = cell.min(self.cells.len().saturating_sub(1));
        if self.task.is_none_or(|id| id.cell as usize == self.cell) {
            return;
        }
        if !self.select_first_task_of(self.cell) {
            (self.task, self.tasks.index) = (None, 0);
        }
    }

    /// Selects the cell after or before.
    pub fn step_cell(&mut self, forwards: bool) {
        self.select_cell(if forwards { self.cell + 1 } else { self.cell.saturating_sub(1) });
    }

    /// The scorers of the grid: those that the store lists, and those of the lens.
    pub fn scorers(&self) -> Vec<Scorer> {
        let Some(engine) = self.engine() else { return Vec::new() };
        let mut scorers = engine.scorers().to_vec();
        for scorer in &self.outside.found {
            // After the other aggregators of the same base score.
            let last = scorers.iter().rposition(|known| known.id() == scorer.id());
            scorers.insert(last.map_or(scorers.len(), |index| index + 1), scorer.clone());
        }
        scorers
    }

    /// Whether the store has a scorer of a family.
    pub fn has_family(&self, family: Family) -> bool {
        let engine = self.engine();
        engine.is_some_and(|engine| engine.scorers().iter().any(|scorer| scorer.family() == family))
    }

    /// Looks through a scorer in place of the chosen one until the screen is left.
    pub(super) fn stand_in(&mut self, scorer: Scorer) {
        let chosen = std::mem::replace(&mut self.lens.scorer, scorer.clone());
        self.stand_in = Some((chosen, scorer));
    }

    /// The screen is left that another scorer stood in for: the chosen one is back, unless another was
    /// chosen meanwhile.
    pub(super) fn end_stand_in(&mut self) {
        self.lens.scorer = self.chosen_scorer().clone();
        self.stand_in = None;
    }

    /// The scorer that the user chose.
    pub fn chosen_scorer(&self) -> &Scorer {
        match &self.stand_in {
            Some((chosen, stand_in)) if *stand_in == self.lens.scorer => chosen,
            _ => &self.lens.scorer,
        }
    }

    /// Looks through another scorer.
    pub fn set_scorer(&mut self, scorer: Scorer) {
        self.lens.scorer = scorer;
        self.lens.remember();
    }

    /// Looks through the same base score under another aggregator.
    pub fn set_rule(&mut self, rule: Aggregator) {
        match self.lens.scorer.base() {
            Some(base) => self.set_scorer(Scorer::WhiteBox(base, rule)),
            None => self.say_no_rule(),
        }
    }

    /// Says that the scorer has no aggregator.
    pub fn say_no_rule(&mut self) {
        let label = self.lens.scorer.label();
        self.say(format!("{label} is one number per run: only white-box scores are aggregated"));
    }

    /// Takes TER from another judge.
    pub fn set_judge(&mut self, judge: JudgeSpec) {
        self.say(format!("TER is by {}", judge.words()));
        self.lens.judge = Some(judge);
    }

    /// The light theme, or the dark one.
    pub fn switch_theme(&mut self) {
        let shade = match self.theme.shade() {
            Shade::Dark => Shade::Light,
            Shade::Light => Shade::Dark,
        };
        self.theme = Theme::new(shade, self.theme.depth());
        // Without colours the themes look alike.
        self.say(match shade {
            Shade::Dark => "the theme is dark",
            Shade::Light => "the theme is light",
        });
    }

    /// Whether something that every number depends on is on its way.
    pub fn is_waiting(&self) -> bool {
        self.data.is_waiting() || self.numbers.is_waiting()
    }

    /// Takes in what came back; says whether the store was read just now.
    pub(super) fn poll(&mut self) -> bool {
        let loaded = self.poll_data();
        self.numbers.poll();
        self.runs.poll();
        self.poll_author();
        self.poll_notes();
        self.poll_votes();
        self.poll_named();
        self.poll_costs();
        self.poll_labels();
        loaded
    }

    /// Asks for the engine under the lens, for the tasks in scope and the selected ones.
    pub(super) fn refresh(&mut self) {
        if self.engine().is_some() {
            self.refresh_engine();
            self.find_outside();
            self.refresh_chosen();
        }
    }

    /// A scorer that a flag names; a problem is added where the store has no values of it.
    pub fn find_scorer(&self, flag: &str, id: &str, problems: &mut Vec<String>) -> Option<Scorer> {
        let engine = self.engine()?;
        let found = Lens::parse_scorer(id, None).filter(|scorer| engine.has_values(scorer));
        if found.is_none() {
            problems.push(format!("--{flag}: no values of `{id}` in this store"));
        }
        found
    }

    /// Where one is, as flags name it.
    pub(super) fn location(&self) -> Location {
        let cell = self.current_cell();
        let alike = |other: &&Cell| {
            cell.is_some_and(|cell| other.dataset == cell.dataset && other.model == cell.model)
        };
        let plain = self.cells.iter().filter(alike).count() == 1
            && cell.is_some_and(|cell| cell.condition == Cell::DEFAULT_CONDITION);
        let task = self.task.filter(|id| id.cell as usize == self.cell);
        Location {
            dataset: cell.map(|cell| cell.dataset.clone()),
            model: cell.map(|cell| cell.model.clone()),
            condition: cell.map(|cell| cell.condition.clone()).filter(|_| !plain),
            task: task.and_then(|id| self.task_label(id)),
        }
    }

    /// Selects the task that a view names, in the selected cell; a problem where it is not there.
    pub(super) fn find_task(&mut self, name: &str) -> Option<String> {
        let frame = self.engine()?.frames().get(self.cell)?;
        let Some(index) = frame.tasks.iter().position(|task| task.is_named(name, frame)) else {
            return Some(format!("--task: there is no task `{name}` in {}", frame.cell));
        };
        self.task = Some(TaskId { cell: self.cell as u32, task: index as u32 });
        None
    }
}
