//! Two cells on the tasks they share: is the second better, and is that more than noise?

mod draw;
mod drill;
mod legend;
mod query;
mod rows;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, ScreenState, Target};
use crate::engine::{Change, Kept, TaskId, pair_cells};
use crate::model::Cell;
use crate::report::figure::FigureKind;
use crate::report::{ChangedTask, OutputFormat, TableRequest};
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::overlays::{Choice, Overlay, Picker};
use crate::ui::query::Slot;
use crate::ui::renewal::NewIds;
use crate::ui::selection::Rows;
use crate::ui::shared::{FileContent, ScreenFigure, Shared};
pub use query::{ListedTask, VersusAnswer, VersusQuery};

/// The state of the screen. The first cell is the selected one.
#[derive(Debug, Default)]
pub struct Versus {
    /// The second cell, where it was chosen.
    pub other: Option<usize>,
    /// The pane that has the keys.
    pub pane: Pane,
    /// The selected row of the numbers.
    pub row: usize,
    /// The list that is shown, an index into [`Change::LISTED`].
    pub list: usize,
    /// The selected task of the list.
    pub index: usize,
    /// The list was chosen; until then it is the first one with tasks.
    is_list_chosen: bool,
    offset: usize,
    page: usize,
    numbers: Slot<VersusQuery>,
    /// The tasks of the lists that are selected.
    lists: Lists,
}

/// The panes of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The numbers of both cells.
    Numbers,
    /// The tasks that changed.
    #[default]
    List,
}

/// The selected tasks among those that changed, and what they were selected from.
#[derive(Debug, Default)]
struct Lists {
    of: Option<(Arc<VersusAnswer>, Arc<Kept>)>,
    tasks: [Vec<ListedTask>; 3],
}

/// Where one is: the second cell, the pane, the list, what is selected in both, the first task on screen.
#[derive(Clone, Debug)]
pub struct Position {
    other: Option<usize>,
    pane: Pane,
    list: usize,
    selected: (usize, usize),
    offset: usize,
}

/// What can be clicked.
#[derive(Clone, Debug)]
pub enum Spot {
    /// A row of the numbers.
    Row(usize),
    /// The name of a list.
    List(usize),
    /// A task of the list.
    Task(usize),
}

/// What drawing found out.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The first task on screen; none when no list is drawn.
    offset: Option<usize>,
    /// Rows of the pane that has the keys.
    page: usize,
}

/// The settings of the screen.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct VersusView {
    /// The cell that Versus compares with the selected one: DATASET/MODEL/CONDITION, or the part of it
    /// that differs
    #[arg(long, value_name = "CELL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate: Option<String>,
}

/// The whole name of a cell, in flags.
fn full_name(cell: &Cell) -> String {
    format!("{}/{}/{}", cell.dataset, cell.model, cell.condition)
}

impl Versus {
    /// The first cell and the second; none where there is only one.
    pub fn pair(&self, shared: &Shared) -> Option<[usize; 2]> {
        let first = shared.cell;
        let others = Self::others(shared);
        let chosen = self.other.filter(|other| *other != first && *other < shared.cells.len());
        let next = others.iter().find(|other| **other > first).or(others.first());
        Some([first, chosen.or(next.copied())?])
    }

    /// The cells that `<` and `>` go through: the others of the first one's dataset, else all others.
    fn others(shared: &Shared) -> Vec<usize> {
        let all = || (0..shared.cells.len()).filter(|cell| *cell != shared.cell);
        let dataset = |cell: usize| shared.cells.get(cell).map(|cell| &cell.dataset);
        let same: Vec<usize> =
            all().filter(|cell| dataset(*cell) == dataset(shared.cell)).collect();
        if same.is_empty() { all().collect() } else { same }
    }

    /// The numbers, if they answer what is looked at; new votes may still be counted.
    pub fn numbers(&self, shared: &Shared) -> Option<&Arc<VersusAnswer>> {
        let question = self.numbers.question()?;
        let current = Some(question.pair) == self.pair(shared)
            && question.metric == shared.lens.metric
            && question.blind == shared.blind()
            && shared.is_of_scope(&question.tasks.key);
        self.numbers.get().filter(|_| current)
    }

    /// The newest numbers of these cells, which stay on screen until others come.
    fn shown(&self, shared: &Shared) -> Option<&Arc<VersusAnswer>> {
        let question = self.numbers.question()?;
        let may_show = question.blind.is_some() || shared.blind().is_none();
        let of_these = Some(question.pair) == self.pair(shared);
        self.numbers.get().filter(|_| may_show && of_these)
    }

    /// The list that is shown.
    fn change(&self) -> Change {
        Change::LISTED[self.list]
    }

    /// The tasks of the list that is shown.
    pub fn listed(&self) -> &[ListedTask] {
        &self.lists.tasks[self.list]
    }

    fn select_first(&mut self) {
        (self.index, self.offset) = (0, 0);
    }

    fn step_other(&mut self, forwards: bool, shared: &mut Shared) {
        let others = Self::others(shared);
        let Some([_, second]) = self.pair(shared) else {
            shared.say("there is no other cell");
            return;
        };
        let index = others.iter().position(|cell| *cell == second);
        let step = if forwards { 1 } else { others.len() - 1 };
        let next = index.map_or(0, |index| (index + step) % others.len());
        if others[next] == second {
            shared.say("there is no further cell; o lists those of other datasets");
        }
        self.other = Some(others[next]);
        self.select_first();
    }

    /// The list of cells to compare with.
    fn picker(&self, shared: &Shared) -> Picker {
        let cells = || (0..shared.cells.len()).filter(|cell| *cell != shared.cell);
        let choice = |cell: usize| {
            let same = shared.cells[cell].dataset == shared.cells[shared.cell].dataset;
            Choice {
                name: visible(&shared.cells[cell].to_string()).into_owned(),
                hint: if same { String::new() } else { "another dataset".to_owned() },
                action: Action::SetOther(cell),
            }
        };
        let mut picker = Picker::new("Compare with", cells().map(choice).collect());
        let second = self.pair(shared).map(|[_, second]| second);
        picker.marked = cells().position(|cell| Some(cell) == second).unwrap_or(0);
        picker
    }

    fn swap(&mut self, shared: &mut Shared) {
        let Some([first, second]) = self.pair(shared) else {
            shared.say("there is no other cell to swap with");
            return;
        };
        shared.select_cell(second);
        self.other = Some(first);
        self.select_first();
    }

    /// Moves the selection; says whether the key moves.
    fn step(&mut self, action: &Action, shared: &Shared) -> bool {
        let in_list = self.pane == Pane::List;
        let count = if in_list { self.listed().len() } else { self.rows(shared).len() };
        let selected = if in_list { &mut self.index } else { &mut self.row };
        let next = Rows { count, page: self.page }.step(action, *selected);
        *selected = next.unwrap_or(*selected);
        next.is_some()
    }

    fn show_list(&mut self, list: usize) {
        self.is_list_chosen = true;
        if list != self.list {
            self.list = list;
            self.select_first();
        }
    }

    /// Keeps the selected tasks among those that changed: one that is selected in either cell.
    fn refresh_lists(&mut self, shared: &Shared) {
        let (Some(answer), Some(selected)) = (self.shown(shared).cloned(), shared.selected())
        else {
            return;
        };
        let selected = selected.value.clone();
        if let Some((known, before)) = &self.lists.of
            && Arc::ptr_eq(known, &answer)
            && Arc::ptr_eq(before, &selected)
        {
            return;
        }
        let is_selected = |id: &TaskId| {
            selected.of(id.cell as usize).is_none_or(|tasks| tasks.binary_search(&id.task).is_ok())
        };
        let listed = |tasks: &Vec<ListedTask>| -> Vec<ListedTask> {
            tasks.iter().filter(|task| task.ids.iter().any(is_selected)).copied().collect()
        };
        self.lists =
            Lists { tasks: answer.lists.each_ref().map(listed), of: Some((answer, selected)) };
        if !self.is_list_chosen {
            self.list = self.lists.tasks.iter().position(|tasks| !tasks.is_empty()).unwrap_or(0);
        }
        self.index = self.index.min(self.listed().len().saturating_sub(1));
    }

    /// Tasks of lists as a table has them.
    fn as_table(&self, tasks: &[(Change, ListedTask)], shared: &Shared) -> Option<TableRequest> {
        let cells = self.pair(shared)?.map(|cell| shared.cells[cell].clone());
        let row = |(change, task): &(Change, ListedTask)| {
            let id = shared.task_of(task.ids[0])?.id.clone();
            Some(ChangedTask { change: *change, task: id, repeats: task.repeats })
        };
        Some(TableRequest::ChangedTasks(cells, tasks.iter().filter_map(row).collect()))
    }
}

impl ScreenState for Versus {
    type View = VersusView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = Position;

    const ABOUT: &'static str = "Versus: two cells on the tasks they share";
    const NEEDS: Needs = Needs::Store;
    const ENDING: &'static str = "svg";
    const LEGEND: Legend = legend::LEGEND;

    fn arrive(&mut self, _: &Target, _: &mut Shared) {}

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => return self.drill(shared),
            Action::NextPane | Action::PreviousPane => {
                self.pane = if self.pane == Pane::Numbers { Pane::List } else { Pane::Numbers };
            }
            Action::Choose if shared.cells.len() > 1 => {
                return Go::Show(Overlay::picker(self.picker(shared)));
            }
            Action::Choose => shared.say("there is no other cell to compare with"),
            Action::SetOther(cell) => {
                self.other = Some(*cell);
                self.select_first();
            }
            Action::NextChoice | Action::PreviousChoice => {
                self.step_other(*action == Action::NextChoice, shared);
            }
            Action::SwapPane => self.swap(shared),
            Action::Left => self.show_list(self.list.saturating_sub(1)),
            Action::Right => self.show_list((self.list + 1).min(Change::LISTED.len() - 1)),
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
        self.numbers.poll();
        self.refresh_lists(shared);
        let (Some(tasks), Some(pair)) = (shared.kept().cloned(), self.pair(shared)) else { return };
        let (metric, blind) = (shared.lens.metric, shared.blind());
        self.numbers.want(VersusQuery { tasks, pair, metric, blind }, &mut shared.effects);
    }

    fn renew(&mut self, ids: &NewIds<'_>) {
        self.numbers = Slot::default();
        self.lists = Lists::default();
        self.other = self.other.and_then(|cell| ids.cell(cell));
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
        let before = (self.pane, self.row, self.list, self.index);
        match *spot {
            Spot::Row(row) => (self.pane, self.row) = (Pane::Numbers, row),
            Spot::List(list) => {
                self.pane = Pane::List;
                self.show_list(list);
                return Go::Stay;
            }
            Spot::Task(index) => (self.pane, self.index) = (Pane::List, index),
        }
        let again = before == (self.pane, self.row, self.list, self.index);
        if again { self.drill(shared) } else { Go::Stay }
    }

    fn position(&self) -> Position {
        let Self { other, pane, list, row, index, offset, .. } = *self;
        Position { other, pane, list, selected: (row, index), offset }
    }

    fn resume(&mut self, position: &Position, _: &mut Shared) {
        let Position { other, pane, list, selected, offset } = *position;
        (self.other, self.pane, self.list, self.offset) = (other, pane, list, offset);
        (self.row, self.index) = selected;
        self.is_list_chosen = true;
    }

    fn heading(&self, shared: &Shared) -> Heading {
        let pair = self.pair(shared);
        let name = |cell: usize| visible(&shared.cells[cell].to_string()).into_owned();
        let crumb = pair.map(|[first, second]| format!("{} → {}", name(first), name(second)));
        Heading {
            crumbs: crumb.into_iter().collect(),
            cells: pair.map_or(Vec::new(), |pair| pair.to_vec()),
            ..Heading::default()
        }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        if self.pane == Pane::Numbers {
            return self.numbers(shared)?.one.versus.verdict();
        }
        let task = *self.listed().get(self.index)?;
        shared.table_row(&self.as_table(&[(self.change(), task)], shared)?)
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        let pair = self.pair(shared).ok_or("there is no other cell to compare with")?;
        if self.pane == Pane::Numbers {
            return shared.table_content(TableRequest::Versus(vec![pair]), format);
        }
        let lists = Change::LISTED.into_iter().zip(&self.lists.tasks);
        let tasks = lists.flat_map(|(change, tasks)| tasks.iter().map(move |task| (change, *task)));
        let tasks: Vec<(Change, ListedTask)> = tasks.collect();
        let request = self.as_table(&tasks, shared).ok_or("the cells are still being compared")?;
        shared.whole_table_content(request, format)
    }

    fn figure(&self, shared: &Shared) -> Option<ScreenFigure> {
        let mut figure = ScreenFigure::new(FigureKind::Versus, shared);
        figure.options.pairs = Some(vec![self.pair(shared)?]);
        figure.options.scorers = vec![shared.lens.scorer.clone()];
        Some(figure)
    }

    fn view(&self, _: bool, shared: &Shared) -> VersusView {
        let chosen = self.other.and_then(|other| shared.cells.get(other));
        VersusView { candidate: chosen.map(full_name) }
    }

    fn restore(&mut self, _: &VersusView, _: &mut Shared) {}

    fn resolve(&mut self, view: &VersusView, shared: &mut Shared) -> Vec<String> {
        let Some(name) = &view.candidate else { return Vec::new() };
        let cells = &shared.cells;
        let first = cells.get(shared.cell).map(full_name);
        match pair_cells([cells, cells], [first.as_deref(), Some(name)], true).as_deref() {
            Ok([[_, second], ..]) => self.other = Some(*second),
            _ => return vec![format!("--candidate: `{name}` is no cell beside the selected one")],
        }
        Vec::new()
    }
}
