//! What a model's choice says: a verdict, a probability, an action. An answer that does not fit is
//! refused with the reason, never mended.

use serde::Deserialize;
use serde_json::Value;

use super::settings::Question;
use crate::model::{Message, ToolCall};
use crate::readers::text_calls;

/// What ends the reasoning of models that write it before their answer.
const ENDS_OF_REASONING: [&str; 4] =
    ["</think>", "</thinking>", "</reasoning>", "<|channel|>final<|message|>"];

/// Why an answer counts for nothing.
pub(super) type Unparsed = String;

/// What an answer says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A verdict on a pair.
    Verdict(Verdict),
    /// The mass on TRUE and FALSE.
    Truth(Truth),
    /// A stated probability of success.
    Confidence(f64),
    /// A next action.
    Action(NextAction),
}

/// Reads a choice as the answer to a question.
pub(super) fn said(question: Question, choice: &Value) -> Result<Said, NoTruth> {
    let said = match question {
        Question::Ter => verdict(choice).map(Said::Verdict),
        Question::Vc => confidence(choice).map(Said::Confidence),
        Question::Prefix => next_action(choice).map(Said::Action),
        Question::PTrue => return truth(choice).map(Said::Truth),
    };
    said.map_err(NoTruth::Unparsed)
}

/// The text of an answer after any reasoning.
fn text(choice: &Value) -> Result<String, Unparsed> {
    let message = choice.get("message").unwrap_or(&Value::Null);
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
        return Err(format!("the model refuses: {refusal}"));
    }
    let whole = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()
        }
        _ => String::new(),
    };
    let answer = &whole[end_of_reasoning(&whole)..];
    if answer.trim().is_empty() {
        return Err(match choice.get("finish_reason").and_then(Value::as_str) {
            Some("length") => {
                "the answer was cut off before it began; raise --max-tokens".to_owned()
            }
            _ => "the answer is empty".to_owned(),
        });
    }
    Ok(answer.trim().to_owned())
}

/// Where the answer begins in a text that may begin with reasoning.
fn end_of_reasoning(text: &str) -> usize {
    let ends = ENDS_OF_REASONING.iter().filter_map(|end| Some(text.rfind(end)? + end.len()));
    ends.max().unwrap_or(0)
}

/// The one JSON object that an answer consists of; a fence around it is no part of it.
fn object<T: for<'d> Deserialize<'d>>(choice: &Value) -> Result<T, Unparsed> {
    let text = text(choice)?;
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inside = inside.map(|inside| inside.strip_prefix("json").unwrap_or(inside).trim());
    serde_json::from_str(inside.unwrap_or(&text))
        .map_err(|error| format!("the answer is not the JSON object that was asked for ({error})"))
}

/// A probability, if it is one.
fn probability(value: f64) -> Result<f64, Unparsed> {
    let is_one = (0.0..=1.0).contains(&value);
    if is_one { Ok(value) } else { Err(format!("{value} is not a probability from 0 to 1")) }
}

/// A judge's verdict on a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Whether both runs come to the same outcome.
    pub equivalent: bool,
    /// How sure the judge says it is.
    pub confidence: f64,
}

/// Reads a verdict.
pub(super) fn verdict(choice: &Value) -> Result<Verdict, Unparsed> {
    #[derive(Deserialize)]
    struct Object {
        equivalent: bool,
        confidence: f64,
    }
    let Object { equivalent, confidence } = object(choice)?;
    Ok(Verdict { equivalent, confidence: probability(confidence)? })
}

/// Reads a verbalized confidence: the stated probability of a Yes, and its complement for a No.
pub(super) fn confidence(choice: &Value) -> Result<f64, Unparsed> {
    #[derive(Deserialize)]
    struct Object {
        guess: String,
        probability: f64,
    }
    let Object { guess, probability: stated } = object(choice)?;
    let stated = probability(stated)?;
    match guess.trim().to_lowercase().as_str() {
        "yes" => Ok(stated),
        "no" => Ok(1.0 - stated),
        _ => Err(format!("the guess is `{guess}`, neither Yes nor No")),
    }
}

/// Whether a model would call tools next, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextAction {
    /// The names of the tools, in order; none for a message.
    pub tools: Vec<String>,
}

impl NextAction {
    /// The action that a turn took.
    pub fn of_turn(message: &Message) -> Self {
        Self { tools: message.tool_calls.iter().map(|call| call.name.clone()).collect() }
    }

    /// Its name: that of the tools, or `message`.
    pub fn name(&self) -> String {
        if self.tools.is_empty() { "message".to_owned() } else { self.tools.join(" + ") }
    }

    /// Whether both are messages, or both calls.
    pub fn has_type_of(&self, other: &Self) -> bool {
        self.tools.is_empty() == other.tools.is_empty()
    }
}

/// Reads an action: native tool calls, calls that stand in the text, or a message.
pub(super) fn next_action(choice: &Value) -> Result<NextAction, Unparsed> {
    let calls = choice.pointer("/message/tool_calls").and_then(Value::as_array);
    let names = calls.into_iter().flatten().filter_map(|call| call.pointer("/function/name"));
    let tools: Vec<String> = names.filter_map(|name| Some(name.as_str()?.to_owned())).collect();
    if !tools.is_empty() {
        return Ok(NextAction { tools });
    }
    let calls: Vec<ToolCall> = text_calls(&text(choice)?).unwrap_or_default();
    Ok(NextAction { tools: calls.into_iter().map(|call| call.name).collect() })
}

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
    pub(super) fn neither(self) -> f64 {
        (1.0 - self.on_true - self.on_false).clamp(0.0, 1.0)
    }
}

/// An answer that holds no log-probabilities at all.
#[derive(Debug, PartialEq)]
pub(super) enum NoTruth {
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

    fn said(content: &str) -> Value {
        json!({ "message": { "role": "assistant", "content": content } })
    }

    #[test]
    fn verdicts_are_read_strictly() {
        let good = Verdict { equivalent: true, confidence: 0.9 };
        for text in [
            r#"{"equivalent": true, "confidence": 0.9}"#,
            "```json\n{\"equivalent\": true, \"confidence\": 0.9}\n```",
            "<think>{\"equivalent\": false}</think>\n{\"confidence\": 0.9, \"equivalent\": true, \"why\": 1}",
        ] {
            assert_eq!(verdict(&said(text)), Ok(good), "{text}");
        }
        for text in [
            "",
            "yes",
            r#"{"equivalent": "true", "confidence": 0.9}"#,
            r#"{"equivalent": true}"#,
            r#"{"equivalent": true, "confidence": 90}"#,
            r#"{"equivalent": true, "confidence": 0.9} and more"#,
            r#"Sure: {"equivalent": true, "confidence": 0.9}"#,
            "<think>{\"equivalent\": true, \"confidence\": 0.9}",
        ] {
            assert!(verdict(&said(text)).is_err(), "{text}");
        }
        let refused = json!({ "message": { "content": null, "refusal": "I cannot." } });
        assert_eq!(verdict(&refused), Err("the model refuses: I cannot.".to_owned()));
        let cut = json!({ "finish_reason": "length", "message": { "content": "" } });
        assert!(verdict(&cut).expect_err("cut").contains("--max-tokens"));
    }

    #[test]
    fn a_no_counts_as_its_complement() {
        assert_eq!(confidence(&said(r#"{"guess": "Yes", "probability": 0.75}"#)), Ok(0.75));
        assert_eq!(confidence(&said(r#"{"guess": "no", "probability": 0.75}"#)), Ok(0.25));
        for text in [
            r#"{"guess": "Maybe", "probability": 0.5}"#,
            r#"{"guess": "Yes", "probability": "75%"}"#,
            r#"{"guess": "Yes", "probability": 75}"#,
            "Guess: Yes\nProbability: 0.75",
        ] {
            assert!(confidence(&said(text)).is_err(), "{text}");
        }
    }

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

    #[test]
    fn actions_are_native_calls_or_calls_in_the_text() {
        let native = json!({ "message": { "content": null, "tool_calls": [
            { "function": { "name": "get", "arguments": "{}" } }, { "function": { "name": "put" } }] } });
        assert_eq!(next_action(&native).expect("calls").tools, ["get", "put"]);
        let text = next_action(&said("[get(id='1'), put()]")).expect("calls");
        assert_eq!(text.tools, ["get", "put"]);
        assert_eq!(next_action(&said("Shall I?")).expect("a message").tools, [""; 0]);
        assert!(next_action(&said("")).is_err());
    }
}
