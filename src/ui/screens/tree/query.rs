//! The actions of all draws, read in the background.

use std::ops::Range;
use std::sync::Arc;

use crate::compare::{DrawTree, TreeDraw};
use crate::engine::TaskId;
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::Shared;

/// The tree of a task's draws.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TreeQuery {
    /// The rows of the draws in the store's table.
    rows: Range<u64>,
    /// Their numbers and outcomes.
    draws: Vec<(u32, Option<bool>)>,
    /// Whether none of them is the reference.
    is_pooled: bool,
}

impl TreeQuery {
    /// Of a task; none before the store is read.
    pub(super) fn of(id: TaskId, shared: &Shared) -> Option<Self> {
        let task = shared.task_of(id)?;
        let rows = u64::from(task.row)..u64::from(task.row) + task.draws() as u64;
        let draws = task.draws_in_order().into_iter();
        let draws = draws.map(|draw| (draw, task.outcome(draw))).collect();
        Some(Self { rows, draws, is_pooled: shared.is_pooled(id.cell) })
    }
}

impl Query for TreeQuery {
    type Answer = Result<Arc<DrawTree>, String>;
    const LANE: Lane = Lane::Tree;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let answer = match worker.store.action_types(&[self.rows]) {
            Ok(tasks) => {
                let actions = tasks.into_iter().flatten();
                let draws = self
                    .draws
                    .into_iter()
                    .zip(actions)
                    .map(|((draw, success), actions)| TreeDraw { draw, success, actions });
                let tree = DrawTree::new(draws.collect());
                Ok(Arc::new(DrawTree { is_pooled: self.is_pooled, ..tree }))
            }
            Err(error) => Err(error.to_string()),
        };
        send(answer);
    }
}
