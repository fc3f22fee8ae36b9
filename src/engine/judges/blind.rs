//! What is held back from somebody who votes: numbers that would tell a verdict on a pair that is not
//! voted on.

use std::collections::HashSet;

use super::effect::counts_others;
use super::{Engine, JudgeRow, JudgeTer};
use crate::engine::{PairId, PairOrder, TriageQueue};
use crate::metrics::agreement::Confusion;
use crate::scorers::Scorer;

impl Engine {
    /// The pairs of a queue that somebody has not voted on.
    pub fn open_pairs(&self, queue: &TriageQueue, voter: &str) -> HashSet<PairId> {
        let mut queue = TriageQueue { order: PairOrder::Queue, ..queue.clone() };
        self.mark(&mut queue, Some(voter));
        queue.items.iter().filter(|item| !item.done).map(|item| item.pair).collect()
    }

    /// Blanks the rows that compare one pair, where the voter has not voted on it.
    pub fn hold_back_rows(&self, rows: &mut [JudgeRow], voter: &str) {
        for row in rows.iter_mut().filter(|row| row.n == 1) {
            let sides = [(true, true), (true, false), (false, true), (false, false)];
            let mut pairs = sides
                .into_iter()
                .flat_map(|(said, other)| self.judge_pairs(&row.judge, &row.against, said, other));
            if pairs.any(|pair| !self.draws_of(pair, voter).contains(&pair.draw)) {
                row.held_back = true;
                let blank = (None, None);
                (row.agreement, row.kappa, row.precision) = (blank, blank, blank);
                (row.recall, row.f1, row.audited) = (blank, blank, None);
                row.confusion = Confusion::default();
            }
        }
    }

    /// Blanks the numbers that rest on one task, where the voter has not voted on all of its pairs.
    pub fn hold_back_ters(&self, ters: &mut [JudgeTer], voter: &str) {
        for ter in ters.iter_mut().filter(|ter| ter.counts.tasks <= 1 && ter.pairs > 0) {
            let mut frame = self.frames[ter.cell].clone();
            frame.judge_by(self.judges.chosen(&ter.judge));
            let Some(values) = frame.values(&Scorer::Ter) else { continue };
            let mut judged = (0..frame.tasks.len()).filter(|task| !values.rank[*task].is_nan());
            let (Some(task), None) = (judged.next(), judged.next()) else { continue };
            let id = crate::engine::TaskId { cell: ter.cell as u32, task: task as u32 };
            let voted = self.draws_of(PairId { id, draw: 0 }, voter);
            if counts_others(&frame, task, &voted) {
                ter.held_back = true;
                (ter.mean, ter.value, ter.interval, ter.difference) = (None, None, None, None);
            }
        }
    }

    /// The draws of a pair's task that somebody voted on.
    fn draws_of(&self, pair: PairId, voter: &str) -> Vec<u32> {
        let frame = &self.frames[pair.id.cell as usize];
        let task = &frame.tasks[pair.id.task as usize].id;
        let votes = self.votes.iter().filter(|vote| vote.author == voter && vote.draw_a == 0);
        let on_task = votes.filter(|vote| vote.cell == frame.cell && vote.task == *task);
        on_task.map(|vote| vote.draw_b).collect()
    }
}
