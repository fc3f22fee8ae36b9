//! mini-swe-agent: a file `.traj.json` a run, `{info, messages, trajectory_format}`, or the messages alone.

mod message;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::value::RawValue;

use super::json::{self, Text};
use super::traj::{Layout, Transcript};
use super::{
    Candidate, Claim, Content, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader,
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

#[derive(Default, Deserialize)]
struct Document {
    #[serde(default, deserialize_with = "json::lenient")]
    info: Info,
    messages: Vec<Spoken>,
    #[serde(default, deserialize_with = "json::id")]
    instance_id: Option<String>,
}

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

/// A document, or the list of messages that old versions wrote.
struct Either(Document);

impl<'de> Deserialize<'de> for Either {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(from)?.get();
        let document = if raw.starts_with('[') {
            let messages = serde_json::from_str(raw);
            messages.map(|messages| Document { messages, ..Document::default() })
        } else {
            serde_json::from_str(raw)
        };
        document.map(Self).map_err(D::Error::custom)
    }
}

fn parse(content: &Content) -> Result<Transcript, ReadError> {
    let bytes = content.json()?;
    let document = json::parse(content.path(), &bytes, |parser| Either::deserialize(parser))?;
    let Document { info, messages: spoken, instance_id } = document.0;
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
        task: instance_id,
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
