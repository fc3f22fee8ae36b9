//! The rows of the comparison as lines of some width: wrapped once, drawn often.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::writer::Writer;
use super::{Comparison, Detail, Panel};
use crate::ui::shared::{RunKey, Shared};

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Words of the agent.
    Agent,
    /// A call.
    Call,
    /// What the counterpart lacks, in the first pane.
    Removed,
    /// What the counterpart lacks, in another.
    Added,
    /// What a tool returned.
    Result,
    /// What a failed call returned.
    Error,
    /// The user, or instructions.
    User,
    /// Thoughts, fixed texts.
    Dim,
    /// What is said about a text: its size, how much of it is not shown.
    Aside,
    /// A note.
    Note,
}

/// A line: pieces of text.
pub type InkLine = Vec<(String, Ink)>;

/// What a pane shows in a row, below its head.
pub type Block = Vec<InkLine>;

/// What the blocks depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockKey {
    keys: Vec<RunKey>,
    /// The panes that are shown, with their widths.
    panes: Vec<(usize, usize)>,
    focus: usize,
    detail: Detail,
    toggled: BTreeSet<usize>,
    /// The row of the selected hit, of which more is laid out.
    searched: Option<usize>,
    words: bool,
    notes: usize,
    blind: bool,
}

/// The blocks of all rows.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// By shown pane and row.
    pub panes: Vec<Vec<Block>>,
}

impl Panel {
    /// The blocks of some panes, given their widths.
    pub fn blocks(
        &self,
        comparison: &Comparison,
        panes: &[(usize, usize)],
        shared: &Shared,
    ) -> Arc<Blocks> {
        let key = BlockKey {
            keys: self.keys.clone(),
            panes: panes.to_vec(),
            focus: self.focus,
            detail: shared.display.detail,
            toggled: self.toggled.clone(),
            searched: self.hit.map(|hit| hit.row),
            words: shared.display.words,
            notes: shared.notes.version(),
            blind: self.blind,
        };
        self.laid_out.get(key, || {
            let rows = 0..comparison.sheet.rows.len();
            let pane = |&(pane, room): &(usize, usize)| {
                let writer = || Writer::new(self, shared, comparison, pane, room);
                rows.clone().map(|row| writer().block(row)).collect()
            };
            Arc::new(Blocks { panes: panes.iter().map(pane).collect() })
        })
    }

    /// The pane that another is compared with.
    pub fn counterpart(&self, pane: usize) -> Option<usize> {
        match pane {
            _ if self.keys.len() < 2 => None,
            0 => Some(self.focus.max(1)),
            _ => Some(0),
        }
    }
}
