//! One run of a tau-bench file, as the harness writes it.

use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};

use super::super::json::{self, Text};
use super::super::openai::Line;
use crate::model::{Check, CheckKind, Outcome};

/// The name of an action that is a message to the user.
const RESPOND: &str = "respond";

#[derive(Deserialize)]
pub(super) struct Run {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) task_id: Option<String>,
    #[serde(default, deserialize_with = "json::number")]
    pub(super) reward: Option<f64>,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) info: Info,
    #[serde(default)]
    pub(super) traj: Option<Vec<Line>>,
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) trial: Option<i64>,
}

#[derive(Default, Deserialize)]
pub(super) struct Info {
    #[serde(default)]
    pub(super) error: Text,
    #[serde(default, deserialize_with = "json::number")]
    pub(super) user_cost: Option<f64>,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) task: Task,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) reward_info: RewardInfo,
}

#[derive(Default, Deserialize)]
pub(super) struct Task {
    #[serde(default)]
    pub(super) instruction: Text,
    #[serde(default, deserialize_with = "json::items")]
    pub(super) actions: Vec<ExpectedAction>,
}

#[derive(Default, Deserialize)]
pub(super) struct RewardInfo {
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) info: RewardDetail,
    #[serde(default, deserialize_with = "json::items")]
    pub(super) actions: Vec<ExpectedAction>,
}

/// A call that the task expects. The harness replays all of them and compares databases; it decides on
/// none of them alone.
#[derive(Default, Deserialize)]
pub(super) struct ExpectedAction {
    #[serde(default)]
    name: Text,
    #[serde(default, deserialize_with = "json::arguments")]
    kwargs: String,
}

#[derive(Default, Deserialize)]
pub(super) struct RewardDetail {
    #[serde(default, deserialize_with = "json::number")]
    pub(super) r_actions: Option<f64>,
    #[serde(default, deserialize_with = "json::number")]
    pub(super) r_outputs: Option<f64>,
    #[serde(default, deserialize_with = "json::lenient")]
    outputs: Outputs,
}

/// What the user had to be given, and whether it was.
#[derive(Default)]
struct Outputs(Vec<(String, Option<bool>)>);

impl<'de> Deserialize<'de> for Outputs {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(OutputsVisitor).map(Self)
    }
}

struct OutputsVisitor;

impl<'de> Visitor<'de> for OutputsVisitor {
    type Value = Vec<(String, Option<bool>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("outputs and whether they were given")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut outputs = Vec::new();
        while let Some((output, Given(given))) = map.next_entry()? {
            outputs.push((output, given));
        }
        Ok(outputs)
    }
}

#[derive(Deserialize)]
struct Given(#[serde(deserialize_with = "json::flag")] Option<bool>);

impl Info {
    /// What the run was checked for: the database, the calls that lead to the gold one, and what the
    /// user had to be given.
    pub(super) fn checks(&self, reward: Option<f64>) -> Vec<Check> {
        let RewardInfo { info, actions } = &self.reward_info;
        let given = info.outputs.0.iter();
        let given = given.map(|(output, met)| Check::new(CheckKind::Communicated, output, *met));
        let given: Vec<Check> = given.collect();
        // Where there are outputs the harness records only them; the rest of the reward is the database.
        let all_given = !given.is_empty() && given.iter().all(|check| check.met == Some(true));
        let rest = Outcome::from_reward(reward).success;
        let rest = if rest == Some(true) || all_given { rest } else { None };
        let database = info.r_actions.map(|reward| reward >= 1.0).or(rest);
        let database = database.map(|met| {
            Check::new(CheckKind::Database, "the final database equals the gold one", Some(met))
        });
        let expected = if actions.is_empty() { &self.task.actions } else { actions };
        let expected = expected.iter().filter_map(ExpectedAction::check);
        database.into_iter().chain(expected).chain(given).collect()
    }
}

impl ExpectedAction {
    fn check(&self) -> Option<Check> {
        let name = self.name.0.as_deref().filter(|name| !name.trim().is_empty())?;
        // A message to the user is no call of a tool.
        (name != RESPOND).then(|| {
            let empty = self.kwargs.is_empty();
            let arguments = if empty { "{}".to_owned() } else { self.kwargs.clone() };
            Check { arguments: Some(arguments), ..Check::new(CheckKind::Action, name, None) }
        })
    }
}
