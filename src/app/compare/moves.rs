//! Moving over the rows.

use super::{App, Comparison, Cursor};
use crate::app::action::Action;
use crate::compare::{Row, RowKind, Sheet, weak_turns};
use crate::text::holds;

impl App {
    pub(in crate::app) fn update_compare(&mut self, action: &Action) {
        match action {
            Action::NextTask | Action::PreviousTask => {
                let before = self.task;
                self.move_task(action);
                if self.task == before {
                    self.say("there is no further task in this direction");
                } else {
                    self.leave_place();
                }
                self.settle_panes();
            }
            Action::Fold => self.toggle_row(),
            Action::FoldAll => {
                self.compare.detail = self.compare.detail.next();
                self.compare.scroll = None;
                self.compare.toggled.clear();
            }
            Action::WordDiff => {
                self.compare.words = !self.compare.words;
                let on = if self.compare.words {
                    "words are compared"
                } else {
                    "words are not compared"
                };
                self.say(on);
            }
            Action::Lock => self.toggle_lock(),
            Action::Side => {
                let shown = self.compare.side.unwrap_or(self.layout.side);
                self.compare.side = Some(!shown);
            }
            Action::TokenHeat => self.next_heat(),
            Action::LeastToken => self.move_token(action),
            Action::Left | Action::Right if self.compare.heat.is_some() => self.move_token(action),
            Action::Left => self.update_panes(&Action::PreviousPane),
            Action::Right => self.update_panes(&Action::NextPane),
            Action::Read => self.read_row(),
            Action::ReadSide => self.read_side(),
            Action::HalfPageDown | Action::HalfPageUp => {
                let half = (self.layout.page / 2).max(1);
                self.scroll_compare(half, *action == Action::HalfPageDown);
            }
            Action::Search => self.begin_search(),
            Action::NextHit | Action::PreviousHit if self.compare.search.trim().is_empty() => {
                self.say("nothing is searched for: / begins");
            }
            other => match self.compared() {
                Some(own) => self.move_row(&own, other),
                None => self.update_panes(other),
            },
        }
    }

    fn toggle_row(&mut self) {
        let Some(own) = self.compared() else { return };
        let row = self.row_in(&own.sheet, self.compare.focus);
        if !self.compare.toggled.remove(&row) {
            self.compare.toggled.insert(row);
        }
        self.compare.scroll = None;
    }

    /// Every pane goes on from the row that is selected now.
    fn toggle_lock(&mut self) {
        let Some(own) = self.compared() else { return };
        let row = self.row_in(&own.sheet, self.compare.focus);
        if self.compare.free.is_empty() {
            self.compare.free =
                vec![Cursor { row: Some(row), scroll: None }; self.compare.keys.len()];
            self.say("every pane scrolls on its own");
        } else {
            self.compare.free.clear();
            (self.compare.row, self.compare.scroll) = (Some(row), None);
            self.say("the panes scroll together");
        }
    }

    /// Scrolls without moving the selection.
    pub(in crate::app) fn scroll_compare(&mut self, by: usize, down: bool) {
        let focus = self.compare.focus;
        let (from, hidden) = self.layout.scrolls.get(focus).copied().unwrap_or_default();
        let next = if down { from + by } else { from.saturating_sub(by) };
        let next = Some(next.min(hidden));
        match self.compare.free.get_mut(focus) {
            Some(own) => own.scroll = next,
            None => self.compare.scroll = next,
        }
    }

    pub(in crate::app) fn select_row(&mut self, sheet: &Sheet, row: usize) {
        let focus = self.compare.focus;
        let row = row.min(sheet.rows.len().saturating_sub(1));
        if let Some(own) = self.compare.free.get_mut(focus) {
            *own = Cursor { row: Some(row), scroll: None };
        } else {
            (self.compare.row, self.compare.scroll) = (Some(row), None);
        }
        self.compare.turn = sheet.turn_at(row, focus).unwrap_or(0);
        self.compare.token = None;
    }

    fn move_row(&mut self, own: &Comparison, action: &Action) {
        let sheet = &own.sheet;
        let pane = self.compare.focus;
        let row = self.row_in(sheet, pane);
        let free = !self.compare.free.is_empty();
        // A pane on its own shows no gaps.
        let here = |row: &usize| {
            !free
                || sheet.rows[*row].kind != RowKind::Action
                || sheet.rows[*row].steps[pane].is_some()
        };
        let rows: Vec<usize> = (0..sheet.rows.len()).filter(here).collect();
        let next = match action {
            Action::Down => rows.iter().copied().find(|own| *own > row),
            Action::Up => rows.iter().copied().rfind(|own| *own < row),
            Action::First => rows.first().copied(),
            Action::Last => rows.last().copied(),
            Action::NextWeak | Action::PreviousWeak | Action::Weakest => {
                return self.go_to_weak(own, action);
            }
            Action::NextDivergence => return self.go_to_divergence(own, row),
            Action::NextError => {
                let found = next_of(sheet, row, |own| own.error);
                if found.is_none() {
                    self.say("no call failed, and the runs ended of themselves");
                }
                found
            }
            Action::NextHit | Action::PreviousHit => {
                return self.go_to_hit(own, row, *action == Action::NextHit);
            }
            other => return self.update_panes(other),
        };
        if let Some(next) = next {
            self.select_row(sheet, next);
        }
    }

    fn go_to_weak(&mut self, own: &Comparison, action: &Action) {
        let pane = self.compare.focus;
        let run = own.run(pane);
        let turn = own.sheet.turn_at(self.row_in(&own.sheet, pane), pane).unwrap_or(0);
        let weak = weak_turns(run, self.lens.base());
        let found = match action {
            Action::Weakest => self.turn_views(run).iter().position(|own| own.weakest),
            Action::NextWeak => weak.iter().find(|own| **own > turn).or(weak.first()).copied(),
            _ => weak.iter().rfind(|own| **own < turn).or(weak.last()).copied(),
        };
        match found.and_then(|turn| own.sheet.row_of_turn(pane, turn)) {
            Some(row) => self.select_row(&own.sheet, row),
            None => {
                self.say("no turn of this run is weaker than others: it has no log-probabilities");
            }
        }
    }

    /// The first row in which the runs part; from one of them the next.
    fn go_to_divergence(&mut self, own: &Comparison, row: usize) {
        let first = own.sheet.rows.iter().position(Row::parts);
        let found =
            if own.sheet.rows[row].parts() { next_of(&own.sheet, row, Row::parts) } else { first };
        match found {
            Some(row) => self.select_row(&own.sheet, row),
            None if own.opened.len() < 2 => self.say("there is only one pane: + adds another"),
            None => self.say("the runs do the same, with the same arguments"),
        }
    }

    pub(in crate::app) fn begin_search(&mut self) {
        if let Some(own) = self.compared() {
            self.compare.search_from = self.row_in(&own.sheet, self.compare.focus);
        }
        self.push_search(&self.compare.search.clone());
    }

    /// Every letter searches anew from where the search began.
    pub(in crate::app) fn search_runs(&mut self, words: &str) {
        words.clone_into(&mut self.compare.search);
        let Some(own) = self.compared().filter(|_| !words.trim().is_empty()) else { return };
        let from = self.compare.search_from.min(own.sheet.rows.len().saturating_sub(1));
        if row_holds(&own, from, words.trim()) {
            self.show_hit_row(&own, from);
        } else {
            self.go_to_hit(&own, from, true);
        }
    }

    /// Goes to a row and shows it whole: what was found may stand in what is else cut.
    fn show_hit_row(&mut self, own: &Comparison, row: usize) {
        self.select_row(&own.sheet, row);
        if !self.is_whole(row) && !self.compare.toggled.remove(&row) {
            self.compare.toggled.insert(row);
        }
    }

    fn go_to_hit(&mut self, own: &Comparison, row: usize, forwards: bool) {
        let words = self.compare.search.trim().to_owned();
        let count = own.sheet.rows.len();
        let place = |step: usize| {
            if forwards { (row + step) % count } else { (row + count - step) % count }
        };
        match (1..=count).map(place).find(|row| row_holds(own, *row, &words)) {
            Some(row) => self.show_hit_row(own, row),
            None => self.say(format!("nothing in these runs holds “{words}”")),
        }
    }
}

/// The next row of a kind, going round.
fn next_of(sheet: &Sheet, row: usize, fits: impl Fn(&Row) -> bool) -> Option<usize> {
    let count = sheet.rows.len();
    (1..=count).map(|step| (row + step) % count).find(|row| fits(&sheet.rows[*row]))
}

/// Whether anything that a row shows holds words.
fn row_holds(own: &Comparison, row: usize, words: &str) -> bool {
    (0..own.opened.len()).any(|pane| {
        crate::app::reader::row_messages(own, row, pane).into_iter().any(|message| {
            let texts = [message.content.as_deref(), message.reasoning.as_deref()];
            texts.into_iter().flatten().any(|text| holds(text, words))
                || message
                    .tool_calls
                    .iter()
                    .any(|call| holds(&call.name, words) || holds(&call.arguments, words))
        })
    })
}
