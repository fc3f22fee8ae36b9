//! Merges the notes and votes of several copies of a store into one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::annotations::{self, FILE, Line};
use super::{Outline, Store, StoreError};
use crate::model::Cell;

/// A line about a task that the store does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTask {
    /// The file of the line.
    pub path: PathBuf,
    /// The number of the line.
    pub line: usize,
    /// The cell it is about.
    pub cell: Cell,
    /// The task.
    pub task: String,
}

/// The result of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Lines that were added.
    pub added: usize,
    /// Lines that the store had already.
    pub known: usize,
    /// Lines that were left out because the store has no such task.
    pub unknown_tasks: Vec<UnknownTask>,
}

/// Adds to a store the notes and votes of others that it lacks, in one step, so that a merge that was
/// killed can be run again. The other stores do not change.
pub fn merge(into: &Path, others: &[PathBuf]) -> Result<Merged, StoreError> {
    let outline = Store::open(into)?.outline()?;
    let tasks = tasks(&outline);
    let mut lines: Vec<(PathBuf, Line)> = Vec::new();
    for other in others {
        let path = other.join(FILE);
        let added = Store::open(other)?.annotation_lines()?;
        lines.extend(added.into_iter().map(|line| (path.clone(), line)));
    }
    let mut merged = Merged::default();
    annotations::append_new(into, |path| {
        let present = annotations::lines(path)?;
        let mut known: HashSet<Vec<u8>> = present.into_iter().map(|line| line.bytes).collect();
        let mut text = Vec::new();
        for (path, line) in lines {
            let annotation = line.annotation?;
            let subject = annotation.subject();
            if let Some((cell, task)) = subject.filter(|subject| !tasks.contains(subject)) {
                let (cell, task) = (cell.clone(), task.to_owned());
                merged.unknown_tasks.push(UnknownTask { path, line: line.number, cell, task });
            } else if known.contains(&line.bytes) {
                merged.known += 1;
            } else {
                text.extend_from_slice(&line.bytes);
                text.push(b'\n');
                merged.added += 1;
                known.insert(line.bytes);
            }
        }
        Ok(text)
    })?;
    Ok(merged)
}

/// The cells and tasks of a store.
fn tasks(outline: &Outline) -> HashSet<(&Cell, &str)> {
    let cells = outline.cells.iter();
    cells
        .flat_map(|(cell, tasks)| tasks.clone().map(move |task| (cell, outline.tasks.get(task))))
        .collect()
}
