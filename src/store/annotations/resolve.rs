//! Finds the runs that lines are about among those of a store.

use std::collections::{HashMap, HashSet};

use super::lines::{Annotation, LabelLine, NoteLine, Remark, VoteLine, id};
use crate::model::Cell;
use crate::store::identity::{RunIdentity, TaskRun, TaskRuns};
use crate::store::{Note, StepLabel, Store, StoreError, Vote};

/// What a line means in a store.
pub(in crate::store) enum Known {
    /// A note that stands.
    Note(Note),
    /// A vote.
    Vote(Vote),
    /// A label.
    Label(StepLabel),
    /// Something is missing: its task, a run or a turn.
    Missing(String),
    /// Nothing here: it is a remark, was taken back, or is about a run of another store.
    Nothing,
}

/// What a line is about: the numbers of its draws, or what is missing.
pub(in crate::store) enum Found {
    /// The current draws: one of a label or of a note on a run, two of a vote, none of a note on a task.
    Here(Vec<u32>),
    /// What is missing.
    Missing(String),
    /// It is about a run of another store.
    Elsewhere,
}

/// All lines of a file, and the runs of the store that they may be about.
pub(in crate::store) struct Reading<'l> {
    runs: TaskRuns,
    /// The runs of lines that do not name them, by the id of the line.
    bindings: HashMap<&'l str, &'l [RunIdentity]>,
    /// Ids of notes that were replaced or withdrawn, and by whom.
    ended: HashSet<(&'l str, &'l str)>,
    /// The files that the store was imported from, where lines may be about other stores' runs.
    sources: Option<HashSet<String>>,
}

/// What is missing when a run is not there.
const GONE: &str = "its run is not in the store";

impl<'l> Reading<'l> {
    /// Reads of the store what the lines need.
    pub(in crate::store) fn new(
        store: &Store,
        lines: impl Iterator<Item = &'l Annotation> + Clone,
    ) -> Result<Self, StoreError> {
        let binds = |line: &Annotation| match line {
            Annotation::Remark(remark) => matches!(remark, Remark::Binding { .. }),
            Annotation::Newer => false,
            line => line.names_runs(),
        };
        let with_text = lines.clone().any(binds);
        Self::read(store, lines, with_text)
    }

    /// The same with the identities of all runs that the lines are about.
    pub(in crate::store) fn with_text(
        store: &Store,
        lines: impl Iterator<Item = &'l Annotation> + Clone,
    ) -> Result<Self, StoreError> {
        Self::read(store, lines, true)
    }

    fn read(
        store: &Store,
        lines: impl Iterator<Item = &'l Annotation> + Clone,
        with_text: bool,
    ) -> Result<Self, StoreError> {
        let wanted: HashSet<(&Cell, &str)> =
            lines.clone().filter_map(Annotation::subject).collect();
        let sources = store
            .log()
            .is_shared()
            .then(|| store.manifest().sources.iter().map(|source| source.path.clone()).collect());
        let runs = store.task_runs(&wanted, with_text)?;
        let mut reading = Self { runs, bindings: HashMap::new(), ended: HashSet::new(), sources };
        for line in lines {
            reading.remember(line);
        }
        Ok(reading)
    }

    /// Takes in what a line says about an earlier one.
    fn remember(&mut self, line: &'l Annotation) {
        match line {
            Annotation::Remark(Remark::Binding { of, runs }) => {
                self.bindings.entry(of).or_insert(runs);
            }
            Annotation::Remark(Remark::Withdrawal { of, author, .. }) => {
                self.ended.insert((of, author));
            }
            Annotation::Note(NoteLine { note, replaces: Some(of), .. }) => {
                self.ended.insert((of, &note.author));
            }
            Annotation::Note(_)
            | Annotation::Vote(_)
            | Annotation::Label(_)
            | Annotation::Newer => {}
        }
    }

    /// What a line means here.
    pub(in crate::store) fn find(&self, line: &Annotation) -> Known {
        if self.is_ended(line) {
            return Known::Nothing;
        }
        match (line, self.draws(line)) {
            (_, Found::Missing(why)) => Known::Missing(why),
            (Annotation::Note(line), Found::Here(draws)) => {
                Known::Note(Note { draw: draws.first().copied(), ..line.note.clone() })
            }
            (Annotation::Vote(line), Found::Here(draws)) => match draws[..] {
                // A pair is the same whichever of its draws is named first.
                [a, b] => {
                    Known::Vote(Vote { draw_a: a.min(b), draw_b: a.max(b), ..line.vote.clone() })
                }
                _ => Known::Nothing,
            },
            (Annotation::Label(line), Found::Here(draws)) => match draws[..] {
                [draw] => Known::Label(StepLabel { draw, ..line.label.clone() }),
                _ => Known::Nothing,
            },
            _ => Known::Nothing,
        }
    }

    /// Whether the store has the task of a line.
    pub(in crate::store) fn has_task(&self, line: &Annotation) -> bool {
        line.subject().is_some_and(|(cell, task)| self.runs.of(cell, task).is_some())
    }

    /// Whether a note was replaced or withdrawn by its author.
    pub(in crate::store) fn is_ended(&self, line: &Annotation) -> bool {
        let Annotation::Note(NoteLine { note, .. }) = line else { return false };
        !self.ended.is_empty() && self.ended.contains(&(id(note).as_str(), note.author.as_str()))
    }

    /// The current draws of a line.
    pub(in crate::store) fn draws(&self, line: &Annotation) -> Found {
        let Some((cell, task)) = line.subject() else { return Found::Elsewhere };
        let named = self.named(line);
        let runs = self.runs.of(cell, task);
        let found = match (runs, line) {
            (None, _) => Found::Missing("there is no such task".to_owned()),
            (Some(runs), Annotation::Note(line)) => self.of_note(&line.note, &named, runs),
            (Some(runs), Annotation::Vote(line)) => of_vote(&line.vote, &named, runs),
            (Some(runs), Annotation::Label(line)) => of_label(&line.label, &named, runs),
            (Some(_), _) => Found::Elsewhere,
        };
        match (&self.sources, found) {
            // Lines about runs of other stores are not missed here.
            (Some(sources), Found::Missing(_))
                if !named.iter().any(|run| {
                    run.source.as_ref().is_some_and(|source| sources.contains(source))
                }) =>
            {
                Found::Elsewhere
            }
            (_, found) => found,
        }
    }

    /// The runs that a line names, or that a later line names for it.
    fn named<'n>(&'n self, line: &'n Annotation) -> Vec<&'n RunIdentity> {
        let of_line: Vec<&RunIdentity> = match line {
            Annotation::Note(line) => line.run.iter().chain(&line.other_runs).collect(),
            Annotation::Label(line) => line.run.iter().collect(),
            Annotation::Vote(VoteLine { run_a: Some(a), run_b: Some(b), .. }) => vec![a, b],
            _ => Vec::new(),
        };
        if !of_line.is_empty() || self.bindings.is_empty() {
            return of_line;
        }
        let bound = line.id().and_then(|id| self.bindings.get(id.as_str()));
        bound.map_or(Vec::new(), |runs| runs.iter().collect())
    }

    fn of_note(&self, note: &Note, named: &[&RunIdentity], runs: &[TaskRun]) -> Found {
        let Some(before) = drawn(note) else {
            let is_shared = self.sources.is_some();
            let holds = |run: &&RunIdentity| run.find(runs, 0, None).is_some();
            // In a store every note on a task counts, whatever its runs are.
            return if !is_shared || named.iter().any(holds) {
                Found::Here(Vec::new())
            } else {
                Found::Missing("none of its runs is in the store".to_owned())
            };
        };
        match run_of(named, runs, before, note.turn) {
            Ok(run) => Found::Here(vec![run.draw]),
            Err(why) => Found::Missing(why.to_owned()),
        }
    }

    /// The line that says which runs an unbound line is about; none where that is known, or not to be
    /// found out.
    pub(in crate::store) fn binding(&self, line: &Annotation) -> Option<Remark> {
        if line.names_runs() || !self.named(line).is_empty() {
            return None;
        }
        let of = line.id()?;
        Some(Remark::Binding { of, runs: self.identities(line)? })
    }

    /// The same line with the runs that it is about, where it does not name them.
    pub(in crate::store) fn bound(&self, line: &Annotation) -> Option<Annotation> {
        if line.names_runs() {
            return None;
        }
        let mut runs = match &self.named(line)[..] {
            [] => self.identities(line)?,
            named => named.iter().map(|run| (*run).clone()).collect(),
        }
        .into_iter();
        match line {
            Annotation::Note(line) => {
                let (run, other_runs) = (runs.next(), runs.collect());
                Some(Annotation::Note(NoteLine { run, other_runs, ..line.clone() }))
            }
            Annotation::Vote(line) => {
                let (run_a, run_b) = (runs.next(), runs.next());
                Some(Annotation::Vote(VoteLine { run_a, run_b, ..line.clone() }))
            }
            Annotation::Label(line) => {
                Some(Annotation::Label(LabelLine { run: runs.next(), ..line.clone() }))
            }
            Annotation::Remark(_) | Annotation::Newer => None,
        }
    }

    /// What the runs of a line are known by, found by its draws.
    fn identities(&self, line: &Annotation) -> Option<Vec<RunIdentity>> {
        let (cell, task) = line.subject()?;
        let runs = self.runs.of(cell, task)?;
        let identity =
            |draw: u32| runs.iter().find(|run| run.draw == draw).map(|run| run.identity.clone());
        match line {
            Annotation::Note(line) => match drawn(&line.note) {
                Some(draw) => Some(vec![identity(draw)?]),
                None => Some(runs.iter().map(|run| run.identity.clone()).collect()),
            },
            Annotation::Vote(VoteLine { vote, .. }) => {
                Some(vec![identity(vote.draw_a)?, identity(vote.draw_b)?])
            }
            Annotation::Label(line) => Some(vec![identity(line.label.draw)?]),
            Annotation::Remark(_) | Annotation::Newer => None,
        }
    }
}

/// The draw that a note names. A turn without a draw belongs to the reference.
fn drawn(note: &Note) -> Option<u32> {
    note.draw.or(note.turn.map(|_| 0))
}

/// The run of a note or label, which must have the turn; else what is missing.
fn run_of(
    named: &[&RunIdentity],
    runs: &[TaskRun],
    before: u32,
    turn: Option<u32>,
) -> Result<TaskRun, &'static str> {
    let run = if let Some(run) = named.first() {
        run.find(runs, before, None).ok_or(GONE)?
    } else {
        let run = runs.iter().find(|run| run.draw == before);
        run.ok_or("there is no such draw")?.clone()
    };
    match turn {
        Some(turn) if turn >= run.turns => Err("there is no such turn"),
        _ => Ok(run),
    }
}

fn of_label(label: &StepLabel, named: &[&RunIdentity], runs: &[TaskRun]) -> Found {
    match run_of(named, runs, label.draw, Some(label.turn)) {
        Ok(run) if run.success == Some(true) => {
            Found::Missing("its run is a success, which has no decisive error".to_owned())
        }
        Ok(run) => Found::Here(vec![run.draw]),
        Err(why) => Found::Missing(why.to_owned()),
    }
}

fn of_vote(vote: &Vote, named: &[&RunIdentity], runs: &[TaskRun]) -> Found {
    if vote.draw_a == vote.draw_b {
        return Found::Missing("a pair needs two different draws".to_owned());
    }
    let [run_a, run_b] = named else {
        let exist = |draw: u32| runs.iter().any(|run| run.draw == draw);
        return if exist(vote.draw_a) && exist(vote.draw_b) {
            Found::Here(vec![vote.draw_a, vote.draw_b])
        } else {
            Found::Missing("there is no such draw".to_owned())
        };
    };
    let a = run_a.find(runs, vote.draw_a, None).map(|run| run.draw);
    let b = run_b.find(runs, vote.draw_b, a).map(|run| run.draw);
    match (a, b) {
        (Some(a), Some(b)) => Found::Here(vec![a, b]),
        _ => Found::Missing("one of its runs is not in the store".to_owned()),
    }
}
