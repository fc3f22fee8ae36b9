//! The position in the runs, to return to.

use std::collections::BTreeSet;

use super::{Cursor, PaneSpec, Panel};
use crate::ui::shared::Shared;

/// Where one is in the runs.
#[derive(Clone, Debug)]
pub struct PanelPosition {
    specs: Vec<PaneSpec>,
    focus: usize,
    turn: usize,
    row: Option<usize>,
    scroll: Option<usize>,
    free: Vec<Cursor>,
    toggled: BTreeSet<usize>,
}

impl Panel {
    /// Where one is in the runs.
    pub(in crate::ui) fn position(&self) -> PanelPosition {
        PanelPosition {
            specs: self.specs.clone(),
            focus: self.focus,
            turn: self.turn,
            row: self.row,
            scroll: self.scroll,
            free: self.free.clone(),
            toggled: self.toggled.clone(),
        }
    }

    /// Goes back to where one was in the runs of the selected task.
    pub(in crate::ui) fn resume(&mut self, position: &PanelPosition, shared: &Shared) {
        self.keep_position(shared);
        self.specs.clone_from(&position.specs);
        self.free.clone_from(&position.free);
        self.focus = position.focus;
        self.settle_panes(shared);
        (self.turn, self.row, self.scroll) = (position.turn, position.row, position.scroll);
        self.toggled.clone_from(&position.toggled);
        self.token = None;
    }
}
