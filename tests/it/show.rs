//! `qualm show` and `qualm diff`: output, arguments and errors.

mod whole;

use std::path::Path;

use qualm::compare::Sheet;
use qualm::model::{Cell, Trajectory};
use qualm::report::OutputFormat;
use qualm::report::show::{Diff, DiffOptions, RunScores, ShowContext, ShowOptions, SideBySide};
use qualm::scorers::aggregate::Aggregator;
use qualm::scorers::whitebox::Base;
use qualm::store::{Entry, Note, Store};
use serde_json::Value;

use self::whole::{assert_balanced, groups};
use crate::explorer::demo;
use crate::hostile;
use crate::support::{home, imported, run, text};

/// The output of the program.
fn said(home: &Path, args: &[&str]) -> String {
    let out = run(home, args);
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    text(&out.stdout)
}

fn refusal(home: &Path, args: &[&str]) -> String {
    let out = run(home, args);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{args:?}: {said}");
    assert!(said.lines().count() == 1 && said.contains("; "), "one sentence, a remedy: {said}");
    assert!(out.stdout.is_empty());
    said
}

/// Passes runs on beside each other.
fn with_runs<T>(runs: &[&Trajectory], use_runs: impl FnOnce(&SideBySide<'_>) -> T) -> T {
    let scores = RunScores::white_box(runs, Base::Lnsp, Aggregator::Min);
    let (sheet, context) = (Sheet::new(runs), ShowContext::default());
    use_runs(&SideBySide::new(runs, &sheet, &scores, &context))
}

fn rendered(runs: &[&Trajectory], format: OutputFormat) -> String {
    with_runs(runs, |shown| shown.render(ShowOptions { format, full: true }))
}

#[test]
fn a_comparison_as_text() {
    let fixture = imported(&["tau2.json"]);
    let printed = said(fixture.home.path(), &["show", "s.qualm", "--task", "1"]);
    insta::assert_snapshot!("show-text", printed);
}

#[test]
fn a_diff_as_text() {
    let cell = ["--dataset", "retail", "--model", "gpt-4o-mini"];
    let store = demo().display().to_string();
    let args = ["diff", &store, "--task", "2", "--a", "0", "--b", "1", "--context", "1"];
    let all: Vec<&str> = args.into_iter().chain(cell).collect();
    insta::assert_snapshot!("diff-text", said(home().path(), &all));
    let words: Vec<&str> = all.iter().copied().chain(["--words"]).collect();
    insta::assert_snapshot!("diff-words", said(home().path(), &words));
}

#[test]
fn one_run_can_be_shown_but_not_compared() {
    let fixture = imported(&["tau2.json"]);
    let alone = fixture.trajectory("0", 0);
    with_runs(&[&alone], |shown| {
        assert_eq!(shown.sheet.first_divergence(), None);
        let diff = Diff::new(shown, DiffOptions::default());
        assert!(diff.same && diff.render(OutputFormat::Text).contains("the runs do the same"));
    });
    let json: Value = serde_json::from_str(&rendered(&[&alone], OutputFormat::Json)).expect("JSON");
    assert!(json["first_divergence"].is_null() && json["pairs"] == Value::Array(Vec::new()));
    for format in OutputFormat::RUNS {
        let options = ShowOptions { format, full: false };
        assert!(!with_runs(&[], |shown| shown.render(options)).is_empty());
    }
    let fixture = imported(&["tau2-logprobs-v0.json"]);
    let said = refusal(fixture.home.path(), &["diff", "s.qualm", "--task", "0"]);
    assert!(said.contains("has one run only; name the other with --b"), "{said}");
}

#[test]
fn runs_of_other_cells_can_be_compared() {
    let store = demo().display().to_string();
    let cell = ["--dataset", "airline", "--model", "gpt-4o-mini", "--task", "1"];
    let args =
        ["show", &store, "--draws", "0,2,0@Qwen2.5-7B,1@gpt-oss-20b/default", "--format", "json"];
    let all: Vec<&str> = args.into_iter().chain(cell).collect();
    let json: Value = serde_json::from_str(&said(home().path(), &all)).expect("JSON");
    let labels: Vec<&str> = json["panes"]
        .as_array()
        .expect("panes")
        .iter()
        .filter_map(|pane| pane["label"].as_str())
        .collect();
    assert_eq!(labels, ["0", "2", "0@Qwen2.5-7B", "1@gpt-oss-20b"]);
    assert_eq!(json["panes"][3]["model"], "gpt-oss-20b");
    assert_eq!(json["panes"][3]["draw"], 1);
    assert!(json["panes"][0]["score"].is_f64() && json["panes"][1]["score"].is_f64());
    assert!(json["instruction"].as_str().is_some_and(|text| text.starts_with("Synthetic")));
    let judged = json["judgments"].as_array().expect("judgments");
    assert!(!judged.is_empty() && judged.iter().all(|judgment| judgment["draw_b"] == 2));
}

#[test]
fn scores_match_the_engine() {
    let store = demo().display().to_string();
    let cell = ["--dataset", "telecom", "--model", "Qwen3.5-9B"];
    for scorer in ["lnsp.mean", "sp.product", "pm.min", "aec", "ter", "ptrue", "turns"] {
        let report = ["report", &store, "--table", "tasks", "--format", "json", "--scorer", scorer];
        let report: Vec<&str> = report.into_iter().chain(cell).collect();
        let rows: Value = serde_json::from_str(&said(home().path(), &report)).expect("JSON");
        let args = ["show", &store, "--task", "3", "--format", "json", "--scorer", scorer];
        let all: Vec<&str> = args.into_iter().chain(cell).collect();
        let json: Value = serde_json::from_str(&said(home().path(), &all)).expect("JSON");
        let row = rows.as_array().expect("rows").iter().find(|row| row["task"] == "3");
        let expected = row.expect("the task")["value"].as_f64().expect("a value");
        let score = json["panes"][0]["score"].as_f64().expect("a score");
        assert!((score - expected).abs() < 1e-12, "{scorer}: {score} {expected}");
    }
}

#[test]
fn the_default_draws_have_different_outcomes() {
    let store = Store::open(demo()).expect("a store");
    let path = demo().display().to_string();
    let mut differing = 0;
    for group in groups(&store).into_iter().step_by(7) {
        let head = &group[0].head;
        let args = [
            "show",
            &path,
            "--task",
            &head.task,
            "--dataset",
            &head.cell.dataset,
            "--model",
            &head.cell.model,
            "--format",
            "json",
        ];
        let json: Value = serde_json::from_str(&said(home().path(), &args)).expect("JSON");
        let success = |entry: &&Entry| entry.head.outcome.success != head.outcome.success;
        let expected = group[1..].iter().find(success);
        differing += usize::from(expected.is_some());
        let expected = expected.unwrap_or(&group[1]).head.draw;
        assert_eq!(json["panes"][1]["draw"], expected, "task {}", head.task);
        assert_eq!(json["panes"].as_array().map(Vec::len), Some(2));
    }
    assert!(differing > 2);
}

#[test]
fn hostile_text_is_shown_harmlessly() {
    let home = home();
    let path = hostile::store(home.path()).display().to_string();
    for format in ["text", "md", "json"] {
        for more in [&["--full"][..], &[]] {
            let args = [&["show", &path, "--task", "1", "--format", format], more].concat();
            let printed = said(home.path(), &args);
            hostile::assert_safe(&printed);
            assert!(printed.contains("owned"));
            if format == "md" {
                assert_balanced(&printed);
            }
        }
        let args = ["diff", &path, "--task", "1", "--format", format, "--words"];
        hostile::assert_safe(&said(home.path(), &args));
    }
    let json = said(home.path(), &["show", &path, "--task", "1", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let words = json["rows"][1]["cells"][0]["words"].as_str().expect("words");
    assert!(words.contains("\u{1b}]0;owned\u{7}") && words.contains('\u{202e}'), "{words:?}");
}

#[test]
fn content_cannot_break_out_of_markdown() {
    let fixture = imported(&["tau2.json"]);
    let mut run = fixture.trajectory("1", 0);
    let trap = "```\n````\n# no heading <script>alert(1)</script> | @nobody\n~~~\n`````js\n<b>";
    run.messages.iter_mut().for_each(|message| message.content = Some(trap.to_owned()));
    run.head.task = "a`|<b>".to_owned();
    run.head.termination = Some("x | <i> ``".to_owned());
    let markdown = rendered(&[&run, &run], OutputFormat::Markdown);
    assert_balanced(&markdown);
    assert!(markdown.starts_with("# Task ``a`|<b>`` of"), "{markdown}");
    assert!(markdown.contains("```x \\| <i> `` ```") || markdown.contains("``` x \\| <i> `` ```"));
}

#[test]
fn notes_are_shown_with_their_subject() {
    let fixture = imported(&["tau2.json"]);
    let cell = Cell::new("airline", "owl-7b");
    let note = |draw, turn, words: &str| Note {
        time: 1_000_000_000,
        author: "anna".to_owned(),
        cell: cell.clone(),
        task: "1".to_owned(),
        draw,
        turn,
        note: words.to_owned(),
    };
    let all = [
        note(None, None, "odd"),
        note(Some(1), Some(0), "here\u{1b}[2J"),
        Note { task: "0".to_owned(), ..note(None, None, "elsewhere") },
    ];
    all.iter().for_each(|note| crate::support::add_note(&fixture.path(), note).expect("written"));
    let printed = said(fixture.home.path(), &["show", "s.qualm", "--task", "1"]);
    let (before, hidden) = printed.split_once("══ hidden from the agent").expect("headed");
    assert!(!before.contains("odd") && !hidden.contains("elsewhere"), "{printed}");
    assert!(hidden.contains("note on the task, anna, 2001-09-09:\n  odd\n"), "{hidden}");
    assert!(
        hidden.contains("note on sample 1, turn 1, anna, 2001-09-09:\n  here␛[2J\n"),
        "{hidden}"
    );
    assert!(hidden.contains("instruction:\n  Ask twice.\n") && !before.contains("Ask twice."));
    let json = said(fixture.home.path(), &["show", "s.qualm", "--task", "1", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["notes"][1]["turn"], &json["notes"][1]["draw"]), (&1.into(), &1.into()));
}

#[test]
fn long_texts_are_cut_unless_full_is_asked_for() {
    let fixture = imported(&["tau2.json"]);
    let mut run = fixture.trajectory("1", 0);
    let long = (0..50).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
    let last = run.messages.len() - 1;
    run.messages[last].content = Some(long);
    for format in [OutputFormat::Text, OutputFormat::Markdown] {
        let cut = with_runs(&[&run], |shown| shown.render(ShowOptions { format, full: false }));
        assert!(cut.contains("… 44 more lines (--full)") && !cut.contains("line 49"), "{cut}");
        assert!(rendered(&[&run], format).contains("line 49"));
    }
}

#[test]
fn what_cannot_be_shown_is_explained() {
    let fixture = imported(&["tau2-runs"]);
    let home = fixture.home.path();
    let demo = demo().display().to_string();
    let show = |more: &[&str]| refusal(home, &[&["show", "s.qualm"], more].concat());
    let near = refusal(home, &["show", &demo, "--task", "55", "--model", "MiniMax-M3"]);
    assert!(near.contains("there is no task 55; the nearest are 5, "), "{near}");
    assert!(show(&["--task", "l"]).contains("s.qualm: there is no task l; the nearest are "));
    assert!(show(&["--task", "1", "--draws", "0,7"]).contains("has no draw 7; it has 0, 1, 2"));
    assert!(show(&["--task", "1", "--draws", "0,0"]).contains("draw 0 is named twice"));
    assert!(show(&["--task", "1", "--draws", "0;1"]).contains("--draws: `0;1` is no draw; write"));
    assert!(show(&["--task", "1", "--draws", "0,1,2,3,4"]).contains("at most 4"));
    assert!(show(&["--task", "1", "--draws", "0@nobody"]).contains("those that have are "));
    assert!(show(&["--task", "1", "--model", "nobody"]).contains("no cell fits"));
    assert!(show(&["--task", "1", "--scorer", "nothing"]).contains("no values of `nothing`; "));
    assert!(show(&["--task", "1", "--aggregator", "max"]).contains("it is one of: first"));
    let said = refusal(home, &["show", &demo, "--task", "1"]);
    assert!(
        said.contains("20 cells have a task 1: ") && said.contains("; name one with"),
        "{said}"
    );
    assert!(refusal(home, &["diff", "nowhere.qualm", "--task", "1"]).contains("nowhere.qualm"));
    for usage in [&["show", "s.qualm"][..], &["diff", "s.qualm", "--task", "1", "--format", "x"]] {
        assert_eq!(run(home, usage).status.code(), Some(2));
    }
}

#[test]
fn a_diff_has_all_formats() {
    let store = demo().display().to_string();
    let cell = ["--dataset", "airline", "--model", "gpt-4o-mini", "--task", "1"];
    let diff = |format: &'static str| {
        let args = ["diff", &store, "--format", format, "--a", "1", "--b", "0"];
        let all: Vec<&str> = args.into_iter().chain(cell).collect();
        said(home().path(), &all)
    };
    let json: Value = serde_json::from_str(&diff("json")).expect("JSON");
    let rows = json["hunks"].as_array().expect("hunks").iter();
    let rows: Vec<&Value> = rows.flat_map(|part| part["rows"].as_array().expect("rows")).collect();
    let edits = rows
        .iter()
        .filter(|row| ["only-a", "only-b", "other"].iter().any(|kind| row["kind"] == **kind));
    assert_eq!(Some(edits.count() as u64), json["edits"].as_u64());
    assert_eq!((&json["same"], &json["panes"][0]["draw"]), (&Value::from(false), &1.into()));
    let markdown = diff("md");
    assert_balanced(&markdown);
    assert!(markdown.contains("```diff\n@@ turns "), "{markdown}");
    let printed = diff("text");
    assert!(printed.contains("\n--- 1 sample 1 ") && printed.contains("\n+++ 0 reference "));
}
