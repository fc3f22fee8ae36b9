//! Judges compared with each other and with the database.

mod blind;
mod effect;
mod human;
mod sides;
mod sources;
mod spec;
mod swap;
mod ter;
mod truth;

use std::collections::{BTreeMap, HashMap};

use super::frame::{Frame, Sample};
use super::{Engine, FEW, PairId, TaskId};
use crate::metrics::agreement::Confusion;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::model::{Cell, HUMAN, author_of};

pub use effect::{VoteEffect, VoteSubject, vote_effects};
pub(super) use human::{HumanVerdict, split};
use sides::Sides;
pub use sources::VoteSources;
pub use spec::JudgeSpec;
pub(super) use spec::Judges;
pub use swap::JudgeTer;
pub(super) use truth::database_truth;
pub use truth::{LeftOut, NoTruth};

/// The verdict of a judge on one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    /// The index of the task in its frame; where every draw is a row, that of the first draw.
    pub(super) task: u32,
    pub(super) draw_a: u32,
    pub(super) draw_b: u32,
    /// The index of the judge.
    pub(super) judge: u32,
    pub(super) equivalent: Option<bool>,
    /// The confidence that the judge states, NaN where it states none.
    pub(super) confidence: f64,
}

/// The verdict of a judge on a pair of a task that the store does not hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OrphanVerdict {
    pub(super) cell: Cell,
    pub(super) task: String,
    pub(super) verdict: Verdict,
}

/// The verdict of one judge on a pair, as screens show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgeWord {
    /// The index of the judge in [`Engine::judges`].
    pub judge: usize,
    /// Equivalent or not; none when the answer did not parse.
    pub equivalent: Option<bool>,
    /// The confidence that the judge states.
    pub confidence: Option<f64>,
}

/// What a judge is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// Another judge.
    Judge(String),
    /// Whether both draws reach the gold database.
    Database,
}

/// A judge compared with another one or with the database. Precision, recall and F1 exist against the
/// database only.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeRow {
    /// The judge.
    pub judge: String,
    /// What it is compared with.
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
    /// The four counts of what both say; [`Engine::judge_pairs`] lists the pairs of each.
    pub confusion: Confusion,
    /// Pairs compared.
    pub n: usize,
    /// The tasks of these pairs.
    pub tasks: usize,
    /// Answers of the judge that did not parse.
    pub unparsed: usize,
    /// Pairs with a verdict that the database says nothing about; none against another judge.
    pub left_out: Option<LeftOut>,
    /// How the pairs of the votes were chosen; none where both sides are models.
    pub votes: Option<VoteSources>,
    /// The same on the pairs alone that came up in the random order; none where both sides are models.
    pub audited: Option<Audited>,
    /// It is blanked, since it would tell a verdict to somebody who votes.
    pub held_back: bool,
}

impl JudgeRow {
    /// Pairs of the rarer answer, on the side where it is rarer.
    pub fn minority(&self) -> usize {
        self.confusion.minority() as usize
    }

    /// Whether κ is too uncertain: too few pairs of the rarer answer.
    pub fn is_flagged(&self) -> bool {
        self.minority() < FEW
    }

    /// Whether some votes are on pairs that were not drawn at random.
    pub fn is_biased(&self) -> bool {
        self.votes.is_some_and(|votes| votes.is_biased())
    }
}

/// Agreement on the pairs that came up in the random order.
#[derive(Clone, Debug, PartialEq)]
pub struct Audited {
    /// Pairs compared.
    pub n: usize,
    /// The tasks of these pairs.
    pub tasks: usize,
    /// Share of pairs on which both sides agree, with its interval.
    pub agreement: (Option<f64>, Option<Interval>),
    /// Cohen's κ.
    pub kappa: (Option<f64>, Option<Interval>),
}

/// The index of a frame and of a task in it. Tasks that no frame holds are numbered in a frame after
/// the last.
type TaskIndex = (u32, u32);

/// A task and two of its draws.
type Pair = (TaskIndex, u32, u32);

/// The counts of a [`Confusion`] from one task.
type TaskConfusion = [f64; 4];

/// Which pairs a judge, or the database, calls equivalent.
type Verdicts = HashMap<Pair, bool>;

impl Engine {
    /// The verdicts of all judges on a pair, in the order of the judges.
    pub fn words_on(&self, pair: PairId) -> Vec<JudgeWord> {
        let frame = self.frames.get(pair.id.cell as usize);
        // The pair of two rows may be asked for from either.
        let settled = frame.and_then(|frame| frame.settled_pair(pair));
        let is_about =
            |verdict: &&Verdict| settled == Some((verdict.task, verdict.draw_a, verdict.draw_b));
        let all = frame.into_iter().flat_map(Frame::all_verdicts);
        // The last verdict of a judge counts.
        let mut words: BTreeMap<usize, JudgeWord> = BTreeMap::new();
        for verdict in all.filter(is_about) {
            let judge = verdict.judge as usize;
            let confidence = Some(verdict.confidence).filter(|value| !value.is_nan());
            words.insert(judge, JudgeWord { judge, equivalent: verdict.equivalent, confidence });
        }
        words.into_values().collect()
    }

    /// Whether the database calls a pair equivalent, or why it does not decide.
    pub fn truth_on(&self, pair: PairId) -> Result<bool, NoTruth> {
        let frame = self.frames.get(pair.id.cell as usize);
        let task = frame.and_then(|frame| frame.tasks.get(pair.id.task as usize));
        let sample = task.and_then(|task| task.samples.iter().find(|draw| draw.draw == pair.draw));
        let known = task.zip(sample).ok_or(NoTruth::NotRecorded);
        known.and_then(|(task, sample)| truth::database_truth(task, sample))
    }

    /// The pairs on which a judge's answer did not parse.
    pub fn unparsed_pairs(&self, judge: &str) -> Vec<PairId> {
        let Some(judge) = self.judges.index(judge) else { return Vec::new() };
        let unparsed = |verdict: &&Verdict| verdict.judge == judge && verdict.equivalent.is_none();
        let pairs = (0u32..).zip(&self.frames).flat_map(|(cell, frame)| {
            let verdicts = frame.verdicts.iter().filter(unparsed);
            let verdicts = verdicts.filter(|verdict| frame.is_on_row(verdict));
            verdicts.map(move |verdict| PairId {
                id: TaskId { cell, task: verdict.task },
                draw: verdict.draw_b,
            })
        });
        pairs.collect()
    }

    /// Every judge against every later one and against the database.
    pub fn judge_rows(&self, resampling: Option<Resampling>) -> Vec<JudgeRow> {
        let names = &self.judges.names;
        let mut unparsed = vec![0; names.len()];
        let mut verdicts: Vec<Verdicts> = vec![HashMap::new(); names.len()];
        for (task, verdict) in self.all_verdicts() {
            let judge = verdict.judge as usize;
            match verdict.equivalent {
                Some(equivalent) => {
                    verdicts[judge].insert((task, verdict.draw_a, verdict.draw_b), equivalent);
                }
                None => unparsed[judge] += 1,
            }
        }
        let (truth, votes) = (self.database_truth(), self.vote_sources());
        let mut rows = Vec::new();
        for (index, judge) in names.iter().enumerate() {
            let unparsed = unparsed[index];
            for (other, name) in names.iter().enumerate().skip(index + 1) {
                // People together, where one of them is compared with the others.
                let others = self.others_than(judge, name);
                let [mut sides, of_name] =
                    [index, other].map(|judge| (&verdicts[judge], votes.get(&(judge as u32))));
                if let Some((verdicts, sources)) = &others {
                    sides = (verdicts, Some(sources));
                }
                let sides =
                    Sides { verdicts: sides.0, other: of_name.0, votes: [sides.1, of_name.1] };
                rows.push(self.row(
                    judge,
                    Against::Judge(name.clone()),
                    sides,
                    unparsed,
                    resampling,
                ));
            }
            let of_judge = votes.get(&(index as u32));
            let sides =
                Sides { verdicts: &verdicts[index], other: &truth, votes: [of_judge, None] };
            let compared = self.row(judge, Against::Database, sides, unparsed, resampling);
            let left_out = Some(self.left_out(verdicts[index].keys()));
            rows.push(JudgeRow { left_out, ..compared });
        }
        rows
    }

    /// The pairs of which a judge says `said` and the other side says `truth`: those that a
    /// [`JudgeRow`] counts, without pairs that the store has no runs of.
    pub fn judge_pairs(
        &self,
        judge: &str,
        against: &Against,
        said: bool,
        truth: bool,
    ) -> Vec<PairId> {
        let verdicts = match against {
            Against::Judge(name) => self.others_than(judge, name).map(|(verdicts, _)| verdicts),
            Against::Database => None,
        };
        let verdicts = verdicts.unwrap_or_else(|| self.verdicts_of(judge));
        let other = match against {
            Against::Judge(name) => self.verdicts_of(name),
            Against::Database => self.database_truth(),
        };
        let fits = |(pair, equivalent): &(&Pair, &bool)| {
            **equivalent == said && other.get(pair) == Some(&truth)
        };
        let known = verdicts.iter().filter(fits).filter_map(|(pair, _)| {
            let ((cell, task), reference, draw) = *pair;
            let frame = self.frames.get(cell as usize);
            let is_known = frame.is_some_and(|frame| frame.tasks[task as usize].draw == reference);
            is_known.then_some(PairId { id: TaskId { cell, task }, draw })
        });
        let mut pairs: Vec<PairId> = known.collect();
        pairs.sort_unstable();
        pairs
    }

    /// What people say without one of them, where these two judges are people together and that one.
    fn others_than(
        &self,
        judge: &str,
        other: &str,
    ) -> Option<(Verdicts, HashMap<Pair, VoteSources>)> {
        let author = author_of(other).filter(|_| judge == HUMAN)?;
        Some(self.verdicts_without(author))
    }

    /// The parsed verdicts of a judge.
    fn verdicts_of(&self, judge: &str) -> Verdicts {
        let Some(judge) = self.judges.index(judge) else { return HashMap::new() };
        let verdicts = self.all_verdicts().filter(|(_, verdict)| verdict.judge == judge);
        let parsed = verdicts.filter_map(|(task, verdict)| {
            Some(((task, verdict.draw_a, verdict.draw_b), verdict.equivalent?))
        });
        parsed.collect()
    }

    /// All verdicts with the tasks they are about.
    fn all_verdicts(&self) -> impl Iterator<Item = (TaskIndex, &Verdict)> {
        let known = (0u32..).zip(&self.frames).flat_map(|(cell, frame)| {
            frame.all_verdicts().map(move |verdict| ((cell, verdict.task), verdict))
        });
        let behind = self.frames.len() as u32;
        let mut numbers: HashMap<(&Cell, &str), u32> = HashMap::new();
        let orphans = (0u32..).zip(self.orphans.iter()).map(move |(number, orphan)| {
            // All verdicts on one task get the number of the first.
            let number = *numbers.entry((&orphan.cell, &orphan.task)).or_insert(number);
            ((behind, number), &orphan.verdict)
        });
        known.chain(orphans)
    }

    /// Which pairs are equivalent by the database, where it decides.
    fn database_truth(&self) -> Verdicts {
        let mut truth = HashMap::new();
        for (cell, frame) in (0u32..).zip(&self.frames) {
            for (number, task) in (0u32..).zip(frame.tasks.iter()) {
                let counts = |sample: &&Sample| frame.counts_pair(number as usize, sample);
                truth.extend(task.samples.iter().filter(counts).filter_map(|sample| {
                    let pair = ((cell, number), task.draw, sample.draw);
                    Some((pair, truth::database_truth(task, sample).ok()?))
                }));
            }
        }
        truth
    }

    /// Which of some pairs the database says nothing about.
    fn left_out<'p>(&self, pairs: impl Iterator<Item = &'p Pair>) -> LeftOut {
        let mut left_out = LeftOut::default();
        for &((cell, task), draw_a, draw_b) in pairs {
            let task = self.frames.get(cell as usize).map(|frame| &frame.tasks[task as usize]);
            let sample = task.and_then(|task| {
                task.samples.iter().find(|sample| draw_a == task.draw && sample.draw == draw_b)
            });
            match task.zip(sample) {
                Some((task, sample)) => left_out.add(task, sample),
                None => left_out.not_recorded += 1,
            }
        }
        left_out
    }
}
