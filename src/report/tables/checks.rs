//! What harnesses checked: why runs failed, and every check as it stands in the store.

use std::collections::BTreeMap;

use super::{CELL, TASKS, cell_row};
use crate::engine::{Engine, Frame};
use crate::model::{Basis, Check, CheckKind, CheckKinds, CheckSummary};
use crate::report::table::{Datum, Table, count, flag, text};
use crate::store::{Entry, Store, StoreError};

/// Runs whose checks are read at once.
const BATCH: usize = 1000;

/// The runs of a cell whose rewards are made of the same parts.
#[derive(Default)]
struct Group {
    runs: u64,
    tasks: u64,
    failures: u64,
    /// Failures without a failed check of the basis.
    unexplained: u64,
    kinds: [KindCounts; CheckKind::ALL.len()],
}

#[derive(Clone, Copy, Default)]
struct KindCounts {
    made: u64,
    failed: u64,
    alone: u64,
}

impl Group {
    fn add(&mut self, success: Option<bool>, checks: &CheckSummary) {
        let is_failure = success == Some(false);
        let deciding = checks.deciding();
        self.runs += 1;
        self.failures += u64::from(is_failure);
        self.unexplained += u64::from(is_failure && deciding.is_empty());
        for (kind, counts) in CheckKind::ALL.into_iter().zip(&mut self.kinds) {
            let only: CheckKinds = [kind].into_iter().collect();
            counts.made += u64::from(checks.made.contains(kind));
            counts.failed += u64::from(checks.failed.contains(kind));
            counts.alone += u64::from(is_failure && deciding == only);
        }
    }
}

/// The groups of a cell, by what their rewards are made of.
fn groups(frame: &Frame) -> BTreeMap<Option<Basis>, Group> {
    let mut groups: BTreeMap<Option<Basis>, Group> = BTreeMap::new();
    // The last task of every group; the rows of a task are neighbours.
    let mut last: BTreeMap<Option<Basis>, &str> = BTreeMap::new();
    let mut add = |task, success, checks: &CheckSummary| {
        let group = groups.entry(checks.basis.clone()).or_default();
        group.tasks += u64::from(last.insert(checks.basis.clone(), task) != Some(task));
        group.add(success, checks);
    };
    for task in frame.tasks.iter() {
        if task.has_reference {
            add(&task.id, task.success, &task.checks);
        }
        // Where every draw is a row, the other draws have theirs.
        if !frame.is_pooled() {
            task.samples.iter().for_each(|sample| add(&task.id, sample.success, &sample.checks));
        }
    }
    groups
}

/// What rewards are made of, and which kinds of checks fail.
pub(crate) fn checks(engine: &Engine) -> Table {
    let values = [
        text("basis"),
        count("runs"),
        count(TASKS),
        count("failures"),
        text("check"),
        flag("in_basis"),
        flag("by_judge"),
        count("have"),
        count("failed"),
        count("alone"),
    ];
    let mut table = Table::new(
        "what rewards are made of and which checks fail",
        &[&CELL[..], &values].concat(),
    );
    for frame in engine.frames() {
        for (basis, group) in groups(frame) {
            let mut push = |values: [Datum; 6]| {
                let mut row = cell_row(&frame.cell);
                row.push(basis.as_ref().map(|basis| basis.as_str().to_owned()).into());
                row.extend([group.runs.into(), group.tasks.into(), group.failures.into()]);
                row.extend(values);
                table.push(row);
            };
            let counted = basis.as_ref().map(Basis::kinds);
            let mut is_empty = true;
            for (kind, counts) in CheckKind::ALL.into_iter().zip(group.kinds) {
                let in_basis = counted.map(|kinds| kinds.contains(kind));
                if counts.made == 0 && in_basis != Some(true) {
                    continue;
                }
                is_empty = false;
                let by_judge = kind == CheckKind::Language;
                let [made, failed, alone] =
                    [counts.made, counts.failed, counts.alone].map(Datum::from);
                push([kind.id().into(), in_basis.into(), by_judge.into(), made, failed, alone]);
            }
            // Failures that no check explains, such as those of runs that were cut off.
            if group.unexplained > 0 || is_empty {
                let [none, unexplained] = [Datum::Missing, group.unexplained.into()];
                push(["none".into(), none.clone(), none.clone(), none.clone(), none, unexplained]);
            }
        }
    }
    if engine.is_pooled() { table } else { table.without(|name| name == TASKS) }
}

/// Every check of the store.
pub(crate) fn records(store: &Store) -> Result<Table, StoreError> {
    let values = [
        text("task"),
        count("draw"),
        count("check"),
        text("kind"),
        flag("in_basis"),
        text("expected"),
        text("arguments"),
        flag("met"),
        text("detail"),
    ];
    let mut table = Table::new("what the harness checked", &[&CELL[..], &values].concat());
    let entries = store.entries()?;
    let mut by_row: Vec<(usize, Entry)> = entries.iter().cloned().enumerate().collect();
    by_row.sort_by_key(|(_, entry)| entry.rows.check);
    let mut all: Vec<Vec<Check>> = vec![Vec::new(); entries.len()];
    for batch in by_row.chunks(BATCH) {
        let (indices, batch): (Vec<usize>, Vec<Entry>) = batch.iter().cloned().unzip();
        indices.into_iter().zip(store.checks(&batch)?).for_each(|(at, some)| all[at] = some);
    }
    for (entry, checks) in entries.iter().zip(all) {
        let counted = entry.head.outcome.basis.as_ref().map(Basis::kinds);
        for (index, check) in (0u64..).zip(checks) {
            let mut row = cell_row(&entry.head.cell);
            row.push(entry.head.task.as_str().into());
            row.extend([u64::from(entry.head.draw).into(), index.into()]);
            row.push(check.kind.id().into());
            row.push(counted.map(|kinds| kinds.contains(check.kind)).into());
            row.extend([check.expected.into(), check.arguments.into()]);
            row.extend([check.met.into(), check.detail.into()]);
            table.push(row);
        }
    }
    Ok(table)
}
