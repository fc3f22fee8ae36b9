//! Joins the logged calls of one conversation: a request repeats all that was said before.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::openai::Line;
use super::super::rollouts::{Rollout, Rollouts};
use crate::model::{Fingerprint, Message};

/// Conversations that may go on, at most; the oldest is handed out when another one begins.
const MOST_OPEN: usize = 1024;

/// A conversation that a later call may continue.
struct Open {
    rollout: Rollout,
    /// The fingerprint of all that was said so far.
    said: u64,
}

/// The conversations of a log.
pub(super) struct Chain<'a> {
    rollouts: Rollouts<'a>,
    open: VecDeque<Open>,
    joined: bool,
}

impl<'a> Chain<'a> {
    pub(super) fn new(rollouts: Rollouts<'a>) -> Self {
        Self { rollouts, open: VecDeque::new(), joined: false }
    }

    /// Tool definitions in one form, by how the log writes them.
    pub(super) fn tools(&mut self, written: &str) -> Option<Arc<str>> {
        self.rollouts.tools(written)
    }

    /// Hands out a conversation that is complete; false when no more are wanted.
    pub(super) fn hand_out(&mut self, rollout: Rollout) -> bool {
        self.rollouts.take(rollout)
    }

    /// Takes a call in of which the first `asked` messages are the request; false when no more are
    /// wanted. It continues the conversation whose messages its request begins with.
    pub(super) fn take(&mut self, mut rollout: Rollout, asked: usize) -> bool {
        if asked == 0 {
            return self.rollouts.take(rollout);
        }
        let prints = prints(&rollout.lines);
        let continues = |open: &Open| {
            let same_run = open.rollout.task == rollout.task && open.rollout.trial == rollout.trial;
            let said = prints[..asked].iter().rposition(|print| *print == open.said);
            said.filter(|_| same_run).map(|last| last + 1)
        };
        let found = (0..self.open.len()).filter_map(|at| Some((continues(&self.open[at])?, at)));
        // The longest history is the right one; of equal ones, the oldest.
        let best = found.max_by_key(|(said, at)| (*said, std::cmp::Reverse(*at)));
        let said = prints.last().copied().unwrap_or_default();
        let Some((known, at)) = best else {
            self.open.push_back(Open { rollout, said });
            let oldest = if self.open.len() > MOST_OPEN { self.open.pop_front() } else { None };
            return oldest.is_none_or(|oldest| self.rollouts.take(oldest.rollout));
        };
        self.joined = true;
        let open = &mut self.open[at];
        open.said = said;
        open.rollout.lines.extend(rollout.lines.drain(known..));
        open.rollout.go_on(rollout);
        true
    }

    /// Hands out what is open, and returns the rest.
    pub(super) fn finish(mut self) -> Rollouts<'a> {
        for open in std::mem::take(&mut self.open) {
            if !self.rollouts.take(open.rollout) {
                break;
            }
        }
        if self.joined {
            self.rollouts.note(
                "logs every call: a call that repeats an earlier call and its answer continues that conversation",
            );
        }
        self.rollouts
    }
}

/// The fingerprint of the messages up to each of them. Spaces around a text do not count, since servers
/// strip them.
fn prints(lines: &[Line]) -> Vec<u64> {
    let mut print = Fingerprint::default();
    let mut add = |message: &Message| {
        print.add_text(message.role.as_str());
        print.add_text(message.words().map_or("", str::trim));
        for call in &message.tool_calls {
            print.add_text(&call.name);
            print.add_text(&call.arguments);
        }
        print.value()
    };
    lines.iter().map(|line| add(&line.message)).collect()
}
