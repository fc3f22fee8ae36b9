//! A score file: how many runs were graded, and then the runs that failed.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::json::{self, Text};
use super::super::lines::Lines;
use super::super::{Content, ReadError};
use super::calls::calls;
use super::conversation::items;
use crate::model::{Check, CheckKind};
use crate::text::{bounded, counted};

/// Bytes of what the checker says about a failure, at most: it may quote whole files.
const LONGEST_DETAIL: usize = 4_000;

/// The grades of the runs of a result file.
#[derive(Debug, Default)]
pub(super) struct Scores {
    graded: HashMap<String, Grade>,
    /// How many runs were graded, and how many of them succeeded.
    counts: Option<(u64, u64)>,
}

/// What a score file says about a run.
#[derive(Debug)]
struct Grade {
    success: bool,
    checks: Vec<Check>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default, deserialize_with = "json::id")]
    id: Option<String>,
    #[serde(default, deserialize_with = "json::whole")]
    total_count: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    correct_count: Option<i64>,
    #[serde(default, deserialize_with = "json::flag")]
    valid: Option<bool>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    possible_answer: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct CheckerError<'a> {
    #[serde(default)]
    error_type: Text,
    #[serde(default)]
    error_message: Text,
    #[serde(borrow, default)]
    details: Option<&'a RawValue>,
}

impl Scores {
    /// Reads a score file.
    pub(super) fn read(content: &Content) -> Result<Self, ReadError> {
        let mut scores = Self::default();
        let mut lines = Lines::of(content)?;
        while let Some((_, line)) = lines.parse_next()? {
            let Line { id, total_count, correct_count, valid, error, possible_answer } = line;
            if let (Some(total), Some(correct)) = (total_count, correct_count) {
                let count = |count| u64::try_from(count).unwrap_or_default();
                scores.counts = Some((count(total), count(correct)));
            }
            if let Some(id) = id {
                let mut checks: Vec<_> = error.map(checker_error).into_iter().collect();
                checks.extend(possible_answer.map(expected_calls).into_iter().flatten());
                scores.graded.insert(id, Grade { success: valid == Some(true), checks });
            }
        }
        Ok(scores)
    }

    /// Why a run that the file does not name need not have succeeded, for a file of `runs` runs.
    pub(super) fn gap(&self, runs: u64) -> Option<String> {
        let listed = self.graded.values().filter(|grade| !grade.success).count() as u64;
        let Some((total, correct)) = self.counts else {
            return Some("its score file does not begin with the number of graded runs".to_owned());
        };
        let failed = total.saturating_sub(correct);
        if listed != failed {
            let failures = counted(failed, "failure");
            return Some(format!("its score file counts {failures} but lists {listed}"));
        }
        (total < runs).then(|| {
            let graded = counted(total, "run");
            format!("its score file covers {graded}, but there are {runs}")
        })
    }

    /// Whether a run succeeded and what was checked; a run that is not named has the label `unlisted`.
    pub(super) fn of(&self, task: &str, unlisted: Option<bool>) -> (Option<bool>, Vec<Check>) {
        match self.graded.get(task) {
            Some(grade) => (Some(grade.success), grade.checks.clone()),
            None => (unlisted, Vec::new()),
        }
    }
}

/// What the checker says about a failure.
fn checker_error(raw: &RawValue) -> Check {
    let fields = Some(raw.get()).filter(|json| json.starts_with('{'));
    let error = fields.and_then(|json| serde_json::from_str::<CheckerError<'_>>(json).ok());
    let error = error.unwrap_or_default();
    let whole = || serde_json::from_str::<Text>(raw.get()).ok().and_then(|text| text.0);
    let details = error.details.map(|raw| json::compact(raw.get()));
    let detail: Vec<String> =
        error.error_message.0.or_else(whole).into_iter().chain(details).collect();
    let detail = detail.join("\n");
    let name = error.error_type.0.unwrap_or_else(|| "checker".to_owned());
    let mut check = Check::new(CheckKind::Checker, name, Some(false));
    check.detail = (!detail.is_empty()).then(|| bounded(&detail, LONGEST_DETAIL).into_owned());
    check
}

/// The calls of the reference solution, a list of texts for every turn.
fn expected_calls(raw: &RawValue) -> Vec<Check> {
    let mut checks = Vec::new();
    for turn in items(raw) {
        let written = if turn.get().starts_with('[') { items(turn) } else { vec![turn] };
        for text in written.iter().filter_map(|raw| serde_json::from_str::<String>(raw.get()).ok())
        {
            match calls(&text) {
                Some(calls) => checks.extend(calls.into_iter().map(|call| Check {
                    arguments: Some(call.arguments),
                    ..Check::new(CheckKind::Action, call.name, None)
                })),
                None => checks.push(Check::new(CheckKind::Action, text, None)),
            }
        }
    }
    checks
}
