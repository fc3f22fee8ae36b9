//! One cell in memory: its tasks, and the columns that all numbers are computed from.

mod rows;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::judges::{HumanVerdict, Verdict};
use super::stuck::Treated;
use super::tasks::Extents;
use crate::model::{Cell, CheckSummary, TurnScores};
use crate::scorers::whitebox::Base;
use crate::store::TurnColumns;

pub(super) use values::Scored;
pub use values::{Scale, TaskValues};

/// A draw that a row is compared with: a sample of its task.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Its number; 1 or more where the task has a reference.
    pub draw: u32,
    /// Whether it solved the task.
    pub success: Option<bool>,
    /// Whether it reached the gold database.
    pub db_match: Option<bool>,
    /// Whether its reward is based on the database; unknown when the results do not say.
    pub db_graded: Option<bool>,
    /// What its reward is made of and what its checks come to.
    pub checks: CheckSummary,
}

/// A row of a cell: a task with its reference or, where draws have no order, one of its draws. What the
/// fields call the reference is then that draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The task's id.
    pub id: String,
    /// The draw whose outcome and scores count: 0, the reference, unless every draw is a row.
    pub draw: u32,
    /// Whether the reference solved it.
    pub success: Option<bool>,
    /// Whether the reference reached the gold database.
    pub db_match: Option<bool>,
    /// Whether its reward is based on the database; unknown when the results do not say.
    pub db_graded: Option<bool>,
    /// What the reward of the reference is made of and what its checks come to.
    pub checks: CheckSummary,
    /// Turns of the reference.
    pub turns: Option<u32>,
    /// Tool calls of the reference.
    pub tools: Option<u32>,
    /// Why the reference ended, as the harness says it.
    pub termination: Option<Arc<str>>,
    /// The reward of the reference.
    pub reward: Option<f64>,
    /// The cost of the agent's calls in the reference.
    pub cost: Option<f64>,
    /// The row of its first draw in the table `trajectories`; the others follow.
    pub row: u32,
    /// The other draws, by number.
    pub samples: Vec<Sample>,
    /// Whether it has the draw whose outcome and scores count.
    pub has_reference: bool,
}

/// Scores of the references' turns.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    /// The turns of the whole store, shared by all cells and their subsets.
    columns: Arc<TurnColumns>,
    /// The rows of each task.
    spans: Arc<Vec<TurnSpan>>,
}

/// The scored turns of a run in the columns, and the row of its first turn in the store's table.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnSpan {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) first_row: u32,
}

impl Turns {
    pub(super) fn new(columns: Arc<TurnColumns>, spans: Vec<TurnSpan>) -> Self {
        Self { columns, spans: Arc::new(spans) }
    }

    fn column(&self, base: Base) -> &[f64] {
        match base {
            Base::Sp => &self.columns.sp_log,
            Base::Lnsp => &self.columns.lnsp,
            Base::Atn => &self.columns.atn,
            Base::Pm => &self.columns.pm,
        }
    }

    fn range(&self, task: usize) -> Range<usize> {
        let TurnSpan { start, end, .. } = self.spans[task];
        start as usize..end as usize
    }

    /// The scores of a task's turns; nothing where the column was not read.
    fn values(&self, task: usize, base: Base) -> &[f64] {
        self.column(base).get(self.range(task)).unwrap_or_default()
    }

    /// Minus the mean log-probability of every turn of a task, from the logs because `lnsp` may
    /// underflow.
    fn doubts(&self, task: usize) -> impl Iterator<Item = f64> {
        let tokens = self.columns.tokens.get(self.range(task)).unwrap_or_default();
        let turns = self.values(task, Base::Sp).iter().zip(tokens);
        turns.map(|(sp_log, tokens)| -sp_log / f64::from((*tokens).max(1)))
    }
}

/// Pair values of one scorer.
#[derive(Clone, Copy, Debug)]
pub struct PairValues<'a> {
    values: &'a [f64],
    ends: &'a [u32],
}

impl<'a> PairValues<'a> {
    /// The values of a task's samples, NaN where absent.
    pub fn of(self, task: usize) -> &'a [f64] {
        let start = if task == 0 { 0 } else { self.ends[task - 1] as usize };
        &self.values[start..self.ends[task] as usize]
    }

    /// The values of every task.
    pub fn iter(self) -> impl Iterator<Item = &'a [f64]> {
        (0..self.ends.len()).map(move |task| self.of(task))
    }
}

/// Values, shared by all variants of an engine.
pub(super) type Shared<T> = Arc<Vec<T>>;

/// Everything that the numbers of one cell are computed from. A copy shares the columns.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The cell.
    pub cell: Cell,
    /// Its tasks, in order; where draws have no order, a row for every draw of each.
    pub tasks: Arc<Vec<Task>>,
    /// The number of each row's task, where every draw is a row; see [`Frame::is_pooled`].
    pub(super) task_of: Option<Shared<u32>>,
    pub(super) turns: Turns,
    /// The end of each task's pairs in the columns of `pairs`.
    pub(super) pair_ends: Shared<u32>,
    /// Values of pairs by scorer: for every task those of its samples, NaN where absent.
    pub(super) pairs: BTreeMap<String, Shared<f64>>,
    /// Values of references that the store holds, by scorer. Where `pairs` has the same scorer, the
    /// mean of a task's pairs counts instead.
    pub(super) stored: BTreeMap<String, Shared<f64>>,
    /// The fold of every row under a stored scorer that was cross-fitted, by scorer.
    pub(super) folds: BTreeMap<String, Shared<u16>>,
    /// The verdicts of the store's judges on its pairs.
    pub(super) verdicts: Shared<Verdict>,
    /// The verdicts that people's votes make.
    pub(super) human: Vec<HumanVerdict>,
    /// Judged equivalence that the store holds without a judge's name.
    pub(super) unnamed_ter: Option<Shared<f64>>,
    /// Stuck tasks, where they are not counted like others.
    pub(super) stuck: Option<Treated>,
    /// Scorers of users of which smaller values are surer.
    pub(super) reversed: Arc<BTreeSet<String>>,
    /// How wide the columns of the tasks are; follows from them.
    pub(super) extents: OnceLock<Extents>,
}

impl Frame {
    /// A cell from its tasks and the scores of their references' turns, task by task.
    pub fn new<T: IntoIterator<Item = TurnScores>>(
        cell: Cell,
        tasks: Vec<Task>,
        turns_of: impl IntoIterator<Item = T>,
    ) -> Self {
        let mut columns = TurnColumns::default();
        let mut spans = Vec::with_capacity(tasks.len());
        for turns in turns_of {
            let start = columns.len() as u32;
            turns.into_iter().for_each(|scores| columns.push(&scores));
            let end = columns.len() as u32;
            spans.push(TurnSpan { start, end, first_row: start });
        }
        Self::with(cell, tasks, Turns::new(Arc::new(columns), spans))
    }

    pub(super) fn with(cell: Cell, tasks: Vec<Task>, turns: Turns) -> Self {
        let mut end = 0;
        let ends = tasks.iter().map(|task| {
            end += task.samples.len() as u32;
            end
        });
        let pair_ends = Arc::new(ends.collect());
        Self {
            cell,
            tasks: Arc::new(tasks),
            task_of: None,
            turns,
            pair_ends,
            pairs: BTreeMap::new(),
            stored: BTreeMap::new(),
            folds: BTreeMap::new(),
            verdicts: Arc::default(),
            human: Vec::new(),
            unnamed_ter: None,
            stuck: None,
            reversed: Arc::default(),
            extents: OnceLock::new(),
        }
    }

    /// Some of the tasks, by index, with all that belongs to them. An index beyond the end is left
    /// out.
    #[must_use]
    pub fn subset(&self, tasks: &[u32]) -> Self {
        let kept: Vec<usize> = tasks
            .iter()
            .map(|task| *task as usize)
            .filter(|task| *task < self.tasks.len())
            .collect();
        let spans = kept.iter().map(|task| self.turns.spans[*task]).collect();
        let turns = Turns::new(self.turns.columns.clone(), spans);
        let tasks = kept.iter().map(|task| self.tasks[*task].clone()).collect();
        let mut frame = Self::with(self.cell.clone(), tasks, turns);
        if self.is_pooled() {
            frame.pool();
        }
        let of_pairs = |values: &Shared<f64>| {
            let values = PairValues { values, ends: &self.pair_ends };
            Arc::new(kept.iter().flat_map(|task| values.of(*task)).copied().collect())
        };
        let pairs = self.pairs.iter().map(|(scorer, values)| (scorer.clone(), of_pairs(values)));
        frame.pairs = pairs.collect();
        frame.unnamed_ter = self.unnamed_ter.as_ref().map(of_pairs);
        frame.stored = of_rows(&self.stored, &kept);
        frame.folds = of_rows(&self.folds, &kept);
        let mut new_index = vec![None; self.tasks.len()];
        for (index, task) in kept.iter().enumerate() {
            new_index[*task] = Some(index as u32);
        }
        let moved = |verdict: &Verdict| self.moved(verdict, &new_index);
        frame.verdicts = Arc::new(self.verdicts.iter().filter_map(moved).collect());
        let human = self
            .human
            .iter()
            .filter_map(|voted| Some(HumanVerdict { verdict: moved(&voted.verdict)?, ..*voted }));
        frame.human = human.collect();
        frame.reversed = self.reversed.clone();
        frame.treat(self.treatment());
        frame
    }

    /// The scores of a task's scored turns, NaN where a turn has none of this kind; natural logs where
    /// the base score ranks by them.
    pub fn turn_values(&self, task: usize, base: Base) -> &[f64] {
        self.turns.values(task, base)
    }

    /// The number of every scored turn of a task in its run, from 0; unscored turns count too.
    pub fn turn_numbers(&self, task: usize) -> impl Iterator<Item = u32> {
        let first = self.turns.spans[task].first_row;
        self.turns.range(task).map(move |index| self.turns.columns.row(index).saturating_sub(first))
    }

    /// The stream of random numbers of the cell, independent of other cells.
    pub(super) fn stream(&self) -> u64 {
        name_stream(&[&self.cell.dataset, &self.cell.model, &self.cell.condition])
    }

    /// The verdicts of judges, then of people.
    pub(super) fn all_verdicts(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().chain(self.human.iter().map(|voted| &voted.verdict))
    }

    /// Pair values of a scorer.
    pub fn pair_values(&self, scorer: &str) -> Option<PairValues<'_>> {
        let values = self.pairs.get(scorer)?;
        Some(PairValues { values, ends: &self.pair_ends })
    }

    /// Number of pairs of all tasks.
    pub(super) fn pairs_len(&self) -> usize {
        self.pair_ends.last().map_or(0, |end| *end as usize)
    }

    /// The index of a sample's pair among all pairs of the cell.
    pub(super) fn pair_index(&self, task: usize, draw: u32) -> Option<usize> {
        let start = if task == 0 { 0 } else { self.pair_ends[task - 1] as usize };
        let sample = self.tasks[task].samples.iter().position(|sample| sample.draw == draw)?;
        Some(start + sample)
    }
}

/// The values of some rows, by scorer.
fn of_rows<T: Copy>(
    columns: &BTreeMap<String, Shared<T>>,
    rows: &[usize],
) -> BTreeMap<String, Shared<T>> {
    let of = |values: &Shared<T>| Arc::new(rows.iter().map(|row| values[*row]).collect());
    columns.iter().map(|(scorer, values)| (scorer.clone(), of(values))).collect()
}

/// A stream of random numbers for a name, by the hash of Fowler, Noll and Vo.
pub(super) fn name_stream(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash =
        bytes.fold(0x811C_9DC5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    u64::from(hash)
}

/// The mean of the values that are not NaN; NaN where there is none.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let known = values.filter(|value| !value.is_nan());
    let (sum, count) = known.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}
