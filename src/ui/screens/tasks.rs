//! The table of tasks: which, in what order, with which columns. The list itself is shared, since
//! Compare goes through it too.

mod draw;
mod preview;
mod search;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};

use super::{Go, Heading, Needs, ScreenState, Target};
use crate::engine::Column;
use crate::filter::FieldKind;
use crate::report::{OutputFormat, TableRequest};
use crate::scorers::Scorer;
use crate::store::Note;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::overlays::{Choice, Overlay, Picker};
use crate::ui::selection::Rows;
use crate::ui::shared::{FileContent, RunKey, Shared};
use crate::ui::view::{flag_name, scorer};
use search::Search;

/// Rows that one step of the wheel moves.
const WHEEL: usize = 3;

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Tasks {
    /// What is searched for, and what was found.
    pub search: Search,
    offset: usize,
    page: usize,
}

/// A row.
#[derive(Clone, Debug)]
pub enum Spot {
    /// A row of the table.
    Row(usize),
    /// The head of a column.
    Head(Column),
}

/// The first row on screen, and how many there are.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    offset: Option<usize>,
    page: usize,
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
    /// The tasks of all cells
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_cells: bool,
    /// The scorer that ranks are said to have moved against
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

    fn sort_picker(shared: &Shared) -> Picker {
        let columns = shared.engine().map(|engine| engine.columns()).unwrap_or_default();
        let choice = |column: &Column| Choice {
            name: column.name(),
            hint: match column {
                Column::Scorer(scorer) => scorer.label(),
                _ if *column == shared.tasks.sort => "again: the other way round".to_owned(),
                _ => String::new(),
            },
            action: Action::SetSort(column.clone()),
        };
        let mut picker = Picker::new("Sort by", columns.iter().map(choice).collect());
        let current = columns.iter().position(|column| *column == shared.tasks.sort);
        picker.marked = current.unwrap_or(0);
        picker
    }

    fn column_picker(shared: &Shared) -> Picker {
        let choice = |scorer: &Scorer| Choice {
            name: scorer.label(),
            hint: if shared.tasks.extra.contains(scorer) { "shown" } else { "" }.to_owned(),
            action: Action::ToggleColumn(scorer.clone()),
        };
        let choices = shared.scorers().iter().map(choice).collect();
        let mut picker = Picker::new("Score columns", choices);
        picker.again = Some(Action::ChooseColumns);
        picker
    }
}

/// Sorts by a column; by the same one again, the other way round.
fn sort_by(column: &Column, shared: &mut Shared) {
    let list = &mut shared.tasks;
    if list.sort == *column {
        list.descending = !list.descending;
        return;
    }
    // What is high is looked at first, what is a name or a rank from its beginning.
    let from_beginning =
        [Column::Rank, Column::Top, Column::Bottom, Column::Quartile].contains(column);
    list.descending = column.kind() != FieldKind::Text && !from_beginning;
    list.sort = column.clone();
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

    const ABOUT: &'static str = "Tasks";
    const NEEDS: Needs = Needs::Store;
    const ENDING: &'static str = "svg";

    fn arrive(&mut self, target: &Target, shared: &mut Shared) {
        if let Target::Tasks = target {
            shared.tasks.all_cells = false;
        }
    }

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        let list = &mut shared.tasks;
        match action {
            Action::Drill => {
                return shared.task.map_or(Go::Stay, |id| Go::Open(self.search.opened(id, shared)));
            }
            Action::ChooseSort => return Go::Show(Overlay::picker(Self::sort_picker(shared))),
            Action::ChooseColumns => return Go::Show(Overlay::picker(Self::column_picker(shared))),
            Action::Back if self.search.is_on() => self.search.clear(),
            Action::Reverse => list.descending = !list.descending,
            Action::SetSort(column) => sort_by(column, shared),
            Action::ToggleColumn(scorer) => {
                match list.extra.iter().position(|shown| shown == scorer) {
                    Some(index) => drop(list.extra.remove(index)),
                    None => list.extra.push(scorer.clone()),
                }
            }
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
        self.page = layout.page;
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
                sort_by(column, shared);
                Go::Stay
            }
        }
    }

    fn heading(&self, shared: &Shared) -> Heading {
        let all = shared.tasks.all_cells;
        let cell = shared.current_cell().map(|cell| visible(&cell.to_string()).into_owned());
        let crumb = if all { Some("all cells".to_owned()) } else { cell };
        Heading {
            crumbs: crumb.into_iter().collect(),
            cell: (!all).then_some(shared.cell),
            ..Heading::default()
        }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        Some(visible(&shared.task_of(shared.task?)?.id).into_owned())
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        let waiting = || "the store is still being read".to_owned();
        let text = |notes: &Vec<Note>| {
            let words = notes.iter().map(|note| format!("{}: {}", note.author, note.note));
            words.collect::<Vec<_>>().join(" | ")
        };
        let notes = shared.notes.all().iter();
        let request = TableRequest::TaskList {
            list: shared.current_table().cloned().ok_or_else(waiting)?,
            scorer: shared.lens.scorer.clone(),
            notes: notes.map(|(id, notes)| (*id, text(notes))).collect(),
        };
        shared.whole_table_content(request, format)
    }

    fn view(&self, _open: bool, shared: &Shared) -> TasksView {
        let list = &shared.tasks;
        let descending = if list.descending { "-" } else { "" };
        let sort = format!("{descending}{}", list.sort.name());
        TasksView {
            sort: (sort != "-score").then_some(sort),
            columns: list.extra.iter().map(flag_name).collect(),
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
        (list.before, list.shown, list.extra) = (before, shown, extra);
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
