//! What a model's choice says: a verdict, a probability, an action. An answer that does not fit is
//! refused with the reason, never mended.

mod truth;

use serde::Deserialize;
use serde_json::Value;

use super::settings::Question;
use crate::model::{Message, ToolCall};
use crate::readers::text_calls;
pub(super) use truth::NoTruth;
pub use truth::Truth;
use truth::truth;

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

impl Said {
    /// The verdict, if it is one.
    pub fn verdict(&self) -> Option<Verdict> {
        if let Self::Verdict(verdict) = self { Some(*verdict) } else { None }
    }

    /// The mass on TRUE and FALSE, if it is that.
    pub fn truth(&self) -> Option<Truth> {
        if let Self::Truth(truth) = self { Some(*truth) } else { None }
    }

    /// The stated probability, if it is one.
    pub fn confidence(&self) -> Option<f64> {
        if let Self::Confidence(value) = self { Some(*value) } else { None }
    }

    /// The action, if it is one.
    pub fn action(&self) -> Option<&NextAction> {
        if let Self::Action(action) = self { Some(action) } else { None }
    }
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
