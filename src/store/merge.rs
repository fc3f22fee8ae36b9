//! Merges the notes, votes and labels of several copies of a store into one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::annotations::{self, Annotation, Known, Line, Reading, Remark};
use super::{DamagedLine, Store, StoreError, Vote};
use crate::model::Cell;

/// How a merge decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeOptions {
    /// Where an author voted differently in two stores, the newer vote counts; by default the one of
    /// the store that gets the others stays.
    pub newest: bool,
}

/// A line about a task that the store does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTask {
    /// The file of the line.
    pub path: PathBuf,
    /// The number of the line.
    pub line: usize,
    /// The cell it is about.
    pub cell: Cell,
    /// The task.
    pub task: String,
}

/// Two votes of one author on one pair that contradict each other. Neither store knew the other's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The vote of the store that gets the others.
    pub present: Vote,
    /// The other vote.
    pub other: Vote,
    /// The file of the other vote.
    pub path: PathBuf,
}

/// What became of the lines that one author wrote in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Lines that were added.
    pub new: usize,
    /// Lines that were added and take something back.
    pub withdrawn: usize,
    /// Lines that the store had already.
    pub known: usize,
    /// Pairs on which the author voted otherwise in the store.
    pub conflicts: usize,
    /// Lines about tasks that the store does not have.
    pub unknown_tasks: usize,
}

/// The result of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Lines that were added.
    pub added: usize,
    /// Lines that the store had already.
    pub known: usize,
    /// What was taken from which file, by author.
    pub taken: BTreeMap<(PathBuf, String), Taken>,
    /// Lines that were left out because the store has no such task.
    pub unknown_tasks: Vec<UnknownTask>,
    /// Votes that contradict each other.
    pub conflicts: Vec<Conflict>,
    /// Lines of all stores that cannot be read.
    pub damaged: Vec<DamagedLine>,
}

impl Merged {
    /// What became of the lines of an author in a file.
    fn of(&mut self, path: &Path, author: &str) -> &mut Taken {
        self.taken.entry((path.to_owned(), author.to_owned())).or_default()
    }
}

/// Adds to a store the notes, votes and labels of others that it lacks, in one step, so that a merge that was
/// killed can be run again. The other stores do not change.
pub fn merge(into: &Path, others: &[Store], options: MergeOptions) -> Result<Merged, StoreError> {
    let store = Store::open(into)?;
    let mut merged = Merged::default();
    annotations::append_new(&store.log(), |path| {
        let mut target = Target::read(&store, path, options, &mut merged)?;
        for other in others {
            target.take(other, &mut merged)?;
        }
        Ok(target.text)
    })?;
    Ok(merged)
}

/// What tells a line from others: the id of a note or vote, or the bytes of another line.
type LineKey = Result<String, Vec<u8>>;

fn key(annotation: &Annotation, bytes: &[u8]) -> LineKey {
    annotation.id().ok_or_else(|| bytes.to_vec())
}

/// The author and the pair of a vote, and whether it is an adjudication.
type VoteKey = (String, Cell, String, u32, u32, bool);

fn vote_key(vote: &Vote) -> VoteKey {
    let (author, cell, task) = (vote.author.clone(), vote.cell.clone(), vote.task.clone());
    (author, cell, task, vote.draw_a, vote.draw_b, vote.is_adjudication())
}

/// The store that gets the lines of others.
struct Target<'s> {
    store: &'s Store,
    options: MergeOptions,
    lines: Vec<Annotation>,
    known: HashSet<LineKey>,
    text: Vec<u8>,
}

/// A line of another store, with its runs.
struct Offered {
    number: usize,
    bytes: Vec<u8>,
    key: LineKey,
    annotation: Annotation,
}

impl<'s> Target<'s> {
    fn read(
        store: &'s Store,
        path: &Path,
        options: MergeOptions,
        merged: &mut Merged,
    ) -> Result<Self, StoreError> {
        let (mut lines, mut known) = (Vec::new(), HashSet::new());
        for line in annotations::read(path)? {
            let Some((bytes, annotation)) = readable(path, line, merged) else { continue };
            known.insert(key(&annotation, &bytes.1));
            lines.push(annotation);
        }
        Ok(Self { store, options, lines, known, text: Vec::new() })
    }

    /// Adds the lines of another store.
    fn take(&mut self, other: &Store, merged: &mut Merged) -> Result<(), StoreError> {
        let path = other.log().path();
        let offered = offered(other, &path, merged)?;
        let left_out = self.conflicts(&offered, &path, merged)?;
        let new: Vec<Annotation> = offered.iter().map(|line| line.annotation.clone()).collect();
        let here = Reading::new(self.store, new.iter())?;
        for line in offered {
            let Offered { number, bytes, key, annotation } = line;
            // Lines without an author only belong to others.
            let mut unnamed = Taken::default();
            let of_author = match annotation.author() {
                Some(author) => merged.of(&path, author),
                None => &mut unnamed,
            };
            if let Some((cell, task)) = annotation.subject().filter(|_| !here.has_task(&annotation))
            {
                let (path, cell, task) = (path.clone(), cell.clone(), task.to_owned());
                of_author.unknown_tasks += 1;
                merged.unknown_tasks.push(UnknownTask { path, line: number, cell, task });
            } else if self.known.contains(&key) {
                of_author.known += 1;
                merged.known += 1;
            } else if !left_out.contains(&key) {
                self.text.extend_from_slice(&bytes);
                self.text.push(b'\n');
                if annotation.is_withdrawal() {
                    of_author.withdrawn += 1;
                } else {
                    of_author.new += 1;
                }
                merged.added += 1;
                self.known.insert(key);
                self.lines.push(annotation);
            }
        }
        Ok(())
    }

    /// Finds the votes that contradict one of the same author here, and returns the lines to leave out.
    fn conflicts(
        &self,
        offered: &[Offered],
        path: &Path,
        merged: &mut Merged,
    ) -> Result<HashSet<LineKey>, StoreError> {
        let theirs = offered.iter().map(|line| &line.annotation);
        let reading = Reading::new(self.store, self.lines.iter().chain(theirs.clone()))?;
        let (present, others) = (latest(&reading, self.lines.iter()), latest(&reading, theirs));
        let offered_keys: HashSet<&LineKey> = offered.iter().map(|line| &line.key).collect();
        let mut pairs = HashSet::new();
        for (pair, (vote, id)) in &present {
            let Some((other, other_id)) = others.get(pair) else { continue };
            // Who has both votes has the order in which they were given.
            let is_history = offered_keys.contains(&Ok(id.clone()))
                || self.known.contains(&Ok(other_id.clone()));
            if vote.verdict != other.verdict && !is_history {
                merged.of(path, &vote.author).conflicts += 1;
                let (present, other, path) = (vote.clone(), other.clone(), path.to_owned());
                merged.conflicts.push(Conflict { present, other, path });
                pairs.insert(pair.clone());
            }
        }
        merged.conflicts.sort_by_cached_key(|conflict| vote_key(&conflict.present));
        if self.options.newest {
            return Ok(HashSet::new());
        }
        let contradicts = |line: &&Offered| match reading.find(&line.annotation) {
            Known::Vote(vote) => pairs.contains(&vote_key(&vote)),
            _ => false,
        };
        Ok(offered.iter().filter(contradicts).map(|line| line.key.clone()).collect())
    }
}

/// The last vote of every author on every pair, a withdrawal included, with its id.
fn latest<'l>(
    reading: &Reading<'_>,
    lines: impl Iterator<Item = &'l Annotation>,
) -> HashMap<VoteKey, (Vote, String)> {
    let mut latest: HashMap<VoteKey, (Vote, String)> = HashMap::new();
    for line in lines {
        let (Known::Vote(vote), Some(id)) = (reading.find(line), line.id()) else { continue };
        let key = vote_key(&vote);
        if latest.get(&key).is_none_or(|(known, _)| vote.time >= known.time) {
            latest.insert(key, (vote, id));
        }
    }
    latest
}

/// The content of a line and its bytes; a damaged one is recorded.
fn readable(
    path: &Path,
    line: Line,
    merged: &mut Merged,
) -> Option<((usize, Vec<u8>), Annotation)> {
    match line.annotation {
        Ok(annotation) => Some(((line.number, line.bytes), annotation)),
        Err(why) => {
            merged.damaged.push(DamagedLine { path: path.to_owned(), line: line.number, why });
            None
        }
    }
}

/// The lines of a store for another one: each names its runs, since draws may be numbered otherwise.
fn offered(other: &Store, path: &Path, merged: &mut Merged) -> Result<Vec<Offered>, StoreError> {
    let lines = annotations::read(path)?.into_iter();
    let lines: Vec<_> = lines.filter_map(|line| readable(path, line, merged)).collect();
    let reading = Reading::with_text(other, lines.iter().map(|(_, annotation)| annotation))?;
    let is_shared = other.log().is_shared();
    let is_here = |line: &Annotation| {
        reading.is_ended(line)
            || matches!(reading.find(line), Known::Note(_) | Known::Vote(_) | Known::Label(_))
    };
    let ids: HashSet<String> = if is_shared {
        let here = lines.iter().map(|(_, line)| line).filter(|line| is_here(line));
        here.filter_map(Annotation::id).collect()
    } else {
        HashSet::new()
    };
    // A file that stores share has lines about other stores, too.
    let belongs = |line: &Annotation| match line {
        _ if !is_shared => true,
        Annotation::Remark(Remark::Binding { of, .. } | Remark::Withdrawal { of, .. }) => {
            ids.contains(of)
        }
        line => line.id().is_some_and(|id| ids.contains(&id)),
    };
    let offered = lines.iter().filter(|(_, line)| belongs(line)).map(|((number, bytes), line)| {
        let (number, key) = (*number, key(line, bytes));
        let Some(annotation) = reading.bound(line) else {
            // As it is: a newer version may have written more than is known here.
            return Ok(Offered { number, bytes: bytes.clone(), key, annotation: line.clone() });
        };
        Ok(Offered { number, bytes: annotations::json(&annotation, path)?, key, annotation })
    });
    offered.collect()
}
