//! Messages as `OpenAI`'s chat API has them, with their log-probabilities.

use serde::Deserialize;

use super::json::{self, Text};
use super::logprobs::Logprobs;
use crate::model::{Message, Role, TokenSeq, ToolCall, Unscored};

/// A message with its tokens.
pub(super) struct Line {
    pub(super) message: Message,
    pub(super) tokens: Option<TokenSeq>,
    /// Why there are none, where the file says more.
    pub(super) unscored: Option<Unscored>,
}

#[derive(Deserialize)]
struct OpenAiMessage<'a> {
    role: String,
    #[serde(default)]
    content: Text,
    #[serde(default)]
    reasoning_content: Text,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default, deserialize_with = "json::id")]
    tool_call_id: Option<String>,
    #[serde(borrow, default, deserialize_with = "json::lenient")]
    logprobs: Option<Logprobs<'a>>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default, deserialize_with = "json::id")]
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default, deserialize_with = "json::arguments")]
    arguments: String,
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let line = OpenAiMessage::deserialize(from)?;
        let role = Role::parse(&line.role).ok_or_else(|| {
            serde::de::Error::custom(format!("a message has the unknown role `{}`", line.role))
        })?;
        let calls = line.tool_calls.unwrap_or_default().into_iter().map(|call| ToolCall {
            id: call.id.unwrap_or_default(),
            name: call.function.name,
            arguments: call.function.arguments,
        });
        let message = Message {
            reasoning: line.reasoning_content.0.filter(|text| !text.trim().is_empty()),
            content: line.content.0,
            tool_calls: calls.collect(),
            tool_call_id: line.tool_call_id,
            ..Message::text(role, "")
        };
        let (tokens, unscored) = Logprobs::of_message(line.logprobs.as_ref(), &message);
        Ok(Self { message, tokens, unscored })
    }
}
