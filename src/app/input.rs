//! Keys, clicks and the wheel.

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};

use super::action::{Action, Screen};
use super::layout::Hit;
use super::picker::Picked;
use super::prompt::{Answer, Ask};
use super::{App, JudgePane, Lens, Overlay, Pane, StuckPane};
use crate::filter::FilterError;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;

/// What comes from a terminal.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse was used.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has another size.
    Resize,
}

impl Input {
    /// Whether the user wants something by it: a button that is let go says nothing new.
    pub(super) fn is_wish(&self) -> bool {
        match self {
            Self::Key(_) | Self::Paste(_) => true,
            Self::Mouse(mouse) => !matches!(
                mouse.kind,
                MouseEventKind::Up(_) | MouseEventKind::Moved | MouseEventKind::Drag(_)
            ),
            Self::Resize => false,
        }
    }
}

/// Rows that one step of the wheel moves.
const WHEEL: usize = 3;

impl App {
    pub(super) fn input(&mut self, input: &Input) {
        match input {
            Input::Key(key) => self.key(*key),
            Input::Mouse(mouse) => self.mouse(*mouse),
            Input::Paste(text) => match self.overlays.last_mut() {
                Some(Overlay::Prompt(prompt)) => {
                    prompt.paste(text);
                    self.typed();
                }
                Some(Overlay::Note(editor)) => editor.paste(text),
                _ => {}
            },
            Input::Resize => {}
        }
    }

    /// A key was pressed: to the overlay if one is open, else through the key table.
    fn key(&mut self, key: KeyEvent) {
        match self.overlays.last_mut() {
            Some(Overlay::Prompt(prompt)) => {
                let answer = prompt.key(key);
                self.answered(answer);
            }
            Some(Overlay::Picker(picker)) => {
                let picked = picker.key(key);
                self.picked(picked);
            }
            Some(Overlay::Note(_)) => self.note_key(key),
            Some(Overlay::Help(_)) => {
                let action = self.keymap.action(key, self.screen);
                self.help_key(action.as_ref());
            }
            None => {
                if let Some(action) = self.keymap.action(key, self.screen) {
                    self.update(&action);
                }
            }
        }
    }

    /// The list of keys scrolls where it is long; any other key closes it.
    fn help_key(&mut self, action: Option<&Action>) {
        let (first, hidden) = (self.layout.scroll, self.layout.hidden);
        let half = (self.layout.page / 2).max(1);
        let next = match action {
            _ if hidden == 0 => None,
            Some(Action::Down) => Some(first + 1),
            Some(Action::Up) => Some(first.saturating_sub(1)),
            Some(Action::HalfPageDown) => Some(first + half),
            Some(Action::HalfPageUp) => Some(first.saturating_sub(half)),
            _ => None,
        };
        self.overlays.pop();
        match next {
            Some(next) => self.overlays.push(Overlay::Help(next.min(hidden))),
            None if action == Some(&Action::Quit) => self.update(&Action::Quit),
            None => {}
        }
    }

    fn answered(&mut self, answer: Answer) {
        let Some(Overlay::Prompt(prompt)) = self.overlays.last_mut() else { return };
        let (ask, text, before) = (prompt.ask, prompt.text(), prompt.before.clone());
        match answer {
            Answer::Typing => self.typed(),
            Answer::Cancelled => {
                self.overlays.pop();
                if ask == Ask::Search {
                    self.set_search(&before);
                }
            }
            Answer::Done if ask == Ask::Filter && prompt.error.is_some() => {}
            Answer::Done if ask == Ask::Export && std::path::Path::new(text.trim()).exists() => {
                let message = "is there already; give another name".to_owned();
                prompt.error = Some(FilterError { at: 0..text.len(), message });
            }
            Answer::Done => {
                self.overlays.pop();
                match ask {
                    Ask::Search => {
                        self.set_search(&text);
                        self.say_unfound(&text);
                    }
                    Ask::Filter => self.set_filter(&text),
                    Ask::Export => self.export(&text),
                }
            }
        }
    }

    /// What is typed is looked at while it is typed.
    fn typed(&mut self) {
        let fields = self.data.engine().map(|engine| engine.fields()).unwrap_or_default();
        let Some(Overlay::Prompt(prompt)) = self.overlays.last_mut() else { return };
        prompt.check(&fields);
        let (ask, text) = (prompt.ask, prompt.text());
        if ask == Ask::Search {
            self.set_search(&text);
        }
    }

    fn set_search(&mut self, text: &str) {
        if self.screen == Screen::Cells {
            text.clone_into(&mut self.cell_search);
            let shown = self.shown_cells();
            let current = self.summary_place();
            if !shown.iter().any(|(place, _)| Some(*place) == current)
                && let Some((first, _)) = shown.first()
            {
                self.select_summary(*first);
            }
            return;
        }
        match self.screen {
            Screen::Read => return self.search_reader(text),
            Screen::Compare | Screen::Triage => return self.search_runs(text),
            _ => {}
        }
        text.clone_into(&mut self.tasks.search);
        self.tasks.seeking = true;
        // Every letter searches anew from where the search began.
        self.select_task(self.tasks.search_from);
        self.first_hit();
    }

    fn picked(&mut self, picked: Picked) {
        let Some(Overlay::Picker(picker)) = self.overlays.last_mut() else { return };
        let tried = picker.tried.clone();
        match picked {
            Picked::Typing => {}
            Picked::Moved => {
                // The list of scorers is tried on while one moves through it.
                let action = picker.choice(picker.marked).map(|own| own.action.clone());
                if let (Some(_), Some(action)) = (tried, action) {
                    self.update(&action);
                }
            }
            Picked::Cancelled => {
                self.overlays.pop();
                if let Some(scorer) = tried {
                    self.set_scorer(scorer);
                }
            }
            Picked::Chosen(action) if picker.stays => {
                let (marked, typed) = (picker.marked, picker.typed.clone());
                self.update(&action);
                let mut again = self.column_picker();
                again.restore(typed, marked);
                self.overlays.pop();
                self.overlays.push(Overlay::Picker(Box::new(again)));
            }
            Picked::Chosen(action) => {
                let list = self.overlays.pop();
                let screen = self.screen;
                self.update(&action);
                if let (Action::OpenPair(_) | Action::OpenTask(_), Some(Overlay::Picker(list))) =
                    (&action, list)
                {
                    self.listed = Some((screen, list));
                }
            }
        }
    }

    fn mouse(&mut self, mouse: MouseEvent) {
        let hit = self.layout.at(mouse.column, mouse.row).cloned();
        match mouse.kind {
            MouseEventKind::ScrollDown => self.wheel(&Action::Down),
            MouseEventKind::ScrollUp => self.wheel(&Action::Up),
            MouseEventKind::ScrollLeft => self.wheel(&Action::Left),
            MouseEventKind::ScrollRight => self.wheel(&Action::Right),
            MouseEventKind::Down(MouseButton::Left) => self.click(hit),
            MouseEventKind::Drag(MouseButton::Left) => {
                if let (Some(Hit::Slider(place)), true) = (hit, self.overlays.is_empty()) {
                    self.slide(place);
                }
            }
            _ => {}
        }
    }

    fn wheel(&mut self, action: &Action) {
        if let Some(Overlay::Picker(picker)) = self.overlays.last_mut() {
            let last = picker.shown.len().saturating_sub(1);
            picker.marked = match action {
                Action::Down => (picker.marked + 1).min(last),
                Action::Up => picker.marked.saturating_sub(1),
                _ => picker.marked,
            };
            self.picked(Picked::Moved);
        } else if let Some(Overlay::Help(_)) = self.overlays.last() {
            if self.layout.hidden > 0 {
                self.help_key(Some(action));
            }
        } else if self.overlays.is_empty() {
            if matches!(self.screen, Screen::Compare | Screen::Triage) {
                if matches!(action, Action::Down | Action::Up) {
                    self.scroll_compare(WHEEL, *action == Action::Down);
                }
                return;
            }
            let steps = if matches!(self.screen, Screen::Tasks | Screen::Read) { WHEEL } else { 1 };
            (0..steps).for_each(|_| self.update_screen(action));
        }
    }

    /// A click selects; on what is selected already it opens.
    fn click(&mut self, hit: Option<Hit>) {
        if !self.overlays.is_empty() {
            return self.click_overlay(hit);
        }
        match hit {
            Some(Hit::Action(action)) => self.update(&action),
            Some(Hit::Screen(screen)) => self.open(screen),
            Some(Hit::Grid(row, cell)) => self.click_grid(row, cell),
            Some(Hit::GridColumn(cell)) => {
                let again = self.cell == cell;
                self.select_cell(cell);
                if again {
                    self.update(&Action::SortRows);
                }
            }
            Some(Hit::Task(place)) => {
                if self.screen == Screen::Aggregators {
                    self.aggregators.pane = Pane::Tasks;
                }
                let again = self.tasks.place == place && self.task.is_some();
                self.select_task(place);
                if again {
                    self.update(&Action::Drill);
                }
            }
            Some(Hit::TaskColumn(column)) => self.update(&Action::SetSort(column)),
            Some(Hit::Cell(place)) => {
                let again = self.summary_place() == Some(place);
                self.select_summary(place);
                if again {
                    self.update(&Action::Drill);
                }
            }
            Some(Hit::Row(pane, row)) => self.click_row(pane, row),
            Some(Hit::StuckCell(row, column)) => self.click_stuck(row, column),
            Some(Hit::StuckTask(place)) => {
                let again = self.stuck.pane == StuckPane::List && self.stuck.place == place;
                (self.stuck.pane, self.stuck.place) = (StuckPane::List, place);
                if again {
                    self.update(&Action::Drill);
                }
            }
            Some(Hit::Judge(pane, row, column)) => self.click_judge(pane, row, column),
            Some(Hit::Token(token)) => self.compare.token = Some(token),
            Some(Hit::Rule(place, cell)) => {
                self.aggregators.pane = Pane::Heatmap;
                if let Some(rule) = self.lens.rules().get(place) {
                    self.set_scorer(Scorer::WhiteBox(self.lens.base(), *rule));
                }
                self.select_cell(cell.unwrap_or(self.cell));
            }
            Some(Hit::Slider(place)) => self.slide(place),
            Some(Hit::Choice(_) | Hit::Nothing) | None => {}
        }
    }

    fn click_stuck(&mut self, row: usize, column: usize) {
        let before = (self.stuck.pane, self.stuck.row, self.stuck.column);
        (self.stuck.pane, self.stuck.row, self.stuck.column) = (StuckPane::Table, row, column);
        if before == (StuckPane::Table, row, column) {
            self.update(&Action::Drill);
        }
    }

    fn click_judge(&mut self, pane: JudgePane, row: usize, column: Option<usize>) {
        let own = &mut self.judges;
        let before = (own.pane, own.matrix, own.truth, own.ter, own.place);
        own.pane = pane;
        match pane {
            JudgePane::Matrix => own.matrix = (row, column.unwrap_or(own.matrix.1)),
            JudgePane::Truth => own.truth = (row, column.unwrap_or(own.truth.1)),
            JudgePane::Ter => own.ter = row,
            JudgePane::Queue => own.place = row,
        }
        if before == (own.pane, own.matrix, own.truth, own.ter, own.place) {
            self.update(&Action::Drill);
        }
    }

    fn click_row(&mut self, pane: usize, row: usize) {
        let Some(own) = self.compared() else { return };
        let again = self.compare.focus == pane && self.row_in(&own.sheet, pane) == row;
        self.focus_pane(pane);
        if again {
            self.update(&Action::Read);
        } else {
            self.select_row(&own.sheet, row);
        }
    }

    fn click_grid(&mut self, row: usize, cell: Option<usize>) {
        let rows = self.grid_rows();
        let before = (self.grid_selected(&rows), self.cell);
        match rows.get(row) {
            Some(super::Row::Head(family)) => {
                self.grid.folded.insert(*family);
                return;
            }
            Some(super::Row::Folded(family, _)) if cell.is_none() => {
                self.grid.folded.remove(family);
                self.grid.on_family = None;
                return;
            }
            _ => {}
        }
        self.select_cell(cell.unwrap_or(self.cell));
        self.select_grid_row(&rows, row, true);
        if cell.is_some() && before == (Some(row), self.cell) {
            self.update(&Action::Drill);
        }
    }

    fn click_overlay(&mut self, hit: Option<Hit>) {
        match (self.overlays.last_mut(), hit) {
            (Some(Overlay::Picker(picker)), Some(Hit::Choice(place))) => {
                picker.marked = place;
                let action = picker.choice(place).map(|own| own.action.clone());
                self.picked(action.map_or(Picked::Typing, Picked::Chosen));
            }
            (Some(Overlay::Help(_)), _) => drop(self.overlays.pop()),
            (Some(Overlay::Picker(_)), Some(Hit::Nothing)) => {}
            (Some(Overlay::Picker(_)), _) => self.picked(Picked::Cancelled),
            _ => {}
        }
    }

    fn slide(&mut self, place: usize) {
        match self.lens.scorer.aggregator() {
            Some(Aggregator::Softmin { .. }) => {
                let beta = Lens::BETAS[place.min(Lens::BETAS.len() - 1)];
                self.set_rule(Aggregator::Softmin { beta });
            }
            Some(Aggregator::Window { .. }) => {
                self.set_rule(Aggregator::Window { turns: (place + 1).min(Lens::WIDEST) });
            }
            _ => {}
        }
    }

    pub(super) fn edit_filter(&mut self) {
        let prompt = super::Prompt::new(Ask::Filter, &self.lens.filter);
        self.overlays.push(Overlay::Prompt(Box::new(prompt)));
        self.typed();
    }
}
