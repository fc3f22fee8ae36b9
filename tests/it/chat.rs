//! Logs of chat APIs: conversations, requests with their responses, batches, and responses.

use std::fs;

use qualm::import::{ImportOptions, import};
use qualm::model::{Role, Span};
use qualm::readers::{ReadOptions, find_inputs};

use crate::support::{Imported, data, home, imported, imported_with, keep_errored, run, text};

#[test]
fn conversations_have_their_task_draw_and_outcome() {
    let fixture = imported(&["chat.jsonl"]);
    let entries = fixture.entries();
    let seen: Vec<_> = entries
        .iter()
        .map(|entry| (entry.head.task.as_str(), entry.head.draw, entry.head.outcome.success))
        .collect();
    let expected = [
        ("door", 0, Some(true)),
        ("door", 1, Some(true)),
        ("lamp", 0, Some(true)),
        ("lamp", 1, Some(false)),
    ];
    assert_eq!(seen, expected, "two choices are two draws");
    let lamp = fixture.trajectory("lamp", 0);
    assert_eq!(lamp.head.cell.to_string(), "house/owl-7b");
    assert_eq!(lamp.head.action_types, ["switch", "message"]);
    assert_eq!(lamp.messages[2].tool_calls[0].arguments, r#"{"id":4}"#);
    assert_eq!(lamp.messages[3].tool_call_id.as_deref(), Some("c1"));
    assert_eq!((lamp.head.cost, lamp.head.outcome.reward), (Some(0.5), None));
    assert_eq!(fixture.entry("lamp", 1).head.outcome.reward, Some(0.25));
}

#[test]
fn every_choice_has_its_tokens() {
    let fixture = imported(&["chat.jsonl"]);
    let closed = fixture.trajectory("door", 0);
    let tokens = closed.turns[0].tokens.as_ref().expect("recorded");
    assert_eq!((tokens.text(), tokens.count(Span::Action)), ("Closed.", 3));
    assert_eq!(tokens.get(0).top_logprobs, [-0.5, -2.5]);
    // numpy.exp(numpy.mean([-0.5, -0.25, -0.125]))
    let scores = closed.turns[0].scores.expect("scored");
    assert!((scores.lnsp - 0.747_017_500_310_432_6).abs() < 1e-12, "{}", scores.lnsp);
    let which = fixture.trajectory("door", 1);
    assert_eq!(which.turns[0].tokens.as_ref().expect("recorded").text(), "Which?");
}

#[test]
fn a_conversation_without_an_answer_is_no_run() {
    let fixture = imported(&["chat.jsonl"]);
    let reasons: Vec<_> = fixture.summary.skipped.iter().map(|skip| skip.reason.as_str()).collect();
    assert_eq!(reasons, ["crashed before the agent acted (rate limit)"]);
    let kept = imported_with(&["chat.jsonl"], &keep_errored());
    assert_eq!(kept.entry("heat", 0).head.outcome.success, Some(false));
}

#[test]
fn logged_calls_of_one_conversation_are_one_run() {
    let fixture = imported(&["chat-logged.jsonl"]);
    let entries = fixture.entries();
    let seen: Vec<_> = entries
        .iter()
        .map(|entry| (&entry.head.task[..4], entry.head.draw, entry.head.turns))
        .collect();
    let expected = [("one-", 0, 3), ("ten-", 0, 1), ("ten-", 1, 1)];
    assert_eq!(seen, expected, "the same question is the same task");
    let count = fixture.trajectory(&entries[0].head.task, 0);
    assert_eq!(count.head.action_types, ["add", "message", "message"]);
    let roles: Vec<Role> = count.messages.iter().map(|message| message.role).collect();
    let (system, user, agent, tool) = (Role::System, Role::User, Role::Assistant, Role::Tool);
    assert_eq!(roles, [system, user, agent, tool, agent, user, agent]);
    assert_eq!((count.head.prompt_tokens, count.head.completion_tokens), (Some(60), Some(11)));
    assert_eq!(count.head.temperature, Some(0.5));
    assert_eq!(count.head.turns_with_logprobs, 2, "those of earlier calls are kept");
    let notes = fixture.summary.files[0].1.join("\n");
    assert!(notes.contains("logs every call") && notes.contains("begin alike"), "{notes}");
}

#[test]
fn results_of_a_batch_are_runs_without_their_question() {
    let fixture = imported(&["chat-batch.jsonl"]);
    let run = fixture.trajectory("q1", 0);
    assert_eq!((run.head.messages, run.head.turns_with_logprobs), (1, 1));
    assert_eq!(run.head.cell.model, "owl-7b-2024");
    let skip = &fixture.summary.skipped[0];
    assert_eq!(
        (skip.task.as_str(), skip.reason.as_str()),
        ("q2", "crashed before the agent acted (too long)")
    );
}

#[test]
fn items_of_responses_become_turns() {
    let fixture = imported(&["chat-responses.jsonl"]);
    let run = fixture.trajectory("t1", 0);
    assert_eq!(run.head.action_types, ["weather", "message"]);
    assert_eq!(run.head.outcome.success, Some(true));
    assert_eq!(run.messages[0].role, Role::System);
    assert_eq!(run.messages[1].content.as_deref(), Some("Weather?"));
    assert_eq!(run.messages[3].content.as_deref(), Some("{\"sun\": true}"));
    assert_eq!(run.messages[4].reasoning.as_deref(), Some("It is sunny."));
    let tokens = run.turns[1].tokens.as_ref().expect("recorded");
    assert_eq!((tokens.text(), tokens.count(Span::Action)), ("Sunny.", 2));
    let hosted = fixture.trajectory("t2", 0);
    assert_eq!(hosted.head.action_types, ["web_search", "fetch", "message"]);
    assert_eq!(hosted.head.turns, 2, "a call that the server answered ends a turn");
}

#[test]
fn files_of_other_tools_are_left_alone() {
    let home = home();
    for (name, json) in [
        (
            "mini.traj.json",
            r#"{"messages": [{"role": "user"}], "info": {}, "trajectory_format": "mini-swe-agent-1"}"#,
        ),
        ("inspect.json", r#"{"eval": {}, "samples": [{"messages": [{"role": "user"}]}]}"#),
        (
            "atif.json",
            r#"{"schema_version": "ATIF-v1.5", "steps": [], "messages": [{"role": "user"}]}"#,
        ),
        ("bfcl.json", r#"{"id": "multi_turn_base_0", "result": [[]], "role": "x"}"#),
        ("swe.traj", r#"{"trajectory": [], "history": [{"role": "user"}]}"#),
        ("mail.json", r#"{"messages": 3}"#),
    ] {
        fs::write(home.path().join(name), json).expect("written");
        let found = find_inputs(&[home.path().join(name)], &ReadOptions::default());
        let id = found.map(|found| found.claimed[0].reader.info().id);
        assert_ne!(id.ok(), Some("chat"), "{name}");
    }
    let found = find_inputs(&[data("tau2.json")], &ReadOptions::default()).expect("found");
    assert_eq!(found.claimed[0].reader.info().id, "tau2");
}

#[test]
fn a_wrong_message_is_named() {
    let home = home();
    let lines = fs::read_to_string(data("chat.jsonl")).expect("read");
    fs::write(home.path().join("x.jsonl"), lines.replacen("\"user\"", "\"robot\"", 2))
        .expect("written");
    let out = run(home.path(), &["import", "x.jsonl", "-o", "s.qualm"]);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    let expected = "x.jsonl, line 1, `messages`: a message has the unknown role `robot`; ";
    assert!(said.contains(expected), "{said}");
    assert!(!home.path().join("s.qualm").exists());
}

#[test]
fn a_last_line_that_was_cut_off_is_left_out() {
    let home = home();
    let lines = fs::read_to_string(data("chat.jsonl")).expect("read");
    let cut = lines.find("\"task_id\": \"door\"").expect("there");
    fs::write(home.path().join("x.jsonl"), &lines[..cut]).expect("written");
    let said = text(&run(home.path(), &["import", "x.jsonl", "-o", "s.qualm"]).stdout);
    assert!(said.contains("2 trajectories from 1 file"), "{said}");
    assert!(said.contains("x.jsonl ends in the middle of line 3, which is left out"), "{said}");
}

#[test]
fn tokens_of_a_part_do_not_score_a_turn_of_responses() {
    let home = home();
    let said = |text: &str| {
        let token = format!(r#"{{"token": "{text}", "logprob": -0.5}}"#);
        let part = format!(r#"{{"type": "output_text", "text": "{text}", "logprobs": [{token}]}}"#);
        format!(r#"{{"type": "message", "role": "assistant", "content": [{part}]}}"#)
    };
    let call = r#"{"type": "custom_tool_call", "call_id": "c", "name": "look", "input": "x"}"#;
    let seen = r#"{"type": "custom_tool_call_output", "call_id": "c", "output": "a door"}"#;
    let lines = [
        format!(r#"{{"task_id": "whole", "input": "Q", "output": [{}]}}"#, said("A.")),
        format!(
            r#"{{"task_id": "parts", "input": "Q", "output": [{}, {}]}}"#,
            said("A."),
            said("B.")
        ),
        format!(
            r#"{{"task_id": "call", "input": "Q", "output": [{call}, {seen}, {}]}}"#,
            said("A.")
        ),
    ];
    let path = home.path().join("x.jsonl");
    fs::write(&path, lines.join("\n")).expect("written");
    let store = home.path().join("s.qualm");
    let summary = import(&[path], &store, &ImportOptions::default(), &|_| {}).expect("imported");
    let fixture = Imported { home, summary };
    let turns = |task: &str| {
        let head = fixture.entry(task, 0).head;
        (head.turns, head.turns_with_logprobs)
    };
    assert_eq!((turns("whole"), turns("parts"), turns("call")), ((1, 1), (1, 0), (2, 1)));
    let run = fixture.trajectory("call", 0);
    assert_eq!(
        (run.messages[2].role, run.messages[2].content.as_deref()),
        (Role::Tool, Some("a door"))
    );
}
