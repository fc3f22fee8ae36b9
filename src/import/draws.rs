//! Chooses the reference among the runs of a task, and numbers the others.
//!
//! The choice is made for a cell, not for each task: if the reference of a task crashed or is
//! missing, no other run takes its place. Such a task has samples only.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::model::{Cell, Head, Skip};
use crate::store::{Entry, ImportedFile};

/// Which runs are the references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The runs of one trial.
    Trial(i64),
    /// The runs of one file.
    File(PathBuf),
    /// The usual ones; the first run of a task that lacks its usual one.
    Any,
    /// None: the draws of a task have no order, and every one counts.
    All,
}

/// The word for [`Reference::Any`].
const ANY: &str = "any";

/// The word for [`Reference::All`].
const ALL: &str = "all";

impl Reference {
    /// Parses `any`, `all`, a trial number or a file; a file that does not exist is matched by the end of
    /// its path.
    pub fn parse(text: &str) -> Self {
        match text {
            ANY => return Self::Any,
            ALL => return Self::All,
            _ => {}
        }
        let file = || std::fs::canonicalize(text).unwrap_or_else(|_| PathBuf::from(text));
        text.parse().map_or_else(|_| Self::File(file()), Self::Trial)
    }

    fn fits(&self, attempt: &Attempt<'_>) -> bool {
        match self {
            Self::Trial(trial) => attempt.trial == *trial,
            Self::File(file) => Path::new(attempt.source).ends_with(file),
            Self::Any | Self::All => true,
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trial(trial) => write!(f, "{trial}"),
            Self::File(file) => write!(f, "{}", file.display()),
            Self::Any => f.write_str(ANY),
            Self::All => f.write_str(ALL),
        }
    }
}

/// The trial, or the number of earlier records of the task where no trial was recorded.
fn trial_or_repeat(head: &Head) -> i64 {
    head.origin.trial.unwrap_or(i64::from(head.origin.repeat))
}

/// A run as the choice of references sees it, also one that left no trajectory.
#[derive(Clone, Copy, Debug)]
struct Attempt<'a> {
    task: &'a str,
    source: &'a str,
    trial: i64,
    temperature: Option<f64>,
    /// Whether it left a trajectory.
    completed: bool,
}

impl<'a> Attempt<'a> {
    fn of_run(head: &'a Head) -> Self {
        Self {
            task: &head.task,
            source: &head.origin.source,
            trial: trial_or_repeat(head),
            temperature: head.temperature,
            completed: true,
        }
    }

    fn of_skip(skip: &'a Skip) -> Self {
        Self {
            task: &skip.task,
            source: &skip.source,
            trial: skip.trial.unwrap_or(i64::from(skip.repeat)),
            temperature: skip.temperature,
            completed: false,
        }
    }
}

/// What the numbering found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Numbered {
    /// The tasks that have no reference.
    pub(super) without: Vec<(Cell, String)>,
    /// The cells in which every draw counts.
    pub(super) pooled: Vec<Cell>,
}

/// How the draws of a store are numbered.
pub(super) struct Numbering<'a> {
    /// The position of every file among the sources.
    order: HashMap<&'a str, usize>,
    /// The files whose draws have no order.
    unordered: HashSet<&'a str>,
    /// Records that left no trajectory.
    skipped: Vec<&'a Skip>,
    reference: Option<&'a Reference>,
}

impl<'a> Numbering<'a> {
    /// The rule for a store with these sources, in their order, and these skipped records.
    pub(super) fn new(
        sources: &'a [ImportedFile],
        skipped: &'a [Skip],
        reference: Option<&'a Reference>,
    ) -> Self {
        // A second copy of a run is no attempt of its own.
        let skipped = skipped.iter().filter(|skip| !skip.copy).collect();
        let paths = sources.iter().map(|source| source.path.as_str());
        let unordered = sources.iter().filter(|source| source.unordered);
        let unordered = unordered.map(|source| source.path.as_str()).collect();
        Self { order: paths.zip(0..).collect(), unordered, skipped, reference }
    }

    /// Whether every draw of a cell counts: the user says so, or nobody names a reference and the draws of
    /// a task have no order.
    fn is_pooled(&self, tasks: &BTreeMap<&str, Vec<usize>>, entries: &[Entry]) -> bool {
        let is_unordered =
            |index: &usize| self.unordered.contains(entries[*index].head.origin.source.as_str());
        match self.reference {
            Some(reference) => *reference == Reference::All,
            None => {
                tasks.values().any(|draws| draws.len() > 1)
                    && tasks.values().flatten().any(is_unordered)
            }
        }
    }

    /// Whether a run, or a record that left none, is what the stated reference names.
    pub(super) fn is_found(&self, reference: &Reference, entries: &[Entry]) -> bool {
        entries.iter().any(|entry| reference.fits(&Attempt::of_run(&entry.head)))
            || self.skipped.iter().any(|skip| reference.fits(&Attempt::of_skip(skip)))
    }

    /// Numbers the draws of every task by trial, then by the order of the sources, the reference
    /// first. Without a reference, samples begin at 1; where every draw counts, draws begin at 0.
    pub(super) fn number(&self, entries: &mut [Entry]) -> Numbered {
        let mut cells: BTreeMap<&Cell, BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
        for (index, Entry { head, .. }) in entries.iter().enumerate() {
            cells.entry(&head.cell).or_default().entry(&head.task).or_default().push(index);
        }
        let (mut without, mut pooled) = (Vec::new(), Vec::new());
        let mut numbered: Vec<(usize, u32)> = Vec::with_capacity(entries.len());
        for (cell, tasks) in cells {
            let runs = tasks.values().flatten();
            let runs = runs.map(|&index| Attempt::of_run(&entries[index].head));
            let skips = self.skipped.iter().filter(|skip| skip.cell == *cell);
            let attempts: Vec<Attempt<'_>> =
                runs.chain(skips.map(|skip| Attempt::of_skip(skip))).collect();
            let is_pooled = self.is_pooled(&tasks, entries);
            if is_pooled {
                pooled.push(cell.clone());
            }
            let chosen = self.references(&attempts);
            for (task, mut draws) in tasks {
                draws.sort_by_key(|&index| {
                    let Entry { head, id, .. } = &entries[index];
                    (
                        trial_or_repeat(head),
                        self.position(&head.origin.source),
                        head.origin.repeat,
                        *id,
                    )
                });
                let is_reference =
                    |index: &usize| chosen.holds(&Attempt::of_run(&entries[*index].head));
                let first = (is_pooled || self.reference == Some(&Reference::Any)).then_some(0);
                let stated = draws.iter().position(is_reference).filter(|_| !is_pooled);
                let reference = stated.or(first);
                match reference {
                    Some(reference) => draws[..=reference].rotate_right(1),
                    None => without.push((cell.clone(), task.to_owned())),
                }
                let start = u32::from(reference.is_none());
                numbered.extend(draws.into_iter().zip(start..));
            }
        }
        for (index, draw) in numbered {
            entries[index].head.draw = draw;
        }
        Numbered { without, pooled }
    }

    fn position(&self, source: &str) -> Option<usize> {
        self.order.get(source).copied()
    }

    /// Which runs of a cell are its references: of those that are named, else of the greedy ones among
    /// sampled ones, else of all, those of the first trial. Where several files have that trial, the
    /// greedy run of a task is in the first file that has one. Without temperatures a file is either a
    /// set of draws or a part of a whole, and only parts add references: see [`parts`].
    fn references<'b>(&self, attempts: &[Attempt<'b>]) -> Chosen<'b> {
        let stated = self.reference.filter(|reference| match reference {
            Reference::Trial(_) => true,
            // A file that has no run in the cell says nothing about it.
            Reference::File(_) => attempts.iter().any(|attempt| reference.fits(attempt)),
            Reference::Any | Reference::All => false,
        });
        let greedy = stated.is_none() && is_mixed(attempts);
        let mut candidates = attempts.to_vec();
        candidates.retain(|attempt| match stated {
            Some(reference) => reference.fits(attempt),
            None => !greedy || attempt.temperature == Some(0.0),
        });
        let trial = candidates.iter().map(|attempt| attempt.trial).min().unwrap_or_default();
        candidates.retain(|attempt| attempt.trial == trial);
        candidates.sort_by_key(|attempt| (self.position(attempt.source), attempt.source));
        if !greedy {
            candidates = parts(&candidates);
        }
        let mut sources = HashMap::new();
        for attempt in candidates.iter().filter(|attempt| attempt.completed) {
            sources.entry(attempt.task).or_insert(attempt.source);
        }
        Chosen { trial, sources, greedy }
    }
}

/// The attempts of files that make up a whole, out of those of several files in their order. A later
/// file is a part if it repeats no completed run of an earlier one: it goes on with an interrupted run,
/// or runs again what crashed. A file whose runs all crashed keeps its tasks.
fn parts<'a>(attempts: &[Attempt<'a>]) -> Vec<Attempt<'a>> {
    let (mut parts, mut covered) = (Vec::new(), HashSet::new());
    for file in attempts.chunk_by(|a, b| a.source == b.source) {
        if file.iter().all(|attempt| !covered.contains(attempt.task)) {
            let has_runs = file.iter().any(|attempt| attempt.completed);
            let covering = file.iter().filter(|attempt| attempt.completed || !has_runs);
            covered.extend(covering.map(|attempt| attempt.task));
            parts.extend_from_slice(file);
        }
    }
    parts
}

/// The runs of a cell that are references.
struct Chosen<'a> {
    trial: i64,
    /// The file with the reference of a task.
    sources: HashMap<&'a str, &'a str>,
    /// Whether only runs at temperature 0 are.
    greedy: bool,
}

impl Chosen<'_> {
    fn holds(&self, attempt: &Attempt<'_>) -> bool {
        attempt.trial == self.trial
            && self.sources.get(attempt.task) == Some(&attempt.source)
            && (!self.greedy || attempt.temperature == Some(0.0))
    }
}

/// Whether some runs are greedy and others sampled.
fn is_mixed(attempts: &[Attempt<'_>]) -> bool {
    let has =
        |fits: fn(f64) -> bool| attempts.iter().filter_map(|attempt| attempt.temperature).any(fits);
    has(|temperature| temperature == 0.0) && has(|temperature| temperature > 0.0)
}
