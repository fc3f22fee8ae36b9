//! Searches for words in the open runs: every occurrence, and moving from one to the next.

mod lines;

use std::sync::Arc;

use super::texts::row_texts;
use super::{Comparison, Panel, Seek, Sight};
use crate::text::{counted, find_all, visible};
use crate::ui::overlays::Overlay;
use crate::ui::screens::Go;
use crate::ui::shared::Shared;
use crate::ui::widgets::fit;
pub(super) use lines::{LineMark, marks};

/// Columns of the searched words where their hits are counted.
const WORDS_SHOWN: usize = 24;

/// A place where the searched words stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// The row.
    pub row: usize,
    /// The pane.
    pub pane: usize,
    /// Which of the places in this row of the pane, from 0.
    pub nth: usize,
}

impl Panel {
    pub(super) fn begin_search(&mut self, shared: &Shared) -> Go {
        if let Some(comparison) = self.compared(shared) {
            self.search_from = (self.row_in(&comparison.sheet, self.focus), self.focus);
        }
        Go::Show(Overlay::search(&self.search))
    }

    /// Goes to the first place that holds the words. Every letter searches anew from where the search
    /// began.
    pub(in crate::ui) fn search_for(&mut self, words: &str, shared: &mut Shared) {
        words.clone_into(&mut self.search);
        (self.carried, self.hit) = (false, None);
        let comparison = self.compared(shared).filter(|_| !words.trim().is_empty());
        let Some(comparison) = comparison else { return };
        let (row, pane) = self.search_from;
        let hits = self.hits(&comparison);
        let in_pane = hits.iter().find(|hit| (hit.row, hit.pane) == (row, pane));
        let from_row = || hits.iter().find(|hit| hit.row >= row);
        match in_pane.or_else(from_row).or_else(|| hits.first()).copied() {
            Some(hit) => self.show_hit(&comparison, hit, shared),
            None => self.say_unfound(shared),
        }
    }

    /// Takes over words that were searched for in the tasks, and goes to the first place that holds them
    /// once the runs are read.
    pub(in crate::ui) fn carry_search(&mut self, words: &str, shared: &Shared) {
        words.clone_into(&mut self.search);
        (self.carried, self.seek) = (true, Some(Seek::FirstHit));
        self.settle_position(shared);
    }

    /// Goes to the next place, or to the one before.
    pub(super) fn go_to_hit(
        &mut self,
        comparison: &Comparison,
        forwards: bool,
        shared: &mut Shared,
    ) {
        let hits = self.hits(comparison);
        let row = self.row_in(&comparison.sheet, self.focus);
        let current = self.hit.filter(|hit| (hit.row, hit.pane) == (row, self.focus));
        // From a row that was not found, all of this pane's places in it come next.
        let here = (row, self.focus);
        let next = match (current, forwards) {
            (Some(current), true) => hits.iter().find(|hit| **hit > current),
            (Some(current), false) => hits.iter().rfind(|hit| **hit < current),
            (None, true) => hits.iter().find(|hit| (hit.row, hit.pane) >= here),
            (None, false) => hits.iter().rfind(|hit| (hit.row, hit.pane) < here),
        };
        let round = if forwards { hits.first() } else { hits.last() };
        match next.or(round).copied() {
            Some(hit) => self.show_hit(comparison, hit, shared),
            None => self.say_unfound(shared),
        }
    }

    fn say_unfound(&self, shared: &mut Shared) {
        shared.say(format!("nothing in these runs contains “{}”", self.search.trim()));
    }

    /// Every place in the open runs that holds the words, row by row.
    pub fn hits(&self, comparison: &Comparison) -> Arc<Vec<Hit>> {
        let words = one_line(&self.search);
        self.found.get((self.keys.clone(), words.clone()), || {
            let panes = comparison.opened.len();
            let places = (0..comparison.sheet.rows.len())
                .flat_map(|row| (0..panes).map(move |pane| (row, pane)));
            let in_place = |(row, pane): (usize, usize)| {
                let texts = row_texts(comparison, row, pane).into_iter();
                let count: usize = texts.map(|text| find_all(&one_line(&text), &words).len()).sum();
                (0..count).map(move |nth| Hit { row, pane, nth })
            };
            Arc::new(places.flat_map(in_place).collect())
        })
    }

    /// How many places hold the words, and which one is selected: `“refund”: 3 of 17 hits`.
    pub(super) fn hits_in_words(&self, comparison: &Comparison) -> Option<String> {
        if self.search.trim().is_empty() {
            return None;
        }
        let hits = self.hits(comparison);
        let words = fit(&visible(self.search.trim()), WORDS_SHOWN);
        let index = self.hit.and_then(|current| hits.iter().position(|hit| *hit == current));
        let which = index.map_or(String::new(), |index| format!("{} of ", index + 1));
        Some(match hits.len() {
            0 => format!("“{words}”: no hits"),
            count => format!("“{words}”: {which}{}", counted(count as u64, "hit")),
        })
    }

    /// Goes to a place and shows its row whole, since the words may stand in what else is cut.
    pub(super) fn show_hit(&mut self, comparison: &Comparison, hit: Hit, shared: &Shared) {
        self.focus = hit.pane;
        self.select_row(&comparison.sheet, hit.row);
        (self.hit, self.sight) = (Some(hit), Sight::Hit);
        if !self.is_whole(hit.row, shared.display.detail) && !self.toggled.remove(&hit.row) {
            self.toggled.insert(hit.row);
        }
    }
}

/// A text with a space for every gap between words: words are found across line breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
