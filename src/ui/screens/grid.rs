//! The grid: scorers by family × cells.

mod command;
mod detail;
mod draw;
mod legend;
mod rows;

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, ScreenState, Target};
use crate::report::figure::FigureKind;
use crate::report::{GridLayout, GridRow as Row, OutputFormat, Show, TableRequest};
use crate::scorers::{Family, Scorer};
use crate::ui::action::Action;
use crate::ui::heatmap::Heatmap;
use crate::ui::hits::Hits;
use crate::ui::renewal::NewIds;
use crate::ui::shared::{FileContent, ScreenFigure, Shared, WantedNumbers};
use crate::ui::view::{flag_name, named, named_list, one_of, scorer};

pub use rows::Empty;

/// The state of the grid. Its selected column is the shared cell, its selected row the lens's scorer.
#[derive(Debug, Default)]
pub struct Grid {
    /// Rows are ordered by the values of the selected column, best first.
    pub sort_rows: bool,
    /// Columns are ordered by the values of this scorer, best first.
    pub sort_columns: Option<Scorer>,
    /// Cells and scorers without a value are shown too.
    pub show_empty: bool,
    /// Folded families.
    pub folded: BTreeSet<Family>,
    /// The folded family that is selected, in place of the lens's scorer.
    pub on_family: Option<Family>,
    /// The lens's scorer as the grid saw it last. Another one was chosen elsewhere.
    seen: Option<Scorer>,
    layout: Layout,
}

/// A place on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The head of a cell's column.
    Column(usize),
    /// A row, and the cell whose value it is, or the row's name.
    Row(usize, Option<usize>),
}

/// What drawing found out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// The first row on screen.
    row: usize,
    /// The first column on screen.
    column: usize,
    /// Rows of a page.
    page: usize,
}

/// The settings of the grid.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct GridView {
    /// How grids show values
    #[arg(long, value_parser = one_of::<Show>(), ignore_case = true)]
    #[serde(with = "named", skip_serializing_if = "Option::is_none")]
    pub show: Option<Show>,
    /// The scorer that differences are relative to, such as lnsp.min
    #[arg(long, value_parser = scorer)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
    /// Order the grid's rows by the selected column
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub order_rows: bool,
    /// Order the grid's columns by this scorer
    #[arg(long, value_parser = scorer)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_columns: Option<String>,
    /// Show cells and scorers of the grid that have no value
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub show_empty: bool,
    /// A family of the grid to fold; may be given several times
    #[arg(long, value_parser = one_of::<Family>(), ignore_case = true)]
    #[serde(with = "named_list", skip_serializing_if = "Vec::is_empty")]
    pub fold: Vec<Family>,
}

impl Grid {
    /// What the grid shows of a scorer in a cell: its value, or its difference to the pinned scorer.
    pub fn value(scorer: &Scorer, cell: usize, shared: &Shared) -> Option<f64> {
        heatmap(shared).value(scorer, cell)
    }

    /// Pins the lens's scorer, or lets it go.
    fn pin(shared: &mut Shared) {
        let scorer = shared.lens.scorer.clone();
        let again = shared.lens.pinned.as_ref() == Some(&scorer);
        shared.lens.pinned = (!again).then_some(scorer);
    }

    /// Orders the columns by the lens's scorer, or as they were.
    fn sort_columns(&mut self, shared: &Shared) {
        let scorer = &shared.lens.scorer;
        let again = self.sort_columns.as_ref() == Some(scorer);
        self.sort_columns = (!again).then(|| scorer.clone());
    }

    /// How the grid is laid out on screen.
    fn as_seen(&self, shared: &Shared) -> GridLayout {
        GridLayout {
            pinned: shared.lens.pinned.clone(),
            order_rows: self.sort_rows.then_some(shared.cell),
            order_columns: self.sort_columns.clone(),
            folded: self.folded.clone(),
            show_empty: self.show_empty,
            show: shared.lens.show,
            heat: false,
        }
    }

    /// Shows cells and scorers without a value, or hides them.
    fn toggle_empty(&mut self, shared: &mut Shared) {
        self.show_empty = !self.show_empty;
        shared.say(match self.empty(shared).words() {
            _ if self.show_empty => "all cells and scorers are shown".to_owned(),
            Some(hidden) => format!("{hidden} without a value hidden"),
            None => "every cell and scorer has a value".to_owned(),
        });
    }

    fn click_column(&mut self, cell: usize, shared: &mut Shared) -> Go {
        let again = shared.cell == cell;
        shared.select_cell(cell);
        if again { self.update(&Action::Sort, shared) } else { Go::Stay }
    }

    fn click_row(&mut self, row: usize, cell: Option<usize>, shared: &mut Shared) -> Go {
        let rows = self.rows(shared);
        let before = (self.selected_row(&rows, shared), shared.cell);
        match rows.get(row) {
            Some(Row::Head(family)) => {
                self.folded.insert(*family);
                return Go::Stay;
            }
            Some(Row::Folded(family, _)) if cell.is_none() => {
                self.folded.remove(family);
                self.on_family = None;
                return Go::Stay;
            }
            _ => {}
        }
        shared.select_cell(cell.unwrap_or(shared.cell));
        self.select_row(&rows, row, true, shared);
        if cell.is_some() && before == (Some(row), shared.cell) {
            return self.update(&Action::Drill, shared);
        }
        Go::Stay
    }
}

/// The heatmap of the grid.
fn heatmap(shared: &Shared) -> Heatmap<'_> {
    Heatmap { shared, pinned: shared.lens.pinned.as_ref() }
}

impl ScreenState for Grid {
    type View = GridView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = Layout;

    const ABOUT: &'static str = "Grid: scorers by cells";
    const NEEDS: Needs = Needs::Store;
    const ENDING: &'static str = "csv";
    const LEGEND: Legend = legend::LEGEND;

    fn arrive(&mut self, _target: &Target, _shared: &mut Shared) {}

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => return Go::Open(Target::Tasks),
            Action::SetScorer(_) => {
                // The scorer that is chosen is shown, even if it is the same again.
                self.seen = None;
                return Go::Pass;
            }
            _ => {}
        }
        let rows = self.rows(shared);
        let columns = self.columns(shared);
        if rows.is_empty() || columns.is_empty() {
            return Go::Pass;
        }
        let row = self.selected_row(&rows, shared).unwrap_or(0);
        let column = columns.iter().position(|cell| *cell == shared.cell).unwrap_or(0);
        let half = (self.layout.page / 2).max(1);
        match action {
            Action::Down => self.select_row(&rows, row + 1, true, shared),
            Action::Up => self.select_row(&rows, row.saturating_sub(1), false, shared),
            Action::HalfPageDown => self.select_row(&rows, row + half, true, shared),
            Action::HalfPageUp => self.select_row(&rows, row.saturating_sub(half), false, shared),
            Action::First => self.select_row(&rows, 0, true, shared),
            Action::Last => self.select_row(&rows, rows.len(), false, shared),
            Action::Left => shared.select_cell(columns[column.saturating_sub(1)]),
            Action::Right => shared.select_cell(columns[(column + 1).min(columns.len() - 1)]),
            Action::Sort => self.sort_rows = !self.sort_rows,
            Action::SortOther => self.sort_columns(shared),
            Action::Fold => self.fold(&rows[row], shared),
            Action::FoldAll => self.fold_all(shared),
            Action::Scope => self.toggle_empty(shared),
            Action::Pin => Self::pin(shared),
            _ => return Go::Pass,
        }
        Go::Stay
    }

    fn wheel(&mut self, down: bool, shared: &mut Shared) -> Go {
        self.update(if down { &Action::Down } else { &Action::Up }, shared)
    }

    fn search(&mut self, _words: &str, _done: bool, _shared: &mut Shared) {}

    fn adjust(&mut self, shared: &mut Shared) {
        let scorer = &shared.lens.scorer;
        if shared.engine().is_some() && self.seen.as_ref() != Some(scorer) {
            // A folded family would hide what was chosen.
            self.folded.remove(&scorer.family());
            self.on_family = None;
            self.seen = Some(scorer.clone());
        }
    }

    fn refresh(&mut self, shared: &mut Shared) {
        let Some(tasks) = shared.kept().cloned() else { return };
        let wanted = WantedNumbers {
            tasks: &tasks,
            metric: shared.lens.metric,
            scorers: &shared.scorers(),
            first: &shared.lens.scorer,
            pinned: shared.lens.pinned.as_ref(),
            cell: shared.cell,
            cells: shared.cells.len(),
        };
        shared.numbers.want(&wanted, &mut shared.effects);
    }

    fn renew(&mut self, _: &NewIds<'_>) {}

    fn is_waiting(&self, _shared: &Shared) -> bool {
        false
    }

    fn is_stale(&self, shared: &Shared) -> bool {
        shared.numbers_are_stale()
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
        self.layout = layout;
    }

    fn click(&mut self, spot: &Spot, dragged: bool, shared: &mut Shared) -> Go {
        match spot {
            _ if dragged => Go::Stay,
            Spot::Column(cell) => self.click_column(*cell, shared),
            Spot::Row(row, cell) => self.click_row(*row, *cell, shared),
        }
    }

    fn position(&self) -> Layout {
        self.layout
    }

    fn resume(&mut self, position: &Layout, _: &mut Shared) {
        self.layout = *position;
    }

    fn heading(&self, shared: &Shared) -> Heading {
        Heading { pinned: shared.lens.pinned.clone(), ..Heading::default() }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        shared.selected_value()
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        let (scorers, layout) = (shared.scorers(), self.as_seen(shared));
        let command = command::report(&scorers, &layout, format, shared);
        let content = shared.table_content(TableRequest::Grid { scorers, layout }, format)?;
        Ok(content.made_by(|| command))
    }

    fn figure(&self, shared: &Shared) -> Option<ScreenFigure> {
        let mut figure = ScreenFigure::new(FigureKind::Grid, shared);
        figure.options.scorers = shared.scorers();
        Some(figure)
    }

    fn view(&self, _open: bool, shared: &Shared) -> GridView {
        let lens = &shared.lens;
        GridView {
            show: Some(lens.show).filter(|show| *show != Show::default()),
            pin: lens.pinned.as_ref().map(flag_name),
            order_rows: self.sort_rows,
            order_columns: self.sort_columns.as_ref().map(flag_name),
            show_empty: self.show_empty,
            fold: self.folded.iter().copied().collect(),
        }
    }

    fn restore(&mut self, view: &GridView, shared: &mut Shared) {
        shared.lens.show = view.show.unwrap_or(shared.lens.show);
        self.sort_rows = view.order_rows;
        self.show_empty = view.show_empty;
        self.folded = view.fold.iter().copied().collect();
    }

    fn resolve(&mut self, view: &GridView, shared: &mut Shared) -> Vec<String> {
        let mut problems = Vec::new();
        let mut find = |flag: &str, id: &Option<String>| {
            shared.find_scorer(flag, id.as_deref()?, &mut problems)
        };
        let pinned = find("pin", &view.pin);
        self.sort_columns = find("order-columns", &view.order_columns);
        shared.lens.pinned = pinned;
        // What the view folds stays folded, the lens's family too.
        self.seen = Some(shared.lens.scorer.clone());
        problems
    }
}
