//! Items of `OpenAI`'s responses: messages, calls, answers of tools and thoughts, one after the other.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::facts::text_of;
use super::super::json::{self, Text};
use super::super::logprobs::Logprobs;
use super::super::openai::{Line, role};
use crate::model::{Message, Role, TokenSeq, ToolCall};

/// A list of items, or the text of a lone message of the user.
pub(super) struct Items(Vec<Piece>);

/// What an item adds to a conversation.
enum Piece {
    /// A message of anyone but the agent.
    Said(Message),
    /// Words of the agent, with their tokens.
    Words(Option<String>, Option<TokenSeq>),
    /// A thought of the agent.
    Thought(Option<String>),
    /// A call of the agent, with its answer where the server ran it.
    Called(ToolCall, Option<Message>),
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    role: Option<String>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(default)]
    summary: Text,
    #[serde(default)]
    text: Text,
    #[serde(default, deserialize_with = "json::id")]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    action: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    logprobs: Option<&'a RawValue>,
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(from)?.get();
        let wrong = serde::de::Error::custom;
        if raw.starts_with('"') {
            let text: String = serde_json::from_str(raw).map_err(wrong)?;
            return Ok(Self(vec![Piece::Said(Message::text(Role::User, text))]));
        }
        let items: Vec<Item<'_>> = serde_json::from_str(raw).map_err(wrong)?;
        let pieces = items.into_iter().map(Item::piece).collect::<Result<_, String>>();
        pieces.map(Self).map_err(serde::de::Error::custom)
    }
}

impl Item<'_> {
    fn piece(self) -> Result<Piece, String> {
        let kind = self.kind.as_deref().unwrap_or("message");
        match kind {
            "message" => self.message(),
            "reasoning" => {
                let content = self.content.map(words).unwrap_or_default();
                Ok(Piece::Thought(content.or(self.summary.0).or(self.text.0)))
            }
            _ if kind.ends_with("_output") => Ok(Piece::Said(answer(self.call_id, self.output))),
            _ if kind.ends_with("_call") => {
                // The tools of the server have their kind as a name, and no id.
                let arguments = self.arguments.or(self.action).or(self.input);
                let name = self.name.unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
                let id = self.call_id.clone().unwrap_or_default();
                let call = ToolCall { id, name, arguments: arguments.map_or_else(none, compact) };
                let answer = self.output.map(|output| answer(self.call_id, Some(output)));
                Ok(Piece::Called(call, answer))
            }
            _ => Err(format!("an item has the unknown type `{kind}`")),
        }
    }

    fn message(self) -> Result<Piece, String> {
        let name = self.role.as_deref().unwrap_or("assistant");
        let role = role(name).ok_or_else(|| format!("a message has the unknown role `{name}`"))?;
        let content = self.content.map(words).unwrap_or_default();
        if role != Role::Assistant {
            return Ok(Piece::Said(Message { content, ..Message::text(role, "") }));
        }
        let parts: Vec<Part<'_>> = self
            .content
            .and_then(|parts| serde_json::from_str(parts.get()).ok())
            .unwrap_or_default();
        let lists = parts.iter().filter_map(|part| Logprobs::listed(part.logprobs?.get()));
        let tokens = Logprobs::joined(lists).and_then(|logprobs| logprobs.tokens().ok());
        Ok(Piece::Words(content, tokens))
    }
}

fn none() -> String {
    "{}".to_owned()
}

fn compact(arguments: &RawValue) -> String {
    json::arguments(arguments).unwrap_or_default()
}

fn words(content: &RawValue) -> Option<String> {
    serde_json::from_str::<Text>(content.get()).unwrap_or_default().0
}

/// The answer of a tool.
fn answer(call: Option<String>, output: Option<&RawValue>) -> Message {
    let is_parts = output.is_some_and(|output| output.get().starts_with('['));
    let content = if is_parts { output.and_then(words) } else { output.and_then(text_of) };
    Message { content, tool_call_id: call, ..Message::text(Role::Tool, "") }
}

impl Items {
    /// The messages. What the agent thinks, says and calls without an answer between is one turn.
    pub(super) fn lines(self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut turn = None;
        for piece in self.0 {
            match piece {
                Piece::Said(message) => {
                    lines.extend(turn.take().map(Turn::line));
                    lines.push(Line::new(message));
                }
                Piece::Words(words, tokens) => {
                    let turn = turn.get_or_insert_with(Turn::default);
                    turn.words.extend(words);
                    // Tokens of a part only would score a part of the turn.
                    turn.tokens = if turn.tokens.is_none() { tokens } else { None };
                }
                Piece::Thought(thought) => {
                    turn.get_or_insert_with(Turn::default).thoughts.extend(thought);
                }
                Piece::Called(call, answer) => {
                    turn.get_or_insert_with(Turn::default).calls.push(call);
                    if let Some(answer) = answer {
                        lines.extend(turn.take().map(Turn::line));
                        lines.push(Line::new(answer));
                    }
                }
            }
        }
        lines.extend(turn.map(Turn::line));
        lines
    }
}

/// What the agent generated in one go.
#[derive(Default)]
struct Turn {
    words: Vec<String>,
    thoughts: Vec<String>,
    calls: Vec<ToolCall>,
    tokens: Option<TokenSeq>,
}

impl Turn {
    fn line(self) -> Line {
        let joined = |texts: Vec<String>| (!texts.is_empty()).then(|| texts.join("\n"));
        let message = Message {
            content: joined(self.words),
            reasoning: joined(self.thoughts).filter(|text| !text.trim().is_empty()),
            tool_calls: self.calls,
            ..Message::text(Role::Assistant, "")
        };
        Line::new(message).with_tokens(self.tokens)
    }
}
