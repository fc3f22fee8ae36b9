//! SWE-agent: a file `.traj` a run, `{trajectory, history, info}`, or the history alone.

use serde::Deserialize;

use super::json::{self, Text};
use super::openai::Call;
use super::traj::{Layout, Transcript};
use super::walk::{self, Want};
use super::{
    Candidate, Claim, Content, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader,
    command,
};
use crate::model::{Message, Role, ToolCall};

/// The reader of SWE-agent's trajectories.
#[derive(Debug)]
pub(super) struct SweAgent;

static INFO: FormatInfo = FormatInfo {
    id: "swe-agent",
    name: "SWE-agent",
    looks: "a `.traj` file `{trajectory, history, info}` or `{history}`; or a folder of `<task>/<task>.traj`",
    gives: &[Gives::Draws, Gives::Costs, Gives::SystemPrompt],
    example: "trajectories/me/run-1",
};

const LAYOUT: Layout = Layout { agent: "swe-agent", ending: ".traj", is_run, parse };

impl Reader for SweAgent {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        LAYOUT.claim(candidate)
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        LAYOUT.read(claim, options, emit)
    }
}

fn is_run(candidate: &Candidate) -> bool {
    let json = candidate.json();
    let is_named = LAYOUT.is_named(candidate.path());
    // Behind a long trajectory the rest is not seen.
    let is_whole = json.has("trajectory") && (json.has("history") || json.has("info") || is_named);
    json.is_object() && (is_whole || (json.has("history") && is_named))
}

/// What a file holds, read member by member so that its text is never whole in memory.
#[derive(Default)]
struct Document {
    trajectory: Vec<Step>,
    history: Vec<(Message, String)>,
    info: Info,
    /// The settings, as a text that holds JSON.
    replay_config: Text,
}

impl Document {
    fn read(content: &Content) -> Result<Self, ReadError> {
        let mut document = Self::default();
        let mut has_messages = false;
        let mut want = |key: &str| match key {
            "trajectory" | "history" => {
                has_messages = true;
                Want::Elements
            }
            "info" | "replay_config" => Want::Whole,
            _ => Want::Skip,
        };
        walk::members(content, &mut want, &mut |key, value| {
            match key {
                "trajectory" => document.trajectory.push(value.parse()?),
                "history" => {
                    let message = value.parse::<Item>()?.into_message().map_err(|problem| {
                        let remedy = "check the file against SWE-agent's format, or leave it out";
                        ReadError::new(content.path(), problem, remedy)
                    })?;
                    document.history.push(message);
                }
                "info" => document.info = value.parse().unwrap_or_default(),
                _ => document.replay_config = value.parse()?,
            }
            Ok(true)
        })?;
        if !has_messages {
            return Err(ReadError::nothing_inside(content.path(), "trajectory or history"));
        }
        Ok(document)
    }
}

#[derive(Deserialize)]
struct Step {
    #[serde(default)]
    action: Text,
    #[serde(default)]
    observation: Text,
    #[serde(default)]
    response: Text,
    #[serde(default)]
    thought: Text,
}

/// A message of the history.
#[derive(Deserialize)]
struct Item {
    role: String,
    #[serde(default)]
    content: Text,
    #[serde(default)]
    action: Text,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default, deserialize_with = "json::lenient")]
    tool_call_ids: Option<Vec<String>>,
    #[serde(default, deserialize_with = "json::flag")]
    is_demo: Option<bool>,
    #[serde(default)]
    reasoning_content: Text,
}

#[derive(Default, Deserialize)]
struct Info {
    #[serde(default, deserialize_with = "json::id")]
    exit_status: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    model_stats: ModelStats,
}

#[derive(Default, Deserialize)]
struct ModelStats {
    #[serde(default, deserialize_with = "json::number")]
    instance_cost: Option<f64>,
    #[serde(default, deserialize_with = "json::whole")]
    tokens_sent: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    tokens_received: Option<i64>,
}

#[derive(Default, Deserialize)]
struct Settings {
    #[serde(default, deserialize_with = "json::lenient")]
    agent: AgentSettings,
}

#[derive(Default, Deserialize)]
struct AgentSettings {
    #[serde(default, deserialize_with = "json::lenient")]
    templates: Templates,
    #[serde(default, deserialize_with = "json::lenient")]
    model: ModelSettings,
}

#[derive(Default, Deserialize)]
struct Templates {
    #[serde(default)]
    system_template: Text,
}

#[derive(Default, Deserialize)]
struct ModelSettings {
    #[serde(default, deserialize_with = "json::id")]
    name: Option<String>,
    #[serde(default, deserialize_with = "json::number")]
    temperature: Option<f64>,
}

fn parse(content: &Content) -> Result<Transcript, ReadError> {
    let Document { trajectory: steps, history, info, replay_config } = Document::read(content)?;
    let settings = replay_config.0.and_then(|text| serde_json::from_str::<Settings>(&text).ok());
    let AgentSettings { model, templates } = settings.unwrap_or_default().agent;
    let messages = if steps.is_empty() { of_history(history) } else { of_steps(steps, history) };
    let count = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok());
    Ok(Transcript {
        messages,
        model: model.name,
        temperature: model.temperature,
        termination: info.exit_status,
        cost: info.model_stats.instance_cost,
        prompt_tokens: count(info.model_stats.tokens_sent),
        completion_tokens: count(info.model_stats.tokens_received),
        system_template: templates.system_template.0,
        ..Transcript::default()
    })
}

impl Item {
    /// The message, and the text of the action in it.
    fn into_message(self) -> Result<(Message, String), String> {
        let role = Role::parse(&self.role)
            .ok_or_else(|| format!("a message has the unknown role `{}`", self.role))?;
        let action = self.action.0.unwrap_or_default();
        let mut calls: Vec<ToolCall> =
            self.tool_calls.unwrap_or_default().into_iter().map(ToolCall::from).collect();
        if role == Role::Assistant && calls.is_empty() {
            calls.extend(command_call(&action));
        }
        let message = Message {
            content: self.content.0,
            reasoning: self.reasoning_content.0.filter(|text| !text.trim().is_empty()),
            tool_calls: calls,
            tool_call_id: self.tool_call_ids.and_then(|ids| ids.into_iter().next()),
            scripted: role == Role::Assistant && self.is_demo == Some(true),
            ..Message::text(role, "")
        };
        Ok((message, action))
    }
}

/// The call that the text of an action is; none of an answer that could not be parsed.
fn command_call(action: &str) -> Option<ToolCall> {
    let action = action.trim();
    (!action.is_empty()).then(|| command::call(command::name(action), action, None))
}

/// The messages of a history: what a user says right after an action is the environment's answer.
fn of_history(history: Vec<(Message, String)>) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::with_capacity(history.len());
    for (mut message, _) in history {
        let answers = messages.last().is_some_and(|last| !last.tool_calls.is_empty());
        if message.role == Role::User && answers {
            message.role = Role::Tool;
        }
        messages.push(message);
    }
    messages
}

/// Messages of the history that a step is looked for in.
const AHEAD: usize = 8;

/// What came before the agent's first turn, then every step. A step does not say how a tool was called,
/// so that its calls are those of its message in the history, where there is one.
fn of_steps(steps: Vec<Step>, history: Vec<(Message, String)>) -> Vec<Message> {
    let first = history.iter().position(|(message, _)| message.is_turn());
    let mut before = history;
    let later = before.split_off(first.unwrap_or(before.len()));
    let mut messages = of_history(before);
    let turns: Vec<(Message, String)> =
        later.into_iter().filter(|(message, _)| message.is_turn()).collect();
    let mut rest = &turns[..];
    for step in steps {
        let (action, response) = (step.action.0.unwrap_or_default(), step.response.0);
        let is_same = |(message, other): &(Message, String)| {
            other.trim() == action.trim()
                && (!action.trim().is_empty() || message.content == response)
        };
        let found = rest.iter().take(AHEAD).position(is_same);
        let recorded = found.map(|index| &rest[index].0);
        let calls = recorded.map(|message| message.tool_calls.clone());
        let calls = calls.unwrap_or_else(|| command_call(&action).into_iter().collect());
        let id = calls.first().map(|call| call.id.clone()).filter(|id| !id.is_empty());
        let acts = !calls.is_empty();
        let content = response.filter(|text| !text.is_empty()).or(step.thought.0);
        messages.push(Message {
            content,
            reasoning: recorded.and_then(|message| message.reasoning.clone()),
            tool_calls: calls,
            ..Message::text(Role::Assistant, "")
        });
        if let Some(index) = found {
            rest = &rest[index + 1..];
        }
        if let Some(answer) = step.observation.0.filter(|text| !text.is_empty()) {
            let role = if acts { Role::Tool } else { Role::User };
            messages.push(Message { tool_call_id: id, ..Message::text(role, answer) });
        }
    }
    messages
}
