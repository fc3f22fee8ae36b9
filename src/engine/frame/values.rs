//! The values of a scorer for the tasks of a cell.

use std::ops::Range;
use std::sync::Arc;

use super::{Frame, Task, mean};
use crate::metrics::{Labelled, Metric};
use crate::scorers::aggregate::{Aggregator, Scaled};
use crate::scorers::whitebox::Base;
use crate::scorers::{Direction, Scorer};

/// Tasks that are computed at once when any value will do.
const SOME: usize = 64;

/// Values of one scorer for the tasks of a cell, NaN where absent.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskValues {
    /// The number that each task is ranked by.
    pub rank: Vec<f64>,
    /// Whether that number is the log of the confidence.
    pub is_log: bool,
    /// Which values are surer. Where the smaller ones are, they rank by their negatives.
    pub direction: Direction,
    /// The fold of every task that a model gave the value for which was fitted without it; none where
    /// nothing was fitted.
    pub folds: Option<Arc<Vec<u16>>>,
}

/// How the numbers that tasks are ranked by are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// Whether they are logs of the confidence.
    pub is_log: bool,
    /// Which values are surer. Where the smaller ones are, they rank by their negatives.
    pub direction: Direction,
}

impl Scale {
    /// A number that ranks as the scorer gives it.
    pub fn confidence(self, rank: f64) -> f64 {
        match self.direction {
            Direction::SmallerIsSurer => -rank,
            Direction::LargerIsSurer if self.is_log => rank.exp(),
            Direction::LargerIsSurer => rank,
        }
    }

    /// The number that ranks, of a value as the scorer gives it.
    pub fn rank(self, confidence: f64) -> f64 {
        match self.direction {
            Direction::SmallerIsSurer => -confidence,
            Direction::LargerIsSurer if self.is_log => confidence.ln(),
            Direction::LargerIsSurer => confidence,
        }
    }
}

impl TaskValues {
    /// Values that nothing was fitted for, the larger the surer.
    fn plain(rank: Vec<f64>) -> Self {
        Self { rank, is_log: false, direction: Direction::default(), folds: None }
    }

    /// How the numbers are written.
    pub fn scale(&self) -> Scale {
        Scale { is_log: self.is_log, direction: self.direction }
    }

    /// The value of one task, as the scorer gives it.
    pub fn confidence(&self, task: usize) -> f64 {
        self.scale().confidence(self.rank[task])
    }

    /// The same values under a direction.
    fn under(mut self, direction: Direction) -> Self {
        if direction.is_reversed() {
            self.rank.iter_mut().for_each(|value| *value = -*value);
            self.direction = direction;
        }
        self
    }

    fn has_any(&self) -> bool {
        self.rank.iter().any(|value| !value.is_nan())
    }

    /// The numbers that a metric takes: confidences if it needs probabilities, else those that rank.
    pub(in crate::engine) fn for_metric(self, metric: Metric) -> Vec<f64> {
        if self.is_log && metric.needs_probabilities() {
            return self.rank.iter().map(|log| log.exp()).collect();
        }
        self.rank
    }
}

/// The scores of the rows of a cell that a metric takes.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Scored {
    /// The scores; NaN where score or label is absent.
    pub(in crate::engine) scores: Vec<f64>,
    /// The fold of every row, where the scores were cross-fitted.
    pub(in crate::engine) folds: Option<Arc<Vec<u16>>>,
}

impl From<Vec<f64>> for Scored {
    fn from(scores: Vec<f64>) -> Self {
        Self { scores, folds: None }
    }
}

impl Scored {
    /// The scores with labels.
    pub(in crate::engine) fn labelled<'a>(&'a self, success: &'a [bool]) -> Labelled<'a> {
        let folds = self.folds.as_ref().map(|folds| folds.as_slice());
        Labelled { scores: &self.scores, success, folds }
    }

    /// The scores, NaN where others have none.
    pub(in crate::engine) fn where_known(&self, others: &[f64]) -> Self {
        let pairs = self.scores.iter().zip(others);
        let scores = pairs.map(|(score, other)| if other.is_nan() { f64::NAN } else { *score });
        Self { scores: scores.collect(), folds: self.folds.clone() }
    }
}

impl Frame {
    /// The values of a scorer; none when nothing in the cell has one.
    pub fn values(&self, scorer: &Scorer) -> Option<TaskValues> {
        let values = self.values_in(scorer, 0..self.tasks.len())?;
        values.has_any().then_some(values)
    }

    /// Whether anything in the cell has a value of a scorer.
    pub(in crate::engine) fn has(&self, scorer: &Scorer) -> bool {
        let mut starts = (0..self.tasks.len()).step_by(SOME);
        starts.any(|start| {
            let tasks = start..(start + SOME).min(self.tasks.len());
            self.values_in(scorer, tasks).is_some_and(|values| values.has_any())
        })
    }

    /// Which values of a scorer are surer: the table of scorers says so, or the user who brought them.
    fn direction(&self, scorer: &Scorer) -> Direction {
        match scorer.spec() {
            Some(spec) => spec.direction,
            None if self.reversed.contains(scorer.id()) => Direction::SmallerIsSurer,
            None => Direction::LargerIsSurer,
        }
    }

    /// The values of a scorer for some of the tasks, in its direction.
    fn values_in(&self, scorer: &Scorer, tasks: Range<usize>) -> Option<TaskValues> {
        let values = self.raw_values(scorer, tasks)?;
        Some(values.under(self.direction(scorer)))
    }

    fn raw_values(&self, scorer: &Scorer, tasks: Range<usize>) -> Option<TaskValues> {
        let plain = |rank: Vec<f64>| Some(TaskValues::plain(rank));
        let count = |of: fn(&Task) -> Option<u32>| {
            let value = |task: &Task| of(task).map_or(f64::NAN, |count| 0.0 - f64::from(count));
            plain(self.tasks[tasks.clone()].iter().map(value).collect())
        };
        match scorer {
            Scorer::WhiteBox(base, rule) => self.white_box(*base, &[*rule], tasks).pop(),
            Scorer::Propagation(weights) => {
                let mut doubts = Vec::new();
                let score = |task| {
                    doubts.clear();
                    doubts.extend(self.turns.doubts(task));
                    weights.score(&doubts).unwrap_or(f64::NAN)
                };
                plain(tasks.map(score).collect())
            }
            Scorer::Consistency(_) | Scorer::Ter => {
                let means = self.pair_means(scorer.id(), tasks.clone())?;
                plain(self.treated(means, tasks))
            }
            Scorer::Turns => count(|task| task.turns),
            Scorer::Tools => count(|task| task.tools),
            Scorer::Stored(name) => {
                let values = self.stored_values(name, tasks.clone())?;
                let compares = scorer.family().is_consistency();
                let rank = if compares { self.treated(values, tasks.clone()) } else { values };
                let folds = self.folds.get(name).map(|folds| Arc::new(folds[tasks].to_vec()));
                Some(TaskValues { folds, ..TaskValues::plain(rank) })
            }
        }
    }

    /// The values of a base score under several rules, each as [`Frame::values`] has it. The turns
    /// are walked once.
    pub(in crate::engine) fn under_rules(
        &self,
        base: Base,
        rules: &[Aggregator],
    ) -> Vec<Option<TaskValues>> {
        let all = self.white_box(base, rules, 0..self.tasks.len());
        all.into_iter().map(|values| values.has_any().then_some(values)).collect()
    }

    fn white_box(&self, base: Base, rules: &[Aggregator], tasks: Range<usize>) -> Vec<TaskValues> {
        let turns_are_logs = base.ranks_by_log();
        let mut all: Vec<TaskValues> = rules
            .iter()
            .map(|rule| TaskValues {
                is_log: base.ranks_by_log_under(*rule),
                ..TaskValues::plain(Vec::with_capacity(tasks.len()))
            })
            .collect();
        let (mut some, mut logs, mut shared) = (Vec::new(), Vec::new(), Scaled::default());
        for task in tasks {
            let turns = self.turn_values(task, base);
            // A turn without recorded alternatives is absent, not 0.
            let turns = if turns.iter().any(|score| score.is_nan()) {
                some.clear();
                some.extend(turns.iter().copied().filter(|score| !score.is_nan()));
                &some
            } else {
                turns
            };
            shared.clear();
            for (rule, values) in rules.iter().zip(&mut all) {
                let value = match (turns_are_logs, values.is_log) {
                    (true, _) => rule.apply_log_with(turns, &mut shared),
                    (_, true) => {
                        logs.clear();
                        logs.extend(turns.iter().map(|score| score.ln()));
                        rule.apply_log(&logs)
                    }
                    (_, false) => rule.apply(turns),
                };
                values.rank.push(value.unwrap_or(f64::NAN));
            }
        }
        all
    }

    /// The values that the store holds: the mean of a task's pairs, or where it has none the value of
    /// its reference.
    fn stored_values(&self, scorer: &str, tasks: Range<usize>) -> Option<Vec<f64>> {
        let references = self.stored.get(scorer).map(|values| &values[tasks.clone()]);
        let Some(mut means) = self.pair_means(scorer, tasks.clone()) else {
            return references.map(<[f64]>::to_vec);
        };
        for (mean, reference) in means.iter_mut().zip(references.unwrap_or_default()) {
            if mean.is_nan() {
                *mean = *reference;
            }
        }
        Some(means)
    }

    /// For every task the mean of its pair values, NaN where it has none.
    fn pair_means(&self, scorer: &str, tasks: Range<usize>) -> Option<Vec<f64>> {
        let values = self.pair_values(scorer)?;
        Some(tasks.map(|task| mean(values.of(task).iter().copied())).collect())
    }

    /// The input of a metric: scores, NaN where score or label is absent, and labels.
    pub fn sample(&self, scorer: &Scorer, metric: Metric) -> Option<(Vec<f64>, Vec<bool>)> {
        Some(self.with_labels(self.values(scorer)?.for_metric(metric)))
    }

    /// The scores of a scorer that a metric takes.
    pub(in crate::engine) fn scored(&self, scorer: &Scorer, metric: Metric) -> Option<Scored> {
        Some(self.scored_for(self.values(scorer)?, metric))
    }

    /// The same from values.
    pub(in crate::engine) fn scored_for(&self, values: TaskValues, metric: Metric) -> Scored {
        let folds = values.folds.clone();
        Scored { scores: self.labelled(values.for_metric(metric)), folds }
    }

    /// Scores with the labels of their tasks; a score without a label becomes NaN.
    pub(in crate::engine) fn with_labels(&self, scores: Vec<f64>) -> (Vec<f64>, Vec<bool>) {
        (self.labelled(scores), self.labels())
    }

    /// Scores, NaN where the task has no label.
    pub(in crate::engine) fn labelled(&self, mut scores: Vec<f64>) -> Vec<f64> {
        let unknown = self.tasks.iter().zip(&mut scores).filter(|(task, _)| task.success.is_none());
        unknown.for_each(|(_, score)| *score = f64::NAN);
        scores
    }

    /// Whether each reference succeeded; false without a label.
    pub(in crate::engine) fn labels(&self) -> Vec<bool> {
        self.tasks.iter().map(|task| task.success == Some(true)).collect()
    }
}
