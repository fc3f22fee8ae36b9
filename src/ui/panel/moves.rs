//! Moving over the rows, and the other effects of keys and clicks on the runs.

use super::{Comparison, Cursor, Detail, Panel, Sight, Spot};
use crate::compare::{RowKind, Sheet, SheetRow, weak_turns};
use crate::ui::action::Action;
use crate::ui::overlays::NoteEditor;
use crate::ui::screens::Go;
use crate::ui::shared::Shared;
use crate::ui::view::Named as _;

/// Lines that one step of the wheel scrolls.
const WHEEL: usize = 3;

impl Panel {
    /// Does what a key asks for; passes on what the runs have no part in.
    pub(in crate::ui) fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        if self.keys.is_empty() && needs_run(action) {
            shared.say("there is no run here");
            return Go::Stay;
        }
        match action {
            Action::Fold => self.toggle_row(shared),
            Action::FoldAll => {
                shared.display.detail = shared.display.detail.next();
                self.scroll = None;
                self.toggled.clear();
            }
            Action::WordDiff => {
                shared.display.words = !shared.display.words;
                let compared = if shared.display.words { "compared" } else { "not compared" };
                shared.say(format!("words are {compared}"));
            }
            Action::Lock => self.toggle_lock(shared),
            Action::TokenHeat => self.next_heat(shared),
            Action::LeastToken => self.move_token(action, shared),
            Action::Left | Action::Right if shared.display.heat.is_some() => {
                self.move_token(action, shared);
            }
            Action::Left => return self.update_panes(&Action::PreviousPane, shared),
            Action::Right => return self.update_panes(&Action::NextPane, shared),
            Action::Drill => return self.read_row(shared),
            Action::ReadSide => return self.read_side(shared),
            Action::HalfPageDown | Action::HalfPageUp => {
                self.scroll_by((self.page / 2).max(1), *action == Action::HalfPageDown);
            }
            Action::Search => return self.begin_search(shared),
            Action::Back if !self.search.is_empty() && !self.carried => {
                self.search.clear();
                (self.hit, self.sight) = (None, Sight::Row);
            }
            Action::Note => {
                let about = self.note_choices(shared);
                return NoteEditor::open(about, shared);
            }
            Action::MarkError => return self.mark_error(shared),
            Action::SetCause(run, turn, cause) => shared.save_label(*run, *turn, *cause),
            Action::NextHit | Action::PreviousHit if self.search.trim().is_empty() => {
                shared.say("no search yet: / starts one");
            }
            other => {
                return match self.compared(shared) {
                    Some(comparison) => self.move_row(&comparison, other, shared),
                    None => self.update_panes(other, shared),
                };
            }
        }
        Go::Stay
    }

    /// Scrolls as the wheel does: the selection stays.
    pub(in crate::ui) fn wheel(&mut self, down: bool) -> Go {
        self.scroll_by(WHEEL, down);
        Go::Stay
    }

    /// A click selects a row or a token; on the selected row it reads it.
    pub(in crate::ui) fn click(&mut self, spot: &Spot, dragged: bool, shared: &Shared) -> Go {
        match *spot {
            _ if dragged => Go::Stay,
            Spot::Row(pane, row) => self.click_row(pane, row, shared),
            Spot::Token(token) => {
                self.token = Some(token);
                Go::Stay
            }
        }
    }

    fn click_row(&mut self, pane: usize, row: usize, shared: &Shared) -> Go {
        let Some(comparison) = self.compared(shared) else { return Go::Stay };
        let again = self.focus == pane && self.row_in(&comparison.sheet, pane) == row;
        self.focus_pane(pane, shared);
        if again {
            return self.read_row(shared);
        }
        self.select_row(&comparison.sheet, row);
        Go::Stay
    }

    fn toggle_row(&mut self, shared: &mut Shared) {
        let Some(comparison) = self.compared(shared) else { return };
        let row = self.row_in(&comparison.sheet, self.focus);
        let is_other = !self.toggled.remove(&row);
        if is_other {
            self.toggled.insert(row);
        }
        self.scroll = None;
        // A short row looks the same either way.
        shared.say(match (is_other, shared.display.detail) {
            (false, _) => "this row is shown like the others",
            (true, Detail::Whole) => "this row is shown in short",
            (true, _) => "this row is shown whole",
        });
    }

    /// Lets every pane go on by itself from the selected row, or all together again.
    fn toggle_lock(&mut self, shared: &mut Shared) {
        let Some(comparison) = self.compared(shared) else { return };
        let row = Some(self.row_in(&comparison.sheet, self.focus));
        if self.free.is_empty() {
            self.free = vec![Cursor { row, scroll: None }; self.keys.len()];
            shared.say("every pane scrolls on its own");
        } else {
            self.free.clear();
            (self.row, self.scroll) = (row, None);
            shared.say("the panes scroll together");
        }
    }

    /// Scrolls without moving the selection.
    fn scroll_by(&mut self, lines: usize, down: bool) {
        let (first, hidden) = self.scrolls.get(self.focus).copied().unwrap_or_default();
        let next = if down { first + lines } else { first.saturating_sub(lines) };
        let next = Some(next.min(hidden));
        match self.free.get_mut(self.focus) {
            Some(cursor) => cursor.scroll = next,
            None => self.scroll = next,
        }
    }

    pub(super) fn select_row(&mut self, sheet: &Sheet, row: usize) {
        let row = row.min(sheet.rows.len().saturating_sub(1));
        if let Some(cursor) = self.free.get_mut(self.focus) {
            *cursor = Cursor { row: Some(row), scroll: None };
        } else {
            (self.row, self.scroll) = (Some(row), None);
        }
        self.turn = sheet.turn_at(row, self.focus).unwrap_or(0);
        (self.token, self.hit, self.sight) = (None, None, Sight::Row);
    }

    fn move_row(&mut self, comparison: &Comparison, action: &Action, shared: &mut Shared) -> Go {
        let sheet = &comparison.sheet;
        let row = self.row_in(sheet, self.focus);
        let next = match action {
            Action::Down => self.rows(sheet).into_iter().find(|other| *other > row),
            Action::Up => self.rows(sheet).into_iter().rfind(|other| *other < row),
            Action::First => self.rows(sheet).first().copied(),
            Action::Last => self.rows(sheet).last().copied(),
            Action::NextWeak | Action::PreviousWeak | Action::Weakest => {
                self.weak_row(comparison, action, shared)
            }
            Action::NextDivergence => diverging_row(comparison, row, shared),
            Action::NextError => {
                let found = next_row(sheet, row, |row| row.error);
                match found {
                    None => shared.say("no call failed, and no run was cut off"),
                    Some(next) if next == row => shared.say("this is the only error"),
                    Some(_) => {}
                }
                found
            }
            Action::NextHit | Action::PreviousHit => {
                self.go_to_hit(comparison, *action == Action::NextHit, shared);
                None
            }
            other => return self.update_panes(other, shared),
        };
        if let Some(next) = next {
            self.select_row(sheet, next);
            if *action == Action::NextDivergence {
                self.sight = Sight::Third;
            }
        }
        Go::Stay
    }

    /// The rows that the focused pane shows; one that scrolls on its own shows no gaps.
    fn rows(&self, sheet: &Sheet) -> Vec<usize> {
        let shown = |row: &SheetRow| {
            self.free.is_empty() || row.kind != RowKind::Action || row.steps[self.focus].is_some()
        };
        (0..sheet.rows.len()).filter(|row| shown(&sheet.rows[*row])).collect()
    }

    fn weak_row(
        &self,
        comparison: &Comparison,
        action: &Action,
        shared: &mut Shared,
    ) -> Option<usize> {
        let run = comparison.run(self.focus);
        let turn = self.turn_in_focus(&comparison.sheet).unwrap_or(0);
        let weak = weak_turns(run, shared.lens.base());
        let found = match action {
            Action::Weakest => shared.turn_views(run).iter().position(|view| view.weakest),
            Action::NextWeak => weak.iter().find(|weak| **weak > turn).or(weak.first()).copied(),
            _ => weak.iter().rfind(|weak| **weak < turn).or(weak.last()).copied(),
        };
        let row = found.and_then(|turn| comparison.sheet.row_of_turn(self.focus, turn));
        match row {
            None => {
                shared
                    .say("no turn of this run is weaker than others: it has no log-probabilities");
            }
            Some(row) if row != self.row_in(&comparison.sheet, self.focus) => {}
            Some(_) if *action == Action::Weakest => shared.say("this is the weakest turn"),
            Some(_) => shared.say("this is the only weak turn"),
        }
        row
    }
}

/// Whether an action is about a run that is on screen.
fn needs_run(action: &Action) -> bool {
    matches!(
        action,
        Action::Drill
            | Action::ReadSide
            | Action::Fold
            | Action::Lock
            | Action::LeastToken
            | Action::NextWeak
            | Action::PreviousWeak
            | Action::Weakest
            | Action::NextDivergence
            | Action::NextError
            | Action::NextChoice
            | Action::PreviousChoice
            | Action::SwapPane
    )
}

/// The first row in which the runs diverge; from one of them the next.
fn diverging_row(comparison: &Comparison, row: usize, shared: &mut Shared) -> Option<usize> {
    let rows = &comparison.sheet.rows;
    let found = if rows[row].diverges() {
        next_row(&comparison.sheet, row, SheetRow::diverges)
    } else {
        comparison.sheet.first_divergence()
    };
    match found {
        None if comparison.opened.len() < 2 => shared.say("there is only one pane: + adds another"),
        None => shared.say("the runs do the same, with the same arguments"),
        Some(next) if next == row => shared.say("this is the only divergence"),
        Some(_) => {}
    }
    found
}

/// The next row of a kind, going round.
fn next_row(sheet: &Sheet, row: usize, fits: impl Fn(&SheetRow) -> bool) -> Option<usize> {
    let count = sheet.rows.len();
    (1..=count).map(|step| (row + step) % count).find(|row| fits(&sheet.rows[*row]))
}
