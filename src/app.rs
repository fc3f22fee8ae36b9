//! The explorer's state and how it changes. No terminal in here: keys come in as [`Action`]s
//! through one table, [`App::update`] changes the state, views draw from `&App`.

pub mod keymap;
mod prompt;

use crossterm::event::KeyEvent;

use crate::store::{CellSummary, Store};
pub use prompt::Prompt;

/// What a key can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Select the next row.
    Down,
    /// Select the previous row.
    Up,
    /// Half a page down.
    HalfPageDown,
    /// Half a page up.
    HalfPageUp,
    /// Select the first row.
    First,
    /// Select the last row.
    Last,
    /// Type words that the cells must hold.
    Search,
    /// List the keys.
    Help,
    /// Go back one step: close what is open, forget the search.
    Back,
    /// Leave.
    Quit,
}

/// What lies over the screen; the last one has the keys.
#[derive(Debug)]
pub enum Overlay {
    /// The list of keys.
    Help,
    /// The line in which a search is typed.
    Search(Box<Prompt>),
}

/// What drawing has to tell the update: how many rows fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Rows of the table that are on screen.
    pub rows: usize,
}

/// The explorer.
#[derive(Debug)]
pub struct App {
    /// The store's name.
    pub name: String,
    /// The data is made up.
    pub synthetic: bool,
    /// What the store holds.
    pub cells: Vec<CellSummary>,
    /// Words that shown cells must hold.
    pub search: String,
    /// Place of the selected cell among those shown.
    pub selected: usize,
    /// What lies over the screen.
    pub overlays: Vec<Overlay>,
    /// The user has left.
    pub done: bool,
}

impl App {
    /// The explorer of a store, as it opens.
    pub fn new(store: &Store) -> Self {
        Self {
            name: store.name(),
            synthetic: store.manifest().synthetic,
            cells: store.manifest().cells.clone(),
            search: String::new(),
            selected: 0,
            overlays: Vec::new(),
            done: false,
        }
    }

    /// The cells that the search leaves.
    pub fn shown(&self) -> Vec<&CellSummary> {
        let words: Vec<String> = self.search.split_whitespace().map(str::to_lowercase).collect();
        let holds = |own: &&CellSummary| {
            let name = format!("{} {} {}", own.cell.dataset, own.cell.model, own.cell.condition);
            let name = name.to_lowercase();
            words.iter().all(|word| name.contains(word))
        };
        self.cells.iter().filter(holds).collect()
    }

    /// A key was pressed: to the prompt if one is open, else through the key table.
    pub fn key(&mut self, key: KeyEvent, layout: Layout) {
        if let Some(Overlay::Search(prompt)) = self.overlays.last_mut() {
            match prompt.key(key) {
                prompt::Answer::Typing => self.search = prompt.text(),
                prompt::Answer::Done => drop(self.overlays.pop()),
                prompt::Answer::Cancelled => {
                    self.overlays.pop();
                    self.search.clear();
                }
            }
            self.keep_selection();
        } else if let Some(action) = keymap::action(key) {
            self.update(action, layout);
        }
    }

    /// Carries out an action.
    pub fn update(&mut self, action: Action, layout: Layout) {
        let half = (layout.rows / 2).max(1);
        if matches!(self.overlays.last(), Some(Overlay::Help)) {
            self.overlays.pop();
            if action != Action::Quit {
                return;
            }
        }
        match action {
            Action::Down => self.selected += 1,
            Action::Up => self.selected = self.selected.saturating_sub(1),
            Action::HalfPageDown => self.selected += half,
            Action::HalfPageUp => self.selected = self.selected.saturating_sub(half),
            Action::First => self.selected = 0,
            Action::Last => self.selected = usize::MAX,
            Action::Search => {
                self.overlays.push(Overlay::Search(Box::new(Prompt::new(&self.search))));
            }
            Action::Help => self.overlays.push(Overlay::Help),
            Action::Back => self.search.clear(),
            Action::Quit => self.done = true,
        }
        self.keep_selection();
    }

    fn keep_selection(&mut self) {
        self.selected = self.selected.min(self.shown().len().saturating_sub(1));
    }
}
