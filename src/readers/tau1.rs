//! tau-bench v1: a list of runs, `{task_id, reward, info, traj, trial}`, with `OpenAI` messages.

mod name;
mod record;

use super::given::Contexts;
use super::names::CellNames;
use super::runs::{Repeats, hand_out};
use super::walk;
use super::{
    Candidate, Claim, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader, Record,
    fingerprint,
};
use crate::model::{Given, Head, Origin, Outcome, Role, TaskText, Trajectory};
use name::{HarnessName, named_by_hand};
use record::Run;

/// The reader of tau-bench v1 results.
#[derive(Debug)]
pub(super) struct Tau1;

static INFO: FormatInfo = FormatInfo {
    id: "tau-bench",
    name: "tau-bench",
    looks: "a list of `{task_id, reward, info, traj, trial}`",
    gives: &[Gives::Labels, Gives::Draws, Gives::Logprobs, Gives::TopK, Gives::SystemPrompt],
    example: "tool-calling-gpt-4o-0.0_range_0--1.json",
};

impl Reader for Tau1 {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        let json = candidate.json();
        let runs = json.is_list() && json.has("traj") && json.has("task_id");
        runs.then(|| self.force(candidate))
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        let path = claim.path();
        let mut list = RunList::new(claim, options, emit);
        let read = walk::elements(claim.content(), &mut |run| Ok(list.take(run.parse()?)));
        read.map_err(|error| match list.seen {
            0 => error,
            seen => error.after(&format!("run {seen}")),
        })?;
        list.release();
        if list.seen == 0 {
            return Err(ReadError::nothing_inside(path, "runs"));
        }
        let trial_is_task = list.trial_is_task && list.repeats.distinct() > 1;
        if let Some(named) = &list.named {
            named.note(&mut list.notes);
        }
        Ok(InputNotes { trial_is_task, ..list.notes })
    }
}

/// The policy that an agent is given.
fn policy(run: &Run) -> Option<&str> {
    let first = &run.traj.as_ref()?.first()?.message;
    first.content.as_deref().filter(|_| first.role == Role::System)
}

/// The domain that the agent's policy is headed with, such as `# Airline Agent Policy`.
fn policy_domain(run: &Run) -> Option<String> {
    let heading = policy(run)?.lines().next()?;
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let domain = words.strip_suffix("policy")?.trim().strip_suffix("agent")?.trim();
    (!domain.is_empty() && !domain.contains(' ')).then(|| domain.to_owned())
}

/// The runs of one file, on their way out.
struct RunList<'a> {
    claim: &'a Claim,
    options: &'a ReadOptions,
    emit: Emit<'a>,
    named: Option<HarnessName>,
    domain: Option<String>,
    /// Crashed runs, which have no policy, until another run shows the domain.
    waiting: Vec<Run>,
    seen: usize,
    trial_is_task: bool,
    repeats: Repeats,
    contexts: Contexts,
    notes: InputNotes,
}

impl<'a> RunList<'a> {
    fn new(claim: &'a Claim, options: &'a ReadOptions, emit: Emit<'a>) -> Self {
        Self {
            claim,
            options,
            emit,
            named: HarnessName::of(claim.path()),
            domain: None,
            waiting: Vec::new(),
            seen: 0,
            trial_is_task: true,
            repeats: Repeats::default(),
            contexts: Contexts::default(),
            notes: InputNotes::default(),
        }
    }

    fn take(&mut self, run: Run) -> bool {
        self.seen += 1;
        if self.domain.is_none() {
            self.domain = policy_domain(&run);
        }
        if !self.notes.settings.contains_key("policy") {
            self.notes.set("policy", policy(&run).map(fingerprint));
        }
        if self.domain.is_none() && run.traj.as_ref().is_none_or(Vec::is_empty) {
            self.waiting.push(run);
            return true;
        }
        self.release() && self.hand_out(run)
    }

    /// Hands out the runs that waited.
    fn release(&mut self) -> bool {
        std::mem::take(&mut self.waiting).into_iter().all(|run| self.hand_out(run))
    }

    fn hand_out(&mut self, run: Run) -> bool {
        let (head, error) = self.head(&run);
        let checks = run.info.checks(run.reward);
        if let Some(instruction) = run.info.task.instruction.0 {
            let (dataset, task) = (head.cell.dataset.clone(), head.task.clone());
            (self.emit)(Record::Task(TaskText { dataset, task, instruction }));
        }
        let (messages, mut tokens): (Vec<_>, Vec<_>) = run
            .traj
            .unwrap_or_default()
            .into_iter()
            .map(|line| (line.message, (line.tokens, line.unscored)))
            .unzip();
        let run = Trajectory::new(head, messages, |index| tokens[index].0.take())
            .explained(|index| tokens[index].1);
        let mut run = Trajectory { checks, ..run };
        self.contexts.attach(&mut run, Given::default());
        hand_out(run, self.options.keep_errored, || error, self.emit)
    }

    fn head(&mut self, run: &Run) -> (Head, String) {
        let mut names = CellNames {
            dataset: self.domain.clone(),
            model: self.named.as_ref().map(|named| named.model.clone()),
            condition: None,
        };
        let mut notes = Vec::new();
        if names.model.is_none() && self.options.model.is_none() {
            names.model = named_by_hand(self.claim.path(), self.domain.as_deref());
            notes.extend(names.model.as_ref().map(|model| {
                format!("does not name its model: {model} is taken from the file name; --model overrides it")
            }));
        }
        names.guess(self.claim.path(), self.options, "tau-bench", &mut notes);
        notes.retain(|note| !self.notes.notes.contains(note));
        self.notes.notes.append(&mut notes);
        let task = run.task_id.clone().unwrap_or_else(|| self.seen.to_string());
        self.trial_is_task &= run.trial.is_some_and(|trial| trial.to_string() == task);
        let mut head = Head::new(names.cell(self.options), task);
        head.origin = Origin {
            source: self.claim.source().to_owned(),
            run_id: None,
            trial: run.trial,
            repeat: self.repeats.next(&head.task, run.trial),
        };
        head.temperature = self.named.as_ref().map(|named| named.temperature);
        head.user_cost = run.info.user_cost;
        head.outcome = Outcome::from_reward(run.reward);
        head.outcome.parts.actions = run.info.reward_info.info.r_actions;
        head.outcome.parts.communicated = run.info.reward_info.info.r_outputs;
        let error = run.info.error.0.as_deref().and_then(|text| text.lines().next());
        let reason = match error.map(str::trim).filter(|text| !text.is_empty()) {
            Some(error) => format!("crashed before the agent acted ({error})"),
            None => "ended before the agent acted".to_owned(),
        };
        (head, reason)
    }
}
