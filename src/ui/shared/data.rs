//! The engine of the store, under the judge and the treatment of stuck tasks in the lens.

use std::collections::HashMap;
use std::sync::Arc;

use super::Shared;
use super::renew::log_size;
use super::scope::Chosen;
use crate::engine::{CellFacts, Engine, JudgeSpec, StuckTreatment, TaskId};
use crate::model::{Cell, Costs};
use crate::store::{
    Annotations, DamagedLine, NamedTasks, Note, Orphan, StepLabel, Store, StoreError, Vote, labels,
};
use crate::text::counted;
use crate::ui::query::{Asked, Hint, Lane, Query, Worker};

/// Something that is being read.
#[derive(Clone, Debug)]
pub enum Load<T> {
    /// Not there yet.
    Waiting,
    /// There.
    Ready(T),
    /// It cannot be had, and why.
    Failed(String),
}

impl<T> Load<T> {
    /// What is there.
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            _ => None,
        }
    }
}

/// What the engine depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LensKey {
    /// Whose verdicts make TER.
    pub judge: Option<JudgeSpec>,
    /// What stuck tasks do.
    pub stuck: StuckTreatment,
    /// How many lines of votes.
    pub votes: usize,
}

/// The engine, the tasks in scope and the selected ones.
#[derive(Debug)]
pub struct Data {
    /// The store's numbers.
    pub loaded: Load<Arc<Engine>>,
    /// What each cell has and lacks, once the store is read.
    pub facts: Vec<CellFacts>,
    /// Which tasks are in scope, and which of them are selected.
    pub chosen: Chosen,
    /// Which engine it is.
    pub version: u64,
    /// The fingerprints of its runs, by their rows.
    pub(in crate::ui) prints: Vec<Option<u64>>,
    lens: LensKey,
    load: Asked<LoadQuery>,
    relens: Asked<LensQuery>,
}

impl Default for Data {
    fn default() -> Self {
        Self {
            loaded: Load::Waiting,
            facts: Vec::new(),
            chosen: Chosen::default(),
            version: 0,
            prints: Vec::new(),
            lens: LensKey::default(),
            load: Asked::default(),
            relens: Asked::default(),
        }
    }
}

impl Data {
    /// The engine, once the store is read.
    pub fn engine(&self) -> Option<&Arc<Engine>> {
        self.loaded.ready()
    }

    /// Whether an engine of another judge, treatment or number of votes is on its way.
    pub fn is_changing(&self) -> bool {
        self.relens.is_waiting()
    }

    /// Forgets what answers questions to an engine that goes.
    pub(in crate::ui) fn forget_answers(&mut self) {
        self.load.forget();
        self.relens.forget();
        self.chosen = Chosen::default();
        self.version += 1;
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.relens.is_waiting() || self.chosen.is_waiting()
    }
}

impl Shared {
    /// Reads the store.
    pub(in crate::ui) fn load(&mut self) {
        self.data.load.want(LoadQuery, &mut self.effects);
    }

    /// Takes in the store, another engine, other tasks; says whether the store was read just now.
    pub(super) fn poll_data(&mut self) -> bool {
        let mut read = false;
        for loaded in self.data.load.take() {
            match loaded {
                Ok(loaded) => {
                    self.take_loaded(loaded);
                    read = true;
                }
                Err(error) => self.data.loaded = Load::Failed(error),
            }
        }
        for engine in self.data.relens.take() {
            let key = self.data.relens.question().map(|question| question.key.clone());
            if let (Some(key), Load::Ready(loaded)) = (key, &mut self.data.loaded) {
                *loaded = engine;
                self.data.lens = key;
                self.data.version += 1;
            }
        }
        if self.data.chosen.poll() {
            self.enter_scope();
        }
        read
    }

    /// Takes in what was read.
    pub(in crate::ui) fn take_loaded(&mut self, loaded: Loaded) {
        let Loaded { engine, facts, notes, labels, named, costs, damaged, orphans, doubts, .. } =
            loaded;
        self.data.facts = facts;
        self.data.prints = loaded.prints;
        match named {
            Ok(named) => self.named.set(named),
            Err(error) => self.say(error.to_string()),
        }
        match costs {
            Ok(costs) => self.costs.set(costs),
            Err(error) => self.say(error.to_string()),
        }
        self.say_unused(&damaged, &orphans);
        self.damaged = damaged.iter().map(|line| line.line).collect();
        if !doubts.is_empty() && self.notice.is_none() {
            self.say(doubts.join("; "));
        }
        self.doubts = doubts;
        let judge = engine.judge();
        let (stuck, votes) = (engine.stuck_treatment(), engine.votes().len());
        self.data.lens = LensKey { judge, stuck, votes };
        self.votes.set(engine.votes().to_vec());
        self.notes.set(notes);
        self.labels.set(labels);
        self.data.loaded = Load::Ready(engine);
    }

    /// Says which notes and votes count nowhere.
    fn say_unused(&mut self, damaged: &[DamagedLine], orphans: &[Orphan]) {
        if let Some(line) = damaged.first() {
            self.say(line.to_string());
        } else if let Some(orphan) = orphans.first() {
            let count = counted(orphans.len() as u64, "annotation");
            self.say(format!("{count} on missing runs, kept; `qualm check` lists them: {orphan}"));
        }
    }

    /// Asks for the engine under the judge and the treatment of the lens, with all votes.
    pub(super) fn refresh_engine(&mut self) {
        let Some(engine) = self.engine().cloned() else { return };
        let key = LensKey {
            judge: self.lens.judge.clone().or_else(|| self.data.lens.judge.clone()),
            stuck: self.lens.stuck,
            votes: self.votes.lines().len(),
        };
        if key == self.data.lens {
            self.data.relens.forget();
        } else {
            let votes = Hint(self.votes.lines().clone());
            let question = LensQuery { key, engine: Hint(engine), votes };
            self.data.relens.want(question, &mut self.effects);
        }
    }
}

/// Read the store.
#[derive(Clone, PartialEq)]
struct LoadQuery;

/// What the store holds for the explorer.
#[derive(Debug)]
pub struct Loaded {
    pub(in crate::ui) engine: Arc<Engine>,
    facts: Vec<CellFacts>,
    pub(super) notes: HashMap<TaskId, Vec<Note>>,
    pub(super) labels: HashMap<TaskId, Vec<StepLabel>>,
    pub(super) named: Result<Vec<NamedTasks>, StoreError>,
    costs: Result<Option<Costs>, StoreError>,
    /// The fingerprints of the runs, by their rows.
    pub(in crate::ui) prints: Vec<Option<u64>>,
    /// The size of the file of notes and votes when it was read.
    pub(super) log_size: u64,
    damaged: Vec<DamagedLine>,
    orphans: Vec<Orphan>,
    doubts: Vec<String>,
}

impl Query for LoadQuery {
    type Answer = Result<Loaded, String>;
    const LANE: Lane = Lane::Load;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        send(Loaded::read(&worker.store).map_err(|error| error.to_string()));
    }
}

impl Loaded {
    /// Reads a store.
    pub(in crate::ui) fn read(store: &Store) -> Result<Self, StoreError> {
        let log_size = log_size(&store.log_path());
        let engine = Engine::load(store, None)?;
        let Annotations { notes, labels, damaged, orphans, .. } = store.annotations()?;
        let notes = by_task(&engine, notes, |note| (&note.cell, &note.task));
        let labels = labels::current(&labels);
        let labels = by_task(&engine, labels, |label| (&label.cell, &label.task));
        Ok(Self {
            facts: engine.facts(),
            engine: Arc::new(engine),
            notes,
            labels,
            named: store.named_tasks(),
            costs: store.costs(),
            prints: store.fingerprints()?,
            log_size,
            damaged,
            orphans,
            doubts: store.doubts(),
        })
    }
}

/// The same engine under another lens.
#[derive(Clone, PartialEq)]
struct LensQuery {
    key: LensKey,
    engine: Hint<Arc<Engine>>,
    votes: Hint<Arc<Vec<Vote>>>,
}

impl Query for LensQuery {
    type Answer = Arc<Engine>;
    const LANE: Lane = Lane::Lens;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let mut engine = (*self.engine.0).clone();
        if !self.votes.0.is_empty() {
            engine = engine.with_votes(&self.votes.0);
        }
        if let Some(judge) = &self.key.judge {
            engine = engine.with_judge(judge);
        }
        send(Arc::new(engine.with_stuck(self.key.stuck)));
    }
}

/// Annotations by the task that they are on; those on tasks that the store does not hold are left out.
fn by_task<T: Clone>(
    engine: &Engine,
    all: Vec<T>,
    subject: impl Fn(&T) -> (&Cell, &str),
) -> HashMap<TaskId, Vec<T>> {
    let frames = engine.frames().iter().enumerate();
    let cells: HashMap<_, usize> = frames.map(|(cell, frame)| (&frame.cell, cell)).collect();
    let mut tasks: HashMap<usize, HashMap<&str, u32>> = HashMap::new();
    let mut find = |(cell, task): (&Cell, &str)| {
        let cell = *cells.get(cell)?;
        let indexes = tasks.entry(cell).or_insert_with(|| {
            let ids = engine.frames()[cell].tasks.iter().map(|task| task.id.as_str());
            ids.zip(0..).collect()
        });
        Some(TaskId { cell: cell as u32, task: *indexes.get(task)? })
    };
    let mut by_task: HashMap<TaskId, Vec<T>> = HashMap::new();
    for annotation in all {
        let Some(id) = find(subject(&annotation)) else { continue };
        // Where every draw is a row, all rows of the task have it.
        for task in engine.frames()[id.cell as usize].rows_of(id.task as usize) {
            let row = TaskId { task: task as u32, ..id };
            by_task.entry(row).or_default().push(annotation.clone());
        }
    }
    by_task
}
