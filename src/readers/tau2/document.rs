//! The document around the simulations.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::super::{ReadError, json};
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

/// A task's id and what its user is told.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) instruction: String,
}

impl Task {
    fn from_value(value: &serde_json::Value) -> Option<Self> {
        let id = match value.get("id")? {
            serde_json::Value::String(id) => id.clone(),
            other => other.to_string(),
        };
        let scenario = value.get("user_scenario");
        let instructions = scenario.and_then(|own| own.get("instructions"));
        let instruction = match instructions.or(scenario).or_else(|| value.get("ticket"))? {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Object(fields) => {
                let lines = fields.iter().filter_map(|(key, text)| {
                    let words = key.replace('_', " ");
                    text.as_str().map(|text| format!("{words}: {}", text.trim()))
                });
                lines.collect::<Vec<_>>().join("\n")
            }
            _ => value.get("ticket")?.as_str()?.to_owned(),
        };
        Some(Self { id, instruction })
    }
}

/// Everything of a document but its simulations.
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
    /// Reads up to the simulations; past them only when what the run was is still unknown.
    pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Self, ReadError> {
        let mut preamble = Self::default();
        let outcome =
            json::parse(path, bytes, |parser| PreambleSeed(&mut preamble).deserialize(parser));
        match outcome {
            // The visitor ends by an error of its own once nothing more is wanted.
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
                "tasks" => {
                    let tasks = map.next_value::<Lenient<Vec<serde_json::Value>>>()?.0;
                    preamble.tasks = tasks.iter().filter_map(Task::from_value).collect();
                }
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
