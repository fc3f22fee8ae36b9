//! The engine under the lens, and the tasks that the filter keeps.

use std::collections::HashMap;
use std::sync::Arc;

use super::Shared;
use crate::engine::{
    CellFacts, Column, Engine, JudgeSpec, Kept, Noted, StuckTreatment, TaskId, TaskQuery,
};
use crate::filter::Filter;
use crate::scorers::Scorer;
use crate::store::{Annotations, DamagedLine, Note, Orphan, StoreError, Vote};
use crate::text::counted;
use crate::ui::query::{Asked, Hint, Keyed, Lane, Query, Worker};
use crate::ui::widgets::Memo;

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

/// What the kept tasks depend on: the filter and, if it speaks of the score, the scorer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilterKey {
    /// The expression; empty keeps all.
    pub source: String,
    /// The current scorer, where it matters, and the one that ranks moved against.
    pub scorer: Option<(Scorer, Option<Scorer>)>,
    /// How many notes there are, where that matters.
    pub notes: usize,
    /// Which engine: it changes with the judge, the treatment of stuck tasks and every vote.
    pub version: u64,
}

/// The tasks that the filter keeps.
pub type KeptTasks = Keyed<FilterKey, Kept>;

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

/// The engine and the tasks that the filter keeps.
#[derive(Debug)]
pub struct Data {
    /// The store's numbers.
    pub loaded: Load<Arc<Engine>>,
    /// What each cell has and lacks, once the store is read.
    pub facts: Vec<CellFacts>,
    /// Which tasks the filter keeps, once that is known.
    pub kept: Option<KeptTasks>,
    /// Which engine it is.
    pub version: u64,
    lens: LensKey,
    load: Asked<LoadQuery>,
    relens: Asked<LensQuery>,
    filter: Asked<FilterQuery>,
    /// The filter as it was parsed last, for its text and the version of the engine.
    parsed: Memo<(String, u64), Option<Arc<ParsedFilter>>>,
}

/// A filter, and what the kept tasks depend on because of it.
#[derive(Debug)]
struct ParsedFilter {
    filter: Filter,
    follows_scorer: bool,
    uses_moves: bool,
    uses_notes: bool,
}

impl ParsedFilter {
    fn new(source: &str, engine: &Engine) -> Option<Self> {
        let columns = engine.columns();
        let filter = Filter::parse(source, &engine.fields()).ok()?;
        let uses = |fits: &dyn Fn(&Column) -> bool| {
            filter.columns().iter().any(|&index| fits(&columns[index]))
        };
        let follows_scorer = uses(&Column::follows_scorer);
        let uses_moves = uses(&|column| *column == Column::Moved);
        let uses_notes = uses(&|column| *column == Column::Note);
        Some(Self { filter, follows_scorer, uses_moves, uses_notes })
    }
}

impl Default for Data {
    fn default() -> Self {
        Self {
            loaded: Load::Waiting,
            facts: Vec::new(),
            kept: None,
            version: 0,
            lens: LensKey::default(),
            load: Asked::default(),
            relens: Asked::default(),
            filter: Asked::default(),
            parsed: Memo::default(),
        }
    }
}

impl Data {
    /// The engine, once the store is read.
    pub fn engine(&self) -> Option<&Arc<Engine>> {
        self.loaded.ready()
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.relens.is_waiting() || self.filter.is_waiting()
    }
}

impl Shared {
    /// Reads the store.
    pub(in crate::ui) fn load(&mut self) {
        self.data.load.want(LoadQuery, &mut self.effects);
    }

    /// The kept tasks, if they answer the filter as it is now.
    pub fn kept(&self) -> Option<&KeptTasks> {
        let kept = self.data.kept.as_ref()?;
        let key = if self.lens.filter.is_empty() {
            self.all_tasks()
        } else {
            self.filter_key(&*self.parsed_filter()?)
        };
        (kept.key == key).then_some(kept)
    }

    /// A task of the engine over the kept tasks, as an id among all.
    pub fn whole_id(&self, id: TaskId) -> TaskId {
        self.data.kept.as_ref().map_or(id, |kept| kept.value.whole_id(id))
    }

    /// Whether a key's tasks are those of the filter on screen. New votes may still be counted.
    pub fn is_of_filter(&self, key: &FilterKey) -> bool {
        self.data.kept.as_ref().is_some_and(|kept| kept.key.source == key.source)
    }

    /// Takes in the store, another engine, other tasks; says whether the store was read just now.
    pub(super) fn poll_data(&mut self) -> bool {
        let mut read = false;
        for loaded in self.data.load.take() {
            match loaded {
                Ok(Loaded { engine, facts, notes, damaged, orphans, doubts }) => {
                    self.data.facts = facts;
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
                    self.data.loaded = Load::Ready(engine);
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
        for kept in self.data.filter.take() {
            if let Some(question) = self.data.filter.question() {
                self.data.kept = Some(Keyed { key: question.key.clone(), value: Arc::new(kept) });
            }
        }
        read
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

    fn all_tasks(&self) -> FilterKey {
        FilterKey { version: self.data.version, ..FilterKey::default() }
    }

    /// The filter of the lens; none when it means nothing.
    fn parsed_filter(&self) -> Option<Arc<ParsedFilter>> {
        let engine = self.engine()?;
        let source = &self.lens.filter;
        self.data.parsed.get((source.clone(), self.data.version), || {
            ParsedFilter::new(source, engine).map(Arc::new)
        })
    }

    /// The filter with what it depends on.
    fn filter_key(&self, parsed: &ParsedFilter) -> FilterKey {
        let scorer = || {
            let query = self.task_query();
            (query.scorer, query.before.filter(|_| parsed.uses_moves))
        };
        FilterKey {
            source: parsed.filter.source().to_owned(),
            scorer: parsed.follows_scorer.then(scorer),
            notes: if parsed.uses_notes { self.notes.version() } else { 0 },
            version: self.data.version,
        }
    }

    /// Asks which tasks the filter keeps.
    pub(super) fn refresh_filter(&mut self) {
        let Some(engine) = self.engine().cloned() else { return };
        if self.lens.filter.is_empty() {
            let key = self.all_tasks();
            self.data.filter.forget();
            if self.data.kept.as_ref().is_none_or(|kept| kept.key != key) {
                self.data.kept = Some(Keyed { key, value: Arc::new(Kept::all(engine)) });
            }
            return;
        }
        let Some(parsed) = self.parsed_filter() else { return };
        let key = self.filter_key(&parsed);
        if self.data.kept.as_ref().is_some_and(|kept| kept.key == key) {
            self.data.filter.forget();
            return;
        }
        let question = FilterQuery {
            key,
            engine: Hint(engine),
            filter: Hint(parsed.filter.clone()),
            query: Hint(self.task_query()),
            noted: Hint(self.notes.noted().clone()),
        };
        self.data.filter.want(question, &mut self.effects);
    }
}

/// Read the store.
#[derive(Clone, PartialEq)]
struct LoadQuery;

/// What the store holds for the explorer.
struct Loaded {
    engine: Arc<Engine>,
    facts: Vec<CellFacts>,
    notes: HashMap<TaskId, Vec<Note>>,
    damaged: Vec<DamagedLine>,
    orphans: Vec<Orphan>,
    doubts: Vec<String>,
}

impl Query for LoadQuery {
    type Answer = Result<Loaded, String>;
    const LANE: Lane = Lane::Load;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let load = || -> Result<Loaded, StoreError> {
            let engine = Engine::load(&worker.store, None)?;
            let Annotations { notes, damaged, orphans, .. } = worker.store.annotations()?;
            let notes = by_task(&engine, notes);
            let doubts = worker.store.doubts();
            let facts = engine.facts();
            Ok(Loaded { engine: Arc::new(engine), facts, notes, damaged, orphans, doubts })
        };
        send(load().map_err(|error| error.to_string()));
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

/// Which tasks a filter keeps.
#[derive(Clone, PartialEq)]
struct FilterQuery {
    key: FilterKey,
    engine: Hint<Arc<Engine>>,
    filter: Hint<Filter>,
    query: Hint<TaskQuery>,
    noted: Hint<Arc<Noted>>,
}

impl Query for FilterQuery {
    type Answer = Kept;
    const LANE: Lane = Lane::Filter;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        send(self.engine.0.keep(&self.filter.0, &self.query.0, &self.noted.0));
    }
}

/// The notes by the task that they are on; those on tasks that the store does not hold are left out.
fn by_task(engine: &Engine, notes: Vec<Note>) -> HashMap<TaskId, Vec<Note>> {
    let frames = engine.frames().iter().enumerate();
    let cells: HashMap<_, usize> = frames.map(|(cell, frame)| (&frame.cell, cell)).collect();
    let mut tasks: HashMap<usize, HashMap<&str, u32>> = HashMap::new();
    let mut find = |note: &Note| {
        let cell = *cells.get(&note.cell)?;
        let indexes = tasks.entry(cell).or_insert_with(|| {
            let ids = engine.frames()[cell].tasks.iter().map(|task| task.id.as_str());
            ids.zip(0..).collect()
        });
        Some(TaskId { cell: cell as u32, task: *indexes.get(note.task.as_str())? })
    };
    let mut by_task: HashMap<TaskId, Vec<Note>> = HashMap::new();
    for note in notes {
        if let Some(id) = find(&note) {
            by_task.entry(id).or_default().push(note);
        }
    }
    by_task
}
