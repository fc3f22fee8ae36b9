//! BFCL, the Berkeley Function-Calling Leaderboard: the multi-turn categories of versions 3 and 4. A
//! result file has one run a line, and its score file, in another tree of folders, lists the failures.

mod calls;
mod conversation;
mod layout;
mod record;
mod score;

use std::path::Path;

use super::given::Contexts;
use super::json::Text;
use super::lines::Lines;
use super::names::CellNames;
use super::runs::{Repeats, hand_out};
use super::{
    Candidate, Claim, Content, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader,
    Record, Refusal,
};
use crate::model::{Cell, Given, Head, Origin, Role, TaskText, Trajectory};
use crate::text::bounded;
pub(super) use calls::calls;
use conversation::Conversation;
use layout::{Counterpart, FileName, Kind, category_of, counterpart, is_multi_turn};
use record::{Line, LoggedTurn};
use score::Scores;

/// What the harness calls the end of a run that had too many steps.
const FORCE_QUIT: &str = "force_quit";

/// Bytes of an error that the reason of a skipped run quotes, at most.
const LONGEST_REASON: usize = 200;

/// The reader of BFCL results.
#[derive(Debug)]
pub(super) struct Bfcl;

static INFO: FormatInfo = FormatInfo {
    id: "bfcl",
    name: "BFCL multi-turn",
    looks: "`result/MODEL/multi_turn/BFCL_v4_multi_turn_*_result.json`, one `{id, result}` per line; failures are in the same folders under `score`",
    gives: &[Gives::Labels, Gives::Draws, Gives::SystemPrompt, Gives::Tools],
    example: "run-1/ run-2/",
};

impl Reader for Bfcl {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        let json = candidate.json();
        let is_record = json.is_object() && json.has("id") && json.has("result");
        match FileName::parse(candidate.path()) {
            Some(name) if is_multi_turn(name.category) => match name.kind {
                Kind::Result => is_record.then(|| self.force(candidate)),
                Kind::Score => claim_of_score(candidate),
            },
            Some(_) => None,
            None => (is_record && begins_with_a_task(candidate)).then(|| self.force(candidate)),
        }
    }

    fn force(&self, candidate: &Candidate) -> Claim {
        let name = FileName::parse(candidate.path());
        if name.is_some_and(|name| name.kind == Kind::Score)
            && let Some(claim) = claim_of_score(candidate)
        {
            return claim;
        }
        claim_of_result(candidate.content().clone())
    }

    fn refuse(&self, candidate: &Candidate) -> Option<Refusal> {
        let name = FileName::parse(candidate.path()).filter(|_| candidate.json().is_object())?;
        if !is_multi_turn(name.category) {
            return Some(Refusal {
                problem: format!(
                    "is of the BFCL category {}, but qualm reads only the multi_turn categories",
                    name.category
                ),
                remedy: "name files of multi_turn categories, or a folder that holds some",
            });
        }
        (name.kind == Kind::Score).then(|| Refusal {
            problem: "is a BFCL score file whose result file is missing".to_owned(),
            remedy: "name a folder that holds both `result` and `score`",
        })
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        let mut run = Run::new(claim, options, emit)?;
        let mut lines = Lines::of(claim.content())?;
        while let Some((number, line)) = lines.parse_next()? {
            let wanted = run.take(number, line)?;
            if !wanted {
                break;
            }
        }
        if run.seen == 0 {
            return Err(ReadError::nothing_inside(claim.path(), "runs"));
        }
        Ok(InputNotes { notes: run.notes, ..InputNotes::default() })
    }
}

/// A result file with its score file.
fn claim_of_result(content: Content) -> Claim {
    let found = if content.is_stream() { None } else { counterpart(content.path()) };
    let root = layout::root(content.path()).filter(|_| !content.is_stream());
    let claim = Claim::new(content).rooted(root.as_deref());
    match found {
        Some(Counterpart { file, folder: Some(folder) }) => {
            claim.with_parts(vec![file]).owning(&folder)
        }
        Some(Counterpart { file, folder: None }) => claim.with_parts(vec![file]),
        None => claim,
    }
}

/// The result file of a score file, in place of the score file.
fn claim_of_score(candidate: &Candidate) -> Option<Claim> {
    let result = counterpart(candidate.path()).filter(|_| !candidate.content().is_stream())?;
    // It owns no folder: that of the scores is being searched, and may hold more.
    let claim = Claim::new(Content::at(&result.file)).with_parts(vec![candidate.path().to_owned()]);
    Some(claim.rooted(layout::root(candidate.path()).as_deref()))
}

/// Whether the first record is a run of a task as the harness names it.
fn begins_with_a_task(candidate: &Candidate) -> bool {
    let start = String::from_utf8_lossy(candidate.start());
    let id = start.split_once("\"id\"").and_then(|(_, rest)| {
        let text = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        text.split_once('"').map(|(id, _)| id)
    });
    id.is_some_and(|id| category_of(id).is_some())
}

/// What the runs of a file share.
struct Run<'a> {
    claim: &'a Claim,
    options: &'a ReadOptions,
    emit: Emit<'a>,
    model: Option<String>,
    category: Option<String>,
    scores: Option<Scores>,
    /// The label of a run that the score file does not name.
    unlisted: Option<bool>,
    seen: usize,
    repeats: Repeats,
    contexts: Contexts,
    notes: Vec<String>,
}

impl<'a> Run<'a> {
    fn new(claim: &'a Claim, options: &'a ReadOptions, emit: Emit<'a>) -> Result<Self, ReadError> {
        let name = FileName::parse(claim.path());
        let mut run = Self {
            claim,
            options,
            emit,
            model: if claim.content().is_stream() { None } else { layout::model(claim.path()) },
            category: name.map(|name| name.category.to_owned()),
            scores: None,
            unlisted: None,
            seen: 0,
            repeats: Repeats::default(),
            contexts: Contexts::default(),
            notes: Vec::new(),
        };
        if let Some(model) = run.model.as_ref().filter(|_| options.model.is_none())
            && layout::root(claim.path()).is_none()
        {
            let why = "is not in a folder `result`";
            run.notes.push(format!(
                "{why}: its model is named {model} after its folder; --model overrides it"
            ));
        }
        match claim.parts().first() {
            Some(part) => run.add_scores(part)?,
            None => run.notes.push(
                "has no score file, so its runs have no labels; put the file into a folder `score` beside `result`"
                    .to_owned(),
            ),
        }
        Ok(run)
    }

    fn add_scores(&mut self, file: &Path) -> Result<(), ReadError> {
        let scores = Scores::read(&Content::at(file))?;
        match scores.gap(Lines::count(self.claim.content())?) {
            Some(gap) => {
                let rule = "runs that it does not list have no label; evaluate them again";
                self.notes.push(format!("{gap}: {rule}"));
            }
            None => self.unlisted = Some(true),
        }
        self.scores = Some(scores);
        Ok(())
    }

    /// Hands out one run; false when no more are wanted.
    fn take(&mut self, number: usize, line: Line<'_>) -> Result<bool, ReadError> {
        self.seen += 1;
        let Some(result) = line.result else {
            let remedy = "check that this is a result file of BFCL";
            let error = ReadError::new(self.claim.path(), "the record has no `result`", remedy);
            return Err(error.at(format!("line {number}")));
        };
        let task = line.id.unwrap_or_else(|| number.to_string());
        let mut head = Head::new(self.cell(&task), task);
        head.origin = Origin {
            source: self.claim.source().to_owned(),
            repeat: self.repeats.next(&head.task, None),
            ..Origin::default()
        };
        head.prompt_tokens = line.input_token_count.count();
        head.completion_tokens = line.output_token_count.count();
        head.duration = line.latency.0;
        let mut checks = Vec::new();
        if let Some(scores) = &self.scores {
            (head.outcome.success, checks) = scores.of(&head.task, self.unlisted);
        }
        let reason = failure(result.get());
        if reason.is_some() {
            let run = Trajectory::new(head, Vec::new(), |_| None);
            let reason = || reason.unwrap_or_default();
            return Ok(hand_out(run, self.options.keep_errored, reason, self.emit));
        }
        let log: Vec<LoggedTurn<'_>> =
            line.inference_log.0.into_iter().filter_map(|entry| entry.0).collect();
        let Conversation { messages, forced } =
            Conversation::new(result, &log, line.reasoning_content);
        head.termination = forced.then(|| FORCE_QUIT.to_owned());
        let mut run = Trajectory::new(head, messages, |_| None);
        run.checks = checks;
        self.give(&mut run, &log);
        self.hand_out_task(&run);
        let reason = || "ended before the agent acted".to_owned();
        Ok(hand_out(run, self.options.keep_errored, reason, self.emit))
    }

    /// Gives a run what the log says that the model was sent: the first system prompt and, since tasks may
    /// add functions on the way, the last tools.
    fn give(&mut self, run: &mut Trajectory, log: &[LoggedTurn<'_>]) {
        let sent =
            || log.iter().flat_map(|turn| turn.steps.iter().flatten()).map(|step| &step.sent);
        let system =
            sent().find_map(|sent| serde_json::from_str::<Text>(sent.system?.get()).ok()?.0);
        let tools = sent().filter_map(|sent| sent.tools).next_back();
        let tools = tools.and_then(|tools| self.contexts.tools(tools.get()));
        let given = Given { policy: None, system: system.as_deref(), tools: tools.as_deref() };
        self.contexts.attach(run, given);
    }

    /// The cell of a task: its category is the dataset.
    fn cell(&mut self, task: &str) -> Cell {
        let category = category_of(task).map(str::to_owned).or_else(|| self.category.clone());
        let mut names = CellNames { dataset: category, model: self.model.clone(), condition: None };
        let mut notes = Vec::new();
        names.guess(self.claim.path(), self.options, "bfcl", &mut notes);
        notes.retain(|note| !self.notes.contains(note));
        self.notes.append(&mut notes);
        names.cell(self.options)
    }

    /// Hands out what the user asks for in a task: the same in every run of it.
    fn hand_out_task(&mut self, run: &Trajectory) {
        let asked = run.messages.iter().filter(|message| message.role == Role::User);
        let asked: Vec<&str> = asked.filter_map(|message| message.words()).collect();
        if !asked.is_empty() {
            let (dataset, task) = (run.head.cell.dataset.clone(), run.head.task.clone());
            (self.emit)(Record::Task(TaskText { dataset, task, instruction: asked.join("\n\n") }));
        }
    }
}

/// Why a run has no steps: a text stands where its turns should be.
fn failure(result: &str) -> Option<String> {
    if result.starts_with('[') {
        return None;
    }
    let text: String = serde_json::from_str(result).unwrap_or_default();
    let error = text.lines().next().map(str::trim).filter(|line| !line.is_empty());
    Some(match error {
        Some(error) => format!("crashed: {}", bounded(error, LONGEST_REASON)),
        None => "ended before the agent acted".to_owned(),
    })
}
