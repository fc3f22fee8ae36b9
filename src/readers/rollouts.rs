//! Conversations with what is known about them, on their way to trajectories.

use std::sync::Arc;

use super::facts::Facts;
use super::given::Contexts;
use super::names::CellNames;
use super::openai::Line;
use super::runs::{Repeats, hand_out};
use super::{Claim, Emit, InputNotes, ReadError, ReadOptions, Record};
use crate::model::{
    Check, Fingerprint, Given, Head, Message, Origin, Outcome, Role, TaskText, TokenSeq, Trajectory,
};

/// Words of the question in the name of a task that has none.
const OPENING_WORDS: usize = 4;

/// Letters of these words, at most.
const OPENING_LETTERS: usize = 24;

/// One conversation, and what its file says about it.
#[derive(Debug, Default)]
pub(super) struct Rollout {
    pub(super) names: CellNames,
    pub(super) task: Option<String>,
    pub(super) run_id: Option<String>,
    pub(super) trial: Option<i64>,
    pub(super) outcome: Outcome,
    pub(super) temperature: Option<f64>,
    pub(super) termination: Option<String>,
    pub(super) cost: Option<f64>,
    pub(super) duration: Option<f64>,
    pub(super) prompt_tokens: Option<u64>,
    pub(super) completion_tokens: Option<u64>,
    /// Why it crashed.
    pub(super) error: Option<String>,
    pub(super) checks: Vec<Check>,
    /// What the task asks, where that is no part of the conversation.
    pub(super) instruction: Option<String>,
    pub(super) lines: Vec<Line>,
    /// A system prompt that stands beside the conversation.
    pub(super) system: Option<String>,
    /// The tools of the agent, in one form.
    pub(super) tools: Option<Arc<str>>,
}

impl Rollout {
    /// A conversation with what plain values say about it.
    pub(super) fn new(facts: &Facts, lines: Vec<Line>) -> Self {
        let text = |names: &[&str]| facts.find(names, |value| Some(value.to_owned()));
        Self {
            names: facts.names(),
            task: facts.task(),
            run_id: facts.run_id(),
            trial: facts.draw(),
            outcome: facts.outcome(),
            temperature: facts.number(&["temperature"]),
            termination: text(&["termination_reason", "stop_condition", "finish_reason"]),
            cost: facts.number(&["cost", "total_cost"]),
            duration: facts.number(&["duration"]),
            error: text(&["error"]),
            lines,
            ..Self::default()
        }
    }

    /// Takes over what a later call of the same conversation says about it.
    pub(super) fn go_on(&mut self, later: Self) {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => a.checked_add(b),
            (a, b) => a.or(b),
        };
        self.prompt_tokens = sum(self.prompt_tokens, later.prompt_tokens);
        self.completion_tokens = sum(self.completion_tokens, later.completion_tokens);
        let costs = [self.cost, later.cost].into_iter().flatten();
        self.cost = costs.reduce(|a, b| a + b);
        let durations = [self.duration, later.duration].into_iter().flatten();
        self.duration = durations.reduce(|a, b| a + b);
        if later.outcome.success.is_some() {
            self.outcome = later.outcome;
        }
        self.termination = later.termination.or(self.termination.take());
        self.error = later.error;
        self.system = self.system.take().or(later.system);
        self.tools = later.tools.or(self.tools.take());
    }

    /// A name of the task from what was said before the agent first spoke, the same in every file.
    fn opening(&self) -> String {
        let opening = self.lines.iter().take_while(|line| !line.message.is_turn());
        let messages: Vec<Message> = opening.map(|line| line.message.clone()).collect();
        let print = Fingerprint::of_messages(&messages).value() as u32;
        let asked = messages.iter().rfind(|message| message.role == Role::User);
        let asked = asked.and_then(Message::words).unwrap_or_default();
        let words = asked.split(|letter: char| !letter.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).take(OPENING_WORDS);
        let words = words.map(str::to_lowercase).collect::<Vec<_>>().join("-");
        let words: String = words.chars().take(OPENING_LETTERS).collect();
        format!("{}-{print:08x}", words.trim_end_matches('-')).trim_start_matches('-').to_owned()
    }
}

/// Why a record without a message of the agent is no run.
pub(crate) const NO_MESSAGE: &str = "holds no message of the agent";

/// The conversations of one input.
pub(super) struct Rollouts<'a> {
    claim: &'a Claim,
    options: &'a ReadOptions,
    emit: Emit<'a>,
    /// The dataset's name where neither the input nor the user says it.
    dataset: &'static str,
    repeats: Repeats,
    contexts: Contexts,
    seen: usize,
    notes: Vec<String>,
}

impl<'a> Rollouts<'a> {
    pub(super) fn new(
        claim: &'a Claim,
        options: &'a ReadOptions,
        dataset: &'static str,
        emit: Emit<'a>,
    ) -> Self {
        Self {
            claim,
            options,
            emit,
            dataset,
            repeats: Repeats::default(),
            contexts: Contexts::default(),
            seen: 0,
            notes: Vec::new(),
        }
    }

    /// Says something about the input, once.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Tool definitions in one form, by how the input writes them.
    pub(super) fn tools(&mut self, written: &str) -> Option<Arc<str>> {
        self.contexts.tools(written)
    }

    /// Hands out a conversation; false when no more are wanted.
    pub(super) fn take(&mut self, mut rollout: Rollout) -> bool {
        self.seen += 1;
        let lines = std::mem::take(&mut rollout.lines);
        rollout.lines = lines.into_iter().flat_map(Line::unfold).collect();
        let head = self.head(&rollout);
        if let Some(instruction) = rollout.instruction {
            let (dataset, task) = (head.cell.dataset.clone(), head.task.clone());
            (self.emit)(Record::Task(TaskText { dataset, task, instruction }));
        }
        let (messages, mut tokens): (Vec<Message>, Vec<Option<TokenSeq>>) =
            rollout.lines.into_iter().map(|line| (line.message, line.tokens)).unzip();
        let mut run = Trajectory::new(head, messages, |index| tokens[index].take());
        run.checks = rollout.checks;
        let (system, tools) = (rollout.system.as_deref(), rollout.tools.as_deref());
        self.contexts.attach(&mut run, Given { policy: None, system, tools });
        let reason = || match rollout.error.as_deref().and_then(|error| error.lines().next()) {
            Some(error) => format!("crashed before the agent acted ({error})"),
            None => NO_MESSAGE.to_owned(),
        };
        hand_out(run, self.options.keep_errored, reason, self.emit)
    }

    fn head(&mut self, rollout: &Rollout) -> Head {
        let mut names = rollout.names.clone();
        let mut notes = Vec::new();
        names.guess(self.claim.path(), self.options, self.dataset, &mut notes);
        notes.into_iter().for_each(|note| self.note(note));
        let task = rollout.task.clone().unwrap_or_else(|| self.task_by_opening(rollout));
        let mut head = Head::new(names.cell(self.options), task);
        head.origin = Origin {
            source: self.claim.source().to_owned(),
            run_id: rollout.run_id.clone(),
            trial: rollout.trial,
            repeat: self.repeats.next(&head.task, rollout.trial),
        };
        head.temperature = rollout.temperature;
        head.outcome = rollout.outcome.clone();
        head.termination.clone_from(&rollout.termination);
        head.cost = rollout.cost;
        head.duration = rollout.duration;
        head.prompt_tokens = rollout.prompt_tokens;
        head.completion_tokens = rollout.completion_tokens;
        head
    }

    /// The task of a conversation that names none: the same opening is the same task.
    fn task_by_opening(&mut self, rollout: &Rollout) -> String {
        self.note("does not name its tasks: conversations that begin alike are draws of one task");
        rollout.opening()
    }

    /// What is to be said about the input; there must be something in it.
    pub(super) fn finish(self, what: &str) -> Result<InputNotes, ReadError> {
        if self.seen == 0 {
            return Err(ReadError::nothing_inside(self.claim.path(), what));
        }
        Ok(InputNotes { notes: self.notes, ..InputNotes::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_call_has_the_last_word() {
        let call = |success: Option<bool>, end: &str, cost: f64| Rollout {
            outcome: Outcome { success, ..Outcome::default() },
            termination: (!end.is_empty()).then(|| end.to_owned()),
            cost: Some(cost),
            ..Rollout::default()
        };
        let mut run = call(Some(false), "tool_calls", 1.0);
        run.go_on(call(Some(true), "stop", 2.0));
        run.go_on(call(None, "", 4.0));
        assert_eq!(run.outcome.success, Some(true), "a call that was not graded changes nothing");
        assert_eq!((run.termination.as_deref(), run.cost), (Some("stop"), Some(7.0)));
    }
}
