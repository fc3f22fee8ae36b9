//! What asks a model: judges of pairs, self-assessment, and next actions sampled again.
//!
//! A [`ScorePlan`] says what is to be asked about a store; [`ScorePlan::run`] asks it and writes the
//! values. Every answer is on the disk before it counts ([`crate::store::AnswerLog`]), so that a run
//! that ends early goes on where it was, and values can be computed again from the answers alone.

mod answer;
mod asking;
mod chat;
mod conversation;
mod endpoint;
mod error;
mod existing;
mod known;
#[cfg(feature = "local-models")]
pub mod local;
mod outlook;
mod pace;
mod plan;
mod prices;
mod prompt;
mod reading;
mod score;
mod secret;
mod settings;
mod transcript;
mod values;

use std::time::{SystemTime, UNIX_EPOCH};

pub use answer::{NextAction, Said, Truth, Verdict};
pub use asking::{AskOptions, AskProgress, Stopped};
pub use chat::{CallError, Client, Reply};
pub use endpoint::{ChatModel, DEFAULT_URL, Endpoint, EndpointError};
pub use error::ModelError;
pub use known::{ActionCounts, AnswersOf, KnownAnswer, KnownAnswers};
pub use outlook::{Asking, ScorerOutlook, outlook};
pub use plan::Wanted;
pub use prices::{Price, Prices};
pub use prompt::{Prompt, PromptError, PromptKind};
pub use reading::{ReadAnswer, read_answer};
pub use score::{Estimate, EstimatedPart, ModelSummary, ScorePlan};
pub use secret::Secret;
pub use settings::{AskSettings, Question, SelfModels};
pub use transcript::RESULT_BYTES;

/// The time, in seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
}
