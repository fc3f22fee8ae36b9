//! What is to be asked about a store: one item for every call, whose text is made when it is its turn.

mod call;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::conversation::SeenTools;
use super::existing::Existing;
use super::settings::{AskSettings, Question};
use super::{ChatModel, ModelError};
use crate::model::{Cell, Trajectory};
use crate::store::{Answer, Entry, Store};
pub(super) use call::Call;

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
