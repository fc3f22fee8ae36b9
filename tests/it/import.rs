//! Imports of several files into one store: draws, references, conditions, repeated imports.

use std::path::PathBuf;

use qualm::import::{ImportOptions, import};
use qualm::model::{Cell, Judgment, PairValue, Score};
use qualm::store::{Extras, Manifest, Store, StoreWriter};

use crate::support::{
    Imported, assert_whole, data, imported, imported_with, run, text, with_condition,
    with_reference,
};

const RUNS: [&str; 3] = ["tau2-runs/run1.json", "tau2-runs/run2.json", "tau2-runs/run3.json"];

fn finals(fixture: &Imported, task: &str) -> Vec<String> {
    let heads =
        fixture.entries().into_iter().map(|entry| entry.head).filter(|head| head.task == task);
    heads.filter_map(|head| head.final_message).collect()
}

#[test]
fn a_greedy_run_among_sampled_ones_is_the_reference() {
    assert_eq!(finals(&imported(&RUNS), "0"), ["Hello 2", "Hello 1", "Hello 3"]);
}

#[test]
fn the_reference_can_be_chosen_by_file_and_by_trial() {
    let fixture = imported_with(&RUNS, &with_reference("run3.json"));
    assert_eq!(finals(&fixture, "1"), ["Hello 3", "Hello 1", "Hello 2"]);
    let fixture = imported_with(&["tau2-interrupted.json"], &with_reference("1"));
    assert_eq!(fixture.entry("0", 0).head.origin.trial, Some(1));
    assert_eq!(fixture.entry("1", 1).head.origin.trial, Some(0), "there is no trial 1");
    let without = &fixture.summary.without_reference;
    assert_eq!(without.iter().map(|(_, task)| task.as_str()).collect::<Vec<_>>(), ["1"]);
    let fixture = imported_with(&["tau2-interrupted.json"], &with_reference("any"));
    assert_eq!(fixture.entry("1", 0).head.origin.trial, Some(0));
    assert!(fixture.summary.without_reference.is_empty());
}

#[test]
fn the_command_line_orders_the_draws() {
    let backwards = [RUNS[2], RUNS[1], RUNS[0]];
    assert_eq!(finals(&imported(&backwards), "0"), ["Hello 2", "Hello 3", "Hello 1"]);
}

#[test]
fn files_can_be_imported_as_conditions() {
    let mut fixture = imported_with(&RUNS[..1], &with_condition("a"));
    fixture.add(&RUNS[1..], &with_condition("b"));
    let cells: Vec<_> =
        fixture.summary.cells.iter().map(|summary| summary.cell.to_string()).collect();
    assert_eq!(cells, ["airline/bear/a", "airline/bear/b"]);
    assert_eq!(
        (fixture.summary.cells[0].trajectories, fixture.summary.cells[1].trajectories),
        (2, 4)
    );
}

#[test]
fn importing_again_adds_and_replaces() {
    let mut fixture = imported(&RUNS[..2]);
    fixture.add(&RUNS[2..], &ImportOptions::default());
    assert_eq!((fixture.summary.added, fixture.summary.kept, fixture.summary.replaced), (2, 4, 0));
    assert_eq!(finals(&fixture, "0"), ["Hello 2", "Hello 1", "Hello 3"]);
    fixture.add(&RUNS[..1], &ImportOptions::default());
    assert_eq!((fixture.summary.added, fixture.summary.kept, fixture.summary.replaced), (2, 4, 2));
    assert_eq!(finals(&fixture, "0"), ["Hello 2", "Hello 1", "Hello 3"], "the order stays");
    assert_eq!(fixture.store().manifest().sources.len(), 3);
    assert_whole(&fixture.path());
}

#[test]
fn the_chosen_reference_is_remembered() {
    let mut fixture = imported_with(&RUNS[..2], &with_reference("run1.json"));
    fixture.add(&RUNS[2..], &ImportOptions::default());
    assert_eq!(finals(&fixture, "0"), ["Hello 1", "Hello 2", "Hello 3"]);
}

#[test]
fn a_run_in_two_files_is_imported_once() {
    let mut fixture = imported(&["tau2.json"]);
    let copy = fixture.home.path().join("copy.json");
    std::fs::copy(data("tau2.json"), &copy).expect("copied");
    let twice = [data("tau2.json"), copy.clone()];
    fixture.summary =
        import(&twice, &fixture.path(), &ImportOptions::default(), &|_| {}).expect("imported");
    assert_eq!((fixture.summary.added, fixture.summary.replaced), (4, 4));
    assert_eq!(fixture.summary.skipped.len(), 4);
    let args = [twice[0].display().to_string(), copy.display().to_string()];
    let out = run(fixture.home.path(), &["import", &args[0], &args[1], "-o", "t.qualm"]);
    let said = text(&out.stdout);
    assert!(said.contains("4 records skipped: duplicates of runs in"), "{said}");
    assert!(fixture.summary.skipped[0].reason.starts_with("the same run (id 0000"));
    // Runs in a moved file are recognised by their ids.
    fixture.summary =
        import(&[copy], &fixture.path(), &ImportOptions::default(), &|_| {}).expect("imported");
    assert_eq!((fixture.summary.added, fixture.summary.kept, fixture.summary.replaced), (4, 0, 4));
}

/// A store of the first two [`RUNS`] with values for task 0.
fn with_values() -> Imported {
    with_values_of(None)
}

/// The same for runs whose words have this fingerprint.
fn with_values_of(words: Option<u64>) -> Imported {
    let fixture = imported(&RUNS[..2]);
    let store = fixture.store();
    let (cell, task) = (Cell::new("airline", "bear"), "0".to_owned());
    let score = |draw, scorer: &str| Score {
        cell: cell.clone(),
        task: task.clone(),
        draw,
        scorer: scorer.to_owned(),
        aggregator: None,
        value: Some(f64::from(draw)),
        log: None,
        fold: None,
    };
    let extras = Extras {
        scores: vec![score(0, "ptrue"), score(1, "ptrue"), score(0, "aec")],
        pairs: vec![PairValue {
            cell: cell.clone(),
            task: task.clone(),
            draw_a: 0,
            draw_b: 1,
            scorer: "ncp".to_owned(),
            value: Some(0.5),
        }],
        judgments: vec![Judgment {
            cell: cell.clone(),
            task: task.clone(),
            draw_a: 0,
            draw_b: 1,
            judge: "j".to_owned(),
            equivalent: Some(true),
            confidence: None,
        }],
        ..Extras::default()
    };
    let entries = store.entries().expect("entries");
    let runs = store.trajectories(&entries).expect("runs");
    let mut writer = StoreWriter::create(&fixture.path()).expect("free");
    for mut run in runs {
        run.head.fingerprint = words.or(run.head.fingerprint);
        writer.push(run).expect("pushed");
    }
    let manifest = Manifest { cells: Vec::new(), ..store.manifest().clone() };
    writer.finish(manifest, &extras).expect("written");
    fixture
}

#[test]
fn stored_values_follow_their_runs() {
    let mut fixture = with_values();
    assert_eq!(fixture.store().scores().expect("scores").len(), 3);
    // Run 1 becomes the reference: draws 0 and 1 are swapped, and values that depend on the old
    // reference are dropped.
    fixture.add(&RUNS[2..], &with_reference("run1.json"));
    let scores = fixture.store().scores().expect("scores");
    let scores: Vec<_> =
        scores.iter().map(|row| (row.draw, row.scorer.as_str(), row.value)).collect();
    assert_eq!(scores, [(1, "ptrue", Some(0.0)), (0, "ptrue", Some(1.0))]);
    assert!(fixture.store().pairs().expect("pairs").is_empty());
    let judgments = fixture.store().judgments().expect("judgments");
    assert_eq!((judgments[0].draw_a, judgments[0].draw_b), (1, 0));
    assert_eq!(fixture.summary.dropped.total(), 2);
}

#[test]
fn values_of_replaced_runs_are_dropped() {
    let mut fixture = with_values_of(Some(1));
    fixture.add(&RUNS[1..2], &ImportOptions::default());
    let dropped = fixture.summary.dropped;
    assert_eq!((dropped.computed, dropped.brought, dropped.verdicts), (1, 2, 1));
    let scores = fixture.store().scores().expect("scores");
    let scores: Vec<_> = scores.iter().map(|row| (row.draw, row.scorer.as_str())).collect();
    assert_eq!(scores, [(1, "ptrue")]);
    assert!(fixture.store().judgments().expect("judgments").is_empty());
}

#[test]
fn values_stay_when_the_same_runs_come_in_again() {
    let mut fixture = with_values();
    let values = |fixture: &Imported| {
        let store = fixture.store();
        let (scores, pairs) = (store.scores().expect("scores"), store.pairs().expect("pairs"));
        (scores, pairs, store.judgments().expect("judgments"))
    };
    let before = values(&fixture);
    fixture.add(&RUNS[..2], &ImportOptions::default());
    assert_eq!(fixture.summary.kept, 0);
    assert_eq!(fixture.summary.dropped.total(), 0);
    assert_eq!(values(&fixture), before);
    // Their draws are numbered anew: what holds for any order stays.
    fixture.add(&RUNS[..2], &with_reference("run1.json"));
    let judgments = fixture.store().judgments().expect("judgments");
    assert_eq!((judgments[0].draw_a, judgments[0].draw_b), (1, 0));
    assert_eq!(fixture.summary.dropped.verdicts, 0);
}

#[test]
fn notes_in_a_store_survive_an_import() {
    let mut fixture = imported(&RUNS[..1]);
    std::fs::write(fixture.path().join("annotations.jsonl"), "{\"note\": 1}\n").expect("written");
    std::fs::create_dir(fixture.path().join("figures")).expect("made");
    fixture.add(&RUNS[1..], &ImportOptions::default());
    let notes =
        std::fs::read_to_string(fixture.path().join("annotations.jsonl")).expect("still there");
    assert_eq!(notes, "{\"note\": 1}\n");
    assert!(fixture.path().join("figures").is_dir());
}

#[test]
fn an_open_store_does_not_change_for_its_reader() {
    let mut fixture = imported(&["tau2.json"]);
    let store = Store::open(&fixture.path()).expect("open");
    let entry = store.entries().expect("entries").remove(3);
    fixture.add(&RUNS, &ImportOptions::default());
    let run = store.trajectory(&entry).expect("the files that were opened");
    assert_eq!(run.head, entry.head);
}

#[test]
fn the_summary_describes_the_import() {
    let home = crate::support::home();
    let folder = data("tau2-ungraded.json");
    let out = run(home.path(), &["import", &folder.display().to_string(), "-o", "s.qualm"]);
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for part in [
        "s.qualm: 3 trajectories from 1 file",
        "3 trajectories not graded by the harness",
        "1 record skipped: recorded as audio ticks, without a transcript",
        "dataset  model   condition  tasks  trajectories  labelled  successes  references_solved  turns  turns_with_logprobs  skipped",
        "airline  owl-7b  default        3             3         0          0                  –      3                    0        4",
    ] {
        assert!(said.contains(part), "{part:?} in\n{said}");
    }
    assert!(out.stderr.is_empty(), "no bar where stderr is no terminal");
}

#[test]
fn folders_are_searched_and_other_files_skipped() {
    let home = crate::support::home();
    let folder = home.path().join("results");
    std::fs::create_dir_all(folder.join("deep")).expect("made");
    std::fs::copy(data("tau2.json"), folder.join("deep/anything.txt")).expect("copied");
    std::fs::copy(data("other-tool.json"), folder.join("other.json")).expect("copied");
    std::fs::write(folder.join("notes.md"), "words").expect("written");
    let out = run(home.path(), &["import", "results", "-o", "s.qualm"]);
    let said = text(&out.stdout);
    assert!(said.contains("4 trajectories from 1 file"), "{said}");
    assert!(said.contains("other.json skipped"), "{said}");
}

#[test]
fn runs_of_two_models_may_share_ids() {
    let mut fixture = imported(&["tau2.json"]);
    let other = fixture.home.path().join("other.json");
    let json = std::fs::read_to_string(data("tau2.json")).expect("read").replace("owl-7b", "fox");
    std::fs::write(&other, json).expect("written");
    let both = [data("tau2.json"), other];
    fixture.summary =
        import(&both, &fixture.path(), &ImportOptions::default(), &|_| {}).expect("imported");
    assert_eq!((fixture.summary.added, fixture.summary.skipped.len()), (8, 0));
}

#[test]
fn copies_without_ids_are_detected() {
    let mut fixture = imported(&["tau1.json"]);
    let copy = fixture.home.path().join("copy.json");
    std::fs::copy(data("tau1.json"), &copy).expect("copied");
    let named = with_model("tau1");
    fixture.summary = import(&[copy], &fixture.path(), &named, &|_| {}).expect("imported");
    assert_eq!((fixture.summary.kept, fixture.summary.added), (3, 3));
    assert_eq!(fixture.summary.alike, 2, "one of the three has a single turn");
}

fn with_model(model: &str) -> ImportOptions {
    let read = qualm::readers::ReadOptions { model: Some(model.to_owned()), ..Default::default() };
    ImportOptions { read, ..ImportOptions::default() }
}

#[cfg(unix)]
#[test]
fn a_link_to_a_store_is_followed() {
    let fixture = imported(&RUNS[..1]);
    let link = fixture.home.path().join("link.qualm");
    std::os::unix::fs::symlink(fixture.path(), &link).expect("linked");
    import(&[data(RUNS[1])], &link, &ImportOptions::default(), &|_| {}).expect("imported");
    assert!(link.is_symlink());
    assert_eq!(fixture.entries().len(), 4);
}

#[test]
fn a_store_that_lost_a_table_is_not_overwritten() {
    let fixture = imported(&RUNS[..1]);
    std::fs::remove_file(fixture.path().join("trajectories.parquet")).expect("removed");
    let error = import(&[data(RUNS[1])], &fixture.path(), &ImportOptions::default(), &|_| {});
    let error = error.expect_err("damaged").to_string();
    assert!(error.contains("the table trajectories is missing"), "{error}");
    assert!(fixture.path().join("messages.parquet").exists());
}

#[test]
fn other_files_in_a_folder_do_not_stop_an_import() {
    let home = crate::support::home();
    let folder = home.path().join("results");
    std::fs::create_dir(&folder).expect("made");
    std::fs::copy(data("tau2.json"), folder.join("run.json")).expect("copied");
    for (name, content) in [
        ("pyproject.toml", "[tool.poetry]\n"),
        ("run.log", "[2024-01-01] started\n"),
        ("broken.json", "{\"a\": "),
        ("empty-list.json", "[]"),
        ("README.md", "words"),
    ] {
        std::fs::write(folder.join(name), content).expect("written");
    }
    #[cfg(unix)]
    {
        for name in ["a", "b"] {
            std::os::unix::fs::symlink(&folder, folder.join(name)).expect("linked");
        }
        let pipe = std::process::Command::new("mkfifo").arg(folder.join("live.json")).status();
        assert!(pipe.expect("mkfifo").success());
    }
    for format in [None, Some("tau2")] {
        let mut args = vec!["import", "results", "-o", "s.qualm"];
        args.extend(format.map(|_| "--format").into_iter().chain(format));
        let out = run(home.path(), &args);
        let said = text(&out.stdout);
        if format.is_none() {
            assert!(said.contains("4 trajectories from 1 file"), "{said}{}", text(&out.stderr));
            assert!(said.contains("broken.json skipped"), "{said}");
            assert!(!cfg!(unix) || said.contains("live.json skipped"), "{said}");
        } else {
            assert!(out.status.success(), "{}", text(&out.stderr));
        }
    }
}

#[test]
fn a_reference_is_found_by_any_path_and_an_unknown_one_is_an_error() {
    let fixture = imported(&RUNS);
    let home = fixture.home.path();
    std::fs::create_dir(home.join("sub")).expect("made");
    for (number, name) in RUNS.iter().enumerate() {
        std::fs::copy(data(name), home.join(format!("sub/r{number}.json"))).expect("copied");
    }
    let import =
        |reference: &str| run(home, &["import", "sub", "-o", "t.qualm", "--reference", reference]);
    assert!(import("./sub/../sub/r2.json").status.success());
    let entries = Store::open(&home.join("t.qualm")).expect("a store").entries().expect("entries");
    assert_eq!(entries[0].head.final_message.as_deref(), Some("Hello 3"));
    let out = import("nope.json");
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text(&out.stderr).contains("--reference nope.json: no run comes from that file or trial")
    );
}

/// Writes a result file of tasks, each by its identifier and whether it crashed before the agent acted.
fn results(path: &std::path::Path, runs: &[(&str, &str, bool)]) {
    let simulation = |(task, id, crashed): &(&str, &str, bool)| {
        let turn = serde_json::json!({"role": "assistant", "content": format!("task {task}")});
        let messages = if *crashed { vec![] } else { vec![turn] };
        serde_json::json!({"id": id, "task_id": task, "trial": 0,
            "reward_info": {"reward": 1}, "messages": messages})
    };
    let simulations: Vec<_> = runs.iter().map(simulation).collect();
    let info = serde_json::json!({"agent_info": {"llm": "owl-7b"},
        "environment_info": {"domain_name": "airline"}});
    let content = serde_json::json!({"info": info, "simulations": simulations});
    std::fs::write(path, content.to_string()).expect("written");
}

#[test]
fn a_repaired_file_under_another_name_brings_the_references() {
    let ids = [1, 2, 3].map(|number| format!("0b9c3f0e-6a52-4a7e-9d3f-00000000000{number}"));
    let (kept, crashed, new) = (ids[0].as_str(), ids[1].as_str(), ids[2].as_str());
    let repaired = [("1", kept, false), ("2", new, false)];
    // The whole file again, or only what crashed.
    for (again, source) in [(&repaired[..], "repaired.json"), (&repaired[1..], "first.json")] {
        let home = crate::support::home();
        let [first, second] = ["first.json", "repaired.json"].map(|name| home.path().join(name));
        results(&first, &[("1", kept, false), ("2", crashed, true)]);
        results(&second, again);
        let store = home.path().join("s.qualm");
        let import = |paths: &[PathBuf]| {
            import(paths, &store, &ImportOptions::default(), &|_| {}).expect("imported")
        };
        assert!(
            import(std::slice::from_ref(&first)).without_reference.is_empty(),
            "task 2 has no run at all"
        );
        for paths in [vec![second.clone()], vec![second.clone()], vec![first, second]] {
            let summary = import(&paths);
            assert!(summary.without_reference.is_empty(), "{:?}", summary.without_reference);
        }
        let entries = Store::open(&store).expect("a store").entries().expect("entries");
        assert!(entries.iter().all(|entry| entry.head.draw == 0), "{source}");
        assert_eq!(entries.len(), 2);
        assert_whole(&store);
    }
}

#[test]
fn skipped_records_are_counted_in_their_cell() {
    let mut fixture = imported_with(&["tau1.json"], &with_condition("a"));
    fixture.add(&["tau1.json"], &with_condition("b"));
    let skipped: Vec<u64> = fixture.summary.cells.iter().map(|cell| cell.skipped).collect();
    assert_eq!(skipped, [1, 1]);
    let mut fixture = imported_with(&["tau1.json"], &crate::support::keep_errored());
    fixture.add(&["tau1.json"], &ImportOptions::default());
    assert_eq!((fixture.summary.cells[0].trajectories, fixture.summary.cells[0].skipped), (3, 1));
}

#[test]
fn folders_of_a_failed_import_are_removed() {
    let home = crate::support::home();
    std::fs::write(home.path().join("cut.json"), "{\"simulations\": [{").expect("written");
    let out = run(home.path(), &["import", "cut.json", "-o", "new/deep/s.qualm"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(!home.path().join("new").exists());
    let input = data("tau2.json").display().to_string();
    assert!(run(home.path(), &["import", &input, "-o", "new/deep/s.qualm"]).status.success());
    assert!(home.path().join("new/deep/s.qualm").is_dir());
}
