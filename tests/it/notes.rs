//! Notes are appended and never lost.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;

use qualm::import::ImportOptions;
use qualm::model::Cell;
use qualm::store::{Note, Store};

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

/// A note on a run of the store.
fn note_on(fixture: &Imported, words: &str) -> Note {
    let head = fixture.entries().remove(0).head;
    Note { cell: head.cell, task: head.task, ..note(words) }
}

fn words(path: &Path) -> Vec<String> {
    let notes = Store::open(path).expect("a store").notes().expect("notes");
    notes.into_iter().map(|note| note.note).collect()
}

#[test]
fn notes_are_read_as_written() {
    let fixture = imported(&["tau2.json"]);
    let store = fixture.store();
    assert!(store.notes().expect("none yet").is_empty());
    let first = note_on(&fixture, "two\nlines, \"quotes\", ünï ✓ \u{1b}[31m");
    let second = Note { draw: Some(0), turn: Some(0), ..note_on(&fixture, "") };
    crate::support::add_note(&fixture.path(), &first).expect("appended");
    crate::support::add_note(&fixture.path(), &second).expect("appended");
    // A store that was opened before has them, too.
    assert_eq!(store.notes().expect("notes"), [first, second]);
    let file = fs::read_to_string(fixture.path().join(FILE)).expect("read");
    assert_eq!(file.lines().count(), 2);
    assert!(file.starts_with(r#"{"time":1790000000,"author":"ada","dataset":"#), "{file}");
    assert!(!file.contains("null"), "{file}");
    assert_whole(&fixture.path());
    let left = fixture.home.path().read_dir().expect("a folder").count();
    assert_eq!(left, 1, "no lock stays behind");
}

#[test]
fn a_truncated_line_is_named_and_the_rest_is_read() {
    let fixture = imported(&["tau2.json"]);
    let file = fixture.path().join(FILE);
    for kept in ["one", "twö"] {
        crate::support::add_note(&fixture.path(), &note_on(&fixture, kept)).expect("appended");
    }
    let whole = fs::read(&file).expect("read");
    let first = whole.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    // A crash may truncate anywhere, even inside a character.
    for cut in (first + 1..whole.len() - 1).step_by(7) {
        fs::write(&file, &whole[..cut]).expect("written");
        assert_eq!(words(&fixture.path()), ["one"], "cut at {cut}");
        crate::support::add_note(&fixture.path(), &note_on(&fixture, "three")).expect("appended");
        assert_eq!(words(&fixture.path()), ["one", "three"], "cut at {cut}");
        let damaged = fixture.store().annotations().expect("read").damaged;
        let why: Vec<(usize, &str)> = damaged.iter().map(|line| (line.line, &*line.why)).collect();
        assert_eq!(why, [(2, "is cut short")], "cut at {cut}");
    }
    // A complete line without a newline counts.
    fs::write(&file, &whole[..whole.len() - 1]).expect("written");
    crate::support::add_note(&fixture.path(), &note_on(&fixture, "three")).expect("appended");
    assert_eq!(words(&fixture.path()), ["one", "twö", "three"]);
}

#[test]
fn a_malformed_line_is_named() {
    let fixture = imported(&["tau2.json"]);
    let file = fixture.path().join(FILE);
    crate::support::add_note(&fixture.path(), &note_on(&fixture, "one")).expect("appended");
    let good = fs::read_to_string(&file).expect("read");
    let unknown = serde_json::to_string(&note("of another store")).expect("JSON");
    let draw =
        serde_json::to_string(&Note { draw: Some(99), ..note_on(&fixture, "") }).expect("JSON");
    let turn =
        serde_json::to_string(&Note { turn: Some(999), ..note_on(&fixture, "") }).expect("JSON");
    let lines = format!("{good}\noops\n{{\"note\": 1}}\n{unknown}\n{draw}\n{turn}\n{good}");
    fs::write(&file, lines).expect("written");
    assert_eq!(words(&fixture.path()), ["one", "one"], "the rest is read");
    let damaged = fixture.store().annotations().expect("read").damaged;
    let said: Vec<String> = damaged.iter().map(ToString::to_string).collect();
    assert!(said[0].contains("annotations.jsonl: line 3 is not a note ("), "{said:?}");
    assert!(said[0].ends_with("; repair or remove it"), "{said:?}");
    let out = run(fixture.home.path(), &["check", "s.qualm"]);
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stdout);
    for part in [
        "annotations.jsonl: line 3 is not a note",
        "annotations.jsonl: line 4 is not a note (",
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
fn notes_are_written_only_into_a_store() {
    let home = home();
    let error =
        crate::support::add_note(home.path(), &note("lost")).expect_err("no store").to_string();
    assert!(error.contains("is not a qualm store"), "{error}");
    assert!(!home.path().join(FILE).exists());
    let nowhere = home.path().join("nowhere.qualm");
    crate::support::add_note(&nowhere, &note("lost")).expect_err("nothing there");
    assert!(!nowhere.exists());
}

/// Appends notes from several threads while `meanwhile` runs, and fails if one is missing.
fn assert_no_note_is_lost(
    fixture: &Imported,
    threads: usize,
    each: usize,
    meanwhile: impl FnOnce(),
) {
    let path = fixture.path();
    thread::scope(|scope| {
        for writer in 0..threads {
            let (path, template) = (&path, note_on(fixture, ""));
            scope.spawn(move || {
                for number in 0..each {
                    let note = Note { note: format!("{writer}.{number}"), ..template.clone() };
                    crate::support::add_note(path, &note).expect("appended");
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
    let fixture = imported(&["tau2.json"]);
    assert_no_note_is_lost(&fixture, 2, 200, || ());
}

#[test]
fn an_import_that_replaces_the_store_loses_nothing() {
    let fixture = imported(&["tau2.json"]);
    let input = crate::support::data("tau2.json");
    assert_no_note_is_lost(&fixture, 2, 150, || {
        for _ in 0..8 {
            let options = ImportOptions::default();
            let paths = [input.clone()];
            qualm::import::import(&paths, &fixture.path(), &options, &|_| {}).expect("imported");
        }
    });
}
