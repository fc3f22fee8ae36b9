//! Turns marked as decisive errors: on screen, in `show` and in files, through imports and merges; and
//! the named selections that a merge brings.

use std::fs;
use std::path::{Path, PathBuf};

use qualm::import::{ImportOptions, import};
use qualm::model::Cell;
use qualm::store::{Cause, NamedKind, NamedTasks, StepLabel, Store};
use serde_json::{Value, json};

use crate::explorer::Driver;
use crate::support::{Draw, assert_whole, home, made, run, text, with_reference};

fn label(author: &str, draw: u32, turn: u32, cause: Cause) -> StepLabel {
    StepLabel {
        time: 1_790_000_000,
        author: author.to_owned(),
        cell: Cell::new("d", "m"),
        task: "0".to_owned(),
        draw,
        turn,
        cause,
    }
}

fn open(path: &Path) -> Store {
    Store::open(path).expect("a store")
}

/// A store of one task with two failed runs, and a copy of it.
fn two_copies(home: &Path) -> [PathBuf; 2] {
    let draw = |actions| Draw { success: Some(false), db_match: None, actions };
    let task = vec![draw(vec!["a", "b", "c"]), draw(vec!["a", "c"])];
    let path = made(home, &[task], Vec::new());
    let other = home.join("other.qualm");
    fs::create_dir(&other).expect("made");
    for entry in fs::read_dir(&path).expect("read").flatten() {
        fs::copy(entry.path(), other.join(entry.file_name())).expect("copied");
    }
    [path, other]
}

/// Screens, `show` and the table of turns count turns from 1; lines and the export of labels from 0.
#[test]
fn marked_turns_are_shown_and_written() {
    let home = home();
    let [path, _] = two_copies(home.path());
    open(&path).add_label(&label("bob", 0, 1, Cause::Tool)).expect("added");
    let shown = |format: &str| {
        let args = ["show", "made.qualm", "--task", "0", "--format", format];
        let out = run(home.path(), &args);
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    assert!(shown("text").contains("decisive error: reference, turn 2: tool, bob, 2026-09-21"));
    assert!(shown("md").contains("Decisive error: reference, turn 2: tool, `bob`, 2026-09-21"));
    let json: Value = serde_json::from_str(&shown("json")).expect("JSON");
    let error = json!({
        "time": 1_790_000_000, "author": "bob", "dataset": "d", "model": "m",
        "condition": "default", "draw": 0, "turn": 2, "cause": "tool",
    });
    assert_eq!(json["decisive_errors"], json!([error]));
    let out = run(home.path(), &["export", "made.qualm", "--what", "labels"]);
    assert!(text(&out.stdout).contains("d,m,default,0,0,1,tool,bob,"), "{out:?}");
    let mut driver = Driver::new(&path, 140, 40);
    let screen = driver.press("2<Enter>");
    assert!(screen.contains("✱ tool"), "{screen}");
    let file = home.path().join("turns.csv");
    driver.press(&format!("E<Ctrl-u>{}<Enter>", file.display()));
    let written = fs::read_to_string(&file).expect("written");
    let lines: Vec<&str> = written.lines().collect();
    assert!(lines[0].ends_with(",decisive_error"), "{written}");
    let marked: Vec<bool> = lines[1..].iter().map(|line| line.ends_with("tool (bob)")).collect();
    assert_eq!(marked, [false, true, false], "{written}");
    assert!(lines[2].starts_with("2,b,"), "{written}");
    let file = home.path().join("runs.json");
    driver.press(&format!("E<Ctrl-u>{}<Enter>", file.display()));
    let written: Value =
        serde_json::from_str(&fs::read_to_string(&file).expect("written")).expect("JSON");
    assert_eq!(written["decisive_errors"], json["decisive_errors"]);
}

/// A store that is imported again, with other numbers of draws, has the label on the same run.
#[test]
fn labels_stay_on_their_runs_through_imports() {
    let home = home();
    let results = home.path().join("results.json");
    let words = ["first", "second", "third"];
    let simulation = |trial: usize| {
        let turn = |text: &str| json!({"role": "assistant", "content": text});
        json!({
            "task_id": "8", "trial": trial, "reward_info": {"reward": 0},
            "messages": [turn(words[trial]), turn("and more")],
        })
    };
    let simulations: Vec<Value> = (0..3).map(simulation).collect();
    fs::write(&results, json!({"simulations": simulations}).to_string()).expect("written");
    let path = home.path().join("s.qualm");
    let files = [results];
    let options = |reference: &str| with_reference(reference);
    import(&files, &path, &ImportOptions::default(), &|_| {}).expect("imported");
    let first_words = |draw: u32| {
        let store = open(&path);
        let entry = store.entries().expect("entries").into_iter().find(|one| one.head.draw == draw);
        let run = store.trajectory(&entry.expect("the draw")).expect("a run");
        run.messages[0].words().unwrap_or_default().to_owned()
    };
    let marked = (0..3).find(|draw| first_words(*draw) == "second").expect("there");
    let head = open(&path).entries().expect("entries")[0].head.clone();
    let label =
        StepLabel { cell: head.cell, task: "8".into(), ..label("ada", marked, 1, Cause::User) };
    open(&path).add_label(&label).expect("added");
    let mut numbers = vec![marked];
    for reference in ["1", "2", "0"] {
        import(&files, &path, &options(reference), &|_| {}).expect("imported");
        let labels = open(&path).labels().expect("labels");
        assert_eq!(labels.len(), 1, "{reference}");
        let moved = StepLabel { draw: labels[0].draw, ..label.clone() };
        assert_eq!(labels[0], moved, "{reference}");
        assert_eq!(first_words(labels[0].draw), "second", "{reference}");
        numbers.push(labels[0].draw);
    }
    numbers.dedup();
    assert!(numbers.len() > 1, "the draw had other numbers: {numbers:?}");
    assert_whole(&path);
}

/// Labels of one author that contradict each other are reported; those that are here count, or the newer.
#[test]
fn a_merge_reports_labels_that_contradict_each_other() {
    let home = home();
    let [path, other] = two_copies(home.path());
    open(&path).add_label(&label("ada", 0, 1, Cause::Agent)).expect("added");
    let newer = StepLabel { time: 1_790_000_100, ..label("ada", 0, 2, Cause::Tool) };
    open(&other).add_label(&newer).expect("added");
    open(&other).add_label(&label("bob", 0, 2, Cause::Tool)).expect("added");
    open(&other).add_label(&label("ada", 1, 0, Cause::Agent)).expect("added");
    let out = run(home.path(), &["merge", "made.qualm", "other.qualm"]);
    let said = text(&out.stdout) + &text(&out.stderr);
    assert!(said.contains("labels contradict each other, and those that are here count"), "{said}");
    let row: Vec<&str> = said
        .lines()
        .find(|line| line.contains("turn 2, agent"))
        .unwrap_or_else(|| panic!("{said}"))
        .split("  ")
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    assert_eq!(
        row[..7],
        ["ada", "d/m", "0", "0", "turn 2, agent", "turn 3, tool", "turn 2, agent"]
    );
    let labels = qualm::store::labels::current(&open(&path).labels().expect("labels"));
    let said: Vec<(&str, u32, u32)> =
        labels.iter().map(|label| (label.author.as_str(), label.draw, label.turn)).collect();
    assert_eq!(said, [("ada", 0, 1), ("bob", 0, 2), ("ada", 1, 0)]);
    let out = run(home.path(), &["merge", "made.qualm", "other.qualm", "--newest"]);
    assert!(out.status.success(), "{out:?}");
    let labels = qualm::store::labels::current(&open(&path).labels().expect("labels"));
    assert_eq!((labels[0].turn, labels[0].cause), (2, Cause::Tool), "the newer one");
    // Who has both knows the order: nothing contradicts any more.
    let out = run(home.path(), &["merge", "made.qualm", "other.qualm"]);
    assert!(!text(&out.stderr).contains("contradict"), "{out:?}");
    assert_whole(&path);
}

#[test]
fn a_merge_brings_named_selections() {
    let home = home();
    let [path, other] = two_copies(home.path());
    let named = |kind, name: &str, expression: &str| NamedTasks {
        kind,
        name: name.to_owned(),
        expression: expression.to_owned(),
    };
    let ours = named(NamedKind::Selection, "long", "turns > 5");
    open(&path).keep_named(&ours, "ada", 1).expect("kept");
    let theirs = [
        named(NamedKind::Selection, "long", "turns > 9"),
        named(NamedKind::Scope, "long", "turns > 3"),
        named(NamedKind::Selection, "hard", "not success"),
    ];
    for one in &theirs {
        open(&other).keep_named(one, "bob", 2).expect("kept");
    }
    let out = run(home.path(), &["merge", "made.qualm", "other.qualm"]);
    let said = text(&out.stderr);
    assert!(said.contains("2 named expressions added"), "{said}");
    assert!(said.contains("`long` stays `turns > 5`; the other store has `turns > 9`"), "{said}");
    let expected = [theirs[2].clone(), ours, theirs[1].clone()];
    assert_eq!(open(&path).named_tasks().expect("read"), expected);
    let lines = fs::read_to_string(path.join("selections.jsonl")).expect("read");
    assert_eq!(lines.matches(r#""author":"bob""#).count(), 2, "{lines}");
    // Again, there is nothing to add.
    let out = run(home.path(), &["merge", "made.qualm", "other.qualm"]);
    assert!(!text(&out.stderr).contains("added named"), "{out:?}");
    assert_eq!(fs::read_to_string(path.join("selections.jsonl")).expect("read"), lines);
}
