//! Damage is found: by `qualm check`, and by whoever reads a damaged table.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use polars::prelude::{
    BooleanChunked, ChunkFull as _, DataFrame, IntoColumn as _, NewChunkedArray as _,
    ParquetReader, ParquetWriter, SerReader as _, StringChunked,
};
use qualm::engine::Engine;
use qualm::model::{Cell, Judgment, PairValue, Score};
use qualm::store::{Amendment, Store, check};
use serde_json::Value;

use crate::support::{
    Draw, Imported, assert_whole, data, imported, is_long_run, made, qualm, run, text, verdict,
};

fn table(fixture: &Imported, name: &str) -> PathBuf {
    fixture.path().join(name).with_extension("parquet")
}

fn problems(path: &Path) -> String {
    check(path, &|_, _| ()).join("\n")
}

/// Rewrites a table.
pub fn rewrite(path: &Path, change: impl FnOnce(DataFrame) -> DataFrame) {
    let frame = ParquetReader::new(File::open(path).expect("there")).finish().expect("a table");
    let file = File::create(path).expect("writable");
    ParquetWriter::new(file).finish(&mut change(frame)).expect("written");
}

/// Rewrites the manifest.
pub fn edit(store: &Path, change: impl FnOnce(&mut Value)) {
    let path = store.join("manifest.json");
    let mut manifest: Value =
        serde_json::from_slice(&fs::read(&path).expect("read")).expect("JSON");
    change(&mut manifest);
    fs::write(&path, manifest.to_string()).expect("written");
}

/// Makes the store one of an earlier version, which wrote no checksums.
fn forget_files(store: &Path) {
    edit(store, |manifest| {
        let manifest = manifest.as_object_mut().expect("an object");
        assert!(manifest.remove("files").is_some());
        manifest.remove("computed_from");
        manifest.remove("handover");
    });
}

#[test]
fn reversed_turns_are_found_by_their_checksum_and_by_their_keys() {
    let fixture = imported(&["tau2.json", "tau2-logprobs-v0.json"]);
    assert!(fixture.store().doubts().is_empty());
    rewrite(&table(&fixture, "turns"), |frame| frame.reverse());
    let said = problems(&fixture.path());
    assert!(said.contains("turns: the file is not as qualm wrote it"), "{said}");
    assert!(said.contains("turns: row 0 is turn"), "{said}");
    let out = run(fixture.home.path(), &["report", "s.qualm", "--resamples", "0"]);
    let said = text(&out.stderr);
    assert!(said.contains("turns.parquet is not as qualm wrote it; `qualm check` says more"));
    assert_eq!(out.status.code(), Some(1), "what was printed may be wrong");
    let out = run(fixture.home.path(), &["shot", "s.qualm", "--size", "120x30"]);
    assert_eq!(out.status.code(), Some(1));
    let shot = text(&out.stdout);
    assert!(
        shot.contains("run qualm check") && shot.contains("is not as qualm wrote it"),
        "{shot}"
    );
    // An import would give the damage a new checksum.
    let said = run(
        fixture.home.path(),
        &["import", data("tau1.json").to_str().expect("UTF-8"), "-o", "s.qualm"],
    );
    assert!(text(&said.stderr).contains("turns.parquet: is not as qualm wrote it"));
    forget_files(&fixture.path());
    let said = problems(&fixture.path());
    assert!(said.contains("turns: row 0 is turn") && !said.contains("wrote"), "{said}");
}

#[test]
fn rows_of_text_and_tokens_are_compared_with_the_trajectories() {
    for name in ["messages", "tokens", "trajectories"] {
        let fixture = imported(&["tau2.json", "tau2-logprobs-v0.json"]);
        forget_files(&fixture.path());
        assert_whole(&fixture.path());
        rewrite(&table(&fixture, name), |frame| frame.reverse());
        let said = problems(&fixture.path());
        assert!(said.contains(&format!("{name}: ")), "{name}: {said}");
    }
}

#[test]
fn a_changed_byte_is_found_wherever_it_is() {
    let fixture = imported(&["tau2.json", "tau2-logprobs-v0.json"]);
    run(fixture.home.path(), &["score", "s.qualm"]);
    let tried = if is_long_run() { 100 } else { 10 };
    let mut found = 0;
    for name in ["trajectories", "messages", "turns", "tokens", "scores", "tasks"] {
        let path = table(&fixture, name);
        let bytes = fs::read(&path).expect("read");
        for at in (0..bytes.len()).step_by(bytes.len() / tried + 1) {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            fs::write(&path, &bad).expect("written");
            let said = problems(&fixture.path());
            assert!(
                said.contains(&format!("{name}: the file is not"))
                    || said.contains(&format!("{name}.parquet: is not")),
                "byte {at} of {name}: {said}"
            );
            found += 1;
        }
        fs::write(&path, &bytes).expect("written");
    }
    println!("{found} changed bytes found");
    assert_whole(&fixture.path());
}

#[test]
fn counts_of_the_manifest_are_compared() {
    let fixture = imported(&["tau2.json"]);
    run(fixture.home.path(), &["score", "s.qualm"]);
    edit(&fixture.path(), |manifest| {
        manifest["cells"][0]["successes"] = 77.into();
        manifest["tables"]["scores"] = 7.into();
        manifest["tables"]["tasks"] = 7.into();
    });
    let said = problems(&fixture.path());
    assert!(said.contains("the manifest counts what its trajectories do not have"), "{said}");
    assert!(said.contains("scores: has ") && said.contains("tasks: has "), "{said}");
    edit(&fixture.path(), |manifest| {
        manifest["cells"] = Value::Array(Vec::new());
    });
    assert!(problems(&fixture.path()).contains("is not among the cells of the manifest"));
    // Sums of such counts would overflow.
    edit(&fixture.path(), |manifest| manifest["tables"]["scores"] = u64::MAX.into());
    assert!(problems(&fixture.path()).contains("has a count that no store can have"));
}

fn draws() -> Vec<Vec<Draw>> {
    let draw = |success| Draw { success: Some(success), db_match: None, actions: vec!["a"] };
    vec![vec![draw(true), draw(true), draw(false)]; 2]
}

#[test]
fn repeated_verdicts_and_infinite_values_are_listed() {
    let home = crate::support::home();
    let twice = Judgment { draw_a: 1, draw_b: 0, ..verdict("j", 0, 1, Some(false)) };
    let path = made(home.path(), &draws(), vec![verdict("j", 0, 1, Some(true)), twice]);
    let mut amendment = Amendment::begin(&path).expect("free");
    let cell = Cell::new("d", "m");
    let (task, scorer) = ("0".to_owned(), "mine".to_owned());
    let pair = |value| PairValue {
        cell: cell.clone(),
        task: task.clone(),
        draw_a: 0,
        draw_b: 2,
        scorer: scorer.clone(),
        value: Some(value),
    };
    amendment.pairs(&[pair(0.5), pair(f64::NEG_INFINITY)]).expect("written");
    let (cell, task, scorer) = (cell.clone(), task.clone(), scorer.clone());
    let value = Some(f64::INFINITY);
    let score =
        Score { cell, task, draw: 0, scorer, aggregator: None, value, log: None, fold: None };
    amendment.scores(&[score]).expect("written");
    amendment.commit().expect("written");
    let said = problems(&path);
    for part in [
        "judgments: `j` of d/m, task 0, draws 1 and 0: is judged twice",
        "pairs: `mine` of d/m, task 0, draws 0 and 2: occurs twice",
        "pairs: `mine` of d/m, task 0, draw 0: the value is infinite",
        "scores: `mine` of d/m, task 0, draw 0: the value is infinite",
    ] {
        assert!(said.contains(part), "{part:?} in\n{said}");
    }
}

#[test]
fn a_store_without_checksums_is_read_and_gets_them() {
    let fixture = imported(&["tau2.json"]);
    forget_files(&fixture.path());
    assert_whole(&fixture.path());
    assert!(fixture.store().doubts().is_empty());
    run(fixture.home.path(), &["score", "s.qualm"]);
    let store = fixture.store();
    let names = |map: Vec<&String>| map.into_iter().cloned().collect::<Vec<_>>();
    let manifest = store.manifest();
    assert_eq!(names(manifest.files.keys().collect()), names(manifest.tables.keys().collect()));
    assert_whole(&fixture.path());
}

/// The values of `ter` that the store holds, and that the engine computes.
fn ter(path: &Path) -> [Vec<Option<f64>>; 2] {
    let store = Store::open(path).expect("a store");
    let scores = store.scores().expect("scores");
    let mut stored: Vec<Score> = scores.into_iter().filter(|row| row.scorer == "ter").collect();
    stored.sort_by(|a, b| a.task.cmp(&b.task));
    let engine = Engine::load(&store, None).expect("loaded");
    let values = engine.frames()[0].values(&qualm::scorers::Scorer::Ter).expect("values");
    let known = values.rank.iter().filter(|value| !value.is_nan());
    let computed = known.map(|value| Some(*value)).collect();
    [stored.into_iter().map(|row| row.value).collect(), computed]
}

#[test]
fn new_verdicts_and_votes_never_leave_a_stale_ter() {
    let home = crate::support::home();
    let verdicts = [(0, 1), (0, 2), (1, 1), (1, 2)]
        .map(|(task, draw)| verdict("a", task, draw, Some(true)))
        .into_iter()
        .chain([verdict("b", 1, 1, Some(false))])
        .collect();
    let path = made(home.path(), &draws(), verdicts);
    assert!(run(home.path(), &["score", "made.qualm"]).status.success());
    let import = |lines: &str| {
        let csv = format!("dataset,model,task,draw_b,judge,equivalent,author\n{lines}");
        fs::write(home.path().join("v.csv"), csv).expect("written");
        let out = run(home.path(), &["import", "v.csv", "-o", "made.qualm"]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    // All verdicts of the first judge are replaced, which makes another one the first.
    let said = import("d,m,0,1,a,no,\nd,m,0,2,a,no,\nd,m,1,1,a,no,\nd,m,1,2,a,no,\n");
    assert!(said.contains("in scores.parquet updated"), "{said}");
    let [stored, computed] = ter(&path);
    assert_eq!(stored, computed);
    let out = run(home.path(), &["check", "made.qualm"]);
    assert_eq!(text(&out.stdout), "made.qualm: no problem found\n");
    import("d,m,0,1,human,yes,ada\n");
    let [stored, computed] = ter(&path);
    assert_eq!(stored, computed);
    assert!(Store::open(&path).expect("a store").doubts().is_empty());
}

#[test]
fn copies_that_a_change_made_stale_are_told() {
    let home = crate::support::home();
    let path = made(home.path(), &draws(), vec![verdict("a", 0, 1, Some(true))]);
    assert!(run(home.path(), &["score", "made.qualm"]).status.success());
    let mut amendment = Amendment::begin(&path).expect("free");
    amendment.judgments(&[verdict("a", 0, 1, Some(false))]).expect("written");
    amendment.commit().expect("written");
    let said = text(&run(home.path(), &["report", "made.qualm", "--resamples", "0"]).stderr);
    assert!(said.contains("scores.parquet holds computed values from before"), "{said}");
    let out = run(home.path(), &["check", "made.qualm"]);
    assert!(text(&out.stdout).contains("`ter` of d/m: 1 value not what the runs and verdicts"));
    assert!(run(home.path(), &["score", "made.qualm", "--scorers", "turns"]).status.success());
    assert!(Store::open(&path).expect("a store").doubts().is_empty());
    assert!(run(home.path(), &["check", "made.qualm"]).status.success());
}

#[test]
fn people_as_judges_make_their_copy_stale_by_another_vote() {
    let home = crate::support::home();
    let path = made(home.path(), &draws(), Vec::new());
    let vote = |draw, ruling| {
        let vote = crate::support::vote("ada", 0, draw, ruling);
        crate::support::add_vote(&path, &vote).expect("voted");
    };
    vote(1, qualm::store::Ruling::Equivalent);
    assert!(run(home.path(), &["score", "made.qualm"]).status.success());
    assert!(Store::open(&path).expect("a store").doubts().is_empty());
    vote(2, qualm::store::Ruling::Different);
    assert!(Store::open(&path).expect("a store").doubts()[0].contains("qualm score"));
    assert!(run(home.path(), &["score", "made.qualm"]).status.success());
    let [stored, computed] = ter(&path);
    assert_eq!((stored.len(), stored == computed), (1, true));
    assert!(Store::open(&path).expect("a store").doubts().is_empty());
}

#[test]
fn sequence_probabilities_have_their_log_beside_them() {
    let fixture = imported(&["tau2-logprobs-v0.json"]);
    run(fixture.home.path(), &["score", "s.qualm"]);
    let scores = fixture.store().scores().expect("scores");
    let of = |id: &str| scores.iter().filter(|row| row.scorer == id).collect::<Vec<_>>();
    assert!(!of("sp").is_empty() && !of("lnsp").is_empty());
    for row in of("sp") {
        let (value, log) = (row.value.expect("a value"), row.log.expect("a log"));
        assert!((value - log.exp()).abs() < 1e-12 && log < 0.0, "{value} {log}");
    }
    assert!(of("lnsp").iter().all(|row| row.log.is_none()));
    // A table of an earlier version has no such column.
    rewrite(&table(&fixture, "scores"), |frame| frame.drop("log").expect("there"));
    forget_files(&fixture.path());
    assert!(fixture.store().scores().expect("scores").iter().all(|row| row.log.is_none()));
    assert!(run(fixture.home.path(), &["check", "s.qualm"]).status.success());
    run(fixture.home.path(), &["score", "s.qualm"]);
    assert_eq!(fixture.store().scores().expect("scores"), scores);
}

#[test]
fn a_table_that_would_fill_the_memory_is_refused() {
    let fixture = imported(&["tau2.json"]);
    let rows = 1 << 25;
    rewrite(&table(&fixture, "tasks"), |_| {
        let column = BooleanChunked::full("dataset".into(), true, rows).into_column();
        DataFrame::new(rows, vec![column]).expect("a frame")
    });
    let said = fixture.store().tasks().expect_err("refused").to_string();
    assert!(said.contains("MiB of memory, far beyond its size"), "{said}");
    assert!(problems(&fixture.path()).contains("far beyond its size"));
    // So is a user's own table.
    let bytes = fs::read(table(&fixture, "tasks")).expect("read");
    let said = qualm::store::read_parquet(bytes).expect_err("refused").to_string();
    assert!(said.contains("far beyond its size"), "{said}");
}

#[test]
fn a_page_that_claims_to_be_larger_than_its_table_is_refused() {
    let fixture = imported(&["tau2.json"]);
    let path = table(&fixture, "tasks");
    rewrite(&path, |_| {
        let text = "x".repeat(3_000_000);
        let column = StringChunked::from_iter_values("dataset".into(), [text.as_str()].into_iter());
        DataFrame::new(1, vec![column.into_column()]).expect("a frame")
    });
    let said = fixture.store().tasks().expect_err("a column is missing").to_string();
    assert!(said.contains("the column"), "{said}");
    // The first page comes first: its type, then its size as a number of four bytes.
    let mut bytes = fs::read(&path).expect("read");
    assert_eq!([bytes[4], bytes[6], bytes[9] >> 7, bytes[10] >> 7], [0x15, 0x15, 1, 0]);
    bytes[7..11].copy_from_slice(&[0xfe, 0xff, 0xff, 0x7f]);
    fs::write(&path, &bytes).expect("written");
    let said = fixture.store().tasks().expect_err("refused").to_string();
    assert!(said.contains("it would need 127 MiB of memory, far beyond its size"), "{said}");
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_refused_at_once() {
    let pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.expect("mkfifo").success());
    };
    let endless = |path: &Path| {
        let _ = fs::remove_file(path);
        std::os::unix::fs::symlink("/dev/zero", path).expect("linked");
    };
    let begin = Instant::now();
    let kinds: [&dyn Fn(&Path); 2] = [&pipe, &endless];
    for make in kinds {
        for name in ["scores.parquet", "messages.parquet", "annotations.jsonl"] {
            let fixture = imported(&["tau2.json"]);
            make(&fixture.path().join(name));
            for command in ["check", "report", "score"] {
                let out = run(fixture.home.path(), &[command, "s.qualm"]);
                let said = text(&out.stdout) + &text(&out.stderr);
                assert!(!out.status.success(), "{command} {name}");
                assert!(said.contains("not a file"), "{command} {name}: {said}");
            }
        }
        let fixture = imported(&["tau2.json"]);
        make(&fixture.path().join("manifest.json"));
        assert!(!run(fixture.home.path(), &["report", "s.qualm"]).status.success());
        // Results: an index whose simulations are no files, and a device that is named.
        let home = crate::support::home();
        let folder = home.path().join("results");
        fs::create_dir_all(folder.join("simulations")).expect("made");
        fs::copy(data("tau2-folder/results.json"), folder.join("results.json")).expect("copied");
        make(&folder.join("simulations/a.json"));
        let out = run(home.path(), &["import", "results", "-o", "s.qualm"]);
        assert!(!out.status.success(), "{}", text(&out.stdout));
        assert!(!home.path().join("s.qualm").exists());
    }
    let home = crate::support::home();
    let out = qualm(home.path()).args(["import", "/dev/zero", "-o", "s.qualm"]).output();
    let said = text(&out.expect("it ends").stderr);
    assert!(said.contains("/dev/zero: is a device"), "{said}");
    assert!(begin.elapsed().as_secs() < 60);
}
