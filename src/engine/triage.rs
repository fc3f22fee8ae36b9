//! Which pairs a person should look at first: where judges disagree, contradict the database or are
//! unsure. Models and the database make the queue, people's votes only mark what is done: its length
//! stays while somebody works through it.

use std::collections::{HashMap, HashSet};

use super::judges::{Verdict, same_state};
use super::{Engine, Frame, PairId, Scope, TaskId};
use crate::model::{Cell, is_human, natural_order};

/// The disagreement of a pair on which all agree, but not surely.
const UNSURE_ONLY: f64 = 0.25;

/// The confidence of a judge that states none.
const UNSTATED: f64 = 0.5;

/// What is queued.
#[derive(Clone, Debug)]
pub struct TriageOptions {
    /// The cells to look at.
    pub scope: Scope,
    /// A stated confidence below this is low.
    pub low_confidence: f64,
    /// Whose votes mark a pair as done; anybody's when unsaid.
    pub author: Option<String>,
}

impl Default for TriageOptions {
    fn default() -> Self {
        Self { scope: Scope::All, low_confidence: 0.6, author: None }
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
}

impl Reason {
    /// The id that JSON uses.
    pub fn id(self) -> &'static str {
        match self {
            Self::JudgesDisagree => "judges-disagree",
            Self::AgainstDatabase => "against-database",
            Self::LowConfidence => "low-confidence",
        }
    }
}

/// What one judge says of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opinion {
    /// Place of the judge in [`Engine::judges`].
    pub judge: usize,
    /// Equivalent or not.
    pub equivalent: bool,
    /// How sure it says it is.
    pub confidence: Option<f64>,
}

/// A pair to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct TriageItem {
    /// The pair.
    pub pair: PairId,
    /// Why, in the order of [`Reason`].
    pub reasons: Vec<Reason>,
    /// What the models say, by judge.
    pub opinions: Vec<Opinion>,
    /// What the database says, where it does.
    pub truth: Option<bool>,
    /// How evenly opinions and database are split, 0 to 1.
    pub disagreement: f64,
    /// How surely they are in conflict, or how unsure they are where they are not.
    pub confidence: f64,
    /// By how much one verdict moves the task's `ter`.
    pub effect: f64,
    /// Whether a person voted on it.
    pub done: bool,
}

impl TriageItem {
    /// What orders the queue: disagreement × confidence × effect.
    pub fn priority(&self) -> f64 {
        self.disagreement * self.confidence * self.effect
    }
}

/// The queue, the most urgent first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triage {
    /// All of it, done or not.
    pub items: Vec<TriageItem>,
}

impl Triage {
    /// How many pairs are done.
    pub fn done(&self) -> usize {
        self.items.iter().filter(|item| item.done).count()
    }

    /// The place of the first pair from `start` on that is not done, from the top again at the end.
    pub fn next_open(&self, start: usize) -> Option<usize> {
        let places = (start..self.items.len()).chain(0..start.min(self.items.len()));
        places.into_iter().find(|place| !self.items[*place].done)
    }
}

impl Engine {
    /// The pairs that a person should look at.
    pub fn triage(&self, options: &TriageOptions) -> Triage {
        let model: Vec<bool> = self.judges().iter().map(|own| !is_human(own)).collect();
        let mut items = Vec::new();
        for cell in self.cells_of(&options.scope) {
            let frame = &self.frames[cell];
            for (task, pairs) in opinions(frame, &model) {
                let effect = 1.0 / pairs.len() as f64;
                let id = TaskId { cell: cell as u32, task };
                items.extend(pairs.into_iter().filter_map(|(draw, opinions)| {
                    item(frame, PairId { id, draw }, opinions, effect, options.low_confidence)
                }));
            }
        }
        items.sort_by(|a, b| {
            let by_name = || self.pair_order(a.pair, b.pair);
            b.priority().total_cmp(&a.priority()).then_with(by_name)
        });
        let mut queue = Triage { items };
        self.mark(&mut queue, options.author.as_deref());
        queue
    }

    /// Marks what is done of a queue of the same store: all that a new vote changes in it.
    pub fn mark(&self, queue: &mut Triage, author: Option<&str>) {
        let voted = self.voted(author);
        for item in &mut queue.items {
            let frame = &self.frames[item.pair.id.cell as usize];
            let task = frame.tasks[item.pair.id.task as usize].id.as_str();
            item.done = voted.contains(&(&frame.cell, task, item.pair.draw));
        }
    }

    /// The pairs with a vote of this author, or of anybody.
    fn voted(&self, author: Option<&str>) -> HashSet<(&Cell, &str, u32)> {
        let votes = self.votes.iter().filter(|vote| author.is_none_or(|own| own == vote.author));
        let pairs = votes.filter(|vote| vote.draw_a.min(vote.draw_b) == 0);
        pairs.map(|vote| (&vote.cell, &*vote.task, vote.draw_a.max(vote.draw_b))).collect()
    }

    /// Pairs by cell, task and draw.
    fn pair_order(&self, a: PairId, b: PairId) -> std::cmp::Ordering {
        let name = |pair: PairId| {
            let frame = &self.frames[pair.id.cell as usize];
            (&frame.cell, frame.tasks[pair.id.task as usize].id.as_str())
        };
        let ((cell_a, task_a), (cell_b, task_b)) = (name(a), name(b));
        let by_task = || natural_order(task_a, task_b);
        cell_a.cmp(cell_b).then_with(by_task).then(a.draw.cmp(&b.draw))
    }
}

/// The pairs of one task with what models say of each.
type Judged = (u32, Vec<(u32, Vec<Opinion>)>);

/// What models say of the pairs of a frame, task by task.
fn opinions(frame: &Frame, model: &[bool]) -> Vec<Judged> {
    let counts = |own: &&Verdict| own.draw_a == 0 && model[own.judge as usize];
    let mut said: HashMap<(u32, u32), Vec<Opinion>> = HashMap::new();
    for own in frame.verdicts.iter().filter(counts) {
        let Some(equivalent) = own.equivalent else { continue };
        let judge = own.judge as usize;
        let confidence = Some(own.confidence).filter(|value| !value.is_nan());
        let opinion = Opinion { judge, equivalent, confidence };
        let known = said.entry((own.task, own.draw_b)).or_default();
        // The last word of a judge counts, as it does in `ter`.
        match known.iter_mut().find(|known| known.judge == judge) {
            Some(known) => *known = opinion,
            None => known.push(opinion),
        }
    }
    let mut pairs: Vec<((u32, u32), Vec<Opinion>)> = said.into_iter().collect();
    pairs.sort_unstable_by_key(|(pair, _)| *pair);
    let mut tasks: Vec<Judged> = Vec::new();
    for ((task, draw), mut opinions) in pairs {
        opinions.sort_unstable_by_key(|own| own.judge);
        match tasks.last_mut().filter(|(last, _)| *last == task) {
            Some((_, pairs)) => pairs.push((draw, opinions)),
            None => tasks.push((task, vec![(draw, opinions)])),
        }
    }
    tasks
}

/// A pair, if there is a reason to look at it.
fn item(
    frame: &Frame,
    pair: PairId,
    opinions: Vec<Opinion>,
    effect: f64,
    low: f64,
) -> Option<TriageItem> {
    let task = &frame.tasks[pair.id.task as usize];
    let sample = task.samples.iter().find(|sample| sample.draw == pair.draw)?;
    let truth = same_state(task.db_match, sample.db_match);
    let yes = opinions.iter().filter(|own| own.equivalent).count();
    let no = opinions.len() - yes;
    let against = truth.is_some_and(|truth| opinions.iter().any(|own| own.equivalent != truth));
    let stated = || opinions.iter().filter_map(|own| own.confidence);
    let least = stated().fold(f64::INFINITY, f64::min);
    let reasons: Vec<Reason> = [
        (Reason::JudgesDisagree, yes > 0 && no > 0),
        (Reason::AgainstDatabase, against),
        (Reason::LowConfidence, least < low),
    ]
    .into_iter()
    .filter_map(|(reason, holds)| holds.then_some(reason))
    .collect();
    if reasons.is_empty() {
        return None;
    }
    let conflict = (yes > 0 && no > 0) || against;
    let (disagreement, confidence) = if conflict {
        let yes = yes + usize::from(truth == Some(true));
        let no = no + usize::from(truth == Some(false));
        let sure: f64 = opinions.iter().map(|own| own.confidence.unwrap_or(UNSTATED)).sum();
        (2.0 * yes.min(no) as f64 / (yes + no) as f64, sure / opinions.len() as f64)
    } else {
        (UNSURE_ONLY, 1.0 - least)
    };
    Some(TriageItem {
        pair,
        reasons,
        opinions,
        truth,
        disagreement,
        confidence,
        effect,
        done: false,
    })
}
