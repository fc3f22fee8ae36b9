//! Judges against each other and against the database.

use std::collections::{BTreeMap, HashMap};

use super::Engine;
use super::frame::name_stream;
use crate::metrics::agreement::Confusion;
use crate::metrics::bootstrap::{Interval, Resampling, clustered};
use crate::model::{Cell, Judgment};

/// A judge's word on one pair.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verdict {
    pub(super) cell: Cell,
    pub(super) task: String,
    pub(super) draw_a: u32,
    pub(super) draw_b: u32,
    pub(super) judge: String,
    pub(super) equivalent: Option<bool>,
}

impl From<Judgment> for Verdict {
    fn from(own: Judgment) -> Self {
        let Judgment { cell, task, draw_a, draw_b, judge, equivalent, .. } = own;
        Self { cell, task, draw_a, draw_b, judge, equivalent }
    }
}

/// What a judge is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// Another judge.
    Judge(String),
    /// Whether both draws reach the gold database.
    Database,
}

/// A judge against another one or against the database. Precision, recall and F1 are against the
/// database only.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeRow {
    /// The judge.
    pub judge: String,
    /// What it is held against.
    pub against: Against,
    /// Share of pairs on which they agree, with its interval.
    pub agreement: (Option<f64>, Option<Interval>),
    /// Cohen's κ.
    pub kappa: (Option<f64>, Option<Interval>),
    /// Precision of "equivalent".
    pub precision: (Option<f64>, Option<Interval>),
    /// Recall of "equivalent".
    pub recall: (Option<f64>, Option<Interval>),
    /// F1 of "equivalent".
    pub f1: (Option<f64>, Option<Interval>),
    /// Pairs compared.
    pub n: usize,
    /// Answers of the judge that did not parse.
    pub unparsed: usize,
}

type Pair<'a> = (&'a Cell, &'a str, u32, u32);

/// The counts of a [`Confusion`] that one task adds to.
type Table = [f64; 4];

impl Engine {
    /// Every judge against every later one and against the database.
    pub fn judge_rows(&self, resampling: Option<Resampling>) -> Vec<JudgeRow> {
        let verdicts: Vec<HashMap<Pair, bool>> =
            self.judges.iter().map(|judge| self.verdicts_of(judge)).collect();
        let truth = self.database_truth();
        let mut rows = Vec::new();
        for (place, judge) in self.judges.iter().enumerate() {
            let unparsed = self.unparsed(judge);
            for (other, name) in self.judges.iter().enumerate().skip(place + 1) {
                let against = Against::Judge(name.clone());
                let tables = tables(&verdicts[place], &verdicts[other]);
                rows.push(row(judge, against, &tables, unparsed, resampling));
            }
            let tables = tables(&verdicts[place], &truth);
            rows.push(row(judge, Against::Database, &tables, unparsed, resampling));
        }
        rows
    }

    fn verdicts_of(&self, judge: &str) -> HashMap<Pair<'_>, bool> {
        let own = self.judgments.iter().filter(|own| own.judge == judge);
        own.filter_map(|own| {
            let pair = (&own.cell, own.task.as_str(), own.draw_a, own.draw_b);
            Some((pair, own.equivalent?))
        })
        .collect()
    }

    fn unparsed(&self, judge: &str) -> usize {
        let own = self.judgments.iter().filter(|own| own.judge == judge);
        own.filter(|own| own.equivalent.is_none()).count()
    }

    /// Equivalent where both draws reach the gold state, not where one does; pairs of which neither
    /// does tell nothing.
    fn database_truth(&self) -> HashMap<Pair<'_>, bool> {
        let mut truth = HashMap::new();
        for frame in &self.frames {
            for task in &frame.tasks {
                for sample in &task.samples {
                    let pair = (&frame.cell, task.id.as_str(), 0, sample.draw);
                    match (task.db_match, sample.db_match) {
                        (Some(true), Some(true)) => drop(truth.insert(pair, true)),
                        (Some(a), Some(b)) if a != b => drop(truth.insert(pair, false)),
                        _ => {}
                    }
                }
            }
        }
        truth
    }
}

/// A table for every task, in a fixed order.
fn tables(own: &HashMap<Pair, bool>, other: &HashMap<Pair, bool>) -> Vec<Table> {
    let mut tasks: BTreeMap<(&Cell, &str), Table> = BTreeMap::new();
    for (pair, said) in own {
        if let Some(truth) = other.get(pair) {
            let field = Confusion::field(*said, *truth);
            tasks.entry((pair.0, pair.1)).or_default()[field] += 1.0;
        }
    }
    tasks.into_values().collect()
}

fn row(
    judge: &str,
    against: Against,
    tables: &[Table],
    unparsed: usize,
    resampling: Option<Resampling>,
) -> JudgeRow {
    let mut sums: Table = [0.0; 4];
    for table in tables {
        sums.iter_mut().zip(table).for_each(|(sum, own)| *sum += own);
    }
    // An undefined statistic of a resample is NaN, which the interval skips and counts.
    let statistics: [fn(&Table) -> f64; 5] = [
        |own| Confusion::from(*own).agreement().unwrap_or(f64::NAN),
        |own| Confusion::from(*own).kappa().unwrap_or(f64::NAN),
        |own| Confusion::from(*own).precision().unwrap_or(f64::NAN),
        |own| Confusion::from(*own).recall().unwrap_or(f64::NAN),
        |own| Confusion::from(*own).f1().unwrap_or(f64::NAN),
    ];
    let intervals = match resampling {
        Some(resampling) if !tables.is_empty() => {
            clustered(tables, resampling, name_stream(&[judge]), &statistics)
        }
        _ => vec![None; statistics.len()],
    };
    let of = |place: usize| {
        let value = Some(statistics[place](&sums)).filter(|value| !value.is_nan());
        (value, intervals[place].filter(|_| value.is_some()))
    };
    let against_truth = against == Against::Database;
    let of_truth = |place| if against_truth { of(place) } else { (None, None) };
    JudgeRow {
        judge: judge.to_owned(),
        against,
        agreement: of(0),
        kappa: of(1),
        precision: of_truth(2),
        recall: of_truth(3),
        f1: of_truth(4),
        n: Confusion::from(sums).total() as usize,
        unparsed,
    }
}
