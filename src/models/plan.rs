//! What is to be asked about a store: one item for every call, whose text is made when it is its turn.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::conversation::{SeenTools, before_turn};
use super::existing::Existing;
use super::settings::{AskSettings, Question};
use super::transcript::{end_of_last_action, lines};
use super::{ChatModel, ModelError};
use crate::model::{Cell, Context, Trajectory};
use crate::store::{Answer, Entry, Store};

/// Bytes of a text that are about one token, for estimates.
const BYTES_PER_TOKEN: usize = 4;

/// One call: a question about a run, a pair or a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) question: Question,
    /// The index of the run.
    pub(super) run: usize,
    /// The index of the other run of a pair.
    pub(super) other: Option<usize>,
    /// The turn whose action is sampled again.
    pub(super) turn: Option<u32>,
    /// Which of several samples it is.
    pub(super) repeat: u32,
}

/// A question as it is sent.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) model: Arc<ChatModel>,
    pub(super) body: Value,
    /// The hash of the body and the repeat.
    pub(super) key: String,
}

impl Call {
    /// The tokens of the question, estimated.
    pub(super) fn tokens(&self) -> u64 {
        (self.body.to_string().len() / BYTES_PER_TOKEN) as u64
    }
}

/// Which runs and pairs are asked about.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The kinds of questions.
    pub questions: Vec<Question>,
    /// Only these cells; all if there are none.
    pub cells: Vec<Cell>,
    /// Whether runs and pairs that have a value are left as they are.
    pub only_missing: bool,
}

/// All items about a store.
pub(super) struct Plan {
    pub(super) store: Store,
    pub(super) entries: Vec<Entry>,
    pub(super) items: Vec<Item>,
    pub(super) settings: AskSettings,
    /// Models of cells that no chat model was named for.
    pub(super) unmapped: BTreeSet<String>,
    /// Runs that were asked about without the policy or the tools that their agent had.
    pub(super) bare: HashSet<usize>,
    selves: HashMap<String, Arc<ChatModel>>,
    judge: Option<Arc<ChatModel>>,
    /// Tools of cells as they were called, where no definition was recorded.
    seen_tools: HashMap<Cell, Arc<SeenTools>>,
    /// The runs of the task that was asked about last.
    loaded: HashMap<usize, Arc<Trajectory>>,
}

/// The runs of a task, by index.
struct TaskRuns {
    /// The runs whose values count.
    counted: Vec<usize>,
    /// The pairs that agreement is measured on.
    pairs: Vec<(usize, usize)>,
}

impl Plan {
    /// Lists what is to be asked.
    pub(super) fn new(
        store: Store,
        settings: AskSettings,
        wanted: &Wanted,
        existing: &Existing<'_>,
    ) -> Result<Self, ModelError> {
        let entries = store.entries()?;
        let mut plan = Self {
            items: Vec::new(),
            unmapped: BTreeSet::new(),
            bare: HashSet::new(),
            judge: settings.judge.clone().map(Arc::new),
            selves: HashMap::new(),
            seen_tools: HashMap::new(),
            loaded: HashMap::new(),
            store,
            entries,
            settings,
        };
        let mut start = 0;
        while start < plan.entries.len() {
            let head = &plan.entries[start].head;
            let is_same =
                |entry: &&Entry| entry.head.cell == head.cell && entry.head.task == head.task;
            let end = start + plan.entries[start..].iter().take_while(is_same).count();
            if wanted.cells.is_empty() || wanted.cells.contains(&head.cell) {
                let runs = plan.task_runs(start, end);
                for question in &wanted.questions {
                    plan.add(*question, &runs, wanted.only_missing, existing);
                }
            }
            start = end;
        }
        Ok(plan)
    }

    fn task_runs(&self, start: usize, end: usize) -> TaskRuns {
        let all: Vec<usize> = (start..end).collect();
        if self.store.manifest().is_pooled(&self.entries[start].head.cell) {
            let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b)));
            return TaskRuns { pairs: pairs.filter(|(a, b)| a < b).collect(), counted: all };
        }
        let reference = (self.entries[start].head.draw == 0).then_some(start);
        let samples = || start + 1..end;
        let pairs = reference.iter().flat_map(|first| samples().map(|other| (*first, other)));
        TaskRuns { pairs: pairs.collect(), counted: reference.into_iter().collect() }
    }

    fn add(
        &mut self,
        question: Question,
        runs: &TaskRuns,
        only_missing: bool,
        existing: &Existing<'_>,
    ) {
        let item = Item { question, run: 0, other: None, turn: None, repeat: 0 };
        let is_wanted = |run: usize, other: Option<usize>| {
            let other = other.map(|other| &self.entries[other]);
            !only_missing || !existing.has(question, &self.entries[run], other)
        };
        let mut items = Vec::new();
        if question == Question::Ter {
            let pairs = runs.pairs.iter().filter(|(a, b)| is_wanted(*a, Some(*b)));
            items.extend(pairs.map(|(a, b)| Item { run: *a, other: Some(*b), ..item }));
            self.items.extend(items);
            return;
        }
        for &run in runs.counted.iter().filter(|run| is_wanted(**run, None)) {
            let head = &self.entries[run].head;
            if self.settings.selves.of(&head.cell.model).is_none() {
                self.unmapped.insert(head.cell.model.clone());
                continue;
            }
            match question {
                Question::Prefix => {
                    let repeats = 0..self.settings.repeats;
                    let turns = (0..head.turns)
                        .flat_map(|turn| repeats.clone().map(move |repeat| (turn, repeat)));
                    items.extend(turns.map(|(turn, repeat)| Item {
                        run,
                        turn: Some(turn),
                        repeat,
                        ..item
                    }));
                }
                _ if head.turns == 0 => {}
                _ => items.push(Item { run, ..item }),
            }
        }
        self.items.extend(items);
    }

    /// The question of an item as it is sent.
    pub(super) fn call(&mut self, item: &Item) -> Result<Call, ModelError> {
        let run = self.run(item.run)?;
        let context = self.store.context(&self.entries[item.run])?;
        let context = context.as_deref();
        let settings = &self.settings;
        let prompt = settings.prompt(item.question.prompt());
        let mut body = json!({ "temperature": 0, "max_tokens": settings.max_tokens });
        let messages = match item.question {
            Question::Ter => {
                let other = self.run(item.other.unwrap_or(item.run))?;
                let settings = &self.settings;
                let text = |run: &Trajectory| lines(run, run.messages.len(), settings.result_bytes);
                let (mut a, mut b) = (text(&run), text(&other));
                if settings.swap && is_swapped(&run, &other) {
                    std::mem::swap(&mut a, &mut b);
                }
                prompt.messages(&[("run_a", Some(&a)), ("run_b", Some(&b))])
            }
            Question::PTrue | Question::Vc => {
                let text = lines(&run, end_of_last_action(&run), settings.result_bytes);
                let policy =
                    context.and_then(|given| given.policy.as_deref().or(given.system.as_deref()));
                let tools = context.and_then(|given| given.tools.as_deref());
                if policy.is_none() || tools.is_none() {
                    self.bare.insert(item.run);
                }
                if item.question == Question::PTrue {
                    body["logprobs"] = true.into();
                    body["top_logprobs"] = self.settings.top_logprobs.into();
                }
                prompt.messages(&[
                    ("policy", policy),
                    ("tools", tools),
                    ("transcript", Some(&text)),
                ])
            }
            Question::Prefix => {
                body["temperature"] = settings.temperature.into();
                let turn = item.turn.unwrap_or(0) as usize;
                let messages = before_turn(&run, turn, context, &prompt);
                if let Some(tools) = self.tools(item.run, context)? {
                    body["tools"] = tools;
                }
                messages
            }
        };
        body["messages"] = Value::Array(messages);
        let model = self.model(item)?;
        body["model"] = model.name.as_str().into();
        for (name, value) in &self.settings.extra {
            match value {
                Value::Null => drop(body.as_object_mut().and_then(|body| body.remove(name))),
                value => body[name] = value.clone(),
            }
        }
        // Samples of one run say nothing about another, even if both begin alike.
        let sampled = match item.question {
            Question::Prefix => {
                let head = &run.head;
                let print = head.fingerprint.unwrap_or_default();
                format!("{} {} {print:x} {:?} {}", head.cell, head.task, item.turn, item.repeat)
            }
            _ => String::new(),
        };
        let whole = format!("{body}\n{sampled}");
        Ok(Call { model, body, key: format!("{:032x}", xxh3_128(whole.as_bytes())) })
    }

    /// The answer to an item as it is kept.
    pub(super) fn answer(&self, item: &Item, call: &Call, answer: Value) -> Answer {
        let head = &self.entries[item.run].head;
        let other = item.other.map(|other| &self.entries[other].head);
        let print = |print: Option<u64>| print.map(|print| format!("{print:016x}"));
        let runs = [Some(head), other].into_iter().flatten();
        Answer {
            time: super::now(),
            key: call.key.clone(),
            question: item.question.id().to_owned(),
            cell: head.cell.clone(),
            task: head.task.clone(),
            draw: head.draw,
            other: other.map(|other| other.draw),
            turn: item.turn,
            repeat: item.repeat,
            runs: runs.filter_map(|head| print(head.fingerprint)).collect(),
            asked: call.model.name.clone(),
            prompt: self.settings.instrument_hash(item.question),
            answer,
            tokens: None,
        }
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

    /// A run with its text. The runs of one task are asked about one after the other.
    pub(super) fn run(&mut self, index: usize) -> Result<Arc<Trajectory>, ModelError> {
        if let Some(run) = self.loaded.get(&index) {
            return Ok(run.clone());
        }
        let task = &self.entries[index].head.task;
        if self.loaded.keys().any(|other| self.entries[*other].head.task != *task) {
            self.loaded.clear();
        }
        let run = Arc::new(self.store.trajectory(&self.entries[index])?);
        self.loaded.insert(index, run.clone());
        Ok(run)
    }
}

/// Whether a pair is shown in the other order: half of them are, always the same ones.
fn is_swapped(run: &Trajectory, other: &Trajectory) -> bool {
    let prints = [&run.head, &other.head].map(|head| head.fingerprint.unwrap_or_default());
    let words = format!("{} {} {:x} {:x}", run.head.cell, run.head.task, prints[0], prints[1]);
    xxh3_64(words.as_bytes()) & 1 == 1
}
