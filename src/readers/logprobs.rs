//! Log-probabilities as chat APIs return them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{json, span, special};
use crate::model::{Message, Span, TokenSeq, Unscored};

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
    /// Kept as it is written: only whether there are any counts.
    #[serde(borrow, default)]
    bytes: Option<&'a RawValue>,
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

impl<'a> Logprobs<'a> {
    /// A bare list of positions; none of anything else.
    pub(super) fn listed(json: &'a str) -> Option<Self> {
        Some(Self { content: Some(serde_json::from_str(json).ok()?) })
    }

    /// Lists one after the other; none where there is none.
    pub(super) fn joined(lists: impl Iterator<Item = Self>) -> Option<Self> {
        lists.reduce(|mut all, list| {
            all.content.get_or_insert_default().extend(list.content.unwrap_or_default());
            all
        })
    }

    /// The tokens of a message with their spans, or why there are none, where that is known.
    pub(super) fn of_message(
        logprobs: Option<&Self>,
        message: &Message,
    ) -> (Option<TokenSeq>, Option<Unscored>) {
        match logprobs.map(Self::tokens) {
            Some(Ok(mut tokens)) => {
                span::mark(&mut tokens, message);
                (Some(tokens), None)
            }
            // They were asked for, and the answer is a call without words.
            Some(Err(Unscored::NotSent)) if !message.tool_calls.is_empty() => {
                (None, Some(Unscored::ToolCall))
            }
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        }
    }

    /// The tokens, those that are not special marked as action until their spans are found; none when
    /// one of them has no number, since such a turn cannot be scored.
    pub(super) fn tokens(&self) -> Result<TokenSeq, Unscored> {
        let mut tokens = TokenSeq::default();
        let positions = self.content.as_ref().ok_or(Unscored::NotSent)?;
        for position in positions {
            let logprob = position.logprob.ok_or(Unscored::Incomplete)?;
            tokens.push(&position.token, logprob.min(0.0), Span::Action);
            for top in position.top_logprobs.iter().flatten() {
                if let Some(logprob) = top.logprob {
                    tokens.push_alternative(&top.token, logprob.min(0.0));
                }
            }
        }
        // Some servers send no bytes at all: then the text alone says what a token is.
        let sends_bytes = positions.iter().any(|position| position.has_bytes() == Some(true));
        special::mark(&mut tokens, |index| match positions[index].has_bytes() {
            Some(true) => false,
            Some(false) if sends_bytes => true,
            _ => positions[index].token.is_empty(),
        });
        if tokens.is_empty() { Err(Unscored::NotSent) } else { Ok(tokens) }
    }
}

impl Position<'_> {
    /// Whether the token has bytes; none where the server does not say.
    fn has_bytes(&self) -> Option<bool> {
        let written =
            self.bytes.map(|bytes| bytes.get().trim()).filter(|text| text.starts_with('['))?;
        Some(!written[1..].trim_start().starts_with(']'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spans of tokens as a server sends them: `s` for a special one, `a` for another.
    fn spans(content: &str) -> String {
        let json = format!(r#"{{"content": [{content}]}}"#);
        let logprobs: Logprobs<'_> = serde_json::from_str(&json).expect("logprobs");
        let tokens = logprobs.tokens().expect("tokens");
        let letter = |span| if span == Span::Special { 's' } else { 'a' };
        tokens.iter().map(|token| letter(token.span)).collect()
    }

    #[test]
    fn the_end_of_a_turn_is_seen_as_servers_send_it() {
        let hi = r#"{"token": "Hi", "logprob": -0.1, "bytes": [72, 105]}"#;
        let bare = r#"{"token": "Hi", "logprob": -0.1, "bytes": []}"#;
        let end = |fields: &str| format!(r#"{{"logprob": -0.5, {fields}}}"#);
        let after = |first: &str, fields: &str| spans(&format!("{first}, {}", end(fields)));
        assert_eq!(after(hi, r#""token": "", "bytes": []"#), "as", "llama.cpp");
        assert_eq!(after(hi, r#""token": """#), "as");
        assert_eq!(after(hi, r#""token": "", "bytes": null"#), "as");
        assert_eq!(after(hi, r#""token": "<|im_end|>", "bytes": [60, 124]"#), "as", "vLLM");
        assert_eq!(after(hi, r#""token": "</eot>", "bytes": []"#), "as", "known by its bytes only");
        assert_eq!(after(hi, r#""token": "", "bytes": [240, 159]"#), "aa", "a part of a letter");
        assert_eq!(after(bare, r#""token": "!", "bytes": []"#), "aa", "no bytes at all");
        assert_eq!(after(bare, r#""token": "", "bytes": []"#), "as");
        let split = format!("{hi}, {}, {hi}", end(r#""token": "", "bytes": []"#));
        assert_eq!(spans(&split), "aaa", "a part of a letter");
        assert_eq!(spans(&end(r#""token": "", "bytes": []"#)), "s", "nothing but the end");
    }
}
