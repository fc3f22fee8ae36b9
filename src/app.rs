//! The explorer's state and how it changes. No terminal in here: keys come in as [`Action`]s
//! through one table, [`App::update`] changes the state, views draw from `&App`. What takes time is
//! asked for as an [`Effect`] and comes back through [`App::receive`].

mod action;
mod aggregators;
mod cells;
mod compare;
pub mod config;
mod copy;
mod data;
mod grid;
mod input;
pub mod jobs;
mod judges;
pub mod keymap;
mod layout;
mod lens;
mod navigate;
mod note;
mod picker;
mod prompt;
mod reader;
mod receive;
mod refresh;
mod restore;
mod stuck;
mod tasks;
mod view;

use std::path::PathBuf;

use crate::engine::TaskId;
use crate::model::Cell;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::store::{CellSummary, Store};
use crate::theme::{Shade, Theme};
pub use action::{Action, Preset, Screen};
pub use aggregators::{Aggregators, Pane};
pub use compare::{
    Block, BlockKey, Blocks, Compare, Comparison, Cursor, Detail, Ink, LaidOut, PaneSpec, Section,
    TokenLine, reward_parts,
};
pub use config::Config;
pub use data::{Data, Found, Load, Numbers, Runs};
pub use grid::{Grid, Row, Show, chance};
pub use input::Input;
use jobs::{Reply, Request};
pub use judges::{COUNTS, JudgePane, Judges, Triaging};
use keymap::Keymap;
pub use layout::{Hit, Layout, scrolled};
pub use lens::{Lens, same_kind};
pub use note::{About, NoteEditor};
pub use picker::{Choice, Picker, distance};
pub use prompt::{Ask, Prompt};
pub use reader::{Reader, Source};
pub use stuck::{Group, ScopeKind, Stuck, StuckPane};
pub use tasks::Tasks;
pub use view::View;

/// What lies over the screen; the last one has the keys.
#[derive(Debug)]
pub enum Overlay {
    /// The list of keys, from this line on.
    Help(usize),
    /// A line in which something is typed.
    Prompt(Box<Prompt>),
    /// A list to choose from.
    Picker(Box<Picker>),
    /// A note that is being written.
    Note(Box<NoteEditor>),
}

/// What the app wants done.
#[derive(Debug)]
pub enum Effect {
    /// A job.
    Job(Box<Request>),
    /// Put this on the clipboard.
    Copy(String),
    /// Write a picture of the screen to a file, in the format of its ending.
    Picture(PathBuf),
    /// Forget what is on screen and draw it anew.
    Redraw,
}

/// The explorer.
#[derive(Debug)]
pub struct App {
    /// The store's name.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// The data is made up.
    pub synthetic: bool,
    /// What the store holds.
    pub summaries: Vec<CellSummary>,
    /// The cells with runs: the columns of grids.
    pub columns: Vec<Cell>,
    /// Colours by role.
    pub theme: Theme,
    /// The keys.
    pub keymap: Keymap,
    /// The open screen.
    pub screen: Screen,
    /// The screens to go back to.
    pub back: Vec<Screen>,
    /// Through what everything is looked at.
    pub lens: Lens,
    /// The selected cell, a place in `columns`.
    pub cell: usize,
    /// A selected cell without runs, a place in `summaries`.
    pub empty_cell: Option<usize>,
    /// Words that shown cells must hold.
    pub cell_search: String,
    /// The selected task.
    pub task: Option<TaskId>,
    /// The grid.
    pub grid: Grid,
    /// The table of tasks.
    pub tasks: Tasks,
    /// The open runs.
    pub compare: Compare,
    /// Stuck policies.
    pub stuck: Stuck,
    /// Judges.
    pub judges: Judges,
    /// The text that is read whole.
    pub reader: Option<Reader>,
    /// A note that was left before it was saved, or could not be.
    pub draft: Option<(About, String)>,
    /// It was said that a note would be lost.
    warned: bool,
    /// The list that something was opened from, and its screen: Esc goes back to it.
    listed: Option<(Screen, Box<Picker>)>,
    /// Who writes notes.
    pub author: String,
    /// The aggregators.
    pub aggregators: Aggregators,
    /// What came back from jobs.
    pub data: Data,
    /// What lies over the screen.
    pub overlays: Vec<Overlay>,
    /// Something to say until the next key.
    pub notice: Option<String>,
    /// What drawing told.
    pub layout: Layout,
    /// The user has left.
    pub done: bool,
    /// What the view named and the store does not hold, in words.
    pub problems: Vec<String>,
    /// A view whose task is not found yet.
    wanted: Option<View>,
    /// Scorers of lens and pin that the store does not list, and of which ones that was found out.
    outside: Vec<Scorer>,
    outside_of: Vec<Scorer>,
    effects: Vec<Effect>,
}

impl App {
    /// The explorer of a store, as it opens.
    pub fn new(store: &Store, view: View, config: &Config, theme: Theme) -> Self {
        let manifest = store.manifest();
        let columns = manifest.cells.iter().filter(|own| own.trajectories > 0);
        let mut app = Self {
            name: store.name(),
            path: store.path().to_owned(),
            synthetic: manifest.synthetic,
            columns: columns.map(|own| own.cell.clone()).collect(),
            summaries: manifest.cells.clone(),
            theme,
            keymap: config.keymap.clone(),
            screen: Screen::Grid,
            back: Vec::new(),
            lens: Lens::default(),
            cell: 0,
            empty_cell: None,
            cell_search: String::new(),
            task: None,
            grid: Grid::default(),
            tasks: Tasks::default(),
            compare: Compare::default(),
            stuck: Stuck::default(),
            judges: Judges::default(),
            reader: None,
            draft: None,
            warned: false,
            listed: None,
            author: config.author.clone().unwrap_or_else(|| "unknown".to_owned()),
            aggregators: Aggregators::default(),
            data: Data::default(),
            overlays: Vec::new(),
            notice: None,
            layout: Layout::default(),
            done: false,
            problems: Vec::new(),
            wanted: None,
            outside: Vec::new(),
            outside_of: Vec::new(),
            effects: Vec::new(),
        };
        app.apply_view(config.lens.clone());
        app.apply_view(view);
        app
    }

    /// The first jobs.
    pub fn start(&mut self) -> Vec<Effect> {
        self.ask(Request::Load);
        self.take_effects()
    }

    fn ask(&mut self, request: Request) {
        self.effects.push(Effect::Job(Box::new(request)));
    }

    fn take_effects(&mut self) -> Vec<Effect> {
        self.refresh();
        std::mem::take(&mut self.effects)
    }

    /// What drawing has to tell: places on screen, how far it was scrolled.
    pub fn drawn(&mut self, layout: Layout) {
        self.grid.offset = layout.grid.unwrap_or(self.grid.offset);
        self.tasks.offset = layout.tasks.unwrap_or(self.tasks.offset);
        self.aggregators.offset = layout.aggregators.unwrap_or(self.aggregators.offset);
        self.stuck.offset = layout.stuck.unwrap_or(self.stuck.offset);
        self.judges.offset = layout.judges.unwrap_or(self.judges.offset);
        self.layout = layout;
    }

    /// An event came in.
    pub fn handle(&mut self, input: &Input) -> Vec<Effect> {
        if input.is_wish() {
            self.notice = None;
        }
        self.input(input);
        self.take_effects()
    }

    /// Carries out an action, as a key would.
    pub fn act(&mut self, action: &Action) -> Vec<Effect> {
        self.update(action);
        self.take_effects()
    }

    fn update(&mut self, action: &Action) {
        match action {
            Action::Quit if self.draft.is_some() && !self.warned => {
                self.warned = true;
                self.say("a note is not saved: c goes on with it, quitting again leaves it");
            }
            Action::Quit => self.done = true,
            Action::Help => self.overlays.push(Overlay::Help(0)),
            Action::Palette => self.pick(Self::palette),
            Action::ChooseScorer => self.pick(Self::scorer_picker),
            Action::ChooseSort => self.pick(Self::sort_picker),
            Action::ChooseColumns => self.pick(Self::column_picker),
            Action::ChoosePane => self.pick(Self::pane_picker),
            Action::SetPane(key) => self.set_pane(*key),
            Action::Note => self.write_note(),
            Action::OpenTask(id) => self.open_task_at(*id, None),
            Action::OpenPair(pair) => self.open_task_at(pair.id, Some(pair.draw)),
            Action::NextJudge => self.next_judge(),
            Action::NextTreatment => self.next_treatment(),
            Action::Redraw => self.effects.push(Effect::Redraw),
            Action::Back => self.go_back(),
            Action::Open(screen) => self.open(*screen),
            Action::Drill => self.drill(),
            Action::Copy => self.copy(),
            Action::CopyCommand => self.copy_command(),
            Action::Export => self.ask_export(),
            Action::SwitchTheme => self.switch_theme(),
            Action::NextAggregator | Action::PreviousAggregator => {
                match self.lens.stepped_rule(*action == Action::NextAggregator) {
                    Some(rule) => self.set_rule(rule),
                    None => self.say_no_rule(),
                }
            }
            Action::More | Action::Less => match self.lens.slid(*action == Action::More) {
                Some(rule) => self.set_rule(rule),
                None => self.say("only softmin and window have a setting: press a until one is on"),
            },
            Action::SetAggregator(rule) => self.set_rule(*rule),
            Action::SetScorer(scorer) => self.set_scorer(scorer.clone()),
            Action::NextMetric | Action::PreviousMetric => self.step_metric(action),
            Action::SetMetric(metric) => self.lens.metric = *metric,
            Action::NextShow => self.grid.show = self.grid.show.next(),
            Action::EditFilter => self.edit_filter(),
            Action::SetFilter(filter) => self.set_filter(filter),
            Action::Preset(preset) => {
                let filter = preset.filter();
                self.set_filter(if self.lens.filter == filter { "" } else { filter });
            }
            Action::SetCell(cell) => self.select_cell(*cell),
            other => self.update_screen(other),
        }
    }

    fn update_screen(&mut self, action: &Action) {
        match self.screen {
            Screen::Cells if *action == Action::Search => {
                self.push_search(&self.cell_search.clone());
            }
            Screen::Cells => self.update_cells(action),
            Screen::Grid => self.update_grid(action),
            Screen::Tasks => self.update_tasks(action),
            Screen::Compare => self.update_compare(action),
            Screen::Aggregators => self.update_aggregators(action),
            Screen::Read => self.update_reader(action),
            Screen::Stuck => self.update_stuck(action),
            Screen::Judges => self.update_judges(action),
            Screen::Triage => self.update_triage(action),
        }
    }

    fn say(&mut self, notice: impl Into<String>) {
        self.notice = Some(notice.into());
    }

    fn pick(&mut self, picker: fn(&Self) -> Picker) {
        let picker = picker(self);
        self.overlays.push(Overlay::Picker(Box::new(picker)));
    }

    fn switch_theme(&mut self) {
        let shade = match self.theme.shade() {
            Shade::Dark => Shade::Light,
            Shade::Light => Shade::Dark,
        };
        self.theme = Theme::new(shade, self.theme.depth());
    }

    fn step_metric(&mut self, action: &Action) {
        let all = crate::metrics::Metric::ALL;
        let place = all.iter().position(|own| *own == self.lens.metric).unwrap_or(0);
        let step = if *action == Action::NextMetric { 1 } else { all.len() - 1 };
        self.lens.metric = all[(place + step) % all.len()];
    }

    fn set_rule(&mut self, rule: Aggregator) {
        match self.lens.scorer.base() {
            Some(base) => self.set_scorer(Scorer::WhiteBox(base, rule)),
            None => self.say_no_rule(),
        }
    }

    fn say_no_rule(&mut self) {
        let label = self.lens.scorer.label();
        self.say(format!("{label} is one number a run: only white-box scores are aggregated"));
    }

    fn set_scorer(&mut self, scorer: Scorer) {
        self.grid.on_family = None;
        // A folded family would hide what was chosen.
        self.grid.folded.remove(&scorer.family());
        self.lens.scorer = scorer;
        self.lens.remember();
        self.keep_rule();
    }

    /// The aggregators are those of a base score: another lens makes way where there is one.
    fn keep_rule(&mut self) {
        if self.screen != Screen::Aggregators || self.lens.scorer.base().is_some() {
            return;
        }
        let Some(engine) = self.data.engine() else { return };
        let bases = [self.lens.base()].into_iter().chain(Base::ALL);
        let mut scorers = bases.map(|base| Scorer::WhiteBox(base, Aggregator::Min));
        if let Some(scorer) = scorers.find(|own| engine.has_values(own)) {
            self.lens.scorer = scorer;
        }
    }

    /// The answer of a job.
    pub fn receive(&mut self, reply: Reply) -> Vec<Effect> {
        self.take(reply);
        self.take_effects()
    }
}
