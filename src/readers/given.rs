//! What the agents of an input were given: contexts that its runs share, and tools in one form.

mod tools;

use std::collections::VecDeque;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::model::{Context, Given, RecentContexts, Trajectory};
pub(super) use tools::{definitions, lenient};

/// Names of tool definitions in a record, the likelier first.
pub(super) const TOOLS: [&str; 5] =
    ["tools", "tool_defs", "tool_definitions", "oai_tools", "functions"];

/// Names of a system prompt beside a conversation.
pub(super) const SYSTEM: [&str; 2] = ["system_prompt", "system"];

/// The contexts of an input.
#[derive(Debug, Default)]
pub(super) struct Contexts {
    recent: RecentContexts,
    tools: ToolLists,
}

impl Contexts {
    /// Gives a run what its agent was given. A system prompt that the conversation begins with goes over
    /// one that stands beside it, which may be a template.
    pub(super) fn attach(&mut self, run: &mut Trajectory, given: Given<'_>) {
        let said = Context::system_of(&run.messages);
        let beside = given.system.filter(|text| !text.trim().is_empty());
        let policy = given.policy.filter(|text| !text.trim().is_empty());
        let context =
            self.recent.share(Given { policy, system: said.as_deref().or(beside), ..given });
        drop(said);
        run.give(context);
    }

    /// Tool definitions in one form, as [`ToolLists::of`] has them.
    pub(super) fn tools(&mut self, written: &str) -> Option<Arc<str>> {
        self.tools.of(written)
    }
}

/// The tool definitions that were met last, since runs repeat them.
#[derive(Debug, Default)]
pub(super) struct ToolLists(VecDeque<(u64, Option<Arc<str>>)>);

impl ToolLists {
    /// How many are remembered.
    const MOST: usize = 64;

    /// Tool definitions in one form, by how they are written in the file; none where they are none.
    pub(super) fn of(&mut self, written: &str) -> Option<Arc<str>> {
        let hash = xxh3_64(written.as_bytes());
        if let Some((_, known)) = self.0.iter().rev().find(|(known, _)| *known == hash) {
            return known.clone();
        }
        let tools: Option<Arc<str>> = definitions(written).map(Arc::from);
        if self.0.len() >= Self::MOST {
            self.0.pop_front();
        }
        self.0.push_back((hash, tools.clone()));
        tools
    }
}
