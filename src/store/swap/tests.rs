//! A change takes effect as a whole, wherever it fails or its process is killed.

use std::collections::BTreeMap;

use super::*;
use crate::model::{Cell, Head, Message, PairValue, Role, Score, Trajectory};
use crate::store::disk::faults::{self, Fault};
use crate::store::{Amendment, Extras, StoreWriter, check};

fn run(task: &str) -> Trajectory {
    let head = Head::new(Cell::new("d", "m"), task);
    Trajectory::new(head, vec![Message::text(Role::Assistant, "Hello")], |_| None)
}

fn score(value: f64) -> Score {
    let (cell, task, scorer) = (Cell::new("d", "m"), "0".to_owned(), "mine".to_owned());
    Score {
        cell,
        task,
        draw: 0,
        scorer,
        aggregator: None,
        value: Some(value),
        log: None,
        fold: None,
    }
}

/// Writes a store whose tables are all known by one value.
fn write(path: &Path, value: f64) -> Result<(), StoreError> {
    let mut writer = StoreWriter::create(path)?;
    writer.push(run("0"))?;
    if value > 1.0 {
        writer.push(run("1"))?;
    }
    let pair = |value| {
        let Score { cell, task, scorer, .. } = score(value);
        PairValue { cell, task, draw_a: 0, draw_b: 0, scorer, value: Some(value) }
    };
    // The store with the larger value has no pairs: a table that goes is the harder case.
    let pairs = if value > 1.0 { Vec::new() } else { vec![pair(value)] };
    let extras = Extras { scores: vec![score(value)], pairs, ..Extras::default() };
    writer.finish(Manifest::new(), &extras).map(drop)
}

fn amend(path: &Path, value: f64) -> Result<(), StoreError> {
    let mut amendment = Amendment::begin(path)?;
    amendment.scores(&[score(value)])?;
    amendment.pairs(&[])?;
    amendment.commit().map(drop)
}

/// What a store says: the value, and whether it has pairs.
fn content(path: &Path) -> (f64, usize) {
    let store = Store::open(path).expect("a store");
    let scores = store.scores().expect("scores");
    assert_eq!(scores.len(), 1);
    (scores[0].value.expect("a value"), store.pairs().expect("pairs").len())
}

/// Everything under a folder: files with their content, links with their target, and permissions.
fn tree(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let (path, meta) = (entry.path(), entry.metadata().expect("there"));
            let what = if meta.is_dir() {
                folders.push(path.clone());
                "folder".to_owned()
            } else if meta.is_symlink() {
                fs::read_link(&path).expect("a link").display().to_string()
            } else {
                fs::read_to_string(&path).unwrap_or_default()
            };
            found.insert(path, format!("{:?} {what}", meta.permissions()));
        }
    }
    found
}

/// What qualm did not write.
fn foreign(home: &Path) -> BTreeMap<PathBuf, String> {
    let ours = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        let hidden = name.to_string_lossy().starts_with(Handover::PREFIX);
        let parent = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        hidden || parent.starts_with(Handover::PREFIX) || is_part_of_a_store(name)
    };
    tree(home).into_iter().filter(|(path, _)| !ours(path)).collect()
}

/// A store with files of the user's in it.
#[cfg(unix)]
fn furnished(home: &Path) -> PathBuf {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let path = home.join("s.qualm");
    write(&path, 1.0).expect("written");
    fs::write(home.join("team.jsonl"), "").expect("written");
    symlink("../team.jsonl", path.join("annotations.jsonl")).expect("linked");
    symlink("nowhere", path.join("dangling")).expect("linked");
    fs::write(path.join(".mine"), "precious").expect("written");
    for name in ["figures", "empty", ".qualm-draft-mine"] {
        fs::create_dir(path.join(name)).expect("made");
    }
    fs::write(path.join("figures/paper.txt"), "precious").expect("written");
    fs::write(path.join(".qualm-draft-mine/paper.txt"), "precious").expect("written");
    fs::set_permissions(path.join("empty"), fs::Permissions::from_mode(0o555)).expect("set");
    path
}

type Change = fn(&Path, f64) -> Result<(), StoreError>;

/// Tries a change with a fault, and says whether it made a call that failed.
#[cfg(unix)]
fn attempt(change: Change, fault: Fault, home: &Path) -> bool {
    let path = furnished(home);
    let before = foreign(home);
    let (result, calls) = faults::with(Some(fault), || change(&path, 2.0));
    // Also where nothing can be completed, the store is whole.
    let (read, _) = faults::with(Some(Fault::From(0)), || content(&path));
    match &result {
        Ok(()) => assert_eq!(read, (2.0, 0), "{fault:?}"),
        Err(error) => {
            assert_eq!(read, (1.0, 1), "{fault:?}: {error}");
            assert!(error.to_string().ends_with("nothing was changed"), "{fault:?}: {error}");
        }
    }
    assert_eq!(content(&path), read, "{fault:?}");
    let problems = check(&path, &|_, _| ());
    assert!(problems.iter().all(|problem| problem.contains("`mine`")), "{fault:?}: {problems:?}");
    assert_eq!(foreign(home), before, "{fault:?}");
    change(&path, 3.0).expect("the next writer");
    assert_eq!(content(&path), (3.0, 0), "{fault:?}");
    assert_eq!(foreign(home), before, "{fault:?}");
    let left =
        tree(home).into_keys().filter(|path| path.to_string_lossy().contains(".qualm-draft"));
    let left: Vec<_> = left.filter(|path| !path.to_string_lossy().contains("-mine")).collect();
    assert!(left.is_empty(), "{fault:?}: {left:?}");
    let (Fault::Once(at) | Fault::From(at)) = fault;
    at < calls
}

/// Tries a change with every fault that there is.
#[cfg(unix)]
fn attempt_all(change: Change) {
    for kind in [Fault::Once, Fault::From] {
        let mut tried = 0;
        for at in 0.. {
            let home = tempfile::tempdir().expect("a folder");
            if !attempt(change, kind(at), home.path()) {
                break;
            }
            tried += 1;
        }
        println!("{tried} calls failed, each as {:?}", kind(0));
        assert!(tried > 10);
    }
}

#[cfg(unix)]
#[test]
fn whatever_fails_a_store_is_old_or_new_and_the_users_files_stay() {
    attempt_all(write);
}

#[cfg(unix)]
#[test]
fn whatever_fails_an_amended_store_is_old_or_new_and_the_users_files_stay() {
    attempt_all(amend);
}

#[test]
fn a_new_store_is_there_or_not() {
    for kind in [Fault::Once, Fault::From] {
        for at in 0.. {
            let home = tempfile::tempdir().expect("a folder");
            let path = home.path().join("deep/s.qualm");
            let (result, calls) = faults::with(Some(kind(at)), || write(&path, 1.0));
            assert_eq!(result.is_ok(), Store::is_store(&path), "{:?}", kind(at));
            if matches!(kind(at), Fault::Once(_)) && result.is_err() {
                // The cleaning up may itself be what failed.
                let left = tree(home.path());
                assert!(left.len() <= 2, "{left:?}");
            }
            write(&path, 2.0).expect("the next writer");
            assert_eq!(content(&path), (2.0, 0));
            assert_eq!(home.path().read_dir().expect("a folder").count(), 1);
            if at >= calls {
                break;
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn permissions_stay_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("s.qualm");
    amend(&path, 1.0).expect_err("no store");
    write(&path, 2.0).expect("written");
    let allow = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
    };
    allow(&path, 0o700);
    let files = || fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path());
    files().for_each(|file| allow(&file, 0o600));
    allow(&path.join("scores.parquet"), 0o640);
    // The pairs are new.
    write(&path, 1.0).expect("written");
    crate::store::annotations::append(&crate::store::annotations::Log::Inside(&path), &["odd"])
        .expect("appended");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for file in files() {
        let expected = if file.ends_with("scores.parquet") { 0o640 } else { 0o600 };
        assert_eq!(mode(&file), expected, "{}", file.display());
    }
}

#[test]
fn a_store_that_an_earlier_version_put_aside_comes_back_on_opening() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("a.qualm");
    write(&path, 1.0).expect("written");
    fs::rename(&path, beside(&path, "old")).expect("renamed");
    assert!(Store::is_store(&path));
    assert_eq!(content(&path), (1.0, 1));
    // What that version left in its working folder may hold files of the user's.
    fs::create_dir_all(beside(&path, "tmp").join("figures")).expect("made");
    fs::write(beside(&path, "tmp").join("manifest.json"), "").expect("written");
    write(&path, 2.0).expect("written");
    assert_eq!(tree(&beside(&path, "tmp")).len(), 1);
}

#[test]
fn a_folder_of_something_else_is_not_replaced() {
    let home = tempfile::tempdir().expect("a folder");
    fs::write(home.path().join("thesis.txt"), "years of work").expect("a file");
    let error = Draft::begin(home.path()).expect_err("taken").to_string();
    assert!(error.contains("something else lies there"), "{error}");
    assert!(home.path().join("thesis.txt").exists());
    let store = home.path().join("s.qualm");
    write(&store, 2.0).expect("written");
    fs::create_dir(store.join("pairs.parquet")).expect("made");
    let error = write(&store, 1.0).expect_err("a folder").to_string();
    assert!(error.contains("(pairs.parquet in it is not a file); move it away"), "{error}");
}

#[test]
fn two_writers_do_not_meet() {
    let home = tempfile::tempdir().expect("a folder");
    let store = home.path().join("a.qualm");
    let first = Draft::begin(&store).expect("free");
    let second = Draft::begin(&store).expect_err("busy");
    assert!(matches!(second, StoreError::Busy { .. }));
    drop(first);
    Draft::begin(&store).expect("free again");
    drop(Draft::begin(&home.path().join("b/c.qualm")).expect("free"));
    assert_eq!(home.path().read_dir().expect("a folder").count(), 0, "nothing is left");
}
