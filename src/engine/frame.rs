use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::judges::Verdict;
use super::stuck::Treated;
use crate::metrics::Metric;
use crate::model::{Cell, TurnScores};
use crate::scorers::Scorer;
use crate::scorers::aggregate::{Aggregator, Scaled};
use crate::scorers::whitebox::Base;
use crate::store::TurnColumns;

/// Tasks that are looked at together when any value will do.
const SOME: usize = 64;

/// A sample of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Its draw, 1 or more.
    pub draw: u32,
    /// Whether it solved the task.
    pub success: Option<bool>,
    /// Whether it reached the gold database.
    pub db_match: Option<bool>,
}

/// A task of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// Whether the reference solved it.
    pub success: Option<bool>,
    /// Whether the reference reached the gold database.
    pub db_match: Option<bool>,
    /// Turns of the reference.
    pub turns: u32,
    /// Tool calls of the reference.
    pub tools: u32,
    /// Why the reference ended, in the harness's word.
    pub termination: Option<Arc<str>>,
    /// The reward of the reference.
    pub reward: Option<f64>,
    /// What the agent's calls of the reference cost.
    pub cost: Option<f64>,
    /// Row of its first draw in the table `trajectories`; the others follow.
    pub row: u32,
    /// The other draws, by number.
    pub samples: Vec<Sample>,
    /// Whether its first draw is the reference.
    pub has_reference: bool,
}

/// Scores of the references' turns.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    /// The turns of the whole store: cells, and subsets of them, share one copy.
    columns: Arc<TurnColumns>,
    /// Where those of each task begin and end.
    spans: Arc<Vec<(u32, u32)>>,
}

impl Turns {
    pub(super) fn new(columns: Arc<TurnColumns>, spans: Vec<(u32, u32)>) -> Self {
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
        let (start, end) = self.spans[task];
        start as usize..end as usize
    }

    /// Minus the mean log-probability of every turn of a task: from the logs, since `lnsp` may
    /// underflow.
    fn doubts(&self, task: usize) -> impl Iterator<Item = f64> {
        let range = self.range(task);
        let turns = self.columns.sp_log[range.clone()].iter().zip(&self.columns.tokens[range]);
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
    /// Those of a task's samples, NaN where absent.
    pub fn of(self, task: usize) -> &'a [f64] {
        let start = if task == 0 { 0 } else { self.ends[task - 1] as usize };
        &self.values[start..self.ends[task] as usize]
    }

    /// Those of every task.
    pub fn iter(self) -> impl Iterator<Item = &'a [f64]> {
        (0..self.ends.len()).map(move |task| self.of(task))
    }
}

/// Values, shared by all variants of an engine.
pub(super) type Shared<T> = Arc<Vec<T>>;

/// Everything about one cell that numbers are taken from. A copy shares the columns.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The cell.
    pub cell: Cell,
    /// Its tasks, in order.
    pub tasks: Arc<Vec<Task>>,
    pub(super) turns: Turns,
    /// Where the pairs of each task end in the columns of `pairs`.
    pub(super) pair_ends: Shared<u32>,
    /// Values of pairs by scorer: for every task those of its samples, NaN where absent.
    pub(super) pairs: BTreeMap<String, Shared<f64>>,
    /// Values of references that the store holds, by scorer.
    pub(super) stored: BTreeMap<String, Shared<f64>>,
    /// What the store's judges say of its pairs.
    pub(super) verdicts: Shared<Verdict>,
    /// What people say of them.
    pub(super) human: Vec<Verdict>,
    /// Judged equivalence that the store holds without a judge's name.
    pub(super) unnamed_ter: Option<Shared<f64>>,
    /// Stuck tasks, where they are not counted like others.
    pub(super) stuck: Option<Treated>,
}

/// Values of one scorer for the tasks of a cell, NaN where absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// What ranks.
    pub rank: Vec<f64>,
    /// Whether `rank` is the log of the confidence.
    pub is_log: bool,
}

impl Values {
    /// The confidence of one task.
    pub fn confidence(&self, task: usize) -> f64 {
        if self.is_log { self.rank[task].exp() } else { self.rank[task] }
    }

    fn has_any(&self) -> bool {
        self.rank.iter().any(|value| !value.is_nan())
    }

    /// What a metric looks at: the confidences if it needs probabilities, else what ranks.
    pub(super) fn for_metric(self, metric: Metric) -> Vec<f64> {
        if self.is_log && metric.needs_probabilities() {
            return self.rank.iter().map(|log| log.exp()).collect();
        }
        self.rank
    }
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
        for own in turns_of {
            let start = columns.sp_log.len() as u32;
            own.into_iter().for_each(|own| columns.push(&own));
            spans.push((start, columns.sp_log.len() as u32));
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
            turns,
            pair_ends,
            pairs: BTreeMap::new(),
            stored: BTreeMap::new(),
            verdicts: Arc::default(),
            human: Vec::new(),
            unnamed_ter: None,
            stuck: None,
        }
    }

    /// Some of the tasks, by their places, with all that belongs to them. A place beyond the end is
    /// left out.
    #[must_use]
    pub fn subset(&self, tasks: &[u32]) -> Self {
        let kept: Vec<usize> = tasks
            .iter()
            .map(|task| *task as usize)
            .filter(|task| *task < self.tasks.len())
            .collect();
        let spans = kept.iter().map(|task| self.turns.spans[*task]).collect();
        let turns = Turns::new(self.turns.columns.clone(), spans);
        let own = kept.iter().map(|task| self.tasks[*task].clone()).collect();
        let mut frame = Self::with(self.cell.clone(), own, turns);
        let of_pairs = |values: &Shared<f64>| {
            let values = PairValues { values, ends: &self.pair_ends };
            Arc::new(kept.iter().flat_map(|task| values.of(*task)).copied().collect())
        };
        let pairs = self.pairs.iter().map(|(scorer, own)| (scorer.clone(), of_pairs(own)));
        frame.pairs = pairs.collect();
        frame.unnamed_ter = self.unnamed_ter.as_ref().map(of_pairs);
        let picked = |own: &Shared<f64>| Arc::new(kept.iter().map(|task| own[*task]).collect());
        let stored = self.stored.iter().map(|(scorer, own)| (scorer.clone(), picked(own)));
        frame.stored = stored.collect();
        let mut places = vec![None; self.tasks.len()];
        for (place, task) in kept.iter().enumerate() {
            places[*task] = Some(place as u32);
        }
        let moved = |own: &Verdict| Some(Verdict { task: places[own.task as usize]?, ..*own });
        frame.verdicts = Arc::new(self.verdicts.iter().filter_map(moved).collect());
        frame.human = self.human.iter().filter_map(moved).collect();
        frame.treat(self.treatment());
        frame
    }

    /// The scores of a task's scored turns, for drawing: NaN where a turn has none of this kind. Those
    /// of [`Base::Sp`] are natural logs.
    pub fn turn_values(&self, task: usize, base: Base) -> &[f64] {
        &self.turns.column(base)[self.turns.range(task)]
    }

    /// Which random numbers the cell draws: the same whatever other cells are looked at.
    pub(super) fn stream(&self) -> u64 {
        name_stream(&[&self.cell.dataset, &self.cell.model, &self.cell.condition])
    }

    /// The values of a scorer; none when nothing in the cell has one.
    pub fn values(&self, scorer: &Scorer) -> Option<Values> {
        let values = self.values_in(scorer, 0..self.tasks.len())?;
        values.has_any().then_some(values)
    }

    /// Whether anything in the cell has a value of a scorer.
    pub(super) fn has(&self, scorer: &Scorer) -> bool {
        let mut starts = (0..self.tasks.len()).step_by(SOME);
        starts.any(|start| {
            let tasks = start..(start + SOME).min(self.tasks.len());
            self.values_in(scorer, tasks).is_some_and(|values| values.has_any())
        })
    }

    /// The values of a scorer for some of the tasks.
    fn values_in(&self, scorer: &Scorer, tasks: Range<usize>) -> Option<Values> {
        let plain = |rank: Vec<f64>| Some(Values { rank, is_log: false });
        let count = |of: fn(&Task) -> u32| {
            plain(self.tasks[tasks.clone()].iter().map(|own| -f64::from(of(own))).collect())
        };
        match scorer {
            Scorer::WhiteBox(base, rule) => self.white_box(*base, &[*rule], tasks).pop(),
            Scorer::Propagation(own) => {
                let mut doubts = Vec::new();
                let score = |task| {
                    doubts.clear();
                    doubts.extend(self.turns.doubts(task));
                    own.score(&doubts).unwrap_or(f64::NAN)
                };
                plain(tasks.map(score).collect())
            }
            Scorer::Consistency(_) | Scorer::Ter => {
                let means = self.pair_means(scorer.id(), tasks.clone())?;
                plain(self.treated(means, tasks))
            }
            Scorer::Turns => count(|own| own.turns),
            Scorer::Tools => count(|own| own.tools),
            Scorer::Stored(name) => {
                let own = self.stored.get(name)?[tasks.clone()].to_vec();
                let compares = scorer.family().is_consistency();
                plain(if compares { self.treated(own, tasks) } else { own })
            }
        }
    }

    /// The values of a base score under several rules, each as [`Frame::values`] has it. The turns
    /// are walked once.
    pub(super) fn under_rules(&self, base: Base, rules: &[Aggregator]) -> Vec<Option<Values>> {
        let all = self.white_box(base, rules, 0..self.tasks.len());
        all.into_iter().map(|values| values.has_any().then_some(values)).collect()
    }

    fn white_box(&self, base: Base, rules: &[Aggregator], tasks: Range<usize>) -> Vec<Values> {
        let is_log = |rule: Aggregator| base == Base::Sp || rule == Aggregator::Product;
        let mut all: Vec<Values> = rules
            .iter()
            .map(|rule| Values { rank: Vec::with_capacity(tasks.len()), is_log: is_log(*rule) })
            .collect();
        let (mut some, mut logs, mut shared) = (Vec::new(), Vec::new(), Scaled::default());
        for task in tasks {
            let turns = self.turn_values(task, base);
            // A turn without alternatives is absent under atn and pm, not 0.
            let turns = if turns.iter().any(|score| score.is_nan()) {
                some.clear();
                some.extend(turns.iter().copied().filter(|score| !score.is_nan()));
                &some
            } else {
                turns
            };
            shared.clear();
            for (rule, values) in rules.iter().zip(&mut all) {
                let value = match (base, values.is_log) {
                    (Base::Sp, _) => rule.apply_log_with(turns, &mut shared),
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

    /// For every task the mean over its samples' pair values, NaN without one.
    fn pair_means(&self, scorer: &str, tasks: Range<usize>) -> Option<Vec<f64>> {
        let values = self.pair_values(scorer)?;
        Some(tasks.map(|task| mean(values.of(task).iter().copied())).collect())
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

    /// Where the pair of a task's sample stands.
    pub(super) fn pair_place(&self, task: usize, draw: u32) -> Option<usize> {
        let start = if task == 0 { 0 } else { self.pair_ends[task - 1] as usize };
        let sample = self.tasks[task].samples.iter().position(|sample| sample.draw == draw)?;
        Some(start + sample)
    }

    /// What a metric is computed from: scores, NaN where score or label is absent, and labels.
    pub fn sample(&self, scorer: &Scorer, metric: Metric) -> Option<(Vec<f64>, Vec<bool>)> {
        Some(self.with_labels(self.values(scorer)?.for_metric(metric)))
    }

    /// Scores with the labels of their tasks; a score without a label becomes NaN.
    pub(super) fn with_labels(&self, scores: Vec<f64>) -> (Vec<f64>, Vec<bool>) {
        (self.labelled(scores), self.labels())
    }

    /// Scores, NaN where the task has no label.
    pub(super) fn labelled(&self, mut scores: Vec<f64>) -> Vec<f64> {
        let unknown = self.tasks.iter().zip(&mut scores).filter(|(task, _)| task.success.is_none());
        unknown.for_each(|(_, score)| *score = f64::NAN);
        scores
    }

    /// Whether each reference succeeded; one without a label did not.
    pub(super) fn labels(&self) -> Vec<bool> {
        self.tasks.iter().map(|task| task.success == Some(true)).collect()
    }
}

/// A stream of random numbers for a name, by the hash of Fowler, Noll and Vo.
pub(super) fn name_stream(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash =
        bytes.fold(0x811C_9DC5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    u64::from(hash)
}

/// The mean of what is there; NaN of nothing.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let known = values.filter(|value| !value.is_nan());
    let (sum, count) = known.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}
