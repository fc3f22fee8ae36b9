//! The document around the simulations: the run's settings and tasks.

use std::cell::RefCell;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::given;
use super::super::json::{self, Text};
use super::super::settings::{TEMPERATURE, fingerprint, fingerprint_of};
use super::super::walk::{self, Want};
use super::super::{Content, InputNotes, ReadError};
use super::grading::{Criteria, RawCriteria};

#[derive(Debug, Default, Deserialize)]
pub(super) struct Info {
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) agent_info: AgentInfo,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) user_info: AgentInfo,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) environment_info: EnvironmentInfo,
}

impl Info {
    /// Says how the runs were made.
    pub(super) fn note(&self, notes: &mut InputNotes) {
        let AgentInfo { implementation, llm_args, .. } = &self.agent_info;
        notes.set("agent", implementation.clone());
        notes.set(TEMPERATURE, self.agent_info.temperature().map(|value| value.to_string()));
        notes.set_arguments("llm_args", llm_args);
        notes.set("user", self.user_info.llm.clone());
        notes.set("policy", self.environment_info.policy.0.as_deref().map(fingerprint));
    }
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct AgentInfo {
    #[serde(default)]
    pub(super) implementation: Option<String>,
    #[serde(default)]
    pub(super) llm: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    llm_args: Value,
}

impl AgentInfo {
    /// The temperature, however it is written.
    pub(super) fn temperature(&self) -> Option<f64> {
        let value = match self.llm_args.get("temperature")? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        value.filter(|value| value.is_finite())
    }
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct EnvironmentInfo {
    #[serde(default)]
    pub(super) domain_name: Option<String>,
    #[serde(default)]
    pub(super) policy: Text,
    #[serde(default, rename = "tool_defs", deserialize_with = "given::lenient")]
    pub(super) tools: Option<String>,
}

/// A task: its id, the instruction that its user gets, and how it is graded.
#[derive(Debug, Default)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) instruction: Option<String>,
    pub(super) criteria: Criteria,
    /// The fingerprint of what it asks and how it is graded.
    pub(super) definition: u64,
}

/// The fields of a task that define it.
const DEFINING: [&str; 4] = ["user_scenario", "ticket", "initial_state", "evaluation_criteria"];

fn definition(task: &[u8]) -> u64 {
    let mut value = serde_json::from_slice(task).unwrap_or(Value::Null);
    if let Value::Object(fields) = &mut value {
        fields.retain(|name, _| DEFINING.contains(&name.as_str()));
    }
    fingerprint_of(&value)
}

#[derive(Default, Deserialize)]
struct RawTask<'a> {
    #[serde(default, deserialize_with = "json::id")]
    id: Option<String>,
    #[serde(borrow, default, deserialize_with = "json::lenient")]
    user_scenario: Scenario<'a>,
    #[serde(default)]
    ticket: Text,
    #[serde(default, deserialize_with = "json::lenient")]
    evaluation_criteria: RawCriteria,
}

#[derive(Default, Deserialize)]
struct Scenario<'a> {
    #[serde(borrow, default)]
    instructions: Option<&'a RawValue>,
}

impl RawTask<'_> {
    fn task(self, definition: u64) -> Option<Task> {
        let words = |instructions: &RawValue| match serde_json::from_str(instructions.get()).ok()? {
            Value::String(text) => Some(text),
            Value::Object(fields) => {
                let lines = fields.iter().filter_map(|(key, text)| {
                    let words = key.replace('_', " ");
                    text.as_str().map(|text| format!("{words}: {}", text.trim()))
                });
                Some(lines.collect::<Vec<_>>().join("\n"))
            }
            _ => None,
        };
        let instruction = self.user_scenario.instructions.and_then(words).or(self.ticket.0);
        let criteria = self.evaluation_criteria.criteria();
        Some(Task { id: self.id?, instruction, criteria, definition })
    }
}

/// Everything in a document except its simulations.
#[derive(Debug, Default)]
pub(super) struct Preamble {
    pub(super) info: Info,
    pub(super) tasks: Vec<Task>,
    pub(super) has_simulations: bool,
    /// The document is itself one simulation.
    pub(super) lone_simulation: bool,
    knows_info: bool,
}

impl Preamble {
    /// Reads up to the simulations, and past them only when the run's settings come later.
    pub(super) fn read(content: &Content) -> Result<Self, ReadError> {
        let preamble = RefCell::new(Self::default());
        walk::members(content, &mut |key| preamble.borrow_mut().want(key), &mut |key, value| {
            preamble.borrow_mut().take(key, value)
        })?;
        Ok(preamble.into_inner())
    }

    fn want(&mut self, key: &str) -> Want {
        match key {
            "info" if !self.lone_simulation => Want::Whole,
            "tasks" => Want::Elements,
            "simulations" => {
                self.has_simulations = true;
                if self.knows_info { Want::Stop } else { Want::Skip }
            }
            "task_id" | "messages" | "ticks" => {
                self.lone_simulation = true;
                Want::Skip
            }
            _ => Want::Skip,
        }
    }

    fn take(&mut self, key: &str, value: &walk::Value<'_>) -> Result<bool, ReadError> {
        if key == "info" {
            self.info = value.parse::<Lenient<Info>>()?.0;
            self.knows_info = true;
        } else {
            // What is no task is none.
            let task: Option<RawTask<'_>> = serde_json::from_slice(value.bytes()).ok();
            self.tasks.extend(task.and_then(|task| task.task(definition(value.bytes()))));
        }
        Ok(true)
    }
}

/// A value of the expected shape, or its default.
#[derive(Deserialize)]
#[serde(bound = "T: serde::de::DeserializeOwned + Default")]
struct Lenient<T>(#[serde(deserialize_with = "json::lenient")] T);
