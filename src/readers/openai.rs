//! Messages in the format of `OpenAI`'s chat API, with their log-probabilities; also those of servers and
//! harnesses that write them a little differently.

mod parts;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::json::{self, Text};
use super::logprobs::Logprobs;
use super::span;
use crate::model::{Message, Role, TokenSeq, ToolCall, Unscored};
use parts::Parts;

/// A message with its tokens.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) message: Message,
    pub(super) tokens: Option<TokenSeq>,
    /// Why there are none, where the file says more.
    pub(super) unscored: Option<Unscored>,
    /// Answers of tools that one message of the user holds, as Anthropic's API has them.
    answers: Vec<Message>,
}

impl Line {
    /// A message without tokens.
    pub(super) fn new(message: Message) -> Self {
        Self { message, tokens: None, unscored: None, answers: Vec::new() }
    }

    /// The same message with its tokens, their spans found; only the agent's count.
    pub(super) fn with_tokens(mut self, tokens: Option<TokenSeq>) -> Self {
        if let Some(mut tokens) = tokens.filter(|_| self.message.is_turn()) {
            span::mark(&mut tokens, &self.message);
            self.tokens = Some(tokens);
        }
        self
    }

    /// Takes in a message that belongs to the same turn. Tokens of a part only would score a part.
    pub(super) fn join(&mut self, later: Self) {
        let Message { content, reasoning, mut tool_calls, .. } = later.message;
        parts::join(&mut self.message.content, content);
        parts::join(&mut self.message.reasoning, reasoning);
        self.message.tool_calls.append(&mut tool_calls);
        self.tokens = None;
    }

    /// The message with its tokens; the answers of tools that it holds come before it.
    pub(super) fn unfold(mut self) -> Vec<Self> {
        let answers = std::mem::take(&mut self.answers);
        if answers.is_empty() {
            return vec![self];
        }
        let is_spoken = self.message.words().is_some() || !self.message.tool_calls.is_empty();
        let lines = answers.into_iter().map(Self::new);
        lines.chain(Some(self).filter(|_| is_spoken)).collect()
    }
}

/// A conversation: a list of messages, or the text of a lone message of the user.
#[derive(Debug, Default)]
pub(super) struct Conversation(pub(super) Vec<Line>);

impl<'de> Deserialize<'de> for Conversation {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(from)?.get();
        let wrong = serde::de::Error::custom;
        if raw.starts_with('"') {
            let text: String = serde_json::from_str(raw).map_err(wrong)?;
            // Tables keep a conversation as JSON text.
            if text.trim_start().starts_with('[')
                && let Ok(conversation) = serde_json::from_str(&text)
            {
                return Ok(conversation);
            }
            return Ok(Self(vec![Line::new(Message::text(Role::User, text))]));
        }
        let lines: Vec<Line> = serde_json::from_str(raw).map_err(wrong)?;
        Ok(Self(lines.into_iter().flat_map(Line::unfold).collect()))
    }
}

#[derive(Deserialize)]
struct OpenAiMessage<'a> {
    role: String,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(default)]
    reasoning_content: Text,
    #[serde(default)]
    reasoning: Text,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    /// The one call of a message, in the first version of the API.
    #[serde(default, deserialize_with = "json::lenient")]
    function_call: Option<Function>,
    #[serde(default, deserialize_with = "json::id")]
    tool_call_id: Option<String>,
    #[serde(borrow, default, deserialize_with = "json::lenient")]
    logprobs: Option<Logprobs<'a>>,
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let line = OpenAiMessage::deserialize(from)?;
        let role = role(&line.role).ok_or_else(|| {
            serde::de::Error::custom(format!("a message has the unknown role `{}`", line.role))
        })?;
        let parts = line.content.map_or_else(Parts::default, Parts::of);
        let mut calls: Vec<ToolCall> =
            line.tool_calls.unwrap_or_default().into_iter().map(|call| call.0).collect();
        calls.extend(line.function_call.map(|function| function.call(None)));
        calls.extend(parts.calls);
        let reasoning = [line.reasoning_content.0, line.reasoning.0, parts.thinking];
        let message = Message {
            reasoning: reasoning.into_iter().flatten().find(|text| !text.trim().is_empty()),
            content: parts.text,
            tool_calls: calls,
            tool_call_id: line.tool_call_id,
            ..Message::text(role, "")
        };
        let (tokens, unscored) = Logprobs::of_message(line.logprobs.as_ref(), &message);
        Ok(Self { message, tokens, unscored, answers: parts.answers })
    }
}

/// The role of that name, also in the words of other chat formats.
pub(super) fn role(name: &str) -> Option<Role> {
    match name {
        "human" => Some(Role::User),
        "ai" | "gpt" | "model" | "bot" => Some(Role::Assistant),
        "tool_result" | "function_call_output" | "observation" => Some(Role::Tool),
        _ => Role::parse(name),
    }
}

/// A call of a tool: with a `function` inside, flat, or as the JSON text of either.
pub(super) struct Call(ToolCall);

impl From<Call> for ToolCall {
    fn from(call: Call) -> Self {
        call.0
    }
}

#[derive(Deserialize)]
struct WrittenCall {
    #[serde(default, deserialize_with = "json::id")]
    id: Option<String>,
    #[serde(default)]
    function: Option<Function>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, deserialize_with = "json::arguments")]
    arguments: String,
    #[serde(default, deserialize_with = "json::arguments")]
    args: String,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default, deserialize_with = "json::arguments")]
    arguments: String,
}

impl Function {
    fn call(self, id: Option<String>) -> ToolCall {
        ToolCall { id: id.unwrap_or_default(), name: self.name, arguments: self.arguments }
    }
}

impl<'de> Deserialize<'de> for Call {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(from)?.get();
        let wrong = serde::de::Error::custom;
        let written: WrittenCall = if raw.starts_with('"') {
            let text: String = serde_json::from_str(raw).map_err(wrong)?;
            serde_json::from_str(&text).map_err(wrong)?
        } else {
            serde_json::from_str(raw).map_err(wrong)?
        };
        let WrittenCall { id, function, name, arguments, args } = written;
        let arguments = if arguments.is_empty() { args } else { arguments };
        let flat = name.map(|name| Function { name, arguments });
        let function =
            function.or(flat).ok_or_else(|| serde::de::Error::custom("a tool call has no name"))?;
        Ok(Self(function.call(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(json: &str) -> Vec<Line> {
        serde_json::from_str::<Conversation>(json).expect("a conversation").0
    }

    #[test]
    fn calls_are_written_in_many_ways() {
        let call = |json: &str| {
            let json = format!(r#"[{{"role": "assistant", {json}}}]"#);
            let message = lines(&json).remove(0).message;
            let ToolCall { id, name, arguments } = &message.tool_calls[0];
            format!("{id} {name} {arguments}")
        };
        let expected = r#"c1 f {"a":1}"#;
        let inside = r#"{"id": "c1", "function": {"name": "f", "arguments": "{\"a\": 1}"}}"#;
        assert_eq!(call(&format!(r#""tool_calls": [{inside}]"#)), expected);
        let text = serde_json::Value::from(inside).to_string();
        assert_eq!(call(&format!(r#""tool_calls": [{text}]"#)), expected, "as JSON text");
        let flat = r#"{"id": "c1", "name": "f", "args": {"a": 1}}"#;
        assert_eq!(call(&format!(r#""tool_calls": [{flat}]"#)), expected);
        let part = r#"{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}"#;
        assert_eq!(call(&format!(r#""content": [{part}]"#)), expected);
        let old = r#""function_call": {"name": "f", "arguments": "{\"a\": 1}"}"#;
        assert_eq!(call(old), r#" f {"a":1}"#);
        let nameless = r#"[{"role": "assistant", "tool_calls": [{"id": "c1"}]}]"#;
        let error = serde_json::from_str::<Conversation>(nameless).expect_err("no name");
        assert!(error.to_string().contains("a tool call has no name"), "{error}");
    }

    #[test]
    fn answers_inside_a_message_of_the_user_become_messages() {
        let lines = lines(
            r#"[{"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "42"}]},
                {"type": "tool_result", "tool_use_id": "c2", "content": "no", "is_error": true},
                {"type": "text", "text": "Go on."}]},
              {"role": "user", "content": [{"type": "tool_result", "content": null}]}]"#,
        );
        let seen: Vec<_> = lines
            .iter()
            .map(|line| (line.message.role, line.message.content.as_deref(), line.message.error))
            .collect();
        let expected = [
            (Role::Tool, Some("42"), false),
            (Role::Tool, Some("no"), true),
            (Role::User, Some("Go on."), false),
            (Role::Tool, None, false),
        ];
        assert_eq!(seen, expected);
        assert_eq!(lines[0].message.tool_call_id.as_deref(), Some("c1"));
    }

    #[test]
    fn a_conversation_may_be_text() {
        let text = lines(r#""What is 2 + 2?""#);
        assert_eq!((text.len(), text[0].message.role), (1, Role::User));
        let json = lines(r#""[{\"role\": \"ai\", \"content\": \"4\"}]""#);
        assert_eq!((json.len(), json[0].message.role), (1, Role::Assistant));
        assert_eq!(lines(r#""[sic]""#)[0].message.content.as_deref(), Some("[sic]"));
    }

    #[test]
    fn thinking_is_kept_apart() {
        let said = lines(
            r#"[{"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "4"}]},
                {"role": "assistant", "content": "5", "reasoning": "Hm!"}]"#,
        );
        let both: Vec<_> = said
            .iter()
            .map(|line| (line.message.reasoning.as_deref(), line.message.content.as_deref()))
            .collect();
        assert_eq!(both, [(Some("Hm."), Some("4")), (Some("Hm!"), Some("5"))]);
    }
}
