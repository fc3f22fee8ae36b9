//! Labels from a report or a table, for runs whose harness gave none or others.

use std::path::PathBuf;

use qualm::import::{ImportOptions, import};
use qualm::model::{Basis, Check, CheckKind};
use qualm::store::{Entry, Values, write_parquet};

use crate::support::{Imported, assert_whole, data, home, imported_with, rows, run, text};

fn labelled(results: &[&str], files: &[&str]) -> Imported {
    let labels: Vec<PathBuf> = files.iter().map(|name| data(name)).collect();
    imported_with(results, &ImportOptions { labels, ..ImportOptions::default() })
}

/// The labels of a task's runs by draw.
fn labels(fixture: &Imported, task: &str) -> Vec<Option<bool>> {
    let entries = fixture.entries();
    let of_task = entries.iter().filter(|entry| entry.head.task == task);
    of_task.map(|entry| entry.head.outcome.success).collect()
}

#[test]
fn a_report_labels_all_runs_of_its_tasks() {
    let fixture = labelled(&["mini/run-a", "mini/run-b"], &["labels/report.json"]);
    assert_eq!(labels(&fixture, "acme__tool-1"), [Some(true), Some(true)]);
    assert_eq!(labels(&fixture, "acme__tool-2"), [Some(false)]);
    let done = &fixture.summary.labelled[0];
    assert_eq!((done.runs, done.changed), (3, 0));
    assert_eq!(done.unmatched, ["acme__tool-9"], "what was not submitted has no label");
    assert_eq!((fixture.summary.ungraded, fixture.summary.cells[0].labelled), (0, 3));
}

#[test]
fn rows_may_name_a_draw_and_later_files_go_over_earlier_ones() {
    let results = ["mini/run-a", "mini/run-b"];
    let fixture = labelled(&results, &["labels/labels.csv"]);
    assert_eq!(labels(&fixture, "acme__tool-1"), [Some(true), Some(false)]);
    assert_eq!(labels(&fixture, "acme__tool-2"), [None], "an empty cell is no label");
    assert_eq!(fixture.summary.ungraded, 1);
    let fixture = labelled(&results, &["labels/labels.csv", "labels/by-instance.json"]);
    assert_eq!(labels(&fixture, "acme__tool-1"), [Some(false), Some(false)]);
    assert_eq!(labels(&fixture, "acme__tool-2"), [Some(true)]);
    let done: Vec<_> =
        fixture.summary.labelled.iter().map(|file| (file.runs, file.changed)).collect();
    assert_eq!(done, [(2, 0), (3, 1)]);
}

#[test]
fn rows_may_name_a_trial_and_a_reward() {
    let fixture = labelled(&["harbor-job"], &["labels/labels.jsonl"]);
    assert_eq!(labels(&fixture, "add-two"), [Some(false), Some(true)]);
    assert_eq!(fixture.entry("add-two", 0).head.outcome.reward, Some(0.5));
    let done = &fixture.summary.labelled[0];
    assert_eq!((done.runs, done.changed), (2, 2));
    assert_eq!(done.unmatched, ["nowhere"]);
}

/// Kind, name, verdict and value of the checks of a run.
fn checks(fixture: &Imported, task: &str, draw: u32) -> Vec<(CheckKind, String, bool, String)> {
    let run = fixture.trajectory(task, draw);
    let check = |check: Check| {
        (check.kind, check.expected, check.met.expect("a verdict"), check.detail.expect("a value"))
    };
    run.checks.into_iter().map(check).collect()
}

#[test]
fn every_label_is_a_check_with_the_name_of_its_file() {
    let results = ["mini/run-a", "mini/run-b"];
    let fixture = labelled(&results, &["labels/labels.csv", "labels/by-instance.json"]);
    let score =
        |name: &str, met, said: &str| (CheckKind::Score, name.to_owned(), met, said.to_owned());
    let by_instance = |met: bool| score("by-instance.json", met, &met.to_string());
    let said = |draw| checks(&fixture, "acme__tool-1", draw);
    assert_eq!(said(0), [score("labels.csv", true, "true"), by_instance(false)]);
    assert_eq!(said(1), [score("labels.csv", false, "no"), by_instance(false)]);
    assert_eq!(checks(&fixture, "acme__tool-2", 1), [by_instance(true)]);
    assert_whole(&fixture.path());
    let fixture = labelled(&results, &["labels/report.json"]);
    assert_eq!(checks(&fixture, "acme__tool-1", 1), [score("report.json", true, "resolved")]);
    assert_eq!(checks(&fixture, "acme__tool-2", 1), [score("report.json", false, "not resolved")]);
}

#[test]
fn a_label_stands_behind_the_checks_of_the_harness_and_decides() {
    let home = home();
    let path = home.path().join("labels.csv");
    let plain = imported_with(&["tau2-checks.json"], &ImportOptions::default());
    let entries = plain.entries();
    let is_solved = |entry: &&Entry| entry.head.outcome.success == Some(true);
    let task = entries.iter().find(is_solved).expect("a success").head.task.clone();
    std::fs::write(&path, format!("task,passed\n{task},0\n")).expect("written");
    let options = ImportOptions { labels: vec![path], ..ImportOptions::default() };
    let fixture = imported_with(&["tau2-checks.json"], &options);
    let store = fixture.store();
    let before = plain.store();
    for (entry, old) in fixture.entries().iter().zip(&entries) {
        let (run, old) =
            (store.trajectory(entry).expect("a run"), before.trajectory(old).expect("a run"));
        let labelled = usize::from(run.head.task == task);
        assert_eq!(run.checks.len(), old.checks.len() + labelled);
        assert_eq!(run.checks[..old.checks.len()], old.checks);
        if labelled == 1 {
            let (outcome, old) = (&run.head.outcome, &old.head.outcome);
            let kept = old.reward.filter(|_| old.success == Some(false));
            assert_eq!((outcome.success, outcome.reward), (Some(false), kept), "no reward of 1");
        }
        if labelled == 1 && old.head.outcome.basis.is_some() {
            let basis = run.head.outcome.basis.as_ref().map(Basis::as_str);
            assert_eq!(basis, Some("score"));
        }
    }
    let table = rows(fixture.home.path(), &fixture.path(), &["--table", "checks"]);
    assert!(table.iter().any(|row| row["check"] == "score" && row["failed"] != 0), "{table:?}");
    assert_whole(&fixture.path());
}

#[test]
fn a_parquet_file_of_labels_is_read() {
    let home = home();
    let path = home.path().join("labels.parquet");
    let ids = Values::Text(vec![Some("acme__tool-1".to_owned()), Some("acme__tool-2".to_owned())]);
    let columns = [("id", ids), ("passed", Values::Flag(vec![Some(true), None]))];
    let mut bytes = Vec::new();
    write_parquet(&mut bytes, 2, &columns).expect("written");
    std::fs::write(&path, bytes).expect("written");
    let options = ImportOptions { labels: vec![path], ..ImportOptions::default() };
    let fixture = imported_with(&["mini/run-b"], &options);
    assert_eq!(labels(&fixture, "acme__tool-1"), [Some(true)]);
    assert_eq!(labels(&fixture, "acme__tool-2"), [None]);
}

#[test]
fn the_summary_says_what_labels_did() {
    let home = home();
    let path = |name: &str| data(name).to_str().expect("UTF-8").to_owned();
    let (job, file) = (path("harbor-job"), path("labels/labels.jsonl"));
    let done = run(home.path(), &["import", &job, "-o", "s.qualm", "--labels", &file]);
    let said = text(&done.stdout);
    let line =
        "labels.jsonl: 2 trajectories labelled, 2 of them changed; 1 id without a run: nowhere";
    assert!(said.contains(line), "{said}{}", text(&done.stderr));
}

#[test]
fn labels_that_cannot_be_used_leave_nothing_behind() {
    let home = home();
    let bad = |name: &str, content: &str| {
        let path = home.path().join(name);
        std::fs::write(&path, content).expect("written");
        path
    };
    let cases = [
        (
            data("labels/contradiction.csv"),
            "line 3: task acme__tool-1 is labelled differently at line 2",
        ),
        (bad("a.csv", "task,success\nx,maybe\n"), "line 2: `success` is `maybe`"),
        (bad("b.csv", "name,success\nx,1\n"), "has no column with task ids"),
        (bad("c.csv", "task,points\nx,1\n"), "has no column with labels"),
        (bad("d.json", "{}"), "holds no label"),
        (bad("e.jsonl", "{\"id\": \"x\", \"passed\": true}\n{\"id\": "), "line 2"),
        (bad("f.json", "[]"), "has no column with task ids"),
        (home.path().join("none.csv"), "there is no such file"),
    ];
    for (path, problem) in cases {
        let out = home.path().join("s.qualm");
        let options = ImportOptions { labels: vec![path], ..ImportOptions::default() };
        let failed = import(&[data("mini/run-a")], &out, &options, &|_| {});
        let error = failed.expect_err(problem).to_string();
        assert!(error.contains(problem), "{error}");
        assert!(!out.exists());
    }
}
