//! Notes and votes belong to runs: they survive imports, renumbered draws, changed files and copies.

use std::fs;
use std::path::{Path, PathBuf};

use qualm::import::{ImportOptions, Reference, import};
use qualm::model::{Cell, Head, Message, Role, Trajectory};
use qualm::rng::Rng;
use qualm::store::{Extras, Manifest, Note, Ruling, Store, StoreWriter, Vote, votes};
use serde_json::{Value, json};

use crate::support::{home, is_long_run, run, text};

const FILE: &str = "annotations.jsonl";

/// One run of a result file: its task, trial, identifier and words.
#[derive(Clone, Copy)]
struct Run(&'static str, i64, Option<&'static str>, &'static str);

const ID: [&str; 3] = [
    "0b9c3f0e-6a52-4a7e-9d3f-000000000000",
    "0b9c3f0e-6a52-4a7e-9d3f-000000000001",
    "0b9c3f0e-6a52-4a7e-9d3f-000000000002",
];

/// Three runs of task 8, one a trial.
fn three(with_ids: bool) -> [Run; 3] {
    let words = ["first", "second", "third"];
    let run = |trial: u8| {
        let index = usize::from(trial);
        Run("8", trial.into(), with_ids.then(|| ID[index]), words[index])
    };
    [0, 1, 2].map(run)
}

/// Writes runs as results of tau2-bench.
fn results(path: &Path, runs: &[Run], temperature: f64) {
    let simulation = |Run(task, trial, id, words): &Run| {
        let turn = |text: String| json!({"role": "assistant", "content": text});
        let mut simulation = json!({
            "task_id": task, "trial": trial, "termination_reason": "user_stop",
            "reward_info": {"reward": trial % 2},
            "messages": [turn((*words).to_owned()), turn(format!("{words}, again"))],
        });
        if let Some(id) = id {
            simulation["id"] = (*id).into();
        }
        simulation
    };
    let agent = json!({"llm": "owl-7b", "llm_args": {"temperature": temperature}});
    let info = json!({"agent_info": agent, "environment_info": {"domain_name": "airline"}});
    let simulations: Vec<Value> = runs.iter().map(simulation).collect();
    let content = json!({"info": info, "tasks": [], "simulations": simulations});
    fs::write(path, content.to_string()).expect("written");
}

fn vote_on(draw_a: u32, draw_b: u32, verdict: Ruling) -> Vote {
    Vote {
        time: 1_790_000_000,
        author: "ada".to_owned(),
        cell: Cell::new("airline", "owl-7b"),
        task: "8".to_owned(),
        draw_a,
        draw_b,
        verdict,
        note: None,
        chosen_by: None,
    }
}

fn note_on(draw: Option<u32>, turn: Option<u32>, words: &str) -> Note {
    Note {
        time: 1_790_000_000,
        author: "ada".to_owned(),
        cell: Cell::new("airline", "owl-7b"),
        task: "8".to_owned(),
        draw,
        turn,
        note: words.to_owned(),
    }
}

fn ok(home: &Path, args: &[&str]) -> String {
    let out = run(home, args);
    assert!(out.status.success(), "{args:?}: {}{}", text(&out.stdout), text(&out.stderr));
    text(&out.stdout)
}

/// The first words of a draw.
fn words_of(store: &Store, draw: u32) -> String {
    let entries = store.entries().expect("entries");
    let entry = entries.iter().find(|entry| entry.head.draw == draw).expect("a draw");
    let run = store.trajectory(entry).expect("a run");
    run.messages[0].content.clone().expect("words")
}

/// What every vote is about, by the words of its runs.
fn voted(store: &Store) -> Vec<[String; 2]> {
    let votes = store.votes().expect("votes");
    let pair = |vote: &Vote| [vote.draw_a, vote.draw_b].map(|draw| words_of(store, draw));
    let mut all: Vec<[String; 2]> = votes.iter().map(pair).collect();
    all.iter_mut().for_each(|pair| pair.sort());
    all
}

/// A line as older versions wrote it.
fn append_old(store: &Path, row: &impl serde::Serialize) {
    let file = store.join(FILE);
    let old = fs::read_to_string(&file).unwrap_or_default();
    let line = serde_json::to_string(row).expect("JSON");
    fs::write(file, format!("{old}{line}\n")).expect("written");
}

#[test]
fn a_vote_stays_with_its_runs_when_draws_are_numbered_anew() {
    for (with_ids, is_old) in [(true, false), (true, true), (false, false), (false, true)] {
        let home = home();
        results(&home.path().join("a.json"), &three(with_ids), 1.0);
        ok(home.path(), &["import", "a.json", "-o", "s.qualm"]);
        let path = home.path().join("s.qualm");
        let (vote, note) =
            (vote_on(0, 1, Ruling::Equivalent), note_on(Some(0), Some(1), "on the first"));
        if is_old {
            append_old(&path, &vote);
            append_old(&path, &note);
        } else {
            crate::support::add_vote(&path, &vote).expect("appended");
            crate::support::add_note(&path, &note).expect("appended");
        }
        let before = fs::read_to_string(path.join(FILE)).expect("read");
        ok(home.path(), &["import", "a.json", "-o", "s.qualm", "--reference", "2"]);
        let after = fs::read_to_string(path.join(FILE)).expect("read");
        assert!(after.starts_with(&before), "lines are only appended: {after}");
        let store = Store::open(&path).expect("a store");
        assert_eq!(words_of(&store, 0), "third", "numbered anew");
        assert_eq!(voted(&store), [["first", "second"]], "{with_ids} {is_old}");
        let notes = store.notes().expect("notes");
        assert_eq!(words_of(&store, notes[0].draw.expect("a draw")), "first");
        ok(home.path(), &["check", "s.qualm"]);
        // A greedy run that comes later becomes the reference.
        results(&home.path().join("b.json"), &[Run("8", 0, None, "greedy")], 0.0);
        fs::remove_file(home.path().join("a.json")).expect("removed");
        ok(home.path(), &["import", "b.json", "-o", "s.qualm", "--reference", "b.json"]);
        let store = Store::open(&path).expect("a store");
        assert_eq!(words_of(&store, 0), "greedy");
        assert_eq!(voted(&store), [["first", "second"]], "{with_ids} {is_old}");
    }
}

#[test]
fn a_new_run_at_the_same_path_inherits_nothing() {
    for with_ids in [true, false] {
        let home = home();
        let file = home.path().join("a.json");
        results(&file, &three(with_ids), 1.0);
        ok(home.path(), &["import", "a.json", "-o", "s.qualm"]);
        let path = home.path().join("s.qualm");
        crate::support::add_vote(&path, &vote_on(0, 1, Ruling::Equivalent)).expect("appended");
        crate::support::add_note(&path, &note_on(Some(1), None, "odd")).expect("appended");
        crate::support::add_note(&path, &note_on(None, None, "hard task")).expect("appended");
        let mut again = three(with_ids);
        again[1] = Run("8", 1, Some("ffffffff-6a52-4a7e-9d3f-000000000001"), "another answer");
        results(&file, &again, 1.0);
        let said = ok(home.path(), &["import", "a.json", "-o", "s.qualm"]);
        for line in [1, 2] {
            let part = format!("annotations.jsonl, line {line}: airline/owl-7b, task 8: ");
            assert!(said.contains(&part), "{part} in {said}");
        }
        let store = Store::open(&path).expect("a store");
        assert!(store.votes().expect("votes").is_empty());
        assert_eq!(store.notes().expect("notes")[0].note, "hard task");
        let out = run(home.path(), &["check", "s.qualm"]);
        assert_eq!(out.status.code(), Some(1));
        let said = text(&out.stdout);
        assert!(said.contains("line 1: airline/owl-7b, task 8: one of its runs is not"), "{said}");
        assert!(said.contains("line 2: airline/owl-7b, task 8: its run is not"), "{said}");
        assert_eq!(said.lines().count(), 2, "{said}");
        // The old results bring them back.
        results(&file, &three(with_ids), 1.0);
        ok(home.path(), &["import", "a.json", "-o", "s.qualm"]);
        assert_eq!(voted(&Store::open(&path).expect("a store")), [["first", "second"]]);
    }
}

/// The only cached store.
fn cached(home: &Path) -> PathBuf {
    let folder = home.join("cache/qualm/results");
    let stores: Vec<PathBuf> =
        folder.read_dir().expect("a cache").flatten().map(|entry| entry.path()).collect();
    assert_eq!(stores.len(), 1, "{stores:?}");
    stores[0].clone()
}

fn log(home: &Path) -> PathBuf {
    home.join("data/qualm/annotations.jsonl")
}

/// The votes on results, by their draws.
fn votes_on(home: &Path, file: &str) -> Vec<(u64, u64)> {
    let out = ok(home, &["export", file, "--what", "judgments", "--format", "jsonl"]);
    let rows = out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let draw = |row: &Value, name: &str| row[name].as_u64().expect("a draw");
    rows.map(|row| (draw(&row, "draw_a"), draw(&row, "draw_b"))).collect()
}

#[test]
fn votes_on_results_survive_touches_copies_and_moves() {
    let home = home();
    let file = home.path().join("a.json");
    results(&file, &three(false), 1.0);
    ok(home.path(), &["report", "a.json", "--table", "cells"]);
    let store = Store::open(&cached(home.path())).expect("a store").with_log(log(home.path()));
    store.add_votes(&[vote_on(0, 2, Ruling::Different)]).expect("appended");
    assert_eq!(votes_on(home.path(), "a.json"), [(0, 2)]);
    // The file's time changes.
    results(&file, &three(false), 1.0);
    assert_eq!(votes_on(home.path(), "a.json"), [(0, 2)]);
    fs::copy(&file, home.path().join("copy.json")).expect("copied");
    assert_eq!(votes_on(home.path(), "copy.json"), [(0, 2)]);
    fs::rename(&file, home.path().join("moved.json")).expect("moved");
    assert_eq!(votes_on(home.path(), "moved.json"), [(0, 2)]);
    fs::remove_dir_all(home.path().join("cache")).expect("removed");
    assert_eq!(votes_on(home.path(), "moved.json"), [(0, 2)]);
    // The cached store itself, as `Y` names it.
    let path = cached(home.path()).display().to_string();
    assert_eq!(votes_on(home.path(), &path), [(0, 2)]);
    ok(home.path(), &["check", "moved.json"]);
    // Other results have nothing to do with it.
    results(&home.path().join("other.json"), &[Run("8", 0, None, "else")], 1.0);
    assert!(votes_on(home.path(), "other.json").is_empty());
    ok(home.path(), &["check", "other.json"]);
    // A new run at the path is another run, and the vote on the old one is named.
    let old = fs::read(home.path().join("moved.json")).expect("read");
    results(&home.path().join("moved.json"), &three(true), 1.0);
    let mut again = three(false);
    again[2].3 = "another answer";
    results(&home.path().join("moved.json"), &again, 1.0);
    assert!(votes_on(home.path(), "moved.json").is_empty());
    fs::write(home.path().join("moved.json"), old).expect("written");
    // A store takes them over.
    let said = ok(home.path(), &["import", "moved.json", "-o", "s.qualm"]);
    assert!(said.contains("1 annotation on these runs outside the store"), "{said}");
    ok(home.path(), &["merge", "s.qualm", "moved.json"]);
    let said = ok(home.path(), &["import", "moved.json", "-o", "s.qualm"]);
    assert!(!said.contains("outside the store"), "{said}");
    assert_eq!(votes_on(home.path(), "s.qualm"), [(0, 2)]);
}

#[test]
fn a_vote_on_results_that_were_run_again_is_named() {
    let home = home();
    let file = home.path().join("a.json");
    results(&file, &three(false), 1.0);
    ok(home.path(), &["check", "a.json"]);
    let store = Store::open(&cached(home.path())).expect("a store").with_log(log(home.path()));
    store.add_votes(&[vote_on(0, 2, Ruling::Different)]).expect("appended");
    store.add_note(&note_on(None, None, "hard task")).expect("appended");
    let mut again = three(false);
    again[2].3 = "another answer";
    results(&file, &again, 1.0);
    let out = run(home.path(), &["check", "a.json"]);
    let said = text(&out.stdout);
    assert_eq!((out.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.contains("line 1: airline/owl-7b, task 8: one of its runs is not"), "{said}");
    let notes = ok(home.path(), &["export", "a.json", "--what", "notes"]);
    assert!(notes.contains("hard task"), "a run of the task is still there: {notes}");
    let said = text(&run(home.path(), &["export", "a.json", "--what", "judgments"]).stderr);
    assert!(said.contains("left out: annotations.jsonl, line 1"), "{said}");
    // Any run that is left is enough, also under another name.
    for words in ["other words", "and others"] {
        again[usize::from(words.starts_with('a'))].3 = words;
        again[2].3 = "third";
        results(&file, &again, 1.0);
        let notes = ok(home.path(), &["export", "a.json", "--what", "notes"]);
        assert!(notes.contains("hard task"), "{words}: {notes}");
    }
    let renamed = home.path().join("b.json");
    fs::rename(&file, &renamed).expect("moved");
    let notes = ok(home.path(), &["export", "b.json", "--what", "notes"]);
    assert!(notes.contains("hard task"), "{notes}");
    again[2].3 = "the last one";
    results(&file, &again, 1.0);
    let said = text(&run(home.path(), &["check", "a.json"]).stdout);
    assert!(said.contains("line 2: airline/owl-7b, task 8: none of its runs is in"), "{said}");
}

/// Writes three draws of one task in this order, without fingerprints as older versions did.
fn older_store(path: &Path, words: [&str; 3], has_prints: bool) {
    let mut writer = StoreWriter::create(path).expect("free");
    for (draw, text) in (0..).zip(words) {
        let mut head = Head::new(Cell::new("airline", "owl-7b"), "8");
        head.draw = draw;
        let messages = vec![Message::text(Role::Assistant, text)];
        writer.push(Trajectory::new(head, messages, |_| None)).expect("pushed");
    }
    writer.flush().expect("written");
    for entry in writer.entries_mut().iter_mut().filter(|_| !has_prints) {
        entry.head.fingerprint = None;
    }
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
}

#[test]
fn a_store_without_fingerprints_keeps_its_votes() {
    for is_old in [false, true] {
        let home = home();
        let path = home.path().join("s.qualm");
        older_store(&path, ["first", "second", "third"], false);
        let vote = vote_on(0, 1, Ruling::Equivalent);
        if is_old {
            append_old(&path, &vote);
        } else {
            crate::support::add_vote(&path, &vote).expect("appended");
        }
        for has_prints in [false, true] {
            older_store(&path, ["third", "second", "first"], has_prints);
            let votes = Store::open(&path).expect("a store").votes().expect("votes");
            assert_eq!((votes[0].draw_a, votes[0].draw_b), (1, 2), "{is_old} {has_prints}");
        }
    }
}

#[test]
fn caches_of_older_versions_go_and_their_votes_stay() {
    let home = home();
    results(&home.path().join("a.json"), &three(false), 1.0);
    let older = |name: &str| home.path().join("cache/qualm/imports").join(name);
    let stores = ["a-0000aaaa.qualm", "a-0000bbbb.qualm", "a-0000cccc.qualm", "a-0000dddd.qualm"];
    for store in stores {
        let path = older(store).display().to_string();
        ok(home.path(), &["import", "a.json", "-o", &path]);
    }
    append_old(&older(stores[1]), &vote_on(0, 1, Ruling::Equivalent));
    append_old(&older(stores[1]), &note_on(None, None, "hard task"));
    // What cannot be moved stays, and so does what is not qualm's.
    fs::write(older(stores[2]).join(FILE), "<<<<<<< mine\n").expect("written");
    append_old(&older(stores[2]), &vote_on(0, 2, Ruling::Different));
    fs::write(older(stores[3]).join("thesis.txt"), "years of work").expect("written");
    assert_eq!(votes_on(home.path(), "a.json"), [(0, 1), (0, 2)]);
    assert_eq!(votes_on(home.path(), "a.json"), [(0, 1), (0, 2)], "moved once");
    let said = text(&run(home.path(), &["report", "a.json"]).stderr);
    for store in &stores[2..] {
        assert!(said.contains(&format!("{store}: this old cache stays")), "{said}");
    }
    let left: Vec<bool> = stores.iter().map(|store| older(store).exists()).collect();
    assert_eq!(left, [false, false, true, true]);
    assert!(older(stores[3]).join("thesis.txt").exists());
    let notes = ok(home.path(), &["export", "a.json", "--what", "notes"]);
    assert!(notes.contains("hard task"), "{notes}");
}

#[test]
fn a_cache_whose_results_are_gone_goes() {
    let home = home();
    for file in ["a.json", "b.json"] {
        results(&home.path().join(file), &three(true), 1.0);
        ok(home.path(), &["report", file]);
    }
    fs::remove_file(home.path().join("a.json")).expect("removed");
    ok(home.path(), &["report", "b.json"]);
    cached(home.path());
}

#[test]
fn one_more_simulation_beside_an_index_is_noticed() {
    let home = home();
    let folder = home.path().join("run");
    fs::create_dir_all(folder.join("simulations")).expect("made");
    let data = crate::support::data("tau2-folder");
    fs::copy(data.join("results.json"), folder.join("results.json")).expect("copied");
    let first = fs::read_to_string(data.join("simulations/aa.json")).expect("read");
    fs::write(folder.join("simulations/aa.json"), &first).expect("written");
    let trajectories = |path: &str| {
        let out = ok(home.path(), &["report", path, "--table", "cells", "--format", "json"]);
        let rows: Vec<Value> = serde_json::from_str(&out).expect("JSON");
        rows.iter().map(|row| row["trajectories"].as_u64().expect("a count")).sum::<u64>()
    };
    assert_eq!(trajectories("run/results.json"), 1);
    let mut second: Value = serde_json::from_str(&first).expect("JSON");
    second["id"] = "cc-new-run-1234567890".into();
    second["task_id"] = "99".into();
    fs::write(folder.join("simulations/cc.json"), second.to_string()).expect("written");
    assert_eq!(trajectories("run/results.json"), 2);
    assert_eq!(trajectories("run"), 2);
}

#[test]
fn commands_take_result_files() {
    let home = home();
    results(&home.path().join("a.json"), &three(true), 1.0);
    results(&home.path().join("b.json"), &[Run("9", 0, None, "hello")], 1.0);
    let both = ["a.json", "b.json"];
    for (command, rest) in [
        ("report", &["--table", "cells"][..]),
        ("export", &["--what", "tasks"]),
        ("show", &["--task", "8"]),
        ("diff", &["--task", "8"]),
        ("shot", &[]),
        ("check", &[]),
    ] {
        let args = [&[command][..], &both, rest].concat();
        let said = ok(home.path(), &args);
        assert!(!said.is_empty(), "{args:?}");
    }
    let titles = [("a.json", "a.json\n"), ("b.json", "b.json\n")];
    for (file, title) in titles {
        assert!(ok(home.path(), &[file]).starts_with(title));
    }
    assert!(ok(home.path(), &both).starts_with("a.json and 1 more\n"));
    let cells = ok(home.path(), &["report", "a.json", "b.json", "--table", "cells"]);
    assert!(cells.contains('4'), "four runs in {cells}");
    let out = run(home.path(), &["report", "nothing.json"]);
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stderr);
    assert!(said.contains("nothing.json: there is no such file or folder; "), "{said}");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_file_s_stead_is_refused_at_once() {
    let home = home();
    results(&home.path().join("a.json"), &three(true), 1.0);
    ok(home.path(), &["import", "a.json", "-o", "s.qualm"]);
    let path = home.path().join("s.qualm");
    let made = std::process::Command::new("mkfifo").arg(path.join(FILE)).status();
    assert!(made.expect("mkfifo").success());
    let error =
        crate::support::add_vote(&path, &vote_on(0, 1, Ruling::Equivalent)).expect_err("a pipe");
    assert!(error.to_string().contains("not a file"), "{error}");
    let out = run(home.path(), &["report", "s.qualm"]);
    assert!(
        text(&out.stderr).contains("annotations.jsonl: cannot be read (is not a file)"),
        "{out:?}"
    );
}

#[test]
fn a_damaged_line_is_named_where_numbers_are_printed() {
    let home = home();
    results(&home.path().join("a.json"), &three(true), 1.0);
    ok(home.path(), &["import", "a.json", "-o", "s.qualm"]);
    let path = home.path().join("s.qualm");
    crate::support::add_vote(&path, &vote_on(0, 1, Ruling::Equivalent)).expect("appended");
    let line = fs::read_to_string(path.join(FILE)).expect("read");
    fs::write(path.join(FILE), format!("<<<<<<< mine\n{line}=======\n\0\u{1}\n")).expect("written");
    for args in [
        &["report", "s.qualm", "--table", "judges"][..],
        &["report", "s.qualm"],
        &["export", "s.qualm", "--what", "judgments"],
        &["show", "s.qualm", "--task", "8"],
        &["diff", "s.qualm", "--task", "8"],
        &["shot", "s.qualm"],
        &["score", "s.qualm"],
        &["s.qualm"],
    ] {
        let out = run(home.path(), args);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{args:?}: {said}");
        assert!(!out.stdout.is_empty(), "{args:?}");
        for number in [1, 3, 4] {
            let part = format!("annotations.jsonl: line {number} is not a note (");
            assert!(said.contains(&part), "{args:?}: {part} in {said}");
        }
    }
    let out = run(home.path(), &["export", "s.qualm", "--what", "judgments"]);
    assert!(text(&out.stdout).contains(",ada,"), "the vote counts");
    let out = run(home.path(), &["check", "s.qualm"]);
    assert_eq!((out.status.code(), text(&out.stdout).lines().count()), (Some(1), 3));
    let said = ok(home.path(), &["import", "a.json", "-o", "s.qualm"]);
    for number in [1, 3, 4] {
        assert!(said.contains(&format!("annotations.jsonl: line {number} is not")), "{said}");
    }
}

/// Two people without a name, or one who changed their mind.
#[test]
fn a_merge_lists_contradictions_and_keeps_the_vote_that_is_there() {
    let home = home();
    results(&home.path().join("a.json"), &three(true), 1.0);
    for store in ["s.qualm", "t.qualm"] {
        ok(home.path(), &["import", "a.json", "-o", store]);
    }
    let [mine, theirs] = ["s.qualm", "t.qualm"].map(|name| home.path().join(name));
    // The other store numbers its draws otherwise; both votes are on the same runs.
    ok(home.path(), &["import", "a.json", "-o", "t.qualm", "--reference", "1"]);
    crate::support::add_vote(&mine, &vote_on(0, 1, Ruling::Equivalent)).expect("appended");
    let later = Vote { time: 1_790_000_009, ..vote_on(1, 0, Ruling::Different) };
    crate::support::add_vote(&theirs, &later).expect("appended");
    let before = fs::read(mine.join(FILE)).expect("read");
    let out = run(home.path(), &["merge", "s.qualm", "t.qualm"]);
    let said = text(&out.stdout);
    let rulings = "airline/owl-7b  8     0, 1   equivalent  different  equivalent";
    assert!(said.contains("conflict: author") && said.contains(rulings), "{said}");
    assert!(text(&out.stderr).contains("0 lines added"), "{out:?}");
    assert_eq!(fs::read(mine.join(FILE)).expect("read"), before);
    let out = run(home.path(), &["merge", "s.qualm", "t.qualm", "--newest"]);
    assert!(text(&out.stderr).contains("1 line added"), "{out:?}");
    let said = text(&out.stdout);
    assert!(said.contains("equivalent  different  different"), "{said}");
    let current = votes::current(&Store::open(&mine).expect("a store").votes().expect("votes"));
    assert_eq!((current.len(), current[0].verdict), (1, Ruling::Different));
    // What follows on a vote that both have is no contradiction.
    ok(home.path(), &["merge", "t.qualm", "s.qualm"]);
    let again = Vote { time: 1_790_000_019, ..vote_on(0, 1, Ruling::Unsure) };
    crate::support::add_vote(&mine, &again).expect("appended");
    let out = run(home.path(), &["merge", "t.qualm", "s.qualm"]);
    assert!(text(&out.stderr).contains("1 line added"), "{out:?}");
    assert!(!text(&out.stdout).contains("conflict: "), "{out:?}");
}

#[test]
fn notes_are_changed_and_withdrawn_by_new_lines() {
    let home = home();
    results(&home.path().join("a.json"), &three(true), 1.0);
    ok(home.path(), &["import", "a.json", "-o", "s.qualm"]);
    let path = home.path().join("s.qualm");
    let store = Store::open(&path).expect("a store");
    let (first, second) = (note_on(Some(0), Some(1), "one"), note_on(None, None, "two"));
    store.add_note(&first).expect("added");
    store.add_note(&second).expect("added");
    let before = fs::read_to_string(path.join(FILE)).expect("read");
    let better = Note { time: first.time + 1, note: "one, better".to_owned(), ..first.clone() };
    store.replace_note(&first, &better).expect("replaced");
    store.withdraw_note(&second, second.time + 2).expect("withdrawn");
    assert_eq!(store.notes().expect("notes"), std::slice::from_ref(&better));
    let after = fs::read_to_string(path.join(FILE)).expect("read");
    assert!(after.starts_with(&before) && after.lines().count() == 4, "{after}");
    let error = store.replace_note(&first, &better).expect_err("gone").to_string();
    assert!(error.contains("was changed or withdrawn meanwhile"), "{error}");
    // It stays so when draws are numbered anew, and nobody else can take a note back.
    ok(home.path(), &["import", "a.json", "-o", "s.qualm", "--reference", "2"]);
    let store = Store::open(&path).expect("a store");
    let notes = store.notes().expect("notes");
    assert_eq!((notes.len(), notes[0].draw, notes[0].note.as_str()), (1, Some(1), "one, better"));
    let line = format!(
        "{{\"kind\":\"withdrawal\",\"of\":\"{}\",\"author\":\"eve\",\"time\":1}}\n",
        "0".repeat(16)
    );
    fs::write(path.join(FILE), format!("{after}{line}")).expect("written");
    assert_eq!(Store::open(&path).expect("a store").notes().expect("notes").len(), 1);
    ok(home.path(), &["check", "s.qualm"]);
}

#[test]
fn an_imported_vote_follows_its_runs() {
    let home = home();
    results(&home.path().join("a.json"), &three(true), 1.0);
    ok(home.path(), &["import", "a.json", "-o", "s.qualm"]);
    fs::write(
        home.path().join("v.csv"),
        "dataset,model,task,draw_a,draw_b,judge,equivalent,author,time\n\
         airline,owl-7b,8,0,1,human,true,ada,5\n",
    )
    .expect("written");
    ok(home.path(), &["import", "v.csv", "-o", "s.qualm"]);
    ok(home.path(), &["import", "a.json", "-o", "s.qualm", "--reference", "2"]);
    assert_eq!(votes_on(home.path(), "s.qualm"), [(1, 2)]);
    // The same vote again is known, by the draws of today.
    let again =
        fs::read_to_string(home.path().join("v.csv")).expect("read").replace("8,0,1", "8,1,2");
    fs::write(home.path().join("v.csv"), again).expect("written");
    let said = ok(home.path(), &["import", "v.csv", "-o", "s.qualm"]);
    assert!(said.contains("0 votes added, 1 already present"), "{said}");
}

/// Random imports, votes, notes and changes: every vote and note that was acknowledged is on the runs
/// that it was given on, by their words.
#[test]
fn nothing_is_lost_or_moved_by_random_imports() {
    let rounds = if is_long_run() { 40 } else { 2 };
    for round in 0..rounds {
        let home = home();
        let (mut rng, path) = (Rng::new(round, 12), home.path().join("s.qualm"));
        let files: Vec<PathBuf> =
            (0..4).map(|file| home.path().join(format!("{file}.json"))).collect();
        let words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
        for (number, file) in files.iter().enumerate() {
            let run = |trial: usize| {
                let index = 2 * number + trial;
                // Identifiers in half of the files.
                let id = (number % 2 == 0).then(|| ID[trial + number / 2]);
                Run("8", i64::from(trial > 0), id, words[index])
            };
            results(file, &[run(0), run(1)], if number == 3 { 0.0 } else { 1.0 });
        }
        let (mut voted_on, mut noted_on) = (Vec::new(), Vec::new());
        for step in 0..12u64 {
            let file = files[rng.below(4)].clone();
            let options = ImportOptions {
                reference: (rng.below(2) == 0).then(|| Reference::File(file.clone())),
                ..ImportOptions::default()
            };
            import(&[file], &path, &options, &|_| {}).expect("imported");
            let store = Store::open(&path).expect("a store");
            let said: Vec<String> = (store.entries().expect("entries").iter())
                .map(|entry| store.trajectory(entry).expect("a run").messages[0].content.clone())
                .map(|words| words.expect("words"))
                .collect();
            let draw_with = |words: &String| said.iter().position(|known| known == words);
            let first = rng.below(said.len());
            let pair = [first, (first + 1 + rng.below(said.len() - 1)) % said.len()];
            let [a, b] = pair.map(|draw| u32::try_from(draw).expect("few"));
            let vote = Vote { time: step, ..vote_on(a, b, Ruling::Different) };
            let note = Note { time: step, ..note_on(Some(a), None, &format!("note {step}")) };
            if rng.below(3) == 0 {
                append_old(&path, &vote);
                append_old(&path, &note);
            } else {
                store.add_votes(&[vote]).expect("added");
                store.add_note(&note).expect("added");
            }
            voted_on.push(pair.map(|draw| said[draw].clone()));
            noted_on.push(said[first].clone());
            let all = Store::open(&path).expect("a store").annotations().expect("read");
            assert_eq!((all.votes.len(), all.notes.len()), (voted_on.len(), noted_on.len()));
            for (vote, words) in all.votes.iter().zip(&voted_on) {
                let mut draws = [0, 1].map(|index| draw_with(&words[index]).expect("there"));
                draws.sort_unstable();
                assert_eq!(
                    [vote.draw_a, vote.draw_b].map(|draw| draw as usize),
                    draws,
                    "round {round}, step {step}"
                );
            }
            for (note, words) in all.notes.iter().zip(&noted_on) {
                assert_eq!(
                    note.draw.map(|draw| draw as usize),
                    draw_with(words),
                    "round {round}, step {step}"
                );
            }
        }
        crate::support::assert_whole(&path);
    }
}
