//! Inputs of a cached store that look as they did when they were read: their runs come from the store.
//!
//! A run of such an input passes through an import as if it had been read, so that the store comes out as
//! if everything had been.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::Receiver;

use super::ImportOptions;
use super::stamp::input_stamp;
use super::stream::Read;
use crate::model::{Fingerprint, Head, Skip, TaskText, Trajectory};
use crate::readers::{Claimed, InputNotes};
use crate::store::{Entry, ImportedFile, Store, StoreError};

/// Runs that are read together.
const BATCH: usize = 100;

/// The inputs whose runs an older store holds as they are.
#[derive(Debug, Default)]
pub(super) struct Unchanged<'s> {
    store: Option<&'s Store>,
    /// By the number of the input.
    inputs: HashMap<usize, StoredInput<'s>>,
}

/// What a store holds of an input.
#[derive(Debug)]
pub(super) struct StoredInput<'s> {
    source: &'s ImportedFile,
    /// Its runs, in the order in which they were read.
    entries: Vec<Entry>,
}

impl<'s> Unchanged<'s> {
    /// The inputs that need not be read again; none where the store cannot be relied on.
    pub(super) fn of(
        store: Option<&'s Store>,
        inputs: &[Claimed],
        options: &ImportOptions,
    ) -> Self {
        let found = store.filter(|_| options.cached && options.labels.is_empty());
        found.and_then(|store| Self::in_store(store, inputs).ok()).unwrap_or_default()
    }

    fn in_store(store: &'s Store, inputs: &[Claimed]) -> Result<Self, StoreError> {
        let manifest = store.manifest();
        let copies = |source: &ImportedFile| {
            manifest.skipped.iter().any(|skip| skip.copy && skip.source == source.path)
        };
        let mut unchanged = Self { store: Some(store), inputs: HashMap::new() };
        // The scores of another span were computed later.
        if manifest.span.is_some() {
            return Ok(unchanged);
        }
        let by_path: HashMap<&str, &ImportedFile> =
            manifest.sources.iter().map(|source| (source.path.as_str(), source)).collect();
        for (index, input) in inputs.iter().enumerate() {
            let source = by_path.get(input.claim.source()).copied();
            // Which copy of a run counts depends on the other inputs.
            let source = source.filter(|source| {
                source.stamp.is_some()
                    && source.stamp == Some(input_stamp(input))
                    && !copies(source)
            });
            if let Some(source) = source {
                unchanged.inputs.insert(index, StoredInput { source, entries: Vec::new() });
            }
        }
        let is_there =
            |source: &ImportedFile| inputs.iter().any(|input| input.claim.source() == source.path);
        let gone = manifest.sources.iter().filter(|source| !is_there(source));
        // The texts of an input that is gone are among the others.
        if unchanged.inputs.is_empty() || gone.into_iter().any(|source| source.texts.is_some()) {
            return Ok(Self::default());
        }
        store.require_all_tables()?;
        store.require_sound_runs()?;
        unchanged.find_entries(inputs)?;
        Ok(unchanged)
    }

    fn find_entries(&mut self, inputs: &[Claimed]) -> Result<(), StoreError> {
        let Some(store) = self.store else { return Ok(()) };
        let index_of: HashMap<&str, usize> =
            self.inputs.keys().map(|index| (inputs[*index].claim.source(), *index)).collect();
        let mut entries = store.entries()?;
        entries.sort_by_key(|entry| entry.id);
        for entry in entries {
            let index = index_of.get(entry.head.origin.source.as_str());
            if let Some(input) = index.and_then(|index| self.inputs.get_mut(index)) {
                input.entries.push(entry);
            }
        }
        Ok(())
    }

    /// Whether an input is among them.
    pub(super) fn holds(&self, input: usize) -> bool {
        self.inputs.contains_key(&input)
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// What the store says of an input's file.
    pub(super) fn source(&self, input: usize) -> Option<&'s ImportedFile> {
        self.inputs.get(&input).map(|input| input.source)
    }

    /// What is known of an input.
    pub(super) fn notes(&self, input: usize) -> InputNotes {
        let source = self.source(input);
        InputNotes {
            unordered: source.is_some_and(|source| source.unordered),
            settings: source.map(|source| source.settings.clone()).unwrap_or_default(),
            ..InputNotes::default()
        }
    }

    /// Records of an input that left no run.
    pub(super) fn skipped(&self, input: usize) -> impl Iterator<Item = &'s Skip> {
        let known = self.store.into_iter().flat_map(|store| &store.manifest().skipped);
        let path = self.source(input).map(|source| source.path.as_str());
        known.filter(move |skip| path == Some(skip.source.as_str()))
    }

    /// Reads the runs of all these inputs, in the inputs' order, until nobody wants more. Those of many
    /// inputs are read together, since they share row groups.
    pub(super) fn read_runs(&self, send: &mut dyn FnMut(StoredBatch) -> bool) {
        let Some(store) = self.store else { return };
        let mut inputs: Vec<(&usize, &StoredInput<'_>)> = self.inputs.iter().collect();
        inputs.sort_by_key(|(index, _)| **index);
        let entries: Vec<&Entry> =
            inputs.into_iter().flat_map(|(_, input)| &input.entries).collect();
        for batch in entries.chunks(BATCH) {
            let batch: Vec<Entry> = batch.iter().map(|entry| (*entry).clone()).collect();
            if !send(read(store, &batch)) {
                break;
            }
        }
    }

    /// The runs of all these inputs, as they are read.
    pub(super) fn runs(&self, batches: Receiver<StoredBatch>) -> StoredRuns<'_> {
        StoredRuns { unchanged: self, batches, read: VecDeque::new() }
    }

    /// The texts of tasks that the store has; none where all inputs were read.
    pub(super) fn texts(&self) -> Result<Vec<TaskText>, StoreError> {
        match self.store.filter(|_| !self.is_empty()) {
            Some(store) => store.tasks(),
            None => Ok(Vec::new()),
        }
    }

    /// Whether the texts of the inputs that were read go over those of the store as they would if all
    /// inputs had been read: an input may add texts, and only the last may change any.
    pub(super) fn fits_texts(&self, read: &Read, inputs: &[Claimed]) -> Result<bool, StoreError> {
        let Some(store) = self.store.filter(|_| !self.is_empty()) else { return Ok(true) };
        let stored = self.texts()?;
        let key = |text: &'_ TaskText| (text.dataset.clone(), text.task.clone());
        let stored: HashMap<_, &str> =
            stored.iter().map(|text| (key(text), text.instruction.as_str())).collect();
        for (index, input) in inputs.iter().enumerate().filter(|(index, _)| !self.holds(*index)) {
            let texts: Vec<&TaskText> = read.texts(index).collect();
            let sources = store.manifest().sources.iter();
            let mut before = sources.filter(|source| source.path == input.claim.source());
            let before = before.find_map(|source| source.texts.as_deref());
            let is_known = |text: &&TaskText| {
                stored.get(&key(text)).is_none_or(|words| *words == text.instruction)
            };
            let adds = before.is_none_or(|before| goes_on(before, &texts));
            if !adds || !(index + 1 == inputs.len() || texts.iter().all(is_known)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Some of the runs of unchanged inputs, or why they cannot be read.
pub(super) type StoredBatch = Result<Vec<Trajectory>, StoreError>;

fn read(store: &Store, entries: &[Entry]) -> StoredBatch {
    let heads: Vec<&Head> = entries.iter().map(|entry| &entry.head).collect();
    let contexts = store.contexts_of(&heads)?;
    let mut runs = store.trajectories(entries)?;
    for (run, context) in runs.iter_mut().zip(contexts) {
        run.context = context;
    }
    Ok(runs)
}

/// The runs of unchanged inputs, which another thread reads.
pub(super) struct StoredRuns<'u> {
    unchanged: &'u Unchanged<'u>,
    batches: Receiver<StoredBatch>,
    /// Those that are read and not handed out.
    read: VecDeque<Trajectory>,
}

impl StoredRuns<'_> {
    /// Hands out the runs of the next input, in the order in which they were read.
    pub(super) fn hand_out<E: From<StoreError>>(
        &mut self,
        input: usize,
        mut each: impl FnMut(Trajectory) -> Result<(), E>,
    ) -> Result<(), E> {
        let count = self.unchanged.inputs.get(&input).map_or(0, |input| input.entries.len());
        for _ in 0..count {
            if self.read.is_empty() {
                // None where the other thread panicked, which the end of its scope passes on.
                let Ok(batch) = self.batches.recv() else { return Ok(()) };
                self.read.extend(batch?);
            }
            self.read.pop_front().map_or(Ok(()), &mut each)?;
        }
        Ok(())
    }
}

/// How many texts there are and what they are, in short; none of no texts.
pub(super) fn texts_print(texts: &[&TaskText]) -> Option<String> {
    let mut print = Fingerprint::default();
    for text in texts {
        for words in [&text.dataset, &text.task, &text.instruction] {
            print.add_text(words);
        }
    }
    (!texts.is_empty()).then(|| format!("{}:{:016x}", texts.len(), print.value()))
}

/// Whether texts begin with those that were described before.
fn goes_on(before: &str, texts: &[&TaskText]) -> bool {
    let count = before.split(':').next().and_then(|count| count.parse().ok());
    let same = count.and_then(|count: usize| texts.get(..count));
    same.and_then(texts_print).as_deref() == Some(before)
}
