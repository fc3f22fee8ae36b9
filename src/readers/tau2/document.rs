//! The document around the simulations: the run's settings and tasks.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::json::{self, Text};
use super::super::settings::{TEMPERATURE, fingerprint, fingerprint_of};
use super::super::{InputNotes, ReadError};
use super::simulation::{Simulation, has_database};

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
    policy: Text,
}

/// A task: its id, the instruction that its user gets, and how it is graded.
#[derive(Debug, Default)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) instruction: Option<String>,
    /// Whether the reward is based on the database.
    pub(super) db_graded: Option<bool>,
    /// The fingerprint of what it asks and how it is graded.
    pub(super) definition: u64,
}

/// The fields of a task that define it.
const DEFINING: [&str; 4] = ["user_scenario", "ticket", "initial_state", "evaluation_criteria"];

fn definition(task: &RawValue) -> u64 {
    let mut value = serde_json::from_str(task.get()).unwrap_or(Value::Null);
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
    evaluation_criteria: Criteria,
}

#[derive(Default, Deserialize)]
struct Criteria {
    #[serde(default, deserialize_with = "json::lenient")]
    reward_basis: Option<Vec<String>>,
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
        let db_graded = self.evaluation_criteria.reward_basis.as_deref().map(has_database);
        Some(Task { id: self.id?, instruction, db_graded, definition })
    }
}

/// A list of tasks; anything else is none.
struct Tasks(Vec<Task>);

impl<'de> Deserialize<'de> for Tasks {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?;
        let tasks: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
        let parsed: Result<Vec<(RawTask<'_>, &RawValue)>, _> = (tasks.into_iter())
            .map(|raw| Ok::<_, serde_json::Error>((serde_json::from_str(raw.get())?, raw)))
            .collect();
        let tasks = parsed.unwrap_or_default().into_iter();
        Ok(Self(tasks.filter_map(|(task, raw)| task.task(definition(raw))).collect()))
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
    pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Self, ReadError> {
        let mut preamble = Self::default();
        let outcome =
            json::parse(path, bytes, |parser| PreambleSeed(&mut preamble).deserialize(parser));
        match outcome {
            // The visitor stops with an error once nothing more is needed.
            Err(_) if preamble.knows_info && preamble.has_simulations => Ok(preamble),
            Err(error) => Err(error),
            Ok(()) => Ok(preamble),
        }
    }
}

struct PreambleSeed<'p>(&'p mut Preamble);

impl<'de> DeserializeSeed<'de> for PreambleSeed<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for PreambleSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tau2-bench document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let preamble = self.0;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "info" if !preamble.lone_simulation => {
                    preamble.info = map.next_value::<Lenient<Info>>()?.0;
                    preamble.knows_info = true;
                }
                "tasks" => preamble.tasks = map.next_value::<Tasks>()?.0,
                "simulations" => {
                    preamble.has_simulations = true;
                    if preamble.knows_info {
                        return Err(A::Error::custom("enough seen"));
                    }
                    map.next_value::<IgnoredAny>()?;
                }
                "task_id" | "messages" | "ticks" => {
                    preamble.lone_simulation = true;
                    map.next_value::<IgnoredAny>()?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A value of the expected shape, or its default.
#[derive(Deserialize)]
#[serde(bound = "T: serde::de::DeserializeOwned + Default")]
struct Lenient<T>(#[serde(deserialize_with = "json::lenient")] T);

/// Streams the simulations of a document.
pub(super) struct Simulations<'t> {
    pub(super) take: &'t mut dyn FnMut(Simulation) -> bool,
}

impl<'de> DeserializeSeed<'de> for Simulations<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Simulations<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tau2-bench document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "simulations" {
                map.next_value_seed(List(&mut *self.take))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

struct List<'t>(&'t mut dyn FnMut(Simulation) -> bool);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of simulations")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut wanted = true;
        while wanted {
            match seq.next_element::<Simulation>()? {
                Some(simulation) => wanted = (self.0)(simulation),
                None => return Ok(()),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}
