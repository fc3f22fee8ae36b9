//! Stores with parts: what `qualm import --append` adds, and what is read of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use qualm::engine::Engine;
use qualm::metrics::Metric;
use qualm::model::Cell;
use qualm::scorers::Scorer;
use qualm::store::{Entry, Extras, Manifest, Store, StoreWriter, check};

use crate::damage::{edit, rewrite};
use crate::support::{assert_whole, data, demo_at, home, run, text};

/// Every file below a folder with its content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let content = fs::read(&path).expect("readable");
            found.insert(path, content);
        }
    }
    found
}

/// Runs a command that must succeed, and returns what it prints.
fn ok(home: &Path, args: &[&str]) -> String {
    let output = run(home, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Imports the fixture as a dataset.
fn import(home: &Path, store: &str, dataset: &str, more: &[&str]) -> std::process::Output {
    let results = data("tau2.json");
    let results = results.to_str().expect("a path");
    run(home, &[&["import", results, "-o", store, "--dataset", dataset], more].concat())
}

fn add(home: &Path, store: &str, dataset: &str, more: &[&str]) {
    let output = import(home, store, dataset, more);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

const TABLES: [&str; 5] = ["cells", "tasks", "grid", "stuck-pairs", "stuck"];

/// What reports say of a store.
fn numbers(home: &Path, store: &str) -> Vec<String> {
    let report = |table: &&str| {
        ok(home, &["report", store, "--table", table, "--format", "json", "--resamples", "0"])
    };
    TABLES.iter().map(report).collect()
}

#[test]
fn an_appended_part_leaves_the_rest_and_gives_the_same_numbers() {
    let home = home();
    let at = home.path();
    add(at, "parts.qualm", "a", &[]);
    let before = files(&at.join("parts.qualm"));
    add(at, "parts.qualm", "b/c", &["--append"]);
    add(at, "parts.qualm", "b/c", &["--append", "--condition", "again"]);
    let after = files(&at.join("parts.qualm"));
    for (path, content) in &before {
        let is_manifest = path.ends_with("manifest.json");
        assert_eq!(after.get(path) == Some(content), !is_manifest, "{}", path.display());
    }
    let part = at.join("parts.qualm/trajectories/dataset=b%2Fc/part-2.parquet");
    assert!(after.contains_key(&part), "{:?}", after.keys());
    assert_whole(&at.join("parts.qualm"));
    assert_eq!(Store::open(&at.join("parts.qualm")).expect("a store").manifest().version, 2);
    add(at, "whole.qualm", "a", &[]);
    add(at, "whole.qualm", "b/c", &[]);
    add(at, "whole.qualm", "b/c", &["--condition", "again"]);
    assert_eq!(numbers(at, "parts.qualm"), numbers(at, "whole.qualm"));
    // Texts and tokens of a run in the last part.
    let shown = |store: &str| {
        let output =
            run(at, &["show", store, "--task", "0", "--dataset", "b/c", "--condition", "again"]);
        (output.status.code(), text(&output.stdout))
    };
    assert_eq!(shown("parts.qualm"), shown("whole.qualm"));
}

#[test]
fn a_store_may_begin_with_a_part_and_become_whole_again() {
    let home = home();
    let at = home.path();
    add(at, "s.qualm", "a", &["--append"]);
    add(at, "s.qualm", "b", &["--append"]);
    assert_whole(&at.join("s.qualm"));
    assert!(!at.join("s.qualm/trajectories.parquet").exists());
    let with_parts = numbers(at, "s.qualm");
    ok(at, &["score", "s.qualm"]);
    assert_whole(&at.join("s.qualm"));
    assert_eq!(numbers(at, "s.qualm"), with_parts);
    add(at, "s.qualm", "c", &[]);
    assert_whole(&at.join("s.qualm"));
    assert!(at.join("s.qualm/trajectories.parquet").exists());
    let folders = |name: &&str| at.join("s.qualm").join(name).exists();
    let left: Vec<_> =
        ["trajectories", "turns", "messages"].iter().filter(|name| folders(name)).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(Store::open(&at.join("s.qualm")).expect("a store").manifest().version, 1);
}

/// Pushes the runs of some entries with their texts and tokens.
fn push(writer: &mut StoreWriter, from: &Store, entries: &[Entry]) {
    let runs = from.trajectories(entries).expect("runs");
    runs.into_iter().for_each(|run| writer.push(run).expect("written"));
}

/// The numbers of scorers that need tokens, actions and verdicts, in all cells.
fn values(store: &Store) -> Vec<Option<f64>> {
    let engine = Engine::load(store, None).expect("loaded");
    let scorers = ["lnsp.min", "pm.mean", "fac", "adc", "ter", "turns"].map(Scorer::parse);
    engine.grid_of(&scorers, Metric::Auroc, None).into_iter().map(|number| number.value).collect()
}

#[test]
fn tokens_actions_and_verdicts_are_those_of_one_file_per_table() {
    let home = home();
    let at = home.path();
    demo_at(&at.join("demo.qualm"), 12);
    let demo = Store::open(&at.join("demo.qualm")).expect("a store");
    let entries = demo.entries().expect("entries");
    let cells = entries.chunk_by(|a, b| a.head.cell == b.head.cell).step_by(4);
    let cells: Vec<&[Entry]> = cells.collect();
    assert!(cells.len() > 2);
    let is_there = |cell: &Cell| cells.iter().any(|runs| runs[0].head.cell == *cell);
    let pairs = demo.pairs().expect("pairs").into_iter();
    let judgments = demo.judgments().expect("judgments").into_iter();
    let extras = Extras {
        pairs: pairs.filter(|pair| is_there(&pair.cell)).collect(),
        judgments: judgments.filter(|judgment| is_there(&judgment.cell)).collect(),
        tasks: demo.tasks().expect("tasks"),
        ..Extras::default()
    };
    let mut writer = StoreWriter::create(&at.join("whole.qualm")).expect("free");
    cells.iter().for_each(|cell| push(&mut writer, &demo, cell));
    writer.finish(Manifest::new(), &extras).expect("written");
    let mut writer = StoreWriter::create(&at.join("parts.qualm")).expect("free");
    push(&mut writer, &demo, cells[0]);
    writer.finish(Manifest::new(), &extras).expect("written");
    for cell in &cells[1..] {
        let mut writer = StoreWriter::append(&at.join("parts.qualm")).expect("a store");
        push(&mut writer, &demo, cell);
        let manifest = writer.appended_to().expect("a manifest").clone();
        let dataset = &cell[0].head.cell.dataset;
        writer.finish_part(manifest, &Extras::default(), dataset).expect("written");
    }
    for round in ["read", "scored"] {
        let [parts, whole] = ["parts.qualm", "whole.qualm"]
            .map(|name| Store::open(&at.join(name)).expect("a store"));
        assert_eq!(parts.entries().expect("entries"), whole.entries().expect("entries"));
        let all = parts.entries().expect("entries");
        assert!(parts.trajectories(&all).expect("runs") == whole.trajectories(&all).expect("runs"));
        let found = values(&parts);
        assert!(found.iter().flatten().count() > found.len() / 2, "{found:?}");
        assert_eq!(found, values(&whole), "{round}");
        assert_eq!(parts.scores().expect("scores"), whole.scores().expect("scores"));
        assert_eq!(parts.scores().expect("scores").is_empty(), round == "read");
        assert_whole(parts.path());
        for name in ["parts.qualm", "whole.qualm"] {
            ok(at, &["score", name]);
        }
    }
}

#[test]
fn what_is_no_part_of_its_own_is_refused() {
    let home = home();
    let at = home.path();
    add(at, "s.qualm", "a", &[]);
    let before = files(&at.join("s.qualm"));
    let refused = import(at, "s.qualm", "a", &["--append"]);
    let why = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1));
    assert!(why.contains("--append adds whole cells only") && why.contains("--condition"), "{why}");
    assert_eq!(files(&at.join("s.qualm")), before);
}

#[test]
fn a_store_of_an_earlier_version_gets_no_part_before_it_is_written_again() {
    let home = home();
    let at = home.path();
    add(at, "s.qualm", "a", &[]);
    let store = at.join("s.qualm");
    rewrite(&store.join("trajectories.parquet"), |frame| frame.drop("context").expect("there"));
    edit(&store, |manifest| drop(manifest.as_object_mut().expect("an object").remove("files")));
    let before = files(&store);
    let refused = import(at, "s.qualm", "b", &["--append"]);
    let why = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1));
    assert!(why.contains("trajectories.parquet: has other columns"), "{why}");
    assert_eq!(files(&store), before);
    add(at, "s.qualm", "b", &[]);
    add(at, "s.qualm", "c", &["--append"]);
    assert_whole(&store);
}

#[test]
fn a_half_written_part_is_named() {
    let home = home();
    let at = home.path();
    add(at, "s.qualm", "a", &[]);
    add(at, "s.qualm", "b", &["--append"]);
    let store = at.join("s.qualm");
    let numbers_before = numbers(at, "s.qualm");
    // A writer that did not finish left a file that the manifest does not list.
    let stray = store.join("turns/dataset=b/part-2.parquet");
    fs::write(&stray, b"PAR1").expect("written");
    let problems = check(&store, &|_, _| ());
    assert!(
        matches!(&problems[..], [only] if only.contains("part-2.parquet: is no part")),
        "{problems:?}"
    );
    assert_eq!(numbers(at, "s.qualm"), numbers_before);
    add(at, "s.qualm", "b", &["--append", "--condition", "again"]);
    assert_eq!(fs::read(&stray).expect("still there"), b"PAR1");
    let numbers_before = numbers(at, "s.qualm");
    fs::remove_file(&stray).expect("removed");
    // A part that is cut off.
    let part = store.join("turns/dataset=b/part-1.parquet");
    let content = fs::read(&part).expect("a part");
    fs::write(&part, &content[..content.len() / 2]).expect("written");
    let problems = check(&store, &|_, _| ());
    assert!(problems.iter().any(|problem| problem.contains("part-1.parquet")), "{problems:?}");
    let report = run(at, &["report", "s.qualm"]);
    assert_eq!(report.status.code(), Some(1));
    assert!(
        text(&report.stderr).contains("turns/dataset=b/part-1.parquet"),
        "{}",
        text(&report.stderr)
    );
    // A part that is missing.
    fs::remove_file(&part).expect("removed");
    let report = run(at, &["report", "s.qualm"]);
    assert!(
        text(&report.stderr).contains("part-1.parquet: the part is missing"),
        "{}",
        text(&report.stderr)
    );
    fs::write(&part, content).expect("written");
    assert_eq!(numbers(at, "s.qualm"), numbers_before);
}

#[test]
fn a_part_that_was_not_moved_to_its_place_counts_and_is_moved() {
    let home = home();
    let at = home.path();
    add(at, "s.qualm", "a", &[]);
    add(at, "s.qualm", "b", &["--append"]);
    let store = at.join("s.qualm");
    let (before, numbers_before) = (files(&store), numbers(at, "s.qualm"));
    // As if the writer had been killed after it replaced the manifest.
    let manifest = fs::read_to_string(store.join("manifest.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    let handover = manifest["handover"].as_object().expect("a handover");
    let draft = store.join(handover["folder"].as_str().expect("a name"));
    fs::create_dir(&draft).expect("made");
    let parts = handover["parts"].as_object().expect("parts");
    assert!(parts.len() >= 4, "{parts:?}");
    for (table, path) in parts {
        let path = store.join(path.as_str().expect("a path"));
        fs::rename(&path, draft.join(format!("{table}.parquet"))).expect("moved");
    }
    assert_eq!(numbers(at, "s.qualm"), numbers_before);
    assert_eq!(files(&store), before);
    assert!(!draft.exists());
    assert_whole(&store);
}

#[cfg(feature = "remote")]
#[test]
fn a_store_with_parts_is_refused_at_an_address() {
    let home = home();
    let at = home.path();
    add(at, "s.qualm", "a", &["--append"]);
    let server = crate::object_server::ObjectServer::start(at);
    let refused = run(at, &["report", &server.url("s.qualm")]);
    let why = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1));
    assert!(why.contains("the store has parts") && why.contains("copy the store here"), "{why}");
}
