//! The sidecar that agentuq writes beside tau2 results: one row a token, with its log-probability.
//!
//! It is no result of its own: the reader of tau2 takes it in.

mod turns;

use std::path::PathBuf;

use super::rows::{self, Kind};
use super::{
    Candidate, Claim, Content, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader,
};

pub(super) use turns::Sidecars;

/// The reader of agentuq's sidecars.
#[derive(Debug)]
pub(super) struct AgentUq;

/// The id of the format, by which the reader of tau2 knows it.
pub(super) const ID: &str = "agentuq";

static INFO: FormatInfo = FormatInfo {
    id: ID,
    name: "agentuq log-probabilities",
    looks: "JSON lines, CSV or Parquet with rows `{task_id, trial, role, turn_idx, token_idx, token, chosen_logprob, …}`, imported with their tau2 results or found beside them",
    gives: &[Gives::Logprobs, Gives::TopK],
    example: "results.json uq_logprobs/",
};

/// The columns without which a file is no sidecar.
const NEEDED: [&str; 4] = ["task_id", "token_idx", "token", "chosen_logprob"];

impl Reader for AgentUq {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        if candidate.entries().is_some() {
            return None;
        }
        let is_sidecar = if Kind::of(candidate.start()) == Kind::Json {
            NEEDED.iter().all(|name| candidate.json().has(name))
        } else {
            // Most files are told from their first bytes, without decoding them.
            let names = rows::columns(candidate.content())?;
            NEEDED.iter().all(|needed| names.iter().any(|name| name == needed))
        };
        is_sidecar.then(|| self.force(candidate))
    }

    fn read(&self, claim: &Claim, _: &ReadOptions, _: Emit<'_>) -> Result<InputNotes, ReadError> {
        let problem = "holds log-probabilities only, without the runs that they belong to";
        let remedy = "import it together with its tau2 results, or put it into their folder";
        Err(ReadError::new(claim.path(), problem, remedy))
    }
}

/// The folder that agentuq writes to.
const FOLDER: &str = "uq_logprobs";

/// The sidecars in the folder of some results, known by their name and then by their content.
pub(super) fn beside(results: &Candidate) -> Vec<Content> {
    let is_named = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.contains("logprobs")
            && [".jsonl", ".csv", ".parquet"].iter().any(|end| name.contains(end))
    };
    let neighbours = results.neighbours();
    let inside = neighbours.iter().filter(|path| path.ends_with(FOLDER)).flat_map(|folder| {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        files
    });
    let inside: Vec<PathBuf> = inside.collect();
    let files = neighbours.iter().chain(&inside).filter(is_named).filter(|path| path.is_file());
    let sidecar = |path: &PathBuf| {
        let candidate = Candidate::file(Content::at(path)).ok()?;
        AgentUq.claim(&candidate).map(|claim| claim.content().clone())
    };
    files.filter_map(sidecar).collect()
}
