//! The pairs to vote on, in the chosen order. Judges and Triage share this question.

use super::{KeptTasks, Shared, VoteMarks};
use crate::engine::{PairOrder, TriageOptions, TriageQueue};
use crate::ui::query::{Lane, Query, Slot, Worker};

/// The pairs to vote on, with the votes of this sitting marked.
#[derive(Debug, Default)]
pub struct PairQueue {
    slot: Slot<QueueQuery>,
    marks: VoteMarks,
}

impl PairQueue {
    /// The pairs, once they are those of the scope and the order; new votes may still be counted.
    pub fn get(&self, shared: &Shared) -> Option<&TriageQueue> {
        let question = self.slot.question()?;
        let current = shared.is_of_scope(&question.tasks.key) && question.order == shared.order;
        let queue = self.slot.get().filter(|_| current).map(AsRef::as_ref);
        queue.filter(|queue| queue.order == shared.order)
    }

    /// Takes in what came back and asks anew; says whether other pairs are there.
    pub fn refresh(&mut self, shared: &mut Shared) -> bool {
        let is_new = self.slot.poll();
        self.marks.update(self.slot.get_mut(), is_new, shared);
        if let Some(tasks) = shared.kept().cloned() {
            let (author, order) = (shared.author.clone(), shared.order);
            self.slot.want(QueueQuery { tasks, author, order }, &mut shared.effects);
        }
        is_new
    }

    /// Whether an answer is on its way.
    pub fn is_waiting(&self) -> bool {
        self.slot.is_waiting()
    }

    /// Whether the pairs are of another question than the last.
    pub fn is_stale(&self) -> bool {
        self.slot.is_stale()
    }
}

/// Which pairs a user should look at.
#[derive(Clone, Debug, PartialEq)]
struct QueueQuery {
    tasks: KeptTasks,
    /// Whose votes mark a pair as done.
    author: String,
    order: PairOrder,
}

impl Query for QueueQuery {
    type Answer = TriageQueue;
    const LANE: Lane = Lane::Triage;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let kept = &self.tasks.value;
        let (author, order) = (Some(self.author), self.order);
        let options = TriageOptions { author, order, ..TriageOptions::default() };
        let mut queue = kept.engine().triage(&options);
        for item in &mut queue.items {
            item.pair.id = kept.whole_id(item.pair.id);
        }
        send(queue);
    }
}
