//! Follows results that are being written, or a store that others write into.
//!
//! A [`Watch`] looks when it is asked to. Nothing is read while sizes and times of the files are the same.
//! What is cut off counts as far as it goes, and what was read before stays: a harness that rewrites its
//! file after every run leaves half of it for a moment.

use std::fs;
use std::path::{Path, PathBuf};

use crate::import::{ImportError, ImportOptions, add_file, import_inputs, stamp};
use crate::model::Fingerprint;
use crate::readers::{Claim, Inputs, ReadError, ReadOptions};
use crate::store::{Extras, Manifest, Store, StoreError, StoreWriter};
use crate::text::counted;

/// What is looked at, and what was seen of it last.
#[derive(Debug)]
pub struct Watch {
    store: PathBuf,
    /// The file of notes and votes, where it is not the one in the store.
    log: Option<PathBuf>,
    results: Option<Results>,
    /// Only the store's tables count, not notes and votes.
    only_tables: bool,
    /// The notes and votes as they were when the tables were read last, until the look after that.
    log_then: Option<u64>,
    /// The store's files as they were last.
    seen: u64,
    manifest: Manifest,
    waits_for: Option<String>,
}

/// Results that are imported into the store as they come.
#[derive(Debug)]
struct Results {
    paths: Vec<PathBuf>,
    /// Further files that belong to what was found: results of the same run that are in files of their own.
    parts: Vec<PathBuf>,
    /// All of these as they were last; none when they must be read again.
    seen: Option<u64>,
}

/// What a look found.
#[derive(Debug)]
pub struct News {
    /// The store as it is now, where it is another.
    pub store: Option<Store>,
    /// What came, in words; none of notes and votes.
    pub words: Option<String>,
    /// Why not everything is read yet, or cannot be.
    pub waits_for: Option<String>,
}

impl Watch {
    /// Follows a store that others write into.
    pub fn of_store(store: &Store) -> Self {
        let log = store.log_path();
        let shared = (!log.starts_with(store.path())).then_some(log);
        let mut watch = Self {
            store: store.path().to_owned(),
            log: shared,
            results: None,
            only_tables: false,
            log_then: None,
            seen: 0,
            manifest: store.manifest().clone(),
            waits_for: None,
        };
        watch.seen = watch.look_at_store();
        watch
    }

    /// Follows the runs, scores and verdicts of a store, which others may compute. Notes and votes are not
    /// looked at, since the one who looks writes them.
    pub fn of_tables(store: &Store) -> Self {
        let mut watch = Self { only_tables: true, ..Self::of_store(store) };
        watch.seen = watch.look_at_store();
        watch
    }

    /// Follows results that are imported into a store: what of them is not in it yet comes with the first
    /// look.
    pub fn of_results(paths: &[PathBuf], store: &Store) -> Self {
        let results = Results { paths: paths.to_vec(), parts: Vec::new(), seen: None };
        Self { results: Some(results), ..Self::of_store(store) }
    }

    /// Looks once. None when everything is as it was.
    pub fn poll(&mut self) -> Option<News> {
        let before = self.waits_for.clone();
        if let Some(results) = &mut self.results {
            results.poll(&self.store, &mut self.waits_for);
        }
        let (store, words) = match self.reopen() {
            Ok(Some((store, words))) => (Some(store), words),
            Ok(None) => (None, None),
            Err(error) => {
                self.waits_for = Some(error.to_string());
                (None, None)
            }
        };
        let waits_for = self.waits_for.clone();
        (store.is_some() || waits_for != before).then_some(News { store, words, waits_for })
    }

    /// The store, and what came into it, if its files changed.
    fn reopen(&mut self) -> Result<Option<(Store, Option<String>)>, StoreError> {
        let (look, log) = (self.look_at_store(), self.look_at_log());
        // Whoever read the tables does not take them up if notes were written meanwhile.
        let is_missed = self.log_then.take().is_some_and(|then| then != log);
        if look == self.seen && !is_missed {
            return Ok(None);
        }
        self.seen = look;
        self.log_then = Some(log).filter(|_| self.only_tables);
        let store = Store::open(&self.store)?;
        if self.results.is_none() {
            self.waits_for = None;
        }
        let store = match &self.log {
            Some(log) => store.with_log(log.clone()),
            None => store,
        };
        let before = std::mem::replace(&mut self.manifest, store.manifest().clone());
        let words = match runs(&self.manifest).checked_sub(runs(&before)) {
            _ if before.has_same_tables(&self.manifest) => None,
            Some(new @ 1..) => Some(format!("{} came in", counted(new, "new run"))),
            _ => Some("the store changed".to_owned()),
        };
        Ok(Some((store, words)))
    }

    /// What changes with the store, its notes or its votes.
    fn look_at_store(&self) -> u64 {
        let mut print = Fingerprint::default();
        add_file(&self.store.join("manifest.json"), &mut print);
        let manifest = print.value();
        if self.only_tables { manifest } else { manifest ^ self.look_at_log().rotate_left(1) }
    }

    /// What changes with notes, votes, named selections and costs.
    fn look_at_log(&self) -> u64 {
        let mut print = Fingerprint::default();
        let log = self.log.clone().unwrap_or_else(|| self.store.join("annotations.jsonl"));
        add_file(&log, &mut print);
        add_file(&log.with_file_name("selections.jsonl"), &mut print);
        add_file(&log.with_file_name("costs.jsonl"), &mut print);
        print.value()
    }
}

impl Results {
    /// Imports what is there, if it changed, and says why that is not all.
    fn poll(&mut self, store: &Path, waits_for: &mut Option<String>) {
        // Before anything is read: what is written meanwhile is seen by the next look.
        let look = self.look();
        if self.seen == Some(look) {
            return;
        }
        self.seen = Some(look);
        let imported = self.import(store);
        if let Err(ImportError::Store(StoreError::Busy { .. })) = imported {
            self.seen = None;
        }
        *waits_for = match imported {
            Ok(problems) => problems.first().map(ToString::to_string),
            Err(error) => Some(error.to_string()),
        };
    }

    fn import(&mut self, store: &Path) -> Result<Vec<ReadError>, ImportError> {
        let read = ReadOptions { partial: true, ..ReadOptions::default() };
        let (mut inputs, mut problems) = (Inputs::default(), Vec::new());
        for path in &self.paths {
            problems.extend(inputs.find(path, &read).err());
        }
        let claims = inputs.claimed.iter().map(|claimed| &claimed.claim);
        let files = claims.clone().map(|claim| claim.path().to_owned());
        let folders = claims.flat_map(Claim::parts).filter_map(|part| part.parent());
        // More of them are seen as a change, so that nothing written meanwhile is missed; those that go stay.
        let is_covered = |file: &PathBuf| self.paths.iter().any(|path| file.starts_with(path));
        let parts = files.chain(folders.map(Path::to_owned)).filter(|file| !is_covered(file));
        self.parts.extend(parts.collect::<Vec<_>>());
        self.parts.sort();
        self.parts.dedup();
        if inputs.claimed.is_empty() {
            return Ok(problems);
        }
        let older = Store::open(store).map(|store| store.manifest().clone());
        let older = older.unwrap_or_else(|_| Manifest::new());
        problems.extend(lost(&older, &inputs));
        let stamp = Some(stamp(&inputs)).filter(|_| problems.is_empty());
        let is_current = stamp.is_some() && older.stamp == stamp;
        if !is_current {
            let options = ImportOptions {
                read,
                // A file that vanished keeps its runs.
                replace: problems.is_empty(),
                stamp,
                cached: true,
                ..ImportOptions::default()
            };
            problems.extend(import_inputs(inputs, store, &options, &|_| {})?.pending);
        }
        Ok(problems)
    }

    /// What changes when there is something new to read.
    fn look(&self) -> u64 {
        let mut print = Fingerprint::default();
        for path in self.paths.iter().chain(&self.parts) {
            add_file(path, &mut print);
        }
        // A named file may get a folder beside it that belongs to it.
        for folder in
            self.paths.iter().filter(|path| !path.is_dir()).filter_map(|path| path.parent())
        {
            let folder = if folder == Path::new("") { Path::new(".") } else { folder };
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            let mut names: Vec<_> = folders.map(|entry| entry.file_name()).collect();
            names.sort();
            names.iter().for_each(|name| print.add_text(&name.to_string_lossy()));
        }
        print.value()
    }
}

/// The file of an older import that is not there to be read now.
fn lost(older: &Manifest, inputs: &Inputs) -> Option<ReadError> {
    let mut sources = older.sources.iter().map(|source| source.path.as_str());
    let is_found = |source: &str| inputs.claimed.iter().any(|found| found.claim.source() == source);
    let path = Path::new(sources.find(|source| !is_found(source))?);
    let problem = if path.exists() { "cannot be read now" } else { "is gone" };
    Some(ReadError::new(path, problem, "the runs that were read of it stay"))
}

/// Makes a store that holds nothing yet.
pub fn empty_store(path: &Path) -> Result<(), StoreError> {
    StoreWriter::create(path)?.finish(Manifest::new(), &Extras::default()).map(drop)
}

/// The trajectories of all cells.
fn runs(manifest: &Manifest) -> u64 {
    manifest.cells.iter().map(|cell| cell.trajectories).sum()
}
