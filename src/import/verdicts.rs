//! Verdicts from a CSV file into a store: a model's become judgments, a person's become votes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use super::{ImportError, merge, seconds_now};
use crate::model::{Cell, HUMAN, Judgment, author_of, is_human};
use crate::readers::{self, ReadError};
use crate::store::{Amendment, Outline, Ruling, Store, Vote, votes};

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

/// Whether a file holds verdicts: by its header, or as a CSV file that no reader of results claims.
pub fn is_verdicts(path: &Path) -> bool {
    // A pipe can be read only once, by a reader of results.
    if !path.is_file() {
        return false;
    }
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv")) {
        return has_verdict_header(path) || !readers::is_claimed(path);
    }
    has_verdict_header(path)
}

fn has_verdict_header(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut first = Vec::new();
    let read = BufReader::new(std::io::Read::take(file, 4096)).read_until(b'\n', &mut first);
    read.is_ok() && reader(&first).headers().is_ok_and(|header| has_all(header).is_ok())
}

fn reader(bytes: &[u8]) -> csv::Reader<&[u8]> {
    let bytes = bytes.strip_prefix(crate::readers::UTF8_BOM).unwrap_or(bytes);
    csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(bytes)
}

/// Fails with the first needed column that the header lacks.
fn has_all(header: &csv::StringRecord) -> Result<(), &'static str> {
    let lacking = NEEDED.into_iter().find(|name| header.iter().all(|column| column != *name));
    lacking.map_or(Ok(()), Err)
}

/// Imports the verdicts of files into a store. A verdict replaces an older one of the same judge on the
/// same pair. When one is wrong, none is imported.
pub fn import_verdicts(paths: &[PathBuf], store: &Path) -> Result<VerdictSummary, ImportError> {
    let mut amendment = Amendment::begin(store)?;
    let outline = amendment.store().outline()?;
    let mut files = VerdictFiles { draws: draws(&outline), ..VerdictFiles::default() };
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
    } else {
        let judged = verdicts.keys().map(|(cell, task, ..)| (cell, task.as_str())).collect();
        merge::drop_judged(&mut amendment, &judged)?;
        kept.extend(verdicts.into_values());
        amendment.judgments(&kept)?;
        amendment.commit()?;
    }
    votes::append_all(store, &new_votes)?;
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

/// The draws of every task of a store.
fn draws(outline: &Outline) -> HashMap<(Cell, String), BTreeSet<u32>> {
    let tasks = outline.cells.iter().flat_map(|(cell, tasks)| {
        tasks.clone().map(move |task| {
            let draws = outline.rows(task).map(|row| outline.draw[row]).collect();
            ((cell.clone(), outline.tasks.get(task).to_owned()), draws)
        })
    });
    tasks.collect()
}

/// What the files hold, checked against the store.
#[derive(Default)]
struct VerdictFiles {
    /// The draws of every task of the store.
    draws: HashMap<(Cell, String), BTreeSet<u32>>,
    verdicts: BTreeMap<Key, Judgment>,
    /// Votes, and whether the file gives their time.
    votes: Vec<(Vote, bool)>,
}

impl VerdictFiles {
    fn read(&mut self, path: &Path) -> Result<(), ImportError> {
        let failed = |problem: String| ReadError::new(path, problem, "mend the file");
        let bytes = fs::read(path).map_err(|error| failed(format!("cannot be read ({error})")))?;
        let mut reader = reader(&bytes);
        let broken = |error: &csv::Error| failed(format!("is no CSV ({error})"));
        let header = reader.headers().map_err(|error| broken(&error))?.clone();
        has_all(&header).map_err(|name| failed(format!("has no column `{name}`")))?;
        for record in reader.records() {
            let record = record.map_err(|error| broken(&error))?;
            let number = record.position().map_or(0, csv::Position::line);
            let line = Line { header: &header, record: &record };
            self.add(&line).map_err(|(problem, remedy)| {
                ReadError::new(path, problem, remedy).at(format!("line {number}"))
            })?;
        }
        Ok(())
    }

    fn add(&mut self, line: &Line<'_>) -> Result<(), Problem> {
        let judgment = line.judgment()?;
        let Judgment { cell, task, draw_a, draw_b, .. } = &judgment;
        let subject = format!("{cell}, task {task}");
        let remedy = "import the results first, or mend the names";
        let known = self.draws.get(&(cell.clone(), task.clone()));
        let known = known.ok_or((format!("{subject}: there is no such task"), remedy))?;
        if let Some(draw) = [draw_a, draw_b].into_iter().find(|draw| !known.contains(draw)) {
            return Err((format!("{subject}: there is no draw {draw}"), remedy));
        }
        if draw_a == draw_b {
            return Err((format!("{subject}: a draw is no pair"), "name two draws"));
        }
        if is_human(&judgment.judge) {
            self.votes.push(line.vote(judgment)?);
            return Ok(());
        }
        let again = format!("{subject}: {} judges the pair twice", judgment.judge);
        match self.verdicts.insert(key(&judgment), judgment) {
            Some(_) => Err((again, "keep one of the lines")),
            None => Ok(()),
        }
    }
}

/// What is wrong with a line, and what to do.
type Problem = (String, &'static str);

/// A line of a file, with the names of its columns.
struct Line<'r> {
    header: &'r csv::StringRecord,
    record: &'r csv::StringRecord,
}

impl Line<'_> {
    /// A field; none when it is empty or there is no such column.
    fn get(&self, name: &str) -> Option<&str> {
        let column = self.header.iter().position(|column| column == name)?;
        self.record.get(column).map(str::trim).filter(|field| !field.is_empty())
    }

    fn need(&self, name: &str) -> Result<String, Problem> {
        self.get(name).map(str::to_owned).ok_or((format!("`{name}` is empty"), "fill it in"))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Problem> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let wrong = || (format!("`{name}` is `{text}`, which is no such number"), "mend it");
        text.parse().map(Some).map_err(|_| wrong())
    }

    fn judgment(&self) -> Result<Judgment, Problem> {
        let condition = self.get("condition").unwrap_or(Cell::DEFAULT_CONDITION).to_owned();
        let (dataset, model) = (self.need("dataset")?, self.need("model")?);
        let confidence: Option<f64> = self.number("confidence")?;
        if let Some(wrong) = confidence.filter(|value| !(0.0..=1.0).contains(value)) {
            return Err((format!("`confidence` is {wrong}"), "give it from 0 to 1"));
        }
        let draw_a: u32 = self.number("draw_a")?.unwrap_or(0);
        let draw_b =
            self.number("draw_b")?.ok_or(("`draw_b` is empty".to_owned(), "fill it in"))?;
        let judge = self.need("judge")?;
        if judge == "database" || judge.contains('>') {
            let why = format!("`{judge}` cannot be a judge's name: it means something else");
            return Err((why, "name the judge otherwise"));
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
        };
        Ok((vote, time.is_some()))
    }
}
