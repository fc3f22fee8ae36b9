//! What is wrong with an input, in one sentence.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::walk::Position;
use super::{Candidate, nearest};
use crate::text::bounded;

/// Bytes of every part of an error, at most: it may quote an input of any length.
const LONGEST: usize = 1_000;

/// The first bytes of a zip archive, and of an empty one.
pub(super) const ZIP: &[u8] = b"PK\x03\x04";
const EMPTY_ZIP: &[u8] = b"PK\x05\x06";

/// What Git leaves in the working tree for a file that it did not fetch.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Why an input cannot be read: which one, where in it, what is wrong, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    path: PathBuf,
    position: Option<Box<str>>,
    problem: Box<str>,
    remedy: Box<str>,
    hint: Option<Box<str>>,
    /// What is missing may still be written.
    pending: bool,
}

impl std::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(position) = &self.position {
            write!(f, ", {position}")?;
        }
        write!(f, ": {}; {}", self.problem, self.remedy)
    }
}

impl ReadError {
    /// A problem with the file as a whole.
    pub fn new(path: &Path, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            position: None,
            problem: bounded(&problem.into(), LONGEST).into(),
            remedy: remedy.into().into(),
            hint: None,
            pending: false,
        }
    }

    /// Lines that may help beyond the sentence, such as a mapping to start from.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The same problem, of something that may still be written.
    fn pending(mut self) -> Self {
        self.pending = true;
        self
    }

    /// Whether what is missing may still be written: there is no such file yet, or it is cut off.
    pub fn is_pending(&self) -> bool {
        self.pending
    }

    /// What is wrong, without where and what to do.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The same problem at a position in the file, such as `line 3`.
    #[must_use]
    pub fn at(mut self, position: impl Into<String>) -> Self {
        self.position = Some(bounded(&position.into(), LONGEST).into());
        self
    }

    /// The same problem, with the last thing that could be read before it.
    pub(super) fn after(mut self, last: &str) -> Self {
        let last = bounded(last, LONGEST);
        self.position = Some(match self.position {
            Some(position) => format!("{position}, after {last}").into(),
            None => format!("after {last}").into(),
        });
        self
    }

    /// The same problem, in an entry of the archive.
    pub(super) fn in_entry(mut self, name: &str) -> Self {
        let entry = format!("entry {}", bounded(name, LONGEST));
        self.position = Some(match self.position {
            Some(position) => format!("{entry}, {position}").into(),
            None => entry.into(),
        });
        self
    }

    /// What a file is that no reader claims, where its first bytes tell.
    pub(super) fn known_otherwise(path: &Path, start: &[u8]) -> Option<Self> {
        if start.starts_with(LFS_POINTER) {
            let problem = "is a Git LFS pointer, not the file itself";
            return Some(Self::new(path, problem, "fetch it with `git lfs pull`"));
        }
        if start.starts_with(ZIP) || start.starts_with(EMPTY_ZIP) {
            let problem = "is a zip archive without an Inspect log";
            return Some(Self::new(path, problem, "unpack it and name the results in it"));
        }
        let is_eval = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("eval"));
        let is_json = matches!(start.trim_ascii_start().first(), Some(b'{' | b'[') | None);
        (is_eval && !is_json).then(|| {
            let problem = "is not a zip archive, which an Inspect log (.eval) must be";
            Self::new(path, problem, "copy the file again")
        })
    }

    /// No record of an input is a run.
    pub(crate) fn without_runs(path: &Path, format: &str) -> Self {
        let problem = format!("has no message of an agent when read as {format}");
        Self::new(path, problem, "choose another --format, or name files that hold runs")
    }

    pub(super) fn unreadable(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => {
                Self::new(path, "there is no such file or folder", "check the path").pending()
            }
            io::ErrorKind::PermissionDenied => Self::new(
                path,
                "cannot be read without permission",
                "change its permissions or copy it",
            ),
            io::ErrorKind::InvalidInput => {
                Self::new(path, error.to_string(), "name a file, a folder or a pipe")
            }
            io::ErrorKind::UnexpectedEof => {
                Self::new(path, error.to_string(), "copy or download it again").pending()
            }
            io::ErrorKind::InvalidData => {
                Self::new(path, error.to_string(), "copy or download it again")
            }
            io::ErrorKind::FileTooLarge => Self::new(
                path,
                error.to_string(),
                "name a file that is not packed, or several smaller ones",
            ),
            io::ErrorKind::OutOfMemory => {
                Self::new(path, "does not fit into memory", "split it into smaller files")
            }
            _ => Self::new(path, format!("cannot be read ({error})"), "check the disk"),
        }
    }

    pub(super) fn no_results(path: &Path) -> Self {
        Self::new(
            path,
            "the folder has no result file that qualm can read",
            format!("name a folder with results that qualm reads: {}", super::known_formats()),
        )
        .pending()
    }

    /// A file without a word in it.
    pub(super) fn empty(path: &Path) -> Self {
        Self::new(path, "the file is empty", "check that the run has ended").pending()
    }

    /// JSON that no reader claims, with a mapping that may fit.
    pub(super) fn unknown(candidate: &Candidate) -> Self {
        let (path, shape) = (candidate.path(), candidate.json());
        let nearest = nearest::of(shape);
        let mut error = Self::new(
            path,
            format!("is JSON in a format that qualm does not know: {shape}, {nearest}"),
            format!(
                "qualm reads: {}; --format forces a reader, and --map describes another format (`qualm help mapping`)",
                super::known_formats()
            ),
        );
        error.hint = nearest::mapping(candidate.content()).map(Into::into);
        error
    }

    pub(super) fn nothing_inside(path: &Path, what: &str) -> Self {
        Self::new(
            path,
            format!("holds no {what}"),
            "leave the file out, or wait until the run has written some",
        )
        .pending()
    }

    /// A parser's error, with the byte it stopped at.
    pub(super) fn json(path: &Path, bytes: &[u8], error: &serde_json::Error) -> Self {
        Self::json_from(path, bytes, error, Position::START)
    }

    /// The same of a part of a document.
    pub(super) fn json_from(
        path: &Path,
        bytes: &[u8],
        error: &serde_json::Error,
        start: Position,
    ) -> Self {
        let column = if error.line() <= 1 { start.column + error.column() } else { error.column() };
        let position = Position {
            byte: start.byte + byte_of(bytes, error) as u64,
            line: start.line + error.line().saturating_sub(1),
            column,
        };
        if error.is_eof() {
            Self::cut_off(path, position)
        } else if error.is_syntax() {
            Self::no_json(path, &plain(error), position)
        } else {
            let remedy = "check the file against the benchmark's format, or leave it out";
            Self::new(path, plain(error), remedy).at(position.to_string())
        }
    }

    /// JSON that ends too early.
    pub(super) fn cut_off(path: &Path, position: Position) -> Self {
        Self::new(
            path,
            "the JSON ends before it is complete",
            "the run was probably cut off while writing: copy the file again or let it finish",
        )
        .at(position.to_string())
        .pending()
    }

    /// Text that is no JSON.
    pub(super) fn no_json(path: &Path, problem: &str, position: Position) -> Self {
        Self::new(
            path,
            format!("is not JSON ({problem})"),
            "check that this is the benchmark's own result file",
        )
        .at(position.to_string())
    }
}

/// The message without serde's "at line 1 column 2", which the position says already.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// serde counts lines and columns; people look for bytes.
fn byte_of(bytes: &[u8], error: &serde_json::Error) -> usize {
    let line_start = match error.line() {
        0 | 1 => 0,
        line => bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .nth(line - 2)
            .map_or(bytes.len(), |(newline, _)| newline + 1),
    };
    (line_start + error.column()).min(bytes.len())
}
