//! Database truth of pairs, where the reward is based on the database and where it is not.

use std::path::Path;

use qualm::engine::{Against, Engine, LeftOut, NoTruth, TriageOptions};
use qualm::import::{ImportOptions, import, import_verdicts};
use qualm::model::Outcome;
use qualm::store::Store;
use serde_json::{Value, json};

use crate::support::{home, run, text};

/// A run with a `db_match` and what its reward is based on.
fn simulation(task: &str, trial: i64, matches: bool, graded: &Value) -> Value {
    let mut reward_info = json!({"reward": 1.0,
        "db_check": {"db_match": matches, "db_reward": f64::from(u8::from(matches))}});
    for (key, value) in graded.as_object().expect("an object") {
        reward_info[key] = value.clone();
    }
    json!({"task_id": task, "trial": trial, "termination_reason": "user_stop",
        "reward_info": reward_info,
        "messages": [{"role": "assistant", "content": "Done.", "usage": {}}]})
}

/// A store of one task and pair for every way to say the basis, the sample never at the gold state; a
/// judge calls every pair equivalent.
fn store(home: &Path, bases: &[Value], tasks: &Value) -> Engine {
    let runs: Vec<Value> = bases
        .iter()
        .enumerate()
        .flat_map(|(task, basis)| {
            [0, 1].map(|trial| simulation(&task.to_string(), trial, trial == 0, basis))
        })
        .collect();
    let info = json!({"agent_info": {"llm": "owl"}, "environment_info": {"domain_name": "shop"}});
    // In the order of the harness: what a task says comes before its runs.
    let runs = Value::Array(runs);
    let document = format!(r#"{{"info": {info}, "tasks": {tasks}, "simulations": {runs}}}"#);
    std::fs::write(home.join("run.json"), document).expect("written");
    let rows = (0..bases.len()).map(|task| format!("shop,owl,{task},1,j,true"));
    let header = "dataset,model,task,draw_b,judge,equivalent".to_owned();
    let verdicts: Vec<String> = [header].into_iter().chain(rows).collect();
    std::fs::write(home.join("verdicts.csv"), verdicts.join("\n")).expect("written");
    let path = home.join("s.qualm");
    import(&[home.join("run.json")], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    import_verdicts(&[home.join("verdicts.csv")], &path).expect("imported");
    Engine::load(&Store::open(&path).expect("a store"), None).expect("loaded")
}

#[test]
fn only_a_database_in_the_basis_of_the_reward_decides() {
    let home = home();
    let bases = [
        json!({"reward_basis": ["DB", "COMMUNICATE"]}),
        json!({"reward_basis": ["ENV_ASSERTION"]}),
        json!({"reward_breakdown": {"DB": 1.0}}),
        json!({"reward_breakdown": {"ENV_ASSERTION": 1.0}}),
        json!({}),
        json!({}),
        json!({"reward_basis": ["ENV_ASSERTION", "ACTION"], "reward_breakdown": {"DB": 1.0}}),
    ];
    let tasks = json!([{"id": "4", "evaluation_criteria": {"reward_basis": ["NL_ASSERTION"]}}]);
    let engine = store(home.path(), &bases, &tasks);
    let graded: Vec<_> = engine.frames()[0].tasks.iter().map(|task| task.db_graded).collect();
    let expected =
        [Some(true), Some(false), Some(true), Some(false), Some(false), None, Some(false)];
    assert_eq!(graded, expected);
    let rows = engine.judge_rows(None);
    let row = rows.iter().find(|row| row.against == Against::Database).expect("a row");
    let left_out = LeftOut { not_graded: 4, assumed: 1, ..LeftOut::default() };
    assert_eq!((row.n, row.left_out), (3, Some(left_out)));
    let queue = engine.triage(&TriageOptions::default());
    assert_eq!(queue.left_out, left_out);
    assert_eq!(queue.items.len(), 3, "nothing speaks against the judge where nothing is graded");

    let report = |table: &str| {
        let args = ["report", "s.qualm", "--table", table, "--format", "json"];
        let out = run(home.path(), &args);
        let notes = text(&out.stderr);
        let why = "4 judged pairs without database truth: the reward is not based on the database";
        assert!(notes.contains(why), "{notes}");
        assert!(notes.contains("1 pair by results that do not say"), "{notes}");
        serde_json::from_str::<Value>(&text(&out.stdout)).expect("JSON")
    };
    let judges = report("judges");
    assert_eq!((&judges[0]["not_graded"], &judges[0]["assumed"]), (&json!(4), &json!(1)));
    assert!(report("triage").as_array().expect("rows").iter().all(|row| row["no_truth"].is_null()));
    let shot = run(home.path(), &["shot", "s.qualm", "--keys", "7", "--size", "120x40"]);
    let screen = text(&shot.stdout);
    assert!(screen.contains("4 judged pairs without database truth: the reward is"), "{screen}");
    let shot = run(home.path(), &["shot", "s.qualm", "--keys", "7", "--size", "80x24"]);
    let screen = text(&shot.stdout);
    assert!(screen.contains("4 without database truth"), "{screen}");
}

#[test]
fn a_queued_pair_says_why_the_database_is_silent() {
    let home = home();
    let engine = store(home.path(), &[json!({"reward_basis": ["ENV_ASSERTION"]})], &json!([]));
    drop(engine);
    let other = "dataset,model,task,draw_b,judge,equivalent\nshop,owl,0,1,k,false\n";
    std::fs::write(home.path().join("other.csv"), other).expect("written");
    let path = home.path().join("s.qualm");
    import_verdicts(&[home.path().join("other.csv")], &path).expect("imported");
    let engine = Engine::load(&Store::open(&path).expect("a store"), None).expect("loaded");
    let queue = engine.triage(&TriageOptions::default());
    assert_eq!(queue.items[0].truth, Err(NoTruth::NotGraded));
    let out = run(home.path(), &["report", "s.qualm", "--table", "triage", "--format", "json"]);
    let rows: Value = serde_json::from_str(&text(&out.stdout)).expect("JSON");
    assert_eq!((&rows[0]["database"], &rows[0]["no_truth"]), (&Value::Null, &json!("not-graded")));
}

#[test]
fn real_telecom_files_have_no_database_truth() {
    let Some(folder) = crate::real_data::folder() else { return };
    let home = home();
    let path = home.path().join("s.qualm");
    let file = folder.join("tau2/telecom-gpt-4.1-solo-5x4.json");
    import(&[file], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    let store = Store::open(&path).expect("a store");
    let outcomes: Vec<Outcome> =
        store.entries().expect("entries").into_iter().map(|entry| entry.head.outcome).collect();
    assert!(outcomes.iter().all(|outcome| outcome.db_graded == Some(false)));
    assert!(outcomes.iter().all(|outcome| outcome.parts.database.is_none()));
    let misled =
        |outcome: &&Outcome| outcome.success == Some(true) && outcome.db_match == Some(false);
    assert!(outcomes.iter().filter(misled).count() > 0, "solved, and not the gold database");
}
