//! Stuck policies: agreement by outcome, the tasks that repeat a failing plan, and their effect on
//! the numbers.

mod draw;
mod drill;
mod group;
mod legend;
mod query;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, ScreenState, Target};
use crate::engine::{PairOutcome, Scope};
use crate::report::figure::FigureKind;
use crate::report::{OutputFormat, TableKind, TableRequest};
use crate::scorers::Formula;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::query::Slot;
use crate::ui::renewal::NewIds;
use crate::ui::selection::Rows;
use crate::ui::shared::{FileContent, ScreenFigure, Shared, Together};
use crate::ui::view::{Named, named, one_of};
pub use group::Group;
pub use query::{GroupValue, StuckAnswer, StuckQuery};

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Stuck {
    /// Which cells are looked at together.
    pub scope: Together,
    /// The pane that has the keys.
    pub pane: Pane,
    /// The selected scorer of the table.
    pub row: usize,
    /// The selected group of the table, an index into [`Group::ALL`].
    pub column: usize,
    /// The selected task of the list.
    pub index: usize,
    offset: usize,
    page: usize,
    numbers: Slot<StuckQuery>,
}

/// The panes of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// Agreement by outcome.
    #[default]
    Table,
    /// The ranked tasks.
    List,
}

/// Where one is: the cells that are looked at, the pane, the selected rows, the first task on screen.
#[derive(Clone, Debug)]
pub struct Position {
    scope: Together,
    pane: Pane,
    /// Row and column of the table.
    number: (usize, usize),
    index: usize,
    offset: usize,
}

/// What can be clicked.
#[derive(Clone, Debug)]
pub enum Spot {
    /// A number of the table, by row and column.
    Cell(usize, usize),
    /// A task of the list.
    Task(usize),
}

/// What drawing found out.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The first task on screen; none when no list is drawn.
    offset: Option<usize>,
    /// Rows of the list.
    page: usize,
}

/// The settings of the screen.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct StuckView {
    /// Which cells Stuck looks at together
    #[arg(long, alias = "scope", value_parser = one_of::<Together>(), ignore_case = true)]
    #[serde(alias = "scope", with = "named", skip_serializing_if = "Option::is_none")]
    pub cells: Option<Together>,
}

/// The consistency scorers, which are the rows of the table.
pub fn scorers(shared: &Shared) -> Vec<String> {
    shared.engine().map(|engine| engine.consistency_ids()).unwrap_or_default()
}

impl Stuck {
    /// The cells that are looked at together.
    pub fn cells(&self, shared: &Shared) -> Scope {
        self.scope.cells(shared)
    }

    /// The numbers, once they answer what is looked at; new votes may still be counted.
    pub fn numbers(&self, shared: &Shared) -> Option<&StuckAnswer> {
        let question = self.numbers.question()?;
        let current = question.scope == self.cells(shared)
            && question.metric == shared.lens.metric
            && question.blind == shared.blind()
            && shared.is_of_scope(&question.tasks.key);
        self.numbers.get().filter(|_| current).map(AsRef::as_ref)
    }

    /// The newest numbers, which stay on screen until others come.
    pub(super) fn shown(&self, shared: &Shared) -> Option<&StuckAnswer> {
        // What was listed before a pair was opened is held back now.
        let is_blind = self.numbers.question().is_some_and(|question| question.blind.is_some());
        let may_show = is_blind || shared.blind().is_none();
        self.numbers.get().filter(|_| may_show).map(AsRef::as_ref)
    }

    fn select_first(&mut self) {
        (self.index, self.offset) = (0, 0);
    }

    /// Moves the selection; says whether the key moves.
    fn step(&mut self, action: &Action, shared: &Shared) -> bool {
        // Half pages are those of the list, whichever pane has the keys.
        let half_page = matches!(action, Action::HalfPageDown | Action::HalfPageUp);
        let of_table = self.pane == Pane::Table && !half_page;
        let count = if of_table {
            scorers(shared).len()
        } else {
            self.numbers(shared).map_or(0, |numbers| numbers.list.len())
        };
        let selected = if of_table { &mut self.row } else { &mut self.index };
        let next = Rows { count, page: self.page }.step(action, *selected);
        *selected = next.unwrap_or(*selected);
        next.is_some()
    }

    /// What `y` copies: the selected number or task, as the row of its table.
    fn selected_row(&self, shared: &Shared) -> Option<TableRequest> {
        let numbers = self.numbers(shared)?;
        if self.pane == Pane::List {
            let task = numbers.list.get(self.index)?.clone();
            let pattern = numbers.patterns.get(self.index).cloned().flatten();
            return Some(TableRequest::Unsolved(vec![(task, pattern)]));
        }
        let scorers = scorers(shared);
        numbers.row(scorers.get(self.row)?, Group::ALL[self.column])
    }
}

impl ScreenState for Stuck {
    type View = StuckView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = Position;

    const ABOUT: &'static str = "Stuck: consistent because right, or because stuck";
    const NEEDS: Needs = Needs::Store;
    const ENDING: &'static str = "svg";
    const LEGEND: Legend = legend::LEGEND;

    fn arrive(&mut self, _: &Target, _: &mut Shared) {}

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => return self.drill(shared),
            Action::NextPane | Action::PreviousPane => {
                self.pane = if self.pane == Pane::Table { Pane::List } else { Pane::Table };
            }
            Action::Scope => {
                self.scope = self.scope.next();
                self.select_first();
            }
            Action::PreviousChoice | Action::NextChoice => {
                shared.step_cell(*action == Action::NextChoice);
                self.select_first();
            }
            Action::Left => self.column = self.column.saturating_sub(1),
            Action::Right => self.column = (self.column + 1).min(Group::ALL.len() - 1),
            _ if self.step(action, shared) => {}
            _ => return Go::Pass,
        }
        Go::Stay
    }

    fn wheel(&mut self, down: bool, shared: &mut Shared) -> Go {
        self.update(if down { &Action::Down } else { &Action::Up }, shared)
    }

    fn search(&mut self, _: &str, _: bool, _: &mut Shared) {}

    fn adjust(&mut self, _: &mut Shared) {}

    fn refresh(&mut self, shared: &mut Shared) {
        if self.numbers.poll()
            && let Some(numbers) = self.numbers.get()
        {
            self.index = self.index.min(numbers.list.len().saturating_sub(1));
        }
        let Some(tasks) = shared.kept().cloned() else { return };
        let (scope, metric) = (self.cells(shared), shared.lens.metric);
        let blind = shared.blind();
        self.numbers.want(StuckQuery { tasks, scope, metric, blind }, &mut shared.effects);
    }

    fn renew(&mut self, _: &NewIds<'_>) {
        self.numbers = Slot::default();
    }

    fn is_waiting(&self, _: &Shared) -> bool {
        self.numbers.is_waiting()
    }

    fn is_stale(&self, shared: &Shared) -> bool {
        self.numbers.get().is_some()
            && (self.numbers.is_stale()
                || self.numbers(shared).is_none()
                || shared.data.is_changing())
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
        self.offset = layout.offset.unwrap_or(self.offset);
        self.page = layout.page;
    }

    fn click(&mut self, spot: &Spot, dragged: bool, shared: &mut Shared) -> Go {
        if dragged {
            return Go::Stay;
        }
        let before = (self.pane, self.row, self.column, self.index);
        match *spot {
            Spot::Cell(row, column) => {
                (self.pane, self.row, self.column) = (Pane::Table, row, column);
            }
            Spot::Task(index) => (self.pane, self.index) = (Pane::List, index),
        }
        let again = before == (self.pane, self.row, self.column, self.index);
        if again { self.drill(shared) } else { Go::Stay }
    }

    fn position(&self) -> Position {
        let Self { scope, pane, row, column, index, offset, .. } = *self;
        Position { scope, pane, number: (row, column), index, offset }
    }

    fn resume(&mut self, position: &Position, _: &mut Shared) {
        let Position { scope, pane, number, index, offset } = *position;
        (self.scope, self.pane, self.index, self.offset) = (scope, pane, index, offset);
        (self.row, self.column) = number;
    }

    fn heading(&self, shared: &Shared) -> Heading {
        Heading {
            crumbs: vec![self.scope.words(shared)],
            cell: self.scope.only_cell(shared),
            cells: shared.cells_of(&self.cells(shared)),
            ..Heading::default()
        }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        shared.table_row(&self.selected_row(shared)?)
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        if self.pane == Pane::List && shared.is_voting {
            let numbers = self.numbers(shared).ok_or("the tasks are still being looked for")?;
            let patterns = numbers.patterns.iter().cloned().chain(std::iter::repeat(None));
            let list = numbers.list.iter().cloned().zip(patterns).collect();
            return shared.whole_table_content(TableRequest::Unsolved(list), format);
        }
        let kind = match Group::ALL[self.column] {
            _ if self.pane == Pane::List => TableKind::Stuck,
            Group::Pairs(_) => TableKind::StuckPairs,
            Group::Tasks(_) => TableKind::StuckTasks,
        };
        shared.table_content(kind, format)
    }

    fn figure(&self, shared: &Shared) -> Option<ScreenFigure> {
        let mut figure = ScreenFigure::new(FigureKind::Stuck, shared);
        figure.cells = self.cells(shared);
        Some(figure)
    }

    fn view(&self, _: bool, _: &Shared) -> StuckView {
        StuckView { cells: Some(self.scope).filter(|scope| *scope != Together::default()) }
    }

    fn restore(&mut self, view: &StuckView, _: &mut Shared) {
        self.scope = view.cells.unwrap_or(self.scope);
    }

    fn resolve(&mut self, _: &StuckView, shared: &mut Shared) -> Vec<String> {
        // The first question to this screen: how far failures agree, by a judge.
        let judge = Formula::Equivalence.id();
        let judged = scorers(shared).iter().position(|scorer| scorer == judge);
        let failures = Group::Pairs(PairOutcome::BothFail);
        let column = Group::ALL.iter().position(|group| *group == failures);
        (self.row, self.column) = (judged.unwrap_or(0), column.unwrap_or(0));
        Vec::new()
    }
}
