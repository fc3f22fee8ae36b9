//! The scores and ranks beside the rows of the task table.

use super::TaskId;
use crate::engine::{Frame, Task, TaskValues};
use crate::metrics::{Ranking, TIE};
use crate::scorers::Scorer;

/// The scores of one cell's tasks, NaN where absent; only those in scope have ranks.
#[derive(Clone, Debug, Default)]
pub(super) struct Scores {
    pub(super) score: Vec<f64>,
    /// The numbers that rank: logs where the scorer ranks by them.
    ranking: Vec<f64>,
    /// Whether all tasks are in scope.
    is_whole: bool,
    pub(super) rank: Vec<f64>,
    /// How many tasks are more confident, by task.
    above: Vec<u32>,
    /// How many are as confident, counting the task itself.
    tied: Vec<u32>,
    ranked: usize,
    /// How many tasks are in the first, the first two and the first three quarters.
    quarters: [u32; 3],
    /// The lowest and highest finite score.
    range: Option<(f64, f64)>,
    before: Option<Vec<f64>>,
    pub(super) extra: Vec<Vec<f64>>,
}

impl Scores {
    pub(super) fn new(
        frame: &Frame,
        scorer: &Scorer,
        before: Option<&Scorer>,
        extra: &[Scorer],
        scope: Option<&[u32]>,
    ) -> Self {
        let values = frame.values(scorer);
        let score = confidences(frame, values.as_ref());
        let ranked_values = rankable(values, scope);
        let ranking = Ranking::new(&ranked_values);
        let rank = ranks(frame, &ranking);
        let (above, tied) = above_and_tied(frame, &ranking);
        let quarters = ranking.quarters();
        let ranked = rank.iter().filter(|rank| !rank.is_nan()).count();
        let before = before
            .map(|before| ranks(frame, &Ranking::new(&rankable(frame.values(before), scope))));
        let extra =
            extra.iter().map(|other| confidences(frame, frame.values(other).as_ref())).collect();
        let inside = rank.iter().zip(&score).filter(|(rank, _)| !rank.is_nan());
        let known = inside.map(|(_, score)| *score).filter(|score| score.is_finite());
        let range = known.fold(None, |range: Option<(f64, f64)>, score| {
            Some(range.map_or((score, score), |(lo, hi)| (lo.min(score), hi.max(score))))
        });
        Self {
            score,
            ranking: ranked_values,
            is_whole: scope.is_none(),
            rank,
            above,
            tied,
            ranked,
            quarters,
            range,
            before,
            extra,
        }
    }

    /// Only the scores of further scorers, for what asks nothing of the current one.
    pub(super) fn of_others(frame: &Frame, others: &[Scorer]) -> Self {
        let extra = others.iter().map(|other| confidences(frame, frame.values(other).as_ref()));
        Self { extra: extra.collect(), ..Self::default() }
    }

    /// The numbers that rank, where they are those of all tasks.
    pub(super) fn all_ranking(&self) -> Option<&[f64]> {
        self.is_whole.then_some(&self.ranking)
    }

    /// The rank from the top as a share of the ranked tasks.
    pub(super) fn top(&self, task: usize) -> f64 {
        if self.rank[task].is_nan() {
            return f64::NAN;
        }
        f64::from(self.above[task] + 1) / self.ranked as f64
    }

    /// The rank from the bottom as a share of the ranked tasks.
    pub(super) fn bottom(&self, task: usize) -> f64 {
        if self.rank[task].is_nan() {
            return f64::NAN;
        }
        let below = self.ranked as u32 - self.above[task] - self.tied[task];
        f64::from(below + 1) / self.ranked as f64
    }

    /// The quarter of the ranking, from 1.
    pub(super) fn quartile(&self, task: usize) -> f64 {
        if self.rank[task].is_nan() {
            return f64::NAN;
        }
        let behind = self.quarters.iter().filter(|end| self.above[task] >= **end).count();
        (behind + 1) as f64
    }

    /// By how many ranks the task rose since the scorer before.
    pub(super) fn moved(&self, task: usize) -> f64 {
        self.before.as_ref().map_or(f64::NAN, |before| before[task] - self.rank[task])
    }
}

/// The numbers that rank the tasks in scope, NaN of all others; all tasks are where there is none.
fn rankable(values: Option<TaskValues>, scope: Option<&[u32]>) -> Vec<f64> {
    let all = values.map_or_else(Vec::new, |values| values.rank);
    let Some(scope) = scope else { return all };
    let mut inside = vec![f64::NAN; all.len()];
    for &task in scope.iter().filter(|task| (**task as usize) < all.len()) {
        inside[task as usize] = all[task as usize];
    }
    inside
}

/// The confidences of a cell's tasks, NaN where absent.
fn confidences(frame: &Frame, values: Option<&TaskValues>) -> Vec<f64> {
    match values {
        Some(values) => (0..frame.tasks.len()).map(|task| values.confidence(task)).collect(),
        None => vec![f64::NAN; frame.tasks.len()],
    }
}

fn ranks(frame: &Frame, ranking: &Ranking) -> Vec<f64> {
    let ranks = ranking.ranks(frame.tasks.len());
    ranks.into_iter().map(|rank| rank.unwrap_or(f64::NAN)).collect()
}

/// For every task how many are more confident and how many are as confident.
fn above_and_tied(frame: &Frame, ranking: &Ranking) -> (Vec<u32>, Vec<u32>) {
    let mut above = vec![0; frame.tasks.len()];
    let mut tied = above.clone();
    let mut before = 0;
    for block in ranking.blocks() {
        for &task in block {
            above[task as usize] = before;
            tied[task as usize] = block.len() as u32;
        }
        before += block.len() as u32;
    }
    (above, tied)
}

/// How wide the columns of some tasks are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct Extents {
    /// The number of characters of the longest id.
    pub(super) longest_id: usize,
    /// The largest number of draws.
    pub(super) most_draws: usize,
}

impl Extents {
    pub(super) fn of(frame: &Frame, task: &Task) -> Self {
        // Few stores have labels that are to be made first.
        let label = frame.is_pooled().then(|| task.label(frame));
        let longest_id = label.as_deref().unwrap_or(&task.id).chars().count();
        Self { longest_id, most_draws: task.draws() }
    }

    pub(super) fn max(self, other: Self) -> Self {
        Self {
            longest_id: self.longest_id.max(other.longest_id),
            most_draws: self.most_draws.max(other.most_draws),
        }
    }
}

impl Frame {
    /// The extents of all tasks.
    pub(super) fn extents(&self) -> Extents {
        *self.extents.get_or_init(|| {
            let all = self.tasks.iter().map(|task| Extents::of(self, task));
            all.reduce(Extents::max).unwrap_or_default()
        })
    }
}

/// The rows of a query and a selection, in order, with their scores.
#[derive(Clone, Debug, Default)]
pub struct TaskTable {
    /// The rows in order.
    pub rows: Vec<TaskId>,
    /// Rows before the selection.
    pub total: usize,
    /// Selected rows that are held back from somebody who votes.
    pub held_back: usize,
    /// The number of characters of the longest task id among the rows.
    pub longest_id: usize,
    /// The largest number of draws of a task among the rows.
    pub most_draws: usize,
    /// By cell; none for a cell outside the query.
    pub(super) scores: Vec<Option<Scores>>,
}

impl TaskTable {
    fn scores_of(&self, id: TaskId) -> Option<&Scores> {
        self.scores.get(id.cell as usize)?.as_ref()
    }

    fn value(&self, id: TaskId, get: impl Fn(&Scores, usize) -> f64) -> Option<f64> {
        let scores = self.scores_of(id)?;
        Some(get(scores, id.task as usize)).filter(|value| !value.is_nan())
    }

    /// The confidence under the current scorer.
    pub fn score(&self, id: TaskId) -> Option<f64> {
        self.value(id, |scores, task| scores.score[task])
    }

    /// The rank in the cell.
    pub fn rank(&self, id: TaskId) -> Option<f64> {
        self.value(id, |scores, task| scores.rank[task])
    }

    /// How many tasks of its cell are ranked: those in scope that have a score.
    pub fn ranked(&self, id: TaskId) -> usize {
        self.scores_of(id).map_or(0, |scores| scores.ranked)
    }

    /// Whether the scores of its cell are known.
    pub fn knows(&self, id: TaskId) -> bool {
        self.scores_of(id).is_some()
    }

    /// The rank that a sample would have in its cell if it stood in for the reference of its task, and how
    /// many would be ranked then. Logs are compared where the scorer ranks by logs.
    pub fn would_rank(&self, id: TaskId, ranking: f64) -> (f64, usize) {
        let ranking_of_cell = self.scores_of(id).map_or(&[][..], |scores| &scores.ranking);
        let is_above = |other: f64| other > ranking + TIE;
        let above = ranking_of_cell.iter().filter(|other| is_above(**other)).count();
        let reference = self.value(id, |scores, task| scores.ranking[task]);
        let replaced = usize::from(reference.is_some_and(is_above));
        let added = usize::from(reference.is_none());
        ((above + 1 - replaced) as f64, self.ranked(id) + added)
    }

    /// By how many ranks it rose since the scorer before.
    pub fn moved(&self, id: TaskId) -> Option<f64> {
        self.value(id, Scores::moved)
    }

    /// Whether ranks are compared with those under a scorer before.
    pub fn has_moves(&self) -> bool {
        self.scores.iter().flatten().any(|scores| scores.before.is_some())
    }

    /// The confidence under one of the further scorers.
    pub fn extra(&self, id: TaskId, index: usize) -> Option<f64> {
        self.value(id, |scores, task| {
            scores.extra.get(index).map_or(f64::NAN, |column| column[task])
        })
    }

    /// The lowest and highest confidence in a cell, for bars.
    pub fn range(&self, cell: u32) -> Option<(f64, f64)> {
        self.scores.get(cell as usize)?.as_ref()?.range
    }
}
