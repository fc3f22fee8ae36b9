//! `qualm check` lists every problem of a damaged store.

use std::fs;
use std::path::Path;

use qualm::import::Summary;
use qualm::model::{Cell, Head, Message, Role, Score, Span, TokenSeq, Trajectory};
use qualm::store::{Extras, Manifest, StoreWriter};

use crate::support::{Imported, home, imported, is_long_run, run, text};

fn problems(fixture: &Imported) -> String {
    let out = run(fixture.home.path(), &["check", "s.qualm"]);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stdout));
    let said = text(&out.stdout) + &text(&out.stderr);
    assert!(!said.contains("panicked"), "{said}");
    said
}

#[test]
fn a_sound_store_has_no_problem() {
    let fixture = imported(&["tau2.json", "tau2-logprobs-v0.json"]);
    let out = run(fixture.home.path(), &["check", "s.qualm"]);
    assert!(out.status.success());
    assert_eq!(text(&out.stdout), "s.qualm: no problem found\n");
}

#[test]
fn missing_tables_are_listed() {
    let fixture = imported(&["tau2.json", "tau2-logprobs-v0.json"]);
    fs::remove_file(fixture.path().join("tokens.parquet")).expect("removed");
    fs::remove_file(fixture.path().join("tasks.parquet")).expect("removed");
    let said = problems(&fixture);
    assert!(said.contains("tokens: the file is missing (3 rows were written)"), "{said}");
    assert!(said.contains("tasks: the file is missing"), "{said}");
    // To a reader, a missing table is empty.
    assert!(fixture.store().tasks().expect("empty").is_empty());
}

#[test]
fn truncated_and_garbled_tables_are_listed() {
    for name in ["trajectories", "messages", "turns"] {
        let fixture = imported(&["tau2.json"]);
        let path = fixture.path().join(name).with_extension("parquet");
        let bytes = fs::read(&path).expect("read");
        fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
        let said = problems(&fixture);
        assert!(
            said.contains(&format!("{name}.parquet: is not a complete Parquet file")),
            "{said}"
        );
    }
}

#[test]
fn a_changed_byte_never_causes_a_panic() {
    let fixture = imported(&["tau2-logprobs-v0.json"]);
    let tried = if is_long_run() { 60 } else { 12 };
    for name in ["messages", "tokens", "trajectories"] {
        let path = fixture.path().join(name).with_extension("parquet");
        let bytes = fs::read(&path).expect("read");
        for at in (0..bytes.len()).step_by(bytes.len() / tried + 1) {
            let mut bad = bytes.clone();
            bad[at] ^= 0x5a;
            fs::write(&path, &bad).expect("written");
            let out = run(fixture.home.path(), &["check", "s.qualm"]);
            let said = text(&out.stderr);
            assert!(out.status.code().is_some_and(|code| code < 2), "byte {at} of {name}: {said}");
            assert!(!said.contains("panicked"), "byte {at} of {name}: {said}");
        }
        fs::write(&path, &bytes).expect("written");
    }
}

#[test]
fn newer_versions_and_foreign_manifests_are_rejected() {
    let fixture = imported(&["tau2.json"]);
    let path = fixture.path().join("manifest.json");
    let manifest = fs::read_to_string(&path).expect("read");
    fs::write(&path, manifest.replacen("\"version\": 1", "\"version\": 99", 1)).expect("written");
    let said = problems(&fixture);
    assert!(
        said.contains("the store has version 99, newer than this qualm reads (2); update qualm"),
        "{said}"
    );
    fs::write(&path, manifest.replacen("qualm-store", "other", 1)).expect("written");
    assert!(problems(&fixture).contains("manifest of another program"));
    fs::write(&path, &manifest[..40]).expect("written");
    assert!(problems(&fixture).contains("manifest.json: is not a manifest"));
    fs::remove_file(&path).expect("removed");
    assert!(problems(&fixture).contains("is not a qualm store"));
}

fn one_run(task: &str, logprob: f64) -> Trajectory {
    let messages = vec![Message::text(Role::Assistant, "Hello")];
    Trajectory::new(Head::new(Cell::new("d", "m"), task), messages, |_| {
        let mut tokens = TokenSeq::default();
        tokens.push("Hello", logprob, Span::Action);
        Some(tokens)
    })
}

fn write(path: &Path, runs: Vec<Trajectory>, scores: Vec<Score>) {
    let mut writer = StoreWriter::create(path).expect("free");
    runs.into_iter().for_each(|run| writer.push(run).expect("pushed"));
    let extras = Extras { scores, ..Extras::default() };
    writer.finish(Manifest::new(), &extras).expect("written");
}

#[test]
fn repeated_draws_scores_of_unknown_runs_and_nan_are_listed() {
    let home = home();
    let fixture = Imported { home, summary: Summary::default() };
    let score = |task: &str, value| Score {
        cell: Cell::new("d", "m"),
        task: task.to_owned(),
        draw: 0,
        scorer: "mine".to_owned(),
        aggregator: None,
        value: Some(value),
        log: None,
        fold: None,
    };
    let mut sample = one_run("lonely", -0.1);
    sample.head.draw = 2;
    let runs = vec![one_run("0", -0.1), one_run("0", f64::NAN), sample];
    write(&fixture.path(), runs, vec![score("0", f64::NAN), score("9", 0.5)]);
    let said = problems(&fixture);
    for part in [
        "trajectories: d/m, task 0: draw 0 occurs twice",
        "tokens: trajectory 1 (d/m, task 0, draw 0), turn 1: a log-probability is NaN",
        "scores: `mine` of d/m, task 9: there is no such trajectory (draw 0)",
        "scores: `mine` of d/m, task 0, draw 0: the value is NaN",
        "4 problems",
    ] {
        assert!(said.contains(part), "{part:?} in\n{said}");
    }
}

#[test]
fn a_table_of_another_store_is_detected() {
    let (fixture, other) = (imported(&["tau2.json"]), imported(&["tau1.json"]));
    let table = |fixture: &Imported| fixture.path().join("messages.parquet");
    fs::copy(table(&other), table(&fixture)).expect("copied");
    let said = problems(&fixture);
    assert!(said.contains("messages: has"), "{said}");
}

#[test]
fn every_unreadable_table_is_named() {
    let home = home();
    let fixture = Imported { home, summary: Summary::default() };
    let score = Score {
        cell: Cell::new("d", "m"),
        task: "0".to_owned(),
        draw: 0,
        scorer: "mine".to_owned(),
        aggregator: None,
        value: Some(0.5),
        log: None,
        fold: None,
    };
    write(&fixture.path(), vec![one_run("0", -0.1)], vec![score.clone(), score]);
    assert!(problems(&fixture).contains("scores: `mine` of d/m, task 0, draw 0: occurs twice"));
    for name in ["trajectories", "scores"] {
        let path = fixture.path().join(name).with_extension("parquet");
        let bytes = fs::read(&path).expect("read");
        fs::write(&path, &bytes[..bytes.len() / 2]).expect("written");
    }
    let said = problems(&fixture);
    assert!(
        said.contains("trajectories.parquet: is not") && said.contains("scores.parquet: is not"),
        "{said}"
    );
}

#[test]
fn nan_turn_scores_are_listed() {
    let home = home();
    let fixture = Imported { home, summary: Summary::default() };
    let mut run = one_run("0", -0.1);
    qualm::scorers::whitebox::score_turns(&mut run, qualm::scorers::whitebox::Spans::Action);
    run.turns[0].scores.as_mut().expect("scored").lnsp = f64::NAN;
    run.head.outcome.reward = Some(f64::NAN);
    write(&fixture.path(), vec![run], Vec::new());
    let said = problems(&fixture);
    assert!(
        said.contains("turns: trajectory 0 (d/m, task 0, draw 0), turn 1: a score is NaN"),
        "{said}"
    );
    assert!(said.contains("2 problems"), "the reward, and nothing that follows from it: {said}");
}
