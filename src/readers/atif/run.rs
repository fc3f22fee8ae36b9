//! From steps to messages and turns.

use std::collections::HashSet;

use super::super::{clock, span};
use super::document::{Answer, Document, Metrics, Step};
use crate::model::{Cell, Fingerprint, Head, Message, Role, Span, TokenSeq, ToolCall, Trajectory};

/// The messages of a run, and what is known of it.
#[derive(Debug, Default)]
pub(super) struct Run {
    messages: Vec<Message>,
    tokens: Vec<Option<TokenSeq>>,
    totals: Totals,
    times: Vec<String>,
    pub(super) about: About,
}

/// What is known of a run beside its messages.
#[derive(Debug, Default)]
pub(super) struct About {
    /// Turns whose log-probabilities cover reasoning and action alike.
    pub(super) unparted: usize,
    /// Runs of subagents, which are left out.
    pub(super) subagents: usize,
    /// Steps of a trial that recorded no trajectory.
    pub(super) gaps: usize,
    pub(super) model: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) id: Option<String>,
    /// The tools of the agent, in one form.
    pub(super) tools: Option<String>,
}

/// A run whose cell and task are still to be named.
#[derive(Debug)]
pub(super) struct Recorded {
    run: Trajectory,
    pub(super) about: About,
}

/// What the steps used, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    prompt: Option<u64>,
    completion: Option<u64>,
    cost: Option<f64>,
}

impl Totals {
    fn add(&mut self, metrics: &Metrics) {
        let count = |sum: Option<u64>, more: Option<i64>| match more.map(u64::try_from) {
            Some(Ok(more)) => Some(sum.unwrap_or(0).saturating_add(more)),
            _ => sum,
        };
        self.prompt = count(self.prompt, metrics.prompt_tokens);
        self.completion = count(self.completion, metrics.completion_tokens);
        self.cost = metrics.cost_usd.map(|more| self.cost.unwrap_or(0.0) + more).or(self.cost);
    }

    /// The sum of both, as far as they are known.
    fn plus(self, more: Self) -> Self {
        let count =
            |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).reduce(u64::saturating_add);
        let costs = self.cost.into_iter().chain(more.cost);
        Self {
            prompt: count(self.prompt, more.prompt),
            completion: count(self.completion, more.completion),
            cost: costs.reduce(|sum, more| sum + more),
        }
    }

    /// These totals, and those of an earlier part where they are not known.
    fn or(self, earlier: Self) -> Self {
        Self {
            prompt: self.prompt.or(earlier.prompt),
            completion: self.completion.or(earlier.completion),
            cost: self.cost.or(earlier.cost),
        }
    }
}

impl Run {
    /// Joins the files of a run.
    pub(super) fn of(documents: Vec<Document>) -> Result<Self, String> {
        let mut run = Self::default();
        let mut said: HashSet<(Role, String)> = HashSet::new();
        let mut stated = None;
        let parts = documents.len();
        for (part, document) in documents.into_iter().enumerate() {
            run.about.subagents += document.subagents();
            let Document { session_id, trajectory_id, agent, steps, final_metrics, .. } = document;
            let about = &mut run.about;
            about.id = about.id.take().or(trajectory_id).or(session_id);
            about.agent = about.agent.take().or(agent.name);
            about.model = about.model.take().or(agent.model_name);
            about.tools = about.tools.take().or(agent.tools);
            stated = Some(final_metrics);
            for (index, step) in steps.into_iter().enumerate() {
                let role = Role::parse(&step.source).filter(|role| *role != Role::Tool);
                let role = role.ok_or_else(|| {
                    format!("step {} has the unknown source `{}`", index + 1, step.source)
                })?;
                let copied = step.is_copied_context == Some(true);
                if parts == 1 {
                    run.take(role, step);
                    continue;
                }
                let key = (role, step.message.0.clone().unwrap_or_default());
                // Context that an earlier file has is not repeated.
                if part == 0 || !copied || !said.contains(&key) {
                    run.take(role, step);
                }
                said.insert(key);
            }
        }
        if let Some(last) = stated {
            run.totals.prompt = larger(last.total_prompt_tokens, run.totals.prompt);
            run.totals.completion = larger(last.total_completion_tokens, run.totals.completion);
            run.totals.cost = match (last.total_cost_usd, run.totals.cost) {
                (Some(stated), Some(sum)) => Some(stated.max(sum)),
                (stated, sum) => stated.or(sum),
            };
        }
        Ok(run)
    }

    fn take(&mut self, role: Role, step: Step) {
        let copied = step.is_copied_context == Some(true);
        let calls = step.tool_calls.unwrap_or_default().into_iter().map(|call| ToolCall {
            id: call.tool_call_id.unwrap_or_default(),
            name: call.function_name,
            arguments: if call.arguments.is_empty() { "{}".to_owned() } else { call.arguments },
        });
        let message = Message {
            content: step.message.0,
            reasoning: step.reasoning_content.0.filter(|text| !text.trim().is_empty()),
            tool_calls: calls.collect(),
            // No model wrote what was dispatched without a call of one, and copies are no turns.
            scripted: role == Role::Assistant && (copied || step.llm_call_count == Some(0)),
            ..Message::text(role, "")
        };
        if message.is_turn() {
            self.about.model = self.about.model.take().or(step.model_name);
        }
        let tokens = step.metrics.logprobs.as_deref().filter(|_| message.is_turn());
        let tokens = tokens.and_then(|logprobs| textless(logprobs, &message));
        self.about.unparted +=
            usize::from(tokens.as_ref().is_some_and(|tokens| tokens.count(Span::Action) == 0));
        if !copied {
            self.totals.add(&step.metrics);
            self.times.extend(step.timestamp.0);
        }
        self.messages.push(message);
        self.tokens.push(tokens);
        for answer in step.observation.results.into_iter().flatten() {
            self.messages.extend(answered(role, answer));
            self.tokens.resize(self.messages.len(), None);
        }
    }

    /// Goes on with the next step of a trial. An agent that resumes its session writes again what the
    /// step before has, which counts once.
    pub(super) fn go_on(mut self, mut next: Self) -> Self {
        let resumes = !self.messages.is_empty() && next.messages.starts_with(&self.messages);
        let known = if resumes { self.messages.len() } else { 0 };
        self.totals =
            if resumes { next.totals.or(self.totals) } else { self.totals.plus(next.totals) };
        self.messages.extend(next.messages.drain(known..));
        self.tokens.extend(next.tokens.drain(known..));
        self.times.append(&mut next.times);
        let (about, later) = (&mut self.about, next.about);
        let sum = |a: usize, b: usize| if resumes { a.max(b) } else { a + b };
        about.unparted = sum(about.unparted, later.unparted);
        about.subagents = sum(about.subagents, later.subagents);
        about.model = about.model.take().or(later.model);
        about.agent = about.agent.take().or(later.agent);
        about.tools = about.tools.take().or(later.tools);
        self
    }

    /// The conversation.
    pub(super) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The run as a trajectory, without the names of its cell and task; its fingerprint may be known.
    pub(super) fn recorded(mut self, print: Option<Fingerprint>) -> Recorded {
        let mut head = Head::new(Cell::new("", ""), "");
        head.fingerprint = print.map(Fingerprint::value);
        head.cost = self.totals.cost;
        head.prompt_tokens = self.totals.prompt;
        head.completion_tokens = self.totals.completion;
        let (first, last) = (self.times.first(), self.times.last());
        head.duration = clock::between(first.map(String::as_str), last.map(String::as_str));
        let run = Trajectory::new(head, self.messages, |index| self.tokens[index].take());
        Recorded { run, about: self.about }
    }
}

impl Recorded {
    /// Estimates its size in memory.
    pub(super) fn bytes(&self) -> usize {
        self.run.bytes()
    }

    /// The trajectory under a head that has the names. What the steps add up to goes over what the head
    /// says was used, and the head's duration over theirs.
    pub(super) fn named(self, head: Head) -> Trajectory {
        let mut run = self.run;
        let Head { cell, task, origin, temperature, outcome, termination, .. } = head;
        run.head = Head {
            cell,
            task,
            origin,
            temperature,
            outcome,
            termination,
            cost: run.head.cost.or(head.cost),
            prompt_tokens: run.head.prompt_tokens.or(head.prompt_tokens),
            completion_tokens: run.head.completion_tokens.or(head.completion_tokens),
            duration: head.duration.or(run.head.duration),
            ..run.head
        };
        run
    }
}

/// The stated total of all files, or the sum of their steps where that is more.
fn larger(stated: Option<i64>, sum: Option<u64>) -> Option<u64> {
    let stated = stated.and_then(|count| u64::try_from(count).ok());
    stated.max(sum)
}

/// The message that an observation is.
fn answered(role: Role, answer: Answer) -> Option<Message> {
    let content = answer.content.0?;
    let role = if role == Role::Assistant { Role::Tool } else { role };
    Some(Message {
        tool_call_id: answer.source_call_id.filter(|_| role == Role::Tool),
        error: answer.is_error.or(answer.extra.is_error) == Some(true),
        ..Message::text(role, content)
    })
}

/// Tokens of which only the log-probabilities are known. They are the action where the step has nothing
/// else; with reasoning, or text before a call, nothing says which of them are.
fn textless(logprobs: &[f64], message: &Message) -> Option<TokenSeq> {
    let words = message.words();
    let thinks = message.reasoning.is_some() || words.is_some_and(span::has_thinking);
    let is_action = !thinks && (message.tool_calls.is_empty() || words.is_none());
    let span = if is_action { Span::Action } else { Span::Other };
    let mut tokens = TokenSeq::default();
    for logprob in logprobs {
        tokens.push("", logprob.min(0.0), span);
    }
    (!tokens.is_empty()).then_some(tokens)
}
