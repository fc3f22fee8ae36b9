//! Counts what the agents of imported runs are known to have been given.

use crate::model::Trajectory;
use crate::text::{counted, grouped};

/// The numbers of runs with each part of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenCounts {
    /// Runs with a policy.
    pub policy: u64,
    /// Runs with a system prompt.
    pub system: u64,
    /// Runs with tool definitions.
    pub tools: u64,
}

impl GivenCounts {
    /// Says for how many of some runs each part is known.
    pub fn sentence(self, runs: u64) -> String {
        let Self { policy, system, tools } = self;
        if policy + system + tools == 0 {
            return "no policy, system prompt or tool definitions recorded".to_owned();
        }
        let parts = [(policy, "policy"), (system, "system prompt"), (tools, "tool definitions")];
        let parts = parts.map(|(count, what)| format!("{what} for {}", grouped(count)));
        format!("{} of {}", parts.join(", "), counted(runs, "trajectory"))
    }

    /// Counts a run.
    pub(super) fn add(&mut self, run: &Trajectory) {
        let Some(context) = &run.context else { return };
        self.policy += u64::from(context.policy.is_some());
        self.system += u64::from(context.system.is_some());
        self.tools += u64::from(context.tools.is_some());
    }
}
