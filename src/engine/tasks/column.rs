//! The columns of the task table, by which tasks are filtered and ordered.

use crate::filter::FieldKind;
use crate::scorers::Scorer;

/// A column of the task table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Dataset of the cell.
    Dataset,
    /// Model of the cell.
    Model,
    /// Condition of the cell.
    Condition,
    /// The task's id.
    Task,
    /// The draw, where every draw is a row.
    Draw,
    /// Whether the reference succeeded.
    Success,
    /// Draws that succeeded.
    Solved,
    /// Draws of the task.
    Draws,
    /// The confidence under the current scorer.
    Score,
    /// Its rank in the cell, 1 being the most confident.
    Rank,
    /// The rank from the top as a share of the cell's ranked tasks; tied tasks share the best.
    Top,
    /// The rank from the bottom likewise.
    Bottom,
    /// The quarter of the cell's ranking, 1 being the most confident; tied tasks are in the same.
    Quartile,
    /// How far the rank moved since the scorer before.
    Moved,
    /// Agreement of the draws: judged where there is a judge, else of the actions.
    Agreement,
    /// Turns of the reference.
    Turns,
    /// Tool calls of the reference.
    Tools,
    /// Why the reference ended.
    Termination,
    /// The reference's reward.
    Reward,
    /// What the reference cost.
    Cost,
    /// Whether the reference reached the gold database.
    DbMatch,
    /// What the reference's reward is made of.
    Basis,
    /// The kinds of checks of that basis which the reference failed.
    FailedCheck,
    /// Whether somebody wrote a note.
    Note,
    /// The confidence under some scorer.
    Scorer(Scorer),
}

impl Column {
    /// The columns that every store has.
    pub const FIXED: [Self; 23] = [
        Self::Dataset,
        Self::Model,
        Self::Condition,
        Self::Task,
        Self::Success,
        Self::Solved,
        Self::Draws,
        Self::Score,
        Self::Rank,
        Self::Top,
        Self::Bottom,
        Self::Quartile,
        Self::Moved,
        Self::Agreement,
        Self::Turns,
        Self::Tools,
        Self::Termination,
        Self::Reward,
        Self::Cost,
        Self::DbMatch,
        Self::Basis,
        Self::FailedCheck,
        Self::Note,
    ];

    /// The name in filters and flags.
    pub fn name(&self) -> String {
        match self {
            Self::Dataset => "dataset",
            Self::Model => "model",
            Self::Condition => "condition",
            Self::Task => "task",
            Self::Draw => "draw",
            Self::Success => "success",
            Self::Solved => "solved",
            Self::Draws => "draws",
            Self::Score => "score",
            Self::Rank => "rank",
            Self::Top => "top",
            Self::Bottom => "bottom",
            Self::Quartile => "quartile",
            Self::Moved => "moved",
            Self::Agreement => "agreement",
            Self::Turns => "turns",
            Self::Tools => "tools",
            Self::Termination => "termination",
            Self::Reward => "reward",
            Self::Cost => "cost",
            Self::DbMatch => "db_match",
            Self::Basis => "basis",
            Self::FailedCheck => "failed_check",
            Self::Note => "note",
            Self::Scorer(scorer) => return scorer.column(),
        }
        .to_owned()
    }

    /// The type of its values.
    pub fn kind(&self) -> FieldKind {
        match self {
            Self::Dataset
            | Self::Model
            | Self::Condition
            | Self::Task
            | Self::Termination
            | Self::Basis
            | Self::FailedCheck => FieldKind::Text,
            Self::Success | Self::DbMatch | Self::Note => FieldKind::Bool,
            _ => FieldKind::Number,
        }
    }

    /// Whether it says how runs were graded.
    pub fn depends_on_outcomes(&self) -> bool {
        matches!(
            self,
            Self::Success
                | Self::Solved
                | Self::Reward
                | Self::DbMatch
                | Self::Basis
                | Self::FailedCheck
        )
    }

    /// Whether it changes with the current scorer.
    pub fn follows_scorer(&self) -> bool {
        matches!(
            self,
            Self::Score | Self::Rank | Self::Top | Self::Bottom | Self::Quartile | Self::Moved
        )
    }
}
