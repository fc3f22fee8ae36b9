//! Finds runs of different inputs with the same words, since one input may be a copy.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::model::Trajectory;

/// Counts runs with the same words as a run of another input.
#[derive(Debug, Default)]
pub(super) struct Alike {
    /// The source of the first run with these words, by their hash.
    seen: HashMap<u64, String>,
    pub(super) count: u64,
}

impl Alike {
    /// Counts a run if it repeats one of another input.
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
        // Runs of one turn may well be the same by chance.
        self.count += u64::from(first != source && run.turns.len() > 1);
    }
}
