//! Notes and votes of several copies of a store, brought together in one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::annotations::{self, FILE, Line};
use super::{Outline, Store, StoreError};
use crate::model::Cell;

/// A line about a task that the store does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unplaced {
    /// The file it stands in.
    pub path: PathBuf,
    /// Its number.
    pub line: usize,
    /// The cell it is about.
    pub cell: Cell,
    /// The task.
    pub task: String,
}

/// What came together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Lines that were added.
    pub added: usize,
    /// Lines that were there already.
    pub known: usize,
    /// Lines that were left out.
    pub unplaced: Vec<Unplaced>,
}

/// Adds to a store the notes and votes of others that it lacks, in one step: killed before its end,
/// it is done by running it again. The others stay as they are.
pub fn merge(into: &Path, others: &[PathBuf]) -> Result<Merged, StoreError> {
    let outline = Store::open(into)?.outline()?;
    let tasks = names(&outline);
    let mut lines: Vec<(PathBuf, Line)> = Vec::new();
    for other in others {
        let path = other.join(FILE);
        let own = Store::open(other)?.annotation_lines()?;
        lines.extend(own.into_iter().map(|line| (path.clone(), line)));
    }
    let mut merged = Merged::default();
    annotations::append_new(into, |path| {
        let there = annotations::lines(path)?;
        let mut known: HashSet<Vec<u8>> = there.into_iter().map(|line| line.bytes).collect();
        let mut text = Vec::new();
        for (path, line) in lines {
            let says = line.says?;
            let subject = says.subject();
            if let Some((cell, task)) = subject.filter(|subject| !tasks.contains(subject)) {
                let (cell, task) = (cell.clone(), task.to_owned());
                merged.unplaced.push(Unplaced { path, line: line.number, cell, task });
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

/// Cells and tasks.
fn names(outline: &Outline) -> HashSet<(&Cell, &str)> {
    let cells = outline.cells.iter();
    cells
        .flat_map(|(cell, tasks)| tasks.clone().map(move |task| (cell, outline.tasks.get(task))))
        .collect()
}
