//! Where the signal comes from: how well the confidence of turns separates failures, by their position
//! in the run, by what they did, and by how much of the run is known.

mod groups;
mod means;

use rayon::prelude::*;

use super::pool::Pool;
use super::{Counts, Engine, TaskId};
use crate::metrics::auroc;
use crate::metrics::bootstrap::{Interval, Resampling, resampled_auroc_of_items};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::store::{Store, StoreError, TurnActions};
use groups::{Items, items};

pub(super) use groups::ScoredTurns;
pub use means::{TurnMean, TurnMeans};

/// The number of parts that a run is divided into.
pub const BINS: usize = 10;

/// By what turns are grouped.
#[derive(Clone, Copy, Debug)]
pub enum SignalBy<'a> {
    /// By their relative position in the run: (i − 1)/(T − 1) for turn i of T, in ten bins.
    Position,
    /// Runs, each by its score over the first tenths of its turns under an aggregator.
    Share(Aggregator),
    /// By what they did.
    Action(&'a TurnActions),
}

/// Some turns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TurnGroup {
    /// All of them.
    All,
    /// Those in one of [`BINS`] parts of the run, from 0.
    Position(usize),
    /// The turns of each run up to the end of one of [`BINS`] parts, from 0.
    Share(usize),
    /// Those that sent a message to the user.
    Message,
    /// Those that called a tool.
    Call,
    /// Those that called the tool of this name.
    Tool(String),
}

/// How well the confidence of some turns separates failures from successes.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Which turns.
    pub group: TurnGroup,
    /// AUROC over the turns, each with the outcome of its run; none where it is not defined.
    pub value: Option<f64>,
    /// Its 95% interval from resampled tasks, where it was asked for.
    pub interval: Option<Interval>,
    /// The runs of these turns and their tasks.
    pub counts: Counts,
    /// The number of turns; of runs for [`TurnGroup::Share`].
    pub turns: usize,
}

/// A turn behind a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnRef {
    /// The task.
    pub id: TaskId,
    /// The draw that counts.
    pub draw: u32,
    /// The number of the turn in its run, from 0.
    pub turn: u32,
    /// Its confidence; for [`TurnGroup::Share`] that of the run so far.
    pub confidence: f64,
    /// Whether the run succeeded.
    pub success: bool,
}

impl Engine {
    /// What the turns of all rows did, read from the store.
    pub fn turn_actions(&self, store: &Store) -> Result<TurnActions, StoreError> {
        let tasks = self.frames.iter().flat_map(|frame| frame.tasks.iter());
        let mut rows: Vec<u32> = tasks
            .filter(|task| task.has_reference)
            .filter_map(|task| task.row_of(task.draw))
            .collect();
        rows.sort_unstable();
        store.turn_actions(&rows)
    }

    /// How well the confidence of turns separates failures, by group, over some cells together. Only
    /// runs with a label count, and turns with a value. Groups of tools come last, those with the most
    /// turns first.
    pub fn signal(
        &self,
        cells: &[usize],
        base: Base,
        by: SignalBy<'_>,
        resampling: Option<Resampling>,
    ) -> Vec<Signal> {
        let pool = Pool::new(self, cells);
        let groups = items(&pool, base, by);
        let mut intervals = vec![None; groups.len()];
        if let Some(resampling) = resampling {
            intervals = resampled(&pool, &groups, resampling);
        }
        let signal = |((group, items), interval): ((TurnGroup, Items), Option<Interval>)| {
            let value = items.auroc(&pool);
            let counts = pool.counts(&items.by_row(pool.rows()));
            let interval = interval.filter(|_| value.is_some());
            Signal { group, value, interval, counts, turns: items.values.len() }
        };
        groups.into_iter().zip(intervals).map(signal).collect()
    }

    /// The turns behind a number, the least confident first.
    pub fn turns_behind(
        &self,
        cells: &[usize],
        base: Base,
        by: SignalBy<'_>,
        group: &TurnGroup,
    ) -> Vec<TurnRef> {
        let pool = Pool::new(self, cells);
        let is_log = match by {
            SignalBy::Share(rule) => base.ranks_by_log_under(rule),
            SignalBy::Position | SignalBy::Action(_) => base.ranks_by_log(),
        };
        let found = items(&pool, base, by).into_iter().find(|(known, _)| known == group);
        let Some((_, items)) = found else { return Vec::new() };
        let ids: Vec<TaskId> = pool.each().map(|row| row.id(cells)).collect();
        let mut order: Vec<usize> = (0..items.values.len()).collect();
        order.sort_by(|&a, &b| items.values[a].total_cmp(&items.values[b]));
        let turn = |item: usize| {
            let row = items.owner[item] as usize;
            let id = ids[row];
            let value = items.values[item];
            TurnRef {
                id,
                draw: self.frames[id.cell as usize].tasks[id.task as usize].draw,
                turn: items.turns[item],
                confidence: if is_log { value.exp() } else { value },
                success: pool.success[row],
            }
        };
        order.into_iter().map(turn).collect()
    }
}

impl Items {
    fn auroc(&self, pool: &Pool<'_>) -> Option<f64> {
        let success: Vec<bool> = self.owner.iter().map(|row| pool.success[*row as usize]).collect();
        auroc(&self.values, &success)
    }

    /// For every row some value of it; NaN where it has none.
    fn by_row(&self, rows: usize) -> Vec<f64> {
        let mut values = vec![f64::NAN; rows];
        let items = self.owner.iter().zip(&self.values);
        items.for_each(|(row, value)| values[*row as usize] = *value);
        values
    }
}

/// The interval of every group, all under the same resamples.
fn resampled(
    pool: &Pool<'_>,
    groups: &[(TurnGroup, Items)],
    resampling: Resampling,
) -> Vec<Option<Interval>> {
    let mut values = vec![Vec::with_capacity(resampling.resamples); groups.len()];
    pool.resample(resampling, |weights| {
        values.par_iter_mut().zip(groups).for_each(|(values, (_, items))| {
            let Items { owner, values: scores, .. } = items;
            values.extend(resampled_auroc_of_items(scores, owner, &pool.success, weights));
        });
    });
    values.into_iter().map(Interval::of).collect()
}
