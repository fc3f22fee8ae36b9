//! `qualm score`: what it computes and keeps, and what happens after later imports.

use std::path::Path;

use qualm::engine::{Engine, ScoreOptions, score};
use qualm::import::ImportOptions;
use qualm::scorers::whitebox::Spans;
use qualm::scorers::{Need, SPECS, Spec};
use qualm::store::Store;

use crate::support::{assert_whole, demo_at, home, imported, run, text};

#[test]
fn scoring_runs_once_and_reports_what_is_missing() {
    let fixture = imported(&["tau2-runs"]);
    let out = run(fixture.home.path(), &["score", "s.qualm"]);
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(said.contains("aec: 2 values computed"), "{said}");
    assert!(said.contains("white-box: 0 of 2 references have log-probabilities"), "{said}");
    assert!(said.contains("ter: 0 of 2 tasks have a judged pair"), "{said}");
    assert!(fixture.store().pairs().expect("pairs").is_empty(), "values of pairs are computed");
    assert_whole(&fixture.path());
    let again = text(&run(fixture.home.path(), &["score", "s.qualm"]).stdout);
    let needs_more = |spec: &Spec| spec.needs(Need::LogProbabilities) || spec.needs(Need::Judge);
    let computed = SPECS.iter().filter(|spec| spec.formula.is_some() && !needs_more(spec)).count();
    let there = format!("{computed} scorers already there");
    assert!(!again.contains("computed") && again.contains(&there), "{again}");
}

#[test]
fn scoring_keeps_what_it_does_not_compute() {
    let home = home();
    let path = home.path().join("d.qualm");
    demo_at(&path, 3);
    let before = Store::open(&path).expect("a store");
    let kept = (before.judgments().expect("judgments"), before.tasks().expect("tasks"));
    score(&path, &ScoreOptions::default(), &|_, _| ()).expect("scored");
    let after = Store::open(&path).expect("a store");
    assert_eq!((after.judgments().expect("judgments"), after.tasks().expect("tasks")), kept);
    let scores = after.scores().expect("scores");
    for (scorer, aggregator) in
        [("ptrue", None), ("lnsp", Some("min")), ("asc", None), ("ter", None)]
    {
        let values = scores
            .iter()
            .filter(|row| row.scorer == scorer && row.aggregator.as_deref() == aggregator);
        assert_eq!(values.count(), 60, "{scorer}");
    }
    assert_whole(&path);
}

#[test]
fn another_span_rescores_the_turns() {
    let fixture = imported(&["tau2-logprobs-v0.json"]);
    let lnsp = || {
        fixture
            .trajectory("0", 0)
            .turns
            .iter()
            .map(|turn| turn.scores.map(|s| s.lnsp))
            .collect::<Vec<_>>()
    };
    let action = lnsp();
    assert_eq!(action.iter().flatten().count(), 2, "the native call has no action tokens");
    let options = ScoreOptions { span: Some(Spans::All), ..ScoreOptions::default() };
    assert!(score(&fixture.path(), &options, &|_, _| ()).expect("scored").rescored);
    let all = lnsp();
    assert_eq!(all.iter().flatten().count(), 3);
    assert_ne!(action[1], all[1]);
    assert_eq!(fixture.store().manifest().span.as_deref(), Some("all"));
    assert!(
        !score(&fixture.path(), &options, &|_, _| ()).expect("scored").rescored,
        "it is so already"
    );
    assert_whole(&fixture.path());
}

const RUNS: [&str; 3] = ["tau2-runs/run1.json", "tau2-runs/run2.json", "tau2-runs/run3.json"];

fn consistency(path: &Path) -> Vec<Vec<f64>> {
    let engine = Engine::load(&Store::open(path).expect("a store"), None).expect("loaded");
    let pairs = engine.frames()[0].pair_values("aec");
    pairs.expect("there are samples").iter().map(<[f64]>::to_vec).collect()
}

#[test]
fn samples_imported_after_scoring_count_at_once() {
    let mut fixture = imported(&RUNS[..2]);
    score(&fixture.path(), &ScoreOptions::default(), &|_, _| ()).expect("scored");
    fixture.add(&RUNS[2..], &ImportOptions::default());
    assert_eq!(consistency(&fixture.path()), consistency(&imported(&RUNS).path()));
    assert!(consistency(&fixture.path()).iter().flatten().all(|value| !value.is_nan()));
}

#[test]
fn a_new_reference_is_scored() {
    let mut fixture = imported(&RUNS[..1]);
    score(&fixture.path(), &ScoreOptions::default(), &|_, _| ()).expect("scored");
    fixture.add(&RUNS[1..2], &crate::support::with_reference("run2.json"));
    score(&fixture.path(), &ScoreOptions::default(), &|_, _| ()).expect("scored");
    let scores = fixture.store().scores().expect("scores");
    let turns = scores.iter().filter(|row| row.scorer == "turns" && row.draw == 0);
    assert_eq!(turns.count(), 2, "a value for the reference of each task");
}

#[test]
fn an_import_scores_the_span_of_the_store() {
    let mut fixture = imported(&["tau2-logprobs-v1.json"]);
    let options = ScoreOptions { span: Some(Spans::Reasoning), ..ScoreOptions::default() };
    score(&fixture.path(), &options, &|_, _| ()).expect("scored");
    let reasoning = fixture.trajectory("0", 0).turns[0].scores;
    fixture.add(&["tau2-logprobs-v1.json"], &ImportOptions::default());
    assert_eq!(fixture.trajectory("0", 0).turns[0].scores, reasoning);
}

#[test]
fn tokens_of_zero_probability_do_not_break_propagation() {
    let home = home();
    let path = home.path().join("x.json");
    let json =
        std::fs::read_to_string(crate::support::data("tau2-logprobs-v1.json")).expect("text");
    std::fs::write(&path, json.replace("-0.25", "-9999.0").replace("-0.5", "-9999.0"))
        .expect("written");
    let store = home.path().join("s.qualm");
    qualm::import::import(&[path], &store, &ImportOptions::default(), &|_| {}).expect("imported");
    let engine = Engine::load(&Store::open(&store).expect("a store"), None).expect("loaded");
    let prop =
        engine.scorers().iter().find(|scorer| scorer.id() == "prop-uniform").expect("scored");
    let value = engine.frames()[0].values(prop).expect("values").confidence(0);
    assert!((value + 9999.0).abs() < 1e-9, "{value}");
}
