//! What a note can be about: the selected turn, its run or the task.

use super::Panel;
use crate::ui::shared::{About, RunKey, Shared};

impl Panel {
    /// What a note can be about, from the turn to the task.
    pub(super) fn note_choices(&self, shared: &Shared) -> Vec<About> {
        let Some(comparison) = self.compared(shared) else {
            return shared.task.map(About::task).into_iter().collect();
        };
        let RunKey { id, draw } = self.keys[self.focus];
        let run = About { draw: Some(draw), ..About::task(id) };
        let turn = self.turn_in_focus(&comparison.sheet);
        let turn = turn.map(|turn| About { turn: Some(turn as u32), ..run });
        turn.into_iter().chain([run, About::task(id)]).collect()
    }
}
