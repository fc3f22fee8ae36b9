//! Tasks whose reference run crashed or is missing: they keep their samples, are listed, and count in
//! no metric.

use std::path::{Path, PathBuf};

use qualm::engine::Engine;
use qualm::import::{ImportOptions, Summary, import};
use qualm::metrics::Metric;
use qualm::scorers::Scorer;
use qualm::store::Store;
use serde_json::{Value, json};

use crate::support::{assert_whole, home, run, text, with_reference};

/// A simulation of a task; one without words crashed before the agent acted.
fn simulation(task: &str, trial: i64, words: &str, reward: f64) -> Value {
    let spoken = json!([{"role": "user", "content": "Hi"},
        {"role": "assistant", "content": words, "usage": {}}]);
    let (messages, reward, reason) = match words {
        "" => (json!([]), Value::Null, "infrastructure_error"),
        _ => (spoken, json!(reward), "user_stop"),
    };
    json!({"task_id": task, "trial": trial, "termination_reason": reason,
        "reward_info": {"reward": reward}, "messages": messages})
}

/// Writes a file of simulations that ran at one temperature.
fn file(home: &Path, name: &str, temperature: f64, simulations: &[Value]) -> PathBuf {
    let agent = json!({"llm": "owl", "llm_args": {"temperature": temperature}});
    let info = json!({"agent_info": agent, "environment_info": {"domain_name": "airline"}});
    let path = home.join(name);
    let document = json!({"info": info, "tasks": [], "simulations": simulations});
    std::fs::write(&path, document.to_string()).expect("written");
    path
}

/// Four tasks, the greedy run of task 2 crashed; two samples of each.
fn crashed_greedy(home: &Path) -> [PathBuf; 2] {
    let greedy: Vec<Value> = (0..4)
        .map(|task| {
            let words = if task == 2 { "" } else { "greedy" };
            simulation(&task.to_string(), 0, words, f64::from(task % 2))
        })
        .collect();
    let samples: Vec<Value> = (0..8)
        .map(|run| simulation(&(run / 2).to_string(), i64::from(run % 2), "sampled", 1.0))
        .collect();
    [file(home, "samples.json", 0.7, &samples), file(home, "greedy.json", 0.0, &greedy)]
}

fn draws(store: &Path, task: &str) -> Vec<(u32, String)> {
    let entries = Store::open(store).expect("a store").entries().expect("entries");
    let heads = entries.into_iter().map(|entry| entry.head).filter(|head| head.task == task);
    heads.map(|head| (head.draw, head.final_message.unwrap_or_default())).collect()
}

fn names(summary: &Summary) -> Vec<&str> {
    summary.without_reference.iter().map(|(_, task)| task.as_str()).collect()
}

#[test]
fn a_crashed_greedy_run_leaves_its_task_without_a_reference() {
    let home = home();
    let files = crashed_greedy(home.path());
    let sampled = |draw| (draw, "sampled".to_owned());
    for reference in [None, Some("greedy.json")] {
        let store = home.path().join("s.qualm");
        let options = reference.map_or_else(ImportOptions::default, with_reference);
        let summary = import(&files, &store, &options, &|_| {}).expect("imported");
        assert_eq!(names(&summary), ["2"]);
        assert_eq!(draws(&store, "2"), [sampled(1), sampled(2)]);
        assert_eq!(draws(&store, "1")[0], (0, "greedy".to_owned()));
        assert_eq!(summary.cells[0].without_reference, 1);
        assert_whole(&store);
        let engine = Engine::load(&Store::open(&store).expect("a store"), None).expect("loaded");
        for scorer in [Scorer::Turns, Scorer::parse("aec")] {
            let number = &engine.grid_of(&[scorer], Metric::Auroc, None)[0];
            assert_eq!(number.counts.tasks, 3, "the task is left out");
        }
        let values = engine.frames()[0].values(&Scorer::Turns).expect("values");
        assert!(values.rank[2].is_nan(), "no reference, no turns");
    }
    let store = home.path().join("s.qualm");
    let summary = import(&files, &store, &with_reference("any"), &|_| {}).expect("imported");
    assert!(names(&summary).is_empty());
    assert_eq!(draws(&store, "2"), [sampled(0), sampled(1)]);
    assert_eq!(draws(&store, "1")[0], (0, "greedy".to_owned()), "the usual one where there is one");
}

#[test]
fn a_file_of_crashes_alone_still_decides() {
    let home = home();
    let [samples, _] = crashed_greedy(home.path());
    let crashes: Vec<Value> =
        (0..4).map(|task| simulation(&task.to_string(), 0, "", 0.0)).collect();
    let greedy = file(home.path(), "greedy.json", 0.0, &crashes);
    let store = home.path().join("s.qualm");
    let files = [samples, greedy];
    let summary = import(&files, &store, &ImportOptions::default(), &|_| {}).expect("imported");
    assert_eq!(names(&summary), ["0", "1", "2", "3"]);
    // The store remembers what crashed.
    let summary =
        import(&files[..1], &store, &ImportOptions::default(), &|_| {}).expect("imported");
    assert_eq!(names(&summary), ["0", "1", "2", "3"]);
    // An import that brings the runs brings the references.
    crashed_greedy(home.path());
    let summary =
        import(&files[1..], &store, &ImportOptions::default(), &|_| {}).expect("imported");
    assert_eq!(names(&summary), ["2"]);
}

#[test]
fn a_missing_trial_0_is_not_replaced() {
    let home = home();
    let runs = [
        simulation("0", 0, "first", 1.0),
        simulation("0", 1, "second", 1.0),
        simulation("1", 1, "second", 0.0),
        simulation("1", 2, "third", 0.0),
    ];
    let path = file(home.path(), "run.json", 0.5, &runs);
    let store = home.path().join("s.qualm");
    let summary = import(&[path], &store, &ImportOptions::default(), &|_| {}).expect("imported");
    assert_eq!(names(&summary), ["1"]);
    assert_eq!(draws(&store, "1"), [(1, "second".to_owned()), (2, "third".to_owned())]);
}

#[test]
fn a_copy_of_a_file_takes_no_reference_away() {
    let home = home();
    let with_id = |mut run: Value| {
        run["id"] = format!("0123456789abcdef-{}", run["task_id"]).into();
        run
    };
    let runs = [simulation("0", 0, "a", 1.0), simulation("1", 0, "b", 0.0)].map(with_id);
    let [copy, original] =
        ["copy.json", "run.json"].map(|name| file(home.path(), name, 0.5, &runs));
    let store = home.path().join("s.qualm");
    let import = |paths: &[PathBuf]| {
        import(paths, &store, &ImportOptions::default(), &|_| {}).expect("imported")
    };
    import(std::slice::from_ref(&copy));
    let summary = import(&[original, copy]);
    assert_eq!((summary.skipped.len(), names(&summary).len()), (2, 0));
}

#[test]
fn commands_say_what_a_task_without_a_reference_lacks() {
    let home = home();
    let said = |args: &[&str]| {
        let out = run(home.path(), args);
        assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
        text(&out.stdout)
    };
    crashed_greedy(home.path());
    let summary = said(&["import", "samples.json", "greedy.json", "-o", "s.qualm"]);
    let line =
        "1 task without a reference, left out of metrics: airline/owl task 2; --reference any";
    assert!(summary.contains(line), "{summary}");
    let check = said(&["check", "s.qualm"]);
    assert!(check.contains("1 task has no reference and counts in no metric"), "{check}");
    let cells: Value =
        serde_json::from_str(&said(&["report", "s.qualm", "--table", "cells", "--format", "json"]))
            .expect("JSON");
    assert_eq!(cells[0]["without_reference"], 1);
    for table in ["grid", "tasks", "stuck", "samples", "judges", "triage", "families", "baselines"]
    {
        said(&["report", "s.qualm", "--table", table, "--resamples", "20"]);
    }
    let tasks = said(&["export", "s.qualm", "--what", "tasks", "--format", "csv", "-o", "t.csv"]);
    assert!(tasks.is_empty() || tasks.contains("t.csv"), "{tasks}");
    let rows = std::fs::read_to_string(home.path().join("t.csv")).expect("written");
    let row = rows.lines().find(|row| row.starts_with("airline,owl,default,2,")).expect("listed");
    assert!(row.starts_with("airline,owl,default,2,,2,2,"), "{row}");
    assert!(said(&["show", "s.qualm", "--task", "2"]).contains("sampled"));
    said(&["diff", "s.qualm", "--task", "2"]);
    let out = run(home.path(), &["show", "s.qualm", "--task", "2", "--draws", "0"]);
    assert!(text(&out.stderr).contains("has no draw 0; it has 1, 2"), "{}", text(&out.stderr));
    for keys in ["0", "1", "2", "2jj", "2jj<Enter>", "2jj<Enter>tO+", "4", "6", "7", "7<Enter>"] {
        said(&["shot", "s.qualm", "--keys", keys, "--size", "80x24"]);
    }
}
