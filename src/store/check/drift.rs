//! Whether the rows of `drift` are of turns that there are, each once and in order.

use std::collections::HashMap;

use super::{Problems, not_finite};
use crate::store::table::TableName;
use crate::store::{Entry, Store};

/// Checks the keys, the order and the numbers of the table.
pub(super) fn check(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let rows = match store.drift_rows() {
        Ok(rows) => rows,
        Err(error) => return problems.add_error(&error),
    };
    let turns: HashMap<u32, u32> =
        entries.iter().map(|entry| (entry.id, entry.head.turns)).collect();
    let mut last = None;
    for (number, row) in rows.iter().enumerate() {
        let key = (row.trajectory, row.turn);
        let subject = format!("row {number}: turn {} of trajectory {}", row.turn, row.trajectory);
        if turns.get(&row.trajectory).is_none_or(|turns| row.turn >= *turns) {
            return problems.add(TableName::Drift, format!("{subject}: there is no such turn"));
        }
        if last.is_some_and(|last| last >= key) {
            return problems.add(TableName::Drift, format!("{subject}: is not the next one"));
        }
        let numbers = [Some(row.drift.action), Some(row.drift.observation), row.drift.severity];
        if let Some(wrong) = numbers.into_iter().flatten().find_map(not_finite) {
            return problems.add(TableName::Drift, format!("{subject}: a number is {wrong}"));
        }
        last = Some(key);
    }
}
