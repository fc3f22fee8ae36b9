//! One sample: an attempt at a task in one epoch.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::super::given::Contexts;
use super::super::json::{self, Text};
use super::super::runs::total;
use super::generation::{Generation, Generations, Output, Outputs, Usage};
use super::message::{Attachments, Parts, Spoken};
use super::score::{Score, Scores, Scoring};
use crate::model::{Given, Head, Message, Role, Trajectory};
use crate::text::bounded;

/// Bytes of an error that are shown.
const LONGEST_ERROR: usize = 300;

/// Bytes of a task's text that are kept.
const LONGEST_TASK: usize = 1 << 16;

/// A sample as the log has it.
#[derive(Deserialize)]
pub(super) struct Sample<'a> {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) id: Option<String>,
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) epoch: Option<i64>,
    #[serde(default, deserialize_with = "json::id")]
    pub(super) uuid: Option<String>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(default)]
    target: Text,
    #[serde(default)]
    messages: Option<Vec<Spoken>>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "json::lenient")]
    scores: Option<Scores>,
    /// Logs of early versions have one score without a name.
    #[serde(default, deserialize_with = "json::lenient")]
    score: Option<Score>,
    #[serde(borrow, default)]
    events: Outputs<'a>,
    #[serde(default, deserialize_with = "json::lenient")]
    model_usage: HashMap<String, Usage>,
    #[serde(default, deserialize_with = "json::number")]
    total_time: Option<f64>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "json::lenient")]
    limit: Option<Limit>,
    #[serde(borrow, default)]
    attachments: Attachments<'a>,
    #[serde(default)]
    invalidation: Option<IgnoredAny>,
}

/// The line about a sample in the summaries of a journal.
#[derive(Deserialize)]
pub(super) struct Summary {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) id: Option<String>,
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) epoch: Option<i64>,
}

#[derive(Default, Deserialize)]
struct Limit {
    #[serde(default, rename = "type", deserialize_with = "json::id")]
    kind: Option<String>,
}

#[derive(Default, Deserialize)]
struct SampleError {
    #[serde(default)]
    message: Text,
}

impl Sample<'_> {
    /// The first line of the error that ended the sample.
    pub(super) fn error(&self) -> Option<String> {
        let error: SampleError = serde_json::from_str(self.error?.get()).unwrap_or_default();
        let message = error.message.0.unwrap_or_default();
        let line = message.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message");
        Some(bounded(line.trim(), LONGEST_ERROR).into_owned())
    }

    /// Whether somebody declared the sample void.
    pub(super) fn is_invalidated(&self) -> bool {
        self.invalidation.is_some()
    }

    /// The task's input and, which the agent does not see, its target.
    pub(super) fn task_text(&self) -> Option<String> {
        let messages =
            self.input.and_then(|raw| serde_json::from_str::<Vec<Spoken>>(raw.get()).ok());
        let input = match messages {
            Some(messages) => {
                let texts = messages.into_iter().filter_map(|spoken| spoken.message.content);
                Some(texts.collect::<Vec<_>>().join("\n\n")).filter(|text| !text.is_empty())
            }
            None => Parts::of(self.input).text(),
        };
        let target = self.target.0.as_deref().filter(|text| !text.trim().is_empty());
        let target = target.map(|target| format!("target: {}", target.trim()));
        let mut text = input.into_iter().chain(target).collect::<Vec<_>>().join("\n\n");
        self.attachments.resolve_text(&mut text);
        (!text.is_empty()).then(|| bounded(&text, LONGEST_TASK).into_owned())
    }

    /// The trajectory that the sample records; `model` is the full name of the agent's model.
    pub(super) fn into_trajectory(
        self,
        mut head: Head,
        model: Option<&str>,
        (scoring, contexts): (&mut Scoring, &mut Contexts),
    ) -> Trajectory {
        let unnamed = self.score.map(|score| Scores(vec![("score".to_owned(), score)]));
        let scores = self.scores.or(unnamed).unwrap_or_default();
        let (outcome, checks) = scoring.grade(&scores, &self.attachments);
        let last = self.output.map(Output::of).unwrap_or_default();
        head.outcome = outcome;
        head.duration = self.total_time;
        head.termination = match (self.limit.and_then(|limit| limit.kind), self.error) {
            (Some(kind), _) => Some(format!("{kind}_limit")),
            (None, Some(_)) => Some("error".to_owned()),
            (None, None) => last.stop_reason(),
        };
        let mut generations = Generations::new(&self.events, Some(last), &self.attachments);
        let mut spoken = self.messages.unwrap_or_default();
        let mut taken: Vec<Option<Generation<'_>>> = Vec::with_capacity(spoken.len());
        for said in &mut spoken {
            self.attachments.resolve(&mut said.message);
            let is_agent = said.message.role == Role::Assistant;
            taken.push(is_agent.then(|| generations.take(said)).flatten());
        }
        mark_scripted(&mut spoken, &taken);
        let messages: Vec<Message> = spoken.into_iter().map(|said| said.message).collect();
        let turns = messages.iter().zip(&taken).filter(|(message, _)| message.is_turn());
        let used: Vec<Usage> =
            turns.filter_map(|(_, taken)| taken.as_ref().and_then(|taken| taken.usage)).collect();
        let whole = if used.is_empty() { usage_of(&self.model_usage, model) } else { None };
        count_usage(&mut head, if used.is_empty() { whole.as_slice() } else { &used });
        // The agent's last tools: those of graders and other agents are of no message.
        let tools = taken.iter().rev().flatten().find_map(|taken| taken.tools);
        let tools = tools.and_then(|tools| contexts.tools(&self.attachments.resolved(tools.get())));
        let tokens = |index: usize| taken[index].take().and_then(|taken| taken.tokens);
        let mut run = Trajectory::new(head, messages, tokens);
        run.checks = checks;
        contexts.attach(&mut run, Given { tools: tools.as_deref(), ..Given::default() });
        run
    }

    /// Whether there is a score.
    pub(super) fn is_scored(&self) -> bool {
        self.scores.as_ref().is_some_and(|scores| !scores.0.is_empty()) || self.score.is_some()
    }
}

/// What the agent's model used in the whole sample, also as a grader.
fn usage_of(usage: &HashMap<String, Usage>, model: Option<&str>) -> Option<Usage> {
    let only = || usage.values().next().filter(|_| usage.len() == 1);
    model.and_then(|model| usage.get(model)).or_else(only).copied()
}

fn count_usage(head: &mut Head, used: &[Usage]) {
    head.prompt_tokens = total(used.iter().map(Usage::prompt_tokens));
    head.completion_tokens = total(used.iter().map(|usage| usage.output_tokens));
    let costs: Vec<f64> = used.iter().filter_map(|usage| usage.total_cost).collect();
    head.cost = (!costs.is_empty()).then(|| costs.iter().sum());
}

/// Marks answers that no model generated: those that the task's input brings along, as examples or the
/// beginning of an answer, and those without a trace of a generation where others have one.
fn mark_scripted(messages: &mut [Spoken], taken: &[Option<Generation<'_>>]) {
    let is_generated = |said: &Spoken, taken: &Option<Generation<'_>>| {
        taken.is_some() || said.names_model || said.source.as_deref() == Some("generate")
    };
    let generated: Vec<bool> =
        messages.iter().zip(taken).map(|(said, taken)| is_generated(said, taken)).collect();
    let is_agent = |said: &Spoken| said.message.role == Role::Assistant;
    let any = messages.iter().zip(&generated).any(|(said, generated)| is_agent(said) && *generated);
    for (said, generated) in messages.iter_mut().zip(generated) {
        let is_brought = matches!(said.source.as_deref(), Some("input" | "operator"));
        said.message.scripted = is_agent(said) && (is_brought || (any && !generated));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_is_scripted() {
        for (source, scripted) in [("operator", true), ("input", true), ("generate", false)] {
            let json =
                format!(r#"[{{"role": "assistant", "content": "Yes.", "source": "{source}"}}]"#);
            let mut messages: Vec<Spoken> = serde_json::from_str(&json).expect("messages");
            mark_scripted(&mut messages, &[None]);
            assert_eq!(messages[0].message.scripted, scripted, "{source}");
        }
    }
}
