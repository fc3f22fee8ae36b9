//! What every screen must have, and the way from one screen to another.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};

use super::Screen;
use super::read::Reading;
use crate::engine::{PairId, TaskId};
use crate::report::OutputFormat;
use crate::scorers::Scorer;
use crate::store::ChosenBy;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::overlays::Overlay;
use crate::ui::renewal::NewIds;
use crate::ui::shared::{FileContent, RunKey, ScreenFigure, Shared};

/// Columns of a task's id in the top line.
const LONGEST_ID: usize = 32;

/// A screen: its state, and all that is done with it. Every method must be there, so that the
/// compiler names what a new screen lacks.
pub trait ScreenState: Default {
    /// The settings that flags, the remembered state and `Y` know.
    type View: clap::Args + Serialize + for<'d> Deserialize<'d> + Default + Clone + PartialEq;
    /// The places on screen that can be clicked.
    type Spot: Clone + std::fmt::Debug;
    /// What drawing found out and the next key needs: offsets, rows of a page.
    type Layout: Default + Clone + std::fmt::Debug;
    /// Where one is on the screen, beside the cell and the task: what is selected, how far it is scrolled.
    type Position: Clone + std::fmt::Debug;

    /// What the screen shows, in a few words.
    const ABOUT: &'static str;

    /// What must be there for it to show anything.
    const NEEDS: Needs;

    /// The ending of the file that `E` offers to write.
    const ENDING: &'static str;

    /// The signs that the screen draws, and what they mean: the beginning of its help.
    const LEGEND: Legend;

    /// Comes here from another screen.
    fn arrive(&mut self, target: &Target, shared: &mut Shared);

    /// Does what a key, a click or the palette asks for; passes on what is not its own.
    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go;

    /// Scrolls by one step of the wheel.
    fn wheel(&mut self, down: bool, shared: &mut Shared) -> Go;

    /// Words are typed into the search; `done` when they are final.
    fn search(&mut self, words: &str, done: bool, shared: &mut Shared);

    /// Brings lens and selection in line with what the screen can show. Called before anything is
    /// asked.
    fn adjust(&mut self, shared: &mut Shared);

    /// Takes in answers and asks for what is missing. Called after every change.
    fn refresh(&mut self, shared: &mut Shared);

    /// Another reading of the store is there: cells, tasks and draws have other numbers, and no answer holds
    /// any more.
    fn renew(&mut self, ids: &NewIds<'_>);

    /// Whether numbers are on their way, beside those that all screens share.
    fn is_waiting(&self, shared: &Shared) -> bool;

    /// Whether what is drawn answers an earlier question than the one that is asked now.
    fn is_stale(&self, shared: &Shared) -> bool;

    /// Draws the screen; changes nothing.
    fn draw(
        &self,
        shared: &Shared,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Self::Spot>,
    ) -> Self::Layout;

    /// Takes in what drawing found out.
    fn drawn(&mut self, layout: Self::Layout);

    /// A place was clicked, or the mouse dragged over it.
    fn click(&mut self, spot: &Self::Spot, dragged: bool, shared: &mut Shared) -> Go;

    /// Where one is on the screen.
    fn position(&self) -> Self::Position;

    /// Goes back to where one was. The cell and the task of then are selected already.
    fn resume(&mut self, position: &Self::Position, shared: &mut Shared);

    /// What the top line says of the screen.
    fn heading(&self, shared: &Shared) -> Heading;

    /// What `y` copies.
    fn copied(&self, shared: &Shared) -> Option<String>;

    /// What `E` writes, in a format; or why not.
    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String>;

    /// The figure of what is shown, where there is one.
    fn figure(&self, shared: &Shared) -> Option<ScreenFigure>;

    /// The settings as they are; `open` when the screen, or one that belongs to it, is the open one.
    fn view(&self, open: bool, shared: &Shared) -> Self::View;

    /// Takes up settings that need no store.
    fn restore(&mut self, view: &Self::View, shared: &mut Shared);

    /// Takes up settings that name something of the store, once it is read; returns what is not there,
    /// in words.
    fn resolve(&mut self, view: &Self::View, shared: &mut Shared) -> Vec<String>;
}

/// Signs of a screen, each with what it means.
pub type Legend = &'static [(&'static str, &'static str)];

/// What must be there for a screen to show anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing but the manifest.
    Manifest,
    /// The store, read.
    Store,
    /// A selected task.
    Task,
}

/// What comes of an action.
#[derive(Debug)]
pub enum Go {
    /// It is not this screen's: the app does it, if it can.
    Pass,
    /// It is done.
    Stay,
    /// On to another screen.
    Open(Target),
    /// Back one step; the screen there arrives with this target.
    Back(Option<Target>),
    /// Something over the screen.
    Show(Overlay),
}

/// Where to, and with what.
#[derive(Debug)]
pub enum Target {
    /// A screen as it was left.
    Screen(Screen),
    /// The tasks of the selected cell.
    Tasks,
    /// A task, wherever it is, with its reference beside this draw, or beside the usual one.
    Task(TaskId, Option<u32>),
    /// The selected task with words that were searched for, and with the draw that holds them where the
    /// usual ones do not.
    Found(TaskId, Option<u32>, String),
    /// Two draws of the selected task, the second one at an action, counted from 0.
    Fork(TaskId, [u32; 2], usize),
    /// A task with two runs side by side, which may be of two cells.
    Runs(TaskId, [RunKey; 2]),
    /// A task at a turn of the draw that counts, counted from 0.
    Turn(TaskId, u32),
    /// A marked task, whose neighbours are the marked ones.
    Marked(TaskId),
    /// A pair to vote on, and how it was chosen.
    Pair(PairId, ChosenBy),
    /// A text to read.
    Read(Box<Reading>),
    /// A pane of the comparison that one comes from.
    Pane(usize),
}

/// What the top line says of a screen.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// Where one is, after the store and the screen.
    pub crumbs: Vec<String>,
    /// The whole id of the task that it shows, which stands among the crumbs in short.
    pub task: Option<String>,
    /// The one cell that its numbers are of; none for all.
    pub cell: Option<usize>,
    /// The cells that its numbers are of, where they are neither one nor all.
    pub cells: Vec<usize>,
    /// Its numbers are of the whole store, whatever the scope and the selection.
    pub unfiltered: bool,
    /// How many marked rows the list has; what is written is theirs alone.
    pub marked: usize,
    /// Which of the marked tasks it shows, and how many there are.
    pub through_marks: Option<(usize, usize)>,
    /// The scorer that differences are shown to.
    pub pinned: Option<Scorer>,
    /// Numbers play no part in it, so their keys are not in its footer.
    pub plain: bool,
    /// Keys of the screen that do nothing on its open page, by name; they are not in its footer.
    pub absent: &'static [&'static str],
}

impl Heading {
    /// Of a screen that shows the selected task.
    pub(super) fn of_task(shared: &Shared) -> Self {
        let index = shared.task.map_or(shared.cell, |id| id.cell as usize);
        let cell = shared.cells.get(index).map(|cell| visible(&cell.to_string()).into_owned());
        let task = shared.task.map(|id| format!("task {}", shared.short_id(id, LONGEST_ID)));
        let crumbs = cell.into_iter().chain(task).collect();
        let task = shared.task.and_then(|id| shared.task_of(id));
        let task = task.map(|task| visible(&task.id).into_owned());
        Self { crumbs, task, cell: Some(index), ..Self::default() }
    }
}

impl Target {
    /// The screen that it opens.
    pub(in crate::ui) fn screen(&self) -> Option<Screen> {
        match self {
            Self::Screen(screen) => Some(*screen),
            Self::Tasks => Some(Screen::Tasks),
            Self::Task(..)
            | Self::Found(..)
            | Self::Fork(..)
            | Self::Runs(..)
            | Self::Turn(..)
            | Self::Marked(_) => Some(Screen::Compare),
            Self::Pair(..) => Some(Screen::Triage),
            Self::Read(_) => Some(Screen::Read),
            Self::Pane(_) => None,
        }
    }
}

/// The settings of a screen that has none.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[group(skip)]
pub struct NoView {}
