//! One simulation and its messages.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::super::json::{self, Text};
use super::super::logprobs::Logprobs;
use super::is_greeting;
use crate::model::{
    Head, Message, Outcome, RewardParts, Role, TokenSeq, ToolCall, Trajectory, Unscored,
};

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
}

#[derive(Debug, Default, Deserialize)]
struct RewardInfo {
    #[serde(default, deserialize_with = "json::number")]
    reward: Option<f64>,
    #[serde(default, deserialize_with = "json::lenient")]
    db_check: DbCheck,
    #[serde(default, deserialize_with = "json::lenient")]
    reward_breakdown: Breakdown,
    #[serde(default, deserialize_with = "json::lenient")]
    reward_basis: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
struct DbCheck {
    #[serde(default, deserialize_with = "json::flag")]
    db_match: Option<bool>,
    #[serde(default, deserialize_with = "json::number")]
    db_reward: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
struct Breakdown {
    #[serde(rename = "DB", default, deserialize_with = "json::number")]
    database: Option<f64>,
    #[serde(rename = "ENV_ASSERTION", default, deserialize_with = "json::number")]
    assertions: Option<f64>,
    #[serde(rename = "ACTION", default, deserialize_with = "json::number")]
    actions: Option<f64>,
    #[serde(rename = "COMMUNICATE", default, deserialize_with = "json::number")]
    communicated: Option<f64>,
    #[serde(rename = "NL_ASSERTION", default, deserialize_with = "json::number")]
    language: Option<f64>,
}

/// The name of the database among the checks that a reward is based on.
const DATABASE: &str = "DB";

/// Whether a reward is based on the database.
pub(super) fn has_database(basis: &[String]) -> bool {
    basis.iter().any(|check| check == DATABASE)
}

impl Breakdown {
    /// Whether the database is among the parts; none where no part is known.
    fn has_database(&self) -> Option<bool> {
        let others = [self.assertions, self.actions, self.communicated, self.language];
        let is_known = self.database.is_some() || others.iter().any(Option::is_some);
        is_known.then_some(self.database.is_some())
    }
}

impl RewardInfo {
    /// How the run was graded. What the run does not say of its reward's basis, its task may.
    fn outcome(&self, basis_of_task: Option<bool>) -> Outcome {
        let parts = &self.reward_breakdown;
        let stated = self.reward_basis.as_deref().map(has_database);
        let db_graded = stated.or_else(|| parts.has_database()).or(basis_of_task);
        let db_reward = self.db_check.db_reward.filter(|_| db_graded != Some(false));
        Outcome {
            db_match: self.db_check.db_match,
            db_graded,
            parts: RewardParts {
                database: parts.database.or(db_reward),
                assertions: parts.assertions,
                actions: parts.actions,
                communicated: parts.communicated,
                language: parts.language,
            },
            ..Outcome::from_reward(self.reward)
        }
    }
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
    pub(super) fn into_trajectory(self, mut head: Head, basis_of_task: Option<bool>) -> Trajectory {
        let graded = self.reward_info.as_ref();
        head.outcome = graded.map(|graded| graded.outcome(basis_of_task)).unwrap_or_default();
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
        Trajectory::new(head, messages, |index| tokens[index].0.take())
            .explained(|index| tokens[index].1)
    }
}

fn mark_greeting(messages: &mut [Spoken]) {
    let Some((first, later)) = messages.split_first_mut() else { return };
    let later_generated = later.iter().any(|later| later.generated && later.message.is_turn());
    first.message.scripted = is_greeting(&first.message, first.generated, later_generated);
}

/// The sum of what is known; none when nothing is, or when it is too large for a number.
fn total(counts: impl Iterator<Item = Option<i64>>) -> Option<u64> {
    let mut counts = counts.flatten().filter_map(|count| u64::try_from(count).ok());
    let first = counts.next()?;
    counts.try_fold(first, u64::checked_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_overflows_is_absent() {
        assert_eq!(total([Some(2), None, Some(-1), Some(3)].into_iter()), Some(5));
        assert_eq!(total([None, Some(-1)].into_iter()), None);
        assert_eq!(total([Some(i64::MAX); 3].into_iter()), None);
    }
}
