//! Runs of different files that say the same, word for word: perhaps one file is a copy.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::model::Trajectory;

/// Watches for runs that say the same as a run of another file.
#[derive(Debug, Default)]
pub(super) struct Alike {
    /// The file of the first run that said this.
    seen: HashMap<u64, String>,
    pub(super) count: u64,
}

impl Alike {
    /// Takes note of a run.
    pub(super) fn meet(&mut self, run: &Trajectory) {
        let mut hasher = DefaultHasher::new();
        (&run.head.cell, &run.head.task).hash(&mut hasher);
        for message in &run.messages {
            (message.role, &message.content, &message.reasoning).hash(&mut hasher);
            let calls = message.tool_calls.iter().map(|call| (&call.name, &call.arguments));
            calls.for_each(|call| call.hash(&mut hasher));
        }
        let source = &run.head.origin.source;
        let first = self.seen.entry(hasher.finish()).or_insert_with(|| source.clone());
        // One turn each may well be the same by chance.
        self.count += u64::from(first != source && run.turns.len() > 1);
    }
}
