//! How the trajectories of a cell were graded.

use super::plan::{PlannedTask, SAMPLES, Targets};
use crate::model::{Outcome, RewardParts};
use crate::rng::Rng;

/// How one trajectory ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grade {
    pub success: bool,
    /// The database is right; with a failure, something else was wrong.
    pub database: bool,
}

impl Grade {
    /// Plain success or failure.
    pub fn plain(success: bool) -> Self {
        Self { success, database: success }
    }

    /// In the shop, an assertion about what was said can fail although the order is right.
    fn draw(success: bool, complete: bool, dataset: &str, rng: &mut Rng) -> Self {
        let said_wrong = !success && complete && dataset == "retail" && rng.chance(0.04);
        Self { success, database: success || said_wrong }
    }
}

/// The grades of a task: of the reference, and of its samples.
#[derive(Clone, Debug)]
pub struct Grades {
    pub reference: Grade,
    pub samples: [Grade; SAMPLES],
}

impl Grades {
    /// What the databases say of a pair: equivalent, not, or nothing when neither is right.
    pub fn truth(&self, sample: usize) -> Option<bool> {
        let (one, other) = (self.reference.database, self.samples[sample].database);
        (one || other).then_some(one && other)
    }

    /// Grades of the reference and the samples, draw 0 first.
    pub fn draws(&self) -> impl Iterator<Item = Grade> {
        std::iter::once(self.reference).chain(self.samples)
    }
}

/// Grades the samples: those of solved tasks mostly succeed, those of failed ones mostly fail, and
/// in many tasks all draws share one fate.
pub fn grade(
    tasks: &[PlannedTask],
    solved: &[bool],
    dataset: &str,
    targets: &Targets,
    rng: &mut Rng,
) -> Vec<Grades> {
    let rate = targets.rate();
    let mut all = Vec::with_capacity(tasks.len());
    for (task, &success) in tasks.iter().zip(solved) {
        let reference = Grade::draw(success, task.reference.complete, dataset, rng);
        let chance = if success { 0.42 + 0.52 * rate } else { 0.12 + 0.5 * rate };
        let shared = rng.chance(0.45).then(|| rng.chance(chance));
        let samples = task.samples.each_ref().map(|sample| {
            let success = shared.unwrap_or_else(|| rng.chance(chance)) && sample.complete;
            Grade::draw(success, sample.complete, dataset, rng)
        });
        all.push(Grades { reference, samples });
    }
    all
}

/// The outcome as a harness writes it.
pub fn outcome(grade: Grade, dataset: &str) -> Outcome {
    let value = |good: bool| Some(f64::from(u8::from(good)));
    let mut parts = RewardParts { database: value(grade.database), ..RewardParts::default() };
    match dataset {
        "airline" => parts.communicated = value(true),
        "telecom" => parts.assertions = value(grade.success),
        "retail" => parts.language = value(grade.success || !grade.database),
        _ => parts.actions = value(grade.success),
    }
    Outcome {
        success: Some(grade.success),
        reward: value(grade.success),
        db_match: Some(grade.database),
        db_graded: Some(true),
        basis: None,
        parts,
    }
}

/// Why a run ended, in the harness's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The user had what they came for, or had enough.
    UserStop,
    /// The agent said it was done.
    AgentStop,
    /// The run was cut off.
    MaxSteps,
    /// Tool calls kept failing.
    TooManyErrors,
}

impl Ending {
    /// Draws an ending; only failures are cut off.
    pub fn draw(success: bool, simulated_user: bool, rng: &mut Rng) -> Self {
        let usual = if simulated_user { Self::UserStop } else { Self::AgentStop };
        if success {
            return if rng.chance(0.03) { Self::AgentStop } else { usual };
        }
        match rng.below(100) {
            0..6 => Self::MaxSteps,
            6..10 => Self::TooManyErrors,
            10..15 => Self::AgentStop,
            _ => usual,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::UserStop => "user_stop",
            Self::AgentStop => "agent_stop",
            Self::MaxSteps => "max_steps",
            Self::TooManyErrors => "too_many_errors",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_decide_unless_both_are_wrong() {
        let samples = [true, false, false].map(Grade::plain);
        let solved = Grades { reference: Grade::plain(true), samples };
        assert_eq!([0, 1].map(|sample| solved.truth(sample)), [Some(true), Some(false)]);
        let failed = Grades { reference: Grade::plain(false), samples };
        assert_eq!([0, 1].map(|sample| failed.truth(sample)), [Some(false), None]);
    }

    #[test]
    fn a_right_database_can_still_fail_on_words() {
        let outcome = outcome(Grade { success: false, database: true }, "retail");
        assert_eq!((outcome.success, outcome.db_match), (Some(false), Some(true)));
        assert_eq!((outcome.parts.database, outcome.parts.language), (Some(1.0), Some(0.0)));
    }
}
