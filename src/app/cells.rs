//! What the store holds, a row a cell.

use super::App;
use super::action::Action;
use crate::store::CellSummary;

impl App {
    /// The cells that the search leaves, with their places among all.
    pub fn shown_cells(&self) -> Vec<(usize, &CellSummary)> {
        let words: Vec<String> =
            self.cell_search.split_whitespace().map(str::to_lowercase).collect();
        let holds = |own: &CellSummary| {
            let name = format!("{} {} {}", own.cell.dataset, own.cell.model, own.cell.condition);
            let name = name.to_lowercase();
            words.iter().all(|word| name.contains(word))
        };
        self.summaries.iter().enumerate().filter(|(_, own)| holds(own)).collect()
    }

    pub(super) fn update_cells(&mut self, action: &Action) {
        let shown: Vec<usize> = self.shown_cells().into_iter().map(|(place, _)| place).collect();
        let Some(last) = shown.len().checked_sub(1) else { return };
        let current = self.summary_place();
        let place = shown.iter().position(|own| Some(*own) == current).unwrap_or(0);
        let half = (self.layout.page / 2).max(1);
        let place = match action {
            Action::Down => place + 1,
            Action::Up => place.saturating_sub(1),
            Action::HalfPageDown => place + half,
            Action::HalfPageUp => place.saturating_sub(half),
            Action::First => 0,
            Action::Last => last,
            _ => return,
        };
        self.select_summary(shown[place.min(last)]);
    }

    /// The place of the selected cell among the summaries.
    pub fn summary_place(&self) -> Option<usize> {
        if let Some(empty) = self.empty_cell {
            return Some(empty);
        }
        let cell = self.columns.get(self.cell)?;
        self.summaries.iter().position(|own| own.cell == *cell)
    }

    /// Selects a cell by its place among the summaries; one without runs is in no grid.
    pub(super) fn select_summary(&mut self, place: usize) {
        let Some(own) = self.summaries.get(place) else { return };
        match self.columns.iter().position(|cell| *cell == own.cell) {
            Some(cell) => self.select_cell(cell),
            None => self.empty_cell = Some(place),
        }
    }
}
