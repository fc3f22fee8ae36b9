use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{
    JudgesKey, JudgesView, Loaded, Number, Opened, Reply, Request, RunKey, StuckKey, StuckView,
};
use crate::engine::{Engine, Kept, TaskId, TriageOptions};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::scorers::Scorer;
use crate::store::{Note, Store, StoreError, notes, votes};

/// Stuck tasks whose patterns are looked up: as many as one scrolls through.
const MOST_PATTERNS: usize = 5_000;

/// Does the work.
#[derive(Debug)]
pub struct Worker {
    /// The store.
    store: Store,
    /// How intervals are taken.
    resampling: Resampling,
    rows: OnceLock<HashMap<u32, u32>>,
    asks: OnceLock<HashMap<(String, String), String>>,
}

impl Worker {
    /// A worker on a store.
    pub fn new(store: Store, resampling: Resampling) -> Self {
        Self { store, resampling, rows: OnceLock::new(), asks: OnceLock::new() }
    }

    /// Does a job; `send` takes the answers and says whether more are wanted.
    pub fn perform(&self, request: Request, send: &mut dyn FnMut(Reply) -> bool) {
        match request {
            Request::Load => {
                let loaded = self.load().map(Box::new).map_err(|error| error.to_string());
                send(Reply::Loaded(loaded));
            }
            Request::Filter { key, engine, filter, query, noted } => {
                send(Reply::Filtered(key, Arc::new(engine.keep(&filter, &query, &noted))));
            }
            Request::Points { key, kept, scorers } => {
                let values = points(kept.engine(), &scorers, key.metric);
                send(Reply::Points(key, values));
            }
            Request::Intervals { key, kept, scorers, pinned, cells } => {
                let engine = kept.engine();
                for cell in cells {
                    let intervals = engine.resampled(
                        cell,
                        key.metric,
                        &scorers,
                        pinned.as_ref(),
                        self.resampling,
                    );
                    let intervals = scorers.iter().cloned().zip(intervals).collect();
                    let (key, pinned) = (key.clone(), pinned.clone());
                    if !send(Reply::Intervals { key, pinned, cell, intervals }) {
                        return;
                    }
                }
            }
            Request::Table { key, engine, kept, query, noted } => {
                let table = engine.task_table(&query, &kept, &noted);
                send(Reply::Table(key, Arc::new(table)));
            }
            Request::Runs(wanted) => self.open_all(&wanted, send),
            Request::Lens { key, engine, votes } => {
                let mut own = (*engine).clone();
                if !votes.is_empty() {
                    own = own.with_votes(&votes);
                }
                if let Some(judge) = &key.judge {
                    own = own.with_judge(judge);
                }
                send(Reply::Lens(key.clone(), Arc::new(own.with_stuck(key.stuck))));
            }
            Request::Stuck { key, kept } => self.stuck(&key, &kept, send),
            Request::Judges { key, kept, author } => {
                self.judges(&key, &kept, &author, send);
            }
            Request::Vote { number, pair, mut vote } => {
                vote.time = now();
                let saved = votes::append(self.store.path(), &vote);
                let saved = saved.map_err(|error| error.to_string());
                send(Reply::Voted { number, pair, vote, saved });
            }
            Request::Note { id, mut note } => {
                note.time = now();
                let saved = notes::append(self.store.path(), &note);
                send(Reply::Noted(id, note, saved.map_err(|error| error.to_string())));
            }
            Request::Search { words } => self.search(&words, send),
            Request::Export { path, content } => {
                let written = content.write(&path, &self.store);
                let shown = path.display().to_string();
                let said = written.map_err(|error| format!("{shown}: cannot be written ({error})"));
                send(Reply::Exported(said.map(|()| path)));
            }
        }
    }

    /// Numbers first; then what the draws repeat; then intervals.
    fn stuck(&self, key: &StuckKey, kept: &Kept, send: &mut dyn FnMut(Reply) -> bool) {
        let engine = kept.engine();
        let scorers = engine.consistency_ids();
        let scopes = std::slice::from_ref(&key.scope);
        let cells = key.cell..(key.cell + 1).min(engine.frames().len());
        let cell = |resampling| engine.stuck_effect_in(cells.clone(), key.metric, resampling);
        let mut view = StuckView {
            pairs: engine.stuck_pairs(scopes, &scorers, None),
            tasks: engine.stuck_tasks(scopes, &scorers, None),
            effect: cell(None),
            samples: if key.cell < engine.frames().len() {
                engine.samples_of(key.cell)
            } else {
                Vec::new()
            },
            list: engine.stuck_list(&key.scope),
            patterns: Vec::new(),
        };
        let ids: Vec<TaskId> = view.list.iter().take(MOST_PATTERNS).map(|own| own.id).collect();
        // From here on tasks are named by their places among all.
        view.list.iter_mut().for_each(|own| own.id = kept.whole_id(own.id));
        let mut told = |view: &StuckView| send(Reply::Stuck(key.clone(), Arc::new(view.clone())));
        if !told(&view) {
            return;
        }
        // A store whose action types cannot be read shows no patterns; opening a run says why.
        view.patterns = engine.patterns(&self.store, &ids).unwrap_or_default();
        if !told(&view) {
            return;
        }
        view.pairs = engine.stuck_pairs(scopes, &scorers, Some(self.resampling));
        view.tasks = engine.stuck_tasks(scopes, &scorers, Some(self.resampling));
        if told(&view) {
            view.effect = cell(Some(self.resampling));
            told(&view);
        }
    }

    fn judges(
        &self,
        key: &JudgesKey,
        kept: &Kept,
        author: &str,
        send: &mut dyn FnMut(Reply) -> bool,
    ) {
        let engine = kept.engine();
        let options = TriageOptions { author: Some(author.to_owned()), ..TriageOptions::default() };
        let mut view = JudgesView {
            rows: engine.judge_rows(None),
            ter: engine.judge_ter(key.metric, None),
            triage: engine.triage(&options),
        };
        let items = view.triage.items.iter_mut();
        items.for_each(|own| own.pair.id = kept.whole_id(own.pair.id));
        if send(Reply::Judges(key.clone(), Arc::new(view.clone()))) {
            view.rows = engine.judge_rows(Some(self.resampling));
            view.ter = engine.judge_ter(key.metric, Some(self.resampling));
            send(Reply::Judges(key.clone(), Arc::new(view)));
        }
    }

    fn load(&self) -> Result<Loaded, StoreError> {
        let engine = Engine::load(&self.store, None)?;
        let notes = by_task(&engine, self.store.notes()?);
        Ok(Loaded { engine: Arc::new(engine), notes })
    }

    /// Opens runs one after the other, so that what can be read is shown.
    fn open_all(&self, wanted: &[(RunKey, u32)], send: &mut dyn FnMut(Reply) -> bool) {
        for (key, row) in wanted {
            let run = self.open(*row).map(Arc::new).map_err(|error| error.to_string());
            if !send(Reply::Run(*key, run)) {
                return;
            }
        }
    }

    fn open(&self, row: u32) -> Result<Opened, StoreError> {
        let entry = self.store.entry(u64::from(row))?;
        let run = self.store.trajectory(&entry)?;
        let asks = self.asks.get_or_init(|| self.instructions().unwrap_or_default());
        let asks = asks.get(&(entry.head.cell.dataset, entry.head.task)).cloned();
        Ok(Opened { run, asks })
    }

    /// What the tasks ask, by dataset and task; read when the first run is opened.
    fn instructions(&self) -> Result<HashMap<(String, String), String>, StoreError> {
        let tasks = self.store.tasks()?.into_iter();
        Ok(tasks.map(|own| ((own.dataset, own.task), own.instruction)).collect())
    }

    fn search(&self, words: &str, send: &mut dyn FnMut(Reply) -> bool) {
        let rows = self.rows.get_or_init(|| self.row_of_id().unwrap_or_default());
        let mut found = |rows: Vec<u32>, asks, done: f64| {
            send(Reply::Found { words: words.to_owned(), rows, asks, done })
        };
        if !found(Vec::new(), self.search_asks(words), 0.0) {
            return;
        }
        let mut all = false;
        let searched = self.store.search(words, &mut |ids, progress| {
            let rows = ids.iter().filter_map(|id| rows.get(id).copied()).collect();
            let done = progress.done as f64 / progress.total.max(1) as f64;
            all = progress.done == progress.total;
            found(rows, HashMap::new(), done)
        });
        match searched {
            Ok(()) if all => {}
            // A store without messages is searched through at once.
            Ok(()) => drop(found(Vec::new(), HashMap::new(), 1.0)),
            Err(error) => drop(send(Reply::Failed(error.to_string()))),
        }
    }

    /// The tasks whose instructions hold the words, by dataset.
    fn search_asks(&self, words: &str) -> HashMap<String, HashSet<String>> {
        let asks = self.asks.get_or_init(|| self.instructions().unwrap_or_default());
        let mut found: HashMap<String, HashSet<String>> = HashMap::new();
        for ((dataset, task), _) in
            asks.iter().filter(|(_, text)| text.to_lowercase().contains(words))
        {
            found.entry(dataset.clone()).or_default().insert(task.clone());
        }
        found
    }

    /// The row in the table `trajectories` of every trajectory's number.
    fn row_of_id(&self) -> Result<HashMap<u32, u32>, StoreError> {
        Ok((0..).zip(self.store.ids()?).map(|(row, id)| (id, row)).collect())
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |own| own.as_secs())
}

/// The notes by the task that they are on; those on tasks that the store does not hold are left out.
fn by_task(engine: &Engine, notes: Vec<Note>) -> HashMap<TaskId, Vec<Note>> {
    let frames = engine.frames().iter().enumerate();
    let places: HashMap<_, usize> = frames.map(|(place, own)| (&own.cell, place)).collect();
    let mut tasks: HashMap<usize, HashMap<&str, u32>> = HashMap::new();
    let mut place = |note: &Note| {
        let cell = *places.get(&note.cell)?;
        let own = tasks.entry(cell).or_insert_with(|| {
            let ids = engine.frames()[cell].tasks.iter().map(|own| own.id.as_str());
            ids.zip(0..).collect()
        });
        Some(TaskId { cell: cell as u32, task: *own.get(note.task.as_str())? })
    };
    let mut by_task: HashMap<TaskId, Vec<Note>> = HashMap::new();
    for note in notes {
        if let Some(id) = place(&note) {
            by_task.entry(id).or_default().push(note);
        }
    }
    by_task
}

/// The metric of every scorer in every cell; none where the cell has no values.
fn points(
    engine: &Engine,
    scorers: &[Scorer],
    metric: Metric,
) -> Vec<(Scorer, Vec<Option<Number>>)> {
    let values = engine.grid_of(scorers, metric, None);
    let cells = engine.frames().len();
    let mut rows: Vec<(Scorer, Vec<Option<Number>>)> =
        scorers.iter().map(|own| (own.clone(), vec![None; cells])).collect();
    for own in values {
        rows[own.scorer].1[own.cell] = Some(Number { value: own.value, counts: own.counts });
    }
    rows
}
