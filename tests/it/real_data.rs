//! Real results, where `QUALM_TEST_DATA` names a folder of them: action sequences, counts, labels and
//! consistency against values that another program computed from the same files.

use std::path::PathBuf;

use qualm::import::{ImportOptions, import};
use qualm::scorers::consistency::Consistency;
use qualm::store::{Entry, Store};
use serde_json::Value;

use crate::support::{assert_whole, home};

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("QUALM_TEST_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: QUALM_TEST_DATA names no folder of real results");
    }
    folder
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().expect("a list").iter().map(|own| own.as_u64().expect("a count")).collect()
}

#[test]
fn every_run_is_what_the_other_program_saw() {
    let Some(folder) = folder() else { return };
    let expected = std::fs::read(folder.join("expected.json")).expect("expected.json");
    let expected: Value = serde_json::from_slice(&expected).expect("JSON");
    let cells = expected["cells"].as_object().expect("cells");
    assert!(!cells.is_empty());
    for (name, cell) in cells {
        let files = cell["files"].as_array().expect("files").iter();
        let files: Vec<PathBuf> =
            files.map(|file| folder.join(file.as_str().expect("a path"))).collect();
        let home = home();
        let path = home.path().join("s.qualm");
        import(&files, &path, &ImportOptions::default(), &|_| {}).expect(name);
        let entries = Store::open(&path).expect(name).entries().expect(name);
        let tasks = cell["tasks"].as_array().expect("tasks");
        assert_eq!(entries.len() as u64, cell["all_runs"].as_u64().expect("a count"), "{name}");
        for task in tasks {
            let id = task["task"].as_str().expect("an id");
            let draws: Vec<&Entry> = entries.iter().filter(|own| own.head.task == id).collect();
            compare(&format!("{name}, task {id}"), task, &draws);
        }
        assert_whole(&path);
    }
}

fn compare(place: &str, task: &Value, draws: &[&Entry]) {
    let heads = || draws.iter().map(|own| &own.head);
    let success: Vec<Option<bool>> = heads().map(|own| own.outcome.success).collect();
    let expected = task["success"].as_array().expect("labels").iter();
    assert_eq!(success, expected.map(Value::as_bool).collect::<Vec<_>>(), "{place}");
    let counts = |count: fn(&qualm::model::Head) -> usize| -> Vec<u64> {
        heads().map(|own| count(own) as u64).collect()
    };
    assert_eq!(counts(|own| own.action_types.len()), numbers(&task["n_actions"]), "{place}");
    assert_eq!(counts(|own| own.turns as usize), numbers(&task["n_turns"]), "{place}");
    assert_eq!(counts(|own| own.tools as usize), numbers(&task["n_tool_calls"]), "{place}");
    let reference: Vec<&str> = draws[0].head.action_types.iter().map(String::as_str).collect();
    let expected = task["ref_actions"].as_array().expect("actions").iter();
    assert_eq!(reference, expected.filter_map(Value::as_str).collect::<Vec<_>>(), "{place}");
    for scorer in Consistency::ALL {
        let id = scorer.id().to_uppercase();
        let pairs = task["pairs"][&id].as_array().expect("pairs");
        assert_eq!(pairs.len(), draws.len() - 1, "{place}");
        for (sample, expected) in draws[1..].iter().zip(pairs) {
            let value = scorer.pair(&draws[0].head.action_types, &sample.head.action_types);
            let expected = expected.as_f64().expect("a number");
            assert!((value - expected).abs() < 1e-9, "{place}, {id}: {value} {expected}");
        }
    }
}

#[test]
fn every_file_of_a_known_format_imports() {
    let Some(folder) = folder() else { return };
    let home = home();
    let path = home.path().join("s.qualm");
    let inputs = ["tau2", "tau-bench"].map(|name| folder.join(name));
    let summary = import(&inputs, &path, &ImportOptions::default(), &|_| {}).expect("imported");
    assert!(summary.unknown.is_empty(), "{:?}", summary.unknown);
    let store = Store::open(&path).expect("open");
    for entry in store.entries().expect("entries") {
        let run = store.trajectory(&entry).expect("a run");
        assert_eq!(run.head, entry.head);
    }
}
