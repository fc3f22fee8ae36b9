//! ATIF, the agent trajectory interchange format: one file a run, or a job of Harbor with a folder a
//! trial.

mod document;
mod harbor;
mod run;
mod steps;

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::content::unpacked_name;
use super::given::Contexts;
use super::names::{CellNames, model_name};
use super::runs::{Repeats, hand_out, skip};
use super::{
    Candidate, Claim, Content, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader,
};
use crate::model::{Fingerprint, Given, Head, Origin, Trajectory};
use crate::text::counted;
use harbor::{Folder, Trial};
use run::{About, Recorded, Run};

/// The reader of ATIF trajectories.
#[derive(Debug)]
pub(super) struct Atif;

static INFO: FormatInfo = FormatInfo {
    id: "atif",
    name: "ATIF (Harbor)",
    looks: "`{schema_version, agent, steps}`; or a Harbor job with `agent/trajectory.json` in the folder of each trial",
    gives: &[
        Gives::Labels,
        Gives::Draws,
        Gives::Logprobs,
        Gives::Costs,
        Gives::SystemPrompt,
        Gives::Tools,
    ],
    example: "jobs/2026-03-01__12-00-00",
};

impl Reader for Atif {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        if let Some(entries) = candidate.entries() {
            return claim_folder(candidate, entries);
        }
        let json = candidate.json();
        let is_trajectory = json.is_object() && json.has("schema_version") && json.has("steps");
        is_trajectory.then(|| self.force(candidate))
    }

    fn force(&self, candidate: &Candidate) -> Claim {
        if candidate.entries().is_some() || candidate.content().is_stream() {
            return Claim::new(candidate.content().clone());
        }
        if let Some(trial) = trial_of(candidate.path()) {
            return Claim::new(Content::at(&trial)).with_sized_parts(harbor::files(&trial));
        }
        let first = first_part(candidate.path());
        Claim::new(Content::at(&first)).with_parts(document::continuations(&first))
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        let mut runs = Runs::new(claim, options, emit);
        let path = claim.path();
        if claim.content().is_stream() || !path.is_dir() {
            runs.take_file(claim.content())?;
        } else if harbor::is_trial(path) {
            runs.take_trials(&[Folder::at(path)], None);
        } else {
            runs.take_trials(&trials_of(claim)?, harbor::dataset_of_job(path).as_deref());
        }
        if runs.seen == 0 {
            return Err(ReadError::nothing_inside(path, "trials"));
        }
        Ok(runs.notes())
    }
}

/// The trials of a job, with the files that were found when it was claimed.
fn trials_of(claim: &Claim) -> Result<Vec<Folder>, ReadError> {
    if !claim.parts().is_empty() {
        return Ok(Folder::of_files(claim.path(), claim.parts()));
    }
    let entries = Candidate::folder(claim.path())?;
    let trials = harbor::trials(entries.entries().unwrap_or_default()).unwrap_or_default();
    Ok(trials.iter().map(|trial| Folder::at(trial)).collect())
}

fn claim_folder(candidate: &Candidate, entries: &[PathBuf]) -> Option<Claim> {
    let folder = candidate.path();
    let trials =
        if harbor::is_trial(folder) { vec![folder.to_owned()] } else { harbor::trials(entries)? };
    let files = trials.par_iter().flat_map_iter(|trial| harbor::files(trial)).collect();
    Some(Claim::new(candidate.content().clone()).owning(folder).with_sized_parts(files))
}

/// The trial whose trajectory a file is.
fn trial_of(path: &Path) -> Option<PathBuf> {
    let full = fs::canonicalize(path).ok()?;
    let agent = full.parent()?;
    let is_main = full.file_name()? == "trajectory.json" && agent.file_name()? == "agent";
    let folder = agent.parent().filter(|_| is_main)?;
    let trial = steps::trial_of(folder).unwrap_or(folder);
    // Without a result beside it, it is a file like others.
    let has_settings = trial != folder && trial.join("config.json").is_file();
    (has_settings || trial.join("result.json").is_file() || trial.join("verifier").is_dir())
        .then(|| trial.to_owned())
}

/// The file that a continuation, or a summary made by a subagent, belongs to; else the file itself.
fn first_part(path: &Path) -> PathBuf {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let base = stem
        .and_then(|stem| stem.rsplit_once('.'))
        .filter(|(_, part)| part.starts_with("cont-") || part.starts_with("summarization-"));
    let first = base.map(|(base, _)| path.with_file_name(format!("{base}.json")));
    first.filter(|first| first.is_file()).unwrap_or_else(|| path.to_owned())
}

/// The task that the path of a lone file names.
fn task_of_file(path: &Path) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = name(path).unwrap_or_default();
    let file = unpacked_name(Path::new(&file)).map_or(file.clone(), str::to_owned);
    let stem = file.strip_suffix(".json").unwrap_or(&file);
    let stem =
        stem.strip_suffix("trajectory").map_or(stem, |stem| stem.trim_end_matches(['.', '-', '_']));
    if !stem.is_empty() {
        return stem.to_owned();
    }
    let full = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut folders = full.ancestors().skip(1).filter_map(name);
    let folder = folders.find(|folder| folder != "agent").unwrap_or(file);
    harbor::task_of_folder(&folder).to_owned()
}

/// Trials that are parsed side by side before any of them is handed out: at least so many for each core.
const AT_ONCE: usize = 2;

/// Bytes of trials that are in memory together, where the trials are short.
const BYTES_AT_ONCE: usize = 1 << 20;

/// Trials that are parsed side by side at most, but for the least of many cores.
const MOST: usize = 64;

/// Trials that one thread reads together, at most: their fingerprints are computed at once.
const TOGETHER: usize = 8;

/// A trial, and its run where it recorded one.
type ReadTrial<'f> = (Trial<'f>, Option<Result<Recorded, ReadError>>);

fn read_trials<'f>(folders: &[&'f Folder], dataset: Option<&str>) -> Vec<ReadTrial<'f>> {
    let read = |folder: &&'f Folder| {
        let trial = Trial::read(folder, dataset);
        let run = trial.run();
        (trial, run)
    };
    let read: Vec<(Trial<'_>, Option<Result<Run, ReadError>>)> = folders.iter().map(read).collect();
    let runs = read.iter().map(|(_, run)| match run {
        Some(Ok(run)) => run.messages(),
        _ => &[],
    });
    let prints = Fingerprint::of_conversations(&runs.collect::<Vec<_>>());
    let recorded = read.into_iter().zip(prints).map(|((trial, run), print)| {
        (trial, run.map(|run| run.map(|run| run.recorded(Some(print)))))
    });
    recorded.collect()
}

/// The runs of one input, on their way out.
struct Runs<'a> {
    claim: &'a Claim,
    options: &'a ReadOptions,
    emit: Emit<'a>,
    repeats: Repeats,
    contexts: Contexts,
    notes: Vec<String>,
    seen: usize,
    subagents: usize,
    unparted: usize,
    gaps: usize,
}

impl<'a> Runs<'a> {
    fn new(claim: &'a Claim, options: &'a ReadOptions, emit: Emit<'a>) -> Self {
        Self {
            claim,
            options,
            emit,
            repeats: Repeats::default(),
            contexts: Contexts::default(),
            notes: Vec::new(),
            seen: 0,
            subagents: 0,
            unparted: 0,
            gaps: 0,
        }
    }

    fn notes(self) -> InputNotes {
        let mut notes = self.notes;
        if self.subagents > 0 {
            let runs = counted(self.subagents as u64, "run");
            notes.push(format!("has {runs} of subagents: left out"));
        }
        if self.gaps > 0 {
            let steps = counted(self.gaps as u64, "step");
            notes.push(format!(
                "has {steps} of trials without a trajectory: their turns are missing"
            ));
        }
        if self.unparted > 0 {
            let turns = counted(self.unparted as u64, "turn");
            notes.push(format!(
                "has {turns} whose log-probabilities do not separate reasoning from action; \
                 `qualm score --span all` scores them"
            ));
        }
        InputNotes { notes, unordered: true, ..InputNotes::default() }
    }

    /// A trajectory alone.
    fn take_file(&mut self, content: &Content) -> Result<(), ReadError> {
        let run = joined(content, document::continuations(content.path()))?.recorded(None);
        let task = task_of_file(content.path());
        let mut head = self.head(CellNames::default(), &run.about, "atif", task);
        head.origin.run_id.clone_from(&run.about.id);
        let run = self.given(run, head);
        self.hand_out(run, "ended before the agent acted".to_owned());
        Ok(())
    }

    /// The trials of a job. Attempts have no order, so that one without a trajectory comes last and
    /// leaves the first position to another.
    fn take_trials<'f>(&mut self, folders: &'f [Folder], dataset: Option<&str>) {
        let (recorded, lost): (Vec<_>, Vec<_>) =
            folders.iter().partition(|folder| folder.has_trajectory());
        let folders: Vec<&Folder> = recorded.into_iter().chain(lost).collect();
        let least = AT_ONCE * rayon::current_num_threads();
        let (mut rest, mut count) = (&folders[..], least);
        let mut trials: Vec<ReadTrial<'_>> = Vec::new();
        while !rest.is_empty() || !trials.is_empty() {
            let (some, later) = rest.split_at(count.min(rest.len()));
            let (mut next, mut is_wanted) = (Vec::new(), true);
            let part = some.len().div_ceil(rayon::current_num_threads()).clamp(1, TOGETHER);
            let read = |part: &[&'f Folder]| read_trials(part, dataset);
            // Some are read while those before them are handed out.
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| next = some.par_chunks(part).flat_map_iter(read).collect());
                is_wanted = trials.drain(..).all(|(trial, run)| self.take_trial(&trial, run));
            });
            if !is_wanted {
                break;
            }
            // Those behind them are about as long.
            let runs =
                next.iter().filter_map(|(_, run): &ReadTrial<'_>| run.as_ref()?.as_ref().ok());
            let bytes: usize = runs.map(Recorded::bytes).sum();
            count = (BYTES_AT_ONCE * next.len() / bytes.max(1)).clamp(least, MOST.max(least));
            (rest, trials) = (later, next);
        }
    }

    fn take_trial(&mut self, trial: &Trial<'_>, read: Option<Result<Recorded, ReadError>>) -> bool {
        let (run, problem) = match read {
            Some(Ok(run)) => (run, None),
            Some(Err(error)) => {
                let problem = format!("its trajectory cannot be read: {}", error.problem());
                (Run::default().recorded(None), Some(problem))
            }
            None if trial.exception().is_none() => {
                (Run::default().recorded(None), Some("recorded no trajectory".to_owned()))
            }
            None => (Run::default().recorded(None), None),
        };
        let mut head = self.head(trial.names(), &run.about, "harbor", trial.task());
        head.origin.run_id = Some(trial.name());
        head.temperature = trial.temperature();
        head.termination = trial.exception().map(str::to_owned);
        head.duration = trial.duration();
        (head.prompt_tokens, head.completion_tokens, head.cost) = trial.usage();
        if let Some(reason) = problem {
            return skip(head, reason, self.emit);
        }
        let (outcome, checks) = trial.grade();
        head.outcome = outcome;
        let reason = match trial.exception() {
            Some(exception) => format!("crashed before the agent acted ({exception})"),
            None => "ended before the agent acted".to_owned(),
        };
        let mut run = self.given(run, head);
        run.checks = checks;
        self.hand_out(run, reason)
    }

    /// The trajectory of a run, with what its agent was given.
    fn given(&mut self, mut run: Recorded, head: Head) -> Trajectory {
        let tools = run.about.tools.take();
        let mut run = run.named(head);
        let given = Given { tools: tools.as_deref(), ..Given::default() };
        self.contexts.attach(&mut run, given);
        run
    }

    /// The head of a run: the trajectory's names go over those that stand beside it.
    fn head(&mut self, mut names: CellNames, about: &About, dataset: &str, task: String) -> Head {
        self.seen += 1;
        self.subagents += about.subagents;
        self.unparted += about.unparted;
        self.gaps += about.gaps;
        names.model = about.model.as_deref().map(model_name).or(names.model);
        names.condition = about.agent.clone().or(names.condition);
        let mut notes = Vec::new();
        names.guess(self.claim.path(), self.options, dataset, &mut notes);
        notes.retain(|note| !self.notes.contains(note));
        self.notes.append(&mut notes);
        let mut head = Head::new(names.cell(self.options), task);
        let attempt = format!("{}/{}", head.cell, head.task);
        head.origin = Origin {
            source: self.claim.source().to_owned(),
            run_id: None,
            trial: None,
            repeat: self.repeats.next(&attempt, None),
        };
        head
    }

    fn hand_out(&mut self, run: Trajectory, reason: String) -> bool {
        hand_out(run, self.options.keep_errored, || reason, self.emit)
    }
}

/// A run with what continues it, where its file does not name that: files with such names.
fn joined(content: &Content, by_name: Vec<PathBuf>) -> Result<Run, ReadError> {
    let documents = document::chain(content, by_name)?;
    Run::of(documents).map_err(|problem| {
        ReadError::new(
            content.path(),
            problem,
            "check the file against the format, or leave it out",
        )
    })
}
