//! Verdicts from a CSV file into a store: a model's become judgments, a person's become votes.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::runs::Runs;
use super::sheet::{Problem, Row, Sheet};
use super::sources::seconds_now;
use super::{ImportError, merge};
use crate::model::{Cell, HUMAN, Judgment, author_of, is_human};
use crate::store::{Amendment, ChosenBy, Ruling, Store, Vote};

/// Columns that a file of verdicts has.
const NEEDED: [&str; 6] = ["dataset", "model", "task", "draw_b", "judge", "equivalent"];

/// What an import of verdicts added and replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerdictSummary {
    /// Verdicts of every judge.
    pub judges: BTreeMap<String, usize>,
    /// Older verdicts of the same judges on the same pairs, which these replace.
    pub replaced: usize,
    /// Votes that were added.
    pub votes: usize,
    /// Votes that were there already.
    pub known_votes: usize,
}

/// Whether the columns are those of a file of verdicts.
pub(super) fn has_columns(header: &[String]) -> bool {
    lacking(header).is_none()
}

/// Whether a column is one that only a file of verdicts has.
pub(super) fn is_of_verdicts(column: &str) -> bool {
    ["judge", "equivalent", "draw_b"].contains(&column)
}

/// The first needed column that the header lacks.
fn lacking(header: &[String]) -> Option<&'static str> {
    NEEDED.into_iter().find(|name| header.iter().all(|column| column != name))
}

/// Imports the verdicts of files into a store. A verdict replaces an older one of the same judge on the
/// same pair. When one is wrong, none is imported.
pub fn import_verdicts(paths: &[PathBuf], store: &Path) -> Result<VerdictSummary, ImportError> {
    let mut amendment = Amendment::begin(store)?;
    let runs = Runs::of(amendment.store())?;
    let mut files = VerdictFiles { runs, ..VerdictFiles::default() };
    for path in paths {
        files.read(path)?;
    }
    let VerdictFiles { verdicts, votes: given, .. } = files;
    let mut summary = VerdictSummary::default();
    let mut kept = amendment.store().judgments()?;
    let before = kept.len();
    kept.retain(|judgment| !verdicts.contains_key(&key(judgment)));
    summary.replaced = before - kept.len();
    for judgment in verdicts.values() {
        *summary.judges.entry(judgment.judge.clone()).or_default() += 1;
    }
    let new_votes = unknown(given, amendment.store(), &mut summary)?;
    if verdicts.is_empty() {
        drop(amendment);
        Store::open(store).and_then(|store| store.add_votes(&new_votes))?;
        return Ok(summary);
    }
    merge::drop_judged(&mut amendment)?;
    kept.extend(verdicts.into_values());
    amendment.judgments(&kept)?;
    amendment.commit()?;
    Store::open(store)
        .and_then(|store| store.add_votes(&new_votes))
        .map_err(|error| ImportError::VotesLeft { path: store.to_owned(), why: error.reason() })?;
    Ok(summary)
}

/// The votes that the store does not hold.
fn unknown(
    given: Vec<(Vote, bool)>,
    store: &Store,
    summary: &mut VerdictSummary,
) -> Result<Vec<Vote>, ImportError> {
    let stored: HashSet<Vote> = store.votes()?.into_iter().collect();
    // A vote without a time adds nothing to the same vote at any time.
    let untimed: HashSet<Vote> =
        stored.iter().map(|vote| Vote { time: 0, ..vote.clone() }).collect();
    let mut new = Vec::new();
    for (vote, timed) in given {
        let known = if timed {
            stored.contains(&vote)
        } else {
            untimed.contains(&Vote { time: 0, ..vote.clone() })
        };
        if known {
            summary.known_votes += 1;
        } else {
            summary.votes += 1;
            new.push(vote);
        }
    }
    Ok(new)
}

/// The pair and the judge of a verdict.
type Key = (Cell, String, u32, u32, String);

fn key(judgment: &Judgment) -> Key {
    let Judgment { cell, task, draw_a, draw_b, judge, .. } = judgment;
    (cell.clone(), task.clone(), *draw_a, *draw_b, judge.clone())
}

/// What the files hold, checked against the store.
#[derive(Default)]
struct VerdictFiles {
    runs: Runs,
    verdicts: BTreeMap<Key, Judgment>,
    /// Votes, and whether the file gives their time.
    votes: Vec<(Vote, bool)>,
}

impl VerdictFiles {
    fn read(&mut self, path: &Path) -> Result<(), ImportError> {
        let sheet = Sheet::read(path)?;
        if let Some(name) = lacking(&sheet.header) {
            return Err(sheet.failed(format!("has no column `{name}`")).into());
        }
        Ok(sheet.for_rows(|row| self.add(row))?)
    }

    fn add(&mut self, row: &Row<'_>) -> Result<(), Problem> {
        let judgment = row.judgment()?;
        let Judgment { cell, task, draw_a, draw_b, .. } = &judgment;
        let subject = format!("{cell}, task {task}");
        if row.get("draw_a").is_none() {
            self.runs.require_reference(cell, task)?;
        }
        for draw in [draw_a, draw_b] {
            self.runs.require(cell, task, *draw)?;
        }
        if draw_a == draw_b {
            return Err((
                format!("{subject}: both draws of the pair are the same"),
                "name two different draws",
            ));
        }
        if is_human(&judgment.judge) {
            self.votes.push(row.vote(judgment)?);
            return Ok(());
        }
        let again = format!("{subject}: {} judges the pair twice", judgment.judge);
        match self.verdicts.insert(key(&judgment), judgment) {
            Some(_) => Err((again, "keep one of the lines")),
            None => Ok(()),
        }
    }
}

impl Row<'_> {
    fn judgment(&self) -> Result<Judgment, Problem> {
        let condition = self.get("condition").unwrap_or(Cell::DEFAULT_CONDITION).to_owned();
        let (dataset, model) = (self.need("dataset")?, self.need("model")?);
        let confidence: Option<f64> = self.number("confidence")?;
        if let Some(wrong) = confidence.filter(|value| !(0.0..=1.0).contains(value)) {
            return Err((format!("`confidence` is {wrong}"), "give a number from 0 to 1"));
        }
        let draw_a: u32 = self.number("draw_a")?.unwrap_or(0);
        let draw_b =
            self.number("draw_b")?.ok_or(("`draw_b` is empty".to_owned(), "fill it in"))?;
        let judge = self.need("judge")?;
        if judge == "database" || judge.contains('>') {
            let why = format!("`{judge}` cannot be a judge's name: it is reserved");
            return Err((why, "give the judge another name"));
        }
        Ok(Judgment {
            cell: Cell { dataset, model, condition },
            task: self.need("task")?,
            // A pair is the same whichever of its draws is named first.
            draw_a: draw_a.min(draw_b),
            draw_b: draw_a.max(draw_b),
            judge,
            equivalent: self.equivalent()?,
            confidence,
        })
    }

    fn equivalent(&self) -> Result<Option<bool>, Problem> {
        let Some(text) = self.get("equivalent") else { return Ok(None) };
        match text.to_lowercase().as_str() {
            "true" | "1" | "yes" | "equivalent" => Ok(Some(true)),
            "false" | "0" | "no" | "different" => Ok(Some(false)),
            "unsure" => Ok(None),
            _ => Err((
                format!("`equivalent` is `{text}`"),
                "write true or false, or leave it empty where no verdict could be read",
            )),
        }
    }

    /// The vote of a person, and whether its time is given.
    fn vote(&self, judgment: Judgment) -> Result<(Vote, bool), Problem> {
        let author = author_of(&judgment.judge).or(self.get("author"));
        let author = author.ok_or((
            format!("a verdict of `{HUMAN}` without an author"),
            "add a column `author`, or give the judge another name",
        ))?;
        let verdict = match judgment.equivalent {
            Some(true) => Ruling::Equivalent,
            Some(false) => Ruling::Different,
            None => Ruling::Unsure,
        };
        let time: Option<u64> = self.number("time")?;
        let vote = Vote {
            time: time.unwrap_or_else(seconds_now),
            author: author.to_owned(),
            cell: judgment.cell,
            task: judgment.task,
            draw_a: judgment.draw_a,
            draw_b: judgment.draw_b,
            verdict,
            note: self.get("note").map(str::to_owned),
            chosen_by: self.chosen_by()?,
        };
        Ok((vote, time.is_some()))
    }

    /// How the pair was chosen, where the file says so.
    fn chosen_by(&self) -> Result<Option<ChosenBy>, Problem> {
        let Some(text) = self.get("chosen_by") else { return Ok(None) };
        let known = ChosenBy::ALL.into_iter().find(|by| by.id() == text);
        known.map(Some).ok_or_else(|| {
            let remedy = "write queue, audit, adjudication or direct, or leave it empty";
            (format!("`chosen_by` is `{text}`"), remedy)
        })
    }
}
