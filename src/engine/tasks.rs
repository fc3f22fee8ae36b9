//! The tasks of a store as a table: columns, filter, order. What the explorer's task list shows and
//! what a filter is written over.

mod column;
mod kept;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::{Engine, Frame, Solvability, Values};
use crate::filter::{Field, Filter, Kind, Value};
use crate::metrics::Ranking;
use crate::model::natural_order;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
pub use column::Column;
pub use kept::Kept;

/// One task of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId {
    /// Place of the cell.
    pub cell: u32,
    /// Place of the task in it.
    pub task: u32,
}

/// A sample of a task, with its reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairId {
    /// The task.
    pub id: TaskId,
    /// The sample's draw.
    pub draw: u32,
}

/// Scores closer than this are as good as each other.
const TIE: f64 = 1e-12;

/// Which tasks somebody wrote a note on.
pub type Noted = HashSet<TaskId>;

/// What the table is to show.
#[derive(Clone, Debug)]
pub struct TaskQuery {
    /// Only the tasks of this cell.
    pub cell: Option<usize>,
    /// The current scorer.
    pub scorer: Scorer,
    /// The scorer before, to say how far ranks moved.
    pub before: Option<Scorer>,
    /// More scorers to show.
    pub extra: Vec<Scorer>,
    /// The column that orders the rows.
    pub sort: Column,
    /// Largest first.
    pub descending: bool,
}

/// The scores of one cell's tasks, NaN where absent.
#[derive(Clone, Debug, Default)]
struct Scores {
    score: Vec<f64>,
    /// What ranks: the logs where the scorer ranks by them.
    ranking: Vec<f64>,
    rank: Vec<f64>,
    /// How many tasks are more confident, by task.
    above: Vec<u32>,
    /// How many are as confident, with the task itself.
    tied: Vec<u32>,
    ranked: usize,
    /// The lowest and highest finite score.
    range: Option<(f64, f64)>,
    before: Option<Vec<f64>>,
    extra: Vec<Vec<f64>>,
}

impl Scores {
    fn new(frame: &Frame, scorer: &Scorer, before: Option<&Scorer>, extra: &[Scorer]) -> Self {
        let values = frame.values(scorer);
        let score = confidences(frame, values.as_ref());
        let ranking = Ranking::new(values.as_ref().map_or(&[], |own| &own.rank));
        let rank = ranks(frame, &ranking);
        let (above, tied) = places(frame, &ranking);
        let ranked = rank.iter().filter(|rank| !rank.is_nan()).count();
        let before = before.map(|before| {
            let values = frame.values(before);
            ranks(frame, &Ranking::new(values.as_ref().map_or(&[], |own| &own.rank)))
        });
        let extra =
            extra.iter().map(|own| confidences(frame, frame.values(own).as_ref())).collect();
        let known = score.iter().copied().filter(|score| score.is_finite());
        let range = known.fold(None, |range: Option<(f64, f64)>, score| {
            Some(range.map_or((score, score), |(lo, hi)| (lo.min(score), hi.max(score))))
        });
        let ranking = values.map_or_else(Vec::new, |own| own.rank);
        Self { score, ranking, rank, above, tied, ranked, range, before, extra }
    }

    fn top(&self, task: usize) -> f64 {
        if self.rank[task].is_nan() {
            return f64::NAN;
        }
        f64::from(self.above[task] + 1) / self.ranked as f64
    }

    fn bottom(&self, task: usize) -> f64 {
        if self.rank[task].is_nan() {
            return f64::NAN;
        }
        let below = self.ranked as u32 - self.above[task] - self.tied[task];
        f64::from(below + 1) / self.ranked as f64
    }

    fn moved(&self, task: usize) -> f64 {
        self.before.as_ref().map_or(f64::NAN, |before| before[task] - self.rank[task])
    }
}

/// The confidences of a cell's tasks, NaN where absent.
fn confidences(frame: &Frame, values: Option<&Values>) -> Vec<f64> {
    match values {
        Some(values) => (0..frame.tasks.len()).map(|task| values.confidence(task)).collect(),
        None => vec![f64::NAN; frame.tasks.len()],
    }
}

fn ranks(frame: &Frame, ranking: &Ranking) -> Vec<f64> {
    let ranks = ranking.ranks(frame.tasks.len());
    ranks.into_iter().map(|rank| rank.unwrap_or(f64::NAN)).collect()
}

/// For every task how many are above it and how many beside it.
fn places(frame: &Frame, ranking: &Ranking) -> (Vec<u32>, Vec<u32>) {
    let mut above = vec![0; frame.tasks.len()];
    let mut tied = above.clone();
    let mut before = 0;
    for block in ranking.blocks() {
        for &task in block {
            above[task as usize] = before;
            tied[task as usize] = block.len() as u32;
        }
        before += block.len() as u32;
    }
    (above, tied)
}

/// The rows that a query and a filter leave, in order, with the scores beside them.
#[derive(Clone, Debug, Default)]
pub struct TaskTable {
    /// The rows in order.
    pub rows: Vec<TaskId>,
    /// Rows before the filter.
    pub total: usize,
    /// Letters of the longest task id among the rows.
    pub longest_id: usize,
    /// Most draws of a task among the rows.
    pub most_draws: usize,
    /// By cell; none for a cell that is not looked at.
    scores: Vec<Option<Scores>>,
}

impl TaskTable {
    fn of(&self, id: TaskId) -> Option<&Scores> {
        self.scores.get(id.cell as usize)?.as_ref()
    }

    fn value(&self, id: TaskId, get: impl Fn(&Scores, usize) -> f64) -> Option<f64> {
        let own = self.of(id)?;
        Some(get(own, id.task as usize)).filter(|value| !value.is_nan())
    }

    /// The confidence under the current scorer.
    pub fn score(&self, id: TaskId) -> Option<f64> {
        self.value(id, |own, task| own.score[task])
    }

    /// The rank in the cell.
    pub fn rank(&self, id: TaskId) -> Option<f64> {
        self.value(id, |own, task| own.rank[task])
    }

    /// How many tasks of its cell are ranked.
    pub fn ranked(&self, id: TaskId) -> usize {
        self.of(id).map_or(0, |own| own.ranked)
    }

    /// Whether the scores of its cell are known.
    pub fn knows(&self, id: TaskId) -> bool {
        self.of(id).is_some()
    }

    /// The rank that a run would have in the task's cell, by what ranks: the log where the scorer
    /// ranks by logs. The task's own reference is counted like the others.
    pub fn would_rank(&self, id: TaskId, ranking: f64) -> f64 {
        let own = self.of(id).map_or(&[][..], |own| &own.ranking);
        let above = own.iter().filter(|other| **other > ranking + TIE).count();
        (above + 1) as f64
    }

    /// By how many ranks it rose since the scorer before.
    pub fn moved(&self, id: TaskId) -> Option<f64> {
        self.value(id, Scores::moved)
    }

    /// The confidence under one of the further scorers.
    pub fn extra(&self, id: TaskId, place: usize) -> Option<f64> {
        self.value(id, |own, task| own.extra.get(place).map_or(f64::NAN, |column| column[task]))
    }

    /// The lowest and highest confidence in a cell, for bars.
    pub fn range(&self, cell: u32) -> Option<(f64, f64)> {
        self.scores.get(cell as usize)?.as_ref()?.range
    }
}

impl Engine {
    /// The columns that a filter may name: those of every store, then the scorers.
    pub fn columns(&self) -> Vec<Column> {
        let mut scorers = self.scorers().to_vec();
        for base in Base::ALL {
            let has = scorers.iter().any(|own| own.base() == Some(base));
            let more = Aggregator::ALL.map(|rule| Scorer::WhiteBox(base, rule));
            scorers.extend(more.into_iter().filter(|_| has));
        }
        let mut columns: Vec<Column> = Column::FIXED.to_vec();
        for scorer in scorers {
            let own = Column::Scorer(scorer);
            // Counts of turns and tools are columns already, and not negated.
            if !columns.iter().any(|known| known.name() == own.name()) {
                columns.push(own);
            }
        }
        columns
    }

    /// The same as the fields of a filter.
    pub fn fields(&self) -> Vec<Field> {
        self.columns().iter().map(|own| Field { name: own.name(), kind: own.kind() }).collect()
    }

    /// The tasks that a filter over [`Engine::fields`] leaves under the current scorer.
    pub fn keep(self: &Arc<Self>, filter: &Filter, query: &TaskQuery, noted: &Noted) -> Kept {
        let columns = self.columns();
        let scorers: Vec<Scorer> = filter
            .columns()
            .iter()
            .filter_map(|&place| match &columns[place] {
                Column::Scorer(scorer) => Some(scorer.clone()),
                _ => None,
            })
            .collect();
        // Where each column's values stand among the extra ones.
        let place_of = |scorer: &Scorer| scorers.iter().position(|own| own == scorer);
        let places: Vec<Option<usize>> = columns
            .iter()
            .map(|own| if let Column::Scorer(scorer) = own { place_of(scorer) } else { None })
            .collect();
        let lists = self.frames().par_iter().enumerate().map(|(cell, frame)| {
            let scores = Scores::new(frame, &query.scorer, query.before.as_ref(), &scorers);
            let keeps = |task: &u32| {
                let id = TaskId { cell: cell as u32, task: *task };
                filter.keeps(&|column| match places[column] {
                    Some(extra) => number(scores.extra[extra][*task as usize]),
                    None => value(frame, &scores, id, &columns[column], noted),
                })
            };
            (0..frame.tasks.len() as u32).filter(keeps).collect()
        });
        let lists: Vec<Vec<u32>> = lists.collect();
        Kept::some(self.clone(), lists)
    }

    /// The table of tasks.
    pub fn task_table(&self, query: &TaskQuery, kept: &Kept, noted: &Noted) -> TaskTable {
        let wanted = |cell: usize| query.cell.is_none_or(|own| own == cell);
        let scores: Vec<Option<Scores>> = self
            .frames()
            .par_iter()
            .enumerate()
            .map(|(cell, frame)| {
                wanted(cell)
                    .then(|| Scores::new(frame, &query.scorer, query.before.as_ref(), &query.extra))
            })
            .collect();
        let cells = || (0..self.frames().len()).filter(|&cell| wanted(cell));
        let total = cells().map(|cell| self.frames()[cell].tasks.len()).sum();
        let mut rows: Vec<TaskId> = Vec::with_capacity(total);
        for cell in cells() {
            let id = |task: u32| TaskId { cell: cell as u32, task };
            match kept.of(cell) {
                Some(own) => rows.extend(own.iter().copied().map(id)),
                None => rows.extend((0..self.frames()[cell].tasks.len() as u32).map(id)),
            }
        }
        self.sort(&mut rows, &scores, query, noted);
        let task = |id: &TaskId| &self.frames()[id.cell as usize].tasks[id.task as usize];
        let longest_id = rows.par_iter().map(|id| task(id).id.chars().count()).max().unwrap_or(0);
        let most_draws = rows.par_iter().map(|id| task(id).draws()).max().unwrap_or(0);
        TaskTable { rows, total, longest_id, most_draws, scores }
    }

    fn sort(
        &self,
        rows: &mut [TaskId],
        scores: &[Option<Scores>],
        query: &TaskQuery,
        noted: &Noted,
    ) {
        let frame = |id: TaskId| &self.frames()[id.cell as usize];
        if matches!(query.sort, Column::Task) {
            // Tasks stand in this order already, cell by cell.
            rows.par_sort_by(|a, b| {
                let name = |id: TaskId| frame(id).tasks[id.task as usize].id.as_str();
                natural_order(name(*a), name(*b))
            });
        } else if query.sort.kind() == Kind::Text {
            let text = |id: TaskId| match query.sort {
                Column::Dataset => Some(frame(id).cell.dataset.as_str()),
                Column::Model => Some(frame(id).cell.model.as_str()),
                Column::Condition => Some(frame(id).cell.condition.as_str()),
                _ => frame(id).tasks[id.task as usize].termination.as_deref(),
            };
            rows.par_sort_by(|a, b| absent_last(text(*a), text(*b), query.descending, Ord::cmp));
        } else {
            let scorer = match &query.sort {
                Column::Scorer(scorer) => Some(scorer),
                Column::Score => Some(&query.scorer),
                _ => None,
            };
            let all = self.frames().par_iter().zip(scores);
            let sorted: Vec<Option<Vec<f64>>> = all
                .map(|(frame, own)| {
                    let wanted = own.as_ref().and(scorer)?;
                    frame.values(wanted).map(|values| values.rank)
                })
                .collect();
            let key = |id: TaskId| {
                let own = scores[id.cell as usize].as_ref()?;
                let value = match &query.sort {
                    // Where a log ranks, the confidences may underflow to ties.
                    Column::Score | Column::Scorer(_) => {
                        number(sorted[id.cell as usize].as_ref()?[id.task as usize])
                    }
                    // How far, whichever way.
                    Column::Moved => number(own.moved(id.task as usize).abs()),
                    column => value(frame(id), own, id, column, noted),
                };
                match value {
                    Value::Number(number) => Some(number),
                    Value::Bool(flag) => Some(f64::from(u8::from(flag))),
                    _ => None,
                }
            };
            let mut keyed: Vec<(Option<f64>, TaskId)> =
                rows.par_iter().map(|&id| (key(id), id)).collect();
            keyed.par_sort_by(|a, b| {
                absent_last(a.0, b.0, query.descending, f64::total_cmp).then(a.1.cmp(&b.1))
            });
            rows.iter_mut().zip(keyed).for_each(|(row, (_, id))| *row = id);
            return;
        }
        if query.descending && matches!(query.sort, Column::Task) {
            rows.reverse();
        }
    }
}

/// Orders what is there, in either direction, and puts what is absent last.
fn absent_last<T>(
    a: Option<T>,
    b: Option<T>,
    descending: bool,
    order: impl Fn(&T, &T) -> Ordering,
) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if descending => order(&b, &a),
        (Some(a), Some(b)) => order(&a, &b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

fn number(value: f64) -> Value<'static> {
    if value.is_nan() { Value::Null } else { Value::Number(value) }
}

fn value<'a>(
    frame: &'a Frame,
    scores: &Scores,
    id: TaskId,
    column: &Column,
    noted: &Noted,
) -> Value<'a> {
    let place = id.task as usize;
    let task = &frame.tasks[place];
    let text = |text: &'a str| Value::Text(text.into());
    let flag = |flag: Option<bool>| flag.map_or(Value::Null, Value::Bool);
    let opt = |own: Option<f64>| own.map_or(Value::Null, number);
    match column {
        Column::Dataset => text(&frame.cell.dataset),
        Column::Model => text(&frame.cell.model),
        Column::Condition => text(&frame.cell.condition),
        Column::Task => text(&task.id),
        Column::Success => flag(task.success),
        Column::DbMatch => flag(task.db_match),
        Column::Note => Value::Bool(noted.contains(&id)),
        Column::Solved => number(task.solved() as f64),
        Column::Draws => number(task.draws() as f64),
        Column::Score => number(scores.score[place]),
        Column::Rank => number(scores.rank[place]),
        Column::Top => number(scores.top(place)),
        Column::Bottom => number(scores.bottom(place)),
        Column::Moved => number(scores.moved(place)),
        Column::Agreement => number(frame.agreement(place)),
        Column::Turns => number(f64::from(task.turns)),
        Column::Tools => number(f64::from(task.tools)),
        Column::Termination => task.termination.as_deref().map_or(Value::Null, text),
        Column::Reward => opt(task.reward),
        Column::Cost => opt(task.cost),
        // Values of other scorers stand beside the row.
        Column::Scorer(_) => Value::Null,
    }
}

impl super::Task {
    /// Draws of the task, with the reference if it has one.
    pub fn draws(&self) -> usize {
        self.samples.len() + usize::from(self.has_reference)
    }

    /// Draws that succeeded.
    pub fn solved(&self) -> usize {
        let samples = self.samples.iter().filter(|sample| sample.success == Some(true)).count();
        samples + usize::from(self.success == Some(true))
    }

    /// The row of a draw in the store's table; none when there is no such draw.
    pub fn row_of(&self, draw: u32) -> Option<u32> {
        if draw == 0 {
            return self.has_reference.then_some(self.row);
        }
        let place = self.samples.iter().position(|sample| sample.draw == draw)?;
        Some(self.row + u32::from(self.has_reference) + place as u32)
    }

    /// The numbers of its draws.
    pub fn draw_numbers(&self) -> impl Iterator<Item = u32> {
        let reference = self.has_reference.then_some(0);
        reference.into_iter().chain(self.samples.iter().map(|sample| sample.draw))
    }

    /// Whether a draw solved it.
    pub fn outcome(&self, draw: u32) -> Option<bool> {
        match draw {
            0 => self.success,
            draw => self.samples.iter().find(|own| own.draw == draw)?.success,
        }
    }

    /// How often its draws succeed; none when a draw has no label.
    pub fn solvability(&self) -> Option<Solvability> {
        Solvability::of(self)
    }
}
