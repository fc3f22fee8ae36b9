//! What was read and computed so far, each with the question it answers.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::jobs::{
    FilterKey, JudgesKey, JudgesView, Lane, LensKey, Loaded, Number, NumbersKey, Opened, Pending,
    RunKey, StuckKey, StuckView, TableKey,
};
use crate::engine::{Engine, Kept, Noted, PairId, Resampled, TaskId, TaskTable};
use crate::scorers::Scorer;
use crate::store::{Note, Vote};

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
            Self::Ready(own) => Some(own),
            _ => None,
        }
    }
}

/// What is known of one scorer, by cell.
#[derive(Clone, Debug)]
struct Known {
    scorer: Scorer,
    values: Vec<Option<Number>>,
    intervals: Vec<Pending>,
    /// Intervals of differences to the pinned scorer.
    paired: Vec<Pending>,
}

/// Values and intervals of scorers, by cell, under one filter and metric.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    pub(super) key: Option<NumbersKey>,
    pub(super) pinned: Option<Scorer>,
    known: Vec<Known>,
}

impl Numbers {
    fn of(&self, scorer: &Scorer) -> Option<&Known> {
        self.known.iter().find(|own| own.scorer == *scorer)
    }

    /// The values of a scorer by cell, once they are known.
    pub fn row(&self, scorer: &Scorer) -> Option<&[Option<Number>]> {
        self.of(scorer).map(|own| own.values.as_slice())
    }

    /// The value of a scorer in a cell.
    pub fn number(&self, scorer: &Scorer, cell: usize) -> Option<Number> {
        self.row(scorer)?.get(cell).copied().flatten()
    }

    /// The metric of a scorer in a cell, where it is defined.
    pub fn value(&self, scorer: &Scorer, cell: usize) -> Option<f64> {
        self.number(scorer, cell)?.value
    }

    /// The interval of a value.
    pub fn interval(&self, scorer: &Scorer, cell: usize) -> Pending {
        self.of(scorer).and_then(|own| own.intervals.get(cell)).copied().unwrap_or_default()
    }

    /// The interval of the difference to the pinned scorer.
    pub fn paired(&self, scorer: &Scorer, cell: usize) -> Pending {
        self.of(scorer).and_then(|own| own.paired.get(cell)).copied().unwrap_or_default()
    }

    /// Forgets what answers another question; says whether anything was forgotten.
    pub(super) fn ask(&mut self, key: &NumbersKey, pinned: Option<&Scorer>) -> bool {
        if self.key.as_ref() != Some(key) {
            *self = Self { key: Some(key.clone()), pinned: pinned.cloned(), known: Vec::new() };
            return true;
        }
        let other = self.pinned.as_ref() != pinned;
        if other {
            self.known.iter_mut().for_each(|own| own.paired.clear());
            self.pinned = pinned.cloned();
        }
        other
    }

    pub(super) fn add_values(&mut self, values: Vec<(Scorer, Vec<Option<Number>>)>) {
        for (scorer, values) in values {
            // The same answer again must not take the intervals away that came since.
            if self.of(&scorer).is_some() {
                continue;
            }
            let (intervals, paired) = (Vec::new(), Vec::new());
            self.known.push(Known { scorer, values, intervals, paired });
        }
    }

    pub(super) fn add_intervals(&mut self, cell: usize, intervals: Vec<(Scorer, Resampled)>) {
        let with_pin = self.pinned.is_some();
        for (scorer, resampled) in intervals {
            let Some(own) = self.known.iter_mut().find(|own| own.scorer == scorer) else {
                continue;
            };
            let cells = own.values.len();
            own.intervals.resize(cells, Pending::Waiting);
            own.intervals[cell] = Pending::Known(resampled.interval);
            if with_pin {
                own.paired.resize(cells, Pending::Waiting);
                own.paired[cell] = Pending::Known(resampled.paired);
            }
        }
    }

    /// Whether a cell lacks the interval of any of these scorers.
    pub(super) fn lacks_intervals(&self, scorers: &[Scorer], cell: usize) -> bool {
        scorers.iter().any(|own| {
            self.interval(own, cell) == Pending::Waiting
                || (self.pinned.is_some() && self.paired(own, cell) == Pending::Waiting)
        })
    }
}

/// Runs that are open. Only what is looked at is kept: a run may be megabytes.
#[derive(Clone, Debug, Default)]
pub struct Runs(Vec<(RunKey, Load<Arc<Opened>>)>);

impl Runs {
    /// A run that was asked for; none when it was not.
    pub fn get(&self, key: RunKey) -> Option<&Load<Arc<Opened>>> {
        self.0.iter().find(|(own, _)| *own == key).map(|(_, run)| run)
    }

    /// Takes in what a job read, if it is still waited for.
    pub(super) fn answer(&mut self, key: RunKey, run: Load<Arc<Opened>>) {
        if self.get(key).is_some() {
            self.set(key, run);
        }
    }

    pub(super) fn set(&mut self, key: RunKey, run: Load<Arc<Opened>>) {
        self.0.retain(|(own, _)| *own != key);
        self.0.push((key, run));
    }

    /// Forgets all but some runs, and those on their way, which a newer question overtakes.
    pub(super) fn keep(&mut self, keys: &[RunKey]) {
        self.0.retain(|(own, run)| keys.contains(own) && !matches!(run, Load::Waiting));
    }
}

/// What a search found in the texts.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The words.
    pub words: String,
    /// Rows of the runs that hold them.
    pub rows: BTreeSet<u32>,
    /// Tasks whose instructions hold them, by dataset.
    pub asks: HashMap<String, HashSet<String>>,
    /// Share of the texts that was searched.
    pub done: f64,
}

/// Everything that came back from jobs.
#[derive(Debug)]
pub struct Data {
    /// The store's numbers.
    pub loaded: Load<Box<Loaded>>,
    /// Which tasks the filter leaves.
    pub kept: Option<(FilterKey, Arc<Kept>)>,
    /// Values of the grids.
    pub numbers: Numbers,
    /// The table of tasks.
    pub table: Option<(TableKey, Arc<TaskTable>)>,
    /// Open runs.
    pub runs: Runs,
    /// Which engine it is: it changes with the judge, the treatment of stuck tasks and every vote.
    pub version: u64,
    /// What the engine answers to.
    pub(super) lens: LensKey,
    /// All lines of votes.
    pub votes: Vec<Vote>,
    /// Stuck policies.
    pub stuck: Option<(StuckKey, Arc<StuckView>)>,
    /// Judges.
    pub judges: Option<(JudgesKey, Arc<JudgesView>)>,
    /// The notes, by task.
    pub notes: HashMap<TaskId, Vec<Note>>,
    /// Tasks with notes.
    pub noted: Arc<Noted>,
    /// What the search found.
    pub found: Option<Found>,
    /// What was asked and is not answered yet, so that it is asked once.
    pub(super) asked: BTreeMap<Lane, String>,
}

impl Default for Data {
    fn default() -> Self {
        Self {
            loaded: Load::Waiting,
            kept: None,
            numbers: Numbers::default(),
            table: None,
            runs: Runs::default(),
            version: 0,
            lens: LensKey::default(),
            votes: Vec::new(),
            stuck: None,
            judges: None,
            notes: HashMap::new(),
            noted: Arc::default(),
            found: None,
            asked: BTreeMap::new(),
        }
    }
}

impl Data {
    /// The engine, once the store is read.
    pub fn engine(&self) -> Option<&Arc<Engine>> {
        self.loaded.ready().map(|own| &own.engine)
    }

    /// Takes in the notes of the store.
    pub(super) fn set_notes(&mut self, notes: HashMap<TaskId, Vec<Note>>) {
        self.noted = Arc::new(notes.keys().copied().collect());
        self.notes = notes;
    }

    /// Another engine: what was computed answers other questions.
    pub(super) fn set_engine(&mut self, key: LensKey, engine: Arc<Engine>) {
        if let Load::Ready(own) = &mut self.loaded {
            own.engine = engine;
            self.lens = key;
            self.version += 1;
        }
    }

    /// Marks pairs of the queue.
    pub(super) fn mark_pair(&mut self, pair: PairId, done: bool) {
        if let Some((_, view)) = &mut self.judges {
            let items = &mut Arc::make_mut(view).triage.items;
            items.iter_mut().filter(|own| own.pair == pair).for_each(|own| own.done = done);
        }
    }

    /// How many notes there are.
    pub(super) fn note_count(&self) -> usize {
        self.notes.values().map(Vec::len).sum()
    }

    /// Takes in a note that was written.
    pub(super) fn add_note(&mut self, id: TaskId, note: Note) {
        self.notes.entry(id).or_default().push(note);
        Arc::make_mut(&mut self.noted).insert(id);
    }

    /// Whether a question is new; it counts as asked from then on.
    pub(super) fn ask(&mut self, lane: Lane, question: String) -> bool {
        if self.asked.get(&lane) == Some(&question) {
            return false;
        }
        self.asked.insert(lane, question);
        true
    }
}
