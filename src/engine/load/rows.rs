//! Assigns the rows of `scores`, `pairs` and `judgments` to their tasks.

use std::sync::Arc;

use crate::engine::Frame;
use crate::engine::find::Finder;
use crate::engine::judges::{OrphanVerdict, Verdict};
use crate::metrics::folds::NO_FOLD;
use crate::scorers::Formula;
use crate::store::ValueColumns;

/// Columns of values by frame and name.
#[derive(Default)]
struct Gathered {
    names: Vec<String>,
    /// By frame and index of the name.
    columns: Vec<Vec<Option<Vec<f64>>>>,
}

impl Gathered {
    /// The indices of a part's names; new names are added.
    fn indices(&mut self, names: &[String]) -> Vec<usize> {
        let mut index_of = |name: &String| {
            let known = self.names.iter().position(|known| known == name);
            known.unwrap_or_else(|| {
                self.names.push(name.clone());
                self.names.len() - 1
            })
        };
        names.iter().map(&mut index_of).collect()
    }

    /// Sets an item of a column of that length; without an index, it only makes the column.
    fn set(&mut self, frame: usize, name: usize, length: usize, index: Option<usize>, value: f64) {
        if self.columns.len() <= frame {
            self.columns.resize_with(frame + 1, Vec::new);
        }
        let columns = &mut self.columns[frame];
        if columns.len() <= name {
            columns.resize(name + 1, None);
        }
        let column = columns[name].get_or_insert_with(|| vec![f64::NAN; length]);
        if let Some(index) = index {
            column[index] = value;
        }
    }

    /// All columns with the index of their frame.
    fn into_columns(self) -> impl Iterator<Item = (usize, String, Vec<f64>)> {
        let Self { names, columns } = self;
        let columns = columns.into_iter().enumerate().flat_map(|(frame, columns)| {
            let named = columns.into_iter().enumerate();
            named.filter_map(move |(name, column)| Some((frame, name, column?)))
        });
        columns.map(move |(frame, name, column)| (frame, names[name].clone(), column))
    }
}

/// Calls `each` for every row, with the indices of its frame and task if the store has that task,
/// and with the index of its subject.
fn for_rows(
    finder: &mut Finder,
    part: &ValueColumns,
    mut each: impl FnMut(usize, Option<(usize, usize)>, usize),
) {
    let frames: Vec<Option<usize>> = part.cells.iter().map(|cell| finder.frame(cell)).collect();
    let mut row = 0;
    for (subject, &(cell, end)) in part.subjects.iter().enumerate() {
        let frame = frames[cell as usize];
        let found = frame.and_then(|frame| {
            finder.task(frame, part.tasks.get(subject)).map(|task| (frame, task))
        });
        while row < end as usize {
            each(row, found, subject);
            row += 1;
        }
    }
}

/// Stored values of references, and the folds in which they were fitted.
pub(super) struct StoredValues {
    values: Gathered,
    folds: Gathered,
}

/// Gathers stored values.
pub(super) fn stored(parts: &[ValueColumns], frames: &[Frame]) -> StoredValues {
    let (mut gathered, mut folds) = (Gathered::default(), Gathered::default());
    let mut finder = Finder::new(frames);
    for part in parts {
        let names = gathered.indices(&part.names);
        let fold_names = folds.indices(&part.names);
        for_rows(&mut finder, part, |row, found, _| {
            let counted = found.and_then(|(frame, task)| {
                Some((frame, frames[frame].row_with(task, part.draw[row])?))
            });
            if let Some((frame, task)) = counted {
                let name = names[part.name[row] as usize];
                let tasks = frames[frame].tasks.len();
                gathered.set(frame, name, tasks, Some(task), part.value[row]);
                if let Some(fold) = part.fold.get(row).filter(|fold| !fold.is_nan()) {
                    let name = fold_names[part.name[row] as usize];
                    folds.set(frame, name, tasks, Some(task), *fold);
                }
            }
        });
    }
    StoredValues { values: gathered, folds }
}

impl StoredValues {
    /// Adds them to their cells.
    pub(super) fn add_to(self, frames: &mut [Frame]) {
        for (frame, name, column) in self.values.into_columns() {
            frames[frame].stored.insert(name, Arc::new(column));
        }
        let fold = |fold: f64| if fold.is_nan() { NO_FOLD } else { fold as u16 };
        for (frame, name, column) in self.folds.into_columns() {
            frames[frame].folds.insert(name, Arc::new(column.into_iter().map(fold).collect()));
        }
    }
}

/// Stored values of pairs.
pub(super) struct StoredPairs(Gathered);

/// Gathers stored values of pairs.
pub(super) fn pairs(parts: &[ValueColumns], frames: &[Frame]) -> StoredPairs {
    let mut gathered = Gathered::default();
    let mut finder = Finder::new(frames);
    for part in parts {
        let names = gathered.indices(&part.names);
        for_rows(&mut finder, part, |row, found, _| {
            // A pair is the same whichever of its draws is named first.
            let Some((frame, task)) = found else { return };
            let (a, b) = (part.draw[row], part.other[row]);
            let name = names[part.name[row] as usize];
            for (counted, sample) in [(a.min(b), a.max(b)), (a.max(b), a.min(b))] {
                let Some(row_of_draw) = frames[frame].row_with(task, counted) else { continue };
                let pair = frames[frame].pair_index(row_of_draw, sample);
                gathered.set(frame, name, frames[frame].pairs_len(), pair, part.value[row]);
            }
        });
    }
    StoredPairs(gathered)
}

impl StoredPairs {
    /// Adds them to their cells.
    pub(super) fn add_to(self, frames: &mut [Frame]) {
        for (frame, name, column) in self.0.into_columns() {
            let column = Arc::new(column);
            if name == Formula::Equivalence.id() {
                frames[frame].unnamed_ter = Some(column);
            } else {
                frames[frame].pairs.insert(name, column);
            }
        }
    }
}

/// The store's verdicts.
pub(super) struct StoredVerdicts {
    judges: Vec<String>,
    /// Verdicts on tasks that the store lacks.
    orphans: Vec<OrphanVerdict>,
    /// The others, by frame.
    verdicts: Vec<Vec<Verdict>>,
}

/// Gathers the store's verdicts.
pub(super) fn verdicts(parts: &[ValueColumns], frames: &[Frame]) -> StoredVerdicts {
    let mut gathered = Gathered::default();
    let indices: Vec<Vec<usize>> = parts.iter().map(|part| gathered.indices(&part.names)).collect();
    let mut orphans = Vec::new();
    let mut verdicts: Vec<Vec<Verdict>> = vec![Vec::new(); frames.len()];
    let mut finder = Finder::new(frames);
    for (part, names) in parts.iter().zip(&indices) {
        for_rows(&mut finder, part, |row, found, subject| {
            let value = part.value[row];
            let verdict = Verdict {
                task: found.map_or(0, |(_, task)| task as u32),
                // A pair is the same whichever of its draws is named first.
                draw_a: part.draw[row].min(part.other[row]),
                draw_b: part.draw[row].max(part.other[row]),
                judge: names[part.name[row] as usize] as u32,
                equivalent: (!value.is_nan()).then_some(value > 0.0),
                confidence: part.confidence[row],
            };
            if let Some((frame, _)) = found {
                verdicts[frame].push(frames[frame].settled(verdict));
            } else {
                let cell = part.cells[part.subjects[subject].0 as usize].clone();
                let task = part.tasks.get(subject).to_owned();
                orphans.push(OrphanVerdict { cell, task, verdict });
            }
        });
    }
    StoredVerdicts { judges: gathered.names, orphans, verdicts }
}

impl StoredVerdicts {
    /// Adds them to their cells; returns the judges, and the verdicts on tasks that the store lacks.
    pub(super) fn add_to(self, frames: &mut [Frame]) -> (Vec<String>, Vec<OrphanVerdict>) {
        for (frame, verdicts) in frames.iter_mut().zip(self.verdicts) {
            frame.verdicts = Arc::new(verdicts);
        }
        (self.judges, self.orphans)
    }
}
