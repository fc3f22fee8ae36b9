//! Log-probabilities as chat APIs return them.

use std::borrow::Cow;

use serde::Deserialize;

use super::json;
use crate::model::{Span, TokenSeq};

/// `logprobs` of a choice; `content` is null where the model only called tools.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Logprobs<'a> {
    #[serde(borrow, default)]
    content: Option<Vec<Position<'a>>>,
}

#[derive(Debug, Deserialize)]
struct Position<'a> {
    #[serde(borrow)]
    token: Cow<'a, str>,
    #[serde(deserialize_with = "json::number", default)]
    logprob: Option<f64>,
    #[serde(borrow, default)]
    top_logprobs: Option<Vec<Top<'a>>>,
}

#[derive(Debug, Deserialize)]
struct Top<'a> {
    #[serde(borrow)]
    token: Cow<'a, str>,
    #[serde(deserialize_with = "json::number", default)]
    logprob: Option<f64>,
}

impl Logprobs<'_> {
    /// The tokens, all marked as action until their spans are found; none when one of them has no
    /// number, since such a turn cannot be scored.
    pub(super) fn tokens(&self) -> Option<TokenSeq> {
        let mut tokens = TokenSeq::default();
        for position in self.content.as_ref()? {
            tokens.push(&position.token, position.logprob?.min(0.0), Span::Action);
            for top in position.top_logprobs.iter().flatten() {
                if let Some(logprob) = top.logprob {
                    tokens.push_alternative(&top.token, logprob.min(0.0));
                }
            }
        }
        (!tokens.is_empty()).then_some(tokens)
    }
}
