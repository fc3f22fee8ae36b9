//! The lines of `annotations.jsonl`.

use std::io::ErrorKind;
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::files;
use crate::model::{Cell, Fingerprint};
use crate::store::identity::RunIdentity;
use crate::store::{Cause, Note, Ruling, StepLabel, StoreError, Vote};

/// The content of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(in crate::store) enum Annotation {
    /// A comment on a task, a run or a turn.
    Note(NoteLine),
    /// A person's verdict on a pair.
    Vote(VoteLine),
    /// The turn at which a run went wrong.
    Label(LabelLine),
    /// A remark on an earlier line.
    Remark(Remark),
    /// A line of a newer qualm, which is copied as it is.
    #[serde(skip)]
    Newer,
}

/// A note as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct NoteLine {
    #[serde(flatten)]
    pub(in crate::store) note: Note,
    /// The run; of a note on a whole task, its first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) run: Option<RunIdentity>,
    /// The other runs of a whole task. Any one of them is enough to know the task by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::store) other_runs: Vec<RunIdentity>,
    /// The note of the same author that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) replaces: Option<String>,
}

/// A vote as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::store) struct VoteLine {
    #[serde(flatten)]
    pub(in crate::store) vote: Vote,
    /// The run that was draw A.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) run_a: Option<RunIdentity>,
    /// The run that was draw B.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) run_b: Option<RunIdentity>,
}

/// A label as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "label")]
pub(in crate::store) struct LabelLine {
    #[serde(flatten)]
    pub(in crate::store) label: StepLabel,
    /// The run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::store) run: Option<RunIdentity>,
}

/// A remark on an earlier line, by that line's [`id`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(in crate::store) enum Remark {
    /// The runs of a line that does not name them: one of a note on a run, all of a note on a task, two
    /// of a vote.
    Binding {
        /// The line.
        of: String,
        /// Its runs.
        runs: Vec<RunIdentity>,
    },
    /// The author takes a note back.
    Withdrawal {
        /// The note.
        of: String,
        /// Who takes it back.
        author: String,
        /// When, in seconds since 1970.
        time: u64,
    },
}

impl Annotation {
    /// The task that it is about.
    pub(in crate::store) fn subject(&self) -> Option<(&Cell, &str)> {
        match self {
            Self::Note(line) => Some((&line.note.cell, &line.note.task)),
            Self::Vote(line) => Some((&line.vote.cell, &line.vote.task)),
            Self::Label(line) => Some((&line.label.cell, &line.label.task)),
            Self::Remark(_) | Self::Newer => None,
        }
    }

    /// What remarks know it by.
    pub(in crate::store) fn id(&self) -> Option<String> {
        match self {
            Self::Note(line) => Some(id(&line.note)),
            Self::Vote(line) => Some(id(&line.vote)),
            Self::Label(line) => Some(id(&line.label)),
            Self::Remark(_) | Self::Newer => None,
        }
    }

    /// Who wrote it; a binding and a line of a newer version have no author.
    pub(in crate::store) fn author(&self) -> Option<&str> {
        match self {
            Self::Note(line) => Some(&line.note.author),
            Self::Vote(line) => Some(&line.vote.author),
            Self::Label(line) => Some(&line.label.author),
            Self::Remark(Remark::Withdrawal { author, .. }) => Some(author),
            Self::Remark(Remark::Binding { .. }) | Self::Newer => None,
        }
    }

    /// Whether the author takes something back with it.
    pub(in crate::store) fn is_withdrawal(&self) -> bool {
        match self {
            Self::Vote(line) => line.vote.verdict == Ruling::Withdrawn,
            Self::Label(line) => line.label.cause == Cause::Withdrawn,
            Self::Remark(remark) => matches!(remark, Remark::Withdrawal { .. }),
            Self::Note(_) | Self::Newer => false,
        }
    }

    /// Whether the line itself names its runs.
    pub(in crate::store) fn names_runs(&self) -> bool {
        match self {
            Self::Note(line) => line.run.is_some(),
            Self::Vote(line) => line.run_a.is_some() && line.run_b.is_some(),
            Self::Label(line) => line.run.is_some(),
            Self::Remark(_) | Self::Newer => true,
        }
    }
}

/// What remarks know a note or vote by: a fingerprint of it as it was written, without its runs.
pub(in crate::store) fn id(row: &impl Serialize) -> String {
    let mut print = Fingerprint::default();
    // Notes and votes have no value that JSON cannot hold.
    print.add(&serde_json::to_vec(row).unwrap_or_default());
    format!("{:016x}", print.value())
}

/// One line, with its content or what is wrong with it.
pub(in crate::store) struct Line {
    pub(in crate::store) number: usize,
    pub(in crate::store) bytes: Vec<u8>,
    pub(in crate::store) annotation: Result<Annotation, String>,
}

/// The length of a parser's message that is shown.
const LONGEST_REASON: usize = 200;

/// The fields that distinguish the kinds of lines.
#[derive(Deserialize)]
struct KindFields {
    kind: Option<String>,
    verdict: Option<IgnoredAny>,
}

/// The lines of a file; empty when there is no file.
pub(in crate::store) fn read(path: &Path) -> Result<Vec<Line>, StoreError> {
    let failed = |why: String| Err(StoreError::Notes { path: path.to_owned(), why });
    let bytes = match files::read(path, u64::MAX) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return failed(format!("cannot be read ({error})")),
    };
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty());
    let lines = lines.map(|(line, number)| {
        let annotation = parse(line).map_err(|(kind, error)| {
            if error.is_eof() {
                "is cut short".to_owned()
            } else {
                format!("is not a {kind} ({})", reason(&error))
            }
        });
        Line { number, bytes: line.to_vec(), annotation }
    });
    Ok(lines.collect())
}

/// Parses a line; an error names the kind that the line should have been.
fn parse(line: &[u8]) -> Result<Annotation, (&'static str, serde_json::Error)> {
    let fields: KindFields = serde_json::from_slice(line).map_err(|error| ("note", error))?;
    let is_vote = fields.verdict.is_some();
    match fields.kind.as_deref() {
        Some("binding") => remark(line, "binding"),
        Some("withdrawal") => remark(line, "withdrawal"),
        Some("vote") => vote(line),
        Some("label") => {
            serde_json::from_slice(line).map(Annotation::Label).map_err(|error| ("label", error))
        }
        None if is_vote => vote(line),
        None | Some("note") => {
            serde_json::from_slice(line).map(Annotation::Note).map_err(|error| ("note", error))
        }
        Some(_) => Ok(Annotation::Newer),
    }
}

fn vote(line: &[u8]) -> Result<Annotation, (&'static str, serde_json::Error)> {
    serde_json::from_slice(line).map(Annotation::Vote).map_err(|error| ("vote", error))
}

fn remark(
    line: &[u8],
    kind: &'static str,
) -> Result<Annotation, (&'static str, serde_json::Error)> {
    serde_json::from_slice(line).map(Annotation::Remark).map_err(|error| (kind, error))
}

/// The parser's message without its line number, which is always 1. It may quote the line, so it is cut.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or_default().chars().take(LONGEST_REASON).collect()
}
