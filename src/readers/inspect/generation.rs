//! What the model events of a sample tell about its messages: tokens and usage.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::super::json;
use super::super::logprobs::Logprobs;
use super::super::span;
use super::message::{Attachments, Spoken};
use crate::model::TokenSeq;

/// The outputs of model events, in order, each with the tools that the model had. Other events repeat
/// them and are passed over.
#[derive(Debug, Default)]
pub(super) struct Outputs<'a>(Vec<(&'a RawValue, Option<&'a RawValue>)>);

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    event: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Outputs<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OutputsVisitor(std::marker::PhantomData))
    }
}

struct OutputsVisitor<'a>(std::marker::PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for OutputsVisitor<'a> {
    type Value = Outputs<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Outputs::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut outputs = Vec::new();
        while let Some(event) = seq.next_element::<Event<'a>>()? {
            let output = event.output.filter(|_| event.event.as_deref() == Some("model"));
            outputs.extend(output.map(|output| (output, event.tools)));
        }
        Ok(Outputs(outputs))
    }
}

/// What a model answered.
#[derive(Default, Deserialize)]
pub(super) struct Output<'a> {
    #[serde(borrow, default)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(default, deserialize_with = "json::lenient")]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default)]
    message: Option<Spoken>,
    #[serde(borrow, default, deserialize_with = "json::lenient")]
    logprobs: Option<Logprobs<'a>>,
    #[serde(default, deserialize_with = "json::id")]
    stop_reason: Option<String>,
}

impl<'a> Output<'a> {
    /// An answer of another shape says nothing.
    pub(super) fn of(raw: &'a RawValue) -> Self {
        serde_json::from_str(raw.get()).unwrap_or_default()
    }

    /// Why the model stopped.
    pub(super) fn stop_reason(&self) -> Option<String> {
        self.choices.as_ref()?.first()?.stop_reason.clone()
    }

    fn generation(self, tools: Option<&'a RawValue>) -> Option<Generation<'a>> {
        let choice = self.choices?.into_iter().next()?;
        let spoken = choice.message?;
        let mut tokens = choice.logprobs.and_then(|logprobs| logprobs.tokens().ok());
        if let Some(tokens) = &mut tokens {
            span::mark(tokens, &spoken.message);
        }
        Some(Generation { spoken, tokens, usage: self.usage, tools })
    }
}

/// Tokens that were used, and their price.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Usage {
    #[serde(default, deserialize_with = "json::whole")]
    input_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) output_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    total_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::number")]
    pub(super) total_cost: Option<f64>,
}

impl Usage {
    /// All tokens of the prompt. Some versions count those from a cache apart, but always in the total.
    pub(super) fn prompt_tokens(&self) -> Option<i64> {
        let rest = self.total_tokens.and_then(|all| all.checked_sub(self.output_tokens?));
        self.input_tokens.into_iter().chain(rest).max()
    }
}

/// One generation of a model.
pub(super) struct Generation<'a> {
    spoken: Spoken,
    pub(super) tokens: Option<TokenSeq>,
    pub(super) usage: Option<Usage>,
    /// The tools that the model had.
    pub(super) tools: Option<&'a RawValue>,
}

/// The generations of a sample that no message has taken yet.
pub(super) struct Generations<'a> {
    by_id: HashMap<String, Generation<'a>>,
    /// Logs of early versions give messages no id.
    nameless: Vec<Generation<'a>>,
}

impl<'a> Generations<'a> {
    /// The generations of the model events, and of the sample's last output where there are no events.
    pub(super) fn new(
        outputs: &Outputs<'a>,
        last: Option<Output<'a>>,
        texts: &Attachments<'_>,
    ) -> Self {
        let mut all = Self { by_id: HashMap::new(), nameless: Vec::new() };
        let has_events = !outputs.0.is_empty();
        let events = outputs.0.iter().map(|(raw, tools)| (Output::of(raw), *tools));
        let last = last.filter(|_| !has_events).map(|output| (output, None));
        let generations = events.chain(last);
        for mut generation in generations.filter_map(|(output, tools)| output.generation(tools)) {
            if let Some(id) = generation.spoken.id.take() {
                // The first event counts: a later one with the same message repeats it.
                all.by_id.entry(id).or_insert(generation);
            } else {
                texts.resolve(&mut generation.spoken.message);
                all.nameless.push(generation);
            }
        }
        all
    }

    /// Takes the generation of a message: that with its id or, without ids, the next that says the same.
    pub(super) fn take(&mut self, spoken: &Spoken) -> Option<Generation<'a>> {
        if let Some(id) = &spoken.id {
            return self.by_id.remove(id);
        }
        let message = &spoken.message;
        let same = |generation: &Generation<'_>| {
            let other = &generation.spoken.message;
            other.content == message.content && other.tool_calls == message.tool_calls
        };
        let index = self.nameless.iter().position(same)?;
        Some(self.nameless.remove(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_generate() {
        let said = |event: &str| format!(r#"{{"event": "{event}", "output": {{"choices": []}}}}"#);
        let events = format!("[{}, {}, {{}}]", said("subtask"), said("model"));
        let outputs: Outputs<'_> = serde_json::from_str(&events).expect("events");
        assert_eq!(outputs.0.len(), 1);
    }
}
