//! Plain data: what an agent run is, whoever recorded it.
//!
//! A [`Trajectory`] is a [`Head`] (one row of facts: where it belongs, how it ended, how it was
//! graded) with its [`Message`]s and its [`Turn`]s. Nothing here depends on a file format, a table
//! or a screen.

mod basis;
mod cell;
mod check;
mod context;
mod costs;
mod drift;
mod fingerprint;
mod message;
mod outcome;
mod tokens;
mod trajectory;
mod unscored;
mod verdict;

pub use basis::Basis;
pub use cell::{Cell, natural_order};
pub use check::{Check, CheckKind, CheckKinds, CheckSummary};
pub use context::{Context, Given, RecentContexts};
pub use costs::Costs;
pub use drift::{Drift, DriftRow};
pub use fingerprint::Fingerprint;
pub use message::{Message, Role, ToolCall};
pub use outcome::{Outcome, RewardParts};
pub use tokens::{Alternative, Span, Token, TokenSeq};
pub use trajectory::{
    Head, MESSAGE_ACTION, MessageTokens, Origin, Skip, TaskText, Trajectory, Turn, TurnScores,
};
pub use unscored::Unscored;
pub use verdict::{HUMAN, Judgment, PairValue, Score, author_of, is_human, judge_of};
