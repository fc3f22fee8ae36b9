//! The groups of pairs and tasks whose agreement is compared.

use crate::engine::{PairOutcome, Solvability};

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Pairs.
    Pairs(PairOutcome),
    /// Tasks.
    Tasks(Solvability),
}

impl Group {
    /// All of them, in the order they stand.
    pub const ALL: [Self; 6] = [
        Self::Pairs(PairOutcome::BothSucceed),
        Self::Pairs(PairOutcome::OneSucceeds),
        Self::Pairs(PairOutcome::BothFail),
        Self::Tasks(Solvability::Always),
        Self::Tasks(Solvability::Sometimes),
        Self::Tasks(Solvability::Never),
    ];

    /// The name in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pairs(outcome) => outcome.id(),
            Self::Tasks(Solvability::Always) => "always solved",
            Self::Tasks(Solvability::Sometimes) => "sometimes solved",
            Self::Tasks(Solvability::Never) => "never solved",
        }
    }

    /// What is counted.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Pairs(_) => "pair",
            Self::Tasks(_) => "task",
        }
    }
}
