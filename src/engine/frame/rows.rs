//! The rows of a cell: one for every task or, where draws have no order, one for every draw.

use std::ops::Range;
use std::sync::Arc;

use super::{Frame, PairValues, Sample};
use crate::engine::PairId;
use crate::engine::judges::Verdict;
use crate::metrics::bootstrap::Weights;

impl Frame {
    /// Whether every draw is a row, because the draws of a task have no order and none is the reference.
    pub fn is_pooled(&self) -> bool {
        self.task_of.is_some()
    }

    /// Says that every draw is a row; those of one task are neighbours.
    pub(in crate::engine) fn pool(&mut self) {
        let mut number = 0;
        let numbers = (0..self.tasks.len()).map(|row| {
            number += u32::from(row > 0 && self.tasks[row - 1].id != self.tasks[row].id);
            number
        });
        self.task_of = Some(Arc::new(numbers.collect()));
    }

    /// The rows of a row's task.
    pub fn rows_of(&self, row: usize) -> Range<usize> {
        let Some(task_of) = &self.task_of else { return row..row + 1 };
        let start = task_of[..row].iter().rposition(|task| *task != task_of[row]);
        let end = task_of[row..].iter().position(|task| *task != task_of[row]);
        start.map_or(0, |before| before + 1)..end.map_or(task_of.len(), |after| row + after)
    }

    /// Whether a row is the first of its task.
    pub(in crate::engine) fn is_first(&self, row: usize) -> bool {
        self.task_of.as_ref().is_none_or(|task_of| row == 0 || task_of[row - 1] != task_of[row])
    }

    /// The first row of every task.
    pub(in crate::engine) fn first_rows(&self) -> impl Iterator<Item = usize> {
        (0..self.tasks.len()).filter(|row| self.is_first(*row))
    }

    /// The number of tasks.
    pub fn task_count(&self) -> usize {
        let rows = || self.tasks.len();
        let last = |task_of: &Arc<Vec<u32>>| task_of.last().map_or(0, |last| *last as usize + 1);
        self.task_of.as_ref().map_or_else(rows, last)
    }

    /// How often each row is drawn in some resamples of the tasks. Every number of the cell rests on the
    /// same draws.
    pub(in crate::engine) fn weights(&self, lanes: Range<usize>, seed: u64) -> Weights {
        self.weights_in(self.stream(), lanes, seed)
    }

    /// The same in a given stream of random numbers: two cells of the same tasks draw the same ones.
    pub(in crate::engine) fn weights_in(
        &self,
        stream: u64,
        lanes: Range<usize>,
        seed: u64,
    ) -> Weights {
        match &self.task_of {
            Some(task_of) => Weights::draw_clusters(task_of, lanes, seed, stream),
            None => Weights::draw(self.tasks.len(), lanes, seed, stream),
        }
    }

    /// The number of tasks that some rows, in their order, belong to.
    pub(in crate::engine) fn tasks_of(&self, rows: &[usize]) -> usize {
        let Some(task_of) = &self.task_of else { return rows.len() };
        rows.chunk_by(|a, b| task_of[*a] == task_of[*b]).count()
    }

    /// The row in which the outcome and scores of a draw count, given any row of its task.
    pub fn row_with(&self, row: usize, draw: u32) -> Option<usize> {
        self.rows_of(row).find(|row| self.tasks[*row].draw == draw)
    }

    /// Whether the pair of a row and a sample counts here: the pair of two rows is in both, and counts in
    /// the first.
    pub(in crate::engine) fn counts_pair(&self, row: usize, sample: &Sample) -> bool {
        !self.is_pooled()
            || sample.draw > self.tasks[row].draw
            || self.row_with(row, sample.draw).is_none()
    }

    /// A verdict on two draws of a task, of which a row is given: the row is the first draw's, or the
    /// second's where the first is none.
    pub(in crate::engine) fn settled(&self, verdict: Verdict) -> Verdict {
        if !self.is_pooled() {
            return verdict;
        }
        let row_with = |draw| self.row_with(verdict.task as usize, draw).map(|row| row as u32);
        let Verdict { draw_a, draw_b, .. } = verdict;
        match (row_with(draw_a), row_with(draw_b)) {
            (Some(task), _) => Verdict { task, ..verdict },
            (None, Some(task)) => Verdict { task, draw_a: draw_b, draw_b: draw_a, ..verdict },
            (None, None) => verdict,
        }
    }

    /// The row and the two draws that verdicts on a pair name.
    pub(in crate::engine) fn settled_pair(&self, pair: PairId) -> Option<(u32, u32, u32)> {
        let (row, draw) = (pair.id.task, self.tasks.get(pair.id.task as usize)?.draw);
        if !self.is_pooled() || draw < pair.draw {
            return Some((row, draw, pair.draw));
        }
        let first = self.row_with(row as usize, pair.draw);
        Some(first.map_or((row, draw, pair.draw), |first| (first as u32, pair.draw, draw)))
    }

    /// Whether the first draw of a verdict is the one whose scores count in its row.
    pub(in crate::engine) fn is_on_row(&self, verdict: &Verdict) -> bool {
        verdict.draw_a == self.tasks[verdict.task as usize].draw
    }

    /// A verdict among fewer rows; none where no row of it is left.
    pub(super) fn moved(&self, verdict: &Verdict, new_index: &[Option<u32>]) -> Option<Verdict> {
        if let Some(task) = new_index[verdict.task as usize] {
            return Some(Verdict { task, ..*verdict });
        }
        let other = self.row_with(verdict.task as usize, verdict.draw_b)?;
        let Verdict { draw_a, draw_b, .. } = *verdict;
        new_index[other].map(|task| Verdict { task, draw_a: draw_b, draw_b: draw_a, ..*verdict })
    }

    /// The values of a scorer on the pairs of a row's task, each pair once; NaN where absent.
    pub fn pairs_of_task(&self, row: usize, scorer: &str) -> Vec<f64> {
        let values = self.pair_values(scorer);
        values.map_or_else(Vec::new, |values| self.task_pairs(row, values).collect())
    }

    /// The values of the pairs of a row's task, each pair once.
    pub(in crate::engine) fn task_pairs<'f>(
        &'f self,
        row: usize,
        values: PairValues<'f>,
    ) -> impl Iterator<Item = f64> + 'f {
        let of_row = move |row: usize| {
            let pairs = self.tasks[row].samples.iter().zip(values.of(row));
            pairs.filter(move |(sample, _)| self.counts_pair(row, sample)).map(|(_, value)| *value)
        };
        self.rows_of(row).flat_map(of_row)
    }
}
