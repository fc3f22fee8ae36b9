//! A rollout as a graph of messages, each with the tokens that it adds.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::fields::Fields;
use super::super::names::{CellNames, model_name};
use super::super::openai::Line;
use super::super::records::FileRecord;
use super::super::rollouts::Rollout;
use super::super::{ReadError, json};
use super::RunInfo;
use super::saved::{Number, metric, task_name};
use crate::model::{Check, Outcome, Role, Span, TokenSeq};

#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    parent: Option<usize>,
    message: Line,
    /// Whether the model generated it; older versions do not say.
    #[serde(default, deserialize_with = "json::flag")]
    sampled: Option<bool>,
    #[serde(default, deserialize_with = "json::lenient")]
    token_ids: Vec<u64>,
    #[serde(default, deserialize_with = "json::lenient")]
    mask: Vec<bool>,
    #[serde(default, deserialize_with = "json::lenient")]
    logprobs: Vec<Number>,
}

impl Node {
    /// The sampled tokens by their numbers, since a trace has no texts of tokens. Where the message also
    /// thinks or calls, nothing says which tokens are the action.
    fn tokens(&self) -> Option<TokenSeq> {
        let message = &self.message.message;
        let is_plain = message.tool_calls.is_empty() && message.reasoning.is_none();
        let span = if is_plain { Span::Action } else { Span::Other };
        let sampled = self.token_ids.iter().zip(&self.mask).filter(|(_, sampled)| **sampled);
        let ids: Vec<u64> = sampled.map(|(id, _)| *id).collect();
        if ids.len() != self.logprobs.len() {
            return None;
        }
        let mut tokens = TokenSeq::default();
        for (id, logprob) in ids.iter().zip(&self.logprobs) {
            tokens.push(&format!("#{id}"), logprob.0?.min(0.0), span);
        }
        Some(tokens)
    }

    fn line(self) -> Line {
        let tokens = self.tokens();
        let mut line = self.message;
        line.message.scripted = self.sampled == Some(false) && line.message.role == Role::Assistant;
        line.tokens = tokens.filter(|_| line.message.is_turn());
        line
    }
}

/// The rollout of a line: the path to the message that was added last and that none follows.
pub(super) fn rollout(record: &FileRecord<'_>, run: &RunInfo) -> Result<Rollout, ReadError> {
    let fields = &record.fields;
    let nodes = fields.get("nodes").map_or("[]", |nodes| nodes.get());
    let nodes: Vec<Node> =
        serde_json::from_str(nodes).map_err(|error| record.error("nodes", nodes, &error))?;
    let task = fields.inner("task").unwrap_or_default();
    let data = task.inner("data").unwrap_or_default();
    let facts = fields.facts();
    let named = task_name(&data.facts()).or_else(|| task_name(&task.facts()));
    let key = ["key", "hash"].iter().find_map(|name| task.facts().get(name).map(str::to_owned));
    let mut checks = scores(fields, "rewards");
    checks.extend(scores(fields, "metrics"));
    Ok(Rollout {
        names: names(fields, &run.names),
        task: named.or(key),
        run_id: facts.get("id").map(str::to_owned),
        outcome: Outcome::from_reward(reward(fields)),
        temperature: run.temperature,
        termination: facts.get("stop_condition").map(str::to_owned),
        error: failure(fields),
        checks,
        lines: last_path(nodes),
        ..Rollout::default()
    })
}

/// The messages from the first to the last leaf.
fn last_path(nodes: Vec<Node>) -> Vec<Line> {
    let mut is_leaf = vec![true; nodes.len()];
    for parent in nodes.iter().filter_map(|node| node.parent) {
        if let Some(leaf) = is_leaf.get_mut(parent) {
            *leaf = false;
        }
    }
    let mut on_path = vec![false; nodes.len()];
    let mut next = is_leaf.iter().rposition(|leaf| *leaf);
    while let Some(index) = next {
        on_path[index] = true;
        // A parent stands before its child; anything else is no graph of messages.
        next = nodes[index].parent.filter(|parent| *parent < index);
    }
    nodes
        .into_iter()
        .zip(on_path)
        .filter(|(_, is_on)| *is_on)
        .map(|(node, _)| node.line())
        .collect()
}

/// A reward: a number, or a score with its weight; null where scoring did not run.
#[derive(Deserialize)]
#[serde(untagged)]
enum Reward {
    Weighted {
        score: f64,
        #[serde(default = "one")]
        weight: f64,
    },
    Plain(f64),
    Other(serde::de::IgnoredAny),
}

fn one() -> f64 {
    1.0
}

impl Reward {
    fn value(&self) -> Option<f64> {
        match self {
            Self::Weighted { score, weight } => Some(score * weight),
            Self::Plain(value) => Some(*value),
            Self::Other(_) => None,
        }
    }
}

/// The reward that the trace states, or the sum of its parts; none where nothing was scored.
fn reward(fields: &Fields<'_>) -> Option<f64> {
    let stated = fields.facts().number(&["reward"]);
    let parts: BTreeMap<String, Reward> = fields.lenient("rewards").unwrap_or_default();
    stated.or_else(|| parts.values().filter_map(Reward::value).reduce(|a, b| a + b))
}

/// The named scores under a key.
fn scores(fields: &Fields<'_>, name: &str) -> Vec<Check> {
    let parts: BTreeMap<String, Reward> = fields.lenient(name).unwrap_or_default();
    let named = parts.into_iter().filter_map(|(name, value)| Some((name, value.value()?)));
    named.map(|(name, value)| metric(name, value)).collect()
}

/// The last error.
fn failure(fields: &Fields<'_>) -> Option<String> {
    let errors: Vec<Fields<'_>> = fields.lenient("errors")?;
    let facts = errors.last()?.facts();
    let said = ["type", "message"].iter().filter_map(|name| facts.get(name));
    Some(said.collect::<Vec<_>>().join(": ")).filter(|text| !text.is_empty())
}

/// The model of the agent's configuration, and the kind of its task.
fn names(fields: &Fields<'_>, of_run: &CellNames) -> CellNames {
    let agent = fields.inner("agent").unwrap_or_default();
    let config = agent.inner("config").unwrap_or_default();
    let model = config.facts().get("model").map(model_name);
    let task = fields.inner("task").unwrap_or_default().facts();
    CellNames {
        dataset: of_run.dataset.clone().or_else(|| task.get("type").map(str::to_owned)),
        model: model.or_else(|| of_run.model.clone()),
        condition: None,
    }
}
