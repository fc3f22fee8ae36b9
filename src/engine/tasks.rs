//! The tasks of a store as a table: its columns, its filter and its order.

mod column;
mod kept;
mod sort;
mod table;
mod task;

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::{Engine, Frame};
use crate::filter::{Field, Filter, Value};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
pub use column::Column;
pub use kept::{Kept, Outcomes};
pub(super) use table::Extents;
use table::Scores;
pub use table::TaskTable;

/// One task of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId {
    /// The index of the cell.
    pub cell: u32,
    /// The index of the task in the cell.
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

/// The tasks that somebody wrote a note on.
pub type Noted = HashSet<TaskId>;

/// What the table shows, and in which order.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskQuery {
    /// Only the tasks of this cell.
    pub cell: Option<usize>,
    /// The current scorer.
    pub scorer: Scorer,
    /// The scorer before, against which ranks moved.
    pub before: Option<Scorer>,
    /// More scorers to show.
    pub extra: Vec<Scorer>,
    /// The column that orders the rows.
    pub sort: Column,
    /// Whether the largest comes first.
    pub descending: bool,
}

/// What a filter can name.
#[derive(Clone, Debug)]
pub(super) struct Named {
    columns: Arc<[Column]>,
    fields: Arc<[Field]>,
}

impl Named {
    /// The columns of every store, the draw where every draw is a row somewhere, then these scorers and their base scores under all aggregators.
    fn new(scorers: &[Scorer], is_pooled: bool) -> Self {
        let bases: HashSet<Base> = scorers.iter().filter_map(Scorer::base).collect();
        let under_rules =
            Base::ALL.into_iter().filter(|base| bases.contains(base)).flat_map(|base| {
                Aggregator::ALL.into_iter().map(move |rule| Scorer::WhiteBox(base, rule))
            });
        let scorers = scorers.iter().cloned().chain(under_rules).map(Column::Scorer);
        let (mut columns, mut fields) = (Vec::new(), Vec::new());
        let mut names = HashSet::new();
        let draw = is_pooled.then_some(Column::Draw);
        for column in Column::FIXED.into_iter().chain(draw).chain(scorers) {
            let name = column.name();
            // Counts of turns and tools are columns already, and not negated.
            if names.insert(name.clone()) {
                fields.push(Field { name, kind: column.kind() });
                columns.push(column);
            }
        }
        Self { columns: columns.into(), fields: fields.into() }
    }
}

impl Engine {
    /// The columns that a filter can name: those of every store, then the scorers.
    pub fn columns(&self) -> Arc<[Column]> {
        self.named().columns.clone()
    }

    /// The same columns as the fields of a filter.
    pub fn fields(&self) -> Arc<[Field]> {
        self.named().fields.clone()
    }

    fn named(&self) -> &Named {
        self.named.get_or_init(|| Named::new(self.scorers(), self.is_pooled()))
    }

    /// The tasks that a filter over [`Engine::fields`] keeps under the current scorer.
    pub fn keep(self: &Arc<Self>, filter: &Filter, query: &TaskQuery, noted: &Noted) -> Kept {
        self.keep_within(&Kept::all(self.clone()), filter, query, noted)
    }

    /// The tasks of a scope that a filter keeps; ranks are those among the tasks in scope.
    pub fn keep_within(
        self: &Arc<Self>,
        scope: &Kept,
        filter: &Filter,
        query: &TaskQuery,
        noted: &Noted,
    ) -> Kept {
        let columns = self.columns();
        let scorers: Vec<Scorer> = filter
            .columns()
            .iter()
            .filter_map(|&index| match &columns[index] {
                Column::Scorer(scorer) => Some(scorer.clone()),
                _ => None,
            })
            .collect();
        // The index of each column's values among the extra ones.
        let extra_of = |column: &Column| match column {
            Column::Scorer(scorer) => scorers.iter().position(|extra| extra == scorer),
            _ => None,
        };
        let extras: Vec<Option<usize>> = columns.iter().map(extra_of).collect();
        let ranks = filter.columns().iter().any(|&index| columns[index].follows_scorer());
        let lists = self.frames().par_iter().enumerate().map(|(cell, frame)| {
            let inside = scope.of(cell);
            let before = query.before.as_ref();
            let scores = if ranks {
                Scores::new(frame, &query.scorer, before, &scorers, inside)
            } else {
                Scores::of_others(frame, &scorers)
            };
            let keeps = |task: &u32| {
                let id = TaskId { cell: cell as u32, task: *task };
                filter.keeps(&|column| match extras[column] {
                    Some(extra) => number(scores.extra[extra][*task as usize]),
                    None => value(frame, &scores, id, &columns[column], noted),
                })
            };
            match inside {
                Some(tasks) => tasks.iter().copied().filter(keeps).collect(),
                None => (0..frame.tasks.len() as u32).filter(keeps).collect(),
            }
        });
        let lists: Vec<Vec<u32>> = lists.collect();
        scope.some(lists, filter.source())
    }

    /// The table of the selected tasks, with ranks among those in scope.
    pub fn task_table(
        &self,
        query: &TaskQuery,
        scope: &Kept,
        selected: &Kept,
        noted: &Noted,
    ) -> TaskTable {
        let wanted = |cell: usize| query.cell.is_none_or(|only| only == cell);
        let scores: Vec<Option<Scores>> = self
            .frames()
            .par_iter()
            .enumerate()
            .map(|(cell, frame)| {
                let (scorer, before) = (&query.scorer, query.before.as_ref());
                let scores = || Scores::new(frame, scorer, before, &query.extra, scope.of(cell));
                wanted(cell).then(scores)
            })
            .collect();
        let cells = || (0..self.frames().len()).filter(|&cell| wanted(cell));
        let total = cells().map(|cell| scope.count(cell)).sum();
        let mut rows: Vec<TaskId> = Vec::with_capacity(total);
        for cell in cells() {
            let id = |task: u32| TaskId { cell: cell as u32, task };
            match selected.of(cell) {
                Some(tasks) => rows.extend(tasks.iter().copied().map(id)),
                None => rows.extend((0..self.frames()[cell].tasks.len() as u32).map(id)),
            }
        }
        self.sort(&mut rows, &scores, query, noted);
        let task = |id: &TaskId| &self.frames()[id.cell as usize].tasks[id.task as usize];
        let is_whole = cells().all(|cell| selected.of(cell).is_none());
        let extents = if is_whole {
            cells().map(|cell| self.frames()[cell].extents()).reduce(Extents::max)
        } else {
            let of = |id: &TaskId| Extents::of(&self.frames()[id.cell as usize], task(id));
            rows.par_iter().map(of).reduce_with(Extents::max)
        };
        let Extents { longest_id, most_draws } = extents.unwrap_or_default();
        TaskTable { rows, total, held_back: 0, longest_id, most_draws, scores }
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
    let index = id.task as usize;
    let task = &frame.tasks[index];
    let text = |text: &'a str| Value::Text(text.into());
    let flag = |flag: Option<bool>| flag.map_or(Value::Null, Value::Bool);
    let opt = |value: Option<f64>| value.map_or(Value::Null, number);
    match column {
        Column::Dataset => text(&frame.cell.dataset),
        Column::Model => text(&frame.cell.model),
        Column::Condition => text(&frame.cell.condition),
        Column::Task => text(&task.id),
        Column::Draw => number(f64::from(task.draw)),
        Column::Success => flag(task.success),
        Column::DbMatch => flag(task.db_match),
        Column::Note => Value::Bool(noted.contains(&id)),
        Column::Solved => number(task.solved() as f64),
        Column::Draws => number(task.draws() as f64),
        Column::Score => number(scores.score[index]),
        Column::Rank => number(scores.rank[index]),
        Column::Top => number(scores.top(index)),
        Column::Bottom => number(scores.bottom(index)),
        Column::Quartile => number(scores.quartile(index)),
        Column::Moved => number(scores.moved(index)),
        Column::Agreement => number(frame.agreement(index)),
        Column::Turns => opt(task.turns.map(f64::from)),
        Column::Tools => opt(task.tools.map(f64::from)),
        Column::Termination => task.termination.as_deref().map_or(Value::Null, text),
        Column::Basis => {
            task.checks.basis.as_ref().map_or(Value::Null, |basis| text(basis.as_str()))
        }
        Column::FailedCheck => {
            task.checks.failed_names().map_or(Value::Null, |names| Value::Text(names.into()))
        }
        Column::Reward => opt(task.reward),
        Column::Cost => opt(task.cost),
        // The caller has the values of other scorers.
        Column::Scorer(_) => Value::Null,
    }
}
