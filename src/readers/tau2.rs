//! tau2-bench: `{info, tasks, simulations}` in one document, or an index (`results.json`) with one
//! file a simulation in the folder `simulations` beside it, or one such simulation alone.

mod document;
mod simulation;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeSeed;

use super::{Emit, FileNotes, Input, ReadError, ReadOptions, Record, Repeats, Said, json};
use crate::model::{Cell, Head, Message, Origin, TaskText};
use document::{Info, Preamble, Simulations};
use simulation::Simulation;

/// The greeting that every tau2 run with a user begins with; no model wrote it.
const GREETING: &str = "Hi! How can I help you today?";

/// The agent that tau2 runs when no other is named: its runs need no condition of their own.
const STANDARD_AGENT: &str = "llm_agent";

/// The files of single simulations that an index refers to, by name.
pub(super) fn part_files(index: &Path) -> Vec<PathBuf> {
    let is_index = index.file_name().is_some_and(|name| name == "results.json");
    let folder = index.with_file_name("simulations");
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    if !is_index {
        return Vec::new();
    }
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    files
}

pub(super) fn read(
    input: &Input,
    bytes: &[u8],
    options: &ReadOptions,
    emit: Emit<'_>,
) -> Result<FileNotes, ReadError> {
    let path = input.path.as_path();
    let preamble = Preamble::read(path, bytes)?;
    let mut run = Run::new(input, &preamble, options, emit);
    for task in preamble.tasks {
        let text = TaskText {
            dataset: run.cell.dataset.clone(),
            task: task.id,
            instruction: task.instruction,
        };
        (run.emit)(Record::Task(text));
    }
    if preamble.lone_simulation {
        let simulation = json::parse(path, bytes, |parser| Simulation::deserialize(parser))?;
        run.take(simulation);
    } else if preamble.has_simulations {
        json::parse(path, bytes, |parser| {
            Simulations { take: &mut |simulation| run.take(simulation) }.deserialize(parser)
        })
        .map_err(|error| match run.seen {
            0 => error,
            seen => error.after(&format!("simulation {seen}")),
        })?;
    }
    // An index may list no simulation of its own: they lie beside it.
    if run.seen == 0 {
        for part in part_files(path) {
            let bytes = super::load(&part)?;
            let simulation = json::parse(&part, &bytes, |parser| Simulation::deserialize(parser))?;
            if !run.take(simulation) {
                break;
            }
        }
    }
    if run.seen == 0 {
        return Err(ReadError::nothing_inside(path, "simulations"));
    }
    Ok(FileNotes { notes: run.notes, trial_is_task: false })
}

/// What is the same for all simulations of a file.
struct Run<'a> {
    cell: Cell,
    source: String,
    temperature: Option<f64>,
    keep_errored: bool,
    emit: Emit<'a>,
    seen: usize,
    repeats: Repeats,
    notes: Vec<String>,
}

impl<'a> Run<'a> {
    fn new(input: &Input, preamble: &Preamble, options: &ReadOptions, emit: Emit<'a>) -> Self {
        let Info { agent_info, environment_info } = &preamble.info;
        let mut said = Said {
            dataset: environment_info.domain_name.clone(),
            model: agent_info.llm.as_deref().map(super::model_name),
            condition: agent_info.implementation.clone().filter(|own| own != STANDARD_AGENT),
        };
        let mut notes = Vec::new();
        super::name_after_file(&input.path, options, &mut said, "tau2", &mut notes);
        Self {
            cell: options.cell(said),
            source: input.source.clone(),
            temperature: agent_info.llm_args.temperature,
            keep_errored: options.keep_errored,
            emit,
            seen: 0,
            repeats: Repeats::default(),
            notes,
        }
    }

    /// Hands out one simulation; false when no more are wanted.
    fn take(&mut self, simulation: Simulation) -> bool {
        self.seen += 1;
        let task = simulation.task_id.clone().or_else(|| simulation.id.clone());
        let mut head = Head::new(self.cell.clone(), task.unwrap_or_else(|| self.seen.to_string()));
        head.origin = Origin {
            source: self.source.clone(),
            // An id that had to serve as the task's name is none of the run's own.
            run_id: simulation.id.clone().filter(|_| simulation.task_id.is_some()),
            trial: simulation.trial,
            repeat: self.repeats.next(&head.task, simulation.trial),
        };
        head.temperature = self.temperature;
        let audio_only = simulation.is_audio_only();
        let run = simulation.into_trajectory(head);
        let reason = match &run.head.termination {
            _ if audio_only => "recorded as audio ticks, without a transcript".to_owned(),
            Some(word) => format!("ended before the agent acted ({word})"),
            None => "ended before the agent acted".to_owned(),
        };
        super::hand_out(run, self.keep_errored && !audio_only, || reason, self.emit)
    }
}

/// Whether a conversation's first message is scripted: the known greeting, or a first word of the
/// assistant that carries no trace of a generation although later ones do.
fn is_greeting(first: &Message, first_generated: bool, later_generated: bool) -> bool {
    first.is_turn()
        && first.tool_calls.is_empty()
        && (first.content.as_deref() == Some(GREETING) || (!first_generated && later_generated))
}
