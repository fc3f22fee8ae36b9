//! Rollouts of verifiers and prime-rl.

use qualm::model::{CheckKind, Span};
use qualm::readers::{ReadOptions, Record, find_inputs};

use crate::support::{data, imported, imported_with, keep_errored};

#[test]
fn saved_rollouts_are_draws_in_the_order_of_the_file() {
    let fixture = imported(&["verifiers/results.jsonl"]);
    let entries = fixture.entries();
    let seen: Vec<_> = entries
        .iter()
        .map(|entry| (entry.head.cell.to_string(), entry.head.task.as_str(), entry.head.draw))
        .collect();
    let expected =
        [("wordle/owl-7b", "0", 0), ("wordle/owl-7b", "0", 1), ("other-env/owl-7b", "1", 0)];
    assert_eq!(seen, expected.map(|(cell, task, draw)| (cell.to_owned(), task, draw)));
    let first = fixture.trajectory("0", 0);
    assert_eq!(
        first.head.action_types,
        ["message", "guess"],
        "an example in the prompt is no action"
    );
    assert_eq!(first.messages[6].tool_calls[0].arguments, r#"{"word":"plant"}"#);
    assert_eq!((first.head.outcome.reward, first.head.outcome.success), (Some(1.0), Some(true)));
    assert_eq!((first.head.duration, first.head.temperature), (Some(1.0), Some(0.7)));
    assert_eq!((first.head.prompt_tokens, first.head.completion_tokens), (Some(50), Some(12)));
    assert_eq!(fixture.entry("0", 1).head.outcome.success, Some(false));
    assert_eq!(
        fixture.entry("1", 0).head.final_message.as_deref(),
        Some("word"),
        "a text is a turn"
    );
}

#[test]
fn metrics_are_kept_as_checks() {
    let options = ReadOptions::default();
    let found = find_inputs(&[data("verifiers/results.jsonl")], &options).expect("found");
    let mut runs = Vec::new();
    let mut emit = |record| {
        if let Record::Trajectory(run) = record {
            runs.push(*run);
        }
        true
    };
    found.claimed[0].read(&options, &mut emit).expect("read");
    let run = &runs[0];
    let checks: Vec<_> = run
        .checks
        .iter()
        .map(|check| (check.kind, check.expected.as_str(), check.met, check.detail.as_deref()))
        .collect();
    let score = CheckKind::Score;
    let expected =
        [(score, "correct_answer", Some(true), Some("1")), (score, "num_turns", None, Some("2"))];
    assert_eq!(checks, expected);
}

#[test]
fn rollouts_that_crashed_are_listed() {
    let fixture = imported(&["verifiers/results.jsonl"]);
    let reasons: Vec<_> = fixture.summary.skipped.iter().map(|skip| skip.reason.as_str()).collect();
    assert_eq!(reasons, ["crashed before the agent acted (InfraError('sandbox lost'))"]);
    let kept = imported_with(&["verifiers/traces/traces.jsonl"], &keep_errored());
    assert_eq!(kept.entry("7", 1).head.outcome.success, Some(false));
}

#[test]
fn a_trace_is_the_path_to_its_last_message() {
    let fixture = imported(&["verifiers/traces/traces.jsonl"]);
    let run = fixture.trajectory("7", 0);
    assert_eq!(run.head.cell.to_string(), "MathTask/owl-7b");
    assert_eq!(run.head.action_types, ["add", "message"]);
    assert_eq!((run.head.outcome.reward, run.head.outcome.success), (Some(1.0), Some(true)));
    assert_eq!(run.head.origin.run_id.as_deref(), Some("f".repeat(32).as_str()));
    let call = run.turns[0].tokens.as_ref().expect("recorded");
    assert_eq!((call.len(), call.count(Span::Other)), (2, 2), "which are the call is not known");
    let answer = run.turns[1].tokens.as_ref().expect("recorded");
    assert_eq!((answer.len(), answer.count(Span::Action)), (2, 2));
    // numpy.exp(numpy.mean([-0.125, -0.375]))
    let scores = run.turns[1].scores.expect("scored");
    assert!((scores.lnsp - 0.778_800_783_071_404_9).abs() < 1e-12, "{}", scores.lnsp);
    assert!(run.turns[0].scores.is_none());
    assert_eq!(
        fixture.summary.skipped[0].reason,
        "crashed before the agent acted (ModelError: timeout)"
    );
}
