//! mini-swe-agent: a file `.traj.json` a run, `{info, messages, trajectory_format}`, or the messages alone.

mod message;

use serde::Deserialize;

use super::json::{self, Text};
use super::traj::{Layout, Transcript};
use super::walk::{self, Want};
use super::{
    Candidate, Claim, Content, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader,
    UTF8_BOM,
};
use crate::model::{Message, Role};
use message::Spoken;

/// The reader of mini-swe-agent's trajectories.
#[derive(Debug)]
pub(super) struct MiniSwe;

static INFO: FormatInfo = FormatInfo {
    id: "mini-swe-agent",
    name: "mini-swe-agent",
    looks: "a `.traj.json` file `{info, messages, trajectory_format}` or a list of messages; or a folder of `<task>/<task>.traj.json`",
    gives: &[Gives::Draws, Gives::Logprobs, Gives::TopK, Gives::Costs, Gives::SystemPrompt],
    example: "run-1",
};

const LAYOUT: Layout = Layout { agent: "mini-swe-agent", ending: ".traj.json", is_run, parse };

impl Reader for MiniSwe {
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
    let (json, is_named) = (candidate.json(), LAYOUT.is_named(candidate.path()));
    let says_so = json.has("trajectory_format") || (json.has("info") && is_named);
    let is_bare = json.is_list() && json.has("role") && is_named;
    (json.is_object() && json.has("messages") && says_so) || is_bare
}

/// What a file holds, read message by message so that its text is never whole in memory.
#[derive(Default)]
struct Document {
    info: Info,
    messages: Vec<Spoken>,
    instance_id: InstanceId,
}

#[derive(Default, Deserialize)]
struct InstanceId(#[serde(deserialize_with = "json::id")] Option<String>);

impl Document {
    /// Reads a document, or the list of messages that old versions wrote.
    fn read(content: &Content) -> Result<Self, ReadError> {
        let mut document = Self::default();
        let start = content.start(START)?;
        let text = start.strip_prefix(UTF8_BOM).unwrap_or(&start);
        if text.trim_ascii_start().starts_with(b"[") {
            walk::elements(content, &mut |message| {
                document.messages.push(message.parse()?);
                Ok(true)
            })?;
            return Ok(document);
        }
        let mut has_messages = false;
        let mut want = |key: &str| match key {
            "messages" => {
                has_messages = true;
                Want::Elements
            }
            "info" | "instance_id" => Want::Whole,
            _ => Want::Skip,
        };
        walk::members(content, &mut want, &mut |key, value| {
            match key {
                "messages" => document.messages.push(value.parse()?),
                "info" => document.info = value.parse().unwrap_or_default(),
                _ => document.instance_id = value.parse()?,
            }
            Ok(true)
        })?;
        if !has_messages {
            return Err(ReadError::nothing_inside(content.path(), "messages"));
        }
        Ok(document)
    }
}

/// How much of a file is looked at for what it begins with.
const START: usize = 1 << 10;

#[derive(Default, Deserialize)]
struct Info {
    #[serde(default, deserialize_with = "json::id")]
    exit_status: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    model_stats: ModelStats,
    #[serde(default, deserialize_with = "json::lenient")]
    config: Config,
}

#[derive(Default, Deserialize)]
struct ModelStats {
    #[serde(default, deserialize_with = "json::number")]
    instance_cost: Option<f64>,
}

#[derive(Default, Deserialize)]
struct Config {
    #[serde(default, deserialize_with = "json::lenient")]
    agent: AgentConfig,
    #[serde(default, deserialize_with = "json::lenient")]
    model: ModelConfig,
}

#[derive(Default, Deserialize)]
struct AgentConfig {
    #[serde(default)]
    system_template: Text,
}

#[derive(Default, Deserialize)]
struct ModelConfig {
    #[serde(default, deserialize_with = "json::id")]
    model_name: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    model_kwargs: ModelArguments,
}

#[derive(Default, Deserialize)]
struct ModelArguments {
    #[serde(default, deserialize_with = "json::number")]
    temperature: Option<f64>,
}

fn parse(content: &Content) -> Result<Transcript, ReadError> {
    let Document { info, messages: spoken, instance_id } = Document::read(content)?;
    let timed = || spoken.iter().filter_map(|spoken| spoken.time);
    let duration = timed().next_back().zip(timed().next()).map(|(last, first)| last - first);
    let total = |count: fn(&Spoken) -> Option<u64>| {
        spoken
            .iter()
            .filter_map(count)
            .try_fold(None, |sum: Option<u64>, more| sum.unwrap_or(0).checked_add(more).map(Some))
    };
    let (prompt_tokens, completion_tokens) =
        (total(|spoken| spoken.prompt_tokens), total(|spoken| spoken.completion_tokens));
    let costs: Vec<f64> = spoken.iter().filter_map(|spoken| spoken.cost).collect();
    let sum = (!costs.is_empty()).then(|| costs.iter().sum());
    let (messages, tokens): (Vec<Message>, Vec<_>) =
        spoken.into_iter().map(|spoken| (spoken.message, spoken.tokens)).unzip();
    Ok(Transcript {
        messages: with_answers(messages),
        tokens,
        task: instance_id.0,
        model: info.config.model.model_name,
        temperature: info.config.model.model_kwargs.temperature,
        termination: info.exit_status,
        cost: info.model_stats.instance_cost.or(sum),
        duration: duration.filter(|seconds| *seconds >= 0.0),
        prompt_tokens: prompt_tokens.flatten(),
        completion_tokens: completion_tokens.flatten(),
        system_template: info.config.agent.system_template.0,
    })
}

/// What a user says right after an action is the environment's answer.
fn with_answers(mut messages: Vec<Message>) -> Vec<Message> {
    for index in 1..messages.len() {
        let acted = !messages[index - 1].tool_calls.is_empty();
        let message = &mut messages[index];
        if message.role == Role::User && acted {
            message.role = Role::Tool;
        }
    }
    messages
}
