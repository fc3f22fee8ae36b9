//! Why a turn has no score.

use serde::{Deserialize, Serialize};

/// Why a turn has no white-box score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unscored {
    /// A native tool call, for which the provider sends no tokens though it does for messages.
    ToolCall,
    /// The provider sent no log-probabilities.
    NotSent,
    /// A token lacks its log-probability.
    Incomplete,
    /// No token is of the span that is scored.
    NoAction,
    /// Its tokens have no alternatives, which some scores need.
    NoAlternatives,
}

impl Unscored {
    /// All reasons.
    pub const ALL: [Self; 5] =
        [Self::ToolCall, Self::NotSent, Self::Incomplete, Self::NoAction, Self::NoAlternatives];

    /// The id in stores and JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::ToolCall => "tool-call",
            Self::NotSent => "not-sent",
            Self::Incomplete => "incomplete",
            Self::NoAction => "no-action",
            Self::NoAlternatives => "no-alternatives",
        }
    }

    /// The reason of that id; none of an unknown one.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.id() == id)
    }

    /// In at most nine letters, for a narrow column.
    pub fn short(self) -> &'static str {
        match self {
            Self::ToolCall => "no tokens",
            Self::NotSent => "not sent",
            Self::Incomplete => "has gaps",
            Self::NoAction => "no action",
            Self::NoAlternatives => "no top-k",
        }
    }

    /// In words, after `no score: `.
    pub fn words(self) -> &'static str {
        match self {
            Self::ToolCall => "a native tool call, for which the provider sent no tokens",
            Self::NotSent => "the provider sent no log-probabilities",
            Self::Incomplete => "a token lacks its log-probability",
            Self::NoAction => "only reasoning or special tokens, none of the scored span",
            Self::NoAlternatives => "the tokens came without alternatives, which ATN and PM need",
        }
    }

    /// What turns with this reason have in common, after their number.
    pub fn of_several(self) -> &'static str {
        match self {
            Self::ToolCall => "native tool calls without tokens",
            Self::NotSent => "without log-probabilities from the provider",
            Self::Incomplete => "in which a token lacks its log-probability",
            Self::NoAction => "with only reasoning or special tokens",
            Self::NoAlternatives => "without alternatives, which ATN and PM need",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_serde_and_short_words_fit() {
        for reason in Unscored::ALL {
            assert_eq!(Unscored::parse(reason.id()), Some(reason));
            let json = serde_json::to_string(&reason).expect("written");
            assert_eq!(json, format!("\"{}\"", reason.id()));
            assert!(reason.short().len() <= 9, "{}", reason.short());
        }
        assert_eq!(Unscored::parse("other"), None);
    }
}
