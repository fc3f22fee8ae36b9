//! The irregularities of formats that occur in real files.

use qualm::import::ImportOptions;
use qualm::model::{Role, Span};

use crate::support::{imported, imported_with, keep_errored};

#[test]
fn tau2_runs_become_trajectories() {
    let fixture = imported(&["tau2.json"]);
    let entries = fixture.entries();
    let order: Vec<_> =
        entries.iter().map(|entry| (entry.head.task.as_str(), entry.head.draw)).collect();
    assert_eq!(order, [("0", 0), ("0", 1), ("1", 0), ("1", 1)]);

    let head = &entries[0].head;
    assert_eq!(head.cell.to_string(), "airline/owl-7b");
    assert_eq!(head.action_types, ["message", "get_trip", "get_user", "message"]);
    assert_eq!((head.turns, head.tools, head.messages), (3, 2, 9));
    assert_eq!(head.final_message.as_deref(), Some("Cancelled."));
    assert_eq!(head.termination.as_deref(), Some("user_stop"));
    assert_eq!((head.cost, head.user_cost, head.duration), (Some(0.02), Some(0.01), Some(12.5)));
    assert_eq!((head.prompt_tokens, head.completion_tokens), (Some(300), Some(30)));
    assert_eq!(head.temperature, Some(0.0));
    assert_eq!(head.outcome.parts.database, Some(1.0));

    let success: Vec<_> = entries.iter().map(|entry| entry.head.outcome.success).collect();
    assert_eq!(success, [Some(true), Some(false), Some(true), Some(false)]);
    let db: Vec<_> = entries.iter().map(|entry| entry.head.outcome.db_match).collect();
    assert_eq!(db, [Some(true), Some(false), Some(true), Some(false)]);
    assert_eq!(entries[3].head.outcome.parts.communicated, Some(1.0));
}

#[test]
fn tau2_user_tools_are_not_actions_and_an_empty_message_is_one() {
    let fixture = imported(&["tau2.json"]);
    let run = fixture.trajectory("0", 1);
    assert_eq!(run.head.action_types, ["get_trip", "message", "message"]);
    assert_eq!(run.messages[4].tool_calls[0].name, "toggle_wifi");
    assert!(run.messages[5].for_user && !run.messages[3].for_user);
    assert!(run.messages[0].scripted && !run.messages[2].scripted);
    let failed = fixture.trajectory("0", 0);
    assert!(failed.messages[6].error && !failed.messages[5].error);
    assert_eq!(failed.messages[4].tool_calls[0].arguments, r#"{"id":"ABC"}"#);
    assert_eq!(failed.messages[5].tool_call_id.as_deref(), Some("call_get_trip"));
}

#[test]
fn tau2_tasks_have_their_instruction() {
    let tasks = imported(&["tau2.json"]).store().tasks().expect("tasks");
    let texts: Vec<_> =
        tasks.iter().map(|task| (task.task.as_str(), task.instruction.as_str())).collect();
    assert_eq!(texts, [("0", "reason for call: Cancel ABC."), ("1", "Ask twice.")]);
}

#[test]
fn tau2_info_may_come_last() {
    let fixture = imported(&["tau2-info-last.json"]);
    assert_eq!(fixture.entries()[0].head.cell.to_string(), "retail/zeta");
}

#[test]
fn tau2_files_may_contain_only_simulations() {
    let fixture = imported(&["tau2-bare.json"]);
    assert_eq!(fixture.entry("t1", 0).head.cell.to_string(), "tau2/tau2-bare");
    assert_eq!(fixture.entry("t1", 0).head.turns, 1, "the greeting is no turn");
    assert_eq!(fixture.entry("t2", 0).head.turns, 1);
    let notes = &fixture.summary.files[0].1;
    assert_eq!(notes.len(), 2, "what had to be guessed is said: {notes:?}");
}

#[test]
fn tau2_ungraded_runs_have_no_label_and_crashed_ones_are_listed() {
    let fixture = imported(&["tau2-ungraded.json"]);
    let labels: Vec<_> = fixture.entries().iter().map(|entry| entry.head.outcome.success).collect();
    assert_eq!(labels, [None, None, None]);
    assert_eq!(fixture.summary.ungraded, 3);
    let skipped: Vec<_> = fixture
        .summary
        .skipped
        .iter()
        .map(|skip| (skip.task.as_str(), skip.reason.as_str()))
        .collect();
    assert_eq!(
        skipped,
        [
            ("3", "ended before the agent acted (infrastructure_error)"),
            ("4", "ended before the agent acted (agent_error)"),
            ("5", "ended before the agent acted (user_stop)"),
            ("6", "recorded as audio ticks, without a transcript"),
        ]
    );
    assert_eq!(fixture.summary.cells[0].skipped, 4);
    assert_eq!(fixture.store().manifest().skipped.len(), 4);
}

#[test]
fn crashed_runs_are_kept_as_empty_failures_on_request() {
    let fixture = imported_with(&["tau2-ungraded.json"], &keep_errored());
    assert_eq!(fixture.summary.skipped.len(), 1, "audio is still no transcript");
    let crashed = fixture.trajectory("3", 0);
    assert_eq!(crashed.head.outcome.success, Some(false));
    assert!(crashed.head.action_types.is_empty());
    let fixture = imported_with(&["tau1.json"], &keep_errored());
    assert_eq!(fixture.entry("0", 0).head.outcome.success, Some(false));
    assert_eq!(fixture.entry("0", 0).head.cell.dataset, "airline");
}

#[test]
fn tau2_interrupted_runs_have_fewer_draws() {
    let fixture = imported(&["tau2-interrupted.json"]);
    let draws: Vec<_> =
        fixture.entries().iter().map(|entry| (entry.head.task.clone(), entry.head.draw)).collect();
    let expected = [("0", 0), ("0", 1), ("0", 2), ("1", 0), ("2", 0), ("2", 1)];
    assert_eq!(draws, expected.map(|(task, draw)| (task.to_owned(), draw)));
}

#[test]
fn tau2_folders_are_read_through_their_index() {
    for name in ["tau2-folder", "tau2-folder/results.json"] {
        let fixture = imported(&[name]);
        let entries = fixture.entries();
        assert_eq!(entries.len(), 1, "{name}");
        assert_eq!(entries[0].head.cell.to_string(), "telecom/elk/llm_agent_solo");
        assert_eq!(entries[0].head.action_types, ["get_line", "message"]);
        assert_eq!(fixture.summary.skipped.len(), 1, "{name}");
    }
    let alone = imported(&["tau2-folder/simulations/aa.json"]);
    assert_eq!(alone.entries()[0].head.action_types, ["get_line", "message"]);
}

#[test]
fn tau2_logprobs_are_read_from_a_choice() {
    let fixture = imported(&["tau2-logprobs-v0.json"]);
    let run = fixture.trajectory("0", 0);
    assert_eq!(run.head.turns, 5);
    assert_eq!(run.head.turns_with_logprobs, 3);
    let greeting = run.turns[0].tokens.as_ref().expect("recorded");
    assert_eq!(greeting.text(), "Hello there");
    assert_eq!(greeting.get(0).top_logprobs, [-0.25, -3.5]);
    assert_eq!(greeting.count(Span::Action), 2);

    // In a text-action agent, the text of the call is the action.
    let call = run.turns[1].tokens.as_ref().expect("recorded");
    let spans: Vec<_> = call.iter().map(|token| token.span).collect();
    assert_eq!(spans, [Span::Reasoning, Span::Reasoning, Span::Action, Span::Action]);

    // The tokens of a native call cover only the text beside it.
    let native = run.turns[2].tokens.as_ref().expect("recorded");
    assert_eq!(native.count(Span::Action), 0);
    assert!(run.turns[3].tokens.is_none() && run.turns[4].tokens.is_none());
}

#[test]
fn tau2_logprobs_are_read_from_a_whole_response() {
    let fixture = imported(&["tau2-logprobs-v1.json"]);
    let run = fixture.trajectory("0", 0);
    let tokens = run.turns[0].tokens.as_ref().expect("recorded");
    let spans: Vec<_> = tokens.iter().map(|token| token.span).collect();
    assert_eq!(spans[..3], [Span::Reasoning; 3]);
    assert_eq!(spans[3..], [Span::Action; 2]);
    assert_eq!(run.messages[2].reasoning.as_deref(), Some("A greeting."));
}

#[test]
fn tau1_crashed_runs_are_skipped() {
    let fixture = imported(&["tau1.json"]);
    assert_eq!(fixture.entries().len(), 3);
    assert_eq!(fixture.summary.skipped.len(), 1);
    assert_eq!(
        fixture.summary.skipped[0].reason,
        "crashed before the agent acted (RateLimitError)"
    );
    assert_eq!(
        fixture.summary.skipped[0].cell.dataset, "airline",
        "inferred from the runs after it"
    );
    // Trial 0 of task 0 crashed, so it has a sample only.
    assert_eq!(fixture.summary.without_reference.len(), 1);
    let run = fixture.trajectory("0", 1);
    assert_eq!(run.head.origin.trial, Some(1));
    assert_eq!(run.head.action_types, ["message", "get_user", "message"]);
    assert_eq!(run.messages[0].role, Role::System);
    assert_eq!(run.messages[4].tool_calls[0].arguments, r#"{"id":1}"#);
    assert_eq!(run.head.outcome.parts.actions, Some(1.0));
    let tasks = fixture.store().tasks().expect("tasks");
    assert_eq!(tasks[1].instruction, "You want 1.");
}

#[test]
fn tau1_trials_that_equal_the_task_are_ignored() {
    let fixture = imported(&["tau1-fork.json"]);
    let heads: Vec<_> = fixture.entries().into_iter().map(|entry| entry.head).collect();
    assert!(heads.iter().all(|head| head.origin.trial.is_none()));
    let draws: Vec<_> = heads.iter().map(|head| (head.task.as_str(), head.draw)).collect();
    assert_eq!(draws, [("3", 0), ("3", 1), ("4", 0), ("4", 1)]);
}

#[test]
fn python_constants_do_not_stop_a_reader() {
    let home = crate::support::home();
    let path = home.path().join("nan.json");
    let json =
        std::fs::read_to_string(crate::support::data("tau2-logprobs-v0.json")).expect("text");
    let json = json.replacen("-0.25", "-Infinity", 1).replacen("12.5", "NaN", 1);
    std::fs::write(&path, json).expect("written");
    let store = home.path().join("s.qualm");
    qualm::import::import(&[path], &store, &ImportOptions::default(), &|_| {}).expect("imported");
    let store = qualm::store::Store::open(&store).expect("a store");
    let entry = &store.entries().expect("entries")[0];
    assert_eq!(entry.head.duration, None);
    let run = store.trajectory(entry).expect("a run");
    let first = run.turns[0].tokens.as_ref().expect("recorded").get(0);
    assert!(first.logprob.exp() < f64::MIN_POSITIVE, "a probability of 0");
}

/// The run of `tau2-logprobs-v0.json` with one text replaced by another.
fn with_replaced(from: &str, to: &str) -> qualm::model::Trajectory {
    let home = crate::support::home();
    let path = home.path().join("x.json");
    let json =
        std::fs::read_to_string(crate::support::data("tau2-logprobs-v0.json")).expect("text");
    assert!(json.contains(from), "{from}");
    std::fs::write(&path, json.replacen(from, to, 1)).expect("written");
    let store = home.path().join("s.qualm");
    qualm::import::import(&[path], &store, &ImportOptions::default(), &|_| {}).expect("imported");
    let store = qualm::store::Store::open(&store).expect("a store");
    let entry = store.entries().expect("entries").remove(0);
    store.trajectory(&entry).expect("a run")
}

#[test]
fn half_a_surrogate_pair_does_not_stop_a_reader() {
    let run = with_replaced("\"Hello there\"", "\"Hello \\ud83d\"");
    assert_eq!(run.messages[2].content.as_deref(), Some("Hello \u{fffd}"));
}

#[test]
fn answers_of_another_shape_have_no_tokens() {
    let run = with_replaced("\"finish_reason\": \"stop\"", "\"choices\": {}");
    assert!(run.turns[0].tokens.is_none(), "that answer says nothing");
    assert!(run.turns[1].tokens.is_some(), "the others do");
    let run = with_replaced("\"token\": \"Hello\"", "\"token\": null");
    assert!(run.turns[0].tokens.is_none());
}

#[test]
fn packed_results_are_read_as_they_are() {
    use std::io::Write as _;
    let home = crate::support::home();
    let plain = std::fs::read(crate::support::data("tau2-bare.json")).expect("read");
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&plain).expect("packed");
    let gzip = packer.finish().expect("packed");
    let zstd = zstd::encode_all(&plain[..], 1).expect("packed");
    let import = |name: &str, bytes: &[u8]| {
        let (path, store) = (home.path().join(name), home.path().join("s.qualm"));
        std::fs::write(&path, bytes).expect("written");
        qualm::import::import(&[path], &store, &ImportOptions::default(), &|_| {})
    };
    for (name, bytes) in [("run.json.gz", &gzip), ("run.json.zst", &zstd), ("run.json", &gzip)] {
        let summary = import(name, bytes).expect(name);
        assert_eq!(summary.added, 2, "{name}");
        assert_eq!(summary.cells[0].cell.model, "run", "{name}");
    }
    let cut = [("cut.json.gz", &gzip), ("cut.json.zst", &zstd)];
    for (name, bytes) in cut {
        let error = import(name, &bytes[..bytes.len() - 9]).expect_err(name).to_string();
        let expected = "the packed file ends before it is complete; copy or download it again";
        assert!(error.ends_with(&format!("{name}: {expected}")), "{error}");
    }
    let mut damaged = gzip;
    let middle = damaged.len() / 2;
    damaged[middle..middle + 8].fill(0xFF);
    let error = import("damaged.json.gz", &damaged).expect_err("damaged").to_string();
    assert!(error.contains("damaged.json.gz: the packed file is damaged ("), "{error}");
}
