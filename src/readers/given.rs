//! What the agents of an input were given: contexts that its runs share, and tools in one form.

mod tools;

use std::collections::VecDeque;
use std::sync::Arc;

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
        let given = Given { policy, system: said.as_deref().or(beside), ..given };
        (run.head.context, run.context) = self.recent.share(given).unzip();
    }

    /// Tool definitions in one form, as [`ToolLists::of`] has them.
    pub(super) fn tools(&mut self, written: &str) -> Option<Arc<str>> {
        self.tools.of(written)
    }
}

/// The tool definitions that were met last, as they are written and in one form, since runs repeat them.
#[derive(Debug, Default)]
pub(super) struct ToolLists(VecDeque<(String, Option<Arc<str>>)>);

impl ToolLists {
    /// How many are remembered.
    const MOST: usize = 16;

    /// Tool definitions in one form, by how they are written in the file; none where they are none.
    pub(super) fn of(&mut self, written: &str) -> Option<Arc<str>> {
        if let Some((_, known)) = self.0.iter().rev().find(|(known, _)| known == written) {
            return known.clone();
        }
        let tools: Option<Arc<str>> = definitions(written).map(Arc::from);
        if self.0.len() >= Self::MOST {
            self.0.pop_front();
        }
        self.0.push_back((written.to_owned(), tools.clone()));
        tools
    }
}
