//! Merges the notes, votes and labels of several copies of a store into one.

mod statement;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::annotations::{self, Annotation, Known, Line, Reading, Remark};
use super::{DamagedLine, NamedTasks, StepLabel, Store, StoreError, Vote};
use crate::model::Cell;
use statement::{Statement, latest};

/// How a merge decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeOptions {
    /// Where an author voted or marked differently in two stores, the newer counts; by default that of
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

/// Two votes of one author on one pair that contradict each other, or two labels on one run. Neither store
/// knew the other's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict<T = Vote> {
    /// That of the store that gets the others.
    pub present: T,
    /// The other.
    pub other: T,
    /// The file of the other.
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
    /// Pairs on which the author voted otherwise in the store, and runs with another label.
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
    /// Labels that contradict each other.
    pub label_conflicts: Vec<Conflict<StepLabel>>,
    /// Selections and scopes with a name that were added.
    pub named: usize,
    /// Those that the store has under the same name with another expression, which stays: the one of the
    /// store, and the other.
    pub named_conflicts: Vec<(NamedTasks, NamedTasks)>,
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
/// killed can be run again; then the selections with names. The other stores do not change.
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
    for other in others {
        take_named(&store, other, &mut merged)?;
    }
    Ok(merged)
}

/// Adds the selections and scopes that another store keeps under names that this one does not have.
fn take_named(store: &Store, other: &Store, merged: &mut Merged) -> Result<(), StoreError> {
    let present = store.named_tasks()?;
    let mut new = Vec::new();
    for (named, about) in other.named_lines()? {
        let is_alike = |known: &&NamedTasks| known.kind == named.kind && known.name == named.name;
        match present.iter().find(is_alike) {
            None => new.push((named, about)),
            Some(known) if known.expression != named.expression => {
                merged.named_conflicts.push((known.clone(), named));
            }
            Some(_) => {}
        }
    }
    merged.named += new.len();
    store.keep_all_named(&new)
}

/// What tells a line from others: the id of a note or vote, or the bytes of another line.
type LineKey = Result<String, Vec<u8>>;

fn key(annotation: &Annotation, bytes: &[u8]) -> LineKey {
    annotation.id().ok_or_else(|| bytes.to_vec())
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

    /// Finds the votes and labels that contradict one of the same author here, and returns the lines to
    /// leave out.
    fn conflicts(
        &self,
        offered: &[Offered],
        path: &Path,
        merged: &mut Merged,
    ) -> Result<HashSet<LineKey>, StoreError> {
        let theirs = offered.iter().map(|line| &line.annotation);
        let reading = Reading::new(self.store, self.lines.iter().chain(theirs))?;
        let votes: Vec<Conflict<Vote>> = self.contradicted(offered, &reading, path);
        let labels: Vec<Conflict<StepLabel>> = self.contradicted(offered, &reading, path);
        let of_votes = votes.iter().map(|conflict| &conflict.present.author);
        let of_labels = labels.iter().map(|conflict| &conflict.present.author);
        of_votes.chain(of_labels).for_each(|author| merged.of(path, author).conflicts += 1);
        let voted: HashSet<_> = votes.iter().map(|conflict| conflict.present.subject()).collect();
        let marked: HashSet<_> = labels.iter().map(|conflict| conflict.present.subject()).collect();
        merged.conflicts.extend(votes);
        merged.conflicts.sort_by_cached_key(|conflict| conflict.present.subject());
        merged.label_conflicts.extend(labels);
        merged.label_conflicts.sort_by_cached_key(|conflict| conflict.present.subject());
        if self.options.newest {
            return Ok(HashSet::new());
        }
        let contradicts = |line: &&Offered| match reading.find(&line.annotation) {
            Known::Vote(vote) => voted.contains(&vote.subject()),
            Known::Label(label) => marked.contains(&label.subject()),
            _ => false,
        };
        Ok(offered.iter().filter(contradicts).map(|line| line.key.clone()).collect())
    }

    /// What contradicts one of the same author here.
    fn contradicted<S: Statement>(
        &self,
        offered: &[Offered],
        reading: &Reading<'_>,
        path: &Path,
    ) -> Vec<Conflict<S>> {
        let theirs = offered.iter().map(|line| &line.annotation);
        let present = latest::<S>(reading, self.lines.iter());
        let mut others = latest::<S>(reading, theirs);
        let offered_keys: HashSet<&LineKey> = offered.iter().map(|line| &line.key).collect();
        let mut conflicts = Vec::new();
        for (subject, (present, id)) in present {
            let Some((other, other_id)) = others.remove(&subject) else { continue };
            // Who has both has the order in which they were given.
            let is_history = offered_keys.contains(&Ok(id)) || self.known.contains(&Ok(other_id));
            if !present.says_the_same(&other) && !is_history {
                conflicts.push(Conflict { present, other, path: path.to_owned() });
            }
        }
        conflicts
    }
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
