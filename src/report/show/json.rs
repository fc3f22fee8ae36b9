//! A comparison as JSON: complete texts, numbers in full precision.
//!
//! The names and the order of the fields are a contract.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::action::ShownAction;
use super::answers_json::{AnswerObject, judged, next_actions, self_assessment};
use super::checks::CheckList;
use super::runs::SideBySide;
use crate::compare::{Contrast, RowKind, before, ended_badly};
use crate::model::{
    Basis, Context, Drift, Judgment, Message, RewardParts, TokenSeq, Trajectory, Unscored,
};
use crate::report::formats::without_hidden;
use crate::scorers::aggregate::Aggregator;
use crate::store::{Note, StepLabel};

/// Serializes an object with these fields in this order.
macro_rules! object {
    ($serializer:expr, { $($name:literal: $value:expr,)* }) => {{
        let mut map = $serializer.serialize_map(None)?;
        $(map.serialize_entry($name, &$value)?;)*
        map.end()
    }};
}
pub(super) use object;

/// A comparison as JSON.
pub(super) fn runs(shown: &SideBySide<'_>) -> String {
    pretty(&Runs(shown))
}

/// JSON on several lines, without characters that could steer a terminal.
pub(super) fn pretty(value: &impl Serialize) -> String {
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    // Line breaks inside strings are escapes, so those that are left are the layout's.
    let lines: Vec<String> = json.lines().map(without_hidden).collect();
    lines.join("\n") + "\n"
}

struct Runs<'s>(&'s SideBySide<'s>);

impl Serialize for Runs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = self.0;
        let rows = 0..shown.sheet.rows.len();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("task", shown.task())?;
        map.serialize_entry("dataset", shown.dataset())?;
        map.serialize_entry("scorer", &shown.scores.scorer.id())?;
        let rule = shown.scores.scorer.aggregator().map(Aggregator::id);
        map.serialize_entry("aggregator", &rule)?;
        map.serialize_entry("turn_scorer", &shown.scores.turn_base.id())?;
        map.serialize_entry("turn_aggregator", &shown.scores.turn_rule.id())?;
        map.serialize_entry("panes", &panes(shown, shown.runs.len()))?;
        map.serialize_entry("first_divergence", &shown.sheet.first_divergence())?;
        map.serialize_entry("rows", &list(rows.map(|row| RowObject(shown, row))))?;
        map.serialize_entry("instruction", &shown.instruction)?;
        let judgments = list(shown.judgments.iter().map(|judgment| Verdict(judgment)));
        map.serialize_entry("judgments", &judgments)?;
        let pairs = list((1..shown.runs.len()).map(|pane| Pair(shown, pane)));
        map.serialize_entry("pairs", &pairs)?;
        map.serialize_entry("notes", &list(shown.notes.iter().map(|note| NoteObject(note))))?;
        let errors = list(shown.errors.iter().map(|label| ErrorObject(label)));
        map.serialize_entry("decisive_errors", &errors)?;
        if let Some(contexts) = shown.contexts {
            let contexts = list(contexts.iter().map(|context| ContextObject(context)));
            map.serialize_entry("contexts", &contexts)?;
        }
        map.end()
    }
}

fn list<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    items.collect()
}

/// What agents were given; the panes name it by its key.
struct ContextObject<'s>(&'s Context);

impl Serialize for ContextObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Context { policy, system, tools } = self.0;
        let tools: Option<&RawValue> =
            tools.as_deref().and_then(|tools| serde_json::from_str(tools).ok());
        object!(serializer, {
            "context": hexadecimal(self.0.key()),
            "policy": policy,
            "system_prompt": system,
            "tools": tools,
        })
    }
}

/// A key as it is written in JSON, where large numbers lose digits.
fn hexadecimal(key: u64) -> String {
    format!("{key:016x}")
}

pub(super) fn panes<'s>(shown: &'s SideBySide<'s>, most: usize) -> Vec<PaneObject<'s>> {
    (0..shown.runs.len().min(most)).map(|pane| PaneObject(shown, pane)).collect()
}

/// A run without its text.
pub(super) struct PaneObject<'s>(&'s SideBySide<'s>, usize);

impl Serialize for PaneObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (shown, pane) = (self.0, self.1);
        let run = shown.runs[pane];
        let head = &run.head;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("label", &shown.labels[pane])?;
        map.serialize_entry("dataset", &head.cell.dataset)?;
        map.serialize_entry("model", &head.cell.model)?;
        map.serialize_entry("condition", &head.cell.condition)?;
        map.serialize_entry("draw", &head.draw)?;
        map.serialize_entry("success", &head.outcome.success)?;
        map.serialize_entry("reward", &head.outcome.reward)?;
        map.serialize_entry("reward_parts", &RewardObject(&head.outcome.parts))?;
        map.serialize_entry("db_match", &head.outcome.db_match)?;
        map.serialize_entry("db_graded", &head.outcome.db_graded)?;
        map.serialize_entry("termination", &head.termination)?;
        map.serialize_entry("cut_off", &ended_badly(run))?;
        map.serialize_entry("cost", &head.cost)?;
        map.serialize_entry("user_cost", &head.user_cost)?;
        map.serialize_entry("duration", &head.duration)?;
        map.serialize_entry("temperature", &head.temperature)?;
        map.serialize_entry("prompt_tokens", &head.prompt_tokens)?;
        map.serialize_entry("completion_tokens", &head.completion_tokens)?;
        map.serialize_entry("turns", &head.turns)?;
        map.serialize_entry("tools", &head.tools)?;
        map.serialize_entry("turns_with_logprobs", &head.turns_with_logprobs)?;
        map.serialize_entry("score", &shown.score(pane))?;
        if !shown.scores.ranks.is_empty() {
            let rank = shown.rank(pane);
            map.serialize_entry("rank", &rank.map(|rank| rank.rank))?;
            map.serialize_entry("ranked", &rank.map(|rank| rank.of))?;
        }
        let basis = head.outcome.basis.as_ref();
        map.serialize_entry("basis", &basis.map(Basis::as_str))?;
        map.serialize_entry("partly_judged", &basis.map(Basis::is_judged))?;
        map.serialize_entry("checks", &CheckList(shown, pane))?;
        map.serialize_entry("context", &head.context.map(hexadecimal))?;
        map.serialize_entry("self_assessment", &self_assessment(shown, pane))?;
        map.end()
    }
}

struct RewardObject<'s>(&'s RewardParts);

impl Serialize for RewardObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "database": self.0.database,
            "assertions": self.0.assertions,
            "actions": self.0.actions,
            "communicated": self.0.communicated,
            "language": self.0.language,
        })
    }
}

struct RowObject<'s>(&'s SideBySide<'s>, usize);

impl Serialize for RowObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (shown, row) = (self.0, self.1);
        let aligned = &shown.sheet.rows[row];
        let kind = match aligned.kind {
            RowKind::Before => "before",
            RowKind::Action => "action",
            RowKind::End => "end",
        };
        let part = |pane: usize| match aligned.kind {
            RowKind::Before => Some(Part::before(shown.runs[pane])),
            RowKind::Action => shown.action(row, pane).map(|action| Part::of(action, shown, pane)),
            RowKind::End => Some(Part::end(shown.runs[pane])),
        };
        object!(serializer, {
            "kind": kind,
            "parts": aligned.diverges(),
            "error": aligned.error,
            "cells": (0..shown.runs.len()).map(part).collect::<Vec<_>>(),
        })
    }
}

/// What a pane holds in a row.
struct Part<'s> {
    run: &'s Trajectory,
    action: Option<ShownAction<'s>>,
    /// The indices of what others said.
    messages: Vec<usize>,
    error: bool,
    /// The next actions that were sampled, with the first action of a turn.
    sampled: Vec<AnswerObject<'s>>,
}

impl<'s> Part<'s> {
    fn before(run: &'s Trajectory) -> Self {
        Self { messages: before(run).collect(), ..Self::silent(run) }
    }

    fn of(action: ShownAction<'s>, shown: &SideBySide<'s>, pane: usize) -> Self {
        let (messages, error) = (action.said(), action.failed());
        let turn = action.step.is_first().then_some(action.step.turn);
        let sampled = turn.map_or_else(Vec::new, |turn| next_actions(shown, pane, turn));
        Self { action: Some(action), messages, error, sampled, ..Self::silent(action.run) }
    }

    fn silent(run: &'s Trajectory) -> Self {
        Self { run, action: None, messages: Vec::new(), error: false, sampled: Vec::new() }
    }

    fn end(run: &'s Trajectory) -> Self {
        Self { error: ended_badly(run), ..Self::silent(run) }
    }
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let action = self.action;
        let view = action.map(|action| action.view);
        let results = action.map(ShownAction::results).unwrap_or_default();
        object!(serializer, {
            "turn": action.map(ShownAction::turn),
            "call": action.and_then(ShownAction::call),
            "action": action.map(ShownAction::name),
            "confidence": view.and_then(|view| view.confidence),
            "unscored": view.and_then(|view| view.unscored).map(Unscored::id),
            "rank": view.and_then(|view| view.rank),
            "weight": view.and_then(|view| view.weight),
            "tokens": action.and_then(ShownAction::tokens),
            "drift": action.and_then(ShownAction::drift).map(Drifted),
            "weakest": view.is_some_and(|view| view.weakest),
            "contrast": action.and_then(contrast),
            "keys": action.map(ShownAction::keys).unwrap_or_default(),
            "reasoning": action.and_then(ShownAction::reasoning),
            "words": action.and_then(ShownAction::words),
            "arguments": action.and_then(ShownAction::arguments),
            "results": results.into_iter().map(Returned).collect::<Vec<_>>(),
            "messages": self.messages.iter().map(|index| Said(self.run, *index)).collect::<Vec<_>>(),
            "error": self.error,
            "next_actions": self.sampled,
        })
    }
}

fn contrast(action: ShownAction<'_>) -> Option<&'static str> {
    match action.contrast {
        Contrast::None | Contrast::Missing => None,
        Contrast::Same => Some("same"),
        Contrast::Arguments(_) => Some("arguments"),
        Contrast::Other => Some("other"),
        Contrast::OnlyHere => Some("only-here"),
    }
}

/// How far a turn has drifted.
struct Drifted<'s>(&'s Drift);

impl Serialize for Drifted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "action": self.0.action,
            "observation": self.0.observation,
            "severity": self.0.severity,
        })
    }
}

/// What a call returned.
struct Returned<'s>(&'s Message);

impl Serialize for Returned<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "text": self.0.content.as_deref().unwrap_or_default(),
            "error": self.0.error,
        })
    }
}

/// A message of somebody else, or one that no model generated.
struct Said<'s>(&'s Trajectory, usize);

impl Serialize for Said<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let message = &self.0.messages[self.1];
        object!(serializer, {
            "role": message.role.as_str(),
            "text": message.content,
            "reasoning": message.reasoning,
            "calls": message.tool_calls,
            "error": message.error,
            "for_user": message.for_user,
            "scripted": message.scripted,
            "tokens": self.0.tokens_of_user(self.1).map(UserTokens),
        })
    }
}

/// The tokens of a message of the user, as a sum.
struct UserTokens<'s>(&'s TokenSeq);

impl Serialize for UserTokens<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "count": self.0.len(),
            "logprob": self.0.iter().map(|token| token.logprob).sum::<f64>(),
        })
    }
}

struct Verdict<'s>(&'s Judgment);

impl Serialize for Verdict<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let judgment = self.0;
        object!(serializer, {
            "dataset": judgment.cell.dataset,
            "model": judgment.cell.model,
            "condition": judgment.cell.condition,
            "draw_a": judgment.draw_a,
            "draw_b": judgment.draw_b,
            "judge": judgment.judge,
            "equivalent": judgment.equivalent,
            "confidence": judgment.confidence,
        })
    }
}

/// How far the actions of the first pane and another agree.
struct Pair<'s>(&'s SideBySide<'s>, usize);

impl Serialize for Pair<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (shown, pane) = (self.0, self.1);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("a", &shown.labels[0])?;
        map.serialize_entry("b", &shown.labels[pane])?;
        map.serialize_entry("edits", &shown.sheet.edits(pane))?;
        for (scorer, value) in shown.agreement(pane) {
            map.serialize_entry(scorer, &value)?;
        }
        map.serialize_entry("judged", &judged(shown, pane))?;
        map.end()
    }
}

struct NoteObject<'s>(&'s Note);

impl Serialize for NoteObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let note = self.0;
        object!(serializer, {
            "time": note.time,
            "author": note.author,
            "dataset": note.cell.dataset,
            "model": note.cell.model,
            "condition": note.cell.condition,
            "draw": note.draw,
            "turn": note.turn.map(|turn| u64::from(turn) + 1),
            "note": note.note,
        })
    }
}

struct ErrorObject<'s>(&'s StepLabel);

impl Serialize for ErrorObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let label = self.0;
        object!(serializer, {
            "time": label.time,
            "author": label.author,
            "dataset": label.cell.dataset,
            "model": label.cell.model,
            "condition": label.cell.condition,
            "draw": label.draw,
            "turn": u64::from(label.turn) + 1,
            "cause": label.cause.id(),
        })
    }
}
