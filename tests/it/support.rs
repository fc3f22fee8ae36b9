//! What the tests share.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use qualm::import::{ImportOptions, Reference, Summary, import};
use qualm::model::Trajectory;
use qualm::readers::ReadOptions;
use qualm::store::{Entry, Store};

/// A file of `tests/data`.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The program, with a cache of its own.
pub fn qualm(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qualm"));
    let folders = ["CACHE", "STATE", "CONFIG"].map(|name| format!("XDG_{name}_HOME"));
    let places = ["cache", "state", "config"].map(|name| home.join(name));
    command.envs(folders.iter().zip(&places)).current_dir(home).env_remove("NO_COLOR");
    command
}

/// Runs the program and returns what it said and its exit code.
pub fn run(home: &Path, args: &[&str]) -> Output {
    qualm(home).args(args).output().expect("the program starts")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Fails with the list of problems, if there is one.
pub fn assert_whole(store: &Path) {
    let problems = qualm::store::check(store, &|_, _| ());
    assert!(problems.is_empty(), "{problems:#?}");
}

/// A folder that goes when the test ends.
pub fn home() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// An imported store and its folder.
pub struct Imported {
    pub home: tempfile::TempDir,
    pub summary: Summary,
}

impl Imported {
    pub fn path(&self) -> PathBuf {
        self.home.path().join("s.qualm")
    }

    pub fn store(&self) -> Store {
        Store::open(&self.path()).expect("a store")
    }

    pub fn entries(&self) -> Vec<Entry> {
        self.store().entries().expect("entries")
    }

    pub fn entry(&self, task: &str, draw: u32) -> Entry {
        let entries = self.entries();
        let found = entries.into_iter().find(|own| own.head.task == task && own.head.draw == draw);
        found.unwrap_or_else(|| panic!("no task {task}, draw {draw}"))
    }

    pub fn trajectory(&self, task: &str, draw: u32) -> Trajectory {
        self.store().trajectory(&self.entry(task, draw)).expect("a trajectory")
    }

    pub fn add(&mut self, names: &[&str], options: &ImportOptions) {
        let paths: Vec<PathBuf> = names.iter().map(|name| data(name)).collect();
        self.summary = import(&paths, &self.path(), options, &|_| {}).expect("imported");
    }
}

/// Imports files of `tests/data`.
pub fn imported(names: &[&str]) -> Imported {
    imported_with(names, &ImportOptions::default())
}

pub fn imported_with(names: &[&str], options: &ImportOptions) -> Imported {
    let mut own = Imported { home: home(), summary: Summary::default() };
    own.add(names, options);
    own
}

pub fn with_reference(reference: &str) -> ImportOptions {
    ImportOptions { reference: Some(Reference::parse(reference)), ..ImportOptions::default() }
}

pub fn with_condition(condition: &str) -> ImportOptions {
    let read = ReadOptions { condition: Some(condition.to_owned()), ..ReadOptions::default() };
    ImportOptions { read, ..ImportOptions::default() }
}

pub fn keep_errored() -> ImportOptions {
    let read = ReadOptions { keep_errored: true, ..ReadOptions::default() };
    ImportOptions { read, ..ImportOptions::default() }
}
