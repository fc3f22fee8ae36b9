//! The content of a message as a list of parts: texts, thoughts, calls of tools and their answers.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::json::{self, Text};
use crate::model::{Message, Role, ToolCall};

/// What the parts of a message hold.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) answers: Vec<Message>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    text: Text,
    #[serde(default)]
    thinking: Text,
    #[serde(default, deserialize_with = "json::id")]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, deserialize_with = "json::arguments")]
    input: String,
    #[serde(default, deserialize_with = "json::id")]
    tool_use_id: Option<String>,
    #[serde(default)]
    content: Text,
    #[serde(default, deserialize_with = "json::flag")]
    is_error: Option<bool>,
}

impl Parts {
    /// The content of a message, whatever it is: parts of an unknown kind count by their text.
    pub(super) fn of(content: &RawValue) -> Self {
        let raw = content.get();
        let has_kinds =
            ["tool_use", "tool_result", "thinking"].iter().any(|kind| raw.contains(kind));
        let parts = if raw.starts_with('[') && has_kinds {
            serde_json::from_str::<Vec<Part>>(raw).ok()
        } else {
            None
        };
        let Some(parts) = parts else {
            let Text(text) = serde_json::from_str(raw).unwrap_or_default();
            return Self { text, ..Self::default() };
        };
        let mut all = Self::default();
        for part in parts {
            all.add(part);
        }
        all
    }

    fn add(&mut self, part: Part) {
        match part.kind.as_deref() {
            Some("thinking") => join(&mut self.thinking, part.thinking.0),
            Some("tool_use") => self.calls.push(ToolCall {
                id: part.id.unwrap_or_default(),
                name: part.name.unwrap_or_default(),
                arguments: part.input,
            }),
            Some("tool_result") => self.answers.push(Message {
                content: part.content.0,
                tool_call_id: part.tool_use_id,
                error: part.is_error == Some(true),
                ..Message::text(Role::Tool, "")
            }),
            _ => join(&mut self.text, part.text.0.or(part.content.0)),
        }
    }
}

/// Adds a text after another, on a line of its own.
pub(super) fn join(texts: &mut Option<String>, text: Option<String>) {
    let Some(text) = text else { return };
    match texts {
        Some(texts) => {
            texts.push('\n');
            texts.push_str(&text);
        }
        None => *texts = Some(text),
    }
}
