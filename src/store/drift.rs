//! Converts the drift of turns to and from the table `drift`.

use std::ops::Range;

use polars::prelude::{DataFrame, PolarsResult};

use super::columns::{self as col, Frame};
use super::parts::Parted;
use super::table::TableName;
use super::{Entry, Store, StoreError, cover};
use crate::model::{Drift, DriftRow};

pub(super) fn frame(rows: &[DriftRow]) -> PolarsResult<DataFrame> {
    let drifts = || rows.iter().map(|row| row.drift);
    DataFrame::new(
        rows.len(),
        vec![
            col::small("trajectory", rows.iter().map(|row| row.trajectory)),
            col::small("turn", rows.iter().map(|row| row.turn)),
            col::real("action_drift", drifts().map(|drift| Some(drift.action))),
            col::real("observation_drift", drifts().map(|drift| Some(drift.observation))),
            col::real("severity", drifts().map(|drift| drift.severity)),
        ],
    )
}

fn rows(frame: &Frame) -> Result<Vec<DriftRow>, StoreError> {
    let (mut trajectory, mut turn) = (frame.small("trajectory")?, frame.small("turn")?);
    let mut action = frame.real("action_drift")?;
    let mut observation = frame.real("observation_drift")?;
    let mut severity = frame.real("severity")?;
    let row = |_| {
        let (trajectory, turn) = (trajectory.need()?, turn.need()?);
        let (action, observation) = (action.need()?, observation.need()?);
        let drift = Drift { action, observation, severity: severity.next() };
        Ok(DriftRow { trajectory, turn, drift })
    };
    (0..frame.height()).map(row).collect()
}

/// The rows of the row groups that may hold some trajectories, given the least and the greatest of their
/// numbers.
fn groups_of(table: &Parted, least: u32, greatest: u32) -> Result<Range<u64>, StoreError> {
    let groups = table.groups()?;
    let first_of = |group: &Range<u64>| -> Result<u32, StoreError> {
        let frame = table.read_columns(&(group.start..group.start + 1), &["trajectory"])?;
        frame.small("trajectory")?.need()
    };
    // The rows are sorted, so halving finds the first group that begins at or after a number.
    let begins_at = |number: u32| {
        let (mut low, mut high) = (0, groups.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if first_of(&groups[middle])? < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok::<usize, StoreError>(low)
    };
    // A trajectory may begin in the group before.
    let (from, to) = (begins_at(least)?.saturating_sub(1), begins_at(greatest.saturating_add(1))?);
    Ok(cover(groups[from..to.max(from)].iter().cloned()).unwrap_or(0..0))
}

impl Store {
    /// The drift of all turns that have one, in the order of the table.
    pub fn drift_rows(&self) -> Result<Vec<DriftRow>, StoreError> {
        self.read(TableName::Drift, rows)
    }

    /// The drift of the turns of some trajectories, for each by ascending turn. Reads only the row groups
    /// between the first of them and the last.
    pub fn drift(&self, entries: &[Entry]) -> Result<Vec<Vec<DriftRow>>, StoreError> {
        let numbers = || entries.iter().map(|entry| entry.id);
        let bounds = numbers().min().zip(numbers().max());
        let (Some((least, greatest)), Some(table)) = (bounds, self.table(TableName::Drift)) else {
            return Ok(vec![Vec::new(); entries.len()]);
        };
        let range = groups_of(table, least, greatest)?;
        let found = self.rows(TableName::Drift, &range)?;
        let found = found.as_ref().map_or(Ok(Vec::new()), rows)?;
        let of = |entry: &Entry| {
            let start = found.partition_point(|row| row.trajectory < entry.id);
            let here = found[start..].iter().take_while(|row| row.trajectory == entry.id);
            here.copied().collect()
        };
        Ok(entries.iter().map(of).collect())
    }
}
