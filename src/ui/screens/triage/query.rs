//! The queue of pairs to vote on, as a question to the background.

use crate::engine::{TriageOptions, TriageQueue};
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::KeptTasks;

/// Which pairs a user should look at.
#[derive(Clone, PartialEq)]
pub(super) struct QueueQuery {
    pub(super) tasks: KeptTasks,
    /// Whose votes mark a pair as done.
    pub(super) author: String,
}

impl Query for QueueQuery {
    type Answer = TriageQueue;
    const LANE: Lane = Lane::Triage;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let kept = &self.tasks.value;
        let options = TriageOptions { author: Some(self.author), ..TriageOptions::default() };
        let mut queue = kept.engine().triage(&options);
        for item in &mut queue.items {
            item.pair.id = kept.whole_id(item.pair.id);
        }
        send(queue);
    }
}
