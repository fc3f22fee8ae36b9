//! Verdicts from a CSV file into a store: those of models into the table `judgments`, those of people
//! into the votes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use super::{ImportError, seconds_now};
use crate::model::{Cell, HUMAN, Judgment, author_of, is_human};
use crate::readers::ReadError;
use crate::store::{Amendment, Outline, Ruling, Store, Vote, votes};

/// Columns that a file of verdicts has.
const NEEDED: [&str; 6] = ["dataset", "model", "task", "draw_b", "judge", "equivalent"];

/// What came in.
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

/// Whether a file is one of verdicts: a CSV by its name, or by its header. No results come as CSV.
pub fn is_verdicts(path: &Path) -> bool {
    if path.extension().is_some_and(|own| own.eq_ignore_ascii_case("csv")) && path.is_file() {
        return true;
    }
    let Ok(file) = File::open(path) else { return false };
    let mut first = Vec::new();
    let read = BufReader::new(std::io::Read::take(file, 4096)).read_until(b'\n', &mut first);
    read.is_ok() && reader(&first).headers().is_ok_and(|header| has_all(header).is_ok())
}

fn reader(bytes: &[u8]) -> csv::Reader<&[u8]> {
    let bytes = bytes.strip_prefix(crate::readers::UTF8_BOM).unwrap_or(bytes);
    csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(bytes)
}

/// The name of the first column that is needed and not there.
fn has_all(header: &csv::StringRecord) -> Result<(), &'static str> {
    let lacking = NEEDED.into_iter().find(|name| header.iter().all(|own| own != *name));
    lacking.map_or(Ok(()), Err)
}

/// Brings the verdicts of files into a store. A verdict replaces an older one of the same judge on
/// the same pair. All come in or, when one is wrong, none.
pub fn import_verdicts(paths: &[PathBuf], store: &Path) -> Result<VerdictSummary, ImportError> {
    let mut amendment = Amendment::begin(store)?;
    let outline = amendment.store().outline()?;
    let mut told = Told { draws: draws(&outline), ..Told::default() };
    for path in paths {
        told.read(path)?;
    }
    let Told { verdicts, votes: given, .. } = told;
    let mut summary = VerdictSummary::default();
    let mut kept = amendment.store().judgments()?;
    let before = kept.len();
    kept.retain(|own| !verdicts.contains_key(&key(own)));
    summary.replaced = before - kept.len();
    for own in verdicts.values() {
        *summary.judges.entry(own.judge.clone()).or_default() += 1;
    }
    let new_votes = unknown(given, amendment.store(), &mut summary)?;
    if verdicts.is_empty() {
        drop(amendment);
    } else {
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
    let there: HashSet<Vote> = store.votes()?.into_iter().collect();
    // Without a time of its own a vote says nothing new where the same stands already.
    let untimed: HashSet<Vote> = there.iter().map(|own| Vote { time: 0, ..own.clone() }).collect();
    let mut new = Vec::new();
    for (vote, timed) in given {
        let known = if timed {
            there.contains(&vote)
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

/// Who said something about what.
type Key = (Cell, String, u32, u32, String);

fn key(own: &Judgment) -> Key {
    (own.cell.clone(), own.task.clone(), own.draw_a, own.draw_b, own.judge.clone())
}

fn draws(outline: &Outline) -> HashMap<(Cell, String), BTreeSet<u32>> {
    let tasks = outline.cells.iter().flat_map(|(cell, tasks)| {
        tasks.clone().map(move |task| {
            let draws = outline.rows(task).map(|row| outline.draw[row]).collect();
            ((cell.clone(), outline.tasks.get(task).to_owned()), draws)
        })
    });
    tasks.collect()
}

/// What files say.
#[derive(Default)]
struct Told {
    /// The draws of every task of the store.
    draws: HashMap<(Cell, String), BTreeSet<u32>>,
    verdicts: BTreeMap<Key, Judgment>,
    /// Votes, and whether the file gives their time.
    votes: Vec<(Vote, bool)>,
}

impl Told {
    fn read(&mut self, path: &Path) -> Result<(), ImportError> {
        let failed = |problem: String| ReadError::new(path, problem, "mend the file");
        let bytes = fs::read(path).map_err(|error| failed(format!("cannot be read ({error})")))?;
        let mut reader = reader(&bytes);
        let broken = |error: &csv::Error| failed(format!("is no CSV ({error})"));
        let header = reader.headers().map_err(|error| broken(&error))?.clone();
        has_all(&header).map_err(|name| failed(format!("has no column `{name}`")))?;
        for record in reader.records() {
            let record = record.map_err(|error| broken(&error))?;
            let line = record.position().map_or(0, csv::Position::line);
            let row = Row { header: &header, record: &record };
            self.add(&row).map_err(|(problem, remedy)| {
                ReadError::new(path, problem, remedy).at(format!("line {line}"))
            })?;
        }
        Ok(())
    }

    fn add(&mut self, row: &Row<'_>) -> Result<(), Problem> {
        let own = row.judgment()?;
        let place = format!("{}, task {}", own.cell, own.task);
        let remedy = "import the results first, or mend the names";
        let known = self.draws.get(&(own.cell.clone(), own.task.clone()));
        let known = known.ok_or((format!("{place}: there is no such task"), remedy))?;
        if let Some(draw) = [own.draw_a, own.draw_b].iter().find(|draw| !known.contains(draw)) {
            return Err((format!("{place}: there is no draw {draw}"), remedy));
        }
        if own.draw_a == own.draw_b {
            return Err((format!("{place}: a draw is no pair"), "name two draws"));
        }
        if is_human(&own.judge) {
            self.votes.push(row.vote(own)?);
            return Ok(());
        }
        let again = format!("{place}: {} judges the pair twice", own.judge);
        match self.verdicts.insert(key(&own), own) {
            Some(_) => Err((again, "keep one of the lines")),
            None => Ok(()),
        }
    }
}

/// What is wrong with a line, and what to do.
type Problem = (String, &'static str);

/// A line under its header.
struct Row<'r> {
    header: &'r csv::StringRecord,
    record: &'r csv::StringRecord,
}

impl Row<'_> {
    /// A field; none when it is empty or there is no such column.
    fn get(&self, name: &str) -> Option<&str> {
        let place = self.header.iter().position(|own| own == name)?;
        self.record.get(place).map(str::trim).filter(|own| !own.is_empty())
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
        if let Some(wrong) = confidence.filter(|own| !(0.0..=1.0).contains(own)) {
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
    fn vote(&self, own: Judgment) -> Result<(Vote, bool), Problem> {
        let author = author_of(&own.judge).or(self.get("author"));
        let author = author.ok_or((
            format!("a verdict of `{HUMAN}` without an author"),
            "add a column `author`, or give the judge another name",
        ))?;
        let verdict = match own.equivalent {
            Some(true) => Ruling::Equivalent,
            Some(false) => Ruling::Different,
            None => Ruling::Unsure,
        };
        let time: Option<u64> = self.number("time")?;
        let vote = Vote {
            time: time.unwrap_or_else(seconds_now),
            author: author.to_owned(),
            cell: own.cell,
            task: own.task,
            draw_a: own.draw_a,
            draw_b: own.draw_b,
            verdict,
            note: self.get("note").map(str::to_owned),
        };
        Ok((vote, time.is_some()))
    }
}
