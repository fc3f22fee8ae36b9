//! Runs side by side: which go in, and the comparison of each pair.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::disagreements::Queue;
use super::{ALL_RUNS, MOST, PageError, Source};
use crate::compare::{Sheet, usual_draws};
use crate::engine::TaskId;
use crate::model::{Cell, Trajectory};
use crate::models::KnownAnswers;
use crate::report::show::{RunScores, ShowContext, SideBySide};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::store::labels;
use crate::text::{counted, grouped};

/// Tasks of each kind whose runs go in by cell, unless it is said which do.
const SURPRISING: usize = 3;

/// Two runs of a task, or one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PairName {
    pub(super) id: TaskId,
    pub(super) draws: Vec<u32>,
}

impl PairName {
    /// The name in links: cell, task and draws.
    pub(super) fn key(&self) -> String {
        let TaskId { cell, task } = self.id;
        let draws: Vec<String> = self.draws.iter().map(u32::to_string).collect();
        format!("{cell}-{task}-{}", draws.join("-"))
    }
}

/// A comparison as a part of the page.
pub(super) struct Pair {
    pub(super) key: String,
    pub(super) html: String,
}

/// All comparisons of the page.
pub(super) struct ComparedRuns {
    pub(super) pairs: Vec<Pair>,
    /// The names of the comparisons by task, the usual one first.
    pub(super) by_task: BTreeMap<TaskId, Vec<PairName>>,
    /// How many tasks they are of.
    pub(super) tasks: usize,
    /// How many runs they show.
    pub(super) runs: usize,
    /// Which runs these are.
    pub(super) words: String,
}

impl ComparedRuns {
    /// Whether a comparison is in the page.
    pub(super) fn has(&self, name: &PairName) -> bool {
        self.by_task.get(&name.id).is_some_and(|names| names.contains(name))
    }
}

/// The tasks whose runs go in, and which these are in words.
pub(super) struct Chosen {
    tasks: Vec<TaskId>,
    words: String,
}

/// Chooses the tasks: those that are named; else all of few, or the surprising ones of many.
pub(super) fn chosen(source: &Source<'_>) -> Chosen {
    let frames = source.engine.frames();
    let ids = |frame: usize| (0..frames[frame].tasks.len()).map(move |task| id(frame, task));
    let all = || (0..frames.len()).flat_map(ids);
    let is_listed = |id: &TaskId| {
        let frame = &frames[id.cell as usize];
        source.lists(&frame.cell, &frame.tasks[id.task as usize].id)
    };
    if let Some(named) = &source.options.with_runs {
        let is_named = |id: &TaskId| {
            let frame = &frames[id.cell as usize];
            named.contains(&(frame.cell.clone(), frame.tasks[id.task as usize].id.clone()))
        };
        let tasks = all().filter(is_listed).filter(is_named).collect();
        return Chosen { tasks, words: "of the tasks that --tasks chooses".to_owned() };
    }
    let tasks: Vec<TaskId> = all().filter(is_listed).collect();
    if tasks.len() <= ALL_RUNS {
        return Chosen { tasks, words: "of all tasks".to_owned() };
    }
    let tasks = (0..frames.len()).flat_map(|cell| surprising(source, cell, &is_listed)).collect();
    let words = format!(
        "of each cell's {SURPRISING} most confident failures and {SURPRISING} least confident successes \
         by {}; --tasks chooses others",
        source.scorer.label()
    );
    Chosen { tasks, words }
}

fn id(cell: usize, task: usize) -> TaskId {
    TaskId { cell: cell as u32, task: task as u32 }
}

/// The most confident failures of a cell and its least confident successes; where there is no score,
/// the first tasks.
fn surprising(
    source: &Source<'_>,
    cell: usize,
    is_listed: &dyn Fn(&TaskId) -> bool,
) -> Vec<TaskId> {
    let frame = &source.engine.frames()[cell];
    let listed = (0..frame.tasks.len()).filter(|task| is_listed(&id(cell, *task)));
    let Some(values) = frame.values(&source.scorer) else {
        return listed.take(2 * SURPRISING).map(|task| id(cell, task)).collect();
    };
    let mut ranked: Vec<(f64, usize)> = listed
        .filter(|task| !values.rank[*task].is_nan())
        .map(|task| (values.rank[task], task))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let ended = |success: bool| {
        move |(_, task): &&(f64, usize)| frame.tasks[*task].success == Some(success)
    };
    let failures = ranked.iter().filter(ended(false)).take(SURPRISING);
    let successes = ranked.iter().rev().filter(ended(true)).take(SURPRISING);
    failures.chain(successes).map(|(_, task)| id(cell, *task)).collect()
}

/// Compares the usual runs of the chosen tasks, and the pairs on which judges disagree.
pub(super) fn compare(
    source: &Source<'_>,
    chosen: &Chosen,
    queue: &Queue,
) -> Result<ComparedRuns, PageError> {
    let frames = source.engine.frames();
    let mut by_task: BTreeMap<TaskId, Vec<PairName>> = BTreeMap::new();
    for id in &chosen.tasks {
        let task = &frames[id.cell as usize].tasks[id.task as usize];
        let draws: Vec<(u32, Option<bool>)> =
            task.draw_numbers().map(|draw| (draw, task.outcome(draw))).collect();
        let draws = usual_draws(&draws);
        if !draws.is_empty() {
            by_task.entry(*id).or_default().push(PairName { id: *id, draws });
        }
    }
    for item in &queue.items {
        let names = by_task.entry(item.name.id).or_default();
        if !names.contains(&item.name) {
            names.push(item.name.clone());
        }
    }
    let shared = Shared::read(source)?;
    let (mut pairs, mut bytes, mut runs) = (Vec::new(), 0, 0);
    for (id, names) in &by_task {
        let of_task = shared.pairs(source, *id, names)?;
        bytes += of_task.iter().map(|pair| pair.html.len()).sum::<usize>();
        let draws: HashSet<u32> = names.iter().flat_map(|name| name.draws.clone()).collect();
        runs += draws.len();
        pairs.extend(of_task);
        if bytes > MOST {
            let tasks = grouped(by_task.len() as u64);
            return Err(PageError::TooLarge { tasks });
        }
    }
    let words = format!(
        "{} of {}: {}{}",
        counted(runs as u64, "run"),
        counted(by_task.len() as u64, "task"),
        chosen.words,
        if queue.items.is_empty() { "" } else { ", and of the disagreements" }
    );
    Ok(ComparedRuns { pairs, tasks: by_task.len(), by_task, runs, words })
}

/// What the store knows beyond the runs, read once for all comparisons.
struct Shared {
    /// What is known about tasks, by cell and task.
    tasks: HashMap<(Cell, String), ShowContext>,
    /// What tasks ask, by dataset and task.
    instructions: HashMap<(String, String), String>,
    has_answers: bool,
}

impl Shared {
    fn read(source: &Source<'_>) -> Result<Self, PageError> {
        let store = source.store;
        let mut tasks: HashMap<(Cell, String), ShowContext> = HashMap::new();
        for judgment in store.judgments()? {
            let name = (judgment.cell.clone(), judgment.task.clone());
            tasks.entry(name).or_default().judgments.push(judgment);
        }
        for note in store.notes()? {
            let name = (note.cell.clone(), note.task.clone());
            tasks.entry(name).or_default().notes.push(note);
        }
        for label in labels::current(&store.labels()?) {
            let name = (label.cell.clone(), label.task.clone());
            tasks.entry(name).or_default().errors.push(label);
        }
        let asked = store.tasks()?.into_iter();
        let instructions = asked.map(|task| ((task.dataset, task.task), task.instruction));
        let instructions = instructions.collect();
        Ok(Self { tasks, instructions, has_answers: store.has_answers() })
    }

    /// What is known about one task.
    fn about(
        &self,
        source: &Source<'_>,
        cell: &Cell,
        task: &str,
    ) -> Result<ShowContext, PageError> {
        let name = (cell.clone(), task.to_owned());
        let instruction = self.instructions.get(&(cell.dataset.clone(), task.to_owned()));
        let known = self.tasks.get(&name).cloned().unwrap_or_default();
        let answers = if self.has_answers {
            KnownAnswers::about(source.store, &[name])?
        } else {
            KnownAnswers::default()
        };
        let pooled = source.store.manifest().pooled.clone();
        Ok(ShowContext { instruction: instruction.cloned(), pooled, answers, ..known })
    }

    /// The comparisons of one task.
    fn pairs(
        &self,
        source: &Source<'_>,
        id: TaskId,
        names: &[PairName],
    ) -> Result<Vec<Pair>, PageError> {
        let frame = &source.engine.frames()[id.cell as usize];
        let task = &frame.tasks[id.task as usize];
        let rows = u64::from(task.row)..u64::from(task.row) + task.draws() as u64;
        let mut entries = source.store.entries_at(rows)?;
        entries.retain(|entry| names.iter().any(|name| name.draws.contains(&entry.head.draw)));
        let runs = source.store.trajectories(&entries)?;
        let context = self.about(source, &frame.cell, &task.id)?;
        let mut pairs = Vec::with_capacity(names.len());
        for name in names {
            let find = |draw: &u32| runs.iter().find(|run| run.head.draw == *draw);
            let shown: Vec<&Trajectory> = name.draws.iter().filter_map(find).collect();
            if shown.is_empty() {
                continue;
            }
            let usual = (Base::Lnsp, Aggregator::default());
            let scores = RunScores::under(&source.scorer, source.engine, &shown, usual);
            let sheet = Sheet::new(&shown);
            let html = SideBySide::new(&shown, &sheet, &scores, &context).html()?;
            pairs.push(Pair { key: name.key(), html });
        }
        Ok(pairs)
    }
}
