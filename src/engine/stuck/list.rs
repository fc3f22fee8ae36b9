//! Tasks that no draw solves although the draws agree.

use super::{Scope, Solvability};
use crate::engine::frame::mean;
use crate::engine::{Engine, Frame, TaskId};
use crate::model::natural_order;
use crate::scorers::Formula;
use crate::scorers::consistency::Consistency;
use crate::scorers::pattern::{Pattern, pattern};
use crate::store::{Store, StoreError};

/// The mean agreement with the reference from which a task that is never solved is stuck.
pub const STUCK_AGREEMENT: f64 = 0.75;

/// The filter that selects stuck tasks; it takes a draw without a label for one that failed.
pub const STUCK_FILTER: &str = "solved = 0 and draws > 1 and agreement >= 0.75";

/// A task that no draw solves, and how far its draws agree.
#[derive(Clone, Debug, PartialEq)]
pub struct StuckTask {
    /// Which task.
    pub id: TaskId,
    /// Mean agreement of its samples with the reference.
    pub score: f64,
    /// The scorer that measured it: `ter` where a judge decided, else `aec`.
    pub by: &'static str,
    /// Draws of the task, with the reference.
    pub draws: usize,
    /// Whether the agreement reaches [`STUCK_AGREEMENT`].
    pub is_stuck: bool,
}

impl Frame {
    /// Mean agreement of a task's samples with its reference, of all of its draws where every draw is a
    /// row: outcomes by a judge where there is one, else actions. NaN without a sample.
    pub fn agreement(&self, task: usize) -> f64 {
        self.measured(task).0
    }

    /// The agreement, and the scorer that measured it.
    fn measured(&self, task: usize) -> (f64, &'static str) {
        let mean = |scorer: &str| {
            let values = self.pair_values(scorer).map(|pairs| self.task_pairs(task, pairs));
            mean(values.into_iter().flatten())
        };
        let (by_judge, by_action) = (Formula::Equivalence.id(), Consistency::Aec.id());
        let judged = mean(by_judge);
        if judged.is_nan() { (mean(by_action), by_action) } else { (judged, by_judge) }
    }

    /// Whether a task is stuck: all of two or more draws are labelled, none succeeded, and they
    /// agree by at least [`STUCK_AGREEMENT`].
    pub fn is_stuck(&self, task: usize) -> bool {
        let never = Solvability::of(&self.tasks[task]) == Some(Solvability::Never);
        never && self.agreement(task) >= STUCK_AGREEMENT
    }
}

impl Engine {
    /// The tasks of a scope that no draw solves, those that agree most first. Tasks whose draws cannot
    /// be compared are left out, as in [`Engine::stuck_tasks`].
    pub fn stuck_list(&self, scope: &Scope) -> Vec<StuckTask> {
        let cells = self.cells_of(scope).into_iter();
        let tasks = cells.flat_map(|cell| {
            let frame = &self.frames[cell];
            let never = frame
                .first_rows()
                .filter(|task| Solvability::of(&frame.tasks[*task]) == Some(Solvability::Never));
            never.filter_map(move |task| {
                let (score, by) = frame.measured(task);
                let id = TaskId { cell: cell as u32, task: task as u32 };
                let (draws, is_stuck) = (frame.tasks[task].draws(), frame.is_stuck(task));
                (!score.is_nan()).then_some(StuckTask { id, score, by, draws, is_stuck })
            })
        });
        let mut tasks: Vec<StuckTask> = tasks.collect();
        let name = |id: TaskId| {
            let frame = &self.frames[id.cell as usize];
            (&frame.cell, frame.tasks[id.task as usize].id.as_str())
        };
        tasks.sort_by(|a, b| {
            let ((cell_a, task_a), (cell_b, task_b)) = (name(a.id), name(b.id));
            let by_name = || cell_a.cmp(cell_b).then_with(|| natural_order(task_a, task_b));
            b.score.total_cmp(&a.score).then_with(by_name)
        });
        tasks
    }

    /// The pattern of each task's draws; their actions are read from the store.
    pub fn patterns(
        &self,
        store: &Store,
        ids: &[TaskId],
    ) -> Result<Vec<Option<Pattern>>, StoreError> {
        let rows = ids.iter().map(|id| {
            let task = &self.frames[id.cell as usize].tasks[id.task as usize];
            u64::from(task.row)..u64::from(task.row) + task.draws() as u64
        });
        let tasks = store.action_types(&rows.collect::<Vec<_>>())?;
        let patterns = tasks.iter().map(|draws| {
            let draws: Vec<&[String]> = draws.iter().map(Vec::as_slice).collect();
            pattern(&draws)
        });
        Ok(patterns.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_names_the_same_agreement() {
        assert!(STUCK_FILTER.ends_with(&format!("agreement >= {STUCK_AGREEMENT}")));
    }
}
