//! Turns that people mark as the decisive error of a failed run, kept as lines of `annotations.jsonl`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::annotations::{self, Annotation, LabelLine, Reading};
use super::{Store, StoreError};
use crate::model::Cell;

/// Who or what made the decisive error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The agent.
    Agent,
    /// The simulated user.
    User,
    /// The grader: the run was right.
    Grader,
    /// A tool.
    Tool,
    /// The author takes back the label before.
    Withdrawn,
}

impl Cause {
    /// Those that a label can name.
    pub const ALL: [Self; 4] = [Self::Agent, Self::User, Self::Grader, Self::Tool];

    /// The word for it in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::User => "user",
            Self::Grader => "grader",
            Self::Tool => "tool",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// The word for it on screen.
    pub fn words(self) -> &'static str {
        match self {
            Self::User => "simulated user",
            other => other.id(),
        }
    }
}

/// The turn at which a failed run went wrong, by one author.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StepLabel {
    /// When it was given, in seconds since 1970.
    pub time: u64,
    /// Who gave it.
    pub author: String,
    /// The cell of the run.
    #[serde(flatten)]
    pub cell: Cell,
    /// The task.
    pub task: String,
    /// The draw, 0 for the reference.
    pub draw: u32,
    /// The turn, from 0.
    pub turn: u32,
    /// Who or what made the error.
    pub cause: Cause,
}

impl Store {
    /// All labels that are there now, the oldest first, including those that a later one replaces, under
    /// the current numbers of their draws. [`current`] returns those that count.
    pub fn labels(&self) -> Result<Vec<StepLabel>, StoreError> {
        Ok(self.annotations()?.labels)
    }

    /// Adds a label; it is on the disk when this returns.
    pub fn add_label(&self, label: &StepLabel) -> Result<(), StoreError> {
        let line = Annotation::Label(LabelLine { label: label.clone(), run: None });
        let reading = Reading::with_text(self, std::iter::once(&line))?;
        let bound = reading.bound(&line).unwrap_or(line);
        annotations::append(&self.log(), &[bound])
    }
}

/// The labels that count: the newest of every author on every run, unless it is a withdrawal. Of two in
/// the same second the later line is the newer. Sorted by cell, task, draw and author.
pub fn current(labels: &[StepLabel]) -> Vec<StepLabel> {
    let mut newest: BTreeMap<(&Cell, &str, u32, &str), &StepLabel> = BTreeMap::new();
    for label in labels {
        let key = (&label.cell, label.task.as_str(), label.draw, label.author.as_str());
        let known = newest.entry(key).or_insert(label);
        if label.time >= known.time {
            *known = label;
        }
    }
    newest.into_values().filter(|label| label.cause != Cause::Withdrawn).cloned().collect()
}
