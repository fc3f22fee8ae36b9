//! Why models cannot be asked.

use std::collections::BTreeSet;

use crate::store::StoreError;

/// What stands in the way of scoring with models.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A flag is missing.
    #[error("no model is named to ask; name one with `{0}`")]
    NoModel(&'static str),
    /// One model was named for a store with several.
    #[error(
        "the store has {} models; say which one it stands for: {}",
        known.len(),
        known.iter().map(|model| format!("--self-model {model}=NAME")).collect::<Vec<_>>().join(" ")
    )]
    ManyModels {
        /// The models of the store.
        known: BTreeSet<String>,
    },
    /// A cell's model that the store does not have.
    #[error(
        "the store has no model `{unknown}`; it has {}",
        known.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    )]
    UnknownModel {
        /// The name that was given.
        unknown: String,
        /// The models of the store.
        known: BTreeSet<String>,
    },
    /// A cell that the store does not have.
    #[error("the store has no cell `{0}`; `qualm report STORE --table cells` lists them")]
    UnknownCell(String),
    /// A budget needs prices.
    #[error(
        "the price of `{0}` is unknown, so a budget cannot be kept; add it to the settings as \
         [prices.\"{0}\"] with input and output per million tokens"
    )]
    NoPrice(String),
    /// P(True) needs log-probabilities.
    #[error(
        "{0}: sends no log-probabilities, and ptrue is one; ask another server, or compute vc instead"
    )]
    NoLogProbabilities(String),
    /// Values of other settings are in the way.
    #[error(
        "the store holds {values} values of `{scorer}` that came about in another way (another prompt, \
         model or file), and both are never mixed; --replace drops the old ones, whose answers stay"
    )]
    WouldMix {
        /// The scorer.
        scorer: String,
        /// How many there are.
        values: usize,
    },
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}
