//! Answers of models: `answers.jsonl` in the store, one JSON object per line, only ever appended to.
//!
//! A line is an [`Answer`], or the text of a prompt under its hash. An answer is found by the hash of
//! its question, so that the same question is asked once, whatever number its run has meanwhile.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::annotations::{Log, append_to, json};
use super::lock::ScoringLock;
use super::{Store, StoreError};
use crate::files;
use crate::model::Cell;

/// The file's name.
const FILE: &str = "answers.jsonl";

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// When it came, in seconds since 1970.
    pub time: u64,
    /// The hash of the question, in hexadecimal digits.
    pub key: String,
    /// What was asked: `ter`, `ptrue`, `vc` or `prefix`.
    pub question: String,
    /// The cell of the run.
    #[serde(flatten)]
    pub cell: Cell,
    /// The task.
    pub task: String,
    /// The draw at that time; `runs` says which run it was.
    pub draw: u32,
    /// The other draw of a pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<u32>,
    /// The turn, from 0, whose action was resampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Which of several answers to the same question it is.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeat: u32,
    /// The fingerprints of the runs, in hexadecimal digits.
    pub runs: Vec<String>,
    /// The model that was asked.
    pub asked: String,
    /// The hash of the prompt and its settings.
    pub prompt: String,
    /// The model's choice, as it came.
    pub answer: Value,
    /// Tokens of the question and of the answer, where the model counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<[u64; 2]>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The text of a prompt.
#[derive(Debug, Serialize, Deserialize)]
struct PromptLine {
    prompt: String,
    text: String,
}

/// What tells the lines of the file apart.
#[derive(Deserialize)]
struct LineKey {
    key: Option<String>,
    prompt: Option<String>,
}

/// Finds answers in the file of a store.
#[derive(Debug, Default)]
pub struct AnswerReader {
    path: PathBuf,
    file: Option<File>,
    /// Where the answer to a question begins, and its length.
    lines: HashMap<String, (u64, u64)>,
    prompts: HashSet<String>,
    /// Lines that cannot be read.
    damaged: usize,
}

impl AnswerReader {
    /// Reads which answers there are.
    fn open(path: PathBuf) -> Result<Self, StoreError> {
        let mut reader = Self::default();
        let file = each_line(&path, |line, start| reader.note(line, start))?;
        Ok(Self { path, file, ..reader })
    }

    /// Notes where a line begins.
    fn note(&mut self, line: &[u8], start: u64) {
        match serde_json::from_slice::<LineKey>(line) {
            Ok(LineKey { key: Some(key), .. }) => {
                self.lines.insert(key, (start, line.len() as u64));
            }
            Ok(LineKey { prompt: Some(prompt), .. }) => drop(self.prompts.insert(prompt)),
            Ok(_) => {}
            Err(_) if line.trim_ascii().is_empty() => {}
            Err(_) => self.damaged += 1,
        }
    }

    /// The number of answers.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are no answers.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The number of lines that cannot be read, such as one that a crash cut short.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    /// The answer to a question.
    pub fn find(&mut self, key: &str) -> Result<Option<Answer>, StoreError> {
        let (Some((start, length)), Some(file)) = (self.lines.get(key).copied(), &mut self.file)
        else {
            return Ok(None);
        };
        let mut line = vec![0; length as usize];
        let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut line));
        let unreadable = |why: String| StoreError::Notes { path: self.path.clone(), why };
        read.map_err(|error| unreadable(format!("cannot be read ({error})")))?;
        let answer = serde_json::from_slice(&line);
        answer.map(Some).map_err(|error| unreadable(format!("holds a damaged answer ({error})")))
    }
}

/// Answers as lines of the file, before they are in a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerLines(Vec<u8>);

impl AnswerLines {
    /// Adds an answer.
    pub fn add(&mut self, answer: &Answer) {
        self.add_line(answer);
    }

    /// Adds the text of a prompt under its hash.
    pub fn add_prompt(&mut self, hash: &str, text: &str) {
        self.add_line(&PromptLine { prompt: hash.to_owned(), text: text.to_owned() });
    }

    fn add_line(&mut self, row: &impl Serialize) {
        if let Ok(line) = serde_json::to_vec(row) {
            self.0.extend(line);
            self.0.push(b'\n');
        }
    }

    /// Adds further lines.
    pub fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// The answers.
    pub fn answers(&self) -> impl Iterator<Item = Answer> {
        let lines = self.0.split(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok())
    }
}

/// Appends answers. Only one process at a time may: the others would ask the same questions.
#[derive(Debug)]
pub struct AnswerLog {
    store: PathBuf,
    reader: AnswerReader,
    _lock: ScoringLock,
}

impl AnswerLog {
    /// Opens the answers of a store to add to them; fails while another process does so.
    pub fn begin(store: &Path) -> Result<Self, StoreError> {
        let opened = Store::open(store)?;
        let path = std::fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
        let lock = match ScoringLock::try_take(&path) {
            Ok(Some(lock)) => lock,
            Ok(None) => return Err(StoreError::Scoring { path: store.to_owned() }),
            Err(error) => return Err(StoreError::note(&path, &error)),
        };
        Ok(Self { reader: opened.answers()?, store: path, _lock: lock })
    }

    /// The answers that are there.
    pub fn reader(&mut self) -> &mut AnswerReader {
        &mut self.reader
    }

    /// Adds an answer; it is on the disk when this returns.
    pub fn add(&mut self, answer: &Answer) -> Result<(), StoreError> {
        self.append(answer)
    }

    /// Adds lines in one step, except those that are there.
    pub fn add_all(self, lines: &AnswerLines) -> Result<(), StoreError> {
        let mut known = HashSet::new();
        each_line(&self.reader.path, |line, _| known.extend([xxh3_128(line)]))?;
        let new = lines.0.split_inclusive(|byte| *byte == b'\n');
        let new: Vec<&[u8]> = new.filter(|line| !known.contains(&xxh3_128(line))).collect();
        append_to(&Log::Inside(&self.store), FILE, |_| Ok(new.concat()))
    }

    /// Keeps the text of a prompt, unless it is there.
    pub fn keep_prompt(&mut self, hash: &str, text: &str) -> Result<(), StoreError> {
        if self.reader.prompts.contains(hash) {
            return Ok(());
        }
        self.append(&PromptLine { prompt: hash.to_owned(), text: text.to_owned() })
    }

    fn append(&mut self, row: &impl Serialize) -> Result<(), StoreError> {
        let mut line = Vec::new();
        append_to(&Log::Inside(&self.store), FILE, |path| {
            line = json(row, path)?;
            line.push(b'\n');
            Ok(line.clone())
        })?;
        let failed = |error: io::Error| StoreError::note(&self.reader.path, &error);
        let file = match &self.reader.file {
            Some(file) => file,
            None => self.reader.file.insert(files::open(&self.reader.path).map_err(failed)?),
        };
        // Nobody else appends, so the new line is the last.
        let end = file.metadata().map_err(failed)?.len();
        self.reader.note(&line, end - line.len() as u64);
        Ok(())
    }
}

impl Store {
    /// Whether models were asked about it.
    pub fn has_answers(&self) -> bool {
        let file = self.own_file(FILE).map(std::fs::metadata);
        file.is_ok_and(|file| file.is_ok_and(|file| file.len() > 0))
    }

    /// The answers of models that are there now.
    pub fn answers(&self) -> Result<AnswerReader, StoreError> {
        AnswerReader::open(self.own_file(FILE)?)
    }

    /// The answers about a task, the oldest first. Of several to the same question, the newest counts.
    pub fn answers_about(&self, cell: &Cell, task: &str) -> Result<Vec<Answer>, StoreError> {
        let mut answers = Vec::new();
        // Most lines are about other tasks: they are not parsed.
        let named = serde_json::json!(task).to_string();
        let name = memchr::memmem::Finder::new(&named);
        each_line(&self.own_file(FILE)?, |line, _| {
            if name.find(line).is_some()
                && let Ok(answer) = serde_json::from_slice::<Answer>(line)
                && answer.cell == *cell
                && answer.task == task
            {
                answers.push(answer);
            }
        })?;
        let mut seen = HashSet::new();
        let is_newest: Vec<bool> =
            answers.iter().rev().map(|answer| seen.insert(answer.key.clone())).collect();
        let mut is_newest = is_newest.into_iter().rev();
        answers.retain(|_| is_newest.next() == Some(true));
        Ok(answers)
    }
}

/// Passes every line of a file and where it begins; a missing file has none.
fn each_line(path: &Path, mut line_at: impl FnMut(&[u8], u64)) -> Result<Option<File>, StoreError> {
    let unreadable = |error: io::Error| StoreError::Notes {
        path: path.to_owned(),
        why: format!("cannot be read ({error})"),
    };
    let file = match files::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let mut lines = BufReader::new(&file);
    let (mut start, mut line) = (0, Vec::new());
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line).map_err(unreadable)? {
            0 => return Ok(Some(file)),
            length => {
                line_at(&line, start);
                start += length as u64;
            }
        }
    }
}
