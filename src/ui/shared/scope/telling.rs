//! Whether selection, scope and expressions that are being typed tell what is held back.

use super::{Narrows, Parsed};
use crate::engine::TaskQuery;
use crate::ui::shared::Shared;
use crate::ui::shared::blind::tells;

impl Shared {
    /// Whether selection or scope tell how runs ended, or what is said of pairs.
    pub(in crate::ui) fn selection_tells(&self, query: &TaskQuery) -> bool {
        let memo = &self.data.chosen.parsed_selection;
        self.expression_tells(&self.lens.selection, memo, query) || self.scope_tells()
    }

    /// Whether the scope tells it.
    pub(in crate::ui) fn scope_tells(&self) -> bool {
        let memo = &self.data.chosen.parsed_scope;
        self.expression_tells(&self.lens.scope, memo, &self.task_query())
    }

    fn expression_tells(&self, source: &str, memo: &Parsed, query: &TaskQuery) -> bool {
        let parsed = self.parsed(source, memo);
        parsed.is_some_and(|parsed| parsed.columns.iter().any(|column| tells(column, query)))
    }

    /// A sentence about a scope that tells something of a pair to vote on.
    pub fn telling_scope(&self) -> Option<String> {
        let key = self.keymap.key_of("lift-scope").unwrap_or(":");
        self.scope_tells().then(|| {
            format!(
                "The scope depends on outcomes or verdicts, and so reveals something of its pairs: \
                 {key} lifts the scope."
            )
        })
    }

    /// Whether what an expression would keep is counted without tasks that are held back, because it
    /// tells.
    pub(in crate::ui) fn counts_known_only(&self, source: &str, narrows: Narrows) -> bool {
        let memo = &self.data.chosen.parsed_tried;
        let by_scope = narrows == Narrows::Selection && self.scope_tells();
        self.is_voting && (by_scope || self.expression_tells(source, memo, &self.task_query()))
    }
}
