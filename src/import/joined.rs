//! Files whose runs are draws of one cell: which is which, and what speaks against taking them together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::Path;

use super::stream::Read;
use crate::model::{Cell, Fingerprint, TaskText};
use crate::readers::{Claimed, ConditionFrom, TEMPERATURE};
use crate::store::{Entry, ImportedFile};

/// Files, tasks or values that a sentence names at most.
const MOST_NAMED: usize = 5;

/// A cell that runs of several files are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The cell.
    pub cell: Cell,
    /// The files in the order of their draws, by short names, with the numbers of their draws.
    pub files: Vec<(String, BTreeSet<u32>)>,
    /// What speaks against taking the files together.
    pub doubts: Vec<Doubt>,
    /// What keeps the files apart.
    pub remedy: ConditionFrom,
}

/// Why runs of several files may not be draws of one policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Several files have runs of the same trials.
    Trials(Vec<String>),
    /// A setting differs: its name, and its values with a file of each; the value of a long text is none.
    Setting(String, Vec<(Option<String>, String)>),
    /// Tasks are defined otherwise in a file than in another, or than in the store.
    Definitions {
        /// The tasks.
        tasks: Vec<String>,
        /// The files that define them; none for what the store held before.
        files: (Option<String>, String),
    },
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trials(files) => {
                write!(f, "the same trials are in {}; they became further draws", some(files))
            }
            Self::Setting(name, values) => {
                let words = values.iter().map(|(value, file)| match value {
                    Some(value) => format!("{value} in {file}"),
                    None => format!("in {file}"),
                });
                write!(f, "{name} differs: {}", some(&words.collect::<Vec<_>>()))
            }
            Self::Definitions { tasks, files: (first, second) } => {
                let (noun, are) = if tasks.len() == 1 { ("task", "is") } else { ("tasks", "are") };
                let first = first.as_deref().unwrap_or("the store");
                let tasks = some(tasks);
                write!(f, "{noun} {tasks} {are} defined differently in {second} and in {first}")
            }
        }
    }
}

impl fmt::Display for Joined {
    /// The files with their draws: `draws: run1.json 0, run2.json 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.files.iter().map(|(name, draws)| format!("{name} {}", ranges(draws)));
        write!(f, "{}: draws: {}", self.cell, some(&files.collect::<Vec<_>>()))
    }
}

/// The first of some words, and how many more there are.
fn some<S: AsRef<str>>(words: &[S]) -> String {
    let named: Vec<&str> = words.iter().take(MOST_NAMED).map(AsRef::as_ref).collect();
    match words.len().checked_sub(MOST_NAMED) {
        Some(more @ 1..) => format!("{} and {more} more", named.join(", ")),
        _ => named.join(", "),
    }
}

/// Numbers in few words: `0–3, 5`.
fn ranges(numbers: &BTreeSet<u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => ranges.push((number, number)),
        }
    }
    let words = ranges.into_iter().map(|(start, end)| match end - start {
        0 => start.to_string(),
        _ => format!("{start}–{end}"),
    });
    some(&words.collect::<Vec<_>>())
}

/// What defines the tasks of the inputs and of the older store.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// By file, dataset and task: the fingerprint of all that defines it, if the reader gives one, and
    /// that of what it asks.
    inputs: HashMap<(String, String, String), (Option<u64>, u64)>,
    /// Of the older store: that of what a task asks.
    store: HashMap<(String, String), u64>,
}

impl Definitions {
    pub(super) fn new(inputs: &[Claimed], read: &Read, older: &[TaskText]) -> Self {
        let mut definitions = Self::default();
        for (input, text) in &read.tasks {
            let source = inputs[*input].claim.source().to_owned();
            let whole = read.notes[*input].definitions.get(&text.task).copied();
            let key = (source, text.dataset.clone(), text.task.clone());
            definitions.inputs.insert(key, (whole, words(text)));
        }
        let older =
            older.iter().map(|text| ((text.dataset.clone(), text.task.clone()), words(text)));
        definitions.store = older.collect();
        definitions
    }

    fn of(&self, source: &str, cell: &Cell, task: &str) -> Option<(Option<u64>, u64)> {
        let key = (source.to_owned(), cell.dataset.clone(), task.to_owned());
        self.inputs.get(&key).copied()
    }
}

fn words(text: &TaskText) -> u64 {
    let mut print = Fingerprint::default();
    print.add_text(&text.instruction);
    print.value()
}

/// Whether two definitions are the same, by all that both say.
fn same(a: (Option<u64>, u64), b: (Option<u64>, u64)) -> bool {
    match (a.0, b.0) {
        (Some(a), Some(b)) => a == b,
        _ => a.1 == b.1,
    }
}

/// The cells that runs of these inputs came into and that have runs of several files.
pub(super) fn joined(
    entries: &[Entry],
    added: usize,
    sources: &[ImportedFile],
    definitions: &Definitions,
) -> Vec<Joined> {
    let touched: BTreeSet<&Cell> = entries[..added].iter().map(|entry| &entry.head.cell).collect();
    let new: BTreeSet<&str> =
        entries[..added].iter().map(|entry| entry.head.origin.source.as_str()).collect();
    let mut cells: BTreeMap<&Cell, Vec<&Entry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| touched.contains(&entry.head.cell)) {
        cells.entry(&entry.head.cell).or_default().push(entry);
    }
    let of_cell = |(cell, runs): (&Cell, Vec<&Entry>)| {
        let files = Files::new(&runs, sources, &new);
        (files.sources.len() > 1).then(|| Joined {
            cell: cell.clone(),
            files: files.draws(&runs),
            doubts: files.doubts(cell, &runs, definitions),
            remedy: files.remedy(),
        })
    };
    cells.into_iter().filter_map(of_cell).collect()
}

/// The files of one cell.
struct Files<'a> {
    /// In the order of their import.
    sources: Vec<&'a ImportedFile>,
    /// Their names, as short as tells them apart.
    names: Vec<String>,
    indices: HashMap<&'a str, usize>,
    /// Those of this import.
    new: &'a BTreeSet<&'a str>,
}

impl<'a> Files<'a> {
    fn new(runs: &[&'a Entry], sources: &'a [ImportedFile], new: &'a BTreeSet<&'a str>) -> Self {
        let used: BTreeSet<&str> = runs.iter().map(|run| run.head.origin.source.as_str()).collect();
        let sources: Vec<&ImportedFile> =
            sources.iter().filter(|source| used.contains(source.path.as_str())).collect();
        let names = short_names(&sources);
        let indices = sources.iter().map(|source| source.path.as_str()).zip(0..).collect();
        Self { sources, names, indices, new }
    }

    fn index(&self, source: &str) -> Option<usize> {
        self.indices.get(source).copied()
    }

    /// The numbers of every file's draws, in the order of the lowest.
    fn draws(&self, runs: &[&Entry]) -> Vec<(String, BTreeSet<u32>)> {
        let mut draws = vec![BTreeSet::new(); self.sources.len()];
        for run in runs {
            if let Some(index) = self.index(&run.head.origin.source) {
                draws[index].insert(run.head.draw);
            }
        }
        let mut files: Vec<_> = self.names.iter().cloned().zip(draws).collect();
        files.sort_by_key(|(_, draws)| draws.first().copied());
        files
    }

    /// Files of the same name lie in different folders, which then name conditions.
    fn remedy(&self) -> ConditionFrom {
        let file =
            |source: &ImportedFile| Path::new(&source.path).file_name().map(ToOwned::to_owned);
        let distinct: BTreeSet<_> = self.sources.iter().map(|source| file(source)).collect();
        if distinct.len() < self.sources.len() {
            ConditionFrom::Folder
        } else {
            ConditionFrom::File
        }
    }

    fn doubts(&self, cell: &Cell, runs: &[&Entry], definitions: &Definitions) -> Vec<Doubt> {
        let mut doubts: Vec<Doubt> = self.settings();
        doubts.extend(self.definitions(cell, runs, definitions));
        doubts.extend(self.trials(runs));
        doubts
    }

    /// The settings that differ, of those that files name.
    fn settings(&self) -> Vec<Doubt> {
        let mut values: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for (index, source) in self.sources.iter().enumerate() {
            for (name, value) in &source.settings {
                // Greedy runs are the references of sampled ones.
                if name == TEMPERATURE && value == "0" {
                    continue;
                }
                values.entry(name).or_default().entry(value).or_insert(index);
            }
        }
        let differing = values.into_iter().filter(|(_, values)| values.len() > 1);
        let doubt = |(name, values): (&str, BTreeMap<&str, usize>)| {
            let is_print = |value: &str| {
                value.len() == 16 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
            };
            let shown = |(value, index): (&str, usize)| {
                let value = (!is_print(value)).then(|| value.to_owned());
                (value, self.names[index].clone())
            };
            Doubt::Setting(name.to_owned(), values.into_iter().map(shown).collect())
        };
        differing.map(doubt).collect()
    }

    /// The files whose runs have trial numbers that runs of other files have, too. Greedy and sampled runs
    /// may share them.
    fn trials(&self, runs: &[&Entry]) -> Option<Doubt> {
        let mut holders: HashMap<(&str, i64, bool), BTreeSet<&str>> = HashMap::new();
        for run in runs {
            let head = &run.head;
            let Some(trial) = head.origin.trial else { continue };
            let is_greedy = head.temperature == Some(0.0);
            let holders = holders.entry((&head.task, trial, is_greedy)).or_default();
            holders.insert(&head.origin.source);
        }
        let shared = holders.values().filter(|holders| holders.len() > 1).flatten();
        let files: BTreeSet<usize> = shared.filter_map(|source| self.index(source)).collect();
        let names: Vec<String> = files.into_iter().map(|index| self.names[index].clone()).collect();
        (!names.is_empty()).then_some(Doubt::Trials(names))
    }

    /// The tasks that a file of this import defines otherwise than the first file, or than the store.
    fn definitions(&self, cell: &Cell, runs: &[&Entry], known: &Definitions) -> Vec<Doubt> {
        let mut by_task: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for run in runs {
            let index = self.index(&run.head.origin.source);
            by_task.entry(&run.head.task).or_default().extend(index);
        }
        let mut differing: BTreeMap<(Option<usize>, usize), Vec<String>> = BTreeMap::new();
        for (task, files) in by_task {
            let is_old = |index: &usize| !self.new.contains(self.sources[*index].path.as_str());
            let stored = known.store.get(&(cell.dataset.clone(), task.to_owned()));
            let stored =
                stored.filter(|_| files.iter().any(is_old)).map(|words| (None, (None, *words)));
            let defined = files.iter().filter_map(|index| {
                let definition = known.of(&self.sources[*index].path, cell, task)?;
                Some((Some(*index), definition))
            });
            let mut defined = stored.into_iter().chain(defined);
            let Some((first, definition)) = defined.next() else { continue };
            for (index, other) in defined {
                if let Some(index) = index.filter(|_| !same(definition, other)) {
                    differing.entry((first, index)).or_default().push(task.to_owned());
                }
            }
        }
        let name = |index: usize| self.names[index].clone();
        let doubt = |((first, second), mut tasks): ((Option<usize>, usize), Vec<String>)| {
            tasks.sort_by(|a, b| crate::model::natural_order(a, b));
            Doubt::Definitions { tasks, files: (first.map(name), name(second)) }
        };
        differing.into_iter().map(doubt).collect()
    }
}

/// The names of files, with as many of their folders as tell them apart.
fn short_names(sources: &[&ImportedFile]) -> Vec<String> {
    let tail = |source: &ImportedFile, parts: usize| {
        let path = Path::new(&source.path);
        let names: Vec<_> =
            path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        names[names.len().saturating_sub(parts)..].join("/")
    };
    let deepest = sources.iter().map(|source| Path::new(&source.path).components().count()).max();
    for parts in 1..deepest.unwrap_or(1) {
        let names: Vec<String> = sources.iter().map(|source| tail(source, parts)).collect();
        if names.iter().collect::<BTreeSet<_>>().len() == names.len() {
            return names;
        }
    }
    sources.iter().map(|source| source.path.clone()).collect()
}
