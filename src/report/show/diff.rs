//! Where the first two of some runs differ.

use std::ops::Range;

use super::action::ShownAction;
use super::runs::SideBySide;
use super::{diff_json, diff_text};
use crate::compare::{ArgumentDifference, Contrast, RowKind, differences};
use crate::report::OutputFormat;

/// How a diff is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffOptions {
    /// Rows around those that differ.
    pub context: usize,
    /// Compare what the agent said, too.
    pub words: bool,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self { context: 3, words: false }
    }
}

/// How two runs differ in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffKind {
    /// They do not.
    Same,
    /// Only the first acts.
    OnlyFirst,
    /// Only the second acts.
    OnlySecond,
    /// They take different actions.
    Other,
    /// They make the same call with different arguments.
    Arguments,
    /// They do the same in different words.
    Words,
}

impl DiffKind {
    /// The word that JSON uses.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::OnlyFirst => "only-a",
            Self::OnlySecond => "only-b",
            Self::Other => "other",
            Self::Arguments => "arguments",
            Self::Words => "words",
        }
    }
}

/// A row of the sheet in which one of the two runs acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffRow {
    /// Its index in the sheet.
    pub row: usize,
    /// How the runs differ in it.
    pub kind: DiffKind,
    /// Where the arguments differ.
    pub differences: Vec<ArgumentDifference>,
}

/// The first two of some runs compared; one alone is the same as itself.
#[derive(Clone, Debug)]
pub struct Diff<'s> {
    /// The runs.
    pub shown: &'s SideBySide<'s>,
    /// No row differs.
    pub same: bool,
    /// The words of some message differ, whether or not words are compared.
    pub words_differ: bool,
    /// The rows in which one of the runs acts.
    pub rows: Vec<DiffRow>,
    hunks: Vec<Range<usize>>,
    options: DiffOptions,
}

impl<'s> Diff<'s> {
    /// Compares the first two runs.
    pub fn new(shown: &'s SideBySide<'s>, options: DiffOptions) -> Self {
        let rows = shown.sheet.rows.iter().enumerate();
        let actions = rows.filter(|(_, row)| row.kind == RowKind::Action);
        let rows: Vec<DiffRow> =
            actions.filter_map(|(row, _)| diff_row(shown, row, options.words)).collect();
        let words_differ =
            rows.iter().any(|row| differing_words(actions_of(shown, row.row)).is_some());
        let same = rows.iter().all(|row| row.kind == DiffKind::Same);
        let hunks = hunks(&rows, options.context);
        Self { shown, same, words_differ, rows, hunks, options }
    }

    /// Writes the diff.
    pub fn render(&self, format: OutputFormat) -> String {
        match format {
            OutputFormat::Markdown => diff_text::markdown(self),
            OutputFormat::Json | OutputFormat::JsonLines => diff_json::render(self),
            _ => diff_text::text(self),
        }
    }

    /// The rows that differ, with their neighbours.
    pub fn hunks(&self) -> impl Iterator<Item = &[DiffRow]> {
        self.hunks.iter().map(|hunk| &self.rows[hunk.clone()])
    }

    /// Edits that lead from the actions of the first run to those of the second.
    pub(super) fn edits(&self) -> usize {
        if self.shown.runs.len() > 1 { self.shown.sheet.edits(1) } else { 0 }
    }

    /// What the two runs do in a row.
    pub(super) fn actions(&self, row: &DiffRow) -> [Option<ShownAction<'_>>; 2] {
        actions_of(self.shown, row.row)
    }

    /// What the two runs say in a row, if they say it differently and words are compared.
    pub(super) fn words(&self, row: &DiffRow) -> Option<(&str, &str)> {
        differing_words(self.actions(row)).filter(|_| self.options.words)
    }
}

fn actions_of<'s>(shown: &'s SideBySide<'_>, row: usize) -> [Option<ShownAction<'s>>; 2] {
    [0, 1].map(|pane| shown.action(row, pane))
}

/// What two runs say in the same action, if they say it differently.
fn differing_words(actions: [Option<ShownAction<'_>>; 2]) -> Option<(&str, &str)> {
    let [Some(first), Some(second)] = actions else { return None };
    let words = [first, second].map(|action| action.words().unwrap_or_default());
    (first.name() == second.name() && words[0] != words[1]).then_some((words[0], words[1]))
}

/// How two runs differ in a row; none for a row of other runs only.
fn diff_row(shown: &SideBySide<'_>, row: usize, words: bool) -> Option<DiffRow> {
    let actions = actions_of(shown, row);
    let alone = shown.runs.len() < 2;
    let mut kind = match actions {
        [None, None] => return None,
        [Some(_), None] if !alone => DiffKind::OnlyFirst,
        [None, Some(_)] => DiffKind::OnlySecond,
        [_, second] => match second.map(|action| action.contrast) {
            Some(Contrast::Other) => DiffKind::Other,
            Some(Contrast::Arguments(_)) => DiffKind::Arguments,
            _ => DiffKind::Same,
        },
    };
    let differences = if kind == DiffKind::Arguments {
        let [first, second] = actions.map(|action| action.and_then(ShownAction::arguments));
        differences(first.unwrap_or_default(), second.unwrap_or_default())
    } else {
        Vec::new()
    };
    if words && kind == DiffKind::Same && differing_words(actions).is_some() {
        kind = DiffKind::Words;
    }
    Some(DiffRow { row, kind, differences })
}

/// Ranges of rows that differ, with those around them.
fn hunks(rows: &[DiffRow], context: usize) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for index in (0..rows.len()).filter(|index| rows[*index].kind != DiffKind::Same) {
        let start = index.saturating_sub(context);
        let end = index.saturating_add(context).saturating_add(1).min(rows.len());
        match hunks.last_mut().filter(|last| last.end >= start) {
            Some(last) => last.end = end,
            None => hunks.push(start..end),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_differences_share_a_hunk() {
        let rows: Vec<DiffRow> = "..x....x.x..x"
            .chars()
            .enumerate()
            .map(|(row, letter)| {
                let kind = if letter == 'x' { DiffKind::Other } else { DiffKind::Same };
                DiffRow { row, kind, differences: Vec::new() }
            })
            .collect();
        assert_eq!(hunks(&rows, 1), [1..4, 6..13]);
        assert_eq!(hunks(&rows, 0), [2..3, 7..8, 9..10, 12..13]);
        assert_eq!(hunks(&rows, usize::MAX), vec![0..rows.len(); 1]);
        assert_eq!(hunks(&rows[..2], 3), [0..0; 0]);
    }
}
