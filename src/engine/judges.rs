//! Judges against each other and against the database.

mod human;
mod spec;
mod swap;
mod ter;

use std::collections::{BTreeMap, HashMap};

use super::frame::name_stream;
use super::{Engine, PairId, TaskId};
use crate::metrics::agreement::Confusion;
use crate::metrics::bootstrap::{Interval, Resampling, clustered};
use crate::model::Cell;

pub use spec::JudgeSpec;
pub(super) use spec::Judges;
pub use swap::JudgeTer;

/// The scorer that verdicts make.
pub(super) const TER: &str = "ter";

/// A judge's word on one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    /// Place of the task in its frame.
    pub(super) task: u32,
    pub(super) draw_a: u32,
    pub(super) draw_b: u32,
    /// Place of the judge.
    pub(super) judge: u32,
    pub(super) equivalent: Option<bool>,
    /// How sure the judge says it is, NaN where it does not.
    pub(super) confidence: f64,
}

/// A judge's word on a pair of a task that the store does not hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stranger {
    pub(super) cell: Cell,
    pub(super) task: String,
    pub(super) verdict: Verdict,
}

/// What one judge says of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgeWord {
    /// Place of the judge in [`Engine::judges`].
    pub judge: usize,
    /// Equivalent or not; none when its answer did not parse.
    pub equivalent: Option<bool>,
    /// How sure it says it is.
    pub confidence: Option<f64>,
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
    /// What it said against what the other says. [`Engine::judge_pairs`] lists the pairs of each.
    pub confusion: Confusion,
    /// Pairs compared.
    pub n: usize,
    /// Answers of the judge that did not parse.
    pub unparsed: usize,
}

/// Where a task stands: the place of its frame, and its own in there. Those that no frame holds are
/// numbered behind the last frame.
type Place = (u32, u32);

/// A task and two of its draws.
type Pair = (Place, u32, u32);

/// The counts of a [`Confusion`] that one task adds to.
type Table = [f64; 4];

/// Which pairs a judge, or the database, calls equivalent.
type Said = HashMap<Pair, bool>;

impl Engine {
    /// What every judge says of a pair, in the judges' order.
    pub fn words_on(&self, pair: PairId) -> Vec<JudgeWord> {
        let frame = self.frames.get(pair.id.cell as usize);
        let about =
            |own: &&Verdict| own.task == pair.id.task && own.draw_a == 0 && own.draw_b == pair.draw;
        let all = frame.into_iter().flat_map(|own| own.verdicts.iter().chain(own.human.iter()));
        // Of a judge that spoke twice the last word counts.
        let mut words: BTreeMap<usize, JudgeWord> = BTreeMap::new();
        for own in all.filter(about) {
            let judge = own.judge as usize;
            let confidence = Some(own.confidence).filter(|own| !own.is_nan());
            words.insert(judge, JudgeWord { judge, equivalent: own.equivalent, confidence });
        }
        words.into_values().collect()
    }

    /// The pairs on which a judge's answer did not parse.
    pub fn unparsed_pairs(&self, judge: &str) -> Vec<PairId> {
        let Some(judge) = self.judges().iter().position(|own| own == judge) else {
            return Vec::new();
        };
        let mut pairs: Vec<PairId> = Vec::new();
        for (cell, frame) in (0u32..).zip(&self.frames) {
            let own = frame.verdicts.iter().filter(|own| {
                own.judge as usize == judge && own.equivalent.is_none() && own.draw_a == 0
            });
            pairs.extend(
                own.map(|own| PairId { id: TaskId { cell, task: own.task }, draw: own.draw_b }),
            );
        }
        pairs
    }

    /// Every judge against every later one and against the database.
    pub fn judge_rows(&self, resampling: Option<Resampling>) -> Vec<JudgeRow> {
        let names = &self.judges.names;
        let mut unparsed = vec![0; names.len()];
        let mut verdicts: Vec<Said> = vec![HashMap::new(); names.len()];
        for (place, own) in self.verdicts() {
            match own.equivalent {
                Some(equivalent) => {
                    let pair = (place, own.draw_a, own.draw_b);
                    verdicts[own.judge as usize].insert(pair, equivalent);
                }
                None => unparsed[own.judge as usize] += 1,
            }
        }
        let truth = self.database_truth();
        let mut rows = Vec::new();
        for (place, judge) in names.iter().enumerate() {
            let unparsed = unparsed[place];
            for (other, name) in names.iter().enumerate().skip(place + 1) {
                let against = Against::Judge(name.clone());
                let tables = self.tables(&verdicts[place], &verdicts[other]);
                rows.push(row(judge, against, &tables, unparsed, resampling));
            }
            let tables = self.tables(&verdicts[place], &truth);
            rows.push(row(judge, Against::Database, &tables, unparsed, resampling));
        }
        rows
    }

    /// The pairs of which a judge says `said` and what it is held against says `truth`: those that a
    /// [`JudgeRow`] counts, but for such that the store has no runs of.
    pub fn judge_pairs(
        &self,
        judge: &str,
        against: &Against,
        said: bool,
        truth: bool,
    ) -> Vec<PairId> {
        let own = self.said(judge);
        let other = match against {
            Against::Judge(name) => self.said(name),
            Against::Database => self.database_truth(),
        };
        let fits = |(pair, own): &(&Pair, &bool)| **own == said && other.get(pair) == Some(&truth);
        let known = own.iter().filter(fits).filter_map(|(pair, _)| {
            let ((cell, task), reference, draw) = *pair;
            let there = (cell as usize) < self.frames.len() && reference == 0;
            there.then_some(PairId { id: TaskId { cell, task }, draw })
        });
        let mut pairs: Vec<PairId> = known.collect();
        pairs.sort_unstable();
        pairs
    }

    /// What a judge says.
    fn said(&self, judge: &str) -> Said {
        let Some(judge) = self.judges.place(judge) else { return HashMap::new() };
        let own = self.verdicts().filter(|(_, own)| own.judge == judge);
        let parsed = own.filter_map(|(place, own)| {
            own.equivalent.map(|equivalent| ((place, own.draw_a, own.draw_b), equivalent))
        });
        parsed.collect()
    }

    /// All verdicts, with the places of their tasks.
    fn verdicts(&self) -> impl Iterator<Item = (Place, &Verdict)> {
        let known = (0u32..).zip(&self.frames).flat_map(|(place, frame)| {
            let own = frame.verdicts.iter().chain(&frame.human);
            own.map(move |own| ((place, own.task), own))
        });
        let behind = self.frames.len() as u32;
        let mut numbers: HashMap<(&Cell, &str), u32> = HashMap::new();
        let strangers = (0u32..).zip(self.strangers.iter()).map(move |(number, own)| {
            // Several verdicts on one task are about the same task: the first one's number stands.
            let number = *numbers.entry((&own.cell, &own.task)).or_insert(number);
            ((behind, number), &own.verdict)
        });
        known.chain(strangers)
    }

    /// What the database says of every pair, where it does.
    fn database_truth(&self) -> Said {
        let mut truth = HashMap::new();
        for (place, frame) in (0u32..).zip(&self.frames) {
            for (number, task) in (0u32..).zip(frame.tasks.iter()) {
                truth.extend(task.samples.iter().filter_map(|sample| {
                    let pair = ((place, number), 0, sample.draw);
                    Some((pair, same_state(task.db_match, sample.db_match)?))
                }));
            }
        }
        truth
    }

    /// Cell and id of a task.
    fn name_of(&self, (frame, task): Place) -> (&Cell, &str) {
        if let Some(frame) = self.frames.get(frame as usize) {
            return (&frame.cell, &frame.tasks[task as usize].id);
        }
        let own = &self.strangers[task as usize];
        (&own.cell, &own.task)
    }

    /// A table for every task, by its name: the order is the same however the store is sorted.
    fn tables(&self, own: &Said, other: &Said) -> Vec<Table> {
        let mut tasks: HashMap<Place, Table> = HashMap::new();
        for (pair, said) in own {
            if let Some(truth) = other.get(pair) {
                tasks.entry(pair.0).or_default()[Confusion::field(*said, *truth)] += 1.0;
            }
        }
        let mut tasks: Vec<(Place, Table)> = tasks.into_iter().collect();
        tasks.sort_unstable_by(|a, b| self.name_of(a.0).cmp(&self.name_of(b.0)));
        tasks.into_iter().map(|(_, table)| table).collect()
    }
}

/// Whether two draws are equivalent by the database: both reach the gold state, or exactly one does.
/// Of a pair of which neither does it tells nothing.
pub(super) fn same_state(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a?, b?) {
        (false, false) => None,
        (a, b) => Some(a == b),
    }
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
        // One task alone says nothing about others.
        Some(resampling) if tables.len() > 1 => {
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
        confusion: Confusion::from(sums),
        n: Confusion::from(sums).total() as usize,
        unparsed,
    }
}
