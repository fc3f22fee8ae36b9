//! How well the confidence of turns locates the turn that people marked as the decisive error.

use std::collections::{BTreeMap, HashSet};

use super::find::Finder;
use super::frame::name_stream;
use super::{Engine, FEW};
use crate::metrics::bootstrap::{Interval, Resampling, clustered};
use crate::metrics::locate::RankFromLowest;
use crate::model::{Cell, TurnScores};
use crate::scorers::whitebox::Base;
use crate::store::{Cause, StepLabel, Store, StoreError, labels};

/// A mark and the scores of its run's turns, none where a turn was not scored.
#[derive(Clone, Debug)]
pub struct MarkedRun {
    /// The mark.
    pub label: StepLabel,
    /// The scores of the turns.
    pub turns: Vec<Option<TurnScores>>,
}

/// How well one base score locates the marked turns.
#[derive(Clone, Debug, PartialEq)]
pub struct LocateRow {
    /// The base score.
    pub base: Base,
    /// The cause that the marks name; none for all of them.
    pub cause: Option<Cause>,
    /// Marks whose turn has a value.
    pub n: usize,
    /// Their tasks.
    pub tasks: usize,
    /// Marks whose turn has no value.
    pub unscored: usize,
    /// The mean number of turns with a value.
    pub turns: Option<f64>,
    /// The mean rank of the marked turn from the least confident, ties averaged.
    pub rank: (Option<f64>, Option<Interval>),
    /// How often the marked turn is the least confident.
    pub top1: (Option<f64>, Option<Interval>),
    /// How often it is among the three least confident.
    pub top3: (Option<f64>, Option<Interval>),
    /// The mean rank of a turn drawn at random.
    pub rank_chance: Option<f64>,
    /// How often a turn drawn at random is the least confident: the mean of 1/T.
    pub top1_chance: Option<f64>,
    /// How often it is among the three least confident: the mean of min(3, T)/T.
    pub top3_chance: Option<f64>,
}

impl LocateRow {
    /// Whether there are too few tasks.
    pub fn is_flagged(&self) -> bool {
        self.tasks < FEW
    }
}

impl Engine {
    /// The marks that count on runs of this engine's tasks, with the scores of the runs' turns.
    pub fn marked_runs(&self, store: &Store) -> Result<Vec<MarkedRun>, StoreError> {
        let mut finder = Finder::new(&self.frames);
        let mut marked = Vec::new();
        for label in labels::current(&store.labels()?) {
            let Some(frame) = finder.frame(&label.cell) else { continue };
            let Some(task) = finder.task(frame, &label.task) else { continue };
            let task = &self.frames[frame].tasks[task];
            let Some(row) = task.row_of(label.draw) else { continue };
            let entry = store.entry(u64::from(row))?;
            let run = store.trajectory(&entry)?;
            let turns = run.turns.iter().map(|turn| turn.scores).collect();
            marked.push(MarkedRun { label, turns });
        }
        Ok(marked)
    }
}

/// What a mark adds to its task: 1, the rank, and whether it is among the first one and three.
type Sums = [f64; 4];

/// How well every base score locates the marked turns: over all marks, and for every cause. A base score
/// or cause without any mark is left out.
pub fn locate(runs: &[MarkedRun], resampling: Option<Resampling>) -> Vec<LocateRow> {
    let causes: Vec<Option<Cause>> =
        std::iter::once(None).chain(Cause::ALL.into_iter().map(Some)).collect();
    let rows = Base::ALL
        .into_iter()
        .flat_map(|base| causes.iter().map(move |cause| row(runs, base, *cause, resampling)));
    rows.filter(|row| row.n + row.unscored > 0).collect()
}

fn row(
    runs: &[MarkedRun],
    base: Base,
    cause: Option<Cause>,
    resampling: Option<Resampling>,
) -> LocateRow {
    let of_cause = runs.iter().filter(|run| cause.is_none_or(|cause| cause == run.label.cause));
    let mut by_task: BTreeMap<(&Cell, &str), Sums> = BTreeMap::new();
    let (mut ranks, mut unscored) = (Vec::new(), 0);
    for MarkedRun { label, turns } in of_cause {
        let value = |turn: &Option<TurnScores>| {
            turn.as_ref().and_then(|scores| base.ranking(scores)).unwrap_or(f64::NAN)
        };
        let values: Vec<f64> = turns.iter().map(value).collect();
        let Some(found) = RankFromLowest::new(&values, label.turn as usize) else {
            unscored += 1;
            continue;
        };
        let added = [1.0, found.rank(), found.share_among_first(1), found.share_among_first(3)];
        let sums = by_task.entry((&label.cell, &label.task)).or_default();
        sums.iter_mut().zip(added).for_each(|(sum, part)| *sum += part);
        ranks.push(found);
    }
    let tasks: Vec<Sums> = by_task.into_values().collect();
    let mean = |of: fn(RankFromLowest) -> f64| {
        let sum: f64 = ranks.iter().map(|found| of(*found)).sum();
        (!ranks.is_empty()).then(|| sum / ranks.len() as f64)
    };
    let [rank, top1, top3] = means(&tasks, resampling);
    LocateRow {
        base,
        cause,
        n: ranks.len(),
        tasks: tasks.len(),
        unscored,
        turns: mean(|found| found.items as f64),
        rank,
        top1,
        top3,
        rank_chance: mean(RankFromLowest::chance_rank),
        top1_chance: mean(|found| found.chance_among_first(1)),
        top3_chance: mean(|found| found.chance_among_first(3)),
    }
}

/// The means of rank and shares over all marks, with intervals from resampled tasks.
fn means(tasks: &[Sums], resampling: Option<Resampling>) -> [(Option<f64>, Option<Interval>); 3] {
    let statistics: [fn(&Sums) -> f64; 3] =
        [|sums| sums[1] / sums[0], |sums| sums[2] / sums[0], |sums| sums[3] / sums[0]];
    let mut all = Sums::default();
    for task in tasks {
        all.iter_mut().zip(task).for_each(|(sum, part)| *sum += part);
    }
    let intervals = match resampling {
        // One task alone says nothing about others.
        Some(resampling) if tasks.len() > 1 => {
            clustered(tasks, resampling, name_stream(&["locate"]), &statistics)
        }
        _ => vec![None; statistics.len()],
    };
    std::array::from_fn(|index| {
        let value = Some(statistics[index](&all)).filter(|value| !value.is_nan());
        (value, intervals[index])
    })
}

/// How many runs some marks are on.
pub fn runs_of(marked: &[MarkedRun]) -> usize {
    let runs = marked.iter().map(|run| (&run.label.cell, &run.label.task, run.label.draw));
    runs.collect::<HashSet<_>>().len()
}
