//! Files into one store: draws, references, conditions, and importing again.

use qualm::import::{ImportOptions, import};
use qualm::model::{Cell, Judgment, PairValue, Score};
use qualm::store::{Extras, Manifest, Store, StoreWriter};

use crate::support::{
    Imported, assert_whole, data, imported, imported_with, run, text, with_condition,
    with_reference,
};

const RUNS: [&str; 3] = ["tau2-runs/run1.json", "tau2-runs/run2.json", "tau2-runs/run3.json"];

fn finals(own: &Imported, task: &str) -> Vec<String> {
    let heads = own.entries().into_iter().map(|own| own.head).filter(|head| head.task == task);
    heads.filter_map(|head| head.final_message).collect()
}

#[test]
fn a_greedy_run_among_sampled_ones_is_the_reference() {
    assert_eq!(finals(&imported(&RUNS), "0"), ["Hello 2", "Hello 1", "Hello 3"]);
}

#[test]
fn the_reference_can_be_chosen_by_file_and_by_trial() {
    let own = imported_with(&RUNS, &with_reference("run3.json"));
    assert_eq!(finals(&own, "1"), ["Hello 3", "Hello 1", "Hello 2"]);
    let own = imported_with(&["tau2-interrupted.json"], &with_reference("1"));
    assert_eq!(own.entry("0", 0).head.origin.trial, Some(1));
    assert_eq!(own.entry("1", 0).head.origin.trial, Some(0), "there is no trial 1");
    assert_eq!(own.summary.without_reference, 1);
}

#[test]
fn the_order_of_the_command_line_orders_the_draws() {
    let backwards = [RUNS[2], RUNS[1], RUNS[0]];
    assert_eq!(finals(&imported(&backwards), "0"), ["Hello 2", "Hello 3", "Hello 1"]);
}

#[test]
fn files_that_tell_nothing_apart_become_conditions() {
    let mut own = imported_with(&RUNS[..1], &with_condition("a"));
    own.add(&RUNS[1..], &with_condition("b"));
    let cells: Vec<_> = own.summary.cells.iter().map(|own| own.cell.to_string()).collect();
    assert_eq!(cells, ["airline/bear/a", "airline/bear/b"]);
    assert_eq!((own.summary.cells[0].trajectories, own.summary.cells[1].trajectories), (2, 4));
}

#[test]
fn importing_again_adds_and_replaces() {
    let mut own = imported(&RUNS[..2]);
    own.add(&RUNS[2..], &ImportOptions::default());
    assert_eq!((own.summary.added, own.summary.kept, own.summary.replaced), (2, 4, 0));
    assert_eq!(finals(&own, "0"), ["Hello 2", "Hello 1", "Hello 3"]);
    own.add(&RUNS[..1], &ImportOptions::default());
    assert_eq!((own.summary.added, own.summary.kept, own.summary.replaced), (2, 4, 2));
    assert_eq!(finals(&own, "0"), ["Hello 2", "Hello 1", "Hello 3"], "the order stays");
    assert_eq!(own.store().manifest().sources.len(), 3);
    assert_whole(&own.path());
}

#[test]
fn the_chosen_reference_is_remembered() {
    let mut own = imported_with(&RUNS[..2], &with_reference("run1.json"));
    own.add(&RUNS[2..], &ImportOptions::default());
    assert_eq!(finals(&own, "0"), ["Hello 1", "Hello 2", "Hello 3"]);
}

#[test]
fn the_same_run_in_two_files_is_taken_once() {
    let mut own = imported(&["tau2.json"]);
    let copy = own.home.path().join("copy.json");
    std::fs::copy(data("tau2.json"), &copy).expect("copied");
    let twice = [data("tau2.json"), copy.clone()];
    own.summary =
        import(&twice, &own.path(), &ImportOptions::default(), &|_| {}).expect("imported");
    assert_eq!((own.summary.added, own.summary.replaced), (4, 4));
    assert_eq!(own.summary.skipped.len(), 4);
    assert!(own.summary.skipped[0].reason.starts_with("the same run (id 0000"));
    // Moved elsewhere, the runs are still themselves by their own ids.
    own.summary =
        import(&[copy], &own.path(), &ImportOptions::default(), &|_| {}).expect("imported");
    assert_eq!((own.summary.added, own.summary.kept, own.summary.replaced), (4, 0, 4));
}

/// A store of [`RUNS`] 1 and 2 with values for task 0.
fn with_values() -> Imported {
    let own = imported(&RUNS[..2]);
    let store = own.store();
    let (cell, task) = (Cell::new("airline", "bear"), "0".to_owned());
    let score = |draw, scorer: &str| Score {
        cell: cell.clone(),
        task: task.clone(),
        draw,
        scorer: scorer.to_owned(),
        aggregator: None,
        value: Some(f64::from(draw)),
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
        tasks: Vec::new(),
    };
    let entries = store.entries().expect("entries");
    let runs = store.trajectories(&entries).expect("runs");
    let mut writer = StoreWriter::create(&own.path()).expect("free");
    runs.into_iter().for_each(|run| writer.push(run).expect("pushed"));
    let manifest = Manifest { cells: Vec::new(), ..store.manifest().clone() };
    writer.finish(manifest, &extras).expect("written");
    own
}

#[test]
fn stored_values_follow_their_runs() {
    let mut own = with_values();
    assert_eq!(own.store().scores().expect("scores").len(), 3);
    // Run 1 becomes the reference: draws 0 and 1 change places, and what rested on the old
    // reference goes.
    own.add(&RUNS[2..], &with_reference("run1.json"));
    let scores = own.store().scores().expect("scores");
    let scores: Vec<_> =
        scores.iter().map(|row| (row.draw, row.scorer.as_str(), row.value)).collect();
    assert_eq!(scores, [(1, "ptrue", Some(0.0)), (0, "ptrue", Some(1.0))]);
    assert!(own.store().pairs().expect("pairs").is_empty());
    let judgments = own.store().judgments().expect("judgments");
    assert_eq!((judgments[0].draw_a, judgments[0].draw_b), (1, 0));
    assert_eq!(own.summary.dropped_values, 2);
}

#[test]
fn values_of_replaced_runs_go() {
    let mut own = with_values();
    own.add(&RUNS[1..2], &ImportOptions::default());
    let scores = own.store().scores().expect("scores");
    let scores: Vec<_> = scores.iter().map(|row| (row.draw, row.scorer.as_str())).collect();
    assert_eq!(scores, [(1, "ptrue")]);
    assert!(own.store().judgments().expect("judgments").is_empty());
}

#[test]
fn notes_in_a_store_survive_an_import() {
    let mut own = imported(&RUNS[..1]);
    std::fs::write(own.path().join("annotations.jsonl"), "{\"note\": 1}\n").expect("written");
    std::fs::create_dir(own.path().join("figures")).expect("made");
    own.add(&RUNS[1..], &ImportOptions::default());
    let notes = std::fs::read_to_string(own.path().join("annotations.jsonl")).expect("still there");
    assert_eq!(notes, "{\"note\": 1}\n");
    assert!(own.path().join("figures").is_dir());
}

#[test]
fn an_open_store_is_not_changed_under_its_reader() {
    let mut own = imported(&["tau2.json"]);
    let store = Store::open(&own.path()).expect("open");
    let entry = store.entries().expect("entries").remove(3);
    own.add(&RUNS, &ImportOptions::default());
    let run = store.trajectory(&entry).expect("the files that were opened");
    assert_eq!(run.head, entry.head);
}

#[test]
fn the_summary_says_what_came_in() {
    let home = crate::support::home();
    let folder = data("tau2-ungraded.json");
    let out = run(home.path(), &["import", &folder.display().to_string(), "-o", "s.qualm"]);
    let said = text(&out.stdout);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for part in [
        "s.qualm: 3 trajectories from 1 file",
        "3 trajectories not graded by the harness",
        "1 record skipped: recorded as audio ticks, without a transcript",
        "dataset  model   condition  tasks  trajectories  labelled  references solved  turns  with logprobs  skipped",
        "airline  owl-7b  default        3             3         0                  –      3              0        4",
    ] {
        assert!(said.contains(part), "{part:?} in\n{said}");
    }
    assert!(out.stderr.is_empty(), "no bar where stderr is no terminal");
}

#[test]
fn folders_are_searched_and_strangers_passed_over() {
    let home = crate::support::home();
    let folder = home.path().join("results");
    std::fs::create_dir_all(folder.join("deep")).expect("made");
    std::fs::copy(data("tau2.json"), folder.join("deep/anything.txt")).expect("copied");
    std::fs::copy(data("other-tool.json"), folder.join("other.json")).expect("copied");
    std::fs::write(folder.join("notes.md"), "words").expect("written");
    let out = run(home.path(), &["import", "results", "-o", "s.qualm"]);
    let said = text(&out.stdout);
    assert!(said.contains("4 trajectories from 1 file"), "{said}");
    assert!(said.contains("other.json passed over"), "{said}");
}

#[test]
fn runs_of_two_models_may_share_their_ids() {
    let mut own = imported(&["tau2.json"]);
    let other = own.home.path().join("other.json");
    let json = std::fs::read_to_string(data("tau2.json")).expect("read").replace("owl-7b", "fox");
    std::fs::write(&other, json).expect("written");
    let both = [data("tau2.json"), other];
    own.summary = import(&both, &own.path(), &ImportOptions::default(), &|_| {}).expect("imported");
    assert_eq!((own.summary.added, own.summary.skipped.len()), (8, 0));
}

#[test]
fn copies_without_ids_are_noticed() {
    let mut own = imported(&["tau1.json"]);
    let copy = own.home.path().join("copy.json");
    std::fs::copy(data("tau1.json"), &copy).expect("copied");
    let named = with_model("tau1");
    own.summary = import(&[copy], &own.path(), &named, &|_| {}).expect("imported");
    assert_eq!((own.summary.kept, own.summary.added), (3, 3));
    assert_eq!(own.summary.alike, 2, "one of the three has a single turn");
}

fn with_model(model: &str) -> ImportOptions {
    let read = qualm::readers::ReadOptions { model: Some(model.to_owned()), ..Default::default() };
    ImportOptions { read, ..ImportOptions::default() }
}

#[cfg(unix)]
#[test]
fn a_link_to_a_store_stands_for_the_store() {
    let own = imported(&RUNS[..1]);
    let link = own.home.path().join("link.qualm");
    std::os::unix::fs::symlink(own.path(), &link).expect("linked");
    import(&[data(RUNS[1])], &link, &ImportOptions::default(), &|_| {}).expect("imported");
    assert!(link.is_symlink());
    assert_eq!(own.entries().len(), 4);
}

#[test]
fn a_store_that_lost_a_table_is_not_written_over() {
    let own = imported(&RUNS[..1]);
    std::fs::remove_file(own.path().join("trajectories.parquet")).expect("removed");
    let error = import(&[data(RUNS[1])], &own.path(), &ImportOptions::default(), &|_| {});
    let error = error.expect_err("damaged").to_string();
    assert!(error.contains("the table trajectories is missing"), "{error}");
    assert!(own.path().join("messages.parquet").exists());
}

#[test]
fn strangers_in_a_folder_do_not_stop_an_import() {
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
    for name in ["a", "b"] {
        std::os::unix::fs::symlink(&folder, folder.join(name)).expect("linked");
    }
    for format in [None, Some("tau2")] {
        let mut args = vec!["import", "results", "-o", "s.qualm"];
        args.extend(format.map(|_| "--format").into_iter().chain(format));
        let out = run(home.path(), &args);
        let said = text(&out.stdout);
        if format.is_none() {
            assert!(said.contains("4 trajectories from 1 file"), "{said}{}", text(&out.stderr));
            assert!(said.contains("broken.json passed over"), "{said}");
        } else {
            assert!(out.status.success(), "{}", text(&out.stderr));
        }
    }
}

#[test]
fn a_reference_is_found_by_any_path_to_it_or_it_is_an_error() {
    let own = imported(&RUNS);
    let home = own.home.path();
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
    assert!(text(&out.stderr).contains("--reference nope.json: no run is of that file or trial"));
}

#[test]
fn skipped_records_are_counted_where_they_belong() {
    let mut own = imported_with(&["tau1.json"], &with_condition("a"));
    own.add(&["tau1.json"], &with_condition("b"));
    let skipped: Vec<u64> = own.summary.cells.iter().map(|own| own.skipped).collect();
    assert_eq!(skipped, [1, 1]);
    let mut own = imported_with(&["tau1.json"], &crate::support::keep_errored());
    own.add(&["tau1.json"], &ImportOptions::default());
    assert_eq!((own.summary.cells[0].trajectories, own.summary.cells[0].skipped), (3, 1));
}

#[test]
fn folders_made_for_a_store_that_fails_are_removed() {
    let home = crate::support::home();
    std::fs::write(home.path().join("cut.json"), "{\"simulations\": [{").expect("written");
    let out = run(home.path(), &["import", "cut.json", "-o", "new/deep/s.qualm"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(!home.path().join("new").exists());
    let input = data("tau2.json").display().to_string();
    assert!(run(home.path(), &["import", &input, "-o", "new/deep/s.qualm"]).status.success());
    assert!(home.path().join("new/deep/s.qualm").is_dir());
}
