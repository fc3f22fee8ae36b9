//! Messages of a sample, their parts, and the long texts that are kept beside them.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::json::{self, Text};
use crate::model::{Message, Role, ToolCall};

/// What refers to a text in the attachments of its sample.
const ATTACHMENT: &str = "attachment://";

/// Bytes of attachments that are put into the texts of one sample: a hostile one could name a long
/// attachment any number of times.
const MOST_ATTACHED: usize = 256 << 20;

/// A message, and what tells whether a model generated it.
#[derive(Debug)]
pub(super) struct Spoken {
    pub(super) id: Option<String>,
    pub(super) source: Option<String>,
    /// Whether it names the model that wrote it.
    pub(super) names_model: bool,
    pub(super) message: Message,
}

#[derive(Deserialize)]
struct Line<'a> {
    role: String,
    #[serde(default, deserialize_with = "json::id")]
    id: Option<String>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "json::id")]
    source: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    model: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default, deserialize_with = "json::id")]
    tool_call_id: Option<String>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    /// Logs of early versions have the error as a text.
    #[serde(default)]
    tool_error: Text,
    /// Logs of early versions have the reasoning beside the content.
    #[serde(default)]
    reasoning: Text,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default, deserialize_with = "json::id")]
    id: Option<String>,
    function: String,
    #[serde(default, deserialize_with = "json::arguments")]
    arguments: String,
}

#[derive(Default, Deserialize)]
struct ToolError {
    #[serde(default)]
    message: Text,
}

impl<'de> Deserialize<'de> for Spoken {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let line = Line::deserialize(from)?;
        let role = Role::parse(&line.role).ok_or_else(|| {
            serde::de::Error::custom(format!("a message has the unknown role `{}`", line.role))
        })?;
        let mut parts = Parts::of(line.content);
        if let Some(before) = line.reasoning.0 {
            parts.reasoning.insert(0, before);
        }
        let error = line.error.map(|raw| {
            let error: ToolError = serde_json::from_str(raw.get()).unwrap_or_default();
            error.message.0.unwrap_or_default()
        });
        let error = error.or(line.tool_error.0.filter(|text| !text.is_empty()));
        let content = parts.text().or_else(|| error.clone());
        let calls = line.tool_calls.unwrap_or_default().into_iter().map(|call| ToolCall {
            id: call.id.unwrap_or_default(),
            name: call.function,
            arguments: if call.arguments.is_empty() { "{}".to_owned() } else { call.arguments },
        });
        let message = Message {
            content,
            reasoning: Some(parts.reasoning.join("\n")).filter(|text| !text.trim().is_empty()),
            tool_calls: calls.collect(),
            tool_call_id: line.tool_call_id.filter(|_| role == Role::Tool),
            error: error.is_some(),
            ..Message::text(role, "")
        };
        let names_model = line.model.is_some();
        Ok(Self { id: line.id, source: line.source, names_model, message })
    }
}

/// The content of a message, taken apart.
#[derive(Default)]
pub(super) struct Parts {
    texts: Vec<String>,
    reasoning: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Part {
    #[serde(default, rename = "type")]
    kind: Text,
    #[serde(default)]
    text: Text,
    #[serde(default)]
    reasoning: Text,
    #[serde(default)]
    summary: Text,
    #[serde(default, deserialize_with = "json::flag")]
    redacted: Option<bool>,
    #[serde(default)]
    name: Text,
    #[serde(default)]
    filename: Text,
    #[serde(default, deserialize_with = "json::arguments")]
    arguments: String,
}

impl Parts {
    /// Content is a text, or a list of texts and parts.
    pub(super) fn of(content: Option<&RawValue>) -> Self {
        let mut parts = Self::default();
        let raw = content.map_or("null", RawValue::get);
        match serde_json::from_str::<Vec<&RawValue>>(raw) {
            Ok(list) => list.into_iter().for_each(|part| parts.add(part.get())),
            Err(_) => parts.add(raw),
        }
        parts
    }

    fn add(&mut self, raw: &str) {
        if !raw.starts_with('{') {
            let text: Text = serde_json::from_str(raw).unwrap_or_default();
            return self.texts.extend(text.0);
        }
        let part: Part = serde_json::from_str(raw).unwrap_or_default();
        match part.kind.0.as_deref() {
            Some("reasoning") => {
                // What a provider keeps to itself is unreadable; its summary is not.
                let hidden = part.redacted == Some(true);
                let thought = part.reasoning.0.filter(|text| !hidden && !text.is_empty());
                self.reasoning.extend(thought.or(part.summary.0));
            }
            // A tool that the provider ran while the model wrote: no call of the agent's tools.
            Some("tool_use") => {
                let name = part.name.0.unwrap_or_default();
                self.texts.push(format!("[{name} {}]", part.arguments));
            }
            Some("text") | None => self.texts.extend(part.text.0),
            Some(kind) => self.texts.push(match part.filename.0 {
                Some(file) if !file.is_empty() => format!("[{kind} {file}]"),
                _ => format!("[{kind}]"),
            }),
        }
    }

    /// The texts, joined as Inspect does; none when there is no text part.
    pub(super) fn text(&self) -> Option<String> {
        let text = self.texts.join("\n");
        (!text.is_empty()).then_some(text)
    }
}

/// Long texts of a sample, to which its messages refer.
#[derive(Debug, Default)]
pub(super) struct Attachments<'a> {
    texts: HashMap<Cow<'a, str>, &'a RawValue>,
    used: Cell<usize>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Attachments<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let texts: Option<HashMap<Key<'a>, &'a RawValue>> = Option::deserialize(from)?;
        let texts = texts.unwrap_or_default().into_iter().map(|(key, text)| (key.0, text));
        Ok(Self { texts: texts.collect(), used: Cell::new(0) })
    }
}

/// A key that is borrowed where it has no escapes.
#[derive(Deserialize, PartialEq, Eq, Hash)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl Attachments<'_> {
    /// Puts the texts that a message refers to into it.
    pub(super) fn resolve(&self, message: &mut Message) {
        for text in [&mut message.content, &mut message.reasoning].into_iter().flatten() {
            self.resolve_text(text);
        }
        for call in &mut message.tool_calls {
            self.fill(&mut call.arguments, |raw| Some(raw.get(1..raw.len() - 1)?.to_owned()));
        }
    }

    /// JSON with the texts that its strings refer to.
    pub(super) fn resolved<'t>(&self, json: &'t str) -> Cow<'t, str> {
        if self.texts.is_empty() || !json.contains(ATTACHMENT) {
            return Cow::Borrowed(json);
        }
        let mut json = json.to_owned();
        self.fill(&mut json, |raw| Some(raw.get(1..raw.len() - 1)?.to_owned()));
        Cow::Owned(json)
    }

    /// Puts the texts that a text refers to into it.
    pub(super) fn resolve_text(&self, text: &mut String) {
        self.fill(text, |raw| serde_json::from_str(raw).ok());
    }

    /// Replaces references by what `read` makes of the JSON string that they lead to.
    fn fill(&self, text: &mut String, read: impl Fn(&str) -> Option<String>) {
        if self.texts.is_empty() || !text.contains(ATTACHMENT) {
            return;
        }
        let mut filled = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(ATTACHMENT) {
            let name = &rest[at + ATTACHMENT.len()..];
            let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
            let raw = self.texts.get(&name[..end]).map(|raw| raw.get());
            let raw = raw
                .filter(|raw| raw.starts_with('"') && self.used.get() + raw.len() <= MOST_ATTACHED);
            let attached = raw.and_then(|raw| {
                self.used.set(self.used.get() + raw.len());
                read(raw)
            });
            let (before, after) = rest.split_at(at + ATTACHMENT.len() + end);
            match attached {
                Some(attached) => {
                    filled.push_str(&before[..at]);
                    filled.push_str(&attached);
                }
                None => filled.push_str(before),
            }
            rest = after;
        }
        filled.push_str(rest);
        *text = filled;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(json: &str) -> Message {
        serde_json::from_str::<Spoken>(json).expect("a message").message
    }

    #[test]
    fn parts_are_text_or_reasoning_or_named() {
        let parts = r#"{"role": "assistant", "content": [
            {"type": "reasoning", "reasoning": "hm", "signature": "x"},
            {"type": "reasoning", "reasoning": "ciphertext", "redacted": true, "summary": "short"},
            {"type": "text", "text": "one"}, {"type": "image", "image": "data:image/png;base64,AA"},
            {"type": "document", "document": "d", "filename": "a.pdf"},
            {"type": "tool_use", "name": "web_search", "arguments": "{\"q\": 1}"}, "two"]}"#;
        let spoken = message(parts);
        let text = "one\n[image]\n[document a.pdf]\n[web_search {\"q\":1}]\ntwo";
        assert_eq!(spoken.content.as_deref(), Some(text));
        assert_eq!(spoken.reasoning.as_deref(), Some("hm\nshort"));
        let early = message(r#"{"role": "assistant", "content": "", "reasoning": "hm"}"#);
        assert_eq!((early.content, early.reasoning.as_deref()), (None, Some("hm")));
    }

    #[test]
    fn a_tool_that_fails_says_so() {
        let error = r#"{"role": "tool", "content": "", "tool_call_id": "1", "error": {"type": "timeout", "message": "late"}}"#;
        let failed = message(error);
        assert_eq!((failed.error, failed.content.as_deref()), (true, Some("late")));
        let early = message(r#"{"role": "tool", "content": "x", "tool_error": "late"}"#);
        assert!(early.error && early.content.as_deref() == Some("x"));
        assert!(!message(r#"{"role": "tool", "content": "x", "error": null}"#).error);
    }

    #[test]
    fn attachments_are_put_into_texts_and_arguments() {
        let json = r#"{"aa": "long \"text\"", "bb": 3}"#;
        let attachments: Attachments<'_> = serde_json::from_str(json).expect("attachments");
        let mut spoken = message(
            r#"{"role": "assistant", "content": "see attachment://aa, attachment://bb, attachment://cc",
                "tool_calls": [{"function": "f", "arguments": {"x": "attachment://aa"}}]}"#,
        );
        attachments.resolve(&mut spoken);
        let text = "see long \"text\", attachment://bb, attachment://cc";
        assert_eq!(spoken.content.as_deref(), Some(text));
        assert_eq!(spoken.tool_calls[0].arguments, r#"{"x":"long \"text\""}"#);
    }

    #[test]
    fn attachments_grow_a_sample_to_a_limit_only() {
        let json = r#"{"aa": "12345678"}"#;
        let attachments: Attachments<'_> = serde_json::from_str(json).expect("attachments");
        attachments.used.set(MOST_ATTACHED - 25);
        let mut text = "attachment://aa ".repeat(4);
        attachments.resolve_text(&mut text);
        assert_eq!(text, "12345678 12345678 attachment://aa attachment://aa ");
    }
}
