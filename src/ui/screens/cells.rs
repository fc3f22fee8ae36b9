//! The contents of the store, one row per cell.

mod draw;
mod legend;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, NoView, ScreenState, Target};
use crate::report::{OutputFormat, TableKind};
use crate::store::CellSummary;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::overlays::Overlay;
use crate::ui::renewal::NewIds;
use crate::ui::selection::Rows;
use crate::ui::shared::{FileContent, ScreenFigure, Shared};

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Cells {
    /// Words that shown cells must hold.
    pub search: String,
    /// A selected cell without runs.
    empty: Option<EmptyCell>,
    layout: Layout,
}

/// A selected cell without runs, which no other screen knows.
#[derive(Clone, Copy, Debug)]
struct EmptyCell {
    /// Its index among the summaries.
    summary: usize,
    /// The cell that was selected before: when another is, this one is left.
    instead_of: usize,
}

/// A place on screen: a cell, by its index among the summaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot(usize);

/// What drawing found out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// Rows of a page.
    page: usize,
}

impl Cells {
    /// The cells that the search leaves, with their indexes among the summaries.
    pub fn shown<'a>(&self, shared: &'a Shared) -> Vec<(usize, &'a CellSummary)> {
        let words: Vec<String> = self.search.split_whitespace().map(str::to_lowercase).collect();
        let holds = |summary: &CellSummary| {
            let cell = &summary.cell;
            let name = format!("{} {} {}", cell.dataset, cell.model, cell.condition);
            let name = name.to_lowercase();
            words.iter().all(|word| name.contains(word))
        };
        shared.summaries.iter().enumerate().filter(|(_, summary)| holds(summary)).collect()
    }

    /// The index of the selected cell among the summaries.
    pub fn selected(&self, shared: &Shared) -> Option<usize> {
        if let Some(empty) = self.empty {
            return Some(empty.summary);
        }
        let cell = shared.current_cell()?;
        shared.summaries.iter().position(|summary| summary.cell == *cell)
    }

    /// Selects a cell by its index among the summaries.
    fn select(&mut self, index: usize, shared: &mut Shared) {
        let Some(summary) = shared.summaries.get(index) else { return };
        match shared.cells.iter().position(|cell| *cell == summary.cell) {
            Some(cell) => {
                self.empty = None;
                shared.select_cell(cell);
            }
            None => self.empty = Some(EmptyCell { summary: index, instead_of: shared.cell }),
        }
    }

    /// Moves the selection over the cells that are shown.
    fn move_cell(&mut self, action: &Action, shared: &mut Shared) -> Go {
        let shown: Vec<usize> = self.shown(shared).into_iter().map(|(index, _)| index).collect();
        let selected = self.selected(shared);
        let row = shown.iter().position(|index| Some(*index) == selected).unwrap_or(0);
        let rows = Rows { count: shown.len(), page: self.layout.page };
        let Some(row) = rows.step(action, row) else { return Go::Pass };
        shown.get(row).into_iter().for_each(|index| self.select(*index, shared));
        Go::Stay
    }

    /// Opens the tasks of the selected cell.
    fn drill(&self, shared: &mut Shared) -> Go {
        if self.empty.is_some() {
            shared.say("this cell has no runs");
            return Go::Stay;
        }
        Go::Open(Target::Tasks)
    }
}

impl ScreenState for Cells {
    type View = NoView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = ();

    const ABOUT: &'static str = "Cells: what the store contains";
    const NEEDS: Needs = Needs::Manifest;
    const ENDING: &'static str = "svg";
    const LEGEND: Legend = legend::LEGEND;

    fn arrive(&mut self, _target: &Target, _shared: &mut Shared) {}

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => self.drill(shared),
            Action::Search => Go::Show(Overlay::search(&self.search)),
            Action::Back if !self.search.is_empty() => {
                self.search.clear();
                Go::Stay
            }
            Action::SetCell(_) => {
                self.empty = None;
                Go::Pass
            }
            other => self.move_cell(other, shared),
        }
    }

    fn wheel(&mut self, down: bool, shared: &mut Shared) -> Go {
        self.update(if down { &Action::Down } else { &Action::Up }, shared)
    }

    fn search(&mut self, words: &str, _done: bool, shared: &mut Shared) {
        words.clone_into(&mut self.search);
        let shown: Vec<usize> = self.shown(shared).into_iter().map(|(index, _)| index).collect();
        let selected = self.selected(shared);
        if let Some(first) = shown.first()
            && !shown.iter().any(|index| Some(*index) == selected)
        {
            self.select(*first, shared);
        }
    }

    fn adjust(&mut self, shared: &mut Shared) {
        self.empty = self.empty.filter(|empty| empty.instead_of == shared.cell);
    }

    fn refresh(&mut self, _shared: &mut Shared) {}

    fn renew(&mut self, _: &NewIds<'_>) {
        // It has no number that stays the same.
        self.empty = None;
    }

    fn is_waiting(&self, _shared: &Shared) -> bool {
        false
    }

    fn is_stale(&self, _shared: &Shared) -> bool {
        false
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

    fn click(&mut self, Spot(index): &Spot, dragged: bool, shared: &mut Shared) -> Go {
        if dragged {
            return Go::Stay;
        }
        let again = self.selected(shared) == Some(*index);
        self.select(*index, shared);
        if again { self.drill(shared) } else { Go::Stay }
    }

    fn position(&self) {}

    fn resume(&mut self, (): &(), _: &mut Shared) {}

    fn heading(&self, _shared: &Shared) -> Heading {
        Heading { unfiltered: true, ..Heading::default() }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        let summary = shared.summaries.get(self.selected(shared)?)?;
        Some(visible(&summary.cell.to_string()).into_owned())
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        shared.whole_table_content(TableKind::Cells, format)
    }

    fn figure(&self, _: &Shared) -> Option<ScreenFigure> {
        None
    }

    fn view(&self, _open: bool, _shared: &Shared) -> NoView {
        NoView::default()
    }

    fn restore(&mut self, _view: &NoView, _shared: &mut Shared) {}

    fn resolve(&mut self, _view: &NoView, _shared: &mut Shared) -> Vec<String> {
        Vec::new()
    }
}
