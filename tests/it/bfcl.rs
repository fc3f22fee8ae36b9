//! BFCL: folders of results and scores, draws in several roots, and what occurs in real files.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use qualm::import::{ImportOptions, import};
use qualm::model::{CheckKind, Role, Trajectory};
use qualm::readers::{ReadOptions, Record, find_inputs};

use crate::explorer::{Driver, view};
use crate::support::{
    Imported, assert_whole, data, home, imported, imported_with, keep_errored, run, text,
};

const BASE: &str = "acme_owl-7b-FC/multi_turn/BFCL_v4_multi_turn_base";

/// The label and the actions of every run, by cell, task and draw.
fn runs(fixture: &Imported) -> Vec<String> {
    let word = |success| match success {
        Some(true) => "passed",
        Some(false) => "failed",
        None => "ungraded",
    };
    let entries = fixture.entries().into_iter().map(|entry| entry.head);
    let lines = entries.map(|head| {
        let (cell, success) = (head.cell.to_string(), word(head.outcome.success));
        let actions = head.action_types.join(" ");
        format!("{cell} {} {} {success}: {actions}", head.task, head.draw)
    });
    lines.collect()
}

/// The runs of a path as the reader hands them out, with its notes.
fn read(path: &Path) -> (Vec<Trajectory>, Vec<String>) {
    let options = ReadOptions::default();
    let inputs = find_inputs(&[path.to_owned()], &options).expect("found");
    let (mut runs, mut notes) = (Vec::new(), Vec::new());
    for claimed in &inputs.claimed {
        let read = claimed.read(&options, &mut |record| {
            if let Record::Trajectory(run) = record {
                runs.push(*run);
            }
            true
        });
        notes.extend(read.expect("read").notes);
    }
    (runs, notes)
}

#[test]
fn several_roots_are_draws_of_one_cell() {
    let both = [
        "multi_turn_base/owl-7b-FC multi_turn_base_0 0 passed: look open walk message open message",
        "multi_turn_base/owl-7b-FC multi_turn_base_0 1 passed: look open walk message push message",
        "multi_turn_base/owl-7b-FC multi_turn_base_1 0 failed: look message",
        "multi_turn_base/owl-7b-FC multi_turn_base_1 1 passed: look message",
        "multi_turn_base/owl-7b-FC multi_turn_base_2 1 failed: look look",
        "multi_turn_long_context/owl-7b-FC multi_turn_long_context_0 0 passed: open message",
        "multi_turn_long_context/owl-7b-FC multi_turn_long_context_0 1 passed: shut message",
    ];
    let fixture = imported(&["bfcl/runs"]);
    assert_eq!(runs(&fixture), both);
    assert!(fixture.summary.unknown.is_empty(), "{:?}", fixture.summary.unknown);
    assert_eq!(fixture.summary.files.len(), 4, "each result file is a source");
    let skipped: Vec<_> = fixture.summary.skipped.iter().map(|skip| skip.reason.as_str()).collect();
    assert_eq!(skipped, ["crashed: Error during inference: the server is away"]);
    for roots in [
        ["bfcl/runs/run-1", "bfcl/runs/run-2"].as_slice(),
        &["bfcl/runs/run-1/result", "bfcl/runs/run-1/score", "bfcl/runs/run-2/result"],
        &["bfcl/runs/run-1/score", "bfcl/runs/run-1/result", "bfcl/runs/run-2/score"],
    ] {
        let fixture = imported(roots);
        assert_eq!(runs(&fixture), both, "{roots:?}");
        assert_eq!(fixture.summary.files.len(), 4, "{roots:?}");
    }
}

#[test]
fn a_folder_of_scores_brings_every_model() {
    let home = home();
    let run = data("bfcl/runs/run-1");
    for (model, tree) in [("a", "result"), ("a", "score"), ("b", "result"), ("b", "score")] {
        let copy = home.path().join(format!("{tree}/{model}/multi_turn"));
        fs::create_dir_all(&copy).expect("made");
        let name = format!("BFCL_v4_multi_turn_base_{tree}.json");
        let from = run.join(format!("{tree}/{BASE}_{tree}.json"));
        fs::copy(from, copy.join(name)).expect("copied");
    }
    for folders in [
        ["score"].as_slice(),
        &["score/a", "score/b"],
        &["score/b", "score/a"],
        &["result/a", "score/b"],
        &["score/a", "result/b"],
        &["."],
    ] {
        let paths: Vec<PathBuf> = folders.iter().map(|folder| home.path().join(folder)).collect();
        let inputs = find_inputs(&paths, &ReadOptions::default()).expect("found");
        let mut models: Vec<_> = inputs.claimed.iter().map(|found| found.claim.source()).collect();
        models.sort_unstable();
        assert_eq!(models.len(), 2, "{folders:?}: {models:?}");
        assert!(models[0].contains("result/a") && models[1].contains("result/b"), "{models:?}");
        assert!(inputs.claimed.iter().all(|found| found.claim.parts().len() == 1), "{folders:?}");
    }
}

#[test]
fn compare_shows_a_label_without_parts() {
    let fixture = imported(&["bfcl/runs"]);
    let settings = serde_json::json!({"screen": "compare", "task": "multi_turn_base_1",
        "draws": "0,1", "side": "on"});
    let plain = qualm::ui::theme::Theme::plain();
    let screen = Driver::with(&fixture.path(), view(settings), &plain, (160, 60)).screen();
    let graded = screen.lines().find(|line| line.contains("graded")).expect("the label");
    assert!(graded.contains('✗') && graded.contains('✓'), "{screen}");
    assert!(!screen.contains("hold no grading"), "{screen}");
}

#[test]
fn the_first_root_is_the_reference() {
    let fixture = imported(&["bfcl/runs/run-2", "bfcl/runs/run-1"]);
    assert_eq!(fixture.entry("multi_turn_base_0", 0).head.action_types[4], "push");
    assert_eq!(fixture.entry("multi_turn_base_2", 0).head.action_types, ["look", "look"]);
}

#[test]
fn categories_joined_under_one_name_are_parts_and_roots_draws() {
    let read = ReadOptions { dataset: Some("multi_turn".to_owned()), ..ReadOptions::default() };
    let options = ImportOptions { read, ..ImportOptions::default() };
    let fixture = imported_with(&["bfcl/runs"], &options);
    let draws: Vec<_> =
        fixture.entries().iter().map(|entry| (entry.head.task.clone(), entry.head.draw)).collect();
    let expected = [
        ("multi_turn_base_0", 0),
        ("multi_turn_base_0", 1),
        ("multi_turn_base_1", 0),
        ("multi_turn_base_1", 1),
        ("multi_turn_base_2", 1),
        ("multi_turn_long_context_0", 0),
        ("multi_turn_long_context_0", 1),
    ];
    assert_eq!(draws, expected.map(|(task, draw)| (task.to_owned(), draw)));
    assert_eq!(fixture.summary.cells.len(), 1);
}

#[test]
fn a_result_file_alone_finds_its_score() {
    let file = format!("bfcl/runs/run-1/result/{BASE}_result.json");
    let score = format!("bfcl/runs/run-1/score/{BASE}_score.json");
    let v3 = "bfcl/v3/result/zeta/BFCL_v3_multi_turn_miss_func_result.json";
    for name in [&file, &score] {
        let labels: Vec<_> =
            imported(&[name]).entries().iter().map(|entry| entry.head.outcome.success).collect();
        assert_eq!(labels, [Some(true), Some(false)], "{name}");
    }
    let fixture = imported(&[v3]);
    assert_eq!(
        runs(&fixture),
        [
            "multi_turn_miss_func/zeta multi_turn_miss_func_0 0 passed: look message message",
            "multi_turn_miss_func/zeta multi_turn_miss_func_1 0 failed: open message open shut",
            "multi_turn_miss_func/zeta multi_turn_miss_func_2 0 passed: look",
        ]
    );
    assert_eq!(fixture.summary.skipped[0].reason, "ended before the agent acted");
}

#[test]
fn the_log_gives_the_conversation() {
    let fixture = imported(&["bfcl/runs/run-1"]);
    let run = fixture.trajectory("multi_turn_base_0", 0);
    let said: Vec<_> =
        run.messages.iter().map(|message| (message.role, message.words().unwrap_or(""))).collect();
    assert_eq!(
        said,
        [
            (Role::User, "Open the front door."),
            (Role::Assistant, ""),
            (Role::Tool, "{\"doors\": [\"front\", \"back\"]}"),
            (Role::Tool, "{\"error\": \"The door is stuck.\"}"),
            (Role::Assistant, ""),
            (Role::Tool, "None"),
            (Role::Assistant, "The front door is open."),
            (Role::User, "Now the back door."),
            (Role::Assistant, ""),
            (Role::Tool, "{\"opened\": \"back\"}"),
            (Role::Assistant, "Done, both doors are open."),
        ]
    );
    let errors: Vec<bool> = run.messages[2..=3].iter().map(|message| message.error).collect();
    assert_eq!(errors, [false, true]);
    assert_eq!(run.messages[1].tool_calls[1].arguments, r#"{"door":"front","slowly":true}"#);
    assert_eq!(run.messages[4].reasoning.as_deref(), Some("The hall is near."));
    assert_eq!((run.head.turns, run.head.tools), (5, 4));
    assert_eq!((run.head.prompt_tokens, run.head.completion_tokens), (Some(50), Some(15)));
    assert_eq!(run.head.duration, Some(1.25));
    let tasks = fixture.store().tasks().expect("tasks");
    assert_eq!(tasks[0].instruction, "Open the front door.\n\nNow the back door.");
    let forced = imported(&["bfcl/runs/run-2"]).entry("multi_turn_base_2", 0).head;
    assert_eq!(forced.termination.as_deref(), Some("force_quit"));
}

#[test]
fn loose_shapes_are_read() {
    let fixture = imported(&["bfcl/v3"]);
    let first = fixture.trajectory("multi_turn_miss_func_0", 0);
    let thoughts: Vec<_> =
        first.messages.iter().map(|message| message.reasoning.as_deref()).collect();
    assert_eq!(thoughts, [Some("I look."), None, Some("I give up.")]);
    assert_eq!(first.messages[0].tool_calls[0].arguments, r#"{"deep":true}"#);
    let head = &first.head;
    assert_eq!((head.prompt_tokens, head.completion_tokens), (Some(12), Some(6)));
    assert_eq!(head.duration, Some(2.0));
    let second = fixture.trajectory("multi_turn_miss_func_1", 0);
    assert_eq!(second.messages[0].reasoning.as_deref(), Some("One thought."));
    let arguments: Vec<_> =
        second.messages[2].tool_calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, ["not json", "{}"]);
    assert_eq!((second.head.prompt_tokens, second.head.completion_tokens), (Some(12), None));
    let third = fixture.trajectory("multi_turn_miss_func_2", 0);
    assert_eq!(third.messages[0].words(), Some("Which one?"));
}

#[test]
fn calls_that_are_written_as_text_are_actions() {
    let fixture = imported(&["bfcl/prompt"]);
    assert_eq!(
        runs(&fixture),
        [
            "multi_turn_miss_param/nut-0.8B multi_turn_miss_param_0 0 ungraded: look open message message",
            "multi_turn_miss_param/nut-0.8B multi_turn_miss_param_1 0 ungraded: walk message look",
            "multi_turn_miss_param/nut-0.8B multi_turn_miss_param_2 0 ungraded: message",
        ]
    );
    let note = "has no score file, so its runs have no labels; put the file into a folder `score` beside `result`";
    assert_eq!(fixture.summary.files[0].1, [note]);
    let first = fixture.trajectory("multi_turn_miss_param_0", 0);
    assert_eq!(first.messages[0].tool_calls[1].arguments, r#"{"door":"front","slowly":false}"#);
    assert_eq!(first.messages[0].words(), None, "the text is nothing but the calls");
    let second = fixture.trajectory("multi_turn_miss_param_1", 0);
    assert_eq!(second.messages[0].role, Role::System);
    let last = second.messages.iter().rfind(|message| message.is_turn()).expect("a turn");
    assert_eq!(last.tool_calls[0].arguments, r#"{"deep":1}"#);
    assert_eq!(last.words(), Some("<call>look</call>"));
}

#[test]
fn failures_come_with_what_the_checker_says() {
    let (runs, _) = read(&data("bfcl/runs/run-1/result"));
    assert!(runs[0].checks.is_empty());
    let checks: Vec<_> = runs[1]
        .checks
        .iter()
        .map(|check| (check.kind, check.expected.as_str(), check.arguments.as_deref(), check.met))
        .collect();
    let state = "multi_turn:instance_state_mismatch";
    let open = r#"{"0":"back","slowly":false}"#;
    assert_eq!(
        checks,
        [
            (CheckKind::Checker, state, None, Some(false)),
            (CheckKind::Action, "look", Some("{}"), None),
            (CheckKind::Action, "open", Some(open), None),
        ]
    );
    let detail = "The doors differ.\n{\"missing_items\":[\"back\"]}";
    assert_eq!(runs[1].checks[0].detail.as_deref(), Some(detail));
    let (runs, _) = read(&data("bfcl/v3"));
    let checks: Vec<_> = runs[1].checks.iter().map(|check| check.expected.as_str()).collect();
    assert_eq!(checks, ["checker", "open", "see the manual"]);
    assert_eq!(runs[1].checks[0].detail.as_deref(), Some("It broke.\nTwice."));
}

/// A root with the base results of the first run, and this score file.
fn with_score(score: &str) -> (tempfile::TempDir, PathBuf) {
    let home = home();
    let [result, scores] = [("result", "result"), ("score", "score")]
        .map(|(tree, kind)| home.path().join(format!("{tree}/{BASE}_{kind}.json")));
    for file in [&result, &scores] {
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    }
    fs::copy(data(&format!("bfcl/runs/run-1/result/{BASE}_result.json")), &result).expect("copied");
    fs::write(&scores, score).expect("written");
    (home, result)
}

#[test]
fn a_score_file_with_gaps_leaves_runs_without_label() {
    let failure = r#"{"id": "multi_turn_base_1", "valid": false}"#;
    let counts = |total: u32, correct: u32| {
        format!("{{\"total_count\": {total}, \"correct_count\": {correct}}}\n{failure}\n")
    };
    let rule = ": runs that it does not list have no label; evaluate them again";
    for (score, gap) in [
        (counts(3, 1), "its score file counts 2 failures but lists 1"),
        (counts(2, 1), "its score file covers 2 runs, but there are 3"),
        (failure.to_owned(), "its score file does not begin with the number of graded runs"),
    ] {
        let (_home, result) = with_score(&score);
        let (runs, notes) = read(&result);
        let labels: Vec<_> = runs.iter().map(|run| run.head.outcome.success).collect();
        assert_eq!(labels, [None, Some(false)], "{gap}");
        assert_eq!(notes, [format!("{gap}{rule}")]);
    }
    // Only failures are listed, whether or not they say so.
    for score in [counts(3, 2), counts(3, 2).replace(r#", "valid": false"#, "")] {
        let (_home, result) = with_score(&score);
        let labels: Vec<_> = read(&result).0.iter().map(|run| run.head.outcome.success).collect();
        assert_eq!(labels, [Some(true), Some(false)], "{score}");
    }
}

#[test]
fn a_damaged_line_is_named() {
    let home = home();
    let (_root, result) = with_score("{\"total_count\": 3,\n");
    let said = |path: &Path| {
        let path = path.display().to_string();
        let out = run(home.path(), &["import", &path, "-o", "s.qualm"]);
        assert!(!out.status.success() && !home.path().join("s.qualm").exists());
        text(&out.stderr)
    };
    let sentence = said(&result);
    assert!(sentence.contains("_score.json, line 1, column"), "{sentence}");
    assert!(sentence.contains("the JSON ends before it is complete"), "{sentence}");
    let mut file = fs::OpenOptions::new().append(true).open(&result).expect("open");
    file.write_all(b"{\"id\": \"multi_turn_base_3\"}\n").expect("written");
    fs::write(result.to_string_lossy().replace("result", "score"), "").expect("emptied");
    let sentence = said(&result);
    assert!(sentence.contains("line 4: the record has no `result`; check"), "{sentence}");
}

#[test]
fn other_categories_are_refused_in_one_sentence() {
    let home = home();
    let said = |name: &str| {
        let path = data(name).display().to_string();
        let out = run(home.path(), &["import", &path, "-o", "s.qualm"]);
        assert!(!out.status.success());
        text(&out.stderr)
    };
    let sentence = said("bfcl/other/result/zeta/non_live/BFCL_v4_simple_python_result.json");
    let expected =
        "is of the BFCL category simple_python, but qualm reads only the multi_turn categories";
    assert!(sentence.contains(&format!(": {expected}; name files of")), "{sentence}");
    let sentence = said("bfcl/other/score/zeta/multi_turn/BFCL_v4_multi_turn_base_score.json");
    assert!(
        sentence.contains(": is a BFCL score file whose result file is missing;"),
        "{sentence}"
    );
    let fixture = imported(&["bfcl"]);
    let reasons: Vec<_> = fixture.summary.unknown.iter().map(|(_, why)| why.as_str()).collect();
    let missing = "is a BFCL score file whose result file is missing";
    assert_eq!(reasons, [expected, missing]);
}

#[test]
fn crashed_runs_are_kept_as_empty_failures_on_request() {
    let fixture = imported_with(&["bfcl/runs/run-1"], &keep_errored());
    let crashed = fixture.entry("multi_turn_base_2", 0).head;
    assert_eq!((crashed.outcome.success, crashed.turns), (Some(false), 0));
}

#[test]
fn a_stream_or_a_renamed_file_is_known_by_its_ids() {
    let home = home();
    let path = home.path().join("mine.jsonl");
    fs::copy(data(&format!("bfcl/runs/run-1/result/{BASE}_result.json")), &path).expect("copied");
    let (runs, notes) = read(&path);
    assert_eq!(runs[0].head.cell.to_string(), "multi_turn_base/mine");
    assert_eq!(notes[1], "does not name its model: mine is used; --model overrides it");
    fs::write(&path, "{\"id\": \"simple_0\", \"result\": []}\n").expect("written");
    assert!(find_inputs(&[path], &ReadOptions::default()).is_err());
}

#[test]
fn packed_files_are_read_as_they_are() {
    let home = home();
    let fixture = data("bfcl/runs/run-1");
    let zst = |bytes: &[u8]| zstd::encode_all(bytes, 1).expect("packed");
    for (tree, kind) in [("result", "result"), ("score", "score")] {
        let name = format!("{tree}/{BASE}_{kind}.json");
        let packed = home.path().join(format!("{name}.zst"));
        fs::create_dir_all(packed.parent().expect("a folder")).expect("made");
        fs::write(packed, zst(&fs::read(fixture.join(name)).expect("read"))).expect("written");
    }
    let path = home.path().join("s.qualm");
    let inputs = [home.path().join("result")];
    import(&inputs, &path, &ImportOptions::default(), &|_| {}).expect("imported");
    assert_whole(&path);
    let store = qualm::store::Store::open(&path).expect("open");
    let heads = store.entries().expect("entries").into_iter().map(|entry| entry.head);
    let labels: Vec<_> = heads.map(|head| (head.cell.to_string(), head.outcome.success)).collect();
    let cell = "multi_turn_base/owl-7b-FC".to_owned();
    assert_eq!(labels, [(cell.clone(), Some(true)), (cell, Some(false))]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_changed_byte_breaks_an_import(
        of_score in any::<bool>(),
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        let score = fs::read(data(&format!("bfcl/runs/run-1/score/{BASE}_score.json"))).expect("read");
        let (home, result) = with_score(&String::from_utf8(score).expect("UTF-8"));
        let kind = if of_score { "score" } else { "result" };
        let file = home.path().join(format!("{kind}/{BASE}_{kind}.json"));
        let mut damaged = fs::read(&file).expect("read");
        let at = at.index(damaged.len());
        let end = (at + bytes.len()).min(damaged.len());
        damaged.splice(at..end, bytes);
        fs::write(&file, damaged).expect("written");
        let store = home.path().join("s.qualm");
        match import(&[result], &store, &ImportOptions::default(), &|_| {}) {
            Ok(_) => assert_whole(&store),
            Err(_) => prop_assert!(!store.exists()),
        }
    }
}
