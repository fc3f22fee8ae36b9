//! The messages of a run, from its steps and its log.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::super::json::{self, Text};
use super::calls::calls;
use super::record::{Logged, LoggedTurn};
use crate::model::{Message, Role, ToolCall};

/// What the log says when a run had too many steps.
const FORCED: &str = "forced to quit";

/// The messages of a run.
#[derive(Default)]
pub(super) struct Conversation {
    pub(super) messages: Vec<Message>,
    /// The agent had too many steps, and the harness ended the run.
    pub(super) forced: bool,
}

impl Conversation {
    /// The messages of a run by the `result` of its line, the log of its turns and the recorded thoughts.
    pub(super) fn new(
        result: &RawValue,
        log: &[LoggedTurn<'_>],
        reasoning: Option<&RawValue>,
    ) -> Self {
        let mut conversation = Self::default();
        let turns = items(result);
        let thoughts = Thoughts::new(reasoning);
        let none = LoggedTurn::default();
        for index in 0..turns.len().max(log.len()) {
            let logged = log.get(index).unwrap_or(&none);
            conversation.messages.extend(logged.query.iter().filter_map(message));
            let steps = turns.get(index).map(|turn| steps_of(turn)).unwrap_or_default();
            for (number, step) in steps.iter().enumerate() {
                let logged = logged.steps.get(number).map(Vec::as_slice).unwrap_or_default();
                let thought = thoughts.of(index, number);
                conversation.add_step(step, logged, thought);
            }
        }
        conversation
    }

    /// Adds a step of the agent and what its tools answered.
    fn add_step(&mut self, step: &RawValue, logged: &[Logged<'_>], thought: Option<String>) {
        let Said { text, calls } = Said::parse(step, Decoded::of(logged));
        let reasoning = logged.iter().find_map(|logged| logged.reasoning.and_then(words));
        self.messages.push(Message {
            content: text,
            reasoning: reasoning.or(thought).filter(|text| !text.trim().is_empty()),
            tool_calls: calls,
            ..Message::text(Role::Assistant, "")
        });
        for logged in logged {
            match logged.role.as_str() {
                "tool" => self.messages.extend(message(logged)),
                "handler_log" => {
                    let content = logged.content.map_or("", RawValue::get);
                    self.forced |= content.contains(FORCED);
                }
                _ => {}
            }
        }
    }
}

/// A message of the log that is not the agent's.
fn message(logged: &Logged<'_>) -> Option<Message> {
    let role = Role::parse(&logged.role).filter(|role| *role != Role::Assistant)?;
    let content = logged.content.and_then(words).unwrap_or_default();
    let error = role == Role::Tool && is_error(&content);
    Some(Message { error, ..Message::text(role, content) })
}

/// Whether a tool's answer says that the call failed.
fn is_error(answer: &str) -> bool {
    answer.starts_with("{\"error\":") || answer.starts_with("Error during execution")
}

/// The text of a value, whatever its shape.
fn words(raw: &RawValue) -> Option<String> {
    serde_json::from_str::<Text>(raw.get()).ok()?.0
}

/// The items of a list; none of another value.
pub(super) fn items(raw: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

fn is_list(raw: &RawValue) -> bool {
    raw.get().starts_with('[')
}

/// The steps of a turn. A turn that is no list of steps is one step: a text, or calls.
fn steps_of(turn: &RawValue) -> Vec<&RawValue> {
    if !is_list(turn) {
        return vec![turn];
    }
    let steps = items(turn);
    let are_calls = !steps.is_empty() && steps.iter().all(|step| step.get().starts_with('{'));
    if are_calls { vec![turn] } else { steps }
}

/// What the harness made of an answer.
enum Decoded {
    /// It found these calls.
    Calls(Vec<ToolCall>),
    /// It found no call.
    Nothing,
    /// The log does not say.
    Unknown,
}

impl Decoded {
    fn of(logged: &[Logged<'_>]) -> Self {
        let mut known = false;
        for logged in logged.iter().filter(|logged| logged.role == "handler_log") {
            known = true;
            let written = logged.decoded.map(items).unwrap_or_default();
            let found = written.iter().filter_map(|raw| calls(&words(raw)?)).flatten();
            let found: Vec<_> = found.collect();
            if !found.is_empty() {
                return Self::Calls(found);
            }
        }
        if known { Self::Nothing } else { Self::Unknown }
    }
}

/// What the agent said in a step.
#[derive(Default)]
struct Said {
    text: Option<String>,
    calls: Vec<ToolCall>,
}

impl Said {
    /// The calls and the text of a step: `[{name: arguments}]`, or texts that may be written calls.
    fn parse(step: &RawValue, decoded: Decoded) -> Self {
        let parts = if is_list(step) { items(step) } else { vec![step] };
        let (mut native, mut texts) = (Vec::new(), Vec::new());
        for part in parts {
            if part.get().starts_with('{') {
                native.extend(serde_json::from_str::<Calls>(part.get()).unwrap_or_default().0);
            } else {
                texts.extend(words(part).filter(|text| !text.is_empty()));
            }
        }
        if native.is_empty() {
            let parse = || texts.iter().map(|text| calls(text)).collect::<Option<Vec<_>>>();
            let written = parse().map(|calls| calls.concat()).filter(|calls| !calls.is_empty());
            match (decoded, written) {
                // The text is the calls and nothing else.
                (Decoded::Calls(_) | Decoded::Unknown, Some(calls)) => {
                    return Self { text: None, calls };
                }
                (Decoded::Calls(calls), None) => native = calls,
                _ => {}
            }
        }
        let text = (!texts.is_empty()).then(|| texts.join("\n"));
        Self { text, calls: native }
    }
}

/// Native calls: `{name: arguments}` or `{"name": name, "arguments": arguments}`.
#[derive(Default)]
struct Calls(Vec<ToolCall>);

#[derive(Deserialize)]
struct Arguments(#[serde(deserialize_with = "json::arguments")] String);

#[derive(Deserialize)]
struct NamedCall {
    name: String,
    #[serde(alias = "parameters")]
    arguments: Arguments,
}

impl<'de> Deserialize<'de> for Calls {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?.get();
        let call = |name, arguments| ToolCall { id: String::new(), name, arguments };
        if let Ok(NamedCall { name, arguments }) = serde_json::from_str(raw) {
            return Ok(Self(vec![call(name, arguments.0)]));
        }
        let fields: Fields = serde_json::from_str(raw).map_err(serde::de::Error::custom)?;
        Ok(Self(fields.0.into_iter().map(|(name, arguments)| call(name, arguments.0)).collect()))
    }
}

/// The fields of an object, in their order.
struct Fields(Vec<(String, Arguments)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the calls of a step")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}

/// The thoughts of a run, by turn and step.
struct Thoughts<'a>(Vec<Vec<&'a RawValue>>);

impl<'a> Thoughts<'a> {
    fn new(reasoning: Option<&'a RawValue>) -> Self {
        let Some(reasoning) = reasoning else { return Self(Vec::new()) };
        // A text in the position of a list comes before the first of what the list would have.
        let list = |raw| if is_list(raw) { items(raw) } else { vec![raw] };
        Self(list(reasoning).into_iter().map(list).collect())
    }

    fn of(&self, turn: usize, step: usize) -> Option<String> {
        self.0.get(turn)?.get(step).and_then(|raw| words(raw))
    }
}
