//! A mapping that a user writes: where the tasks, messages and outcomes of a file stand.

mod apply;
mod ends;
mod exports;
mod guess;
mod pointer;

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::ReadError;
use super::facts;
use crate::files;
pub(super) use apply::Runs;
pub(super) use ends::Ends;
pub(super) use exports::Export;
pub(super) use guess::start;
pub(super) use pointer::Pointer;

/// The size of the longest mapping.
const LONGEST: u64 = 1 << 20;

/// Where everything stands in a file, in TOML.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    #[serde(default)]
    records: Records,
    #[serde(default)]
    run: RunMap,
    /// How a record or an element of `messages` becomes messages; without any, it is one as `OpenAI` has
    /// it.
    #[serde(default)]
    message: Vec<MessageMap>,
    #[serde(default)]
    tool_call: Option<CallMap>,
    #[serde(default)]
    token: Option<TokenMap>,
}

/// Which records a file has, and which of them belong together.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Records {
    #[serde(default)]
    at: At,
    run: Option<Pointer>,
    skip: Option<Pointer>,
}

/// Where the records stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum At {
    /// One a line, the rows of a table, or the elements of a list.
    #[default]
    Lines,
    /// Inside of one document.
    Inside(Pointer),
}

impl<'de> Deserialize<'de> for At {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if text == "lines" {
            return Ok(Self::Lines);
        }
        Pointer::parse(&text).map(Self::Inside).map_err(serde::de::Error::custom)
    }
}

/// What a record says about its run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunMap {
    task: Option<Pointer>,
    draw: Option<Pointer>,
    id: Option<Pointer>,
    #[serde(default, deserialize_with = "one_or_more")]
    messages: Vec<Pointer>,
    success: Option<Pointer>,
    reward: Option<Pointer>,
    dataset: Option<Pointer>,
    model: Option<Pointer>,
    condition: Option<Pointer>,
    temperature: Option<Pointer>,
    cost: Option<Pointer>,
    duration: Option<Pointer>,
    termination: Option<Pointer>,
    /// Where the system prompt stands, beside the messages.
    system: Option<Pointer>,
    /// Where the definitions of the tools stand.
    tools: Option<Pointer>,
    #[serde(default)]
    join_turns: bool,
}

impl RunMap {
    /// Every plain value with the name that it has among the facts of a run.
    fn facts(&self) -> [(&'static str, Option<&Pointer>); 12] {
        [
            (facts::TASK[0], self.task.as_ref()),
            (facts::DRAW[0], self.draw.as_ref()),
            ("run_id", self.id.as_ref()),
            (facts::SUCCESS[0], self.success.as_ref()),
            (facts::REWARD[0], self.reward.as_ref()),
            (facts::DATASET[0], self.dataset.as_ref()),
            (facts::MODEL[0], self.model.as_ref()),
            ("condition", self.condition.as_ref()),
            ("temperature", self.temperature.as_ref()),
            ("cost", self.cost.as_ref()),
            ("duration", self.duration.as_ref()),
            ("termination_reason", self.termination.as_ref()),
        ]
    }
}

/// Where the parts of a message stand.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageMap {
    /// Where the role stands, or the role itself.
    role: String,
    content: Option<Pointer>,
    reasoning: Option<Pointer>,
    tool_calls: Option<Pointer>,
    tool_call_id: Option<Pointer>,
    logprobs: Option<Pointer>,
    tokens: Option<Pointer>,
    /// Only the first such message of a run counts: what later records repeat of it is left out.
    #[serde(default)]
    once: bool,
}

/// Where the parts of a tool call stand.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallMap {
    name: Pointer,
    arguments: Option<Pointer>,
    id: Option<Pointer>,
}

/// Where the parts of a token stand.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenMap {
    text: Pointer,
    logprob: Pointer,
    top: Option<Pointer>,
}

/// A pointer, or a list of them.
fn one_or_more<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Pointer>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        One(String),
        More(Vec<String>),
    }
    let texts = match Written::deserialize(from)? {
        Written::One(text) => vec![text],
        Written::More(texts) => texts,
    };
    let pointers = texts.iter().map(|text| Pointer::parse(text)).collect::<Result<_, _>>();
    pointers.map_err(serde::de::Error::custom)
}

impl Mapping {
    /// Reads a mapping from a file.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let bytes =
            files::read(path, LONGEST).map_err(|error| ReadError::unreadable(path, &error))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| ReadError::new(path, "is not text", "name a mapping in TOML"))?;
        Self::parse(&text).map_err(|(line, problem)| {
            let remedy = "`qualm help mapping` lists what a mapping may say";
            ReadError::new(path, problem, remedy).at(format!("line {line}"))
        })
    }

    /// Reads a mapping from its text; an error has the number of its line.
    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mapping: Self = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count() + 1;
            (line, error.message().lines().next().unwrap_or("is not valid TOML").to_owned())
        })?;
        mapping.check().map_err(|problem| (1, problem))?;
        Ok(mapping)
    }

    /// Fails where a role is neither a word for one nor a pointer.
    fn check(&self) -> Result<(), String> {
        for message in &self.message {
            let role = &message.role;
            if !role.starts_with('/') && super::openai::role(role).is_none() {
                return Err(format!(
                    "the role `{role}` is neither a pointer nor system, user, assistant or tool"
                ));
            }
        }
        Ok(())
    }

    /// The fields of a record that are looked at; none where all may be.
    pub(super) fn fields(&self) -> Option<Vec<String>> {
        if self.run.messages.is_empty() {
            return None;
        }
        let named = self.run.facts().into_iter().filter_map(|(_, pointer)| pointer);
        let beside = [&self.records.run, &self.records.skip, &self.run.system, &self.run.tools];
        let beside = beside.into_iter().flatten();
        let all = named.chain(beside).chain(&self.run.messages);
        all.map(|pointer| pointer.first().map(str::to_owned)).collect()
    }

    /// Whether a row has text or lists where the conversation should be. An empty one may; an answer to
    /// a prompt may also be a number.
    pub(super) fn holds_talk(&self, row: &Value) -> bool {
        let [pointer] = &self.run.messages[..] else { return true };
        match pointer.get(row).as_deref() {
            Some(Value::String(text)) => text.parse::<f64>().is_err(),
            Some(Value::Array(_) | Value::Object(_)) | None => true,
            Some(_) => false,
        }
    }

    /// Where the records stand in a document; none where every line or row is one.
    pub(super) fn at(&self) -> Option<&Pointer> {
        match &self.records.at {
            At::Lines => None,
            At::Inside(pointer) => Some(pointer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_mapping_may_not_say_is_named_with_its_line() {
        let wrong = |text: &str| Mapping::parse(text).expect_err("wrong");
        let (line, problem) = wrong("[run]\ntask = \"/id\"\nsucess = \"/ok\"\n");
        assert_eq!(line, 3);
        assert!(problem.starts_with("unknown field `sucess`, expected one of `task`"), "{problem}");
        let (line, problem) = wrong("[run]\ntask = \"a/b\"\n");
        assert_eq!(line, 2);
        assert!(
            problem.contains("`a/b` is not a pointer: a pointer begins with a slash"),
            "{problem}"
        );
        assert_eq!(wrong("[run\n").0, 1);
        assert!(wrong("[[message]]\nrole = \"robot\"\n").1.contains("the role `robot`"));
        assert!(wrong("[[message]]\ncontent = \"/x\"\n").1.contains("missing field `role`"));
        assert!(Mapping::parse("").is_ok(), "everything has a default");
    }
}
