//! Labels that a user brings from elsewhere: a report of SWE-bench, or a table of task ids and successes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::sheet::{Problem, Row, Sheet};
use crate::model::{Basis, Check, CheckKind, Head, Outcome};
use crate::readers::{Content, Lines, ReadError};
use crate::store::StoreWriter;

/// Columns with the id of a task, the first that is there counts.
const IDS: [&str; 4] = ["instance_id", "task_id", "task", "id"];

/// Columns with the label, likewise.
const SUCCESSES: [&str; 6] = ["resolved", "success", "correct", "reward", "label", "passed"];

/// Lists of a report: the ids of solved tasks.
const SOLVED: [&str; 2] = ["resolved_ids", "resolved"];

/// Lists of a report whose other ids are failures: what was submitted and is not solved.
const FAILED: [&str; 8] = [
    "unresolved_ids",
    "error_ids",
    "empty_patch_ids",
    "completed_ids",
    "submitted_ids",
    "generated",
    "with_logs",
    "applied",
];

/// What the labels of a file did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labelled {
    /// The file.
    pub path: PathBuf,
    /// Runs that got a label from it.
    pub runs: u64,
    /// Those to which the harness, or an earlier file, gave another one.
    pub changed: u64,
    /// Ids that no run of the import has.
    pub unmatched: Vec<String>,
}

/// The label of one or more runs.
#[derive(Clone, Debug, Default, PartialEq)]
struct Label {
    position: String,
    task: String,
    success: bool,
    reward: Option<f64>,
    /// What the file says, as it says it.
    said: String,
    dataset: Option<String>,
    model: Option<String>,
    condition: Option<String>,
    draw: Option<u32>,
    trial: Option<String>,
}

/// The labels of one file.
#[derive(Clone, Debug)]
pub(super) struct LabelFile {
    path: PathBuf,
    labels: Vec<Label>,
}

impl LabelFile {
    /// Reads a report, or a table as JSON, JSON lines, CSV or Parquet.
    pub(super) fn read(path: &Path) -> Result<Self, ReadError> {
        let content = Content::at(path);
        let start = content.start(64)?;
        let is_json = matches!(start.trim_ascii_start().first(), Some(b'{' | b'['))
            || start.starts_with(b"\xEF\xBB\xBF{");
        let labels = if is_json { of_json(&content)? } else { of_sheet(&Sheet::read(path)?)? };
        if labels.is_empty() {
            let remedy = "name a SWE-bench report, or a table of task ids and successes";
            return Err(ReadError::new(path, "holds no label", remedy));
        }
        Ok(Self { path: path.to_owned(), labels })
    }

    /// Gives the first runs of a store their labels, and each a check that says where its label comes
    /// from. Two labels that contradict each other about a run are an error.
    pub(super) fn apply(
        &self,
        writer: &mut StoreWriter,
        runs: usize,
    ) -> Result<Labelled, ReadError> {
        let entries = &mut writer.entries_mut()[..runs];
        let mut by_task: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, entry) in entries.iter().enumerate() {
            by_task.entry(&entry.head.task).or_default().push(index);
        }
        let mut given: HashMap<usize, &Label> = HashMap::new();
        let (mut unmatched, mut met) = (Vec::new(), HashSet::new());
        for label in &self.labels {
            let runs = by_task.get(label.task.as_str()).map(Vec::as_slice).unwrap_or_default();
            let mut fitting =
                runs.iter().filter(|index| label.fits(&entries[**index].head)).peekable();
            if fitting.peek().is_none() && met.insert(&label.task) {
                unmatched.push(label.task.clone());
            }
            for index in fitting {
                let before = given.insert(*index, label);
                if let Some(other) = before.filter(|other| other.success != label.success) {
                    return Err(self.contradiction(label, other));
                }
            }
        }
        let mut labelled = Labelled { path: self.path.clone(), unmatched, ..Labelled::default() };
        for (index, label) in &given {
            let outcome = &mut entries[*index].head.outcome;
            labelled.runs += 1;
            labelled.changed += u64::from(outcome.success.is_some_and(|old| old != label.success));
            label.write(outcome);
        }
        for (index, label) in given {
            writer.add_check(index, self.check(label));
        }
        Ok(labelled)
    }

    /// The check that stands for a label: a score with the name of the file.
    fn check(&self, label: &Label) -> Check {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        let check = Check::new(CheckKind::Score, name, Some(label.success));
        Check { detail: Some(label.said.clone()), ..check }
    }

    fn contradiction(&self, label: &Label, other: &Label) -> ReadError {
        let problem = format!("task {} is labelled differently at {}", label.task, other.position);
        let remedy =
            "add a column `draw`, `trial`, `model` or `dataset` that says which run is meant";
        ReadError::new(&self.path, problem, remedy).at(label.position.clone())
    }
}

impl Label {
    fn fits(&self, head: &Head) -> bool {
        let says = |wanted: &Option<String>, value: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == value)
        };
        let trial = head.origin.trial.map(|trial| trial.to_string());
        let is_trial = |wanted: &String| {
            trial.as_ref() == Some(wanted) || head.origin.run_id.as_ref() == Some(wanted)
        };
        says(&self.dataset, &head.cell.dataset)
            && says(&self.model, &head.cell.model)
            && says(&self.condition, &head.cell.condition)
            && self.draw.is_none_or(|draw| draw == head.draw)
            && self.trial.as_ref().is_none_or(is_trial)
    }

    /// The outcome with this label. A reward that says otherwise does not stay, and what the harness's
    /// reward is made of decides nothing any more.
    fn write(&self, outcome: &mut Outcome) {
        let decides = || Basis::new([CheckKind::Score.id()]);
        outcome.basis = outcome.basis.as_ref().map(|_| decides());
        let kept = outcome.reward.filter(|_| outcome.success == Some(self.success));
        outcome.reward = self.reward.or(kept);
        outcome.success = Some(self.success);
    }
}

/// The labels of a JSON document, or of JSON lines.
fn of_json(content: &Content) -> Result<Vec<Label>, ReadError> {
    let bytes = content.json()?;
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(report))
            if report
                .keys()
                .any(|key| SOLVED.contains(&key.as_str()) && report[key].is_array()) =>
        {
            Ok(of_report(&report))
        }
        Ok(Value::Object(row)) if IDS.iter().any(|id| row.contains_key(*id)) => {
            of_records(content.path(), &[("line 1".to_owned(), row)])
        }
        Ok(Value::Object(map)) => Ok(of_map(&map)),
        Ok(Value::Array(list)) => {
            let rows = (1..).zip(list).filter_map(|(number, row)| match row {
                Value::Object(row) => Some((format!("record {number}"), row)),
                _ => None,
            });
            of_records(content.path(), &rows.collect::<Vec<_>>())
        }
        _ => of_lines(content),
    }
}

fn of_lines(content: &Content) -> Result<Vec<Label>, ReadError> {
    let mut lines = Lines::of(content)?;
    let mut rows = Vec::new();
    while let Some((number, line)) = lines.next_numbered()? {
        match serde_json::from_slice::<Map<String, Value>>(line) {
            Ok(row) => rows.push((format!("line {number}"), row)),
            Err(error) => return Err(lines.error(&error)),
        }
    }
    of_records(content.path(), &rows)
}

fn of_records(path: &Path, rows: &[(String, Map<String, Value>)]) -> Result<Vec<Label>, ReadError> {
    of_sheet(&Sheet::of_records(path, rows))
}

/// The ids of a list in a report.
fn ids<'r>(report: &'r Map<String, Value>, key: &str) -> impl Iterator<Item = &'r str> {
    report.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// A report of SWE-bench: what was submitted and is not solved has failed.
fn of_report(report: &Map<String, Value>) -> Vec<Label> {
    let solved: BTreeSet<&str> = SOLVED.iter().flat_map(|key| ids(report, key)).collect();
    let tried: BTreeSet<&str> = FAILED.iter().flat_map(|key| ids(report, key)).collect();
    let label = |task: &str, success| Label {
        position: "the list of ids".to_owned(),
        task: task.to_owned(),
        success,
        said: if success { "resolved" } else { "not resolved" }.to_owned(),
        ..Label::default()
    };
    let failed = tried.difference(&solved).map(|task| label(task, false));
    solved.iter().map(|task| label(task, true)).chain(failed).collect()
}

/// A document that has a task's id as key: `{id: {"resolved": true, …}}`, or `{id: true}`.
fn of_map(map: &Map<String, Value>) -> Vec<Label> {
    let label = |(task, value): (&String, &Value)| {
        let key = SUCCESSES.iter().find(|key| value.get(key).is_some());
        let success = key.map_or(value, |key| &value[key]).as_bool()?;
        let (position, task, said) = (format!("key {task}"), task.clone(), success.to_string());
        Some(Label { position, task, success, said, ..Label::default() })
    };
    map.iter().filter_map(label).collect()
}

/// The labels of a table; a row without one is passed over.
fn of_sheet(sheet: &Sheet) -> Result<Vec<Label>, ReadError> {
    let column = |names: &[&'static str], what: &str| {
        let found = names.iter().find(|name| sheet.header.iter().any(|column| column == *name));
        found.copied().ok_or_else(|| {
            sheet.failed(format!("has no column with {what} (one of {})", names.join(", ")))
        })
    };
    let (id, success) = (column(&IDS, "task ids")?, column(&SUCCESSES, "labels")?);
    let mut labels = Vec::new();
    sheet.for_rows(|row| {
        let Some(text) = row.get(success) else { return Ok(()) };
        if let Some((is_solved, reward)) = parse_label(success, text)? {
            let (of_run, said) = (run_of(row)?, text.to_owned());
            labels.push(Label { task: row.need(id)?, success: is_solved, reward, said, ..of_run });
        }
        Ok(())
    })?;
    Ok(labels)
}

/// What a row says about the run beyond its task.
fn run_of(row: &Row<'_>) -> Result<Label, Problem> {
    let text = |name: &str| row.get(name).map(str::to_owned);
    Ok(Label {
        position: row.position().to_owned(),
        dataset: text("dataset"),
        model: text("model"),
        condition: text("condition"),
        draw: row.number("draw")?,
        trial: text("trial"),
        ..Label::default()
    })
}

/// Whether a cell says success, and its reward; none of a cell that says nothing.
fn parse_label(column: &str, text: &str) -> Result<Option<(bool, Option<f64>)>, Problem> {
    let word = text.to_ascii_lowercase();
    Ok(Some(match word.as_str() {
        "true" | "yes" | "pass" | "passed" | "resolved" | "success" | "correct" => (true, None),
        "false" | "no" | "fail" | "failed" | "unresolved" | "failure" | "incorrect" => {
            (false, None)
        }
        "none" | "null" | "nan" | "na" => return Ok(None),
        word => {
            let reward = word.parse().ok().filter(|value: &f64| value.is_finite());
            let outcome = Outcome::from_reward(reward);
            let unclear =
                || (format!("`{column}` is `{text}`"), "write true or false, or a reward");
            (outcome.success.ok_or_else(unclear)?, reward.filter(|_| column == "reward"))
        }
    }))
}
