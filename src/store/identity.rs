//! The run that an annotation is about. Imports may renumber draws, so a draw alone is not enough.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::columns::Cursor;
use super::table::TableName;
use super::{Store, StoreError};
use crate::model::{Cell, Head, Origin};

/// What a run is known by in any store: the identifier that its harness gave it, and its words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct RunIdentity {
    /// The harness's identifier, where it is unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The fingerprint of its messages, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The trial number. It tells runs with the same words apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trial: Option<i64>,
    /// The file that it was read from, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
}

impl RunIdentity {
    fn new(origin: &Origin, fingerprint: Option<u64>) -> Self {
        Self {
            id: origin.unique_id().map(str::to_owned),
            text: fingerprint.map(|print| format!("{print:016x}")),
            trial: origin.trial,
            source: Some(origin.source.clone()).filter(|source| !source.is_empty()),
        }
    }

    /// Whether both are the same run.
    fn is(&self, other: &Self) -> bool {
        let same_text = self.text.is_some() && self.text == other.text;
        match (&self.id, &other.id) {
            // An identifier that a harness composes from names is the same in a new run.
            (Some(a), Some(b)) => a == b && (same_text || Origin::is_random(a)),
            _ => same_text,
        }
    }

    /// The draw of this run among the runs of its task. Of runs with the same words it is the one from
    /// the same trial and file or, failing that, the one with the draw that it had before.
    pub(super) fn find(
        &self,
        runs: &[TaskRun],
        before: u32,
        besides: Option<u32>,
    ) -> Option<TaskRun> {
        let others = runs.iter().filter(|run| Some(run.draw) != besides);
        let same = others.filter(|run| self.is(&run.identity));
        let best = same.max_by_key(|run| {
            let other = &run.identity;
            let likeness =
                [self.text == other.text, self.trial == other.trial, self.source == other.source];
            (likeness, run.draw == before, Reverse(run.draw))
        });
        best.cloned()
    }
}

/// What an annotation needs to know about a run.
#[derive(Clone, Debug)]
pub(super) struct TaskRun {
    pub(super) draw: u32,
    pub(super) turns: u32,
    /// Whether it solved its task, where that is known.
    pub(super) success: Option<bool>,
    pub(super) identity: RunIdentity,
}

/// The runs of some tasks.
#[derive(Debug, Default)]
pub(super) struct TaskRuns(HashMap<Cell, HashMap<String, Vec<TaskRun>>>);

impl TaskRuns {
    /// The runs of a task; none when the store has no such task.
    pub(super) fn of(&self, cell: &Cell, task: &str) -> Option<&[TaskRun]> {
        self.0.get(cell)?.get(task).map(Vec::as_slice)
    }

    fn add(&mut self, cell: &Cell, task: &str, run: TaskRun) {
        let tasks = self.0.entry(cell.clone()).or_default();
        match tasks.get_mut(task) {
            Some(runs) => runs.push(run),
            None => drop(tasks.insert(task.to_owned(), vec![run])),
        }
    }

    fn set_text(&mut self, head: &Head) {
        let tasks = self.0.get_mut(&head.cell).and_then(|tasks| tasks.get_mut(&head.task));
        let mut runs = tasks.into_iter().flatten();
        if let Some(run) = runs.find(|run| run.draw == head.draw) {
            run.identity.text = RunIdentity::new(&head.origin, head.fingerprint).text;
        }
    }
}

/// The number of runs whose messages are read at once.
const BATCH: usize = 200;

const COLUMNS: [&str; 12] = [
    "dataset",
    "model",
    "condition",
    "task",
    "draw",
    "turns",
    "success",
    "source",
    "run_id",
    "trial",
    "repeat",
    "fingerprint",
];

impl Store {
    /// The runs of some tasks. `with_text` asks for fingerprints even where messages must be read for
    /// them, because an older version wrote the store. A random identifier needs no fingerprint.
    pub(super) fn task_runs(
        &self,
        wanted: &HashSet<(&Cell, &str)>,
        with_text: bool,
    ) -> Result<TaskRuns, StoreError> {
        let mut found = TaskRuns::default();
        let Some(table) = self.table(TableName::Trajectories).filter(|_| !wanted.is_empty()) else {
            return Ok(found);
        };
        let mut cells: HashMap<&str, Vec<&Cell>> = HashMap::new();
        for (cell, task) in wanted {
            cells.entry(task).or_default().push(cell);
        }
        let frame = table.read_columns(&(0..table.rows()?), &COLUMNS)?;
        let (mut dataset, mut model) = (frame.text("dataset")?, frame.text("model")?);
        let (mut condition, mut task) = (frame.text("condition")?, frame.text("task")?);
        let (mut draw, mut turns) = (frame.small("draw")?, frame.small("turns")?);
        let mut success = frame.flag("success")?;
        let (mut source, mut run_id) = (frame.text("source")?, frame.text("run_id")?);
        let (mut trial, mut repeat) = (frame.signed("trial")?, frame.small("repeat")?);
        let has_print = frame.has("fingerprint");
        let mut print = has_print.then(|| frame.large("fingerprint")).transpose()?;
        let mut without_text: Vec<u64> = Vec::new();
        for row in 0..frame.height() as u64 {
            let names = [dataset.need()?, model.need()?, condition.need()?];
            let (task, draw, turns) = (task.need()?, draw.need()?, turns.need()?);
            let (success, source, run_id) = (success.next(), source.need()?, run_id.next());
            let (trial, repeat) = (trial.next(), repeat.need()?);
            let print = print.as_mut().and_then(Cursor::next);
            let is_wanted =
                |cell: &&&Cell| names == [&*cell.dataset, &*cell.model, &*cell.condition];
            let Some(cell) = cells.get(task).and_then(|cells| cells.iter().find(is_wanted)) else {
                continue;
            };
            let (source, run_id) = (source.to_owned(), run_id.map(str::to_owned));
            let origin = Origin { source, run_id, trial, repeat };
            let identity = RunIdentity::new(&origin, print);
            if identity.text.is_none() && !identity.id.as_deref().is_some_and(Origin::is_random) {
                without_text.push(row);
            }
            found.add(cell, task, TaskRun { draw, turns, success, identity });
        }
        if with_text {
            self.read_texts(&without_text, &mut found)?;
        }
        Ok(found)
    }

    /// Adds the fingerprints of runs from their messages. Runs in consecutive rows are read together.
    fn read_texts(&self, rows: &[u64], found: &mut TaskRuns) -> Result<(), StoreError> {
        for rows in rows.chunk_by(|a, b| a + 1 == *b).flat_map(|rows| rows.chunks(BATCH)) {
            let entries = self.entries_at(rows[0]..rows[rows.len() - 1] + 1)?;
            for run in self.trajectories(&entries)? {
                found.set_text(&run.head);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(id: Option<&str>, text: &str, trial: i64) -> RunIdentity {
        let origin = Origin {
            run_id: id.map(str::to_owned),
            trial: Some(trial),
            source: "a.json".to_owned(),
            repeat: 0,
        };
        let text = Some(text.to_owned());
        RunIdentity { text, ..RunIdentity::new(&origin, None) }
    }

    fn found(wanted: &RunIdentity, runs: &[RunIdentity], before: u32) -> Option<u32> {
        let run = |(draw, identity): (u32, &RunIdentity)| TaskRun {
            draw,
            turns: 1,
            success: None,
            identity: identity.clone(),
        };
        let runs: Vec<TaskRun> = (0..).zip(runs).map(run).collect();
        wanted.find(&runs, before, None).map(|run| run.draw)
    }

    #[test]
    fn a_run_is_found_by_its_id_or_by_its_words() {
        let uuid = "0b9c3f0e-6a52-4a7e-9d3f-1a2b3c4d5e6f";
        let other = "1b9c3f0e-6a52-4a7e-9d3f-1a2b3c4d5e6f";
        let wanted = identity(Some(uuid), "x", 0);
        assert_eq!(found(&wanted, &[identity(Some(other), "x", 0)], 0), None, "another run");
        let runs = [identity(Some(other), "x", 0), identity(Some(uuid), "edited", 3)];
        assert_eq!(found(&wanted, &runs, 0), Some(1));
        assert_eq!(found(&wanted, &[identity(None, "x", 3)], 0), Some(0), "the same words");
        assert_eq!(found(&wanted, &[identity(None, "y", 0)], 0), None);
        let composed = "airline-task-8-trial-0";
        let wanted = identity(Some(composed), "x", 0);
        assert_eq!(found(&wanted, &[identity(Some(composed), "y", 0)], 0), None, "run again");
        assert_eq!(found(&wanted, &[identity(Some(composed), "x", 0)], 0), Some(0));
    }

    #[test]
    fn of_runs_with_the_same_words_the_trial_decides_and_then_the_draw() {
        let runs = [identity(None, "x", 1), identity(None, "x", 0), identity(None, "x", 1)];
        assert_eq!(found(&identity(None, "x", 0), &runs, 0), Some(1));
        assert_eq!(found(&identity(None, "x", 1), &runs, 2), Some(2));
        assert_eq!(found(&identity(None, "x", 1), &runs, 1), Some(0));
    }
}
