//! Notes: appended, never lost.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;

use qualm::import::ImportOptions;
use qualm::model::Cell;
use qualm::store::{Note, Store, notes};

use crate::support::{Imported, assert_whole, home, imported, run, text};

const FILE: &str = "annotations.jsonl";

fn note(words: &str) -> Note {
    Note {
        time: 1_790_000_000,
        author: "ada".to_owned(),
        cell: Cell::new("d", "m"),
        task: "0".to_owned(),
        draw: None,
        turn: None,
        note: words.to_owned(),
    }
}

/// A note on a run that is there.
fn note_on(own: &Imported, words: &str) -> Note {
    let head = own.entries().remove(0).head;
    Note { cell: head.cell, task: head.task, ..note(words) }
}

fn words(path: &Path) -> Vec<String> {
    let notes = Store::open(path).expect("a store").notes().expect("notes");
    notes.into_iter().map(|note| note.note).collect()
}

#[test]
fn what_is_written_is_read() {
    let own = imported(&["tau2.json"]);
    let store = own.store();
    assert!(store.notes().expect("none yet").is_empty());
    let first = note_on(&own, "two\nlines, \"quotes\", ünï ✓ \u{1b}[31m");
    let second = Note { draw: Some(0), turn: Some(0), ..note_on(&own, "") };
    notes::append(&own.path(), &first).expect("appended");
    notes::append(&own.path(), &second).expect("appended");
    // A store that was opened before sees them too.
    assert_eq!(store.notes().expect("notes"), [first, second]);
    let file = fs::read_to_string(own.path().join(FILE)).expect("read");
    assert_eq!(file.lines().count(), 2);
    assert!(file.starts_with(r#"{"time":1790000000,"author":"ada","dataset":"#), "{file}");
    assert!(!file.contains("null"), "{file}");
    assert_whole(&own.path());
    let left = own.home.path().read_dir().expect("a folder").count();
    assert_eq!(left, 1, "no lock stays behind");
}

#[test]
fn a_line_cut_short_is_passed_over() {
    let own = imported(&["tau2.json"]);
    let file = own.path().join(FILE);
    for kept in ["one", "twö"] {
        notes::append(&own.path(), &note_on(&own, kept)).expect("appended");
    }
    let whole = fs::read(&file).expect("read");
    let first = whole.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    // Wherever the crash came, in the middle of a character too.
    for cut in first..whole.len() - 1 {
        fs::write(&file, &whole[..cut]).expect("written");
        assert_eq!(words(&own.path()), ["one"], "cut at {cut}");
        notes::append(&own.path(), &note_on(&own, "three")).expect("appended");
        assert_eq!(words(&own.path()), ["one", "three"], "cut at {cut}");
    }
    assert_whole(&own.path());
    // A whole line without its end counts.
    fs::write(&file, &whole[..whole.len() - 1]).expect("written");
    notes::append(&own.path(), &note_on(&own, "three")).expect("appended");
    assert_eq!(words(&own.path()), ["one", "twö", "three"]);
}

#[test]
fn a_broken_line_is_named() {
    let own = imported(&["tau2.json"]);
    let file = own.path().join(FILE);
    notes::append(&own.path(), &note_on(&own, "one")).expect("appended");
    let good = fs::read_to_string(&file).expect("read");
    let unknown = serde_json::to_string(&note("of another store")).expect("JSON");
    let draw = serde_json::to_string(&Note { draw: Some(99), ..note_on(&own, "") }).expect("JSON");
    let turn = serde_json::to_string(&Note { turn: Some(999), ..note_on(&own, "") }).expect("JSON");
    let lines = format!("{good}\noops\n{{\"note\": 1}}\n{unknown}\n{draw}\n{turn}\n{good}");
    fs::write(&file, lines).expect("written");
    let error = own.store().notes().expect_err("broken").to_string();
    assert!(error.contains("annotations.jsonl: line 3 is no note ("), "{error}");
    assert!(error.ends_with("; mend or remove it"), "{error}");
    let out = run(own.home.path(), &["check", "s.qualm"]);
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stdout);
    for part in [
        "annotations.jsonl: line 3 is no note",
        "annotations.jsonl: line 4 is no note (",
        "annotations.jsonl, line 5: d/m, task 0: there is no such task",
        "annotations.jsonl, line 6:",
        ": there is no such draw",
        "annotations.jsonl, line 7:",
        ": there is no such turn",
    ] {
        assert!(said.contains(part), "{part:?} in\n{said}");
    }
    assert_eq!(said.lines().count(), 5, "{said}");
}

#[test]
fn only_into_a_store() {
    let home = home();
    let error = notes::append(home.path(), &note("lost")).expect_err("no store").to_string();
    assert!(error.contains("is no qualm store"), "{error}");
    assert!(!home.path().join(FILE).exists());
    let nowhere = home.path().join("nowhere.qualm");
    notes::append(&nowhere, &note("lost")).expect_err("nothing there");
    assert!(!nowhere.exists());
}

/// Appends notes from several threads while `meanwhile` runs, and fails if one is missing.
fn nothing_is_lost(own: &Imported, threads: usize, each: usize, meanwhile: impl FnOnce()) {
    let path = own.path();
    thread::scope(|scope| {
        for writer in 0..threads {
            let (path, template) = (&path, note_on(own, ""));
            scope.spawn(move || {
                for number in 0..each {
                    let note = Note { note: format!("{writer}.{number}"), ..template.clone() };
                    notes::append(path, &note).expect("appended");
                }
            });
        }
        meanwhile();
    });
    let found = words(&path);
    assert_eq!(found.len(), threads * each);
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>().len(), threads * each);
    assert_whole(&path);
}

#[test]
fn two_threads_lose_nothing() {
    let own = imported(&["tau2.json"]);
    nothing_is_lost(&own, 2, 200, || ());
}

#[test]
fn an_import_that_replaces_the_store_loses_nothing() {
    let own = imported(&["tau2.json"]);
    let input = crate::support::data("tau2.json");
    nothing_is_lost(&own, 2, 150, || {
        for _ in 0..8 {
            let options = ImportOptions::default();
            let paths = [input.clone()];
            qualm::import::import(&paths, &own.path(), &options, &|_| {}).expect("imported");
        }
    });
}
