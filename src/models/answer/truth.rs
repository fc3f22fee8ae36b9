//! The mass on TRUE and FALSE at the first token of an answer.

use serde::Deserialize;
use serde_json::Value;

use super::{Unparsed, end_of_reasoning};

/// The probability mass on the first word of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// On every spelling of TRUE.
    pub on_true: f64,
    /// On every spelling of FALSE.
    pub on_false: f64,
}

impl Truth {
    /// The share of TRUE of what is on either.
    pub fn normalised(self) -> f64 {
        self.on_true / (self.on_true + self.on_false)
    }

    /// The mass on neither.
    pub(in crate::models) fn neither(self) -> f64 {
        (1.0 - self.on_true - self.on_false).clamp(0.0, 1.0)
    }
}

/// An answer that holds no log-probabilities at all.
#[derive(Debug, PartialEq)]
pub(in crate::models) enum NoTruth {
    /// The endpoint sends none.
    NoLogProbabilities,
    /// They say nothing about TRUE and FALSE.
    Unparsed(Unparsed),
}

/// A recorded token with its alternatives.
#[derive(Deserialize)]
struct RecordedToken {
    #[serde(default)]
    token: String,
    #[serde(default)]
    bytes: Option<Vec<u8>>,
    #[serde(default)]
    logprob: Option<f64>,
    #[serde(default)]
    top_logprobs: Option<Vec<RecordedToken>>,
}

impl RecordedToken {
    /// The text. The bytes are exact where a token is only part of a character.
    fn text(&self) -> String {
        match &self.bytes {
            Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            None => self.token.replace(['\u{120}', '\u{2581}'], " "),
        }
    }

    fn probability(&self) -> f64 {
        self.logprob.filter(|logprob| !logprob.is_nan()).map_or(0.0, |log| log.min(0.0).exp())
    }
}

/// Reads the mass on TRUE and FALSE at the first token of the answer, after any reasoning.
pub(super) fn truth(choice: &Value) -> Result<Truth, NoTruth> {
    let content = choice.pointer("/logprobs/content").filter(|content| !content.is_null());
    let content = content.ok_or(NoTruth::NoLogProbabilities)?;
    let tokens: Vec<RecordedToken> = serde_json::from_value(content.clone()).map_err(|error| {
        NoTruth::Unparsed(format!("the log-probabilities are damaged ({error})"))
    })?;
    let first = first_of_answer(choice, &tokens)
        .ok_or_else(|| NoTruth::Unparsed("no token of the answer was recorded".to_owned()))?;
    let rest: String = tokens[first..].iter().map(RecordedToken::text).collect();
    let token = &tokens[first];
    let recorded = token.top_logprobs.as_deref().unwrap_or_default();
    if recorded.is_empty() && token.logprob.is_none() {
        return Err(NoTruth::NoLogProbabilities);
    }
    // A token that a grammar forced, or a sampler chose, may not be among the likeliest.
    let chosen = token.text();
    let is_listed = recorded.iter().any(|other| other.text() == chosen);
    let listed = recorded.iter().chain((!is_listed).then_some(token));
    let spelling = Spelling::of(&chosen, &rest);
    let mut truth = Truth { on_true: 0.0, on_false: 0.0 };
    for candidate in listed {
        match spelling.says(&candidate.text()) {
            Some(true) => truth.on_true += candidate.probability(),
            Some(false) => truth.on_false += candidate.probability(),
            None => {}
        }
    }
    (truth.on_true, truth.on_false) = (truth.on_true.min(1.0), truth.on_false.min(1.0));
    if truth.on_true + truth.on_false > 0.0 {
        Ok(truth)
    } else {
        let why = "neither TRUE nor FALSE is among the recorded tokens; raise --top-logprobs";
        Err(NoTruth::Unparsed(why.to_owned()))
    }
}

/// The index of the first token of the answer: after the reasoning, and no blank.
fn first_of_answer(choice: &Value, tokens: &[RecordedToken]) -> Option<usize> {
    let whole: String = tokens.iter().map(RecordedToken::text).collect();
    let mut start = end_of_reasoning(&whole);
    // Some servers send the reasoning apart, but its tokens together with the answer's.
    let reasoning = ["reasoning_content", "reasoning"]
        .iter()
        .find_map(|name| choice.pointer(&format!("/message/{name}"))?.as_str());
    if let Some(reasoning) = reasoning.map(str::trim).filter(|reasoning| !reasoning.is_empty())
        && let Some(at) = whole.find(reasoning)
    {
        start = start.max(at + reasoning.len());
    }
    let mut end = 0;
    tokens.iter().position(|token| {
        let text = token.text();
        end += text.len();
        end > start && !text.trim().is_empty()
    })
}

/// How the words are spelt at the first token.
enum Spelling {
    /// As one token.
    Whole,
    /// In pieces, of which the first is this long.
    Pieces,
}

impl Spelling {
    /// The spelling of an answer that begins with a token.
    fn of(chosen: &str, answer: &str) -> Self {
        let (chosen, answer) = (letters(chosen), letters(answer));
        let is_piece = ["true", "false"].iter().any(|word| {
            answer.starts_with(word) && chosen.len() < word.len() && word.starts_with(&chosen)
        });
        if is_piece { Self::Pieces } else { Self::Whole }
    }

    /// What a token says.
    fn says(&self, token: &str) -> Option<bool> {
        let token = letters(token);
        let means = |word: &str| match self {
            Self::Whole => token == word,
            Self::Pieces => !token.is_empty() && word.starts_with(&token),
        };
        match (means("true"), means("false")) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }
}

/// A text in small letters, without blanks and the marks that models put around a word.
fn letters(text: &str) -> String {
    let is_mark = |c: char| c.is_whitespace() || "*_`\"'.".contains(c);
    text.trim_matches(is_mark).to_lowercase()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn token(text: &str, probability: f64, top: &[(&str, f64)]) -> Value {
        let top: Vec<Value> = top
            .iter()
            .map(|(text, p)| json!({ "token": text, "logprob": p.ln(), "bytes": text.as_bytes() }))
            .collect();
        json!({ "token": text, "logprob": probability.ln(), "top_logprobs": top, "bytes": text.as_bytes() })
    }

    fn recorded(tokens: &[Value]) -> Value {
        json!({ "message": { "content": "" }, "logprobs": { "content": tokens } })
    }

    fn near(found: Result<Truth, NoTruth>, on_true: f64, on_false: f64) {
        let found = found.expect("a truth");
        let off = (found.on_true - on_true).abs().max((found.on_false - on_false).abs());
        assert!(off < 1e-12, "{found:?}");
    }

    #[test]
    fn every_spelling_counts() {
        let top = [("TRUE", 0.5), (" True", 0.2), ("true", 0.1), ("FALSE", 0.1), ("The", 0.05)];
        let choice = recorded(&[token("TRUE", 0.5, &top)]);
        near(truth(&choice), 0.8, 0.1);
        let found = truth(&choice).expect("a truth");
        assert!((found.normalised() - 8.0 / 9.0).abs() < 1e-12);
        assert!((found.neither() - 0.1).abs() < 1e-12);
        // Sentencepiece writes a blank as ▁, and sends no bytes.
        let piece = json!({ "token": "▁False", "logprob": 0.5f64.ln(), "top_logprobs": [] });
        near(truth(&recorded(&[piece])), 0.0, 0.5);
    }

    #[test]
    fn the_first_token_of_the_answer_counts() {
        let thought = [
            token("<think>", 1.0, &[]),
            token("TRUE", 1.0, &[("TRUE", 1.0)]),
            token("</think>", 1.0, &[]),
            token("\n\n", 1.0, &[("\n\n", 1.0)]),
            token("FALSE", 0.9, &[("FALSE", 0.9), ("TRUE", 0.1)]),
        ];
        near(truth(&recorded(&thought)), 0.1, 0.9);
        let mut apart = recorded(&[
            token("TRUE or", 1.0, &[("TRUE", 1.0)]),
            token(" not?", 1.0, &[]),
            token("FALSE", 0.9, &[("FALSE", 0.9), ("TRUE", 0.1)]),
        ]);
        apart["message"]["reasoning_content"] = json!("TRUE or not?");
        near(truth(&apart), 0.1, 0.9);
    }

    #[test]
    fn a_chosen_token_outside_the_list_counts_once() {
        let forced = recorded(&[token("TRUE", 0.01, &[("The", 0.6), ("FALSE", 0.3)])]);
        near(truth(&forced), 0.01, 0.3);
        let pieces =
            [token("TR", 0.7, &[("TR", 0.7), ("FAL", 0.2), ("Tired", 0.1)]), token("UE", 1.0, &[])];
        near(truth(&recorded(&pieces)), 0.7, 0.2);
    }

    #[test]
    fn no_number_is_invented() {
        let none = json!({ "message": { "content": "TRUE" } });
        assert_eq!(truth(&none), Err(NoTruth::NoLogProbabilities));
        let null = json!({ "message": { "content": "TRUE" }, "logprobs": null });
        assert_eq!(truth(&null), Err(NoTruth::NoLogProbabilities));
        let neither = recorded(&[token("Well", 0.5, &[("Well", 0.5), ("Hm", 0.5)])]);
        assert!(matches!(truth(&neither), Err(NoTruth::Unparsed(_))));
        // Half a character: its bytes are no text.
        let broken = json!({ "token": "\u{fffd}", "bytes": [0xf0, 0x9f], "logprob": -0.1,
            "top_logprobs": [{ "token": "TRUE", "bytes": null, "logprob": 0.25f64.ln() }] });
        near(truth(&recorded(&[broken])), 0.25, 0.0);
    }
}
