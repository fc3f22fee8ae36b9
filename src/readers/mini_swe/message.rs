//! One message of mini-swe-agent, with the provider's whole answer beside it.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::json::{self, Text};
use super::super::logprobs::Logprobs;
use super::super::openai::Call;
use super::super::{command, span};
use crate::model::{Message, Role, TokenSeq, ToolCall};

/// The one tool that the agent has.
const TOOL: &str = "bash";

/// What blocks with an action are marked with: one block is an action, several are none.
const LANGUAGES: [&str; 2] = [TOOL, "mswea_bash_command"];

/// A message, with its tokens and what is known of its generation.
#[derive(Debug)]
pub(super) struct Spoken {
    pub(super) message: Message,
    pub(super) tokens: Option<TokenSeq>,
    pub(super) cost: Option<f64>,
    pub(super) time: Option<f64>,
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Line<'a> {
    /// Absent in answers of the responses API.
    #[serde(default, deserialize_with = "json::id")]
    role: Option<String>,
    #[serde(default, rename = "type", deserialize_with = "json::id")]
    kind: Option<String>,
    #[serde(default)]
    content: Text,
    /// What the responses API has in the position of a content.
    #[serde(default)]
    output: Text,
    #[serde(default)]
    reasoning_content: Text,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default, deserialize_with = "json::id")]
    tool_call_id: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    call_id: Option<String>,
    #[serde(borrow, default, deserialize_with = "json::lenient")]
    extra: Extra<'a>,
}

#[derive(Default, Deserialize)]
struct Extra<'a> {
    #[serde(default, deserialize_with = "json::lenient")]
    actions: Option<Vec<Action>>,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "json::number")]
    cost: Option<f64>,
    #[serde(default, deserialize_with = "json::number")]
    timestamp: Option<f64>,
    #[serde(default)]
    exception_info: Text,
}

#[derive(Deserialize)]
struct Action {
    #[serde(default)]
    command: Text,
    #[serde(default, deserialize_with = "json::id")]
    tool_call_id: Option<String>,
}

/// The provider's answer.
#[derive(Default, Deserialize)]
struct Response<'a> {
    #[serde(borrow, default, deserialize_with = "json::lenient")]
    choices: Vec<Choice<'a>>,
    #[serde(default, deserialize_with = "json::lenient")]
    usage: Usage,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow, default, deserialize_with = "json::lenient")]
    logprobs: Option<Logprobs<'a>>,
    #[serde(default, deserialize_with = "json::lenient")]
    message: Reasoned,
}

#[derive(Default, Deserialize)]
struct Reasoned {
    #[serde(default)]
    reasoning_content: Text,
}

#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default, alias = "input_tokens", deserialize_with = "json::whole")]
    prompt_tokens: Option<i64>,
    #[serde(default, alias = "output_tokens", deserialize_with = "json::whole")]
    completion_tokens: Option<i64>,
}

impl Line<'_> {
    /// Who speaks; the end of a run is the harness's word.
    fn role(&self) -> Option<Role> {
        match (self.role.as_deref(), self.kind.as_deref()) {
            (Some("exit"), _) => Some(Role::System),
            (Some(role), _) => Role::parse(role),
            (None, Some("function_call_output")) => Some(Role::Tool),
            (None, _) => Some(Role::Assistant),
        }
    }

    /// The calls, in the words of the API, of the agent, or of a block in the text.
    fn calls(&mut self, text: Option<&str>) -> Vec<ToolCall> {
        let native = self.tool_calls.take().unwrap_or_default();
        if !native.is_empty() {
            return native.into_iter().map(ToolCall::from).collect();
        }
        if let Some(actions) = self.extra.actions.take() {
            let call =
                |action: Action| Some(command::call(TOOL, &action.command.0?, action.tool_call_id));
            return actions.into_iter().filter_map(call).collect();
        }
        let text = text.unwrap_or_default();
        match command::blocks(text, &LANGUAGES).as_slice() {
            [(_, inside)] => vec![command::call(TOOL, text[inside.clone()].trim(), None)],
            _ => Vec::new(),
        }
    }
}

impl<'de> Deserialize<'de> for Spoken {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut line = Line::deserialize(from)?;
        let role = line.role().ok_or_else(|| {
            let role = line.role.as_deref().unwrap_or_default();
            serde::de::Error::custom(format!("a message has the unknown role `{role}`"))
        })?;
        let response: Option<Response<'_>> = (line.extra.response)
            .filter(|_| role == Role::Assistant)
            .and_then(|raw| serde_json::from_str(raw.get()).ok());
        let Response { choices, usage } = response.unwrap_or_default();
        let choice = choices.into_iter().next();
        let content = line.content.0.take().or(line.output.0.take());
        let tool_calls =
            if role == Role::Assistant { line.calls(content.as_deref()) } else { Vec::new() };
        let mut tokens = choice.as_ref().and_then(|choice| choice.logprobs.as_ref()?.tokens().ok());
        let recorded = choice.and_then(|choice| choice.message.reasoning_content.0);
        let reasoning = line.reasoning_content.0.or(recorded);
        let message = Message {
            content,
            reasoning: reasoning.filter(|text| !text.trim().is_empty()),
            tool_calls,
            tool_call_id: line.tool_call_id.or(line.call_id),
            error: role == Role::Tool
                && line.extra.exception_info.0.is_some_and(|why| !why.is_empty()),
            ..Message::text(role, "")
        };
        if let Some(tokens) = &mut tokens {
            mark(tokens, &message);
        }
        let count = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok());
        Ok(Self {
            message,
            tokens,
            cost: line.extra.cost,
            time: line.extra.timestamp,
            prompt_tokens: count(usage.prompt_tokens),
            completion_tokens: count(usage.completion_tokens),
        })
    }
}

/// Marks the action: the block with the command, or what the API calls a tool call.
fn mark(tokens: &mut TokenSeq, message: &Message) {
    let blocks = command::blocks(tokens.text(), &LANGUAGES);
    match blocks.as_slice() {
        [(whole, _)] if !message.tool_calls.is_empty() => {
            span::mark_calls(tokens, std::slice::from_ref(whole));
        }
        _ => span::mark(tokens, message),
    }
}
