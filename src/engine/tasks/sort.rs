//! Orders the rows of the task table.

use std::borrow::Cow;
use std::cmp::Ordering;

use rayon::prelude::*;

use super::table::Scores;
use super::{Column, Noted, TaskId, TaskQuery, number, value};
use crate::engine::{Engine, Frame};
use crate::filter::{FieldKind, Value};
use crate::model::{Basis, natural_order};

impl Engine {
    /// Orders rows by the query's column; rows without a value come last.
    pub(super) fn sort(
        &self,
        rows: &mut [TaskId],
        scores: &[Option<Scores>],
        query: &TaskQuery,
        noted: &Noted,
    ) {
        if query.sort == Column::Task {
            self.sort_by_task(rows, query.descending);
        } else if query.sort.kind() == FieldKind::Text {
            self.sort_by_text(rows, query);
        } else {
            self.sort_by_number(rows, scores, query, noted);
        }
    }

    fn frame_of(&self, id: TaskId) -> &Frame {
        &self.frames()[id.cell as usize]
    }

    fn sort_by_task(&self, rows: &mut [TaskId], descending: bool) {
        // Tasks are in this order already, cell by cell.
        rows.par_sort_by(|a, b| {
            let name = |id: TaskId| self.frame_of(id).tasks[id.task as usize].id.as_str();
            natural_order(name(*a), name(*b))
        });
        if descending {
            rows.reverse();
        }
    }

    fn sort_by_text(&self, rows: &mut [TaskId], query: &TaskQuery) {
        let text = |id: TaskId| {
            let frame = self.frame_of(id);
            let task = &frame.tasks[id.task as usize];
            let text = match query.sort {
                Column::Dataset => Some(frame.cell.dataset.as_str()),
                Column::Model => Some(frame.cell.model.as_str()),
                Column::Condition => Some(frame.cell.condition.as_str()),
                Column::Basis => task.checks.basis.as_ref().map(Basis::as_str),
                Column::FailedCheck => return task.checks.failed_names().map(Cow::Owned),
                _ => task.termination.as_deref(),
            };
            text.map(Cow::Borrowed)
        };
        rows.par_sort_by(|a, b| absent_last(text(*a), text(*b), query.descending, Ord::cmp));
    }

    fn sort_by_number(
        &self,
        rows: &mut [TaskId],
        scores: &[Option<Scores>],
        query: &TaskQuery,
        noted: &Noted,
    ) {
        let scorer = match &query.sort {
            Column::Scorer(scorer) => Some(scorer),
            Column::Score => Some(&query.scorer),
            _ => None,
        };
        let ranked: Vec<Option<Vec<f64>>> = (self.frames().par_iter().zip(scores))
            .map(|(frame, scores)| {
                let scorer = scores.as_ref().and(scorer)?;
                frame.values(scorer).map(|values| values.rank)
            })
            .collect();
        let key = |id: TaskId| {
            let scores = scores[id.cell as usize].as_ref()?;
            let value = match &query.sort {
                // Where a log ranks, the confidences may underflow to ties.
                Column::Score | Column::Scorer(_) => {
                    number(ranked[id.cell as usize].as_ref()?[id.task as usize])
                }
                // By the distance, up or down.
                Column::Moved => number(scores.moved(id.task as usize).abs()),
                column => value(self.frame_of(id), scores, id, column, noted),
            };
            match value {
                Value::Number(number) => Some(number),
                Value::Bool(flag) => Some(f64::from(u8::from(flag))),
                _ => None,
            }
        };
        let mut keyed: Vec<(Option<f64>, TaskId)> =
            rows.par_iter().map(|&id| (key(id), id)).collect();
        keyed.par_sort_by(|a, b| {
            absent_last(a.0, b.0, query.descending, f64::total_cmp).then(a.1.cmp(&b.1))
        });
        rows.iter_mut().zip(keyed).for_each(|(row, (_, id))| *row = id);
    }
}

/// Orders values in either direction and puts absent ones last.
fn absent_last<T>(
    a: Option<T>,
    b: Option<T>,
    descending: bool,
    order: impl Fn(&T, &T) -> Ordering,
) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if descending => order(&b, &a),
        (Some(a), Some(b)) => order(&a, &b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}
