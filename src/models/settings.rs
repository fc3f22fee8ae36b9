//! What is to be asked, and how.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use super::{ChatModel, Prompt, PromptKind, RESULT_BYTES};
use crate::scorers::NEXT_ACTIONS;

/// A kind of question to a chat model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    /// Whether two runs come to the same outcome.
    Ter,
    /// The probability of TRUE.
    PTrue,
    /// A stated probability.
    Vc,
    /// The next action, sampled again.
    Prefix,
}

impl Question {
    /// All kinds, in the order in which they are asked.
    pub const ALL: [Self; 4] = [Self::Ter, Self::PTrue, Self::Vc, Self::Prefix];

    /// The id in the file of answers.
    pub fn id(self) -> &'static str {
        self.prompt().id()
    }

    /// The kind of this id; none of an id that a newer version wrote.
    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|question| question.id() == id)
    }

    /// The prompt that it takes.
    pub fn prompt(self) -> PromptKind {
        match self {
            Self::Ter => PromptKind::Equivalence,
            Self::PTrue => PromptKind::True,
            Self::Vc => PromptKind::Confidence,
            Self::Prefix => PromptKind::Agent,
        }
    }

    /// The scorers whose values come from the answers.
    pub fn scorers(self) -> &'static [&'static str] {
        match self {
            Self::Ter => &["ter"],
            Self::PTrue => &["ptrue", "ptrue-normalised"],
            Self::Vc => &["vc"],
            Self::Prefix => &[
                "prefix-type-mean",
                "prefix-type-min",
                "prefix-name-mean",
                "prefix-name-min",
                "prefix-tool-mean",
            ],
        }
    }

    /// The question behind a scorer; none where no chat model is asked.
    pub fn of_scorer(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|question| question.scorers().contains(&id))
    }
}

/// The agents' models, to be asked about their runs.
#[derive(Clone, Debug, Default)]
pub struct SelfModels {
    /// By the model of the cell.
    pub named: BTreeMap<String, ChatModel>,
    /// For a store with one model.
    pub only: Option<ChatModel>,
}

impl SelfModels {
    /// Whether no model was named.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.only.is_none()
    }

    /// The model behind a cell.
    pub fn of(&self, model: &str) -> Option<&ChatModel> {
        self.named.get(model).or(self.only.as_ref())
    }
}

/// How questions are put. Everything here is part of a question, and answers to others are never mixed
/// into its values.
#[derive(Clone, Debug)]
pub struct AskSettings {
    /// The judge of pairs.
    pub judge: Option<ChatModel>,
    /// The agents' models.
    pub selves: SelfModels,
    /// Prompts in place of those that come with the program.
    pub prompts: Vec<Prompt>,
    /// Whether the judge gets half of the pairs in the other order.
    pub swap: bool,
    /// Bytes of a tool's result that are shown.
    pub result_bytes: usize,
    /// How many of the likeliest tokens are asked for.
    pub top_logprobs: u32,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// How often every next action is sampled.
    pub repeats: u32,
    /// The temperature of next actions.
    pub temperature: f64,
    /// Fields of every request; null takes one away.
    pub extra: Map<String, Value>,
}

impl Default for AskSettings {
    fn default() -> Self {
        Self {
            judge: None,
            selves: SelfModels::default(),
            prompts: Vec::new(),
            swap: false,
            result_bytes: RESULT_BYTES,
            top_logprobs: 20,
            max_tokens: 2048,
            repeats: NEXT_ACTIONS as u32,
            temperature: 0.7,
            extra: Map::new(),
        }
    }
}

impl AskSettings {
    /// The prompt of a kind.
    pub fn prompt(&self, kind: PromptKind) -> Prompt {
        let given = self.prompts.iter().find(|prompt| prompt.kind() == kind);
        given.cloned().unwrap_or_else(|| Prompt::built_in(kind))
    }

    /// What the answers to a question depend on beside the model and the run, as a text.
    pub(super) fn instrument(&self, question: Question) -> String {
        let mut lines = vec![format!("question: {}", question.id())];
        match question {
            Question::Ter => lines.push(format!("swap: {}", self.swap)),
            Question::PTrue => lines.push(format!("top_logprobs: {}", self.top_logprobs)),
            Question::Vc => {}
            Question::Prefix => lines.extend([
                format!("temperature: {}", self.temperature),
                format!("repeats: {}", self.repeats),
            ]),
        }
        if question != Question::Prefix {
            lines.push(format!("result_bytes: {}", self.result_bytes));
        }
        lines.push(format!("max_tokens: {}", self.max_tokens));
        if !self.extra.is_empty() {
            lines.push(format!("extra: {}", Value::Object(self.extra.clone())));
        }
        format!("{}\n\n{}", lines.join("\n"), self.prompt(question.prompt()).text())
    }

    /// The hash of an instrument.
    pub(super) fn instrument_hash(&self, question: Question) -> String {
        format!("{:016x}", xxh3_64(self.instrument(question).as_bytes()))
    }
}
