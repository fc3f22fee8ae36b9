//! What a log says about its run: the task, the model, the solver and how far it came.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::super::json;
use super::super::names::{CellNames, model_name};
use crate::model::Fingerprint;

/// The longest name of a condition, in bytes; a longer one is cut to as many letters.
const LONGEST_CONDITION: usize = 60;

/// `header.json`, `_journal/start.json`, or what stands around the samples of a document.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Header {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) status: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) eval: Eval,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) plan: Plan,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) results: Results,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Eval {
    #[serde(default, deserialize_with = "json::id")]
    task: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    model: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    solver: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    solver_args: Arguments,
    #[serde(default, deserialize_with = "json::lenient")]
    solver_args_passed: Option<Arguments>,
    #[serde(default, deserialize_with = "json::lenient")]
    task_args: Arguments,
    #[serde(default, deserialize_with = "json::lenient")]
    task_args_passed: Option<Arguments>,
    #[serde(default, deserialize_with = "json::lenient")]
    dataset: Dataset,
    #[serde(default, deserialize_with = "json::lenient")]
    config: EvalConfig,
    #[serde(default, deserialize_with = "json::lenient")]
    model_generate_config: GenerateConfig,
}

/// Arguments by name. Newer logs tell those that the user passed from defaults.
type Arguments = BTreeMap<String, Value>;

#[derive(Debug, Default, Deserialize)]
struct Dataset {
    #[serde(default, deserialize_with = "json::whole")]
    samples: Option<i64>,
    #[serde(default, deserialize_with = "json::lenient")]
    sample_ids: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Debug, Default, Deserialize)]
struct EvalConfig {
    #[serde(default, deserialize_with = "json::whole")]
    epochs: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
struct GenerateConfig {
    #[serde(default, deserialize_with = "json::number")]
    temperature: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Plan {
    #[serde(default, deserialize_with = "json::lenient")]
    config: GenerateConfig,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Results {
    #[serde(default, deserialize_with = "json::lenient")]
    scores: Vec<Scored>,
}

#[derive(Debug, Default, Deserialize)]
struct Scored {
    #[serde(default, deserialize_with = "json::id")]
    scorer: Option<String>,
}

impl Header {
    /// What the log says about its cell. The condition is what the user chose apart from the task and
    /// the model: another solver than the task's, and arguments of both.
    pub(super) fn names(&self) -> CellNames {
        CellNames {
            dataset: self.eval.task.as_deref().map(model_name),
            model: self.eval.model.as_deref().map(model_name),
            condition: self.eval.condition(),
        }
    }

    /// The model's full name, under which its usage is counted.
    pub(super) fn model(&self) -> Option<&str> {
        self.eval.model.as_deref()
    }

    /// The sampling temperature.
    pub(super) fn temperature(&self) -> Option<f64> {
        self.eval.model_generate_config.temperature.or(self.plan.config.temperature)
    }

    /// The first scorer, as the results list them.
    pub(super) fn first_scorer(&self) -> Option<&str> {
        self.results.scores.first()?.scorer.as_deref()
    }

    /// How many samples the run should have, over all epochs.
    pub(super) fn expected(&self) -> Option<i64> {
        let listed = self.eval.dataset.sample_ids.as_ref();
        let listed = listed.and_then(|ids| i64::try_from(ids.len()).ok());
        let samples = listed.filter(|count| *count > 0).or(self.eval.dataset.samples)?;
        samples.checked_mul(self.eval.config.epochs.unwrap_or(1)).filter(|count| *count > 0)
    }
}

impl Eval {
    fn condition(&self) -> Option<String> {
        let mut words: Vec<String> = self.solver.as_deref().map(model_name).into_iter().collect();
        let solver = self.solver_args_passed.as_ref().unwrap_or(&self.solver_args);
        let task = self.task_args_passed.as_ref().unwrap_or(&self.task_args);
        for (name, value) in solver.iter().chain(task).filter(|(_, value)| !value.is_null()) {
            words.push(match value {
                Value::String(text) => format!("{name}={text}"),
                other => format!("{name}={other}"),
            });
        }
        let all = words.join(" ");
        match all.len() {
            0 => None,
            1..=LONGEST_CONDITION => Some(all),
            _ => {
                // What is cut off still tells conditions apart.
                let mut print = Fingerprint::default();
                print.add_text(&all);
                let short: String = all.chars().take(LONGEST_CONDITION).collect();
                Some(format!("{short}… {:08x}", print.value() as u32))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(eval: &str) -> Header {
        serde_json::from_str(&format!(r#"{{"eval": {eval}}}"#)).expect("a header")
    }

    #[test]
    fn the_cell_is_named_without_packages_and_providers() {
        let names =
            header(r#"{"task": "inspect_evals/gaia", "model": "openai/azure/gpt-4o"}"#).names();
        assert_eq!(names.dataset.as_deref(), Some("gaia"));
        assert_eq!(names.model.as_deref(), Some("gpt-4o"));
        assert_eq!(names.condition, None);
    }

    #[test]
    fn what_the_user_chose_is_the_condition() {
        let condition = |eval: &str| header(eval).names().condition;
        let passed = r#"{"solver": "pkg/react", "solver_args": {"a": 1, "b": 2},
            "solver_args_passed": {"b": 2}, "task_args_passed": {"level": "hard", "x": null}}"#;
        assert_eq!(condition(passed).as_deref(), Some("react b=2 level=hard"));
        assert_eq!(condition(r#"{"task_args": {"n": [1]}}"#).as_deref(), Some("n=[1]"), "older");
        assert_eq!(condition(r#"{"task_args": {"n": 1}, "task_args_passed": {}}"#), None);
        let long = |end: &str| condition(&format!(r#"{{"solver": "{}{end}"}}"#, "s".repeat(90)));
        assert_ne!(long("a"), long("b"));
        assert!(long("a").is_some_and(|name| name.len() < 90));
    }

    #[test]
    fn a_header_of_other_shapes_says_nothing() {
        for eval in ["null", "[]", "3", r#"{"task": {}, "dataset": 1, "config": []}"#] {
            assert_eq!(header(eval).expected(), None, "{eval}");
        }
        assert_eq!(
            header(r#"{"dataset": {"samples": 5}, "config": {"epochs": 4}}"#).expected(),
            Some(20)
        );
    }
}
