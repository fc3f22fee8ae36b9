//! How a simulation was graded: its reward, what that is made of, and every check.

use serde::Deserialize;

use super::super::json;
use super::checks::{
    ActionCheck, Assertion, DbCheck, EnvironmentCheck, ExpectedAction, add_unexplained,
};
use crate::model::{Basis, Check, CheckKind, Outcome, RewardParts};

/// What a task is graded by.
#[derive(Debug, Default)]
pub(super) struct Criteria {
    /// What the reward is made of.
    pub(super) basis: Option<Basis>,
    /// The calls that it expects.
    pub(super) actions: Vec<Check>,
}

#[derive(Default, Deserialize)]
pub(super) struct RawCriteria {
    #[serde(default, deserialize_with = "json::lenient")]
    reward_basis: Option<Vec<String>>,
    #[serde(default, deserialize_with = "json::items")]
    actions: Vec<ExpectedAction>,
}

impl RawCriteria {
    pub(super) fn criteria(self) -> Criteria {
        let actions = self.actions.into_iter().filter_map(|action| action.check(None));
        Criteria { basis: self.reward_basis.map(Basis::new), actions: actions.collect() }
    }
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct RewardInfo {
    #[serde(default, deserialize_with = "json::number")]
    reward: Option<f64>,
    #[serde(default, deserialize_with = "json::lenient")]
    reward_breakdown: Breakdown,
    #[serde(default, deserialize_with = "json::lenient")]
    reward_basis: Option<Vec<String>>,
    #[serde(default, deserialize_with = "json::lenient")]
    db_check: DbCheck,
    #[serde(default, deserialize_with = "json::items")]
    env_assertions: Vec<EnvironmentCheck>,
    #[serde(default, deserialize_with = "json::items")]
    action_checks: Vec<ActionCheck>,
    #[serde(default, deserialize_with = "json::items")]
    nl_assertions: Vec<Assertion>,
    #[serde(default, deserialize_with = "json::items")]
    communicate_checks: Vec<Assertion>,
}

#[derive(Debug, Default, Deserialize)]
struct Breakdown {
    #[serde(rename = "DB", default, deserialize_with = "json::number")]
    database: Option<f64>,
    #[serde(rename = "ENV_ASSERTION", default, deserialize_with = "json::number")]
    assertions: Option<f64>,
    #[serde(rename = "ACTION", default, deserialize_with = "json::number")]
    actions: Option<f64>,
    #[serde(rename = "COMMUNICATE", default, deserialize_with = "json::number")]
    communicated: Option<f64>,
    #[serde(rename = "NL_ASSERTION", default, deserialize_with = "json::number")]
    language: Option<f64>,
}

impl Breakdown {
    /// The parts by the harness's ids.
    fn parts(&self) -> [(&'static str, Option<f64>); 5] {
        [
            ("DB", self.database),
            ("ENV_ASSERTION", self.assertions),
            ("ACTION", self.actions),
            ("COMMUNICATE", self.communicated),
            ("NL_ASSERTION", self.language),
        ]
    }

    /// What the parts say that the reward is made of; none where no part is known.
    fn basis(&self) -> Option<Basis> {
        let known = self.parts().into_iter().filter(|(_, value)| value.is_some());
        let ids: Vec<&str> = known.map(|(id, _)| id).collect();
        (!ids.is_empty()).then(|| Basis::new(ids))
    }
}

impl RewardInfo {
    /// How the run was graded. What the run does not say of its reward's basis, its task may.
    pub(super) fn outcome(&self, of_task: Option<&Criteria>) -> Outcome {
        let parts = &self.reward_breakdown;
        let stated = self.reward_basis.as_ref().map(Basis::new);
        let of_task = of_task.and_then(|task| task.basis.clone());
        let basis = stated.or_else(|| parts.basis()).or(of_task);
        let outcome = Outcome::from_reward(self.reward).graded_by(basis);
        let db_reward = self.db_check.db_reward.filter(|_| outcome.db_graded != Some(false));
        Outcome {
            db_match: self.db_check.db_match,
            parts: RewardParts {
                database: parts.database.or(db_reward),
                assertions: parts.assertions,
                actions: parts.actions,
                communicated: parts.communicated,
                language: parts.language,
            },
            ..outcome
        }
    }

    /// What the run was checked for, in the harness's order. A run that records no expected call has
    /// those of its task, and nobody decided on them.
    pub(super) fn into_checks(self, of_task: Option<&Criteria>) -> Vec<Check> {
        let mut checks: Vec<Check> = self.db_check.check().into_iter().collect();
        checks.extend(self.env_assertions.into_iter().filter_map(EnvironmentCheck::check));
        let before = checks.len();
        checks.extend(self.action_checks.into_iter().filter_map(ActionCheck::check));
        if checks.len() == before {
            checks.extend(of_task.into_iter().flat_map(|task| task.actions.iter().cloned()));
        }
        let language = self.nl_assertions.into_iter();
        checks.extend(language.filter_map(|words| words.check(CheckKind::Language)));
        let communicated = self.communicate_checks.into_iter();
        checks.extend(communicated.filter_map(|words| words.check(CheckKind::Communicated)));
        add_unexplained(&mut checks, &self.reward_breakdown.parts());
        checks
    }
}
