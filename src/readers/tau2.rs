//! tau2-bench: `{info, tasks, simulations}` in one document, or an index (`results.json`) with one
//! file per simulation in the folder `simulations` beside it, or one such simulation alone.

mod checks;
mod document;
mod grading;
mod simulation;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::agentuq::{self, Sidecars};
use super::content::unpacked_name;
use super::given::Contexts;
use super::names::{CellNames, model_name};
use super::runs::{Repeats, hand_out};
use super::walk::{self, Want};
use super::{
    Candidate, Claim, Content, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader,
    Record, json,
};
use crate::model::{Cell, Given, Head, Message, Origin, TaskText};
use document::{Info, Preamble, Task};
use grading::Criteria;
use simulation::Simulation;

/// The greeting that every tau2 run with a user begins with; no model wrote it.
const GREETING: &str = "Hi! How can I help you today?";

/// The agent that tau2 runs by default; its runs get the default condition.
const STANDARD_AGENT: &str = "llm_agent";

/// The reader of tau2-bench results.
#[derive(Debug)]
pub(super) struct Tau2;

static INFO: FormatInfo = FormatInfo {
    id: "tau2",
    name: "tau2-bench",
    looks: "`{info, tasks, simulations}`; or `results.json` with a folder `simulations` beside it; or a single simulation",
    gives: &[
        Gives::Labels,
        Gives::Draws,
        Gives::Logprobs,
        Gives::TopK,
        Gives::Costs,
        Gives::Policy,
        Gives::Tools,
    ],
    example: "results.json",
};

impl Reader for Tau2 {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        let json = candidate.json();
        let one_simulation = json.has("task_id")
            && json.has("termination_reason")
            && (json.has("messages") || json.has("ticks"));
        let results = json.has("simulations") || (json.has("info") && json.has("tasks"));
        (json.is_object() && (results || one_simulation)).then(|| self.force(candidate))
    }

    fn force(&self, candidate: &Candidate) -> Claim {
        let claim = Claim::new(candidate.content().clone());
        let mut claim = match simulations_beside(candidate) {
            Some((folder, files)) => claim.owning(folder).with_parts(files),
            None => claim,
        };
        agentuq::beside(candidate).into_iter().for_each(|sidecar| claim.add_sidecar(sidecar));
        claim
    }

    fn joins(&self, other: &dyn Reader) -> bool {
        other.info().id == agentuq::ID
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        read(claim, options, emit)
    }
}

/// The folder of single simulations that an index refers to, and the files in it by name.
fn simulations_beside(index: &Candidate) -> Option<(&Path, Vec<PathBuf>)> {
    if !index.is_named("results.json") {
        return None;
    }
    let folder = index.neighbours().iter().find(|path| path.ends_with("simulations"))?;
    let mut files: Vec<PathBuf> = folder
        .read_dir()
        .ok()?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            let name = unpacked_name(path).map(Path::new);
            name.and_then(Path::extension).is_some_and(|ending| ending == "json")
        })
        .collect();
    files.sort();
    (!files.is_empty()).then_some((folder.as_path(), files))
}

fn read(claim: &Claim, options: &ReadOptions, emit: Emit<'_>) -> Result<InputNotes, ReadError> {
    let path = claim.path();
    let preamble = Preamble::read(claim.content())?;
    let mut run = Run::new(claim, &preamble, options, emit);
    run.sidecars = Sidecars::read(claim.sidecars())?;
    preamble.info.note(&mut run.notes);
    for Task { id: task, instruction, criteria, definition } in preamble.tasks {
        run.notes.definitions.insert(task.clone(), definition);
        run.criteria.insert(task.clone(), criteria);
        if let Some(instruction) = instruction {
            let dataset = run.cell.dataset.clone();
            (run.emit)(Record::Task(TaskText { dataset, task, instruction }));
        }
    }
    if preamble.lone_simulation {
        run.take(lone_simulation(claim.content())?);
    } else if preamble.has_simulations {
        let mut want = |key: &str| if key == "simulations" { Want::Elements } else { Want::Skip };
        walk::members(claim.content(), &mut want, &mut |_, simulation| {
            Ok(run.take(simulation.parse()?))
        })
        .map_err(|error| match run.seen {
            0 => error,
            seen => error.after(&format!("simulation {seen}")),
        })?;
    }
    // An index may list no simulation: they lie beside it.
    if run.seen == 0 {
        for part in claim.parts() {
            if !run.take(lone_simulation(&Content::at(part))?) {
                break;
            }
        }
    }
    if run.seen == 0 {
        return Err(ReadError::nothing_inside(path, "simulations"));
    }
    run.notes.notes.extend(run.sidecars.notes());
    Ok(run.notes)
}

/// A document that is itself one simulation.
fn lone_simulation(content: &Content) -> Result<Simulation, ReadError> {
    let bytes = content.json()?;
    json::parse(content.path(), &bytes, |parser| Simulation::deserialize(parser))
}

/// What the simulations of an input share.
struct Run<'a> {
    cell: Cell,
    source: String,
    temperature: Option<f64>,
    /// What every task is graded by, where the tasks say so.
    criteria: HashMap<String, Criteria>,
    keep_errored: bool,
    emit: Emit<'a>,
    seen: usize,
    repeats: Repeats,
    notes: InputNotes,
    /// What the file itself says of the cell.
    names: CellNames,
    sidecars: Sidecars,
    contexts: Contexts,
    policy: Option<String>,
    tools: Option<String>,
}

impl<'a> Run<'a> {
    fn new(claim: &Claim, preamble: &Preamble, options: &ReadOptions, emit: Emit<'a>) -> Self {
        let Info { agent_info, environment_info, .. } = &preamble.info;
        let mut names = CellNames {
            dataset: environment_info.domain_name.clone(),
            model: agent_info.llm.as_deref().map(model_name),
            condition: agent_info.implementation.clone().filter(|agent| agent != STANDARD_AGENT),
        };
        let mut notes = InputNotes::default();
        let stated = names.clone();
        names.guess(claim.path(), options, "tau2", &mut notes.notes);
        Self {
            cell: names.cell(options),
            source: claim.source().to_owned(),
            temperature: agent_info.temperature(),
            criteria: HashMap::new(),
            keep_errored: options.keep_errored,
            emit,
            seen: 0,
            repeats: Repeats::default(),
            notes,
            names: stated,
            sidecars: Sidecars::default(),
            contexts: Contexts::default(),
            policy: environment_info.policy.0.clone(),
            tools: environment_info.tools.clone(),
        }
    }

    /// Hands out one simulation; false when no more are wanted.
    fn take(&mut self, mut simulation: Simulation) -> bool {
        self.seen += 1;
        let task = simulation.task_id.clone().or_else(|| simulation.id.clone());
        let mut head = Head::new(self.cell.clone(), task.unwrap_or_else(|| self.seen.to_string()));
        head.origin = Origin {
            source: self.source.clone(),
            // An id that serves as the task's name is no id of the run.
            run_id: simulation.id.clone().filter(|_| simulation.task_id.is_some()),
            trial: simulation.trial,
            repeat: self.repeats.next(&head.task, simulation.trial),
        };
        head.temperature = self.temperature;
        let audio_only = simulation.is_audio_only();
        let of_task = self.criteria.get(&head.task);
        let policy = simulation.policy.0.take();
        let mut run = simulation.into_trajectory(head, of_task);
        self.sidecars.attach(&mut run, &self.names);
        let policy = policy.as_deref().or(self.policy.as_deref());
        let given = Given { policy, tools: self.tools.as_deref(), ..Given::default() };
        self.contexts.attach(&mut run, given);
        let reason = match &run.head.termination {
            _ if audio_only => "recorded as audio ticks, without a transcript".to_owned(),
            Some(word) => format!("ended before the agent acted ({word})"),
            None => "ended before the agent acted".to_owned(),
        };
        hand_out(run, self.keep_errored && !audio_only, || reason, self.emit)
    }
}

/// Whether a conversation's first message is scripted: the known greeting, or a first word of the
/// assistant that carries no trace of a generation although later ones do.
fn is_greeting(first: &Message, first_generated: bool, later_generated: bool) -> bool {
    first.is_turn()
        && first.tool_calls.is_empty()
        && (first.content.as_deref() == Some(GREETING) || (!first_generated && later_generated))
}
