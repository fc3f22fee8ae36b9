//! Runs of one task side by side, as text, Markdown and JSON: what the explorer's Compare shows,
//! without a terminal.
//!
//! [`SideBySide`] pairs the runs with the [`Sheet`] that aligns them; every format reads these two
//! and nothing else. [`Diff`] is where the first two runs differ.
//!
//! [`Sheet`]: crate::compare::Sheet

mod action;
mod answers;
mod answers_json;
mod blocks;
mod checks;
mod diff;
mod diff_json;
mod diff_text;
mod html;
mod json;
mod lines;
mod markdown;
mod phrases;
mod runs;
mod text;
pub mod tree;

pub use answers::{AnswerWords, answer_words, next_action_words};
pub use diff::{Diff, DiffKind, DiffOptions, DiffRow};
pub(super) use html::TOKEN_STEPS;
pub use runs::{RunRank, RunScores, ShowContext, ShowOptions, SideBySide};
pub use tree::ShownTree;
