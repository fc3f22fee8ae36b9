//! Tables of rollouts, files that a mapping explains, and files that nothing explains.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use qualm::import::{Brought, ImportOptions};
use qualm::model::Role;
use qualm::readers::{Mapping, ReadOptions, Record, by_id, find_inputs};
use qualm::store::Store;

use crate::support::{Imported, data, home, imported, imported_with, run, text};

/// The mapping under a heading of the documentation.
fn documented(heading: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/mapping.md");
    let docs = fs::read_to_string(path).expect("docs");
    let section = docs.split(&format!("## {heading}\n")).nth(1).expect("a heading");
    let block = section.split("```toml\n").nth(1).expect("a mapping");
    block.split("```").next().expect("its end").to_owned()
}

/// Imports a file under a mapping.
fn mapped(name: &str, mapping: &str) -> Imported {
    let home = home();
    let path = home.path().join("mapping.toml");
    fs::write(&path, mapping).expect("written");
    let mapping = Some(Arc::new(Mapping::read(&path).expect("a mapping")));
    let read = ReadOptions { reader: by_id("map"), mapping, ..ReadOptions::default() };
    imported_with(&[name], &ImportOptions { read, ..ImportOptions::default() })
}

#[test]
fn spans_of_a_trace_are_one_run() {
    let fixture = mapped("mapping/spans.json", &documented("OpenTelemetry GenAI spans"));
    let entries = fixture.entries();
    assert_eq!(entries.len(), 2);
    let ferns = entries.iter().find(|entry| entry.head.task.starts_with("water-the-ferns-"));
    let run = fixture.store().trajectory(ferns.expect("named by its question")).expect("a run");
    assert_eq!(run.head.action_types, ["soil", "message"], "a call belongs to the turn before it");
    assert_eq!(run.messages[1].content.as_deref(), Some("I look."));
    assert_eq!(run.messages[1].tool_calls[0].arguments, r#"{"plant":"fern"}"#);
    assert_eq!(run.messages[2].tool_call_id.as_deref(), Some("c1"));
    assert_eq!(run.head.cell.model, "owl-7b");
    assert_eq!(run.head.origin.run_id.as_deref(), Some("a".repeat(32).as_str()));
}

#[test]
fn lines_of_a_session_are_one_run() {
    let fixture = mapped("mapping/session.jsonl", &documented("Claude Code sessions"));
    let entries = fixture.entries();
    assert_eq!(entries.len(), 1);
    let run = fixture.store().trajectory(&entries[0]).expect("a run");
    assert_eq!(run.head.action_types, ["Bash", "message"], "subagents do not count");
    let roles: Vec<Role> = run.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant]);
    assert_eq!(run.messages[1].reasoning.as_deref(), Some("Use ls."));
    assert_eq!(run.messages[1].content.as_deref(), Some("Counting."));
    assert_eq!(run.head.cell.model, "owl-7b");
}

#[test]
fn a_table_may_have_other_names() {
    let fixture = mapped("mapping/dialogs.csv", &documented("A table with names of its own"));
    let first = fixture.trajectory("q1", 0);
    assert_eq!(first.head.outcome.success, Some(true));
    let tokens = first.turns[0].tokens.as_ref().expect("recorded");
    assert_eq!(tokens.text(), "Hello, you");
    // numpy.exp(numpy.mean([-0.5, -0.25, -1.0]))
    let scores = first.turns[0].scores.expect("scored");
    assert!((scores.lnsp - 0.558_035_145_770_047_1).abs() < 1e-12, "{}", scores.lnsp);
    let second = fixture.trajectory("q1", 1);
    assert_eq!(second.head.action_types, ["wave", "message"]);
    assert_eq!(second.messages[1].tool_calls[0].arguments, r#"{"hand":"left"}"#);
}

#[test]
fn a_parquet_table_of_rollouts_is_read() {
    let fixture = imported(&["rollouts.parquet"]);
    let entries = fixture.entries();
    let seen: Vec<_> = entries
        .iter()
        .map(|entry| (entry.head.task.as_str(), entry.head.draw, entry.head.outcome.success))
        .collect();
    assert_eq!(seen, [("7", 0, Some(true)), ("7", 1, Some(false)), ("8", 0, None)]);
    let run = fixture.trajectory("7", 0);
    assert_eq!(run.head.cell.model, "owl-7b");
    assert_eq!(run.head.action_types, ["search", "message"]);
    assert_eq!(run.messages[1].tool_calls[0].arguments, r#"{"q":"owl"}"#);
    assert_eq!(run.messages[2].tool_call_id.as_deref(), Some("c1"));
    assert_eq!(fixture.summary.skipped.len(), 1, "a row without a conversation");
    assert_eq!(Brought::of(&data("rollouts.parquet")), None, "these are results");
}

#[test]
fn a_csv_table_of_prompts_and_completions_is_read() {
    let fixture = imported(&["rollouts.csv"]);
    let labels: Vec<_> = fixture.entries().iter().map(|entry| entry.head.outcome.success).collect();
    assert_eq!(labels, [Some(true), Some(false), None]);
    assert_eq!(fixture.trajectory("a", 1).head.final_message.as_deref(), Some("5"));
    let messages = fixture.trajectory("b", 0).messages;
    let roles: Vec<Role> = messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant]);
    assert_eq!(Brought::of(&data("rollouts.csv")), None, "these are results");
}

#[test]
fn a_table_of_scores_may_number_its_trajectories() {
    let home = home();
    let path = home.path().join("scores.csv");
    fs::write(&path, "task,trajectory,mine\n0,17,0.5\n").expect("written");
    assert_eq!(Brought::of(&path), Some(Brought::Scores));
}

/// What an import of a file with this text says on stderr.
fn refused(home: &Path, name: &str, content: &str, more: &[&str]) -> String {
    fs::write(home.join(name), content).expect("written");
    let out = run(home, &[&["import", name, "-o", "s.qualm"], more].concat());
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stdout));
    assert!(!home.join("s.qualm").exists());
    text(&out.stderr)
}

#[test]
fn what_pandas_prints_for_a_list_is_explained() {
    let home = home();
    let csv = "id,messages\n1,\"[{'role': 'user', 'content': 'Hi'}]\"\n";
    let said = refused(home.path(), "x.csv", csv, &[]);
    assert!(
        said.contains("x.csv, line 2: `/messages` holds a list in Python's notation"),
        "{said}"
    );
}

#[test]
fn a_wrong_mapping_is_named_with_its_line() {
    let home = home();
    fs::write(home.path().join("m.toml"), "[run]\ntask = \"/id\"\nlabel = \"/ok\"\n")
        .expect("written");
    let said = refused(home.path(), "x.json", "{\"id\": 1}", &["--map", "m.toml"]);
    assert!(said.contains("m.toml, line 3: unknown field `label`, expected one of"), "{said}");
    assert!(said.contains("; `qualm help mapping` lists what a mapping may say"), "{said}");
    fs::write(home.path().join("m.toml"), "[records]\nat = \"/runs\"\n").expect("written");
    let said = refused(home.path(), "x.json", "{\"id\": 1}", &["--map", "m.toml"]);
    assert!(said.contains("x.json: has no record where the mapping looks for them"), "{said}");
    let said = refused(home.path(), "x.json", "{\"id\": 1}", &["--format", "map"]);
    assert!(said.contains("none is named; name one with --map"), "{said}");
}

#[test]
fn lines_of_codex_are_one_run() {
    let fixture = mapped("mapping/codex.jsonl", &documented("Codex sessions"));
    let entries = fixture.entries();
    assert_eq!(entries.len(), 1);
    let run = fixture.store().trajectory(&entries[0]).expect("a run");
    assert_eq!(run.head.action_types, ["exec_command", "message"]);
    let roles: Vec<Role> = run.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::Tool, Role::Assistant]);
    assert_eq!(run.messages[2].content.as_deref(), Some("Counting."));
    assert_eq!(run.messages[2].tool_calls[0].arguments, r#"{"cmd":"ls pots"}"#);
    assert_eq!(run.messages[3].content.as_deref(), Some("pot1 pot2"));
    assert_eq!(run.messages[3].tool_call_id.as_deref(), Some("c1"));
    assert_eq!(run.head.cell.model, "owl-7b");
    assert_eq!(run.head.origin.run_id.as_deref(), Some("c0dec0de-0000-4000-8000-000000000001"));
}

#[test]
fn files_of_known_tools_get_the_documented_mapping() {
    let known = [
        ("session.jsonl", "Claude Code sessions", "the keys type, mode, close to no format"),
        ("codex.jsonl", "Codex sessions", ", as Codex writes a session; "),
        ("spans.json", "OpenTelemetry GenAI spans", ", as OpenTelemetry exports spans; "),
    ];
    for (name, heading, words) in known {
        let home = home();
        let content = fs::read_to_string(data(&format!("mapping/{name}"))).expect("read");
        let said = refused(home.path(), name, &content, &[]);
        assert!(said.contains(words), "{said}");
        assert_eq!(printed_mapping(&said).trim(), documented(heading).trim());
    }
}

/// What the agent did in the only run of a real file, read with the mapping that its refusal prints.
fn actions_of_real(name: &str) -> Option<Vec<String>> {
    let folder = crate::real_data::folder()?;
    let home = home();
    let content = fs::read_to_string(folder.join("other").join(name)).expect("read");
    let said = refused(home.path(), name, &content, &[]);
    fs::write(home.path().join("m.toml"), printed_mapping(&said)).expect("written");
    let out = run(home.path(), &["import", name, "--map", "m.toml", "-o", "s.qualm"]);
    assert!(text(&out.stdout).contains("1 trajectory from 1 file"), "{}", text(&out.stderr));
    let entries = Store::open(&home.path().join("s.qualm")).expect("a store").entries();
    Some(entries.expect("entries")[0].head.action_types.clone())
}

#[test]
fn real_files_of_known_tools_get_a_mapping_that_fits() {
    // Counted in the files.
    let known: [(&str, &[&str]); 4] = [
        ("claude-code-session.jsonl", &["Write", "Bash", "Edit", "message"]),
        ("codex-session.jsonl", &["apply_patch", "exec_command", "message"]),
        ("otel-genai-traces.json", &["list_dir", "message"]),
        ("langsmith-export.json", &["list_dir", "message"]),
    ];
    for (name, expected) in known {
        let Some(actions) = actions_of_real(name) else { return };
        assert_eq!(actions, expected, "{name}");
    }
}

#[test]
fn an_unknown_file_gets_the_nearest_format_and_a_mapping() {
    let home = home();
    let json = r#"{"task_id": "t1", "reward": 1, "trial": 0, "steps": [{"source": "user", "text": "Go."}, {"source": "agent", "text": "Gone."}]}"#;
    let said = refused(home.path(), "x.json", json, &[]);
    assert!(said.contains("closest to tau-bench, which also has info, traj; "), "{said}");
    let lines: Vec<&str> = said.lines().skip_while(|line| !line.starts_with('[')).collect();
    let toml = lines.join("\n");
    fs::write(home.path().join("m.toml"), toml).expect("written");
    let out = run(home.path(), &["import", "x.json", "--map", "m.toml", "-o", "s.qualm"]);
    let said = text(&out.stdout);
    assert!(
        said.contains("1 trajectory from 1 file"),
        "the mapping fits: {said}{}",
        text(&out.stderr)
    );
}

/// The mapping that a refusal prints.
fn printed_mapping(said: &str) -> String {
    said.lines().skip_while(|line| !line.starts_with('[')).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_export_of_langsmith_gets_a_mapping_that_fits() {
    let home = home();
    let json = fs::read_to_string(data("mapping/langsmith.json")).expect("read");
    let said = refused(home.path(), "x.json", &json, &[]);
    assert!(said.contains(", as LangSmith exports a run; "), "{said}");
    let printed = printed_mapping(&said);
    assert_eq!(printed.trim(), documented("LangSmith").trim());
    let fixture = mapped("mapping/langsmith.json", &printed);
    let entries = fixture.entries();
    assert_eq!(entries.len(), 1);
    let run = fixture.store().trajectory(&entries[0]).expect("a run");
    assert_eq!(run.head.cell.model, "owl-7b");
    assert_eq!(run.head.action_types, ["soil", "message"]);
    let said: Vec<(Role, Option<&str>)> =
        run.messages.iter().map(|message| (message.role, message.content.as_deref())).collect();
    let expected = [
        (Role::User, Some("Water the ferns.")),
        (Role::Assistant, Some("I look.")),
        (Role::Tool, Some("dry")),
        (Role::Assistant, Some("The ferns are watered.")),
    ];
    assert_eq!(said, expected, "what later calls repeat counts once");
    assert_eq!(run.messages[1].tool_calls[0].arguments, r#"{"plant":"fern"}"#);
}

/// Every message as a line of its own, under the key of its run.
const GATHERING: &str = "[records]\nrun = \"/run\"\nskip = \"/hidden\"\n\n[run]\ntask = \"/task\"\n\
    success = \"/ok\"\n\n[[message]]\nrole = \"/role\"\ncontent = \"/text\"\n";

/// What the runs of a file say, in the order in which they are handed out.
fn handed_out(path: &Path, mapping: &Path) -> Vec<(String, Vec<String>, Option<bool>)> {
    let mapping = Some(Arc::new(Mapping::read(mapping).expect("a mapping")));
    let read = ReadOptions { reader: by_id("map"), mapping, ..ReadOptions::default() };
    let found = find_inputs(&[path.to_owned()], &read).expect("found");
    let mut runs = Vec::new();
    let notes = found.claimed[0].read(&read, &mut |record| {
        if let Record::Trajectory(run) = record {
            let said = run.messages.iter().filter_map(|message| message.content.clone()).collect();
            runs.push((run.head.origin.run_id.expect("a key"), said, run.head.outcome.success));
        }
        true
    });
    notes.expect("read");
    runs
}

#[test]
fn a_gathered_run_is_handed_out_with_its_last_record() {
    let home = home();
    let line = |run: &str, role: &str, text: &str, more: &str| {
        format!(r#"{{"run": {run}, "task": "t", "role": "{role}", "text": "{text}"{more}}}"#)
    };
    let lines = [
        line("null", "user", "before any key", ""),
        line("\"a\"", "user", "a1", r#", "ok": false"#),
        line("\"b\"", "user", "b1", ""),
        line("\"b\"", "assistant", "b2", r#", "ok": false"#),
        line("null", "user", "b3", ""),
        line("\"a\"", "assistant", "a2", r#", "ok": true"#),
        line("\"c\"", "assistant", "c1", ""),
        line("\"a\"", "user", "hidden", r#", "hidden": true"#),
    ];
    let mapping = home.path().join("m.toml");
    fs::write(&mapping, GATHERING).expect("written");
    let said = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let expected = [
        ("b".to_owned(), said(&["b1", "b2", "b3"]), Some(false)),
        ("a".to_owned(), said(&["before any key", "a1", "a2"]), Some(true)),
        ("c".to_owned(), said(&["c1"]), None),
    ];
    let forms = [
        lines.join("\n"),
        format!("[{}]", lines.join(",\n")),
        lines.join("\n").replace('{', "{\n"),
    ];
    for (index, form) in forms.iter().enumerate() {
        let path = home.path().join(format!("{index}.json"));
        fs::write(&path, form).expect("written");
        assert_eq!(handed_out(&path, &mapping), expected, "{form}");
    }
    let inside = home.path().join("inside.json");
    fs::write(&inside, format!(r#"{{"x": 1, "log": [{{"lines": [{}]}}]}}"#, lines.join(",")))
        .expect("written");
    for at in ["/log/*/lines", "/log/0/lines/*"] {
        fs::write(
            &mapping,
            GATHERING.replacen("[records]", &format!("[records]\nat = \"{at}\""), 1),
        )
        .expect("written");
        assert_eq!(handed_out(&inside, &mapping), expected, "{at}");
    }
}
