//! tau-bench v1: a list of runs, `{task_id, reward, info, traj, trial}`, with `OpenAI` messages.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny, SeqAccess, Visitor};

use super::json::{self, Text};
use super::logprobs::Logprobs;
use super::{Emit, FileNotes, Input, ReadError, ReadOptions, Record, Repeats, Said, span};
use crate::model::{
    Head, Message, Origin, Outcome, Role, TaskText, TokenSeq, ToolCall, Trajectory,
};

#[derive(Deserialize)]
struct Run {
    #[serde(default, deserialize_with = "json::id")]
    task_id: Option<String>,
    #[serde(default, deserialize_with = "json::number")]
    reward: Option<f64>,
    #[serde(default, deserialize_with = "json::lenient")]
    info: Info,
    #[serde(default)]
    traj: Option<Vec<Line>>,
    #[serde(default, deserialize_with = "json::whole")]
    trial: Option<i64>,
}

#[derive(Default, Deserialize)]
struct Info {
    #[serde(default)]
    error: Text,
    #[serde(default, deserialize_with = "json::number")]
    user_cost: Option<f64>,
    #[serde(default, deserialize_with = "json::lenient")]
    task: Task,
    #[serde(default, deserialize_with = "json::lenient")]
    reward_info: RewardInfo,
}

#[derive(Default, Deserialize)]
struct Task {
    #[serde(default)]
    instruction: Text,
}

#[derive(Default, Deserialize)]
struct RewardInfo {
    #[serde(default, deserialize_with = "json::lenient")]
    info: RewardDetail,
}

#[derive(Default, Deserialize)]
struct RewardDetail {
    #[serde(default, deserialize_with = "json::number")]
    r_actions: Option<f64>,
    #[serde(default, deserialize_with = "json::number")]
    r_outputs: Option<f64>,
}

/// A message with its tokens.
struct Line {
    message: Message,
    tokens: Option<TokenSeq>,
}

#[derive(Deserialize)]
struct OpenAiMessage<'a> {
    role: String,
    #[serde(default)]
    content: Text,
    #[serde(default)]
    reasoning_content: Text,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
    #[serde(default, deserialize_with = "json::id")]
    tool_call_id: Option<String>,
    #[serde(borrow, default, deserialize_with = "json::lenient")]
    logprobs: Option<Logprobs<'a>>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default, deserialize_with = "json::id")]
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default, deserialize_with = "json::arguments")]
    arguments: String,
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let line = OpenAiMessage::deserialize(from)?;
        let role = Role::parse(&line.role).ok_or_else(|| {
            serde::de::Error::custom(format!("a message has the unknown role `{}`", line.role))
        })?;
        let calls = line.tool_calls.unwrap_or_default().into_iter().map(|call| ToolCall {
            id: call.id.unwrap_or_default(),
            name: call.function.name,
            arguments: call.function.arguments,
        });
        let message = Message {
            reasoning: line.reasoning_content.0.filter(|text| !text.trim().is_empty()),
            content: line.content.0,
            tool_calls: calls.collect(),
            tool_call_id: line.tool_call_id,
            ..Message::text(role, "")
        };
        let mut tokens = line.logprobs.and_then(|own| own.tokens());
        if let Some(tokens) = &mut tokens {
            span::mark(tokens, &message);
        }
        Ok(Self { message, tokens })
    }
}

pub(super) fn read(
    input: &Input,
    bytes: &[u8],
    options: &ReadOptions,
    emit: Emit<'_>,
) -> Result<FileNotes, ReadError> {
    let path = input.path.as_path();
    let mut file = Reader {
        input,
        options,
        emit,
        named: named_by_harness(path),
        domain: None,
        waiting: Vec::new(),
        seen: 0,
        trial_is_task: true,
        repeats: Repeats::default(),
        notes: Vec::new(),
    };
    json::parse(path, bytes, |parser| Runs(&mut file).deserialize(parser)).map_err(|error| {
        match file.seen {
            0 => error,
            seen => error.after(&format!("run {seen}")),
        }
    })?;
    file.release();
    if file.seen == 0 {
        return Err(ReadError::nothing_inside(path, "runs"));
    }
    let trial_is_task = file.trial_is_task && file.repeats.distinct() > 1;
    Ok(FileNotes { notes: file.notes, trial_is_task })
}

/// Model and temperature, from a name as the harness gives: `tool-calling-MODEL-0.0_range_…`.
fn named_by_harness(path: &Path) -> Option<(String, f64)> {
    let stem = path.file_stem()?.to_str()?;
    let (run, _) = stem.split_once("_range_")?;
    let (agent, temperature) = run.rsplit_once('-')?;
    let strategies = ["tool-calling-", "act-", "react-", "few-shot-"];
    let model = strategies.iter().find_map(|strategy| agent.strip_prefix(strategy))?;
    Some((super::model_name(model), temperature.parse().ok()?))
}

/// The domain that the agent's policy is headed with, such as `# Airline Agent Policy`.
fn policy_domain(run: &Run) -> Option<String> {
    let first = &run.traj.as_ref()?.first()?.message;
    let heading =
        first.content.as_deref().filter(|_| first.role == Role::System)?.lines().next()?;
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let domain = words.strip_suffix("policy")?.trim().strip_suffix("agent")?.trim();
    (!domain.is_empty() && !domain.contains(' ')).then(|| domain.to_owned())
}

struct Reader<'a> {
    input: &'a Input,
    options: &'a ReadOptions,
    emit: Emit<'a>,
    named: Option<(String, f64)>,
    domain: Option<String>,
    /// Crashed runs, which have no policy, until another run tells the domain.
    waiting: Vec<Run>,
    seen: usize,
    trial_is_task: bool,
    repeats: Repeats,
    notes: Vec<String>,
}

impl Reader<'_> {
    fn take(&mut self, run: Run) -> bool {
        self.seen += 1;
        if self.domain.is_none() {
            self.domain = policy_domain(&run);
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
        if let Some(instruction) = run.info.task.instruction.0 {
            let (dataset, task) = (head.cell.dataset.clone(), head.task.clone());
            (self.emit)(Record::Task(TaskText { dataset, task, instruction }));
        }
        let (messages, mut tokens): (Vec<_>, Vec<_>) = run
            .traj
            .unwrap_or_default()
            .into_iter()
            .map(|line| (line.message, line.tokens))
            .unzip();
        let run = Trajectory::new(head, messages, |index| tokens[index].take());
        super::hand_out(run, self.options.keep_errored, || error, self.emit)
    }

    fn head(&mut self, run: &Run) -> (Head, String) {
        let mut said = Said {
            dataset: self.domain.clone(),
            model: self.named.as_ref().map(|(model, _)| model.clone()),
            condition: None,
        };
        let mut notes = Vec::new();
        super::name_after_file(&self.input.path, self.options, &mut said, "tau-bench", &mut notes);
        notes.retain(|note| !self.notes.contains(note));
        self.notes.append(&mut notes);
        let task = run.task_id.clone().unwrap_or_else(|| self.seen.to_string());
        self.trial_is_task &= run.trial.is_some_and(|trial| trial.to_string() == task);
        let mut head = Head::new(self.options.cell(said), task);
        head.origin = Origin {
            source: self.input.source.clone(),
            run_id: None,
            trial: run.trial,
            repeat: self.repeats.next(&head.task, run.trial),
        };
        head.temperature = self.named.as_ref().map(|(_, temperature)| *temperature);
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

struct Runs<'r, 'a>(&'r mut Reader<'a>);

impl<'de> DeserializeSeed<'de> for Runs<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Runs<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tau-bench runs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut wanted = true;
        while wanted {
            match seq.next_element::<Run>()? {
                Some(run) => wanted = self.0.take(run),
                None => return Ok(()),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}
