//! Readers of what agent benchmarks write: one file or folder a format, all in one list.
//!
//! An input may be one file, an archive, several files that belong together, or standard input.
//! [`find_inputs`] shows each [`Candidate`] to the readers of [`ALL`]; the first that claims it reads
//! it later, one [`Record`] at a time, so that a run of any length passes through memory as single
//! trajectories. A new format is a file with a [`Reader`], its line in [`ALL`], and its row in
//! `docs/import.md`.

mod agentuq;
mod atif;
mod bfcl;
mod candidate;
mod chat;
mod choice;
mod claim;
mod clock;
mod command;
mod condition;
mod content;
mod error;
mod facts;
mod fields;
mod find;
mod given;
mod inspect;
mod json;
mod lines;
mod logprobs;
mod mapped;
mod mapping;
mod mini_swe;
mod names;
mod nearest;
mod openai;
mod records;
mod rollouts;
mod rows;
mod runs;
mod settings;
mod shape;
mod span;
pub(crate) mod special;
mod swe_agent;
mod tau1;
mod tau2;
mod traj;
mod verifiers;
mod walk;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::model::{Skip, TaskText, ToolCall, Trajectory};

pub use candidate::Candidate;
pub use choice::{ScoreChoice, Threshold};
pub use claim::Claim;
pub use condition::ConditionFrom;
pub use content::Content;
pub(crate) use content::UTF8_BOM;
pub use error::ReadError;
pub use find::{Claimed, Inputs, find_inputs, is_claimed};
pub(crate) use lines::Lines;
pub use mapping::Mapping;
pub(crate) use rollouts::NO_MESSAGE;
pub(crate) use settings::TEMPERATURE;
pub use settings::fingerprint;
pub use shape::JsonShape;

/// The calls that a text consists of, as models without native tool calls write them: Python calls, or
/// JSON objects with a `name` and `arguments`. None of a text that is anything else.
pub(crate) fn text_calls(text: &str) -> Option<Vec<ToolCall>> {
    bfcl::calls(text).or_else(|| json_calls(text))
}

fn json_calls(text: &str) -> Option<Vec<ToolCall>> {
    let value: Value = serde_json::from_str(text.trim()).ok()?;
    let calls = match value {
        Value::Array(calls) => calls,
        single => vec![single],
    };
    let call = |call: Value| {
        let name = call.get("name")?.as_str()?.to_owned();
        let arguments = call.get("arguments").or_else(|| call.get("parameters"))?.to_string();
        Some(ToolCall { id: String::new(), name, arguments })
    };
    calls.into_iter().map(call).collect::<Option<Vec<_>>>().filter(|calls| !calls.is_empty())
}

/// All readers; of two that claim the same input, the first reads it.
pub static ALL: &[&dyn Reader] = &[
    &tau2::Tau2,
    &tau1::Tau1,
    &bfcl::Bfcl,
    &inspect::Inspect,
    &atif::Atif,
    &swe_agent::SweAgent,
    &mini_swe::MiniSwe,
    &verifiers::Verifiers,
    &agentuq::AgentUq,
    &mapped::Table,
    &chat::Chat,
    &mapped::Mapped,
];

/// A format that can be read.
pub trait Reader: fmt::Debug + Sync {
    /// What the format is called and what it gives.
    fn info(&self) -> &'static FormatInfo;

    /// Takes a file or folder that holds results of this format, judged by its content.
    fn claim(&self, candidate: &Candidate) -> Option<Claim>;

    /// Takes a file that the user says is of this format, whatever it looks like.
    fn force(&self, candidate: &Candidate) -> Claim {
        Claim::new(candidate.content().clone())
    }

    /// Why a file of this benchmark is not read, where [`Reader::claim`] does not take it: a part of the
    /// benchmark that is not supported, or a file that lacks another.
    fn refuse(&self, _candidate: &Candidate) -> Option<Refusal> {
        None
    }

    /// Whether files of another format say more about the runs of this one.
    fn joins(&self, _: &dyn Reader) -> bool {
        false
    }

    /// Hands every run of a claimed input to `emit`, one by one.
    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError>;
}

/// Why a file that a reader knows is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What it is, such as `the score file of a run`.
    pub problem: String,
    /// What the user can do.
    pub remedy: &'static str,
}

impl PartialEq for dyn Reader {
    fn eq(&self, other: &Self) -> bool {
        self.info().id == other.info().id
    }
}

impl Eq for dyn Reader {}

/// What `--format`, `qualm formats`, errors and the documentation say about a format.
#[derive(Debug)]
pub struct FormatInfo {
    /// The id that `--format` takes.
    pub id: &'static str,
    /// The name people know it by.
    pub name: &'static str,
    /// What a file or folder of it looks like.
    pub looks: &'static str,
    /// What can be learnt from it, where it was recorded.
    pub gives: &'static [Gives],
    /// A path as users have it, for the example command.
    pub example: &'static str,
}

/// Something that runs of a format may carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Whether the run succeeded.
    Labels,
    /// Several runs of the same task.
    Draws,
    /// The log-probability of every token.
    Logprobs,
    /// The likeliest alternatives of every token.
    TopK,
    /// What the run cost.
    Costs,
    /// Several scores by name, of which one is the label.
    Scores,
    /// The policy that the agent was given.
    Policy,
    /// The agent's system prompt.
    SystemPrompt,
    /// The definitions of the agent's tools.
    Tools,
}

impl Gives {
    /// The word for it in lists.
    pub fn word(self) -> &'static str {
        match self {
            Self::Labels => "labels",
            Self::Draws => "draws",
            Self::Logprobs => "log-probabilities",
            Self::TopK => "top-k",
            Self::Costs => "costs",
            Self::Scores => "named scores",
            Self::Policy => "policy",
            Self::SystemPrompt => "system prompt",
            Self::Tools => "tool definitions",
        }
    }
}

/// The reader with this id.
pub fn by_id(id: &str) -> Option<&'static dyn Reader> {
    ALL.iter().copied().find(|reader| reader.info().id == id)
}

/// The names of all formats, for a sentence.
fn known_formats() -> String {
    let names: Vec<&str> = ALL.iter().map(|reader| reader.info().name).collect();
    names.join(", ")
}

/// What a reader hands out.
#[derive(Debug)]
pub enum Record {
    /// A run of the agent.
    Trajectory(Box<Trajectory>),
    /// A record that is no trajectory, and why.
    Skipped(Skip),
    /// What a task asks of the agent.
    Task(TaskText),
}

/// Takes each record; `false` ends the reading early.
pub type Emit<'a> = &'a mut dyn FnMut(Record) -> bool;

/// What the user says about the inputs, over what they say themselves.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The reader, when the content does not choose it.
    pub reader: Option<&'static dyn Reader>,
    /// Where everything stands in files that no reader knows.
    pub mapping: Option<Arc<Mapping>>,
    /// The path `-` is standard input.
    pub stdin: bool,
    /// An input that is cut off counts as far as it goes, since the rest may still be written.
    pub partial: bool,
    /// The dataset's name.
    pub dataset: Option<String>,
    /// The model's name.
    pub model: Option<String>,
    /// The condition's name.
    pub condition: Option<String>,
    /// What names the condition of each input, where no name is given.
    pub condition_from: Option<ConditionFrom>,
    /// Keep runs that crashed before the agent acted, as empty failures.
    pub keep_errored: bool,
    /// The score that is the label, of formats with several.
    pub score: Option<ScoreChoice>,
}

/// What is known of an input once it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputNotes {
    /// Things the user should know, such as a model's name that had to be guessed.
    pub notes: Vec<String>,
    /// The recorded trial numbers only repeat the task's id, as one fork writes them.
    pub trial_is_task: bool,
    /// The draws of a task have no order, so that none of them is a natural reference.
    pub unordered: bool,
    /// How the runs were made, by the name of a setting: the agent, its settings, the policy. Runs of two
    /// inputs that differ in one are hardly draws of the same policy. A long text is given by
    /// [`fingerprint`]; what the input does not say is absent.
    pub settings: BTreeMap<String, String>,
    /// Fingerprints of the tasks by id, of all that defines them: what they ask and how they are graded.
    /// Where a task has none, what it asks is compared.
    pub definitions: BTreeMap<String, u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reader_is_found_by_its_own_id() {
        for reader in ALL {
            let id = reader.info().id;
            assert_eq!(by_id(id), Some(*reader), "two readers are called {id}");
        }
        assert_eq!(by_id("tau3"), None);
    }
}
