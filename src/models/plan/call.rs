//! The text of a question, by its kind.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{Item, Plan};
use crate::model::{Context, Trajectory};
use crate::models::conversation::{SeenTools, before_turn};
use crate::models::settings::Question;
use crate::models::transcript::{end_of_last_action, lines};
use crate::models::{ChatModel, ModelError};
use crate::store::Entry;

/// Bytes of a text that are about one token, for estimates.
const BYTES_PER_TOKEN: u64 = 4;

/// A question as it is sent.
#[derive(Clone, Debug)]
pub(in crate::models) struct Call {
    pub(in crate::models) model: Arc<ChatModel>,
    pub(in crate::models) body: Value,
    /// The hash of the body and the repeat.
    pub(in crate::models) key: String,
}

impl Call {
    /// The bytes of the question; it has no more tokens.
    pub(in crate::models) fn bytes(&self) -> u64 {
        self.body.to_string().len() as u64
    }

    /// The tokens of the question, estimated.
    pub(in crate::models) fn tokens(&self) -> u64 {
        self.bytes() / BYTES_PER_TOKEN
    }
}

/// What is particular to a kind of question: the messages, and fields of the request.
#[derive(Default)]
struct Body {
    messages: Vec<Value>,
    fields: Map<String, Value>,
}

impl Body {
    fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.fields.insert(field.to_owned(), value.into());
    }
}

impl Plan {
    /// The question of an item as it is sent.
    pub(in crate::models) fn call(&mut self, item: &Item) -> Result<Call, ModelError> {
        let run = self.run(item.run)?;
        let asked = match item.question {
            Question::Ter => self.about_pair(item, &run)?,
            Question::PTrue | Question::Vc => self.about_run(item, &run)?,
            Question::Prefix => self.about_turn(item, &run)?,
        };
        let model = self.model(item)?;
        let mut body = json!({ "temperature": 0, "max_tokens": self.settings.max_tokens });
        body["messages"] = Value::Array(asked.messages);
        body["model"] = model.name.as_str().into();
        asked.fields.into_iter().for_each(|(name, value)| body[name] = value);
        for (name, value) in &self.settings.extra {
            match value {
                Value::Null => drop(body.as_object_mut().and_then(|body| body.remove(name))),
                value => body[name] = value.clone(),
            }
        }
        let whole = format!("{body}\n{}", sampled(item, &run));
        Ok(Call { model, body, key: format!("{:032x}", xxh3_128(whole.as_bytes())) })
    }

    /// What a judge is asked about a pair.
    fn about_pair(&mut self, item: &Item, run: &Trajectory) -> Result<Body, ModelError> {
        let other = self.run(item.other.unwrap_or(item.run))?;
        let settings = &self.settings;
        let text = |run: &Trajectory| lines(run, run.messages.len(), settings.result_bytes);
        let (mut a, mut b) = (text(run), text(&other));
        if settings.swap && is_swapped(run, &other) {
            std::mem::swap(&mut a, &mut b);
        }
        let prompt = settings.prompt(item.question.prompt());
        let messages = prompt.messages(&[("run_a", Some(&a)), ("run_b", Some(&b))]);
        Ok(Body { messages, ..Body::default() })
    }

    /// What the agent's model is asked about its run.
    fn about_run(&mut self, item: &Item, run: &Trajectory) -> Result<Body, ModelError> {
        let context = self.store.context(&self.entries[item.run])?;
        let given = context.as_deref().map(Context::given).unwrap_or_default();
        let policy = given.policy.or(given.system);
        if policy.is_none() || given.tools.is_none() {
            self.bare.insert(item.run);
        }
        let settings = &self.settings;
        let text = lines(run, end_of_last_action(run), settings.result_bytes);
        let parts = [("policy", policy), ("tools", given.tools), ("transcript", Some(&*text))];
        let messages = settings.prompt(item.question.prompt()).messages(&parts);
        let mut body = Body { messages, ..Body::default() };
        if item.question == Question::PTrue {
            body.set("logprobs", true);
            body.set("top_logprobs", settings.top_logprobs);
        }
        Ok(body)
    }

    /// What the agent's model is asked at a turn: to go on.
    fn about_turn(&mut self, item: &Item, run: &Trajectory) -> Result<Body, ModelError> {
        let context = self.store.context(&self.entries[item.run])?;
        let context = context.as_deref();
        let prompt = self.settings.prompt(item.question.prompt());
        let turn = item.turn.unwrap_or(0) as usize;
        let messages = before_turn(run, turn, context, &prompt);
        let mut body = Body { messages, ..Body::default() };
        body.set("temperature", self.settings.temperature);
        if let Some(tools) = self.tools(item.run, context)? {
            body.set("tools", tools);
        }
        Ok(body)
    }

    /// The model that an item goes to.
    fn model(&mut self, item: &Item) -> Result<Arc<ChatModel>, ModelError> {
        if item.question == Question::Ter {
            return self.judge.clone().ok_or(ModelError::NoModel("--judge-model"));
        }
        let name = &self.entries[item.run].head.cell.model;
        if let Some(model) = self.selves.get(name) {
            return Ok(model.clone());
        }
        let model = self.settings.selves.of(name).cloned().map(Arc::new);
        let model = model.ok_or(ModelError::NoModel("--self-model"))?;
        self.selves.insert(name.clone(), model.clone());
        Ok(model)
    }

    /// The tools of a run: those that were recorded, else those that its cell calls.
    fn tools(
        &mut self,
        run: usize,
        context: Option<&Context>,
    ) -> Result<Option<Value>, ModelError> {
        let recorded = context.and_then(|context| context.tools.as_deref());
        let recorded: Option<Value> = recorded.and_then(|tools| serde_json::from_str(tools).ok());
        if let Some(tools) = recorded {
            return Ok(
                Some(tools).filter(|tools| tools.as_array().is_some_and(|all| !all.is_empty()))
            );
        }
        self.bare.insert(run);
        let cell = self.entries[run].head.cell.clone();
        if !self.seen_tools.contains_key(&cell) {
            let mut seen = SeenTools::default();
            let of_cell: Vec<Entry> =
                self.entries.iter().filter(|entry| entry.head.cell == cell).cloned().collect();
            for batch in of_cell.chunks(100) {
                self.store.trajectories(batch)?.iter().for_each(|run| seen.see(run));
            }
            self.seen_tools.insert(cell.clone(), Arc::new(seen));
        }
        let seen = &self.seen_tools[&cell];
        Ok((!seen.is_empty()).then(|| seen.definitions()))
    }
}

/// What tells samples apart. Samples of one run say nothing about another, even if both begin alike.
fn sampled(item: &Item, run: &Trajectory) -> String {
    if item.question != Question::Prefix {
        return String::new();
    }
    let head = &run.head;
    let print = head.fingerprint.unwrap_or_default();
    format!("{} {} {print:x} {:?} {}", head.cell, head.task, item.turn, item.repeat)
}

/// Whether a pair is shown in the other order: half of them are, always the same ones.
fn is_swapped(run: &Trajectory, other: &Trajectory) -> bool {
    let prints = [&run.head, &other.head].map(|head| head.fingerprint.unwrap_or_default());
    let words = format!("{} {} {:x} {:x}", run.head.cell, run.head.task, prints[0], prints[1]);
    xxh3_64(words.as_bytes()) & 1 == 1
}
