//! The other orders of pairs: all of them at random, and those on which people disagree.

use std::collections::HashMap;

use super::{Opinion, PairOrder, Reason, TriageItem, TriageOptions, TriageQueue, item, opinions};
use crate::engine::find::Finder;
use crate::engine::frame::name_stream;
use crate::engine::judges::{LeftOut, split};
use crate::engine::{Engine, Frame, PairId, Sample, TaskId};
use crate::model::is_human;
use crate::rng::Rng;

/// The seed of the random order. It is fixed, so that everybody goes through the same order.
const SEED: u64 = 0;

impl Engine {
    /// All pairs of a reference and a sample in random order. A pair's place follows from its name, so
    /// that votes, filters and other cells leave the order of the rest as it is.
    pub(super) fn audit(&self, options: &TriageOptions) -> TriageQueue {
        let known = self.opinions_by_pair();
        let mut left_out = LeftOut::default();
        let mut keyed: Vec<(f64, TriageItem)> = Vec::new();
        for cell in self.cells_of(&options.scope) {
            let frame = &self.frames[cell];
            for (number, task) in (0u32..).zip(frame.tasks.iter()) {
                let id = TaskId { cell: cell as u32, task: number };
                let effect = 1.0 / task.samples.len() as f64;
                let counts = |sample: &&Sample| frame.counts_pair(number as usize, sample);
                for sample in task.samples.iter().filter(counts) {
                    let pair = PairId { id, draw: sample.draw };
                    let opinions = known.get(&pair).cloned().unwrap_or_default();
                    if !opinions.is_empty() {
                        left_out.add(task, sample);
                    }
                    let item = item(frame, pair, opinions, effect, options.low_confidence);
                    keyed.extend(item.map(|item| (random_key(frame, pair), item)));
                }
            }
        }
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| self.pair_order(a.1.pair, b.1.pair)));
        let items = keyed.into_iter().map(|(_, item)| item).collect();
        TriageQueue { order: PairOrder::Audit, items, left_out }
    }

    /// The pairs that one person calls equivalent and another different, by name. An author who is
    /// unsure contradicts nobody.
    pub(super) fn adjudication(&self, options: &TriageOptions) -> TriageQueue {
        let known = self.opinions_by_pair();
        let cells = self.cells_of(&options.scope);
        let mut finder = Finder::new(&self.frames);
        let mut queue = TriageQueue { order: PairOrder::Adjudication, ..TriageQueue::default() };
        let same_pair = |a: &crate::store::Vote, b: &crate::store::Vote| {
            (&a.cell, &a.task, a.draw_a, a.draw_b) == (&b.cell, &b.task, b.draw_a, b.draw_b)
        };
        for votes in self.votes.chunk_by(same_pair) {
            let (equivalent, different) = split(votes);
            let first = &votes[0];
            if equivalent.min(different) == 0 {
                continue;
            }
            let Some(cell) = finder.frame(&first.cell).filter(|cell| cells.contains(cell)) else {
                continue;
            };
            let Some(task) = finder.task(cell, &first.task) else { continue };
            let frame = &self.frames[cell];
            let (a, b) = (first.draw_a, first.draw_b);
            let from = |draw, other| Some((frame.row_with(task, draw)?, other));
            let Some((task, draw)) = from(a, b).or_else(|| from(b, a)) else { continue };
            let pair = PairId { id: TaskId { cell: cell as u32, task: task as u32 }, draw };
            let opinions = known.get(&pair).cloned().unwrap_or_default();
            let effect = 1.0 / frame.tasks[task].samples.len() as f64;
            if let Some(mut item) = item(frame, pair, opinions, effect, options.low_confidence) {
                item.reasons.push(Reason::PeopleDisagree);
                queue.items.push(item);
            }
        }
        queue.items.sort_by(|a, b| self.pair_order(a.pair, b.pair));
        queue
    }

    /// The verdicts of the models on every judged pair.
    fn opinions_by_pair(&self) -> HashMap<PairId, Vec<Opinion>> {
        let model: Vec<bool> = self.judges().iter().map(|judge| !is_human(judge)).collect();
        let mut known = HashMap::new();
        for (cell, frame) in (0u32..).zip(&self.frames) {
            for (task, pairs) in opinions(frame, &model) {
                let id = TaskId { cell, task };
                known.extend(pairs.into_iter().map(|(draw, said)| (PairId { id, draw }, said)));
            }
        }
        known
    }
}

/// Where a pair stands in the random order, uniform in [0, 1).
fn random_key(frame: &Frame, pair: PairId) -> f64 {
    let (cell, draw) = (&frame.cell, pair.draw.to_string());
    let task = &frame.tasks[pair.id.task as usize];
    let first = task.draw.to_string();
    let name = [&cell.dataset, &cell.model, &cell.condition, &task.id, &draw, &first];
    // The reference needs no name.
    let name = name.map(String::as_str);
    let stream = name_stream(if frame.is_pooled() { &name } else { &name[..5] });
    Rng::new(SEED, stream).unit()
}
