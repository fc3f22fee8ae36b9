//! Values that a store holds: which of them count, how they came about, and when they go.

use std::fs;
use std::path::Path;

use qualm::engine::{Engine, ScoreOptions, StuckTreatment, check_values, score};
use qualm::import::ImportOptions;
use qualm::model::{Cell, PairValue, Score};
use qualm::scorers::whitebox::Spans;
use qualm::scorers::{Direction, Level, Need, SPECS, Scorer, Spec};
use qualm::store::{Amendment, Manifest, Store};

use crate::support::{Draw, home, imported, made, run, text, verdict};

fn draw(success: bool, actions: &[&'static str]) -> Draw {
    Draw { success: Some(success), db_match: None, actions: actions.to_vec() }
}

/// Three tasks of a solved reference and two failing samples, and one without samples.
fn store(home: &Path) -> std::path::PathBuf {
    let task = || vec![draw(true, &["a", "b"]), draw(false, &["a"]), draw(false, &["b", "c"])];
    made(home, &[task(), task(), task(), vec![draw(false, &["a"])]], Vec::new())
}

fn pair(scorer: &str, task: usize, draw_b: u32, value: f64) -> PairValue {
    PairValue {
        cell: Cell::new("d", "m"),
        task: task.to_string(),
        draw_a: 0,
        draw_b,
        scorer: scorer.to_owned(),
        value: Some(value),
    }
}

fn row(scorer: &str, task: usize, value: f64) -> Score {
    Score {
        cell: Cell::new("d", "m"),
        task: task.to_string(),
        draw: 0,
        scorer: scorer.to_owned(),
        aggregator: None,
        value: Some(value),
        log: None,
        fold: None,
    }
}

/// Replaces the stored values.
fn hold(path: &Path, pairs: &[PairValue], scores: &[Score]) {
    let mut amendment = Amendment::begin(path).expect("free");
    amendment.pairs(pairs).expect("written");
    amendment.scores(scores).expect("written");
    amendment.commit().expect("in place");
}

fn load(path: &Path) -> Engine {
    Engine::load(&Store::open(path).expect("a store"), None).expect("loaded")
}

fn ncp() -> Scorer {
    Scorer::parse("ncp")
}

/// The confidences of all tasks.
fn values(engine: &Engine, scorer: &Scorer) -> Vec<Option<f64>> {
    let frame = &engine.frames()[0];
    let values = frame.values(scorer).expect("values");
    let confidence = |task| Some(values.confidence(task)).filter(|value| !value.is_nan());
    (0..frame.tasks.len()).map(confidence).collect()
}

fn scored(path: &Path) -> qualm::engine::ScoreSummary {
    score(path, &ScoreOptions::default(), &|_, _| ()).expect("scored")
}

fn manifest(path: &Path) -> Manifest {
    Store::open(path).expect("a store").manifest().clone()
}

#[test]
fn values_of_pairs_alone_reach_grid_tasks_and_reports() {
    let home = home();
    let path = store(home.path());
    let pairs = [pair("ncp", 0, 1, 0.25), pair("ncp", 0, 2, 0.75), pair("ncp", 1, 2, 0.125)];
    hold(&path, &pairs, &[]);
    let engine = load(&path);
    assert_eq!(values(&engine, &ncp()), [Some(0.5), Some(0.125), None, None]);
    let index = engine.scorers().iter().position(|scorer| *scorer == ncp()).expect("listed");
    let grid = engine.grid(qualm::metrics::Metric::Auroc, None);
    let value = grid.iter().find(|value| value.scorer == index).expect("in the grid");
    assert_eq!(value.counts.tasks, 2);
    assert!(engine.consistency_ids().iter().any(|id| id == "ncp"));
    let report =
        ["report", "made.qualm", "--table", "tasks", "--scorer", "ncp", "--format", "json"];
    let out = run(home.path(), &report);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&out.stdout).expect("JSON");
    assert!(rows.iter().any(|row| row["task"] == "0" && row["value"] == 0.5), "{rows:?}");
    // Like the computed ones, it follows the treatment of stuck tasks.
    let stuck = vec![draw(false, &["a"]), draw(false, &["a"])];
    let path = made(home.path(), &[stuck], Vec::new());
    hold(&path, &[pair("ncp", 0, 1, 0.25)], &[]);
    let treated = load(&path).with_stuck(StuckTreatment::AsFailures);
    assert_eq!(values(&treated, &ncp()), [Some(0.0)]);
}

#[test]
fn where_a_task_has_pairs_they_are_the_truth() {
    let home = home();
    let path = store(home.path());
    let pairs = [pair("ncp", 0, 1, 0.25), pair("mine", 0, 1, 3.0), pair("mine", 0, 2, 5.0)];
    hold(&path, &pairs, &[row("ncp", 0, 0.9), row("ncp", 1, 0.625)]);
    let engine = load(&path);
    assert_eq!(values(&engine, &ncp()), [Some(0.25), Some(0.625), None, None]);
    // A pair of two samples is no pair of the reference.
    let samples = PairValue { draw_a: 1, ..pair("ncp", 0, 2, 0.75) };
    hold(&path, &[samples, pair("ncp", 0, 1, 0.25)], &[]);
    assert_eq!(values(&load(&path), &ncp())[0], Some(0.25));
    assert_eq!(values(&engine, &Scorer::parse("mine"))[0], Some(4.0));
}

#[test]
fn a_stale_copy_is_found_and_written_again() {
    let home = home();
    let path = store(home.path());
    scored(&path);
    assert_eq!(check_values(&Store::open(&path).expect("a store")).expect("read"), [""; 0]);
    let whole = Store::open(&path).expect("a store");
    let mut scores = whole.scores().expect("scores");
    let before = load(&path);
    scores.iter_mut().find(|row| row.scorer == "turns").expect("turns").value = Some(-9.0);
    scores.push(row("aec", 3, 0.5));
    scores.push(row("mine", 3, 0.5));
    hold(&path, &[], &scores);

    let aec = Scorer::parse("aec");
    assert_eq!(values(&load(&path), &aec), values(&before, &aec), "the runs say what holds");
    let out = run(home.path(), &["check", "made.qualm"]);
    let said = text(&out.stdout);
    assert_eq!(out.status.code(), Some(1));
    for line in ["scores: `aec` of d/m: 1 value", "scores: `turns` of d/m: 1 value"] {
        assert!(said.contains(line), "{line} in {said}");
    }
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(text(&out.stderr).contains("compute these values again"));

    let summary = scored(&path);
    assert_eq!(summary.computed, [("turns".to_owned(), 1)]);
    assert_eq!(summary.dropped, 1);
    let now = Store::open(&path).expect("a store");
    let mut expected = whole.scores().expect("scores");
    expected.push(row("mine", 3, 0.5));
    assert_eq!(now.scores().expect("scores"), expected);
    assert!(run(home.path(), &["check", "made.qualm"]).status.success());
}

/// The engine computes these, so a value of a pair in the store would be a second truth.
#[test]
fn computed_values_of_pairs_are_not_stored() {
    let home = home();
    let path = store(home.path());
    let computed: Vec<&Spec> = (SPECS.iter())
        .filter(|spec| spec.level == Level::Pair && spec.formula.is_some() && spec.id != "ter")
        .collect();
    assert!(computed.len() >= 4);
    let theirs = [pair("ncp", 0, 1, 0.25), pair("ter", 0, 1, 1.0), pair("mine", 0, 1, 7.0)];
    let samples = PairValue { draw_a: 1, ..pair("aec", 0, 2, 0.75) };
    let older =
        computed.iter().flat_map(|spec| [pair(spec.id, 0, 1, 9.0), pair(spec.id, 1, 2, 0.5)]);
    let older: Vec<PairValue> = older.chain(theirs.clone()).chain([samples]).collect();
    let before = load(&path);
    hold(&path, &older, &[]);
    let engine = load(&path);
    for spec in &computed {
        let scorer = Scorer::parse(spec.id);
        assert_eq!(values(&engine, &scorer), values(&before, &scorer), "{scorer}");
    }
    assert!(run(home.path(), &["check", "made.qualm"]).status.success(), "they do no harm");

    // Also those of scorers that are not asked for.
    let out = run(home.path(), &["score", "made.qualm", "--scorers", "turns"]);
    let said = text(&out.stdout);
    assert!(said.contains("9 obsolete values of pairs dropped"), "{said}");
    let pairs = || Store::open(&path).expect("a store").pairs().expect("pairs");
    assert_eq!(pairs(), theirs);
    let summary = scored(&path);
    assert_eq!((summary.obsolete, summary.dropped), (0, 0));
    assert_eq!(pairs(), theirs, "scoring writes none");
    assert!(run(home.path(), &["check", "made.qualm"]).status.success());
}

#[test]
fn a_value_that_cannot_be_is_found() {
    let home = home();
    let path = store(home.path());
    hold(&path, &[pair("ncp", 0, 1, 1.5)], &[row("ptrue", 0, -0.5), row("mine", 0, 7.0)]);
    let problems = check_values(&Store::open(&path).expect("a store")).expect("read");
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].starts_with("scores: `ptrue`") && problems[1].starts_with("pairs: `ncp`"));
}

#[test]
fn an_import_drops_what_its_level_makes_stale() {
    let runs = ["tau2-runs/run1.json", "tau2-runs/run2.json", "tau2-runs/run3.json"];
    let mut store = imported(&runs[..2]);
    let head = store.entry("0", 0).head;
    let about =
        |id: &str| Score { cell: head.cell.clone(), task: head.task.clone(), ..row(id, 0, 0.5) };
    let mut scores: Vec<Score> = SPECS.iter().map(|spec| about(spec.id)).collect();
    scores.extend([about("mine"), about("mine-of-pairs")]);
    let of_pairs = PairValue {
        cell: head.cell.clone(),
        task: head.task.clone(),
        ..pair("mine-of-pairs", 0, 1, 0.5)
    };
    hold(&store.path(), &[of_pairs], &scores);
    store.add(&runs[2..], &ImportOptions::default());
    let kept: Vec<String> =
        store.store().scores().expect("scores").into_iter().map(|row| row.scorer).collect();
    let expected: Vec<&str> = (SPECS.iter().filter(|spec| spec.level != Level::Pair))
        .map(|spec| spec.id)
        .chain(["mine"])
        .collect();
    assert_eq!(kept, expected);
    assert_eq!(store.store().pairs().expect("pairs").len(), 1, "the pair itself is as it was");
}

#[test]
fn settings_stay_with_their_values() {
    let runs = ["tau2-runs/run1.json", "tau2-runs/run2.json", "tau2-runs/run3.json"];
    let mut store = imported(&runs[..2]);
    assert!(manifest(&store.path()).scorers.is_empty());
    scored(&store.path());
    let first = manifest(&store.path()).scorers;
    let ids: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(ids, ["adc", "aec", "asc", "fac", "tools", "turns"]);
    assert!(first.values().all(|settings| settings.computed_at > 0 && settings.span.is_none()));
    store.add(&runs[2..], &ImportOptions::default());
    let mut kept = first;
    kept.retain(|id, _| Spec::find(id).is_some_and(|spec| spec.level != Level::Pair));
    assert_eq!(kept.len(), 2);
    assert_eq!(manifest(&store.path()).scorers, kept, "another sample changes means over pairs");
    // The same runs come again, and what was computed from them holds.
    store.add(&runs, &ImportOptions::default());
    assert_eq!(manifest(&store.path()).scorers, kept);
    assert!(store.store().pairs().expect("pairs").is_empty());
}

#[test]
fn settings_name_the_span_and_the_judge() {
    let store = imported(&["tau2-logprobs-v0.json"]);
    let path = store.path();
    scored(&path);
    let span = |path: &Path, id: &str| manifest(path).scorers[id].span.clone();
    assert_eq!(span(&path, "lnsp").as_deref(), Some("action"));
    assert_eq!(span(&path, "turns"), None);
    let only = Some(vec!["lnsp".to_owned()]);
    let options = ScoreOptions { span: Some(Spans::All), scorers: only, ..ScoreOptions::default() };
    score(&path, &options, &|_, _| ()).expect("scored");
    assert_eq!(span(&path, "lnsp").as_deref(), Some("all"));
    let over_tokens = SPECS.iter().filter(|spec| spec.needs(Need::LogProbabilities));
    for spec in over_tokens.filter(|spec| spec.id != "lnsp") {
        assert!(!manifest(&path).scorers.contains_key(spec.id), "{} is gone", spec.id);
        assert!(store.store().scores().expect("scores").iter().all(|row| row.scorer != spec.id));
    }

    let home = home();
    let tasks = vec![vec![draw(true, &["a"]), draw(true, &["a"])]; 2];
    let verdicts = vec![verdict("j", 0, 1, Some(true)), verdict("j", 1, 1, Some(true))];
    let path = made(home.path(), &tasks, verdicts);
    scored(&path);
    assert_eq!(manifest(&path).scorers["ter"].model.as_deref(), Some("j"));
    // A new verdict makes the copy stale, so it is made again.
    let csv = "dataset,model,task,draw_b,judge,equivalent\nd,m,0,1,j,no\n";
    fs::write(home.path().join("v.csv"), csv).expect("written");
    assert!(run(home.path(), &["import", "v.csv", "-o", "made.qualm"]).status.success());
    let ter = || {
        let scores = Store::open(&path).expect("a store").scores().expect("scores");
        let rows = scores.into_iter().filter(|row| row.scorer == "ter");
        rows.map(|row| (row.task, row.value)).collect::<Vec<_>>()
    };
    assert_eq!(ter(), [("0".to_owned(), Some(0.0)), ("1".to_owned(), Some(1.0))]);
    assert!(scored(&path).computed.is_empty());
}

#[test]
fn a_manifest_without_settings_is_read() {
    let store = imported(&["tau2-runs"]);
    scored(&store.path());
    let file = store.path().join("manifest.json");
    let mut json: serde_json::Value =
        serde_json::from_slice(&fs::read(&file).expect("read")).expect("JSON");
    assert!(json.as_object_mut().expect("an object").remove("scorers").is_some());
    fs::write(&file, json.to_string()).expect("written");
    assert!(manifest(&store.path()).scorers.is_empty());
    // Values that are there already do not become newer than they are.
    assert!(scored(&store.path()).computed.is_empty());
    assert!(manifest(&store.path()).scorers.is_empty());
}

#[test]
fn the_published_scorers_are_those_of_the_paper() {
    let not_scorers = ["success_rate", "minority_n", ""];
    for figure in qualm::published::figures() {
        let spec = Spec::find(figure.scorer);
        let is_scorer = !not_scorers.contains(&figure.scorer);
        assert_eq!(spec.is_some_and(|spec| spec.in_paper), is_scorer, "{figure:?}");
    }
}

/// The rows of the table of scorers in docs/scoring.md.
fn documented_scorers() -> String {
    let row = |spec: &Spec| {
        let level = match spec.level {
            Level::Turn => "turn",
            Level::Pair => "pair",
            Level::Task => "task",
        };
        let needs = spec.needs.iter().map(|need| match need {
            Need::LogProbabilities => "log-probabilities",
            Need::Alternatives => "alternatives of tokens",
            Need::Samples => "samples",
            Need::Judge => "a judge",
            Need::Nli => "an NLI model",
            Need::ChatModel => "the agent's model",
            Need::NextActions => "the agent's model (next actions)",
            Need::Encoder => "an encoder",
        });
        let needs = needs.collect::<Vec<_>>().join(", ");
        let surer = match spec.direction {
            Direction::LargerIsSurer => "larger",
            Direction::SmallerIsSurer => "smaller",
        };
        let Spec { id, label, family, .. } = spec;
        format!("| `{id}` | {label} | {} | {level} | {surer} | {needs} |\n", family.id())
    };
    SPECS.iter().map(row).collect()
}

/// `INSTA_UPDATE=always` rewrites the table, as it does snapshots.
#[test]
fn the_documentation_lists_every_scorer() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scoring.md");
    let docs = fs::read_to_string(file).expect("docs/scoring.md");
    let head = "| id | on screen | family | level | surer | needs |\n|---|---|---|---|---|---|\n";
    let (before, rest) = docs.split_once(head).expect("the table of scorers");
    let end = rest.find("\n\n").expect("text after the table") + 1;
    let (rows, after) = rest.split_at(end);
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        let updated = [before, head, &documented_scorers(), after].concat();
        fs::write(file, updated).expect("written");
    } else {
        assert_eq!(rows, documented_scorers(), "INSTA_UPDATE=always rewrites it");
    }
}
