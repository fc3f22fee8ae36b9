//! What the samples of a log share, and what is said about the log when all are read.

use std::collections::HashSet;
use std::path::PathBuf;

use super::super::given::Contexts;
use super::super::runs::{Repeats, hand_out, skip};
use super::super::{Claim, Emit, InputNotes, ReadError, ReadOptions, Record};
use super::header::Header;
use super::sample::{Sample, Summary};
use super::score::Scoring;
use crate::model::{Cell, Head, Origin, TaskText};
use crate::text::counted;

/// A log that is being read.
pub(super) struct Log<'a> {
    path: PathBuf,
    cell: Cell,
    model: Option<String>,
    source: String,
    temperature: Option<f64>,
    keep_errored: bool,
    emit: Emit<'a>,
    scoring: Scoring,
    contexts: Contexts,
    repeats: Repeats,
    /// Samples by id and epoch.
    met: HashSet<(String, Option<i64>)>,
    uuids: HashSet<String>,
    tasks: HashSet<String>,
    seen: usize,
    twice: u64,
    notes: Vec<String>,
}

impl<'a> Log<'a> {
    pub(super) fn new(
        claim: &Claim,
        header: &Header,
        options: &ReadOptions,
        emit: Emit<'a>,
    ) -> Self {
        let mut names = header.names();
        let mut notes = Vec::new();
        names.guess(claim.path(), options, "inspect", &mut notes);
        Self {
            path: claim.path().to_owned(),
            cell: names.cell(options),
            model: header.model().map(str::to_owned),
            source: claim.source().to_owned(),
            temperature: header.temperature(),
            keep_errored: options.keep_errored,
            emit,
            scoring: Scoring::new(options, header.first_scorer()),
            contexts: Contexts::default(),
            repeats: Repeats::default(),
            met: HashSet::new(),
            uuids: HashSet::new(),
            tasks: HashSet::new(),
            seen: 0,
            twice: 0,
            notes,
        }
    }

    /// How many samples came in.
    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// The head of a sample's run.
    fn head(&mut self, id: Option<String>, epoch: Option<i64>, uuid: Option<String>) -> Head {
        let task = id.unwrap_or_else(|| self.seen.to_string());
        self.met.insert((task.clone(), epoch));
        let mut head = Head::new(self.cell.clone(), task);
        head.origin = Origin {
            source: self.source.clone(),
            run_id: uuid,
            trial: epoch,
            repeat: self.repeats.next(&head.task, epoch),
        };
        head.temperature = self.temperature;
        head
    }

    /// Hands out one sample; false when no more are wanted.
    pub(super) fn take(&mut self, mut sample: Sample<'_>) -> bool {
        self.seen += 1;
        let uuid = sample.uuid.take();
        if uuid.as_ref().is_some_and(|uuid| !self.uuids.insert(uuid.clone())) {
            self.twice += 1;
            return true;
        }
        let head = self.head(sample.id.take(), sample.epoch, uuid);
        if self.tasks.insert(head.task.clone())
            && let Some(instruction) = sample.task_text()
        {
            let (dataset, task) = (head.cell.dataset.clone(), head.task.clone());
            (self.emit)(Record::Task(TaskText { dataset, task, instruction }));
        }
        if sample.is_invalidated() {
            return skip(head, "invalidated in the log".to_owned(), self.emit);
        }
        let error = sample.error();
        // Inspect counts such a sample in no metric, and a retry runs it again.
        if let Some(error) = error.as_ref().filter(|_| !self.keep_errored && !sample.is_scored()) {
            return skip(head, format!("ended by an error: {error}"), self.emit);
        }
        let run = {
            let kept = (&mut self.scoring, &mut self.contexts);
            sample.into_trajectory(head, self.model.as_deref(), kept)
        };
        let reason = match &run.head.termination {
            Some(word) => format!("ended before the agent acted ({word})"),
            None => "ended before the agent acted".to_owned(),
        };
        hand_out(run, self.keep_errored, || reason, self.emit)
    }

    /// Counts a sample that ended according to the journal, if its transcript did not come in.
    pub(super) fn miss(&mut self, summary: Summary) {
        let Some(id) = summary.id else { return };
        if self.met.contains(&(id.clone(), summary.epoch)) {
            return;
        }
        let head = self.head(Some(id), summary.epoch, None);
        skip(head, "listed in the journal without a transcript".to_owned(), self.emit);
    }

    /// What the user should know of the log.
    pub(super) fn finish(
        mut self,
        header: &Header,
        has_header: bool,
    ) -> Result<InputNotes, ReadError> {
        let counts = match header.expected() {
            Some(expected) => format!("{} of {}", self.seen, counted(expected as u64, "sample")),
            None => counted(self.seen as u64, "sample"),
        };
        match header.status.as_deref() {
            _ if !has_header => self.notes.push(format!(
                "is incomplete: the run did not end (there is no header.json); it has {counts}"
            )),
            Some(status) if status != "success" => {
                self.notes.push(format!("is incomplete: its status is {status}; it has {counts}"));
            }
            _ if self.seen == 0 => {
                let remedy = "leave the file out, or run it with --log-samples";
                return Err(ReadError::new(&self.path, "holds no samples", remedy));
            }
            _ => {}
        }
        if self.twice > 0 {
            let samples = counted(self.twice, "sample");
            self.notes.push(format!("holds {samples} twice (the same uuid): counted once"));
        }
        self.notes.extend(self.scoring.notes(&self.path)?);
        Ok(InputNotes { notes: self.notes, ..InputNotes::default() })
    }
}
