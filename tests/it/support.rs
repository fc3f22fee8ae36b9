//! Helpers that the tests share.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::UNIX_EPOCH;
use std::{fs, io};

use qualm::import::{ImportOptions, Reference, Summary, import};
use qualm::model::{Cell, Head, Judgment, Message, Role, ToolCall, Trajectory};
use qualm::readers::ReadOptions;
use qualm::store::{Entry, Extras, Manifest, Note, Ruling, Store, StoreError, StoreWriter, Vote};

/// Whether searches run long, as they do before a change is merged.
pub fn is_long_run() -> bool {
    std::env::var_os("QUALM_LONG_TESTS").is_some()
}

/// A file of `tests/data`.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The program, with separate folders for cache, state and settings.
pub fn qualm(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qualm"));
    let folders = ["CACHE", "STATE", "CONFIG", "DATA"].map(|name| format!("XDG_{name}_HOME"));
    let paths = ["cache", "state", "config", "data"].map(|name| home.join(name));
    command.envs(folders.iter().zip(&paths)).current_dir(home).env_remove("NO_COLOR");
    command
}

/// Runs the program and returns its output and exit code.
pub fn run(home: &Path, args: &[&str]) -> Output {
    qualm(home).args(args).output().expect("the program starts")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Fails with the list of problems, if there are any.
pub fn assert_whole(store: &Path) {
    let problems = qualm::store::check(store, &|_, _| ());
    assert!(problems.is_empty(), "{problems:#?}");
}

/// A folder that is removed when the test ends.
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
        let found =
            entries.into_iter().find(|entry| entry.head.task == task && entry.head.draw == draw);
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
    let mut imported = Imported { home: home(), summary: Summary::default() };
    imported.add(names, options);
    imported
}

/// A made-up draw: its outcome and the tools that it called.
#[derive(Clone)]
pub struct Draw {
    pub success: Option<bool>,
    pub db_match: Option<bool>,
    pub actions: Vec<&'static str>,
}

/// Writes a store of made-up tasks of the cell `d/m`, named by their index, with these verdicts.
pub fn made(home: &Path, tasks: &[Vec<Draw>], judgments: Vec<Judgment>) -> PathBuf {
    let path = home.join("made.qualm");
    let mut writer = StoreWriter::create(&path).expect("free");
    for (task, draws) in tasks.iter().enumerate() {
        for (draw, made_up) in draws.iter().enumerate() {
            let mut head = Head::new(Cell::new("d", "m"), task.to_string());
            head.draw = draw as u32;
            head.outcome.success = made_up.success;
            head.outcome.db_match = made_up.db_match;
            let messages = made_up.actions.iter().map(|name| {
                let (id, name) = (String::new(), (*name).to_owned());
                let call = ToolCall { id, name, arguments: "{}".to_owned() };
                Message { tool_calls: vec![call], ..Message::text(Role::Assistant, "") }
            });
            writer.push(Trajectory::new(head, messages.collect(), |_| None)).expect("pushed");
        }
    }
    let extras = Extras { judgments, ..Extras::default() };
    writer.finish(Manifest::new(), &extras).expect("written");
    path
}

/// A verdict on a pair of [`made`].
pub fn verdict(judge: &str, task: usize, draw: u32, equivalent: Option<bool>) -> Judgment {
    Judgment {
        cell: Cell::new("d", "m"),
        task: task.to_string(),
        draw_a: 0,
        draw_b: draw,
        judge: judge.to_owned(),
        equivalent,
        confidence: None,
    }
}

/// A vote on a pair of [`made`].
pub fn vote(author: &str, task: usize, draw: u32, verdict: Ruling) -> Vote {
    Vote {
        time: 1_790_000_000,
        author: author.to_owned(),
        cell: Cell::new("d", "m"),
        task: task.to_string(),
        draw_a: 0,
        draw_b: draw,
        verdict,
        note: None,
        chosen_by: None,
    }
}

/// Adds a vote to the store at a path.
pub fn add_vote(store: &Path, vote: &Vote) -> Result<(), StoreError> {
    Store::open(store)?.add_votes(std::slice::from_ref(vote))
}

/// Adds a note to the store at a path.
pub fn add_note(store: &Path, note: &Note) -> Result<(), StoreError> {
    Store::open(store)?.add_note(note)
}

/// A demo store.
pub fn demo(home: &Path, tasks: usize) -> Store {
    let path = home.join("demo.qualm");
    demo_at(&path, tasks);
    Store::open(&path).expect("a store")
}

/// Puts a demo store at a path: a copy of one that all tests of this build share, whichever process runs them.
pub fn demo_at(path: &Path, tasks: usize) {
    let made = shared_demo(tasks);
    fs::create_dir(path).expect("free");
    for entry in fs::read_dir(made).expect("a store") {
        let from = entry.expect("an entry").path();
        fs::copy(&from, path.join(from.file_name().expect("a name"))).expect("copied");
    }
}

/// The demo store that this build of the tests copies. Stores of other builds are removed.
fn shared_demo(tasks: usize) -> PathBuf {
    let program = std::env::current_exe().and_then(fs::metadata).expect("this program");
    let built = program
        .modified()
        .and_then(|time| time.duration_since(UNIX_EPOCH).map_err(io::Error::other));
    let build = format!("demo-{:x}-{:x}", built.expect("a time").as_nanos(), program.len());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let lock = fs::File::create(folder.join("demo.lock")).expect("a lock");
    lock.lock().expect("locked");
    let (path, partial) =
        (folder.join(&build).join(tasks.to_string()), folder.join("demo-partial"));
    if !path.exists() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("demo-") && name != build {
                fs::remove_dir_all(entry.path()).expect("removed");
            }
        }
        let options = qualm::demo::DemoOptions { tasks: Some(tasks), ..Default::default() };
        qualm::demo::write(&partial, &options, &|| ()).expect("written");
        fs::create_dir_all(folder.join(&build)).expect("a folder");
        fs::rename(&partial, &path).expect("renamed");
    }
    path
}

/// Runs a report and parses its rows.
pub fn rows(home: &Path, store: &Path, args: &[&str]) -> Vec<serde_json::Value> {
    let mut command = qualm(home);
    let out = command.arg("report").arg(store).args(args).args(["--format", "json"]);
    let out = out.output().expect("the program starts");
    assert!(out.status.success(), "{}", text(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("JSON")
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
