//! Logs of Inspect AI: what becomes of samples, epochs, scores and errors, in both forms of a log.

mod archives;
mod made;
mod peer;

use std::fs;
use std::path::{Path, PathBuf};

use qualm::import::{ImportOptions, Summary, import};
use qualm::model::{Check, Role, Span, Trajectory};
use qualm::readers::ReadOptions;
use qualm::store::Store;
use zip::CompressionMethod;

use crate::support::{
    assert_whole, data, home, imported, imported_with, keep_errored, qualm, run, text,
};
use made::Log;

fn with_score(choice: &str) -> ImportOptions {
    let score = Some(choice.parse().expect("a choice"));
    ImportOptions { read: ReadOptions { score, ..ReadOptions::default() }, ..Default::default() }
}

/// Task, draw and label of every run.
fn labels(options: &ImportOptions) -> Vec<(String, u32, Option<bool>, Option<f64>)> {
    let fixture = imported_with(&["inspect.json"], options);
    let rows = fixture.entries().into_iter().map(|entry| {
        let head = entry.head;
        (head.task, head.draw, head.outcome.success, head.outcome.reward)
    });
    rows.collect()
}

fn row(
    task: &str,
    draw: u32,
    success: Option<bool>,
    reward: f64,
) -> (String, u32, Option<bool>, Option<f64>) {
    (task.to_owned(), draw, success, success.map(|_| reward))
}

/// Imports files into a new store.
fn import_all(home: &Path, paths: &[PathBuf]) -> (Summary, Store) {
    let path = home.join("s.qualm");
    let summary = import(paths, &path, &ImportOptions::default(), &|_| {}).expect("imported");
    assert_whole(&path);
    (summary, Store::open(&path).expect("a store"))
}

/// All runs of a store, without the file that they came from.
fn runs(store: &Store) -> Vec<Trajectory> {
    let entries = store.entries().expect("entries");
    let run = |entry| {
        let mut run = store.trajectory(entry).expect("a run");
        run.head.origin.source.clear();
        run
    };
    entries.iter().map(run).collect()
}

#[test]
fn a_sample_becomes_a_run() {
    let fixture = imported(&["inspect.json"]);
    let run = fixture.trajectory("1", 0);
    let head = &run.head;
    assert_eq!(head.cell.to_string(), "capitals/owl-7b");
    assert_eq!(
        (head.origin.trial, head.origin.run_id.as_deref()),
        (Some(1), Some("uuidOfSample1Epoch1aaa"))
    );
    assert_eq!(head.action_types, ["look_up", "look_up", "note", "message"]);
    assert_eq!((head.turns, head.tools, head.messages), (3, 3, 10));
    assert_eq!((head.temperature, head.duration), (Some(0.7), Some(2.5)));
    assert_eq!(head.termination.as_deref(), Some("stop"));
    // Three turns of 10 + 20 from the cache in, 4 out; the grader's call is no turn.
    assert_eq!((head.prompt_tokens, head.completion_tokens), (Some(90), Some(12)));
    assert_eq!(head.cost, Some(1.5));
    assert_eq!(head.final_message.as_deref(), Some("Paris."));

    let said = |index: usize| run.messages[index].content.as_deref();
    assert!(run.messages[2].scripted && !run.messages[4].scripted, "an example of the input");
    let asked = "Capital of \"France\"?\nLook at the picture.\n[image]";
    assert_eq!(said(3), Some(asked), "attachments are resolved");
    assert_eq!(run.messages[4].reasoning.as_deref(), Some("A map will help."));
    assert_eq!(said(4), Some("Let me look."));
    let call = &run.messages[4].tool_calls[0];
    let arguments = r#"{"place":"France","note":"a \"long\" note"}"#;
    assert_eq!((call.id.as_str(), call.arguments.as_str()), ("c1", arguments));
    assert!(run.messages[5].error && run.messages[5].role == Role::Tool);
    assert_eq!(
        (said(5), run.messages[5].tool_call_id.as_deref()),
        (Some("no answer in time"), Some("c1"))
    );
    assert!(!run.messages[7].error);
    assert_eq!(said(8), Some("noted"));
}

#[test]
fn log_probabilities_are_joined_on_the_message() {
    let fixture = imported(&["inspect.json"]);
    let run = fixture.trajectory("1", 0);
    let tokens: Vec<_> = run.turns.iter().map(|turn| turn.tokens.as_ref()).collect();
    let native = tokens[0].expect("recorded");
    assert_eq!((native.len(), native.count(Span::Action)), (4, 0), "a native call has no tokens");
    assert!(tokens[1].is_none(), "none were recorded");
    let answer = tokens[2].expect("recorded");
    assert_eq!(answer.text(), "Paris.", "neither the repeated event nor the grader's");
    let logprobs: Vec<f64> = answer.iter().map(|token| token.logprob).collect();
    assert_eq!(logprobs, [-0.5, -0.25, -0.125]);
    assert_eq!(answer.get(0).top_logprobs, [-0.5, -1.5]);
    assert_eq!(answer.count(Span::Action), 3);

    // Without events, the last output is all there is.
    let run = fixture.trajectory("1", 1);
    let tokens = run.turns[0].tokens.as_ref().expect("recorded");
    assert_eq!((tokens.len(), tokens.count(Span::Action)), (3, 2));
    assert_eq!((run.head.prompt_tokens, run.head.cost), (Some(30), Some(0.5)));
}

#[test]
fn the_first_score_is_the_label_and_the_summary_says_so() {
    let expected = [
        row("1", 0, Some(true), 1.0),
        row("1", 1, Some(false), 0.0),
        row("a/b", 1, Some(true), 1.0),
    ];
    assert_eq!(labels(&ImportOptions::default()), expected);
    let fixture = imported(&["inspect.json"]);
    let notes = &fixture.summary.files[0].1;
    let note = "takes its labels from the score exact; --score chooses another: rubric.short, rubric.style, grade";
    assert_eq!(notes, &[note]);
    assert_eq!(fixture.entry("a/b", 1).head.termination.as_deref(), Some("message_limit"));
}

#[test]
fn another_score_can_be_the_label() {
    let rows = |choice: &str, expected: [(Option<bool>, f64); 3]| {
        let [a, b, c] = expected;
        let expected = [row("1", 0, a.0, a.1), row("1", 1, b.0, b.1), row("a/b", 1, c.0, c.1)];
        assert_eq!(labels(&with_score(choice)), expected, "{choice}");
    };
    rows("grade", [(Some(false), 0.5), (Some(false), 0.0), (Some(false), 0.5)]);
    rows("grade>=0.5", [(Some(true), 0.5), (Some(false), 0.0), (Some(true), 0.5)]);
    rows("rubric.short", [(Some(true), 1.0), (Some(true), 1.0), (Some(false), 0.0)]);
    // NaN is Inspect's mark of a sample that could not be scored.
    rows("rubric.style>0.5", [(Some(true), 0.75), (Some(false), 0.25), (None, 0.0)]);
}

#[test]
fn a_wrong_score_gets_the_list() {
    let home = home();
    let log = data("inspect.json").display().to_string();
    let said = |score: &str, path: &str| {
        let out = run(home.path(), &["import", path, "-o", "s.qualm", "--score", score]);
        assert!(!out.status.success() && !home.path().join("s.qualm").exists());
        (out.status.code(), text(&out.stderr))
    };
    let (_, unknown) = said("rubric", &log);
    let list = "--score chooses one of: exact, rubric.short, rubric.style, grade";
    assert!(
        unknown.contains("inspect.json: has no score `rubric`; ") && unknown.contains(list),
        "{unknown}"
    );
    let (code, wrong) = said("exact>=half", &log);
    assert!(code == Some(2) && wrong.contains("`half` is no number"), "{wrong}");
    let (_, other) = said("exact", &data("tau2.json").display().to_string());
    assert!(other.contains("--score chooses among named scores, but no file"), "{other}");
}

#[test]
fn errors_are_skipped_with_their_first_line() {
    let fixture = imported(&["inspect.json"]);
    let skipped = |summary: &Summary| -> Vec<(String, Option<i64>, String)> {
        let rows = summary.skipped.iter();
        rows.map(|skip| (skip.task.clone(), skip.trial, skip.reason.clone())).collect()
    };
    let error = "ended by an error: RuntimeError('provider gone')".to_owned();
    let void = ("3".to_owned(), Some(2), "invalidated in the log".to_owned());
    let expected = [
        ("a/b".to_owned(), Some(1), error.clone()),
        ("3".to_owned(), Some(1), error),
        void.clone(),
    ];
    assert_eq!(skipped(&fixture.summary), expected);
    let without = &fixture.summary.without_reference;
    assert_eq!(without.iter().map(|(_, task)| task.as_str()).collect::<Vec<_>>(), ["a/b"]);

    let kept = imported_with(&["inspect.json"], &keep_errored());
    assert_eq!(skipped(&kept.summary), [void]);
    assert_eq!(kept.entry("a/b", 0).head.outcome.success, Some(false), "an empty failure");
    let begun = kept.entry("3", 0).head;
    assert_eq!(
        (begun.outcome.success, begun.turns, begun.termination.as_deref()),
        (None, 1, Some("error"))
    );
}

#[test]
fn tasks_have_their_input_and_target() {
    let tasks = imported(&["inspect.json"]).store().tasks().expect("tasks");
    let texts: Vec<_> =
        tasks.iter().map(|task| (task.task.as_str(), task.instruction.as_str())).collect();
    let first = "Capital of Italy?\n\nRome.\n\nCapital of \"France\"?\nLook at the picture.\n[image]\n\ntarget: Paris\nparis";
    assert_eq!(texts, [("1", first), ("3", "Count."), ("a/b", "Name a bird.")]);
}

#[test]
fn an_archive_gives_what_the_document_gives() {
    let home = home();
    let document = runs(&imported(&["inspect.json"]).store());
    for method in [CompressionMethod::Deflated, CompressionMethod::Zstd, CompressionMethod::Stored]
    {
        let path = home.path().join("log.bin");
        fs::write(&path, Log::fixture().archive(method)).expect("written");
        let (_, store) = import_all(home.path(), &[path]);
        assert_eq!(runs(&store), document, "{method}");
        fs::remove_dir_all(home.path().join("s.qualm")).expect("removed");
    }
}

#[test]
fn an_archive_may_come_from_a_pipe() {
    let home = home();
    let mut command = qualm(home.path());
    command.args(["import", "-", "-o", "s.qualm"]).stdin(std::process::Stdio::piped());
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().expect("started");
    let bytes = Log::fixture().archive(CompressionMethod::Zstd);
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), &bytes).expect("sent");
    let said = text(&child.wait_with_output().expect("ended").stdout);
    assert!(said.contains("3 trajectories from 1 file"), "{said}");
}

#[test]
fn an_aborted_log_is_read_from_its_journal() {
    let home = home();
    let path = home.path().join("aborted.eval");
    let mut log = Log::fixture();
    log.entries.retain(|(name, _)| !name.ends_with("header.json") && !name.contains("b_epoch_2"));
    fs::write(&path, log.archive(CompressionMethod::Zstd)).expect("written");
    let (summary, store) = import_all(home.path(), std::slice::from_ref(&path));
    assert_eq!(store.entries().expect("entries")[0].head.cell.to_string(), "capitals/owl-7b");
    let note =
        "is incomplete: the run did not end (there is no header.json); it has 5 of 6 samples";
    assert_eq!(summary.files[0].1[0], note);
    let listed: Vec<_> =
        summary.skipped.iter().filter(|skip| skip.reason.contains("journal")).collect();
    assert_eq!((listed.len(), listed[0].task.as_str(), listed[0].trial), (1, "a/b", Some(2)));

    log.entries.retain(|(name, _)| !name.starts_with("samples/"));
    fs::write(&path, log.archive(CompressionMethod::Zstd)).expect("written");
    let (summary, _) = import_all(home.path(), &[path]);
    assert_eq!(summary.skipped.len(), 6, "the journal alone");
}

#[test]
fn a_log_that_failed_says_so() {
    let home = home();
    let path = home.path().join("failed.json");
    let failed = Log::fixture().document().replacen("\"success\"", "\"cancelled\"", 1);
    fs::write(&path, failed).expect("written");
    let (summary, _) = import_all(home.path(), &[path]);
    assert_eq!(
        summary.files[0].1[0],
        "is incomplete: its status is cancelled; it has 6 of 6 samples"
    );
}

#[test]
fn a_retried_log_counts_its_samples_once() {
    let home = home();
    let paths = ["first.eval", "retry.eval"].map(|name| home.path().join(name));
    let first = Log::fixture();
    fs::write(&paths[0], first.archive(CompressionMethod::Zstd)).expect("written");
    // The retry reuses what ended, and runs again what failed.
    let mut retry = Log::fixture();
    for (name, entry) in &mut retry.entries {
        if name == "samples/a/b_epoch_1.json" {
            *entry =
                first.entry("samples/a/b_epoch_2.json").replace("\"epoch\": 2", "\"epoch\": 1");
            *entry = entry.replace("uuidOfSampleAbEpoch2aa", "uuidOfTheNextAttemptaa");
        }
    }
    fs::write(&paths[1], retry.archive(CompressionMethod::Zstd)).expect("written");
    let (summary, store) = import_all(home.path(), &paths);
    let entries = store.entries().expect("entries");
    let rows: Vec<_> =
        entries.iter().map(|entry| (entry.head.task.as_str(), entry.head.draw)).collect();
    assert_eq!(rows, [("1", 0), ("1", 1), ("a/b", 0), ("a/b", 1)]);
    assert_eq!(entries[2].head.origin.run_id.as_deref(), Some("uuidOfTheNextAttemptaa"));
    assert_eq!(summary.skipped.iter().filter(|skip| skip.copy).count(), 3);
    assert!(summary.without_reference.is_empty(), "the retry completes the first log");
}

#[test]
fn the_scores_of_a_run_are_checks() {
    let home = home();
    let (mut checks, mut seen) = (Vec::<Check>::new(), 0);
    let path = home.path().join("log.eval");
    fs::write(&path, Log::fixture().archive(CompressionMethod::Deflated)).expect("written");
    let found = qualm::readers::find_inputs(&[path], &ReadOptions::default()).expect("found");
    let read = found.claimed[0].read(&ReadOptions::default(), &mut |record| {
        if let qualm::readers::Record::Trajectory(run) = record {
            checks = run.checks;
            seen += 1;
        }
        seen < 1
    });
    read.expect("read");
    let rows: Vec<_> = checks
        .iter()
        .map(|check| {
            (check.expected.as_str(), check.met, check.detail.as_deref().expect("a value"))
        })
        .collect();
    let expected = [
        ("exact", Some(true), "C: Paris is the target."),
        ("rubric.short", Some(true), "true"),
        ("rubric.style", None, "0.75"),
        ("grade", None, "P"),
    ];
    assert_eq!(rows, expected);
    assert_eq!(seen, 1, "reading ends when no more is wanted");
}
