//! Whether files, rows and counts are what the manifest says, and trajectories are in order.

use std::collections::{BTreeMap, HashSet};

use super::Problems;
use crate::model::Cell;
use crate::store::parts::{Parted, strays};
use crate::store::table::TableName;
use crate::store::writer::recount;
use crate::store::{Entry, Store};

/// Compares every table with what the manifest says of it.
pub(super) fn check(store: &Store, problems: &mut Problems) {
    for (name, rows) in &store.manifest().tables {
        let Some(table) = TableName::ALL.into_iter().find(|table| table.as_str() == name) else {
            problems
                .list
                .push(format!("manifest: names the table `{name}`, which qualm does not know"));
            continue;
        };
        match store.table(table).map(Parted::rows) {
            None => problems.add(table, format!("the file is missing ({rows} rows were written)")),
            Some(Ok(found)) if found != *rows => {
                problems.add(table, format!("has {found} rows, the manifest says {rows}"));
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => problems.add_error(&error),
        }
    }
    for table in &store.tables {
        if !store.manifest().tables.contains_key(table.name().as_str()) {
            problems.add(table.name(), "exists but is not in the manifest");
        } else if let [only] = table.files() {
            if !only.verify() {
                let problem = "the file is not as qualm wrote it: its size or checksum is another";
                problems.add(table.name(), problem);
            }
        } else {
            for file in table.files().iter().filter(|file| !file.verify()) {
                let name = store.name_of(file);
                let problem =
                    format!("{name} is not as qualm wrote it: its size or checksum is another");
                problems.add(table.name(), problem);
            }
        }
    }
    for path in strays(store.path(), store.manifest()) {
        problems.list.push(format!(
            "{}: is no part of the store, perhaps of a writer that did not finish; move it away",
            path.display()
        ));
    }
}

/// Trajectories are sorted: the runs of a task follow one another by draw, and so do those of a cell.
pub(super) fn check_order(entries: &[Entry], problems: &mut Problems) {
    let (mut cells, mut tasks) = (HashSet::new(), HashSet::new());
    let subject = |entry: &'_ Entry| (entry.head.cell.clone(), entry.head.task.clone());
    let mut last: Option<&Entry> = None;
    for entry in entries {
        let same_cell = last.is_some_and(|last| last.head.cell == entry.head.cell);
        let same_task = same_cell && last.is_some_and(|last| last.head.task == entry.head.task);
        let is_late = (!same_cell && !cells.insert(&entry.head.cell))
            || (!same_task && !tasks.insert(subject(entry)))
            || (same_task && last.is_some_and(|last| last.head.draw > entry.head.draw));
        if is_late {
            let (cell, task, draw) = (&entry.head.cell, &entry.head.task, entry.head.draw);
            let problem = format!("{cell}, task {task}, draw {draw}: is not where it belongs");
            return problems.add(TableName::Trajectories, problem);
        }
        last = Some(entry);
    }
}

/// Compares the counts of every cell with its trajectories.
pub(super) fn check_cells(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let manifest = store.manifest();
    let counted = recount(entries, manifest);
    let mut listed: BTreeMap<&Cell, _> =
        manifest.cells.iter().map(|summary| (&summary.cell, summary)).collect();
    for summary in &counted {
        let problem = match listed.remove(&summary.cell) {
            Some(listed) if listed == summary => continue,
            Some(_) => "the manifest counts what its trajectories do not have",
            None => "is not among the cells of the manifest",
        };
        problems.add(TableName::Trajectories, format!("{}: {problem}", summary.cell));
    }
    for cell in listed.into_keys() {
        problems.add(TableName::Trajectories, format!("{cell}: is in the manifest but has no run"));
    }
}
