//! The checks that a simulation lists, each by its shape.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::json::{self, Text};
use crate::model::{Check, CheckKind};

/// How far a reward may be from 1 and still mean that a check was met.
const TOLERANCE: f64 = 1e-6;

#[derive(Debug, Default, Deserialize)]
pub(super) struct DbCheck {
    #[serde(default, deserialize_with = "json::flag")]
    pub(super) db_match: Option<bool>,
    #[serde(default, deserialize_with = "json::number")]
    pub(super) db_reward: Option<f64>,
}

/// A call of a function of the environment, and what it should return.
#[derive(Debug, Default, Deserialize)]
pub(super) struct EnvironmentCheck {
    #[serde(default, deserialize_with = "json::lenient")]
    env_assertion: Function,
    #[serde(default, deserialize_with = "json::flag")]
    met: Option<bool>,
    #[serde(default, deserialize_with = "json::number")]
    reward: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
struct Function {
    #[serde(default)]
    func_name: Text,
    #[serde(default, deserialize_with = "json::arguments")]
    arguments: String,
    #[serde(default, deserialize_with = "json::flag")]
    assert_value: Option<bool>,
    #[serde(default)]
    message: Text,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ActionCheck {
    #[serde(default, deserialize_with = "json::lenient")]
    action: ExpectedAction,
    #[serde(default, deserialize_with = "json::flag")]
    action_match: Option<bool>,
    #[serde(default, deserialize_with = "json::number")]
    action_reward: Option<f64>,
}

/// A call that a task expects.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ExpectedAction {
    #[serde(default)]
    name: Text,
    #[serde(default, deserialize_with = "json::arguments")]
    arguments: String,
    #[serde(default, deserialize_with = "json::lenient")]
    compare_args: Option<Vec<String>>,
    #[serde(default)]
    info: Text,
}

impl ExpectedAction {
    /// The check that the call was made; none of an action without a name.
    pub(super) fn check(self, met: Option<bool>) -> Option<Check> {
        let name = self.name.0.filter(|name| !name.trim().is_empty())?;
        let arguments = if self.arguments.is_empty() { "{}".to_owned() } else { self.arguments };
        Some(Check {
            arguments: Some(arguments),
            compared: self.compare_args,
            detail: self.info.0,
            ..Check::new(CheckKind::Action, name, met)
        })
    }
}

impl ActionCheck {
    pub(super) fn check(self) -> Option<Check> {
        self.action.check(self.action_match.or(full(self.action_reward)))
    }
}

impl DbCheck {
    pub(super) fn check(&self) -> Option<Check> {
        let met = self.db_match.or(full(self.db_reward))?;
        Some(Check::new(CheckKind::Database, "the final database equals the gold one", Some(met)))
    }
}

/// Words that should be true of the run, or that the user should be given.
#[derive(Debug, Default)]
pub(super) struct Assertion {
    words: Option<String>,
    met: Option<bool>,
    justification: Option<String>,
}

#[derive(Default, Deserialize)]
struct JudgedAssertion {
    #[serde(default, alias = "nl_assertion", alias = "info")]
    words: Text,
    #[serde(default, deserialize_with = "json::flag")]
    met: Option<bool>,
    #[serde(default)]
    justification: Text,
}

impl<'de> Deserialize<'de> for Assertion {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?.get();
        // Only the words, as tasks have them: nobody decided on it.
        if raw.starts_with('"') {
            let words = serde_json::from_str(raw).ok();
            return Ok(Self { words, ..Self::default() });
        }
        let JudgedAssertion { words, met, justification } =
            serde_json::from_str(raw).map_err(serde::de::Error::custom)?;
        Ok(Self { words: words.0, met, justification: justification.0 })
    }
}

impl Assertion {
    pub(super) fn check(self, kind: CheckKind) -> Option<Check> {
        let detail = self.justification.filter(|text| !text.trim().is_empty());
        Some(Check { detail, ..Check::new(kind, self.words?, self.met) })
    }
}

impl EnvironmentCheck {
    pub(super) fn check(self) -> Option<Check> {
        let Function { func_name, arguments, assert_value, message } = self.env_assertion;
        let name = func_name.0?;
        let expected = if assert_value == Some(false) { format!("not {name}") } else { name };
        Some(Check {
            arguments: Some(arguments).filter(|arguments| !arguments.is_empty()),
            detail: message.0.filter(|text| !text.trim().is_empty()),
            ..Check::new(CheckKind::Environment, expected, self.met.or(full(self.reward)))
        })
    }
}

/// Whether a reward is a full one; unknown where there is none.
fn full(reward: Option<f64>) -> Option<bool> {
    reward.map(|reward| reward >= 1.0 - TOLERANCE)
}

/// Adds a check for every part of the reward that is below 1 although no check of its kind failed:
/// the harness gives no reason then.
pub(super) fn add_unexplained(checks: &mut Vec<Check>, parts: &[(&str, Option<f64>)]) {
    for (id, value) in parts {
        let (Some(kind), Some(value)) = (CheckKind::of_basis(id), value) else { continue };
        let is_known = checks.iter().any(|check| check.kind == kind && check.met == Some(false));
        if full(Some(*value)) == Some(false) && !is_known {
            let detail = Some(format!("the harness gives {value} and no reason"));
            checks.push(Check { detail, ..Check::new(kind, *id, Some(false)) });
        }
    }
}
