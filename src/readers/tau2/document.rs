//! The document around the simulations: the run's settings and tasks.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::ReadError;
use super::super::json::{self, Text};
use super::grading::{Criteria, RawCriteria};
use super::simulation::Simulation;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Info {
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) agent_info: AgentInfo,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) environment_info: EnvironmentInfo,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct AgentInfo {
    #[serde(default)]
    pub(super) implementation: Option<String>,
    #[serde(default)]
    pub(super) llm: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) llm_args: LlmArgs,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct LlmArgs {
    #[serde(default, deserialize_with = "json::number")]
    pub(super) temperature: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct EnvironmentInfo {
    #[serde(default)]
    pub(super) domain_name: Option<String>,
}

/// A task: its id, the instruction that its user gets, and how it is graded.
#[derive(Debug, Default)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) instruction: Option<String>,
    pub(super) criteria: Criteria,
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
    fn task(self) -> Option<Task> {
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
        Some(Task { id: self.id?, instruction, criteria: self.evaluation_criteria.criteria() })
    }
}

/// A list of tasks; anything else is none.
struct Tasks(Vec<Task>);

impl<'de> Deserialize<'de> for Tasks {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?;
        let tasks: Vec<RawTask> = serde_json::from_str(raw.get()).unwrap_or_default();
        Ok(Self(tasks.into_iter().filter_map(RawTask::task).collect()))
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
