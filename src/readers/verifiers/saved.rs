//! A rollout as `vf-eval` saves it: `prompt` and `completion`, rewards and metrics.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::super::facts::{Facts, text_of, whole};
use super::super::fields::Fields;
use super::super::openai::{Conversation, Line};
use super::super::records::FileRecord;
use super::super::rollouts::Rollout;
use super::super::{ReadError, json};
use super::RunInfo;
use crate::model::{Check, CheckKind, Message, Outcome, Role};

/// The rollout of a line.
pub(super) fn rollout(record: &FileRecord<'_>, run: &RunInfo) -> Result<Rollout, ReadError> {
    let fields = &record.fields;
    let facts = fields.facts();
    let mut lines = conversation(record, "prompt")?;
    for line in &mut lines {
        // What the prompt holds was given, also where it is an example of an answer.
        line.message.scripted = line.message.role == Role::Assistant;
    }
    lines.extend(completion(record)?);
    let mut names = run.names.clone();
    // The rollouts of a group of environments name theirs.
    names.dataset =
        facts.get("task").filter(|task| *task != "default").map(str::to_owned).or(names.dataset);
    let usage = fields.inner("token_usage").unwrap_or_default().facts();
    let count = |name: &str| usage.find(&[name], |count| u64::try_from(whole(count)?).ok());
    Ok(Rollout {
        names,
        task: facts.get("example_id").map(str::to_owned),
        run_id: facts.find(&["trajectory_id", "rollout_id"], |id| Some(id.to_owned())),
        outcome: Outcome::from_reward(facts.number(&["reward"])),
        temperature: run.temperature,
        termination: facts.get("stop_condition").map(str::to_owned),
        duration: duration(fields),
        prompt_tokens: count("input_tokens"),
        completion_tokens: count("output_tokens"),
        error: error(fields),
        checks: metrics(fields),
        instruction: fields
            .get("answer")
            .and_then(text_of)
            .map(|answer| format!("expected: {answer}")),
        lines,
        ..Rollout::default()
    })
}

fn conversation(record: &FileRecord<'_>, name: &str) -> Result<Vec<Line>, ReadError> {
    let Some(value) = record.fields.get(name) else { return Ok(Vec::new()) };
    let read = serde_json::from_str(value.get());
    let Conversation(lines) = read.map_err(|error| record.error(name, value.get(), &error))?;
    Ok(lines)
}

/// What was generated: messages, or of completion models a text.
fn completion(record: &FileRecord<'_>) -> Result<Vec<Line>, ReadError> {
    let text =
        record.fields.get("completion").map(RawValue::get).filter(|raw| raw.starts_with('"'));
    let lines = conversation(record, "completion")?;
    let is_text = text.is_some() && lines.len() == 1 && lines[0].message.role == Role::User;
    Ok(if is_text {
        let words = lines.into_iter().filter_map(|line| line.message.content);
        words.map(|words| Line::new(Message::text(Role::Assistant, words))).collect()
    } else {
        lines
    })
}

/// The time of the rollout in seconds: newer versions give it so, older ones in milliseconds.
fn duration(fields: &Fields<'_>) -> Option<f64> {
    let timing = fields.inner("timing")?;
    let facts = timing.facts();
    let milliseconds = facts.number(&["total_ms"]).map(|time| time / 1000.0);
    milliseconds.or_else(|| facts.number(&["total"]))
}

/// Why the rollout failed, in the first words that say it.
fn error(fields: &Fields<'_>) -> Option<String> {
    let error = fields.get("error")?;
    let inside: Fields<'_> = serde_json::from_str(error.get()).unwrap_or_default();
    let said = inside.first(&["error_chain_repr", "error", "message"]);
    said.map_or(Some(error), |(_, value)| Some(value)).and_then(text_of)
}

/// The metrics, as checks; one of 1 is met, one of 0 is not.
fn metrics(fields: &Fields<'_>) -> Vec<Check> {
    let metrics: BTreeMap<String, Number> = fields.lenient("metrics").unwrap_or_default();
    let named = metrics.into_iter().filter_map(|(name, value)| Some((name, value.0?)));
    named.map(|(name, value)| metric(name, value)).collect()
}

/// A named score.
pub(super) fn metric(name: String, value: f64) -> Check {
    let met = if value == 0.0 { Some(false) } else { Outcome::from_reward(Some(value)).success };
    let check = Check::new(CheckKind::Score, name, met.filter(|met| *met || value == 0.0));
    Check { detail: Some(value.to_string()), ..check }
}

/// A number, or anything else.
#[derive(serde::Deserialize)]
pub(super) struct Number(#[serde(deserialize_with = "json::number")] pub(super) Option<f64>);

/// The names that plain values of a task's data give it.
pub(super) fn task_name(facts: &Facts) -> Option<String> {
    facts.find(&["example_id", "task_id", "id", "name", "idx", "index"], |id| Some(id.to_owned()))
}
