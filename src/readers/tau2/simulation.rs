//! One simulation and its messages.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::super::json::{self, Text};
use super::super::logprobs::Logprobs;
use super::super::runs::total;
use super::grading::{Criteria, RewardInfo};
use super::is_greeting;
use crate::model::{Head, Message, Role, TokenSeq, ToolCall, Trajectory, Unscored};

#[derive(Debug, Deserialize)]
pub(super) struct Simulation {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) id: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    pub(super) task_id: Option<String>,
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) trial: Option<i64>,
    #[serde(default, deserialize_with = "json::id")]
    termination_reason: Option<String>,
    #[serde(default, deserialize_with = "json::number")]
    duration: Option<f64>,
    #[serde(default, deserialize_with = "json::number")]
    agent_cost: Option<f64>,
    #[serde(default, deserialize_with = "json::number")]
    user_cost: Option<f64>,
    #[serde(default, deserialize_with = "json::lenient")]
    reward_info: Option<RewardInfo>,
    #[serde(default)]
    messages: Option<Vec<Spoken>>,
    #[serde(default)]
    ticks: Option<IgnoredAny>,
    /// The policy of this run, where it differs from that of all.
    #[serde(default)]
    pub(super) policy: Text,
}

/// A message, with its tokens and what is known of its generation.
#[derive(Debug)]
struct Spoken {
    message: Message,
    tokens: Option<TokenSeq>,
    /// Why there are none, where the file says more.
    unscored: Option<Unscored>,
    usage: Usage,
    generated: bool,
    /// The results of several tool calls that one message holds.
    answers: Vec<Spoken>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Usage {
    #[serde(default, deserialize_with = "json::whole")]
    prompt_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    completion_tokens: Option<i64>,
}

#[derive(Deserialize)]
struct Line<'a> {
    role: String,
    #[serde(default)]
    content: Text,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default, deserialize_with = "json::id")]
    id: Option<String>,
    #[serde(default)]
    requestor: Option<String>,
    #[serde(default, deserialize_with = "json::flag")]
    error: Option<bool>,
    #[serde(default)]
    reasoning: Text,
    #[serde(default, deserialize_with = "json::lenient")]
    usage: Option<Usage>,
    #[serde(borrow, default)]
    raw_data: Option<&'a RawValue>,
    #[serde(default)]
    tool_messages: Option<Vec<Spoken>>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default, deserialize_with = "json::id")]
    id: Option<String>,
    name: String,
    #[serde(default, deserialize_with = "json::arguments")]
    arguments: String,
}

/// The provider's answer: a choice (v0.1, v0.2) or the whole response (v1.0 and later).
#[derive(Deserialize)]
struct RawData<'a> {
    #[serde(borrow, default)]
    logprobs: Option<Logprobs<'a>>,
    #[serde(default)]
    message: Option<RawMessage>,
    #[serde(borrow, default)]
    choices: Option<Vec<RawChoice<'a>>>,
}

#[derive(Deserialize)]
struct RawChoice<'a> {
    #[serde(borrow, default)]
    logprobs: Option<Logprobs<'a>>,
    #[serde(default)]
    message: Option<RawMessage>,
}

#[derive(Deserialize)]
struct RawMessage {
    #[serde(default)]
    reasoning_content: Text,
}

impl RawData<'_> {
    fn logprobs(&self) -> Option<&Logprobs<'_>> {
        let first = self.choices.as_ref().and_then(|choices| choices.first());
        let nested = first.and_then(|choice| choice.logprobs.as_ref());
        self.logprobs.as_ref().or(nested)
    }

    fn reasoning(&mut self) -> Option<String> {
        let first = self.choices.as_mut().and_then(|choices| choices.first_mut());
        let nested = first.and_then(|choice| choice.message.as_mut());
        self.message.as_mut().or(nested).and_then(|message| message.reasoning_content.0.take())
    }
}

impl<'de> Deserialize<'de> for Spoken {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let line = Line::deserialize(from)?;
        let role = Role::parse(&line.role).ok_or_else(|| {
            serde::de::Error::custom(format!("a message has the unknown role `{}`", line.role))
        })?;
        let generated = line.raw_data.is_some() || line.usage.is_some();
        // Only the agent's answers count, and one of another shape is ignored.
        let raw_data = line.raw_data.filter(|_| role == Role::Assistant);
        let mut raw_data: Option<RawData> =
            raw_data.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let reasoning = line.reasoning.0.or_else(|| raw_data.as_mut().and_then(RawData::reasoning));
        let calls = line.tool_calls.unwrap_or_default().into_iter().map(|call| ToolCall {
            id: call.id.unwrap_or_default(),
            name: call.name,
            arguments: if call.arguments.is_empty() { "{}".to_owned() } else { call.arguments },
        });
        let message = Message {
            role,
            content: line.content.0,
            reasoning: reasoning.filter(|text| !text.trim().is_empty()),
            tool_calls: calls.collect(),
            tool_call_id: line.id.filter(|_| role == Role::Tool),
            error: line.error == Some(true),
            scripted: false,
            for_user: role == Role::Tool && line.requestor.as_deref() == Some("user"),
        };
        let logprobs = raw_data.as_ref().filter(|_| message.is_turn()).and_then(RawData::logprobs);
        let (tokens, unscored) = Logprobs::of_message(logprobs, &message);
        Ok(Self {
            message,
            tokens,
            unscored,
            usage: line.usage.unwrap_or_default(),
            generated,
            answers: line.tool_messages.unwrap_or_default(),
        })
    }
}

impl Simulation {
    /// Whether it was recorded as audio, with nothing to read.
    pub(super) fn is_audio_only(&self) -> bool {
        self.messages.as_ref().is_none_or(Vec::is_empty) && self.ticks.is_some()
    }

    /// The trajectory that the simulation records.
    pub(super) fn into_trajectory(self, mut head: Head, of_task: Option<&Criteria>) -> Trajectory {
        let graded = self.reward_info;
        head.outcome = graded.as_ref().map(|graded| graded.outcome(of_task)).unwrap_or_default();
        head.termination = self.termination_reason;
        head.duration = self.duration;
        head.cost = self.agent_cost;
        head.user_cost = self.user_cost;
        let mut spoken: Vec<Spoken> = Vec::new();
        for mut message in self.messages.unwrap_or_default() {
            let answers = std::mem::take(&mut message.answers);
            if answers.is_empty() {
                spoken.push(message);
            } else {
                spoken.extend(answers);
            }
        }
        mark_greeting(&mut spoken);
        let turns = || spoken.iter().filter(|spoken| spoken.message.is_turn());
        head.prompt_tokens = total(turns().map(|turn| turn.usage.prompt_tokens));
        head.completion_tokens = total(turns().map(|turn| turn.usage.completion_tokens));
        let (messages, mut tokens): (Vec<_>, Vec<_>) =
            spoken.into_iter().map(|said| (said.message, (said.tokens, said.unscored))).unzip();
        let run = Trajectory::new(head, messages, |index| tokens[index].0.take())
            .explained(|index| tokens[index].1);
        Trajectory { checks: graded.unwrap_or_default().into_checks(of_task), ..run }
    }
}

fn mark_greeting(messages: &mut [Spoken]) {
    let Some((first, later)) = messages.split_first_mut() else { return };
    let later_generated = later.iter().any(|later| later.generated && later.message.is_turn());
    first.message.scripted = is_greeting(&first.message, first.generated, later_generated);
}
