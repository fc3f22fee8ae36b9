//! A kept answer as people read it: what the model wrote, and what that says.

use serde_json::Value;

use super::answer::{NoTruth, Said, said};
use super::settings::Question;

/// A kept answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadAnswer {
    /// The model's words and calls, as they came.
    pub raw: String,
    /// What they say, or why they count for nothing.
    pub said: Result<Said, String>,
}

/// Reads the choice of a kept answer to a question.
pub fn read_answer(question: Question, choice: &Value) -> ReadAnswer {
    let said = said(question, choice).map_err(|why| match why {
        NoTruth::Unparsed(why) => why,
        NoTruth::NoLogProbabilities => "the endpoint sent no log-probabilities".to_owned(),
    });
    ReadAnswer { raw: raw(choice), said }
}

/// What the model wrote, reasoning included, and then its calls.
fn raw(choice: &Value) -> String {
    let message = choice.get("message").unwrap_or(&Value::Null);
    let field = |name: &str| message.get(name).and_then(Value::as_str).map(str::to_owned);
    let parts = message.get("content").and_then(Value::as_array).into_iter().flatten();
    let parts: String = parts.filter_map(|part| part.get("text")?.as_str()).collect();
    let words = [field("content"), Some(parts), field("refusal")];
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let calls = calls.filter_map(|call| {
        let name = call.pointer("/function/name")?.as_str()?;
        let arguments = call.pointer("/function/arguments").and_then(Value::as_str);
        Some(format!("{name}({})", arguments.unwrap_or_default()))
    });
    let said = words.into_iter().flatten().map(|words| words.trim().to_owned());
    said.filter(|words| !words.is_empty()).chain(calls).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::models::{NextAction, Verdict};

    #[test]
    fn an_answer_has_its_words_and_what_they_say() {
        let words = "<think>Hm.</think>{\"equivalent\": true, \"confidence\": 0.9}";
        let read = read_answer(Question::Ter, &json!({ "message": { "content": words } }));
        assert_eq!(read.raw, words);
        let verdict = Verdict { equivalent: true, confidence: 0.9 };
        assert_eq!(read.said, Ok(Said::Verdict(verdict)));
        let read = read_answer(Question::Vc, &json!({ "message": { "content": "Perhaps." } }));
        assert_eq!(read.raw, "Perhaps.");
        assert!(read.said.is_err_and(|why| why.contains("not the JSON object")));
        let read = read_answer(Question::PTrue, &json!({ "message": { "content": "TRUE" } }));
        assert_eq!(read.said, Err("the endpoint sent no log-probabilities".to_owned()));
        let call = json!({ "function": { "name": "get", "arguments": "{}" } });
        let choice = json!({ "message": { "content": "So:", "tool_calls": [call] } });
        let read = read_answer(Question::Prefix, &choice);
        assert_eq!(read.raw, "So:\nget({})");
        assert_eq!(read.said, Ok(Said::Action(NextAction { tools: vec!["get".to_owned()] })));
        assert_eq!(read_answer(Question::Ter, &json!(7)).raw, "");
    }
}
