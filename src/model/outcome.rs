//! How a run was graded.

use super::{Basis, CheckKind};

/// How a run was graded. Every part may be unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Whether the task was solved; unknown when the harness did not grade the run.
    pub success: Option<bool>,
    /// The reward as the harness gave it.
    pub reward: Option<f64>,
    /// Whether the final database equals the gold one.
    pub db_match: Option<bool>,
    /// Whether the reward is based on the database; unknown when the results do not say.
    pub db_graded: Option<bool>,
    /// What the reward is made of; unknown when the results do not say.
    pub basis: Option<Basis>,
    /// The values of its parts.
    pub parts: RewardParts,
}

impl Outcome {
    /// How far a reward may be from 1 and still mean success.
    pub const REWARD_TOLERANCE: f64 = 1e-6;

    /// The outcome of a run that has only a reward.
    pub fn from_reward(reward: Option<f64>) -> Self {
        let reward = reward.filter(|value| value.is_finite());
        Self {
            success: reward.map(|value| (value - 1.0).abs() <= Self::REWARD_TOLERANCE),
            reward,
            ..Self::default()
        }
    }

    /// Sets what the reward is made of, and with it whether the database counts.
    #[must_use]
    pub fn graded_by(self, basis: Option<Basis>) -> Self {
        let has_database = |basis: &Basis| basis.kinds().contains(CheckKind::Database);
        Self { db_graded: basis.as_ref().map(has_database), basis, ..self }
    }
}

/// The checks that a reward multiplies, each 0 to 1, absent when it was not part of the grading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RewardParts {
    /// Final database state.
    pub database: Option<f64>,
    /// Assertions about the environment.
    pub assertions: Option<f64>,
    /// Required actions.
    pub actions: Option<f64>,
    /// Information that the user had to be given.
    pub communicated: Option<f64>,
    /// Assertions in natural language, decided by a judge.
    pub language: Option<f64>,
}
