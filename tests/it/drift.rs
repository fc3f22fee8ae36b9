//! The drift of turns in a store: written, read run by run, kept by imports, checked, and shown.

use qualm::import::ImportOptions;
use qualm::model::{Drift, DriftRow};
use qualm::store::{Amendment, check};

use crate::support::{Imported, assert_whole, imported, run, text};

/// A drift that tells its run and turn.
fn drift(task: &str, draw: u32, turn: u32) -> Drift {
    let number: f64 = task.parse().expect("a number");
    let action = (number + 1.0) / 16.0 + f64::from(draw) / 32.0;
    Drift { action, observation: f64::from(turn) / 64.0, severity: (turn > 0).then_some(1.5) }
}

/// Gives every turn of the store a drift.
fn with_drift(fixture: &Imported) {
    let mut amendment = Amendment::begin(&fixture.path()).expect("free");
    let mut entries = amendment.store().entries().expect("entries");
    entries.sort_by_key(|entry| entry.id);
    let rows = entries.iter().flat_map(|entry| {
        (0..entry.head.turns).map(|turn| DriftRow {
            trajectory: entry.id,
            turn,
            drift: drift(&entry.head.task, entry.head.draw, turn),
        })
    });
    amendment.drift(&rows.collect::<Vec<_>>()).expect("written");
    amendment.commit().expect("committed");
}

/// Checks the drift of all turns of some runs.
fn assert_drift(fixture: &Imported, tasks: &[&str], draws: &[u32]) {
    for task in tasks {
        for draw in draws {
            let turns = fixture.trajectory(task, *draw).turns;
            assert!(!turns.is_empty());
            for (number, turn) in (0..).zip(&turns) {
                assert_eq!(
                    turn.drift,
                    Some(drift(task, *draw, number)),
                    "task {task}, draw {draw}"
                );
            }
        }
    }
}

#[test]
fn every_run_gets_its_rows() {
    let fixture = imported(&["tau2-runs"]);
    assert!(fixture.trajectory("0", 0).turns.iter().all(|turn| turn.drift.is_none()));
    with_drift(&fixture);
    let tasks: Vec<(String, u32)> = (fixture.entries().iter())
        .map(|entry| (entry.head.task.clone(), entry.head.draw))
        .collect();
    for (task, draw) in &tasks {
        assert_drift(&fixture, &[task], &[*draw]);
    }
    let store = fixture.store();
    let (entries, rows) = (fixture.entries(), store.drift_rows().expect("rows"));
    let at_once: usize = store.drift(&entries).expect("rows").iter().map(Vec::len).sum();
    assert_eq!(at_once, rows.len());
    assert_whole(&fixture.path());
}

#[test]
fn an_import_keeps_the_drift_of_runs_that_stay() {
    let mut fixture = imported(&["tau2.json"]);
    with_drift(&fixture);
    let before = fixture.store().drift_rows().expect("rows");
    // The same file again: the runs are the same, word for word.
    fixture.add(&["tau2.json"], &ImportOptions::default());
    assert_eq!(fixture.store().drift_rows().expect("rows").len(), before.len());
    // Another file: the runs get other numbers.
    let runs: Vec<(String, u32)> = (fixture.entries().iter())
        .map(|entry| (entry.head.task.clone(), entry.head.draw))
        .collect();
    let drifts = |fixture: &Imported| -> Vec<Vec<Option<Drift>>> {
        let of_run = |(task, draw): &(String, u32)| {
            fixture.trajectory(task, *draw).turns.iter().map(|turn| turn.drift).collect()
        };
        runs.iter().map(of_run).collect()
    };
    let kept = drifts(&fixture);
    fixture.add(&["swe-agent"], &ImportOptions::default());
    assert!(fixture.entries().len() > runs.len());
    assert_eq!(drifts(&fixture), kept);
    assert_whole(&fixture.path());
}

#[test]
fn a_check_names_rows_of_no_turn() {
    let fixture = imported(&["tau2-runs"]);
    let entry = fixture.entry("0", 0);
    let row = |turn| DriftRow { trajectory: entry.id, turn, drift: drift("0", 0, turn) };
    let wrong = |rows: &[DriftRow], why: &str| {
        let mut amendment = Amendment::begin(&fixture.path()).expect("free");
        amendment.drift(rows).expect("written");
        amendment.commit().expect("committed");
        let problems = check(&fixture.path(), &|_, _| ());
        assert!(problems.iter().any(|problem| problem.contains(why)), "{problems:?}");
    };
    wrong(&[row(900)], "there is no such turn");
    wrong(&[row(0), row(0)], "is not the next one");
    let infinite = Drift { action: f64::INFINITY, observation: 0.0, severity: None };
    wrong(&[DriftRow { drift: infinite, ..row(0) }], "a number is infinite");
}

#[test]
fn a_shown_turn_has_its_drift() {
    let fixture = imported(&["tau2.json"]);
    let show = |more: &[&str]| {
        let args = [&["show", "s.qualm", "--task", "0", "--draws", "0"], more].concat();
        text(&run(fixture.home.path(), &args).stdout)
    };
    assert!(!show(&[]).contains("drift"));
    with_drift(&fixture);
    let shown = show(&[]);
    assert!(shown.contains("drift 0.06, after it 0.00"), "{shown}");
    assert!(shown.contains("drift 0.06, after it 0.02, severity 1.50"), "{shown}");
    let json = show(&["--format", "json"]);
    assert!(
        json.contains("\"observation\":0.015625") || json.contains("\"observation\": 0.015625"),
        "{json}"
    );
}
