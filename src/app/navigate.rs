//! From screen to screen, and back.

use super::action::Screen;
use super::{App, Overlay, Pane};

impl App {
    /// Opens a screen, from which Esc goes back.
    pub(super) fn open(&mut self, screen: Screen) {
        if screen == self.screen {
            return;
        }
        self.listed = self.listed.take().filter(|(own, _)| *own != screen);
        // Going to and fro is no way that grows.
        self.back.retain(|own| *own != screen);
        self.back.push(self.screen);
        self.enter(screen);
    }

    pub(super) fn enter(&mut self, screen: Screen) {
        self.screen = screen;
        self.keep_rule();
        match screen {
            Screen::Compare => self.settle_panes(),
            Screen::Triage => self.show_pair(),
            _ => {}
        }
    }

    pub(super) fn go_back(&mut self) {
        match self.screen {
            Screen::Tasks if !self.tasks.search.is_empty() => self.tasks.search.clear(),
            Screen::Cells if !self.cell_search.is_empty() => self.cell_search.clear(),
            Screen::Compare | Screen::Triage if !self.compare.search.is_empty() => {
                self.compare.search.clear();
            }
            _ => {
                if let Some(screen) = self.back.pop() {
                    self.enter(screen);
                    if let Some((_, list)) = self.listed.take_if(|(own, _)| *own == screen) {
                        self.overlays.push(Overlay::Picker(list));
                    }
                }
            }
        }
    }

    /// Opens what is selected.
    pub(super) fn drill(&mut self) {
        match self.screen {
            Screen::Cells if self.empty_cell.is_some() => self.say("this cell has no runs"),
            Screen::Tasks => self.open_task(),
            Screen::Aggregators if self.aggregators.pane == Pane::Tasks => self.open_task(),
            Screen::Cells | Screen::Grid | Screen::Aggregators => self.open_tasks(),
            Screen::Stuck => self.drill_stuck(),
            Screen::Judges => self.drill_judges(),
            Screen::Compare | Screen::Read | Screen::Triage => {}
        }
    }

    pub(super) fn open_tasks(&mut self) {
        self.tasks.all_cells = false;
        self.open(Screen::Tasks);
    }

    pub(super) fn open_task(&mut self) {
        if self.task.is_some() {
            self.leave_place();
            self.compare.search.clear();
            self.choose_panes();
            self.open(Screen::Compare);
        }
    }

    pub(super) fn select_cell(&mut self, cell: usize) {
        self.cell = cell.min(self.columns.len().saturating_sub(1));
        self.empty_cell = None;
        if self.task.is_none_or(|id| id.cell as usize == self.cell) {
            return;
        }
        let table = self.current_table().filter(|_| self.tasks.all_cells).cloned();
        let first =
            table.and_then(|table| table.rows.iter().position(|id| id.cell as usize == self.cell));
        if let Some(place) = first {
            self.select_task(place);
            return;
        }
        // A task of another cell is not what is looked at any more.
        (self.task, self.tasks.place) = (None, 0);
        while matches!(self.screen, Screen::Compare | Screen::Read | Screen::Triage)
            && !self.back.is_empty()
        {
            self.compare.search.clear();
            self.go_back();
        }
    }
}
