//! The position in the runs, to return to.

use std::collections::BTreeSet;

use super::{Cursor, PaneSpec, Panel};
use crate::engine::TaskId;
use crate::ui::renewal::NewIds;
use crate::ui::shared::Shared;
use crate::ui::widgets::Memo;

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

impl PanelPosition {
    /// Shows the same runs of a task in another reading of the store.
    pub(in crate::ui) fn renew(&mut self, task: Option<TaskId>, ids: &NewIds<'_>) {
        self.specs.iter_mut().for_each(|spec| spec.renew(task, ids));
    }
}

impl Panel {
    /// The store was read anew: the panes show the same runs, and nothing that was laid out holds any more.
    pub(in crate::ui) fn renew(&mut self, ids: &NewIds<'_>) {
        let task = self.task;
        self.specs.iter_mut().for_each(|spec| spec.renew(task, ids));
        self.keys = self.keys.iter().filter_map(|key| ids.run(*key)).collect();
        self.task = task.and_then(|id| ids.task(id));
        (self.found, self.sheet) = (Memo::default(), Memo::default());
        (self.laid_out, self.token_lines) = (Memo::default(), Memo::default());
        (self.effects, self.loops) = (Memo::default(), Memo::default());
        (self.sections, self.range) = (Memo::default(), Memo::default());
    }

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
