use std::collections::BTreeMap;

use crate::metrics::Metric;
use crate::model::{Cell, TurnScores};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;

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
    /// The other draws, by number.
    pub samples: Vec<Sample>,
}

/// Scores of the references' turns, laid end to end.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    /// Where the turns of each task end.
    pub(super) ends: Vec<u32>,
    pub(super) sp_log: Vec<f64>,
    pub(super) lnsp: Vec<f64>,
    /// NaN where absent.
    pub(super) atn: Vec<f64>,
    /// NaN where absent.
    pub(super) pm: Vec<f64>,
    /// Minus the mean log-probability: taken from the logs, since `lnsp` may underflow.
    doubt: Vec<f64>,
}

impl Turns {
    fn push(&mut self, own: &TurnScores) {
        self.sp_log.push(own.sp_log);
        self.lnsp.push(own.lnsp);
        self.atn.push(own.atn.unwrap_or(f64::NAN));
        self.pm.push(own.pm.unwrap_or(f64::NAN));
        self.doubt.push(-own.sp_log / f64::from(own.tokens.max(1)));
    }

    fn column(&self, base: Base) -> &[f64] {
        match base {
            Base::Sp => &self.sp_log,
            Base::Lnsp => &self.lnsp,
            Base::Atn => &self.atn,
            Base::Pm => &self.pm,
        }
    }

    /// A column of the scored turns, task by task.
    fn by_task<'a>(&'a self, column: &'a [f64]) -> impl Iterator<Item = &'a [f64]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(move |(start, &end)| &column[start as usize..end as usize])
    }
}

/// Everything about one cell that numbers are taken from.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The cell.
    pub cell: Cell,
    /// Its tasks, in order.
    pub tasks: Vec<Task>,
    pub(super) turns: Turns,
    /// Values of pairs by scorer: for every task those of its samples, NaN where absent.
    pub(super) pairs: BTreeMap<String, Vec<Vec<f64>>>,
    /// Values of references that the store holds, by scorer.
    pub(super) stored: BTreeMap<String, Vec<f64>>,
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

    /// What a metric looks at: the confidences if it needs probabilities, else what ranks.
    fn for_metric(self, metric: Metric) -> Vec<f64> {
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
        let mut turns = Turns::default();
        for own in turns_of {
            own.into_iter().for_each(|own| turns.push(&own));
            turns.ends.push(turns.lnsp.len() as u32);
        }
        Self { cell, tasks, turns, pairs: BTreeMap::new(), stored: BTreeMap::new() }
    }

    /// Which random numbers the cell draws: the same whatever other cells are looked at.
    pub(super) fn stream(&self) -> u64 {
        name_stream(&[&self.cell.dataset, &self.cell.model, &self.cell.condition])
    }

    /// The values of a scorer; none when nothing in the cell has one.
    pub fn values(&self, scorer: &Scorer) -> Option<Values> {
        let plain = |rank: Vec<f64>| Values { rank, is_log: false };
        let values = match scorer {
            Scorer::WhiteBox(base, rule) => self.white_box(*base, *rule),
            Scorer::Propagation(own) => {
                let turns = self.turns.by_task(&self.turns.doubt);
                plain(turns.map(|turns| own.score(turns).unwrap_or(f64::NAN)).collect())
            }
            Scorer::Consistency(own) => plain(self.pair_means(own.id())?),
            Scorer::Ter => plain(self.pair_means("ter")?),
            Scorer::Turns => plain(self.tasks.iter().map(|own| -f64::from(own.turns)).collect()),
            Scorer::Tools => plain(self.tasks.iter().map(|own| -f64::from(own.tools)).collect()),
            Scorer::Stored(name) => plain(self.stored.get(name)?.clone()),
        };
        values.rank.iter().any(|value| !value.is_nan()).then_some(values)
    }

    fn white_box(&self, base: Base, rule: Aggregator) -> Values {
        let is_log = base == Base::Sp || rule == Aggregator::Product;
        let mut some = Vec::new();
        let rank = self
            .turns
            .by_task(self.turns.column(base))
            .map(|turns| {
                // A turn without alternatives is absent under atn and pm, not 0.
                let turns = if turns.iter().any(|score| score.is_nan()) {
                    some.clear();
                    some.extend(turns.iter().copied().filter(|score| !score.is_nan()));
                    &some
                } else {
                    turns
                };
                let value = match (base, is_log) {
                    (Base::Sp, _) => rule.apply_log(turns),
                    (_, true) => {
                        let logs: Vec<f64> = turns.iter().map(|score| score.ln()).collect();
                        rule.apply_log(&logs)
                    }
                    (_, false) => rule.apply(turns),
                };
                value.unwrap_or(f64::NAN)
            })
            .collect();
        Values { rank, is_log }
    }

    /// For every task the mean over its samples' pair values, NaN without one.
    fn pair_means(&self, scorer: &str) -> Option<Vec<f64>> {
        Some(self.pairs.get(scorer)?.iter().map(|samples| mean(samples.iter().copied())).collect())
    }

    /// Pair values of a scorer: for every task those of its samples, NaN where absent.
    pub fn pair_values(&self, scorer: &str) -> Option<&[Vec<f64>]> {
        self.pairs.get(scorer).map(Vec::as_slice)
    }

    /// What a metric is computed from: scores, NaN where score or label is absent, and labels.
    pub fn sample(&self, scorer: &Scorer, metric: Metric) -> Option<(Vec<f64>, Vec<bool>)> {
        Some(self.with_labels(self.values(scorer)?.for_metric(metric)))
    }

    /// Scores with the labels of their tasks; a score without a label becomes NaN.
    pub(super) fn with_labels(&self, mut scores: Vec<f64>) -> (Vec<f64>, Vec<bool>) {
        let labels = self.tasks.iter().zip(&mut scores).map(|(task, score)| {
            if task.success.is_none() {
                *score = f64::NAN;
            }
            task.success == Some(true)
        });
        let labels = labels.collect();
        (scores, labels)
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
