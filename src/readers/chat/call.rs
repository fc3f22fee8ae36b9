//! One record of a log: what was asked, what was answered, and what is said about both.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::facts::{Facts, text_of};
use super::super::fields::Fields;
use super::super::given::TOOLS;
use super::super::json::Text;
use super::super::logprobs::Logprobs;
use super::super::openai::{Conversation, Line};
use super::super::records::FileRecord;
use super::super::{ReadError, json};
use super::responses::Items;
use crate::model::{Message, Role};

/// Names of what was asked, the likelier first.
const ASKED: [&str; 5] = ["messages", "conversation", "conversations", "input", "prompt"];

/// A call of a model with all its answers, or a conversation without one.
pub(super) struct Call<'a> {
    pub(super) facts: Facts,
    pub(super) asked: Vec<Line>,
    /// The messages of every choice.
    pub(super) answers: Vec<Vec<Line>>,
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
    pub(super) error: Option<String>,
    /// A system prompt that is a list of parts: it stands beside the conversation.
    pub(super) system: Option<String>,
    /// The tools of the request, as they are written.
    pub(super) tools: Option<&'a RawValue>,
}

/// A choice: a message, with its tokens beside it.
struct Choice(Option<Line>);

#[derive(Deserialize)]
struct WrittenChoice<'a> {
    #[serde(default)]
    message: Option<Line>,
    #[serde(borrow, default, deserialize_with = "json::lenient")]
    logprobs: Option<Logprobs<'a>>,
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let WrittenChoice { message, logprobs } = WrittenChoice::deserialize(from)?;
        let tokens = logprobs.and_then(|logprobs| logprobs.tokens().ok());
        Ok(Self(message.map(|line| match tokens {
            Some(tokens) => line.with_tokens(Some(tokens)),
            None => line,
        })))
    }
}

#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default, deserialize_with = "json::whole")]
    prompt_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    completion_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    input_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    output_tokens: Option<i64>,
}

impl<'a> Call<'a> {
    /// Reads a record. What it holds may stand in it, in its request or in its response, and there in
    /// the body.
    pub(super) fn of(record: &FileRecord<'a>) -> Result<Self, ReadError> {
        let fields = &record.fields;
        let request = fields.inner("request").unwrap_or_default();
        let response = fields.inner("response").unwrap_or_default();
        let [asked_inside, answered_inside] =
            [&request, &response].map(|layer| layer.inner("body").unwrap_or_default());
        let asked = [fields, &request, &asked_inside];
        let answered = [fields, &response, &answered_inside];
        let facts = answered.iter().chain(&asked[1..]).fold(Facts::default(), |facts, layer| {
            let metadata = layer.inner("metadata").unwrap_or_default();
            facts.or(layer.facts()).or(metadata.facts())
        });
        let usage = answered.iter().find_map(|layer| layer.lenient::<Usage>("usage"));
        let usage = usage.unwrap_or_default();
        let count = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
        Ok(Self {
            facts,
            asked: messages(record, &asked)?,
            answers: answers(record, &answered)?,
            prompt_tokens: count(usage.prompt_tokens.or(usage.input_tokens)),
            completion_tokens: count(usage.completion_tokens.or(usage.output_tokens)),
            error: answered.iter().find_map(|layer| failure(layer.get("error")?)),
            system: system(&asked).filter(|text| text.starts_with('[')).and_then(|parts| {
                let Text(text) = serde_json::from_str(parts).ok()?;
                text
            }),
            tools: asked.iter().find_map(|layer| layer.first(&TOOLS)).map(|(_, tools)| tools),
        })
    }
}

/// What an error says, in the words of its `message` if it has one.
fn failure(error: &RawValue) -> Option<String> {
    let fields: Fields<'_> = serde_json::from_str(error.get()).unwrap_or_default();
    fields.get("message").and_then(text_of).or_else(|| text_of(error))
}

/// The instructions of a call, which may stand beside its messages.
fn system<'a>(layers: &[&Fields<'a>]) -> Option<&'a str> {
    let found = layers.iter().find_map(|layer| layer.first(&["instructions", "system"]));
    found.map(|(_, text)| text.get())
}

/// What was asked.
fn messages(record: &FileRecord<'_>, layers: &[&Fields<'_>]) -> Result<Vec<Line>, ReadError> {
    let mut lines = Vec::new();
    if let Some(text) = system(layers).filter(|text| text.starts_with('"')) {
        let text: String = serde_json::from_str(text).unwrap_or_default();
        lines.push(Line::new(Message::text(Role::System, text)));
    }
    let Some((name, value)) = layers.iter().find_map(|layer| layer.first(&ASKED)) else {
        return Ok(lines);
    };
    let wrong = |error| record.error(name, value.get(), &error);
    if name == "input" {
        let items: Items = serde_json::from_str(value.get()).map_err(wrong)?;
        lines.extend(items.lines());
    } else {
        let Conversation(asked) = serde_json::from_str(value.get()).map_err(wrong)?;
        lines.extend(asked);
    }
    Ok(lines)
}

/// What was answered, every choice for itself.
fn answers(record: &FileRecord<'_>, layers: &[&Fields<'_>]) -> Result<Vec<Vec<Line>>, ReadError> {
    let found = layers.iter().find_map(|layer| layer.first(&["choices", "output"]));
    let Some((name, value)) = found else { return Ok(plain_answer(record)) };
    let wrong = |error| record.error(name, value.get(), &error);
    if name == "choices" {
        let choices: Vec<Choice> = serde_json::from_str(value.get()).map_err(wrong)?;
        return Ok(choices.into_iter().filter_map(|choice| Some(vec![choice.0?])).collect());
    }
    let items: Items = serde_json::from_str(value.get()).map_err(wrong)?;
    Ok(vec![items.lines()])
}

/// A response that is a message, as Anthropic's API has it.
fn plain_answer(record: &FileRecord<'_>) -> Vec<Vec<Line>> {
    let line = |fields: &Fields<'_>, name| fields.lenient::<Line>(name);
    let response = record.fields.inner("response").unwrap_or_default();
    let line = line(&record.fields, "response").or_else(|| line(&response, "body"));
    line.map(|line| vec![line]).into_iter().collect()
}
