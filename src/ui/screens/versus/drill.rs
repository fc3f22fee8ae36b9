//! What Enter opens: a task with one run from each cell, or the tasks of the second cell.

use super::{Pane, Versus};
use crate::ui::screens::{Go, Target};
use crate::ui::shared::{RunKey, Shared};

impl Versus {
    /// Opens the selected task, or the tasks of the second cell under the selected scorer.
    pub(super) fn drill(&self, shared: &mut Shared) -> Go {
        if self.pane == Pane::Numbers {
            return self.open_tasks(shared);
        }
        let Some(task) = self.listed().get(self.index) else {
            shared.say("there is no task in this list");
            return Go::Stay;
        };
        let runs = [0, 1].map(|side| RunKey { id: task.ids[side], draw: task.draws[side] });
        Go::Open(Target::Runs(task.ids[0], runs))
    }

    fn open_tasks(&self, shared: &mut Shared) -> Go {
        let scorer = self.rows(shared).get(self.row).and_then(|row| row.scorer.clone());
        let Some([_, second]) = self.pair(shared) else { return Go::Stay };
        if let Some(scorer) = scorer {
            shared.set_scorer(scorer);
        }
        shared.select_cell(second);
        shared.tasks.all_cells = false;
        Go::Open(Target::Tasks)
    }
}
