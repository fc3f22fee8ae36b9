//! Files that join one cell: the summary says which draws they are and what speaks against it, and
//! `--condition` keeps them apart.

use std::path::{Path, PathBuf};

use qualm::store::Store;
use serde_json::{Value, json};

use crate::real_data;
use crate::support::{data, home, run, text};

/// What two files of the same model may differ in.
#[derive(Clone, Copy)]
struct Made<'a> {
    trial: i64,
    agent: &'a str,
    temperature: f64,
    top_p: f64,
    policy: &'a str,
    asks: &'a str,
    expects: &'a str,
    words: &'a str,
}

const USUAL: Made<'static> = Made {
    trial: 0,
    agent: "llm_agent",
    temperature: 0.7,
    top_p: 0.9,
    policy: "Be kind.",
    asks: "Book a seat.",
    expects: "booked",
    words: "Done.",
};

fn write(path: &Path, made: Made<'_>) -> PathBuf {
    let Made { trial, agent, temperature, top_p, policy, asks, expects, words } = made;
    let args = json!({"temperature": temperature, "top_p": top_p, "seed": trial, "api_key": words});
    let info = json!({"agent_info": {"implementation": agent, "llm": "owl", "llm_args": args},
        "user_info": {"llm": "fox"},
        "environment_info": {"domain_name": "airline", "policy": policy}});
    let tasks: Vec<Value> = ["1", "2"]
        .iter()
        .map(|id| {
            // Task 1 is the same everywhere.
            let (asks, expects) = if *id == "1" { ("Wait.", "waited") } else { (asks, expects) };
            json!({"id": id, "user_scenario": {"instructions": asks},
                "evaluation_criteria": {"nl_assertions": [expects]}})
        })
        .collect();
    let messages = json!([{"role": "user", "content": "Hi"},
        {"role": "assistant", "content": words, "usage": {}}]);
    let simulation = |task: &str| {
        json!({"task_id": task, "trial": trial, "termination_reason": "user_stop",
            "reward_info": {"reward": 1.0}, "messages": messages})
    };
    let simulations = [simulation("1"), simulation("2")];
    // The harness writes the tasks before the runs.
    let (tasks, simulations) = (json!(tasks), json!(simulations));
    let document = format!(r#"{{"info": {info}, "tasks": {tasks}, "simulations": {simulations}}}"#);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, document).expect("written");
    path.to_owned()
}

/// Imports files and returns what the summary says.
fn import(home: &Path, store: &str, files: &[PathBuf], more: &[&str]) -> String {
    let files = files.iter().map(|file| file.to_str().expect("a path"));
    let args: Vec<&str> = ["import"].into_iter().chain(files).chain(["-o", store]).collect();
    let out = run(home, &[&args[..], more].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    text(&out.stdout)
}

fn conditions(home: &Path, store: &str) -> Vec<String> {
    let store = Store::open(&home.join(store)).expect("a store");
    store.manifest().cells.iter().map(|cell| cell.cell.condition.clone()).collect()
}

#[test]
fn files_of_a_cell_are_named_with_their_draws() {
    let home = home();
    let file = |number: i64| {
        let words = format!("Done {number}.");
        let made = Made { trial: number, words: &words, ..USUAL };
        write(&home.path().join(format!("run{number}.json")), made)
    };
    let files: Vec<PathBuf> = (0..3).map(file).collect();
    let said = import(home.path(), "s.qualm", &files, &[]);
    assert!(
        said.contains("  airline/owl: draws: run0.json 0, run1.json 1, run2.json 2\n"),
        "{said}"
    );
    assert!(!said.contains("keeps them apart"), "nothing speaks against it: {said}");
    // One file alone has nothing to say, also into a store of its runs.
    let said = import(home.path(), "one.qualm", &files[..1], &[]);
    assert!(!said.contains("draws:"), "{said}");
    // Into a store that has others, the draws of all are told; many are counted.
    let more: Vec<PathBuf> = (3..9).map(file).collect();
    let said = import(home.path(), "s.qualm", &more, &[]);
    assert!(said.contains("run4.json 4 and 4 more\n"), "{said}");
}

#[test]
fn shared_trials_are_told_unless_one_file_is_greedy() {
    let home = home();
    let [a, b] = ["a", "b"].map(|folder| {
        write(&home.path().join(folder).join("run.json"), Made { words: folder, ..USUAL })
    });
    let said = import(home.path(), "s.qualm", &[a.clone(), b.clone()], &[]);
    let expected = "the same trials are in a/run.json, b/run.json; they became further draws; \
                    --condition from-folder or --condition NAME keeps them apart";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains("draws: a/run.json 0, b/run.json 1"), "{said}");
    let greedy = Made { temperature: 0.0, words: "b", ..USUAL };
    let greedy = write(&home.path().join("greedy.json"), greedy);
    let said = import(home.path(), "t.qualm", &[a, greedy], &[]);
    assert!(said.contains("draws: greedy.json 0, run.json 1"), "{said}");
    assert!(!said.contains("keeps them apart"), "{said}");
}

#[test]
fn settings_that_differ_are_told() {
    let home = home();
    let other = |name: &str, made: Made<'_>| write(&home.path().join(name), made);
    let a = other("a.json", Made { words: "a", ..USUAL });
    let base = Made { trial: 1, words: "b", ..USUAL };
    let said = |made: Made<'_>, more: &[&str]| {
        let b = other("b.json", made);
        import(home.path(), "s.qualm", &[a.clone(), b], more);
        // The store remembers what made its runs.
        std::fs::remove_dir_all(home.path().join("s.qualm")).expect("removed");
        import(home.path(), "s.qualm", std::slice::from_ref(&a), more);
        let b = other("b.json", made);
        let said = import(home.path(), "s.qualm", &[b], more);
        std::fs::remove_dir_all(home.path().join("s.qualm")).expect("removed");
        said
    };
    let policy = said(Made { policy: "Be brief.", ..base }, &[]);
    assert!(policy.contains("policy differs: in"), "{policy}");
    assert!(
        policy.contains("--condition from-file or --condition NAME keeps them apart"),
        "{policy}"
    );
    let hotter = said(Made { temperature: 1.0, ..base }, &[]);
    assert!(hotter.contains("temperature differs: 0.7 in a.json, 1 in b.json"), "{hotter}");
    let nucleus = said(Made { top_p: 0.5, ..base }, &[]);
    assert!(nucleus.contains("llm_args.top_p differs: 0.5 in b.json, 0.9 in a.json"), "{nucleus}");
    // Another agent has another condition, unless one is given.
    let agent = Made { agent: "planner", ..base };
    assert!(!said(agent, &[]).contains("differs"));
    let together = said(agent, &["--condition", "x"]);
    assert!(
        together.contains("agent differs: llm_agent in a.json, planner in b.json"),
        "{together}"
    );
    // A key of the caller is neither a setting nor kept.
    let same = said(base, &[]);
    assert!(!same.contains("differs"), "{same}");
}

#[test]
fn tasks_that_are_defined_otherwise_are_told() {
    let home = home();
    let a = write(&home.path().join("a.json"), Made { words: "a", ..USUAL });
    let base = Made { trial: 1, words: "b", ..USUAL };
    let b = write(&home.path().join("b.json"), Made { expects: "cancelled", ..base });
    let said = import(home.path(), "s.qualm", &[a.clone(), b], &[]);
    assert!(said.contains("task 2 is defined differently in b.json and in a.json;"), "{said}");
    let c =
        write(&home.path().join("c.json"), Made { trial: 2, asks: "Leave.", words: "c", ..USUAL });
    import(home.path(), "t.qualm", std::slice::from_ref(&a), &[]);
    let said = import(home.path(), "t.qualm", &[c], &[]);
    assert!(said.contains("task 2 is defined differently in c.json and in the store;"), "{said}");
    let same = write(&home.path().join("d.json"), base);
    let said = import(home.path(), "u.qualm", &[a, same], &[]);
    assert!(!said.contains("otherwise"), "{said}");
}

#[test]
fn folders_and_files_name_conditions() {
    let home = home();
    let file = |path: &str| write(&home.path().join(path), Made { words: path, ..USUAL });
    let files = ["a/run1.json", "a/run2.json", "b/run1.json"].map(file);
    let said = import(home.path(), "folders.qualm", &files, &["--condition", "from-folder"]);
    assert_eq!(conditions(home.path(), "folders.qualm"), ["a", "b"]);
    assert!(said.contains("airline/owl/a: draws: run1.json 0, run2.json 1"), "{said}");
    import(home.path(), "files.qualm", &files, &["--condition", "from-file"]);
    assert_eq!(conditions(home.path(), "files.qualm"), ["run1", "run2"]);
    import(home.path(), "name.qualm", &files, &["--condition", "fresh"]);
    assert_eq!(conditions(home.path(), "name.qualm"), ["fresh"]);
}

#[test]
fn an_input_that_is_a_folder_names_its_condition() {
    let home = home();
    for (store, folders, expected) in [
        ("bfcl.qualm", ["bfcl/runs/run-1", "bfcl/runs/run-2/score"], ["run-1", "run-2"]),
        ("mini.qualm", ["mini/run-a", "mini/run-b"], ["run-a", "run-b"]),
        ("other.qualm", ["harbor-job", "tau2-folder"], ["harbor-job", "tau2-folder"]),
    ] {
        import(home.path(), store, &folders.map(data), &["--condition", "from-folder"]);
        let mut found = conditions(home.path(), store);
        found.sort();
        found.dedup();
        assert_eq!(found, expected, "{store}");
    }
}

#[test]
fn real_folders_of_the_same_names_are_conditions() {
    let Some(folder) = real_data::folder() else { return };
    let home = home();
    let folders =
        ["tau2/retail-gpt-4o-gpt4o", "tau2/retail-gpt-4o-gpt5mini"].map(|name| folder.join(name));
    let said = import(home.path(), "s.qualm", &folders, &[]);
    assert!(
        said.contains("the same trials are in") && said.contains("--condition from-folder"),
        "{said}"
    );
    import(home.path(), "t.qualm", &folders, &["--condition", "from-folder"]);
    let expected = ["retail-gpt-4o-gpt4o", "retail-gpt-4o-gpt5mini"];
    assert_eq!(conditions(home.path(), "t.qualm"), expected);
    let store = Store::open(&home.path().join("t.qualm")).expect("a store");
    assert!(store.manifest().cells.iter().all(|cell| cell.trajectories == 3 * cell.tasks));
    // tau-bench says its model nowhere but in the name of the file.
    let v1 = folder.join("tau-bench/airline-gpt-4o-50x4.json");
    let said = import(home.path(), "v1.qualm", &[v1], &[]);
    assert!(said.contains("gpt-4o is taken from the file name"), "{said}");
    let store = Store::open(&home.path().join("v1.qualm")).expect("a store");
    assert_eq!(store.manifest().cells[0].cell.to_string(), "airline/gpt-4o");
}
