//! An action of a run as the formats read it.

use crate::compare::{Contrast, Step, TurnView};
use crate::model::{Drift, Message, Role, Trajectory};

/// An action of a run with its confidence and how it compares with the first pane's.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownAction<'s> {
    pub(super) run: &'s Trajectory,
    pub(super) step: &'s Step,
    pub(super) view: &'s TurnView,
    pub(super) contrast: &'s Contrast,
}

impl<'s> ShownAction<'s> {
    /// The turn, from 1.
    pub(super) fn turn(self) -> usize {
        self.step.turn + 1
    }

    /// Which of the turn's calls, from 1; none for a message.
    pub(super) fn call(self) -> Option<usize> {
        self.step.call.map(|call| call + 1)
    }

    /// The tool's name, or `message`.
    pub(super) fn name(self) -> &'s str {
        self.step.kind(self.run)
    }

    /// Tokens of the turn, where they were recorded.
    pub(super) fn tokens(self) -> Option<usize> {
        let tokens = self.run.turns[self.step.turn].tokens.as_ref();
        tokens.map(crate::model::TokenSeq::len)
    }

    /// How far the turn has drifted, with its first action only.
    pub(super) fn drift(self) -> Option<&'s Drift> {
        self.run.turns[self.step.turn].drift.as_ref().filter(|_| self.step.is_first())
    }

    /// The message that commits the action, with the turn's first action only.
    fn message(self) -> Option<&'s Message> {
        Some(self.step.message(self.run)).filter(|_| self.step.is_first())
    }

    /// What the model thought aloud, with the turn's first action.
    pub(super) fn reasoning(self) -> Option<&'s str> {
        self.message().and_then(|message| message.reasoning.as_deref())
    }

    /// What was said, with the turn's first action.
    pub(super) fn words(self) -> Option<&'s str> {
        self.message().and_then(|message| message.content.as_deref())
    }

    /// The call's arguments.
    pub(super) fn arguments(self) -> Option<&'s str> {
        self.step.call(self.run).map(|call| call.arguments.as_str())
    }

    /// Whether its arguments differ from those of the same call in the first pane.
    pub(super) fn has_other_arguments(self) -> bool {
        matches!(self.contrast, Contrast::Arguments(_))
    }

    /// The keys at which its arguments differ; an empty one where no key can be named.
    pub(super) fn keys(self) -> &'s [String] {
        match self.contrast {
            Contrast::Arguments(keys) => keys,
            _ => &[],
        }
    }

    /// What the call returned.
    pub(super) fn results(self) -> Vec<&'s Message> {
        self.step.results(self.run).collect()
    }

    /// What others said after it.
    pub(super) fn messages(self) -> Vec<&'s Message> {
        self.said().into_iter().map(|index| &self.run.messages[index]).collect()
    }

    /// The indices of what others said after it.
    pub(super) fn said(self) -> Vec<usize> {
        let is_result = |index: &usize| {
            let message = &self.run.messages[*index];
            message.role == Role::Tool && !message.for_user
        };
        self.step.after.iter().copied().filter(|index| !is_result(index)).collect()
    }

    /// Whether the call failed.
    pub(super) fn failed(self) -> bool {
        self.step.failed(self.run)
    }
}
