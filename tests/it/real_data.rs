//! Real results in the folder that `QUALM_TEST_DATA` names: action sequences, counts, labels and
//! consistency compared with values that another program computed from the same files.

use std::path::{Path, PathBuf};

use qualm::compare::{CallFound, expected_calls};
use qualm::engine::{Engine, Scope};
use qualm::import::{ImportOptions, import};
use qualm::metrics::Metric;
use qualm::model::CheckKind;
use qualm::scorers::Scorer;
use qualm::scorers::consistency::Consistency;
use qualm::store::{Entry, Store};
use serde_json::Value;

use crate::support::{assert_whole, home};

pub fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("QUALM_TEST_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: QUALM_TEST_DATA names no folder of real results");
    }
    folder
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().expect("a list").iter().map(|count| count.as_u64().expect("a count")).collect()
}

#[test]
fn every_run_matches_the_other_program() {
    compare_cells("expected.json");
}

#[test]
fn every_bfcl_run_matches_the_other_program() {
    compare_cells("expected-bfcl.json");
}

/// The files of a cell; one of BFCL stands with its score file, which the import finds itself.
fn files_of(folder: &Path, cell: &Value) -> Vec<PathBuf> {
    let files = cell["files"].as_array().expect("files").iter();
    files.map(|file| folder.join(file.get(0).unwrap_or(file).as_str().expect("a path"))).collect()
}

/// Imports every cell that a file lists, and compares it with the values there.
fn compare_cells(file: &str) {
    let Some(folder) = folder() else { return };
    let expected = std::fs::read(folder.join(file)).expect(file);
    let expected: Value = serde_json::from_slice(&expected).expect("JSON");
    let cells = expected["cells"].as_object().expect("cells");
    assert!(!cells.is_empty());
    for (name, cell) in cells {
        let files = files_of(&folder, cell);
        let home = home();
        let path = home.path().join("s.qualm");
        let mut options = ImportOptions::default();
        if name.ends_with("/two-models-as-draws") {
            options.read.model = cell["model"].as_str().map(str::to_owned);
        }
        import(&files, &path, &options, &|_| {}).expect(name);
        let entries = Store::open(&path).expect(name).entries().expect(name);
        let tasks = cell["tasks"].as_array().expect("tasks");
        assert_eq!(entries.len() as u64, cell["all_runs"].as_u64().expect("a count"), "{name}");
        for task in tasks {
            let id = task["task"].as_str().expect("an id");
            let draws: Vec<&Entry> = entries.iter().filter(|entry| entry.head.task == id).collect();
            compare(&format!("{name}, task {id}"), task, &draws);
        }
        if name.starts_with("bfcl/") {
            let cells = entries.iter().map(|entry| &entry.head.cell);
            let names = |text: &Value| text.as_str().expect("a name").to_owned();
            let expected = [&cell["domain"], &cell["model"]].map(names).join("/");
            assert!(cells.map(ToString::to_string).all(|cell| cell == expected), "{expected}");
        }
        assert_whole(&path);
        let engine = Engine::load(&Store::open(&path).expect(name), None).expect(name);
        compare_counts(name, cell, &engine, &entries);
        compare_metrics(name, cell, &engine);
        compare_action_counts(name, cell, &entries);
        compare_groups(name, cell, &engine);
        compare_sample_sizes(name, cell, &engine);
    }
}

/// Asserts that both are absent, or close.
fn same(what: &str, value: Option<f64>, expected: &Value) {
    match (value, expected.as_f64()) {
        (Some(value), Some(expected)) => {
            assert!((value - expected).abs() < 1e-9, "{what}: {value} {expected}");
        }
        (value, expected) => assert_eq!(value, expected, "{what}"),
    }
}

fn compare_counts(name: &str, cell: &Value, engine: &Engine, entries: &[Entry]) {
    let tasks = &engine.frames()[0].tasks;
    let solved = |entry: &&Entry| entry.head.outcome.success == Some(true);
    let counts = [
        ("n_tasks", tasks.len()),
        ("n_tasks_with_samples", tasks.iter().filter(|task| !task.samples.is_empty()).count()),
        ("n_pairs", tasks.iter().map(|task| task.samples.len()).sum()),
        ("ref_success", tasks.iter().filter(|task| task.success == Some(true)).count()),
        ("all_success", entries.iter().filter(solved).count()),
    ];
    for (key, count) in counts {
        assert_eq!(Some(count as u64), cell[key].as_u64(), "{name}, {key}");
    }
    for scorer in Consistency::ALL {
        let scorer = Scorer::Consistency(scorer);
        let values = engine.frames()[0].values(&scorer);
        for (index, task) in cell["tasks"].as_array().expect("tasks").iter().enumerate() {
            let id = task["task"].as_str().expect("an id");
            let task_index = tasks.iter().position(|task| task.id == id).expect("the task");
            let value = values.as_ref().map(|values| values.confidence(task_index));
            let expected = &task["scores"][scorer.id().to_uppercase()];
            let value = value.filter(|value| !value.is_nan());
            same(&format!("{name}, task {index}, {scorer}"), value, expected);
        }
    }
}

/// The number of actions is not a scorer here, but its metrics are a check, too.
fn compare_action_counts(name: &str, cell: &Value, entries: &[Entry]) {
    let references = || entries.iter().map(|entry| &entry.head).filter(|head| head.draw == 0);
    let scores: Vec<f64> = references().map(|head| -(head.action_types.len() as f64)).collect();
    let success: Vec<bool> = references().map(|head| head.outcome.success == Some(true)).collect();
    let expected = &cell["metrics"]["neg_actions"];
    for (metric, key) in [(Metric::Auroc, "auroc"), (Metric::Auprc, "ap"), (Metric::Prr, "prr")] {
        let value = metric.value(&scores, &success);
        same(&format!("{name}, neg_actions, {key}"), value, &expected[key]);
    }
}

fn compare_metrics(name: &str, cell: &Value, engine: &Engine) {
    let names = [("fac", "FAC"), ("asc", "ASC"), ("adc", "ADC"), ("aec", "AEC")];
    let counts = [("turns", "neg_turns"), ("tools", "neg_tool_calls")];
    let frame = &engine.frames()[0];
    for (id, other) in names.into_iter().chain(counts) {
        let expected = &cell["metrics"][other];
        let scorer = engine.scorers().iter().find(|scorer| scorer.id() == id);
        let Some(scorer) = scorer else {
            assert!(expected.is_null(), "{name}, {id} has no values");
            continue;
        };
        for (metric, key) in [
            (Metric::Auroc, "auroc"),
            (Metric::Auprc, "ap"),
            (Metric::Prr, "prr"),
            (Metric::Ece, "ece"),
        ] {
            let (scores, success) = frame.sample(scorer, metric).expect("values");
            if expected.get(key).is_some() {
                same(
                    &format!("{name}, {id}, {key}"),
                    metric.value(&scores, &success),
                    &expected[key],
                );
            }
        }
    }
    for (id, other) in names {
        let expected = &cell["metrics"][other]["mean"];
        let scorer = engine.scorers().iter().find(|scorer| scorer.id() == id);
        let values = scorer.and_then(|scorer| frame.values(scorer)).map(|values| values.rank);
        let mean = values.map(|values| {
            let known: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
            known.iter().sum::<f64>() / known.len() as f64
        });
        same(&format!("{name}, {id}, mean"), mean, expected);
    }
    for baseline in engine.baselines() {
        let other = if baseline.scorer == "turns" { "neg_turns" } else { "neg_tool_calls" };
        let expected = &cell["metrics"][other];
        same(
            &format!("{name}, {other}, mean_success"),
            baseline.success_mean,
            &expected["mean_success"],
        );
        same(
            &format!("{name}, {other}, mean_failure"),
            baseline.failure_mean,
            &expected["mean_failure"],
        );
    }
}

fn compare_groups(name: &str, cell: &Value, engine: &Engine) {
    let (scopes, scorers) = ([Scope::All], engine.consistency_ids());
    let compare = |table: &str, scorer: &str, group: &str, mean: Option<f64>, n: usize| {
        let expected = &cell[table][&scorer.to_uppercase()][group];
        let what = format!("{name}, {table}, {scorer}, {group}");
        assert_eq!(Some(n as u64), expected["n"].as_u64(), "{what}");
        same(&what, mean, &expected["mean"]);
    };
    for row in engine.stuck_pairs(&scopes, &scorers, None) {
        compare("pair_outcomes", &row.scorer, row.group.id(), row.mean, row.n);
        let pairs = engine.pairs_counted(&row.scope, &row.scorer, row.group);
        compare("pair_outcomes", &row.scorer, row.group.id(), row.mean, pairs.len());
    }
    for row in engine.stuck_tasks(&scopes, &scorers, None) {
        compare("solvability", &row.scorer, row.group.id(), row.mean, row.n);
        let tasks = engine.tasks_counted(&row.scope, &row.scorer, row.group);
        compare("solvability", &row.scorer, row.group.id(), row.mean, tasks.len());
    }
}

fn compare_sample_sizes(name: &str, cell: &Value, engine: &Engine) {
    for row in engine.sample_sensitivity(Metric::Auroc) {
        let expected = &cell["m_sensitivity"][row.samples.to_string()][&row.scorer.to_uppercase()];
        same(&format!("{name}, {} with {} samples", row.scorer, row.samples), row.value, expected);
    }
}

fn compare(what: &str, task: &Value, draws: &[&Entry]) {
    let heads = || draws.iter().map(|entry| &entry.head);
    let success: Vec<Option<bool>> = heads().map(|head| head.outcome.success).collect();
    let expected = task["success"].as_array().expect("labels").iter();
    assert_eq!(success, expected.map(Value::as_bool).collect::<Vec<_>>(), "{what}");
    let counts = |count: fn(&qualm::model::Head) -> usize| -> Vec<u64> {
        heads().map(|head| count(head) as u64).collect()
    };
    assert_eq!(counts(|head| head.action_types.len()), numbers(&task["n_actions"]), "{what}");
    assert_eq!(counts(|head| head.turns as usize), numbers(&task["n_turns"]), "{what}");
    assert_eq!(counts(|head| head.tools as usize), numbers(&task["n_tool_calls"]), "{what}");
    let reference: Vec<&str> = draws[0].head.action_types.iter().map(String::as_str).collect();
    let expected = task["ref_actions"].as_array().expect("actions").iter();
    assert_eq!(reference, expected.filter_map(Value::as_str).collect::<Vec<_>>(), "{what}");
    for scorer in Consistency::ALL {
        let id = scorer.id().to_uppercase();
        let pairs = task["pairs"][&id].as_array().expect("pairs");
        assert_eq!(pairs.len(), draws.len() - 1, "{what}");
        for (sample, expected) in draws[1..].iter().zip(pairs) {
            let value = scorer.pair(&draws[0].head.action_types, &sample.head.action_types);
            let expected = expected.as_f64().expect("a number");
            assert!((value - expected).abs() < 1e-9, "{what}, {id}: {value} {expected}");
        }
    }
}

#[test]
fn every_file_of_a_known_format_imports() {
    let Some(folder) = folder() else { return };
    let home = home();
    let path = home.path().join("s.qualm");
    let inputs = ["tau2", "tau-bench", "bfcl"].map(|name| folder.join(name));
    let summary = import(&inputs, &path, &ImportOptions::default(), &|_| {}).expect("imported");
    assert!(summary.unknown.is_empty(), "{:?}", summary.unknown);
    let store = Store::open(&path).expect("open");
    for entry in store.entries().expect("entries") {
        let run = store.trajectory(&entry).expect("a run");
        assert_eq!(run.head, entry.head);
    }
}

#[test]
fn real_checks_are_those_that_another_program_counts() {
    let Some(folder) = folder() else { return };
    // Counts of items and of true verdicts, in Python for r in (s["reward_info"] for s in simulations):
    //   items = r["action_checks"] or [], verdict action_match; r["env_assertions"] or [],
    //   r["nl_assertions"] or [], r["communicate_checks"] or [], verdict met; r["db_check"], db_match;
    //   of runs without action_checks also len(task["evaluation_criteria"]["actions"]), no verdict
    let counted = [
        ("airline-gpt-4.1-1trial.json", [(20, 10), (61, 36), (0, 0), (1, 1), (49, 28)]),
        ("telecom-gpt-4.1-1trial.json", [(40, 6), (162, 122), (64, 33), (0, 0), (0, 0)]),
        ("airline-qwen2.5-7b-1trial.json", [(40, 9), (124 + 24, 59), (0, 0), (6, 3), (95, 33)]),
    ];
    for (name, expected) in counted {
        let home = home();
        let path = home.path().join("s.qualm");
        let file = folder.join("tau2").join(name);
        import(&[file], &path, &ImportOptions::default(), &|_| {}).expect(name);
        assert_whole(&path);
        let store = Store::open(&path).expect(name);
        let runs = store.trajectories(&store.entries().expect(name)).expect(name);
        for (kind, (all, met)) in CheckKind::ALL.into_iter().zip(expected) {
            let checks =
                || runs.iter().flat_map(|run| &run.checks).filter(|check| check.kind == kind);
            let found =
                (checks().count(), checks().filter(|check| check.met == Some(true)).count());
            assert_eq!(found, (all, met), "{name}, {}", kind.id());
        }
        // The harness decided on the same calls by itself.
        for run in &runs {
            for call in expected_calls(run) {
                let (check, is_made) =
                    (&run.checks[call.check], matches!(call.found, CallFound::Made(_)));
                assert_eq!(check.met.unwrap_or(is_made), is_made, "{name}: {}", check.expected);
            }
            let accepted = run
                .checks
                .iter()
                .filter(|check| check.kind == CheckKind::Action && check.met == Some(true));
            let made = expected_calls(run).into_iter();
            let made = made.filter(|call| matches!(call.found, CallFound::Made(_)));
            assert!(made.count() >= accepted.count(), "{name}, task {}", run.head.task);
        }
    }
}
