//! The metric of every scorer in every cell, with intervals.

use rayon::prelude::*;

use super::frame::Scored;
use super::{Engine, FEW, Frame, TaskValues};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::metrics::{Labelled, prr_in_order};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::text::counted;

/// The most counts of a weight matrix in memory; more resamples of a large cell are drawn in parts.
const MOST_COUNTS: usize = 1 << 22;

/// The runs and tasks behind a number. A run is the reference of its task, so that both are as many,
/// unless draws have no order and each of them counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Runs with score and label.
    pub runs: usize,
    /// Successes among them.
    pub successes: usize,
    /// Their tasks.
    pub tasks: usize,
    /// Tasks with a run that succeeded.
    pub tasks_with_success: usize,
    /// Tasks with a run that failed.
    pub tasks_with_failure: usize,
    /// Whether every draw counts, so that a task may have several runs.
    pub is_pooled: bool,
}

impl Counts {
    /// Counts the rows of a frame that have a score.
    pub(super) fn of(scores: &[f64], success: &[bool], frame: &Frame) -> Self {
        let mut counts = Self { is_pooled: frame.is_pooled(), ..Self::default() };
        // Of the task that the rows before belong to: whether any run counts, succeeded, failed.
        let mut task = [false; 3];
        for (row, (score, success)) in scores.iter().zip(success).enumerate() {
            if frame.is_first(row) {
                task = [false; 3];
            }
            if score.is_nan() {
                continue;
            }
            counts.runs += 1;
            counts.successes += usize::from(*success);
            let counted =
                [&mut counts.tasks, &mut counts.tasks_with_success, &mut counts.tasks_with_failure];
            let says = [true, *success, !*success];
            for ((count, known), says) in counted.into_iter().zip(&mut task).zip(says) {
                *count += usize::from(says && !*known);
                *known |= says;
            }
        }
        counts
    }

    /// The counts of two cells together.
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            successes: self.successes + other.successes,
            tasks: self.tasks + other.tasks,
            tasks_with_success: self.tasks_with_success + other.tasks_with_success,
            tasks_with_failure: self.tasks_with_failure + other.tasks_with_failure,
            is_pooled: self.is_pooled || other.is_pooled,
        }
    }

    /// The share of successes; 0 of no run.
    pub fn success_rate(self) -> f64 {
        self.successes as f64 / self.runs.max(1) as f64
    }

    /// Runs of the rarer outcome.
    pub fn minority(self) -> usize {
        self.successes.min(self.runs - self.successes)
    }

    /// Tasks with a run of the outcome that fewer tasks have.
    pub fn tasks_of_rarer(self) -> usize {
        self.tasks_with_success.min(self.tasks_with_failure)
    }

    /// Whether too few tasks have a run of the rarer outcome.
    pub fn is_flagged(self) -> bool {
        self.tasks_of_rarer() < FEW
    }

    /// The number of runs, and of tasks where it is another.
    pub fn words(self) -> String {
        if self.is_pooled {
            let (runs, tasks) = (self.runs as u64, self.tasks as u64);
            format!("{}, {}", counted(runs, "run"), counted(tasks, "task"))
        } else {
            self.runs.to_string()
        }
    }

    /// The same for a narrow column: runs, and tasks behind a slash where these are others.
    pub fn short(self) -> String {
        if self.is_pooled { format!("{}/{}", self.runs, self.tasks) } else { self.runs.to_string() }
    }

    /// Whether resampling tells how uncertain a value is: with one task of an outcome, every resample
    /// ranks the same one.
    pub fn can_be_resampled(self) -> bool {
        self.tasks_of_rarer() > 1
    }
}

/// The value of one scorer in one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct GridValue {
    /// The index of the cell.
    pub cell: usize,
    /// The index of the scorer.
    pub scorer: usize,
    /// The metric; none where it is not defined.
    pub value: Option<f64>,
    /// Its 95% interval, where it was asked for.
    pub interval: Option<Interval>,
    /// The tasks behind the value.
    pub counts: Counts,
}

impl Engine {
    /// The metric of every scorer in every cell, cell by cell; a scorer without values in a cell is
    /// left out there. Intervals only where resampling is asked for.
    pub fn grid(&self, metric: Metric, resampling: Option<Resampling>) -> Vec<GridValue> {
        self.grid_of(&self.scorers, metric, resampling)
    }

    /// The same for chosen scorers; [`GridValue::scorer`] is the index in `scorers`.
    pub fn grid_of(
        &self,
        scorers: &[Scorer],
        metric: Metric,
        resampling: Option<Resampling>,
    ) -> Vec<GridValue> {
        let groups = groups(scorers);
        let cells: Vec<Vec<GridValue>> = (0..self.frames.len())
            .into_par_iter()
            .map(|cell| self.grid_cell(cell, scorers, &groups, metric, resampling))
            .collect();
        cells.into_iter().flatten().collect()
    }

    fn grid_cell(
        &self,
        cell: usize,
        scorers: &[Scorer],
        groups: &[Group],
        metric: Metric,
        resampling: Option<Resampling>,
    ) -> Vec<GridValue> {
        let frame = &self.frames[cell];
        let success = frame.labels();
        let known: Vec<Vec<Known>> = groups
            .par_iter()
            .map(|group| {
                let values = group.values(frame, scorers);
                let known = values.into_iter().map(|(scorer, values)| {
                    let scored = frame.scored_for(values, metric);
                    let value = scored.labelled(&success).value(metric);
                    let counts = Counts::of(&scored.scores, &success, frame);
                    let value = GridValue { cell, scorer, value, interval: None, counts };
                    // Only resampling needs the scores again.
                    Known { value, scored: resampling.map_or_else(Scored::default, |_| scored) }
                });
                known.collect()
            })
            .collect();
        let mut known: Vec<Known> = known.into_iter().flatten().collect();
        known.sort_by_key(|known| known.value.scorer);
        if let Some(resampling) = resampling {
            let all: Vec<Labelled> =
                known.iter().map(|known| known.scored.labelled(&success)).collect();
            let intervals = intervals(metric, &all, frame, resampling);
            for (Known { value, .. }, interval) in known.iter_mut().zip(intervals) {
                // A resample may be defined where the data itself is not.
                value.interval = interval.filter(|_| value.value.is_some());
            }
        }
        known.into_iter().map(|known| known.value).collect()
    }

    /// PRR with ties in the order of the tasks, as code that only sorts computes it.
    pub fn prr_in_order(&self, cell: usize, scorer: &Scorer) -> Option<f64> {
        let (scores, success) = self.frames[cell].sample(scorer, Metric::Prr)?;
        prr_in_order(&scores, &success)
    }
}

/// A value with the scores that it was computed from.
struct Known {
    value: GridValue,
    scored: Scored,
}

/// Scorers whose values are computed together, by index.
enum Group {
    /// A base score under several rules.
    WhiteBox(Base, Vec<(usize, Aggregator)>),
    /// Any other.
    Alone(usize),
}

fn groups(scorers: &[Scorer]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (index, scorer) in scorers.iter().enumerate() {
        let Scorer::WhiteBox(base, rule) = scorer else {
            groups.push(Group::Alone(index));
            continue;
        };
        let known = groups.iter_mut().find_map(|group| match group {
            Group::WhiteBox(known, rules) if known == base => Some(rules),
            _ => None,
        });
        match known {
            Some(rules) => rules.push((index, *rule)),
            None => groups.push(Group::WhiteBox(*base, vec![(index, *rule)])),
        }
    }
    groups
}

impl Group {
    /// The values of each scorer that has any.
    fn values(&self, frame: &Frame, scorers: &[Scorer]) -> Vec<(usize, TaskValues)> {
        match self {
            Self::WhiteBox(base, rules) => {
                let only: Vec<Aggregator> = rules.iter().map(|(_, rule)| *rule).collect();
                let all = rules.iter().zip(frame.under_rules(*base, &only));
                all.filter_map(|((index, _), values)| Some((*index, values?))).collect()
            }
            Self::Alone(index) => {
                frame.values(&scorers[*index]).map(|values| (*index, values)).into_iter().collect()
            }
        }
    }
}

fn intervals(
    metric: Metric,
    samples: &[Labelled<'_>],
    frame: &Frame,
    resampling: Resampling,
) -> Vec<Option<Interval>> {
    let all = resample_all(metric, samples, frame, resampling);
    all.into_iter().map(Interval::of).collect()
}

/// The resampled values of every sample, all under the same draws of tasks.
pub(super) fn resample_all<'a, S: Into<Labelled<'a>> + Copy + Sync>(
    metric: Metric,
    samples: &[S],
    frame: &Frame,
    resampling: Resampling,
) -> Vec<Vec<f64>> {
    resample_in(frame.stream(), metric, samples, frame, resampling)
}

/// The same in a given stream of random numbers: two cells of the same tasks draw the same ones.
pub(super) fn resample_in<'a, S: Into<Labelled<'a>> + Copy + Sync>(
    stream: u64,
    metric: Metric,
    samples: &[S],
    frame: &Frame,
    resampling: Resampling,
) -> Vec<Vec<f64>> {
    let rows = frame.tasks.len();
    let chunk = (MOST_COUNTS / rows.max(1)).clamp(8, resampling.resamples.max(8));
    let mut all = vec![Vec::with_capacity(resampling.resamples); samples.len()];
    let mut start = 0;
    while start < resampling.resamples {
        let end = (start + chunk).min(resampling.resamples);
        let weights = frame.weights_in(stream, start..end, resampling.seed);
        let drawn: Vec<Vec<f64>> =
            samples.par_iter().map(|sample| (*sample).into().resampled(metric, &weights)).collect();
        all.iter_mut().zip(drawn).for_each(|(all, drawn)| all.extend(drawn));
        start = end;
    }
    all
}
