//! One file of a trajectory, as the format describes it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::super::given;
use super::super::json::{self, Text};
use super::super::{Content, ReadError};

/// A trajectory, or a part of one that goes on in another file.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Document {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) session_id: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    pub(super) trajectory_id: Option<String>,
    #[serde(default, deserialize_with = "json::object")]
    pub(super) agent: Agent,
    pub(super) steps: Vec<Step>,
    #[serde(default, deserialize_with = "json::object")]
    pub(super) final_metrics: Totals,
    #[serde(default, deserialize_with = "json::id")]
    pub(super) continued_trajectory_ref: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    subagent_trajectories: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Agent {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) name: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    pub(super) model_name: Option<String>,
    #[serde(default, rename = "tool_definitions", deserialize_with = "given::lenient")]
    pub(super) tools: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Totals {
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) total_prompt_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) total_completion_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::number")]
    pub(super) total_cost_usd: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Step {
    pub(super) source: String,
    #[serde(default)]
    pub(super) timestamp: Text,
    #[serde(default, deserialize_with = "json::id")]
    pub(super) model_name: Option<String>,
    #[serde(default)]
    pub(super) message: Text,
    #[serde(default)]
    pub(super) reasoning_content: Text,
    #[serde(default)]
    pub(super) tool_calls: Option<Vec<Call>>,
    #[serde(default, deserialize_with = "json::object")]
    pub(super) observation: Observation,
    #[serde(default, deserialize_with = "json::object")]
    pub(super) metrics: Metrics,
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) llm_call_count: Option<i64>,
    #[serde(default, deserialize_with = "json::flag")]
    pub(super) is_copied_context: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Call {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) tool_call_id: Option<String>,
    pub(super) function_name: String,
    #[serde(default, deserialize_with = "json::arguments")]
    pub(super) arguments: String,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Observation {
    #[serde(default, deserialize_with = "json::objects")]
    pub(super) results: Option<Vec<Answer>>,
}

/// What a call returned, or what happened beside the calls.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) source_call_id: Option<String>,
    #[serde(default)]
    pub(super) content: Text,
    #[serde(default, deserialize_with = "json::lenient")]
    subagent_trajectory_ref: Option<Value>,
    #[serde(default, deserialize_with = "json::flag")]
    pub(super) is_error: Option<bool>,
    #[serde(default, deserialize_with = "json::object")]
    pub(super) extra: AnswerExtra,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct AnswerExtra {
    #[serde(default, deserialize_with = "json::flag")]
    pub(super) is_error: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Metrics {
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) prompt_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) completion_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::number")]
    pub(super) cost_usd: Option<f64>,
    /// Of the tokens in order; one that is no number leaves the step without any.
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) logprobs: Option<Vec<f64>>,
}

impl Document {
    /// Reads a file.
    pub(super) fn read(content: &Content) -> Result<Self, ReadError> {
        let bytes = content.json()?;
        json::parse(content.path(), &bytes, |parser| Self::deserialize(parser))
    }

    /// How many trajectories of subagents belong to it, here or in other files.
    pub(super) fn subagents(&self) -> usize {
        let inside = self.subagent_trajectories.as_ref().map_or(0, Vec::len);
        let answers = self.steps.iter().flat_map(|step| step.observation.results.iter().flatten());
        let named: HashSet<String> = answers
            .filter_map(|answer| answer.subagent_trajectory_ref.as_ref())
            .flat_map(|reference| match reference {
                Value::Array(list) => list.iter().map(name).collect(),
                Value::Null => Vec::new(),
                one => vec![name(one)],
            })
            .collect();
        inside.max(named.len())
    }
}

/// What tells the subagent of a reference from others.
fn name(reference: &Value) -> String {
    let keys = ["trajectory_id", "trajectory_path", "session_id"];
    let found = keys.iter().find_map(|key| reference.get(key).filter(|value| !value.is_null()));
    found.unwrap_or(reference).to_string()
}

/// Files that continue one another, at most.
const LONGEST_CHAIN: usize = 1000;

/// The files that continue a trajectory, by their names: `x.cont-1.json` continues `x.json`.
pub(super) fn continuations(first: &Path) -> Vec<PathBuf> {
    let Some(stem) = first.file_stem().and_then(|stem| stem.to_str()) else { return Vec::new() };
    let named = |index: usize| first.with_file_name(format!("{stem}.cont-{index}.json"));
    (1..=LONGEST_CHAIN).map(named).take_while(|path| path.is_file()).collect()
}

/// The file that a trajectory says it goes on in: one of the same folder.
pub(super) fn stated_continuation(path: &Path, document: &Document) -> Option<PathBuf> {
    let stated = Path::new(document.continued_trajectory_ref.as_deref()?).file_name()?;
    Some(path.with_file_name(stated)).filter(|next| next.is_file())
}

/// The document of a file and those that continue it, in order: the file that a document names, else the
/// next of those that continue it by their names.
pub(super) fn chain(content: &Content, by_name: Vec<PathBuf>) -> Result<Vec<Document>, ReadError> {
    let mut documents = vec![Document::read(content)?];
    if content.is_stream() {
        return Ok(documents);
    }
    let mut seen = HashSet::from([content.path().to_owned()]);
    let mut by_name = by_name.into_iter();
    let mut last = content.path().to_owned();
    while documents.len() <= LONGEST_CHAIN {
        let stated = documents.last().and_then(|document| stated_continuation(&last, document));
        let next = stated.filter(|path| !seen.contains(path));
        let Some(path) = next.or_else(|| by_name.find(|path| !seen.contains(path))) else { break };
        documents.push(Document::read(&Content::at(&path))?);
        seen.insert(path.clone());
        last = path;
    }
    Ok(documents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_goes_on_where_it_says() {
        let home = tempfile::tempdir().expect("a folder");
        let write = |name: &str, json: &str| {
            let path = home.path().join(name);
            fs::write(&path, json).expect("written");
            path
        };
        let first = write("a.json", r#"{"steps": [], "continued_trajectory_ref": "x/later.json"}"#);
        write("later.json", r#"{"session_id": "2", "steps": []}"#);
        write("a.cont-1.json", r#"{"session_id": "3", "steps": []}"#);
        let chained = chain(&Content::at(&first), continuations(&first)).expect("read");
        let ids: Vec<_> = chained.iter().map(|document| document.session_id.as_deref()).collect();
        assert_eq!(ids, [None, Some("2"), Some("3")]);
    }
}
