//! Models that run on this machine: NLI classifiers and sentence encoders in ONNX format.
//!
//! A model is a folder with `model.onnx`, `tokenizer.json` and `config.json` ([`LocalModel`]).
//! [`Answers`] asks it about texts and keeps every answer in a cache, so that nothing is computed
//! twice. [`score_ncp`] and [`score_drift`] fill a store.

mod answers;
mod batch;
mod cache;
mod check;
mod drift;
mod error;
mod identity;
mod model;
mod ncp;
mod runtime;
mod settings;

pub use answers::{Answers, Question};
pub use check::describe;
pub use drift::score_drift;
pub use error::LocalError;
pub use model::{LocalModel, ModelKind};
pub use ncp::score_ncp;
pub use runtime::OnnxRuntime;

/// What a model added to a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalSummary {
    /// The scorers with the number of their values.
    pub values: Vec<(&'static str, usize)>,
    /// What has no value, and why.
    pub missing: Vec<String>,
    /// How many answers were computed; the others were in the cache.
    pub asked: usize,
}
