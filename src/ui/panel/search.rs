//! Searching words in the open runs.

use super::texts::row_messages;
use super::{Comparison, Panel};
use crate::text::holds;
use crate::ui::overlays::Overlay;
use crate::ui::screens::Go;
use crate::ui::shared::Shared;

impl Panel {
    pub(super) fn begin_search(&mut self, shared: &Shared) -> Go {
        if let Some(comparison) = self.compared(shared) {
            self.search_from = self.row_in(&comparison.sheet, self.focus);
        }
        Go::Show(Overlay::search(&self.search))
    }

    /// Goes to the first row that holds the words. Every letter searches anew from where the search
    /// began.
    pub(in crate::ui) fn search_for(&mut self, words: &str, shared: &mut Shared) {
        words.clone_into(&mut self.search);
        let comparison = self.compared(shared).filter(|_| !words.trim().is_empty());
        let Some(comparison) = comparison else { return };
        let from = self.search_from.min(comparison.sheet.rows.len().saturating_sub(1));
        if row_holds(&comparison, from, words.trim()) {
            self.show_hit(&comparison, from, shared);
        } else {
            self.go_to_hit(&comparison, from, true, shared);
        }
    }

    pub(super) fn go_to_hit(
        &mut self,
        comparison: &Comparison,
        row: usize,
        forwards: bool,
        shared: &mut Shared,
    ) {
        let words = self.search.trim().to_owned();
        let count = comparison.sheet.rows.len();
        let after = |step: usize| {
            if forwards { (row + step) % count } else { (row + count - step) % count }
        };
        match (1..=count).map(after).find(|row| row_holds(comparison, *row, &words)) {
            Some(row) => self.show_hit(comparison, row, shared),
            None => shared.say(format!("nothing in these runs holds “{words}”")),
        }
    }

    /// Goes to a row and shows it whole, since what was found may stand in what else is cut.
    fn show_hit(&mut self, comparison: &Comparison, row: usize, shared: &Shared) {
        self.select_row(&comparison.sheet, row);
        if !self.is_whole(row, shared.display.detail) && !self.toggled.remove(&row) {
            self.toggled.insert(row);
        }
    }
}

/// Whether anything that a row shows holds words.
fn row_holds(comparison: &Comparison, row: usize, words: &str) -> bool {
    (0..comparison.opened.len()).any(|pane| {
        row_messages(comparison, row, pane).into_iter().any(|message| {
            let texts = [message.content.as_deref(), message.reasoning.as_deref()];
            let mut calls = message.tool_calls.iter();
            texts.into_iter().flatten().any(|text| holds(text, words))
                || calls.any(|call| holds(&call.name, words) || holds(&call.arguments, words))
        })
    })
}
