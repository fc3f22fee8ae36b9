//! The pairs that a person should review, and their order: those on which judges disagree,
//! contradict the database or are unsure; all pairs at random; or those on which people disagree.
//! In the first two lists, votes only mark pairs as done, so the lists keep their length while
//! somebody works on them.

mod orders;

use std::collections::{HashMap, HashSet};

use super::judges::{LeftOut, NoTruth, Verdict, database_truth};
use super::{Engine, Frame, PairId, Scope, TaskId};
use crate::metrics::TIE;
use crate::model::{Cell, is_human, natural_order};
use crate::store::{ChosenBy, Vote};

/// The disagreement of a pair on which all agree but one is unsure.
const UNSURE_ONLY: f64 = 0.25;

/// The confidence of a judge that states none.
const UNSTATED: f64 = 0.5;

/// Which pairs are offered to vote on, and in which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PairOrder {
    /// Pairs on which judges disagree or are unsure, the most urgent first.
    #[default]
    Queue,
    /// All pairs in a random order that is always the same.
    Audit,
    /// Pairs on which people disagree.
    Adjudication,
}

impl PairOrder {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Queue, Self::Audit, Self::Adjudication];

    /// How a vote in this order says that its pair was chosen.
    pub fn chosen_by(self) -> ChosenBy {
        match self {
            Self::Queue => ChosenBy::Queue,
            Self::Audit => ChosenBy::Audit,
            Self::Adjudication => ChosenBy::Adjudication,
        }
    }
}

/// Which pairs are queued.
#[derive(Clone, Debug)]
pub struct TriageOptions {
    /// The cells to look at.
    pub scope: Scope,
    /// A stated confidence below this is low.
    pub low_confidence: f64,
    /// Whose votes mark a pair as done; anybody's by default.
    pub author: Option<String>,
    /// Which pairs, in which order.
    pub order: PairOrder,
}

impl Default for TriageOptions {
    fn default() -> Self {
        Self { scope: Scope::All, low_confidence: 0.6, author: None, order: PairOrder::Queue }
    }
}

/// Why a pair is queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Two judges say different things.
    JudgesDisagree,
    /// A judge says other than the database.
    AgainstDatabase,
    /// A judge is not sure.
    LowConfidence,
    /// Two people say different things.
    PeopleDisagree,
}

impl Reason {
    /// The id that JSON uses.
    pub fn id(self) -> &'static str {
        match self {
            Self::JudgesDisagree => "judges-disagree",
            Self::AgainstDatabase => "against-database",
            Self::LowConfidence => "low-confidence",
            Self::PeopleDisagree => "people-disagree",
        }
    }
}

/// The verdict of one model on a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opinion {
    /// The index of the judge in [`Engine::judges`].
    pub judge: usize,
    /// Equivalent or not.
    pub equivalent: bool,
    /// The confidence that it states.
    pub confidence: Option<f64>,
}

/// A pair to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct TriageItem {
    /// The pair.
    pub pair: PairId,
    /// The reasons, in the order of [`Reason`].
    pub reasons: Vec<Reason>,
    /// The verdicts of the models, by judge.
    pub opinions: Vec<Opinion>,
    /// Whether the database calls the pair equivalent, or why it does not decide.
    pub truth: Result<bool, NoTruth>,
    /// How evenly opinions and database are split, 0 to 1.
    pub disagreement: f64,
    /// The mean confidence of judges in conflict, or the doubt of the least sure where they agree.
    pub confidence: f64,
    /// By how much one verdict moves the task's `ter`.
    pub effect: f64,
    /// Whether a person voted on it; where people disagree, whether somebody settled it.
    pub done: bool,
}

impl TriageItem {
    /// What orders the queue: disagreement × confidence × effect.
    pub fn priority(&self) -> f64 {
        self.disagreement * self.confidence * self.effect
    }
}

/// Pairs to look at, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriageQueue {
    /// Which order it is.
    pub order: PairOrder,
    /// All pairs, done or not.
    pub items: Vec<TriageItem>,
    /// Pairs with verdicts of models, queued or not, that the database says nothing about.
    pub left_out: LeftOut,
}

impl TriageQueue {
    /// How many pairs are done.
    pub fn done(&self) -> usize {
        self.items.iter().filter(|item| item.done).count()
    }

    /// The index of the first pair from `start` on that is not done, wrapping around at the end.
    pub fn next_open(&self, start: usize) -> Option<usize> {
        let mut indices = (start..self.items.len()).chain(0..start.min(self.items.len()));
        indices.find(|index| !self.items[*index].done)
    }
}

impl Engine {
    /// The pairs that a person should look at.
    pub fn triage(&self, options: &TriageOptions) -> TriageQueue {
        let mut queue = match options.order {
            PairOrder::Queue => self.urgent(options),
            PairOrder::Audit => self.audit(options),
            PairOrder::Adjudication => self.adjudication(options),
        };
        self.mark(&mut queue, options.author.as_deref());
        queue
    }

    /// The pairs on which judges disagree or are unsure, the most urgent first.
    fn urgent(&self, options: &TriageOptions) -> TriageQueue {
        let model: Vec<bool> = self.judges().iter().map(|judge| !is_human(judge)).collect();
        let mut items = Vec::new();
        let mut left_out = LeftOut::default();
        for cell in self.cells_of(&options.scope) {
            let frame = &self.frames[cell];
            let judged = opinions(frame, &model);
            let effects: Vec<f64> =
                judged.iter().map(|(row, _)| 1.0 / judged_pairs(frame, &judged, *row)).collect();
            for ((task, pairs), effect) in judged.into_iter().zip(effects) {
                let id = TaskId { cell: cell as u32, task };
                for (draw, _) in &pairs {
                    let task = &frame.tasks[task as usize];
                    let sample = task.samples.iter().find(|sample| sample.draw == *draw);
                    sample.into_iter().for_each(|sample| left_out.add(task, sample));
                }
                items.extend(pairs.into_iter().filter_map(|(draw, opinions)| {
                    item(frame, PairId { id, draw }, opinions, effect, options.low_confidence)
                        .filter(|item| !item.reasons.is_empty())
                }));
            }
        }
        items.sort_by(|a, b| b.priority().total_cmp(&a.priority()));
        // Ties go by name, and last-bit noise breaks none.
        for tied in items.chunk_by_mut(|a, b| a.priority() - b.priority() < TIE) {
            tied.sort_by(|a, b| self.pair_order(a.pair, b.pair));
        }
        TriageQueue { order: PairOrder::Queue, items, left_out }
    }

    /// Marks the pairs of a queue that are done, which is all that a new vote changes.
    pub fn mark(&self, queue: &mut TriageQueue, author: Option<&str>) {
        let settles = queue.order == PairOrder::Adjudication;
        let voted = self.voted(|vote| {
            if settles {
                // Whoever settled it, it is settled.
                vote.is_adjudication() && vote.verdict.equivalent().is_some()
            } else {
                author.is_none_or(|author| author == vote.author)
            }
        });
        for item in &mut queue.items {
            let frame = &self.frames[item.pair.id.cell as usize];
            let task = &frame.tasks[item.pair.id.task as usize];
            let (a, b) = (task.draw.min(item.pair.draw), task.draw.max(item.pair.draw));
            item.done = voted.contains(&(&frame.cell, &task.id, a, b));
        }
    }

    /// The pairs with a vote that counts here.
    fn voted(&self, counts: impl Fn(&Vote) -> bool) -> HashSet<(&Cell, &str, u32, u32)> {
        let pairs = self.votes.iter().filter(|vote| counts(vote));
        pairs.map(|vote| (&vote.cell, &*vote.task, vote.draw_a, vote.draw_b)).collect()
    }

    /// Pairs by cell, task and draw.
    fn pair_order(&self, a: PairId, b: PairId) -> std::cmp::Ordering {
        let name = |pair: PairId| {
            let frame = &self.frames[pair.id.cell as usize];
            (&frame.cell, &frame.tasks[pair.id.task as usize])
        };
        let ((cell_a, task_a), (cell_b, task_b)) = (name(a), name(b));
        let by_task = || natural_order(&task_a.id, &task_b.id);
        let by_draws = || (task_a.draw, a.draw).cmp(&(task_b.draw, b.draw));
        cell_a.cmp(cell_b).then_with(by_task).then_with(by_draws)
    }
}

/// The number of pairs with a verdict of a model that enter `ter` of a row.
fn judged_pairs(frame: &Frame, judged: &[Judged], row: u32) -> f64 {
    let draw = frame.tasks[row as usize].draw;
    let rows = frame.rows_of(row as usize);
    let of_task = judged.iter().filter(|(other, _)| rows.contains(&(*other as usize)));
    let pairs = of_task.map(|(other, pairs)| {
        pairs.iter().filter(|(other_draw, _)| *other == row || *other_draw == draw).count()
    });
    pairs.sum::<usize>() as f64
}

/// A row and its pairs with the verdicts of the models.
type Judged = (u32, Vec<(u32, Vec<Opinion>)>);

/// The verdicts of the models on the pairs of a frame, task by task.
fn opinions(frame: &Frame, model: &[bool]) -> Vec<Judged> {
    let counts = |verdict: &&Verdict| frame.is_on_row(verdict) && model[verdict.judge as usize];
    let mut by_pair: HashMap<(u32, u32), Vec<Opinion>> = HashMap::new();
    for verdict in frame.verdicts.iter().filter(counts) {
        let Some(equivalent) = verdict.equivalent else { continue };
        let judge = verdict.judge as usize;
        let confidence = Some(verdict.confidence).filter(|value| !value.is_nan());
        let opinion = Opinion { judge, equivalent, confidence };
        let known = by_pair.entry((verdict.task, verdict.draw_b)).or_default();
        // The last verdict of a judge counts, as it does in `ter`.
        match known.iter_mut().find(|known| known.judge == judge) {
            Some(known) => *known = opinion,
            None => known.push(opinion),
        }
    }
    let mut pairs: Vec<((u32, u32), Vec<Opinion>)> = by_pair.into_iter().collect();
    pairs.sort_unstable_by_key(|(pair, _)| *pair);
    let mut tasks: Vec<Judged> = Vec::new();
    for ((task, draw), mut opinions) in pairs {
        opinions.sort_unstable_by_key(|opinion| opinion.judge);
        match tasks.last_mut().filter(|(last, _)| *last == task) {
            Some((_, pairs)) => pairs.push((draw, opinions)),
            None => tasks.push((task, vec![(draw, opinions)])),
        }
    }
    tasks
}

/// A pair with the reasons to look at it; none where it has no reference or sample.
fn item(
    frame: &Frame,
    pair: PairId,
    opinions: Vec<Opinion>,
    effect: f64,
    low: f64,
) -> Option<TriageItem> {
    let task = &frame.tasks[pair.id.task as usize];
    if !task.has_reference {
        return None;
    }
    let sample = task.samples.iter().find(|sample| sample.draw == pair.draw)?;
    let database = database_truth(task, sample);
    let truth = database.ok();
    let yes = opinions.iter().filter(|opinion| opinion.equivalent).count();
    let no = opinions.len() - yes;
    let against =
        truth.is_some_and(|truth| opinions.iter().any(|opinion| opinion.equivalent != truth));
    let stated = || opinions.iter().filter_map(|opinion| opinion.confidence);
    let least = stated().fold(f64::INFINITY, f64::min);
    let reasons: Vec<Reason> = [
        (Reason::JudgesDisagree, yes > 0 && no > 0),
        (Reason::AgainstDatabase, against),
        (Reason::LowConfidence, least < low),
    ]
    .into_iter()
    .filter_map(|(reason, holds)| holds.then_some(reason))
    .collect();
    let conflict = (yes > 0 && no > 0) || against;
    let (disagreement, confidence) = if conflict {
        let yes = yes + usize::from(truth == Some(true));
        let no = no + usize::from(truth == Some(false));
        let sure: f64 = opinions.iter().map(|opinion| opinion.confidence.unwrap_or(UNSTATED)).sum();
        (2.0 * yes.min(no) as f64 / (yes + no) as f64, sure / opinions.len() as f64)
    } else {
        // Nobody says anything where no confidence is stated.
        (UNSURE_ONLY, 1.0 - least.clamp(0.0, 1.0))
    };
    Some(TriageItem {
        pair,
        reasons,
        opinions,
        truth: database,
        disagreement,
        confidence,
        effect,
        done: false,
    })
}
