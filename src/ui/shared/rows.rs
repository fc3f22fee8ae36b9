//! Rows of cells in which every draw is one.

use super::{RunKey, Shared};
use crate::engine::{Frame, TaskId};

impl Shared {
    /// Whether every draw is a row of a cell, because none is the reference.
    pub fn is_pooled(&self, cell: u32) -> bool {
        let frame = self.engine().and_then(|engine| engine.frames().get(cell as usize));
        frame.is_some_and(Frame::is_pooled)
    }

    /// The row in which the outcome and scores of a run count; none of a sample.
    pub fn row_of(&self, run: RunKey) -> Option<TaskId> {
        let frame = self.engine()?.frames().get(run.id.cell as usize)?;
        let task = frame.row_with(run.id.task as usize, run.draw)? as u32;
        Some(TaskId { task, ..run.id })
    }

    /// What a row is called: its task, with the draw where every draw is a row.
    pub fn task_label(&self, id: TaskId) -> Option<String> {
        let frame = self.engine()?.frames().get(id.cell as usize)?;
        Some(frame.tasks.get(id.task as usize)?.label(frame))
    }

    /// All rows of a row's task.
    pub fn rows_of(&self, id: TaskId) -> Vec<TaskId> {
        let frame = self.engine().and_then(|engine| engine.frames().get(id.cell as usize));
        let rows = frame.map_or(id.task as usize..id.task as usize + 1, |frame| {
            frame.rows_of(id.task as usize)
        });
        rows.map(|task| TaskId { task: task as u32, ..id }).collect()
    }
}
