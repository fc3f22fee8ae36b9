//! The answers that would have given the values: verdicts of judges, self-assessment, and next actions.
//!
//! They are kept as if models had been asked, so that the explorer shows them beside turns and pairs.

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_128;

use super::Order;
use super::plan::SAMPLES;
use super::prefix::Agreement;
use super::script::Tool;
use crate::model::{Judgment, Trajectory};
use crate::rng::Rng;
use crate::scorers::NEXT_ACTIONS;
use crate::store::{Answer, AnswerLines};

/// The hash of the prompt, which no model was given.
pub const PROMPT: &str = "73796e7468657469";

/// The text of the prompt.
pub const PROMPT_TEXT: &str = "Synthetic: no model was asked.";

/// Messages that an agent sends where it might have called a tool.
const MESSAGES: [&str; 4] = [
    "Before I do that, may I ask you to confirm it?",
    "I have found what you are looking for. Shall I go on?",
    "One moment, please. Is there anything else I should know?",
    "I'm afraid I need one more detail from you.",
];

/// What a judge writes that does not answer in the form it was asked for.
const RAMBLES: [&str; 2] = [
    "Both runs look at the same records, but I cannot say which of them matters.",
    "It depends: {\"equivalent\": perhaps, \"confidence\": \"medium\"}",
];

/// The values of a task that answers are made for.
pub struct TaskValues<'a> {
    pub ptrue: f64,
    /// The probability of TRUE as a share of TRUE and FALSE.
    pub normalised: f64,
    pub vc: f64,
    /// The agreement of next actions at every turn of the reference.
    pub turns: &'a [Agreement],
}

/// Writes the answers about the tasks of a cell.
pub struct AnswerWriter<'a> {
    pub order: Order,
    /// The runs, by task and draw.
    pub runs: &'a [Trajectory],
    /// The tools of the domain.
    pub tools: &'a [&'static Tool],
    pub rng: Rng,
    pub lines: AnswerLines,
}

impl AnswerWriter<'_> {
    /// Adds the answer of a judge.
    pub fn judgment(&mut self, task: usize, judgment: &Judgment) {
        let words = match (judgment.equivalent, judgment.confidence) {
            (Some(equivalent), Some(confidence)) => {
                format!("{{\"equivalent\": {equivalent}, \"confidence\": {confidence}}}")
            }
            _ => (*self.rng.pick(&RAMBLES)).to_owned(),
        };
        let pair = [judgment.draw_a, judgment.draw_b];
        let answer = self.answer("ter", task, &pair, &judgment.judge, message(&words));
        self.lines.add(&answer);
    }

    /// Adds what the agent's model says of the reference of a task, and what it would do at its turns.
    pub fn task(&mut self, task: usize, values: &TaskValues<'_>) {
        let asked = format!("{} (synthetic)", self.order.cell().model);
        for (question, choice) in [("ptrue", truth(values)), ("vc", confidence(values.vc))] {
            let answer = self.answer(question, task, &[0], &asked, choice);
            self.lines.add(&answer);
        }
        for (turn, agreement) in (0..).zip(values.turns) {
            for (repeat, choice) in (0..).zip(self.samples(task, turn, *agreement)) {
                let mut answer = self.answer("prefix", task, &[0], &asked, choice);
                (answer.turn, answer.repeat) = (Some(turn), repeat);
                answer.key = key(&answer);
                self.lines.add(&answer);
            }
        }
    }

    /// The next actions of a turn: as many as agree, and others.
    fn samples(&mut self, task: usize, turn: u32, agreement: Agreement) -> Vec<Value> {
        let run = &self.runs[task * (SAMPLES + 1)];
        let taken = &run.messages[run.turns[turn as usize].message as usize];
        let taken = taken.tool_calls.first().map(|call| call.name.as_str());
        let mut samples = Vec::with_capacity(NEXT_ACTIONS);
        for number in 0..NEXT_ACTIONS {
            let has_name = number < agreement.names;
            let is_call = (number < agreement.types) == taken.is_some();
            samples.push(match taken {
                Some(name) if has_name => call(name),
                _ if is_call => {
                    let others = self.tools.iter().filter(|tool| Some(tool.name) != taken);
                    let others: Vec<&str> = others.map(|tool| tool.name).collect();
                    call(self.rng.pick::<&str>(&others))
                }
                _ => message(self.rng.pick::<&str>(&MESSAGES)),
            });
        }
        self.rng.shuffle(&mut samples);
        samples
    }

    fn answer(
        &self,
        question: &str,
        task: usize,
        draws: &[u32],
        asked: &str,
        choice: Value,
    ) -> Answer {
        let print = |draw: &u32| {
            let run = &self.runs[task * (SAMPLES + 1) + *draw as usize];
            format!("{:016x}", run.head.fingerprint.unwrap_or_default())
        };
        let mut answer = Answer {
            time: 0,
            key: String::new(),
            question: question.to_owned(),
            cell: self.order.cell(),
            task: self.order.task(task),
            draw: draws[0],
            other: draws.get(1).copied(),
            turn: None,
            repeat: 0,
            runs: draws.iter().map(print).collect(),
            asked: asked.to_owned(),
            prompt: PROMPT.to_owned(),
            answer: choice,
            tokens: None,
        };
        answer.key = key(&answer);
        answer
    }
}

/// What tells an answer from all others.
fn key(answer: &Answer) -> String {
    let Answer { question, cell, task, draw, other, turn, repeat, asked, .. } = answer;
    let words =
        format!("synthetic {question} {cell} {task} {draw} {other:?} {turn:?} {repeat} {asked}");
    format!("{:032x}", xxh3_128(words.as_bytes()))
}

fn message(words: &str) -> Value {
    json!({ "message": { "content": words } })
}

fn call(name: &str) -> Value {
    json!({ "message": { "tool_calls": [{ "function": { "name": name, "arguments": "{}" } }] } })
}

/// The first token of an answer with the mass on TRUE and on FALSE.
fn truth(values: &TaskValues<'_>) -> Value {
    let on_false = values.ptrue / values.normalised - values.ptrue;
    let token = |word: &str, mass: f64| json!({ "token": word, "logprob": mass.ln() });
    let mut both = [("TRUE", values.ptrue), ("FALSE", on_false)];
    both.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [(word, mass), _] = both;
    let mut first = token(word, mass);
    first["top_logprobs"] = both.iter().map(|(word, mass)| token(word, *mass)).collect();
    json!({ "message": { "content": word }, "logprobs": { "content": [first] } })
}

/// A stated probability; where failure is likelier, that of failure.
fn confidence(vc: f64) -> Value {
    let (guess, stated) = if vc < 0.5 { ("No", 1.0 - vc) } else { ("Yes", vc) };
    message(&format!("{{\"guess\": \"{guess}\", \"probability\": {stated:.2}}}"))
}
