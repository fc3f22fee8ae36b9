//! Rollouts of verifiers and prime-rl: `results.jsonl` with `metadata.json` beside it, or, of newer
//! versions, `traces.jsonl` with the tokens of every message.

mod saved;
mod trace;

use std::path::{Path, PathBuf};

use super::fields::Fields;
use super::given::TOOLS;
use super::names::{CellNames, model_name};
use super::records::{self, FileRecord};
use super::rollouts::Rollouts;
use super::{
    Candidate, Claim, Content, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader,
};

/// The reader of verifiers' rollouts.
#[derive(Debug)]
pub(super) struct Verifiers;

static INFO: FormatInfo = FormatInfo {
    id: "verifiers",
    name: "verifiers, prime-rl",
    looks: "`results.jsonl` with lines `{example_id, prompt, completion, reward, …}` and `metadata.json` beside it; or `traces.jsonl` with lines `{task, nodes, rewards, …}`",
    gives: &[Gives::Labels, Gives::Draws, Gives::Logprobs, Gives::SystemPrompt, Gives::Tools],
    example: "outputs/evals/wordle--owl-7b/3f2a/results.jsonl",
};

impl Reader for Verifiers {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        let json = candidate.json();
        let has = |name| json.has(name);
        let is_saved = has("completion") && has("prompt") && (has("example_id") || has("reward"));
        let is_trace = has("nodes") && has("task") && (has("rewards") || has("agent"));
        (is_saved || is_trace).then(|| self.force(candidate))
    }

    fn force(&self, candidate: &Candidate) -> Claim {
        let claim = Claim::new(candidate.content().clone());
        let beside = candidate.neighbours().iter().find(|path| path.ends_with("metadata.json"));
        match beside {
            Some(metadata) => claim.with_parts(vec![metadata.clone()]),
            None => claim,
        }
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        let run = RunInfo::of(claim)?;
        let mut rollouts = Rollouts::new(claim, options, "verifiers", emit);
        let note = records::each(claim.content(), &mut |record| {
            let rollout = if record.fields.get("nodes").is_some() {
                trace::rollout(record, &run)
            } else {
                saved::rollout(record, &run)
            };
            let mut rollout = rollout?;
            rollout.tools = tools(record, &run).and_then(|tools| rollouts.tools(tools));
            Ok(rollouts.take(rollout))
        })?;
        note.into_iter().for_each(|note| rollouts.note(note));
        rollouts.finish("rollouts")
    }
}

/// What is known about all rollouts of a run.
struct RunInfo {
    names: CellNames,
    temperature: Option<f64>,
    /// The tools of all rollouts, as they are written.
    tools: Option<String>,
}

/// The tools of a rollout as they are written: in its record, in what is known of its example, or of all.
fn tools<'a>(record: &FileRecord<'a>, run: &'a RunInfo) -> Option<&'a str> {
    let inside = record.fields.inner("info").unwrap_or_default();
    let found = record.fields.first(&TOOLS).or_else(|| inside.first(&TOOLS));
    found.map(|(_, tools)| tools.get()).or(run.tools.as_deref())
}

impl RunInfo {
    /// What `metadata.json` says, or else the folder that verifiers names after environment and model.
    fn of(claim: &Claim) -> Result<Self, ReadError> {
        let names = named_by_folder(claim.path());
        let mut info = Self { names, temperature: None, tools: None };
        let Some(path) = claim.parts().first() else { return Ok(info) };
        let bytes = Content::at(path).json()?;
        let metadata: Fields<'_> = serde_json::from_slice(&bytes)
            .map_err(|error| ReadError::json(path, &bytes, &error))?;
        let facts = metadata.facts();
        let text = |name: &str| facts.get(name).map(str::to_owned);
        info.names.dataset = text("env_id").or(info.names.dataset);
        info.names.model = facts.get("model").map(model_name).or(info.names.model);
        let sampling = metadata.inner("sampling_args").unwrap_or_default();
        info.temperature = sampling.facts().number(&["temperature"]);
        info.tools = metadata.first(&TOOLS).map(|(_, tools)| tools.get().to_owned());
        Ok(info)
    }
}

/// Environment and model from a folder such as `wordle--acme--owl-7b/3f2a`, where the last part of the
/// model's name is the last one, or that before the harness.
fn named_by_folder(path: &Path) -> CellNames {
    let folders: Vec<PathBuf> = path.ancestors().skip(1).take(2).map(Path::to_owned).collect();
    let name = folders.iter().find_map(|folder| {
        let name = folder.file_name()?.to_str()?;
        name.contains("--").then(|| name.to_owned())
    });
    let Some(name) = name else { return CellNames::default() };
    let parts: Vec<&str> = name.split("--").collect();
    CellNames {
        dataset: Some(parts[0].to_owned()),
        model: parts.last().map(|model| (*model).to_owned()),
        condition: None,
    }
}
