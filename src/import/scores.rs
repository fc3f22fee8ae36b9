//! Imports a user's scores from CSV or Parquet: one column per scorer, or one row per value.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::ImportError;
use super::runs::{KEYS, Runs};
use super::sheet::{Problem, Row, Sheet};
use super::sources::seconds_now;
use crate::model::{Cell, Score};
use crate::scorers::{Direction, Scorer, Spec};
use crate::store::{Amendment, ScorerSettings};

/// The columns of a file with one value a row.
const LONG: [&str; 2] = ["scorer", "value"];

/// Numbers that tables hold beside scores, and that are none.
const NO_SCORES: [&str; 10] = [
    "success",
    "correct",
    "label",
    "reward",
    "samples",
    "rank",
    "trial",
    "seed",
    "index",
    "aggregator",
];

/// What the user says about the scores.
#[derive(Clone, Debug, Default)]
pub struct ScoreImportOptions {
    /// Scorers of which a smaller value means surer of success, such as an entropy.
    pub smaller_is_surer: Vec<String>,
}

/// What an import of scores added and replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoresSummary {
    /// Every scorer with its number of values, and whether smaller values are surer.
    pub scorers: BTreeMap<String, (usize, bool)>,
    /// Older values of the same scorers and runs, which these replace.
    pub replaced: usize,
    /// Cells without a value.
    pub empty: usize,
    /// Columns that hold no scores.
    pub ignored: BTreeSet<String>,
}

/// Whether the columns are those of a file of scores: a task, and something besides what names a run.
pub(super) fn has_columns(header: &[String]) -> bool {
    header.iter().any(|name| name == "task") && header.iter().any(|name| is_free(name))
}

/// Whether a column may hold a scorer's values.
fn is_free(name: &str) -> bool {
    !name.is_empty() && !KEYS.contains(&name) && !NO_SCORES.contains(&name)
}

/// Imports the scores of files into a store. A value replaces an older one of the same scorer and run.
/// When one is wrong, none is imported.
pub fn import_scores(
    paths: &[PathBuf],
    store: &Path,
    options: &ScoreImportOptions,
) -> Result<ScoresSummary, ImportError> {
    let mut amendment = Amendment::begin(store)?;
    let runs = Runs::of(amendment.store())?;
    let mut files = ScoreFiles { runs, ..ScoreFiles::default() };
    for path in paths {
        files.read(path)?;
    }
    let ScoreFiles { values, sources, mut summary, .. } = files;
    let unknown = options.smaller_is_surer.iter().find(|name| !sources.contains_key(*name));
    if let Some(name) = unknown {
        return Err(ImportError::NoScorer(name.clone()));
    }
    let mut rows = amendment.store().scores()?;
    let before = rows.len();
    rows.retain(|row| row.aggregator.is_some() || !values.contains_key(&key(row)));
    summary.replaced = before - rows.len();
    for (scorer, source) in &sources {
        let older = amendment.store().manifest().scorers.get(scorer);
        if older.is_some_and(|older| older.recipe.is_some()) {
            return Err(ImportError::Made(scorer.clone()));
        }
        let reversed = options.smaller_is_surer.contains(scorer)
            || older.is_some_and(|older| Direction::of(older.direction.as_deref()).is_reversed());
        if let Some((_, is_reversed)) = summary.scorers.get_mut(scorer) {
            *is_reversed = reversed;
        }
        let settings = ScorerSettings {
            source: Some(source.clone()),
            direction: reversed.then(|| Direction::SmallerIsSurer.id().to_owned()),
            computed_at: seconds_now(),
            ..ScorerSettings::default()
        };
        amendment.settings(scorer, Some(settings));
    }
    rows.extend(values.into_values());
    if !sources.is_empty() {
        amendment.scores(&rows)?;
        amendment.commit()?;
    }
    Ok(summary)
}

/// The run and the scorer of a value.
type Key = (Cell, String, u32, String);

fn key(row: &Score) -> Key {
    (row.cell.clone(), row.task.clone(), row.draw, row.scorer.clone())
}

/// What the files hold, checked against the store.
#[derive(Default)]
struct ScoreFiles {
    runs: Runs,
    values: HashMap<Key, Score>,
    /// The file that every scorer's values came from.
    sources: BTreeMap<String, String>,
    summary: ScoresSummary,
}

impl ScoreFiles {
    fn read(&mut self, path: &Path) -> Result<(), ImportError> {
        let sheet = Sheet::read(path)?;
        if sheet.header.iter().all(|name| name != "task") {
            let why =
                "has no column `task`, and is of no result format that qualm knows".to_owned();
            return Err(sheet.failed(why).into());
        }
        let source = path.display().to_string();
        if LONG.iter().all(|name| sheet.header.iter().any(|column| column == name)) {
            return Ok(sheet.for_rows(|row| {
                let scorer = row.need("scorer")?;
                if let Some(rule) = row.get("aggregator") {
                    let why = format!("`{scorer}` under `{rule}` is computed from turns");
                    return Err((why, "leave such rows out"));
                }
                self.add(row, &scorer, "value", &source)
            })?);
        }
        let columns = self.score_columns(&sheet);
        if columns.is_empty() {
            let why = "has no column of numbers other than those that identify a run".to_owned();
            return Err(sheet.failed(why).into());
        }
        Ok(sheet.for_rows(|row| {
            columns.iter().try_for_each(|column| self.add(row, column, column, &source))
        })?)
    }

    /// The columns with scores: those whose first value is a number. The others are listed.
    fn score_columns(&mut self, sheet: &Sheet) -> Vec<String> {
        let mut columns = Vec::new();
        for (index, name) in sheet.header.iter().enumerate() {
            let first = sheet.cells(index).next();
            if is_free(name) && first.is_some_and(|cell| cell.parse::<f64>().is_ok()) {
                columns.push(name.clone());
            } else if !name.is_empty() && !KEYS.contains(&name.as_str()) {
                self.summary.ignored.insert(name.clone());
            }
        }
        columns
    }

    fn add(
        &mut self,
        row: &Row<'_>,
        name: &str,
        column: &str,
        source: &str,
    ) -> Result<(), Problem> {
        let number: Option<f64> = row.number(column)?;
        let Some(value) = number.filter(|value| !value.is_nan()) else {
            self.summary.empty += 1;
            return Ok(());
        };
        let (cell, task, draw) = self.runs.find(row)?;
        let subject = format!("{cell}, task {task}, draw {draw}");
        if value.is_infinite() {
            return Err((format!("{subject}: `{name}` is {value}"), "give a finite number"));
        }
        let scorer = Scorer::typed(name);
        check_name(&scorer, value)?;
        let again = format!("{subject}: `{scorer}` has two values");
        let score = Score {
            cell,
            task,
            draw,
            scorer: scorer.clone(),
            aggregator: None,
            value: Some(value),
            log: None,
            fold: None,
        };
        if self.values.insert(key(&score), score).is_some() {
            return Err((again, "keep one of them"));
        }
        self.sources.entry(scorer.clone()).or_insert_with(|| source.to_owned());
        self.summary.scorers.entry(scorer).or_default().0 += 1;
        Ok(())
    }
}

/// Fails for a scorer that qualm computes, and for a value that a known scorer cannot have.
fn check_name(scorer: &str, value: f64) -> Result<(), Problem> {
    let is_white_box = Scorer::parse_white_box(scorer).is_some();
    let spec = Spec::find(scorer);
    if is_white_box || spec.is_some_and(|spec| spec.formula.is_some()) {
        let why = format!("`{scorer}` is a scorer that qualm computes");
        return Err((why, "give yours another name, or leave it out"));
    }
    match spec.filter(|spec| !spec.range.contains(value)) {
        Some(_) => Err((format!("`{scorer}` is {value}, outside its range"), "mend it")),
        None => Ok(()),
    }
}
