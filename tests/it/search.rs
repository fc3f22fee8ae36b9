//! The search for runs by the text of their messages.

use std::path::Path;

use qualm::model::{Cell, Head, Message, Role, ToolCall, Trajectory};
use qualm::store::{Extras, Manifest, SearchProgress, Store, StoreWriter};

use crate::support::home;

fn run(task: &str, messages: Vec<Message>) -> Trajectory {
    Trajectory::new(Head::new(Cell::new("d", "m"), task), messages, |_| None)
}

fn says(task: &str, words: &str) -> Trajectory {
    run(task, vec![Message::text(Role::User, "Hi"), Message::text(Role::Assistant, words)])
}

fn write(path: &Path, runs: Vec<Trajectory>) -> Store {
    let mut writer = StoreWriter::create(path).expect("free");
    runs.into_iter().for_each(|run| writer.push(run).expect("pushed"));
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    Store::open(path).expect("a store")
}

/// All parts that the search reports.
fn parts(store: &Store, text: &str) -> Vec<(Vec<u32>, SearchProgress)> {
    let mut parts = Vec::new();
    let mut found = |ids: &[u32], progress| {
        parts.push((ids.to_vec(), progress));
        true
    };
    store.search(text, &mut found).expect("searched");
    parts
}

/// The tasks whose run contains the text.
fn tasks(store: &Store, text: &str) -> Vec<String> {
    let ids: Vec<u32> = parts(store, text).into_iter().flat_map(|(ids, _)| ids).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    let entries = store.entries().expect("entries");
    let task =
        |id: &u32| entries.iter().find(|entry| entry.id == *id).map(|entry| &entry.head.task);
    ids.iter().map(|id| task(id).expect("an entry").clone()).collect()
}

fn some_runs() -> Vec<Trajectory> {
    let mut thinks = Message::text(Role::Assistant, "Done.");
    thinks.reasoning = Some("The passenger wants compensation".to_owned());
    let mut calls = Message::text(Role::Assistant, "");
    calls.tool_calls = vec![ToolCall {
        id: "call_77".to_owned(),
        name: "get_user_details".to_owned(),
        arguments: r##"{"order":"#W2378156","note":"said \"never\"\nagain"}"##.to_owned(),
    }];
    let result = Message::text(Role::Tool, r#"{"status": "delivered", "name": "José"}"#);
    // Not in the order of their tasks: `trajectories` is sorted, but the ids stay.
    vec![
        says("9", "Please REFUND the order"),
        run("1", vec![thinks]),
        run("5", vec![calls, result]),
        says("3", "A refund and one more refund; der ÄRGER"),
        run(
            "7",
            vec![
                Message::text(Role::System, "Grant a refund once."),
                Message::text(Role::Assistant, "Yes."),
            ],
        ),
    ]
}

#[test]
fn content_reasoning_calls_and_answers_are_searched() {
    let home = home();
    let store = write(&home.path().join("s.qualm"), some_runs());
    assert_eq!(tasks(&store, "refund"), ["9", "3"]);
    assert_eq!(tasks(&store, "COMPENSATION"), ["1"]);
    assert_eq!(tasks(&store, "#w2378156"), ["5"]);
    assert_eq!(tasks(&store, "get_user"), ["5"]);
    assert_eq!(tasks(&store, "\"order\":\"#W2"), ["5"], "as the call was written");
    assert_eq!(tasks(&store, "\"STATUS\": \"deliv"), ["5"]);
    assert_eq!(tasks(&store, "ärger"), ["3"]);
    assert_eq!(tasks(&store, "JOSÉ"), ["5"]);
    assert_eq!(tasks(&store, "hi"), ["9", "3"]);
    for nowhere in ["jose", "refunds", "arguments", "call_77", "never\"\n", ""] {
        assert!(tasks(&store, nowhere).is_empty(), "{nowhere:?}");
    }
}

#[test]
fn the_search_reports_in_parts_and_can_be_stopped() {
    let home = home();
    let runs = (0..350).map(|number| says(&number.to_string(), &format!("run {number}.")));
    let store = write(&home.path().join("s.qualm"), runs.collect());
    let all = parts(&store, "run ");
    assert!(all.len() > 3, "several row groups");
    assert_eq!(all.iter().flat_map(|(ids, _)| ids).copied().collect::<Vec<_>>(), {
        (0..350).collect::<Vec<u32>>()
    });
    assert!(all.iter().all(|(_, progress)| progress.total == 700));
    assert_eq!(all.last().expect("a part").1.done, 700);
    assert!(all.is_sorted_by(|a, b| a.1.done < b.1.done));
    assert_eq!(tasks(&store, "run 349."), ["349"]);

    let mut found_ids = 0;
    let mut found = |ids: &[u32], progress: SearchProgress| {
        found_ids += ids.len();
        progress.done < 400
    };
    store.search("run", &mut found).expect("searched");
    assert_eq!(found_ids, 200, "two groups of a hundred runs");
}

#[test]
fn a_store_without_messages_has_no_match() {
    let home = home();
    let store = write(&home.path().join("s.qualm"), Vec::new());
    assert!(parts(&store, "refund").is_empty());
    let store = write(&home.path().join("t.qualm"), vec![run("1", Vec::new())]);
    assert!(parts(&store, "refund").is_empty());
}

#[test]
fn a_damaged_table_is_an_error() {
    let home = home();
    let path = home.path().join("s.qualm");
    write(&path, some_runs());
    let table = path.join("messages.parquet");
    let bytes = std::fs::read(&table).expect("read");
    std::fs::write(&table, &bytes[..bytes.len() / 2]).expect("written");
    let store = Store::open(&path).expect("opened");
    let error = store.search("refund", &mut |_, _| true).expect_err("damaged").to_string();
    assert!(error.contains("messages.parquet: is not a complete Parquet file"), "{error}");
}
