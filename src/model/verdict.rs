//! Values of scorers and verdicts of judges, as a store keeps them.

use super::Cell;

/// A value that some scorer gave to one trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The cell of the trajectory.
    pub cell: Cell,
    /// Its task.
    pub task: String,
    /// Its draw.
    pub draw: u32,
    /// The scorer's id, such as `ptrue`.
    pub scorer: String,
    /// The aggregator's id, for a score taken over turns.
    pub aggregator: Option<String>,
    /// The value; absent when the scorer had none.
    pub value: Option<f64>,
    /// The natural log of the value, where that is what ranks: the value itself underflows.
    pub log: Option<f64>,
    /// The fold of the run, of a scorer that was fitted to outcomes: its value is of a model that was fitted
    /// on the other folds.
    pub fold: Option<u32>,
}

/// A value that a consistency scorer gave to one pair of trajectories of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct PairValue {
    /// The cell of both trajectories.
    pub cell: Cell,
    /// Their task.
    pub task: String,
    /// The reference's draw.
    pub draw_a: u32,
    /// The sample's draw.
    pub draw_b: u32,
    /// The scorer's id, such as `ncp`.
    pub scorer: String,
    /// The value; absent when the scorer had none.
    pub value: Option<f64>,
}

/// The verdict of one judge on one pair: whether both reach the same outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgment {
    /// The cell of both trajectories.
    pub cell: Cell,
    /// Their task.
    pub task: String,
    /// The reference's draw.
    pub draw_a: u32,
    /// The sample's draw.
    pub draw_b: u32,
    /// The judge's name.
    pub judge: String,
    /// Outcome-equivalent or not; absent when the judge's answer did not parse.
    pub equivalent: Option<bool>,
    /// The judge's stated confidence, 0 to 1.
    pub confidence: Option<f64>,
}

/// The judge that people's votes make.
pub const HUMAN: &str = "human";

/// The prefix of the judge that one author alone makes.
const AUTHOR: &str = "human:";

/// Whether a judge is people, not a model.
pub fn is_human(judge: &str) -> bool {
    judge == HUMAN || author_of(judge).is_some()
}

/// The author whose votes alone make a judge.
pub fn author_of(judge: &str) -> Option<&str> {
    judge.strip_prefix(AUTHOR)
}

/// The judge of one author alone.
pub fn judge_of(author: &str) -> String {
    format!("{AUTHOR}{author}")
}
