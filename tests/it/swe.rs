//! SWE-agent and mini-swe-agent: files, folders, and runs over the same tasks as draws.

use std::fs;

use qualm::import::{ImportOptions, import};
use qualm::model::{Role, Span};
use qualm::store::Store;
use tempfile::TempDir;

use crate::real_data::folder;
use crate::support::{data, home, imported, run, text};

const FIRST: &str = "swe-agent/owl-7b__toy-bench__default__t-0.00__p-0.95__c-2.00__install-1";
const SECOND: &str = "swe-agent/default__acme--owl-7b__t-0.00__p-1.00__c-2.00___toy-bench";

/// What the program says, which must be a success.
fn text_of(home: &TempDir, args: &[&str]) -> String {
    let output = run(home.path(), args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn steps_are_turns_and_demonstrations_are_none() {
    let fixture = imported(&[FIRST]);
    let run = fixture.trajectory("acme__tool-1", 0);
    let head = &run.head;
    assert_eq!(head.cell.to_string(), "toy-bench/owl-7b/swe-agent");
    assert_eq!(head.action_types, ["open", "message", "python", "submit"]);
    assert_eq!((head.turns, head.tools, head.temperature), (4, 3, Some(0.0)));
    assert_eq!((head.cost, head.termination.as_deref()), (Some(0.5), Some("submitted")));
    assert_eq!((head.prompt_tokens, head.completion_tokens), (Some(900), Some(40)));
    assert_eq!(run.messages[5].tool_calls[0].arguments, r#"{"command":"open a.py"}"#);
    let roles: Vec<_> =
        run.messages.iter().map(|message| (message.role, message.scripted)).collect();
    let (system, user, assistant, tool) = (Role::System, Role::User, Role::Assistant, Role::Tool);
    assert_eq!(
        roles[..5],
        [(system, false), (user, false), (assistant, true), (tool, false), (user, false)]
    );
    let later: Vec<Role> = roles[5..].iter().map(|(role, _)| *role).collect();
    assert_eq!(later, [assistant, tool, assistant, user, assistant, tool, assistant, tool]);
    let skipped: Vec<_> = (fixture.summary.skipped.iter())
        .map(|skip| (skip.task.as_str(), skip.reason.as_str()))
        .collect();
    let expected = [
        ("acme__tool-2", "its file cannot be read: the JSON ends before it is complete"),
        ("acme__tool-3", "ended before the agent acted (exit_environment)"),
    ];
    assert_eq!(skipped, expected);
    assert!(fixture.summary.files[0].1.is_empty(), "the folder names it all");
}

#[test]
fn calls_of_functions_keep_their_names_and_arguments() {
    let fixture = imported(&[SECOND]);
    let run = fixture.trajectory("acme__tool-1", 0);
    assert_eq!(run.head.cell.to_string(), "toy-bench/owl-7b/swe-agent");
    assert_eq!(run.head.action_types, ["str_replace_editor", "bash"]);
    assert_eq!(run.messages[2].tool_calls[0].arguments, r#"{"command":"view","path":"/a.py"}"#);
    assert_eq!(run.messages[3].tool_call_id.as_deref(), Some("t1"));
    assert_eq!(run.head.termination.as_deref(), Some("submitted (exit_cost)"));
    let shown = imported(&["swe-agent/shown.traj"]);
    let run = shown.trajectory("shown", 0);
    assert_eq!(run.head.action_types, ["str_replace_editor", "bash"]);
    assert_eq!(run.messages[3].role, Role::Tool);
}

#[test]
fn folders_of_runs_are_draws_in_their_order() {
    for (names, tools) in [([FIRST, SECOND], [3, 2]), ([SECOND, FIRST], [2, 3])] {
        let fixture = imported(&names);
        assert_eq!(fixture.summary.files.len(), 2);
        let drawn = [0, 1].map(|draw| fixture.entry("acme__tool-1", draw).head.tools);
        assert_eq!(drawn, tools);
    }
    // A task that the first run lost has no reference.
    let fixture = imported(&["mini/run-a", "mini/run-b"]);
    assert_eq!(fixture.summary.without_reference.len(), 1);
    assert_eq!(fixture.entry("acme__tool-2", 1).head.tools, 2);
    let both = imported(&["mini"]);
    assert_eq!(both.summary.files.len(), 2, "a folder of runs is searched");
    assert_eq!(both.entry("acme__tool-1", 1).head.tools, 2);
}

#[test]
fn a_long_run_is_known_although_its_end_is_not_seen() {
    let home = home();
    // In one line, with the name of a column between commas.
    let step = r#"{"action": "ls", "observation": "a, task, b", "response": "Go.", "thought": ""}"#;
    let steps = vec![step; 6_000].join(", ");
    let info = r#""info": {"exit_status": "submitted"}"#;
    let text = format!(r#"{{"environment": "e", "trajectory": [{steps}], "history": [], {info}}}"#);
    for task in ["a", "b"] {
        let folder = home.path().join("runs").join(task);
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join(format!("{task}.traj")), &text).expect("written");
    }
    let said = text_of(&home, &["import", "runs/a/a.traj", "-o", "one.qualm"]);
    assert!(said.contains("1 trajectory from 1 file"), "{said}");
    let said = text_of(&home, &["import", "runs", "-o", "both.qualm"]);
    assert!(said.contains("2 trajectories from 1 file"), "one folder is one input: {said}");
}

#[test]
fn packed_runs_have_the_same_names() {
    let home = home();
    // It names neither its task nor its model.
    let bytes = fs::read(data("mini-bare.traj.json")).expect("read");
    let packed = home.path().join("mini-bare.traj.json.zst");
    fs::write(&packed, zstd::encode_all(&bytes[..], 1).expect("packed")).expect("written");
    let path = home.path().join("s.qualm");
    import(&[packed], &path, &ImportOptions::default(), &|_| {}).expect("read");
    let named = |entries: Vec<qualm::store::Entry>| {
        let heads = entries.into_iter().map(|entry| entry.head);
        heads.map(|head| format!("{} {}", head.cell, head.task)).collect::<Vec<_>>()
    };
    let found = named(Store::open(&path).expect("open").entries().expect("entries"));
    assert_eq!(found, named(imported(&["mini-bare.traj.json"]).entries()));
}

#[test]
fn blocks_of_text_are_commands_and_their_tokens_the_action() {
    let fixture = imported(&["mini/run-a"]);
    let run = fixture.trajectory("acme__tool-1", 0);
    let head = &run.head;
    assert_eq!(head.cell.to_string(), "swe-bench/owl-7b/mini-swe-agent");
    assert_eq!(head.action_types, ["bash", "message", "bash"], "two blocks are no action");
    assert_eq!(run.messages[2].tool_calls[0].arguments, r#"{"command":"ls -l"}"#);
    assert_eq!((head.cost, head.duration, head.temperature), (Some(0.5), Some(3.0), Some(0.5)));
    assert_eq!((head.prompt_tokens, head.completion_tokens), (Some(90), Some(15)));
    assert_eq!(head.termination.as_deref(), Some("Submitted"));
    let roles: Vec<Role> = run.messages[3..].iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::Tool, Role::Assistant, Role::User, Role::Assistant, Role::System]);
    assert_eq!(run.messages[6].reasoning.as_deref(), Some("All is done."));
    let tokens = run.turns[0].tokens.as_ref().expect("recorded");
    let spans: Vec<Span> = tokens.iter().map(|token| token.span).collect();
    assert_eq!(spans, [Span::Reasoning, Span::Action, Span::Action, Span::Action]);
    let scores = run.turns[0].scores.expect("scored");
    assert!((scores.sp_log + 0.875).abs() < 1e-12 && scores.pm.is_some());
    assert_eq!(fixture.summary.skipped[0].reason, "ended before the agent acted (RateLimitError)");
}

#[test]
fn native_calls_and_answers_of_the_responses_api_are_read() {
    let fixture = imported(&["mini/run-b"]);
    let run = fixture.trajectory("acme__tool-1", 0);
    assert_eq!(run.head.action_types, ["bash", "bash"]);
    assert_eq!((run.head.cost, run.head.duration), (Some(0.375), Some(3.0)));
    assert_eq!((run.head.prompt_tokens, run.head.completion_tokens), (Some(37), Some(8)));
    assert!(run.messages[3].error && run.messages[3].role == Role::Tool);
    assert_eq!(run.messages[4].content.as_deref(), Some("I stop."));
    assert_eq!(run.messages[4].tool_calls[0].arguments, r#"{"command":"echo COMPLETE"}"#);
    assert_eq!(run.messages[5].tool_call_id.as_deref(), Some("t2"));
    let bare = imported(&["mini-bare.traj.json"]);
    assert_eq!(bare.entry("mini-bare", 0).head.action_types, ["bash"]);
}

/// Task, draw, turns, calls and cost of a run.
type Row = (String, u32, u32, u32, Option<f64>);

/// Imports a folder of real results and lists task, draw, turns, calls and cost of every run.
fn counted(name: &str) -> Option<Vec<Row>> {
    let home = home();
    let path = home.path().join("s.qualm");
    let paths = [folder()?.join(name)];
    import(&paths, &path, &ImportOptions::default(), &|_| {}).expect("imported");
    let entries = Store::open(&path).expect("a store").entries().expect("entries");
    let row = |entry: &qualm::store::Entry| {
        let head = &entry.head;
        (head.task.clone(), head.draw, head.turns, head.tools, head.cost)
    };
    let mut rows: Vec<_> = entries.iter().map(row).collect();
    rows.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    Some(rows)
}

#[test]
fn real_runs_of_swe_agent_are_counted_as_another_program_does() {
    let Some(rows) = counted("swe-agent") else { return };
    // python: steps = d.get("trajectory") or [m for m in d["history"] if m["role"] == "assistant"];
    // (len(steps), sum(bool(s["action"].strip()) for s in steps)), info.model_stats.instance_cost
    let expected =
        REAL_SWE_AGENT.map(|(task, turns, tools, cost)| (task.to_owned(), 0, turns, tools, cost));
    assert_eq!(rows, expected);
}

#[test]
fn real_runs_of_mini_swe_agent_are_draws_of_their_tasks() {
    let Some(rows) = counted("mini-swe-agent") else { return };
    // python: own = [m for m in d["messages"] if m["role"] == "assistant"], in folders by name;
    // (len(own), sum(len(m.get("tool_calls") or []) for m in own)), info.model_stats.instance_cost
    let expected = REAL_MINI
        .map(|(task, draw, turns, tools, cost)| (task.to_owned(), draw, turns, tools, cost));
    assert_eq!(rows, expected);
}

const REAL_SWE_AGENT: [(&str, u32, u32, Option<f64>); 3] = [
    ("astropy__astropy-12907", 34, 34, Some(1.708_494_000_000_000_2)),
    ("crypto__BabyEncryption", 16, 16, Some(0.0)),
    ("demonstrations__function_calling_simple", 5, 5, None),
];

const REAL_MINI: [(&str, u32, u32, u32, Option<f64>); 7] = [
    ("bare-list", 0, 2, 2, None),
    ("pvlib__pvlib-python-1154", 0, 66, 66, Some(0.046_207_448_000_000_01)),
    ("pvlib__pvlib-python-1154", 1, 66, 66, Some(0.037_485_727_999_999_996)),
    ("pydicom__pydicom-901", 0, 67, 67, Some(0.032_549_272_000_000_004)),
    ("pydicom__pydicom-901", 1, 38, 38, Some(0.014_327_516)),
    ("sqlfluff__sqlfluff-2419", 0, 43, 43, Some(0.015_627_724)),
    ("sqlfluff__sqlfluff-2419", 1, 42, 42, Some(0.016_270_604)),
];
