//! Families of scorers: those that need the same things and cost the same.

use super::{SPECS, Spec};

/// Scorers that need the same things and cost the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Token probabilities of the reference.
    WhiteBox,
    /// Propagation of turn-level doubt.
    Propagation,
    /// The agent's assessment of its run.
    Reflexive,
    /// Agreement of resampled next actions with the reference's.
    Prefix,
    /// Agreement of actions between draws.
    Action,
    /// Agreement of final messages between draws.
    Message,
    /// Agreement of outcomes between draws, by a judge.
    Judged,
    /// Counts of turns and tool calls.
    Baseline,
    /// Scores that a user brought.
    Brought,
}

impl Family {
    /// All families, in the order they are listed.
    pub const ALL: [Self; 9] = [
        Self::WhiteBox,
        Self::Propagation,
        Self::Reflexive,
        Self::Prefix,
        Self::Message,
        Self::Action,
        Self::Judged,
        Self::Baseline,
        Self::Brought,
    ];

    /// The id that JSON uses.
    pub fn id(self) -> &'static str {
        match self {
            Self::WhiteBox => "white-box",
            Self::Propagation => "propagation",
            Self::Reflexive => "reflexive",
            Self::Prefix => "prefix-consistency",
            Self::Action => "action-consistency",
            Self::Message => "message-consistency",
            Self::Judged => "judged-consistency",
            Self::Baseline => "baseline",
            Self::Brought => "brought",
        }
    }

    /// The family of a scorer's id; a scorer outside the table was brought.
    pub fn of_id(id: &str) -> Self {
        Spec::find(id).map_or(Self::Brought, |spec| spec.family)
    }

    /// Whether the family compares draws, and so needs samples.
    pub fn is_consistency(self) -> bool {
        matches!(self, Self::Action | Self::Message | Self::Judged)
    }

    /// The rows of the table that belong to the family.
    pub fn specs(self) -> impl Iterator<Item = &'static Spec> {
        SPECS.iter().filter(move |spec| spec.family == self)
    }

    /// The position in the order of [`Family::ALL`].
    pub fn position(self) -> usize {
        Self::ALL.iter().position(|family| *family == self).unwrap_or(Self::ALL.len())
    }
}
