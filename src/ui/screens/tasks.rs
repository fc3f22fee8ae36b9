//! The table of tasks: which, in what order, with which columns. The list itself is shared, since
//! Compare goes through it too.

mod columns;
mod draw;
mod legend;
mod lists;
mod marked;
mod preview;
mod search;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};

use super::{Go, Heading, Legend, Needs, ScreenState, Target};
use crate::engine::Column;
use crate::report::OutputFormat;
use crate::scorers::Scorer;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::overlays::Overlay;
use crate::ui::renewal::NewIds;
use crate::ui::selection::Rows;
use crate::ui::shared::{ColumnChange, FileContent, RunKey, ScreenFigure, Shared, TaskColumns};
use crate::ui::view::{flag_name, scorer};
use search::Search;

/// Rows that one step of the wheel moves.
const WHEEL: usize = 3;

/// The width from which a column that is not on screen is made wider or narrower.
const USUAL_WIDTH: usize = 8;

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Tasks {
    /// What is searched for, and what was found.
    pub search: Search,
    offset: usize,
    page: usize,
    /// The columns that were drawn last, and how wide.
    widths: Vec<(Column, usize)>,
}

/// A row.
#[derive(Clone, Debug)]
pub enum Spot {
    /// A row of the table.
    Row(usize),
    /// The head of a column.
    Head(Column),
}

/// The first row on screen, how many there are, and the columns.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    offset: Option<usize>,
    page: usize,
    widths: Vec<(Column, usize)>,
}

/// The settings of the table of tasks.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TasksView {
    /// The column that orders the tasks, with `-` before it for largest first
    #[arg(long, allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// A score column of the tasks, such as lnsp.mean; may be given several times
    #[arg(long, value_parser = scorer)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The columns of the tasks in their order, such as task,score:20,rank; a number is a width
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// The tasks of all cells
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_cells: bool,
    /// The scorer that changes of rank are relative to
    #[arg(long, value_parser = scorer)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Words to search for in tasks
    #[arg(long, allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
}

impl Tasks {
    /// Moves the selection over the table.
    fn step(&mut self, action: &Action, shared: &mut Shared) -> Go {
        let count = shared.tasks.table().map_or(0, |table| table.rows.len());
        let rows = Rows { count, page: self.page };
        let Some(index) = rows.step(action, shared.tasks.index) else { return Go::Pass };
        self.search.seeking = false;
        shared.select_task(index);
        Go::Stay
    }

    /// How wide a column was drawn last; none of one that was not.
    pub(super) fn drawn_width(&self, column: &Column) -> Option<usize> {
        self.widths.iter().find(|(drawn, _)| drawn == column).map(|(_, width)| *width)
    }

    /// Shows, hides, moves or widens a column.
    fn change_column(&self, column: &Column, change: ColumnChange, shared: &mut Shared) {
        let drawn = self.drawn_width(column).unwrap_or(USUAL_WIDTH);
        shared.tasks.columns.change(column, change, drawn);
    }
}

/// Ranks move against the scorer that the table was last shown under.
fn follow_scorer(shared: &mut Shared) {
    let current = &shared.lens.scorer;
    if !shared.trying && shared.tasks.shown.as_ref() != Some(current) {
        shared.tasks.before = shared.tasks.shown.replace(current.clone());
    }
}

impl ScreenState for Tasks {
    type View = TasksView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = usize;

    const ABOUT: &'static str = "Tasks";
    const NEEDS: Needs = Needs::Store;
    const ENDING: &'static str = "svg";
    const LEGEND: Legend = legend::LEGEND;

    fn arrive(&mut self, target: &Target, shared: &mut Shared) {
        if let Target::Tasks = target {
            shared.tasks.all_cells = false;
        }
    }

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        let list = &mut shared.tasks;
        match action {
            Action::Drill => return self.drill(shared),
            Action::Sort => return Go::Show(Overlay::picker(lists::sorts(shared))),
            Action::ChooseColumns => {
                return Go::Show(Overlay::picker(lists::columns(self, shared)));
            }
            Action::Mark => Self::mark(shared),
            Action::ClearMarks => Self::clear_marks(shared),
            Action::Note => return Self::note(shared),
            Action::Copy => return self.copy(shared),
            Action::Back if self.search.is_on() => self.search.clear(),
            Action::SortOther => list.descending = !list.descending,
            Action::SetSort(column) => lists::sort_by(column, shared),
            Action::ChangeColumn(column, change) => self.change_column(column, *change, shared),
            Action::Scope => list.all_cells = !list.all_cells,
            Action::Search => return Go::Show(Overlay::search(self.search.begin(shared))),
            Action::Left => shared.step_cell(false),
            Action::Right => shared.step_cell(true),
            Action::NextHit => self.search.step(true, shared),
            Action::PreviousHit => self.search.step(false, shared),
            other => return self.step(other, shared),
        }
        Go::Stay
    }

    fn wheel(&mut self, down: bool, shared: &mut Shared) -> Go {
        let index = shared.tasks.index;
        self.search.seeking = false;
        shared.select_task(if down { index + WHEEL } else { index.saturating_sub(WHEEL) });
        Go::Stay
    }

    fn search(&mut self, words: &str, done: bool, shared: &mut Shared) {
        self.search.type_words(words, done, shared);
    }

    fn adjust(&mut self, shared: &mut Shared) {
        follow_scorer(shared);
    }

    fn refresh(&mut self, shared: &mut Shared) {
        shared.refresh_tasks();
        self.search.refresh(shared);
        let draw = |id| shared.task_of(id)?.draw_numbers().next();
        let first = shared.task.and_then(|id| Some(RunKey { id, draw: draw(id)? }));
        shared.want_runs(first.as_slice());
    }

    fn renew(&mut self, _: &NewIds<'_>) {
        self.search.renew();
    }

    fn is_waiting(&self, shared: &Shared) -> bool {
        shared.tasks.is_waiting()
    }

    fn is_stale(&self, shared: &Shared) -> bool {
        shared.tasks.table().is_some()
            && (shared.current_table().is_none() || shared.data.is_changing())
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
        (self.page, self.widths) = (layout.page, layout.widths);
    }

    fn click(&mut self, spot: &Spot, dragged: bool, shared: &mut Shared) -> Go {
        match spot {
            _ if dragged => Go::Stay,
            Spot::Row(index) => {
                let again = shared.tasks.index == *index && shared.task.is_some();
                shared.select_task(*index);
                if again { self.update(&Action::Drill, shared) } else { Go::Stay }
            }
            Spot::Head(column) => {
                lists::sort_by(column, shared);
                Go::Stay
            }
        }
    }

    fn position(&self) -> usize {
        self.offset
    }

    fn resume(&mut self, offset: &usize, _: &mut Shared) {
        self.offset = *offset;
    }

    fn heading(&self, shared: &Shared) -> Heading {
        let all = shared.tasks.all_cells;
        let cell = shared.current_cell().map(|cell| visible(&cell.to_string()).into_owned());
        let crumb = if all { Some("all cells".to_owned()) } else { cell };
        Heading {
            crumbs: crumb.into_iter().collect(),
            cell: (!all).then_some(shared.cell),
            marked: shared.tasks.marked().len(),
            ..Heading::default()
        }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        let marked = shared.tasks.marked();
        let rows = if marked.is_empty() { vec![shared.task?] } else { marked };
        shared.table_text(&Self::listing(rows, shared)?, OutputFormat::Markdown)
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        let waiting = || "the store is still being read".to_owned();
        let marked = shared.tasks.marked();
        let all = || shared.current_table().map(|table| table.rows.clone()).unwrap_or_default();
        let rows = if marked.is_empty() { all() } else { marked };
        let request = Self::listing(rows, shared).ok_or_else(waiting)?;
        shared.whole_table_content(request, format)
    }

    fn figure(&self, _: &Shared) -> Option<ScreenFigure> {
        None
    }

    fn view(&self, _open: bool, shared: &Shared) -> TasksView {
        let list = &shared.tasks;
        let descending = if list.descending { "-" } else { "" };
        let sort = format!("{descending}{}", list.sort.name());
        TasksView {
            sort: (sort != "-score").then_some(sort),
            columns: list.columns.scorers().iter().map(flag_name).collect(),
            layout: list.columns.flag(),
            all_cells: list.all_cells,
            before: list.before.as_ref().map(flag_name),
            search: self.search.is_on().then(|| self.search.words.clone()),
        }
    }

    fn restore(&mut self, view: &TasksView, shared: &mut Shared) {
        shared.tasks.all_cells = view.all_cells;
        self.search.words = view.search.clone().unwrap_or_default();
    }

    fn resolve(&mut self, view: &TasksView, shared: &mut Shared) -> Vec<String> {
        let mut problems = Vec::new();
        let before = view.before.as_deref();
        let before = before.and_then(|id| shared.find_scorer("before", id, &mut problems));
        let columns = view.columns.iter();
        let extra = columns.filter_map(|id| shared.find_scorer("columns", id, &mut problems));
        let extra: Vec<Scorer> = extra.collect();
        let shown = before.as_ref().map(|_| shared.lens.scorer.clone());
        let columns = shared.engine().map(|engine| engine.columns()).unwrap_or_default();
        let list = &mut shared.tasks;
        (list.before, list.shown) = (before, shown);
        list.columns = TaskColumns::with_scorers(extra);
        let arranged = view.layout.as_deref().map_or(Ok(()), |flag| list.columns.arrange(flag));
        problems.extend(arranged.err().map(|why| format!("--layout: {why}")));
        if let Some(sort) = &view.sort {
            let (name, descending) =
                sort.strip_prefix('-').map_or((sort.as_str(), false), |name| (name, true));
            match columns.iter().find(|column| column.name() == name) {
                Some(column) => (list.sort, list.descending) = (column.clone(), descending),
                None => problems.push(format!("--sort: there is no column `{name}`")),
            }
        }
        problems
    }
}
