//! Scorers that the store has values of and does not list.

use super::Shared;
use crate::scorers::Scorer;

/// Scorers of lens and pin that the store does not list though it has values of them.
#[derive(Debug, Default)]
pub(super) struct Outside {
    pub(super) asked: Vec<Scorer>,
    pub(super) found: Vec<Scorer>,
}

impl Shared {
    /// Finds which of the lens's and the pinned scorer the store does not list. Asking that may look
    /// at all tasks, so it is asked when they change.
    pub(super) fn find_outside(&mut self) {
        let Some(engine) = self.data.engine() else { return };
        let pinned = self.lens.pinned.as_ref();
        let asked: Vec<Scorer> =
            std::iter::once(&self.lens.scorer).chain(pinned).cloned().collect();
        if asked == self.outside.asked {
            return;
        }
        let mut found: Vec<Scorer> = Vec::new();
        for scorer in &asked {
            let known = engine.scorers().contains(scorer) || found.contains(scorer);
            if !known && engine.has_values(scorer) {
                found.push(scorer.clone());
            }
        }
        self.outside = Outside { asked, found };
    }
}
