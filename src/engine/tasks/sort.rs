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
        let name = |id: TaskId| self.frame_of(id).tasks[id.task as usize].id.as_str();
        let numbered = rows.par_iter().map(|&id| Some((plain_number(name(id))?, id)));
        match numbered.collect::<Option<Vec<(u64, TaskId)>>>() {
            Some(keyed) => sort_by_key(rows, keyed),
            None => rows.par_sort_by(|a, b| natural_order(name(*a), name(*b))),
        }
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
        let ranked: Vec<Option<Cow<[f64]>>> = (self.frames().par_iter().zip(scores))
            .map(|(frame, scores)| {
                let (scores, scorer) = (scores.as_ref()?, scorer?);
                if let (Column::Score, Some(known)) = (&query.sort, scores.all_ranking()) {
                    return Some(Cow::Borrowed(known));
                }
                frame.values(scorer).map(|values| Cow::Owned(values.rank))
            })
            .collect();
        let key = |id: TaskId| {
            let scores = scores[id.cell as usize].as_ref()?;
            let value = match &query.sort {
                // Where a log ranks, the confidences may underflow to ties.
                Column::Score | Column::Scorer(_) => {
                    number(*ranked[id.cell as usize].as_ref()?.get(id.task as usize)?)
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
        let keyed = rows.par_iter().map(|&id| (order_bits(key(id), query.descending), id));
        let keyed = keyed.collect();
        sort_by_key(rows, keyed);
    }
}

/// Orders rows by their keys, equal ones by id.
fn sort_by_key(rows: &mut [TaskId], mut keyed: Vec<(u64, TaskId)>) {
    keyed.par_sort_unstable();
    rows.par_iter_mut().zip(keyed).for_each(|(row, (_, id))| *row = id);
}

/// A whole number that is larger for a number that comes later; absent ones come last.
fn order_bits(number: Option<f64>, descending: bool) -> u64 {
    const SIGN: u64 = 1 << 63;
    let Some(number) = number else { return u64::MAX };
    let bits = number.to_bits();
    let ascending = if bits & SIGN == 0 { bits | SIGN } else { !bits };
    if descending { !ascending } else { ascending }
}

/// The number that a name is, if it is nothing else: such names order as their numbers.
fn plain_number(name: &str) -> Option<u64> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_digit()) && !name.starts_with('0');
    (is_plain || name == "0").then(|| name.parse().ok()).flatten()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_as_the_numbers_and_names_do() {
        let numbers = [f64::NEG_INFINITY, -2.5, -0.0, 0.0, 1e-300, 2.0, f64::INFINITY];
        for descending in [false, true] {
            let bits = |number: &f64| order_bits(Some(*number), descending);
            let sorted = numbers.windows(2).all(|pair| {
                let [a, b] = [&pair[0], &pair[1]].map(bits);
                if descending { a > b } else { a < b }
            });
            assert!(sorted);
            assert!(numbers.iter().all(|number| bits(number) < order_bits(None, descending)));
        }
        let names = ["0", "7", "10", "99", "100"];
        for pair in names.windows(2) {
            assert!(plain_number(pair[0]) < plain_number(pair[1]));
            assert!(natural_order(pair[0], pair[1]).is_lt());
        }
        for name in ["", "07", "7a", "-7", "+7", "99999999999999999999999"] {
            assert_eq!(plain_number(name), None, "{name}");
        }
    }
}
