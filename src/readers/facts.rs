//! What a record says in plain values beside its conversation: its task, draw, outcome and names.

use serde_json::value::RawValue;

use super::json;
use super::names::{CellNames, model_name};
use crate::model::Outcome;

/// Names of the task, the likelier first.
pub(super) const TASK: &[&str] = &[
    "task_id",
    "instance_id",
    "example_id",
    "prompt_id",
    "question_id",
    "problem_id",
    "custom_id",
    "task",
    "id",
];

/// Names of the number of the draw.
pub(super) const DRAW: &[&str] =
    &["trial", "draw", "epoch", "sample", "rollout", "attempt", "sample_index", "rollout_index"];

/// Names of a reward.
pub(super) const REWARD: &[&str] = &["reward", "score"];

/// Names of the verdict on a run.
pub(super) const SUCCESS: &[&str] =
    &["success", "correct", "resolved", "passed", "solved", "is_correct"];

/// Names of the model.
pub(super) const MODEL: &[&str] = &["model", "model_name", "model_id"];

/// Names of the dataset.
pub(super) const DATASET: &[&str] = &["dataset", "domain", "env", "env_id", "environment"];

/// Ids that a server gives to its answers: they name no task.
const ANSWER_IDS: [&str; 5] = ["chatcmpl-", "cmpl-", "resp_", "gen-", "batch_req_"];

/// The longest text that is taken for a name.
const LONGEST: usize = 1_000;

/// Plain values by name, as text.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts(Vec<(String, String)>);

impl Facts {
    /// Adds a value, unless it is empty or too long for a name.
    pub(super) fn add(&mut self, name: &str, value: &str) {
        let value = value.trim();
        if !value.is_empty() && value.len() <= LONGEST {
            self.0.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Adds a value of JSON, unless it is a list or an object.
    pub(super) fn add_json(&mut self, name: &str, value: &RawValue) {
        let raw = value.get();
        match raw.as_bytes().first() {
            Some(b'"') if raw.len() <= 6 * LONGEST => {
                self.add(name, &serde_json::from_str::<String>(raw).unwrap_or_default());
            }
            Some(b'-' | b'0'..=b'9' | b't' | b'f') => self.add(name, raw),
            _ => {}
        }
    }

    /// Adds what others say where these say nothing.
    pub(super) fn or(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Only what they say about the outcome.
    pub(super) fn graded(mut self) -> Self {
        let is_outcome = |name: &str| REWARD.contains(&name) || SUCCESS.contains(&name);
        self.0.retain(|(name, _)| is_outcome(name));
        self
    }

    /// The value of that name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first of some names that has a value which `parse` takes.
    pub(super) fn find<T>(&self, names: &[&str], parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        names.iter().find_map(|name| parse(self.get(name)?))
    }

    /// The number of that name.
    pub(super) fn number(&self, names: &[&str]) -> Option<f64> {
        self.find(names, number)
    }

    /// The task's id.
    pub(super) fn task(&self) -> Option<String> {
        let is_named = |id: &str| !ANSWER_IDS.iter().any(|start| id.starts_with(start));
        self.find(TASK, |id| is_named(id).then(|| id.to_owned()))
    }

    /// The id of the run, where `id` is none of a task.
    pub(super) fn run_id(&self) -> Option<String> {
        let names = ["run_id", "trajectory_id", "rollout_id", "trace_id", "id"];
        let task = self.task();
        self.find(&names, |id| (Some(id) != task.as_deref()).then(|| id.to_owned()))
    }

    /// The number of the draw.
    pub(super) fn draw(&self) -> Option<i64> {
        self.find(DRAW, whole)
    }

    /// How the run was graded.
    pub(super) fn outcome(&self) -> Outcome {
        outcome(self.number(REWARD), self.find(SUCCESS, verdict))
    }

    /// The names of the run's cell.
    pub(super) fn names(&self) -> CellNames {
        let text = |value: &str| Some(value.to_owned());
        CellNames {
            dataset: self.find(DATASET, text),
            model: self.find(MODEL, |name| Some(model_name(name))),
            condition: self.find(&["condition"], text),
        }
    }
}

/// The outcome of a reward and a verdict; the verdict says whether it was a success.
pub(super) fn outcome(reward: Option<f64>, success: Option<bool>) -> Outcome {
    let graded = Outcome::from_reward(reward);
    Outcome { success: success.or(graded.success), ..graded }
}

/// A finite number; yes and no count as 1 and 0.
pub(super) fn number(text: &str) -> Option<f64> {
    match text {
        "true" | "True" => Some(1.0),
        "false" | "False" => Some(0.0),
        _ => text.parse().ok().filter(|value: &f64| value.is_finite()),
    }
}

/// A whole number.
pub(super) fn whole(text: &str) -> Option<i64> {
    let value = text.parse::<f64>().ok()?;
    (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64)
}

/// Whether a verdict says success; a number does as a reward.
pub(super) fn verdict(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "pass" | "passed" | "success" | "correct" | "resolved" => Some(true),
        "false" | "no" | "fail" | "failed" | "failure" | "incorrect" | "unresolved" => Some(false),
        other => Outcome::from_reward(other.parse().ok()).success,
    }
}

/// The text of a JSON value: a string's letters, everything else as compact JSON.
pub(super) fn text_of(value: &RawValue) -> Option<String> {
    match value.get() {
        "null" => None,
        raw if raw.starts_with('"') => serde_json::from_str(raw).ok(),
        raw => Some(json::compact(raw)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::fields::Fields;

    fn facts(json: &str) -> Facts {
        serde_json::from_str::<Fields<'_>>(json).expect("an object").facts()
    }

    #[test]
    fn a_task_is_not_named_by_its_answer() {
        let answer = facts(r#"{"id": "chatcmpl-0123456789", "trial": 2.0, "model": "a/b"}"#);
        assert_eq!((answer.task(), answer.draw()), (None, Some(2)));
        assert_eq!(answer.run_id().as_deref(), Some("chatcmpl-0123456789"));
        assert_eq!(answer.names().model.as_deref(), Some("b"));
        let both = facts(r#"{"id": "0123456789abcdef", "task_id": 7, "trial": "x", "draw": 1}"#);
        assert_eq!((both.task().as_deref(), both.draw()), (Some("7"), Some(1)));
        assert_eq!(both.run_id().as_deref(), Some("0123456789abcdef"));
        assert_eq!(facts(r#"{"id": "t1"}"#).run_id(), None);
    }

    #[test]
    fn verdicts_come_in_many_words() {
        let success = |json: &str| facts(json).outcome().success;
        assert_eq!(success(r#"{"reward": 1}"#), Some(true));
        assert_eq!(success(r#"{"reward": 0.7}"#), Some(false));
        assert_eq!(success(r#"{"score": "NaN"}"#), None);
        assert_eq!(success(r#"{"reward": 0.7, "success": true}"#), Some(true));
        assert_eq!(success(r#"{"correct": 0}"#), Some(false));
        assert_eq!(success(r#"{"passed": "Pass", "score": "n/a"}"#), Some(true));
        assert_eq!(success(r#"{"resolved": "maybe"}"#), None);
        assert_eq!(facts(r#"{"score": true}"#).outcome().reward, Some(1.0));
    }
}
