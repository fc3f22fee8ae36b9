//! What agents were given: read from every format, kept once in a store.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use qualm::import::{GivenCounts, ImportOptions, import};
use qualm::model::{
    Cell, Context, Fingerprint, Given, Head, Message, RecentContexts, Role, Trajectory,
};
use qualm::readers::{Mapping, ReadOptions, by_id};
use qualm::store::{Extras, Manifest, MergeOptions, Store, StoreWriter, check, merge};
use serde_json::{Value, json};

use crate::damage::{edit, rewrite};
use crate::support::{Imported, assert_whole, data, home, imported, run, text};

/// The tool that inputs define, in the form that a store has.
const LOOK: &str = r#"[{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"properties":{},"type":"object"}}}]"#;

/// The tool as Anthropic's API defines it.
fn look() -> Value {
    let schema = json!({"type": "object", "properties": {}});
    json!([{"name": "look", "description": "Looks.", "input_schema": schema}])
}

/// Imports a file with this content.
fn written_with(name: &str, content: &str, options: &ImportOptions) -> Imported {
    let mut imported = Imported { home: home(), summary: qualm::import::Summary::default() };
    let path = imported.home.path().join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, content).expect("written");
    imported.summary = import(&[path], &imported.path(), options, &|_| {}).expect("imported");
    assert_whole(&imported.path());
    imported
}

fn written(name: &str, content: &str) -> Imported {
    written_with(name, content, &ImportOptions::default())
}

/// What the agents of all runs were given, in the order of the store.
fn all(fixture: &Imported) -> Vec<Option<Arc<Context>>> {
    let store = fixture.store();
    let entries = fixture.entries();
    entries.iter().map(|entry| store.context(entry).expect("readable")).collect()
}

/// What the agent of the first run was given.
fn first(fixture: &Imported) -> Context {
    let context = all(fixture).remove(0).expect("a context");
    (*context).clone()
}

/// A context without a policy.
fn context(system: Option<&str>, tools: Option<&str>) -> Context {
    Context { policy: None, system: system.map(str::to_owned), tools: tools.map(str::to_owned) }
}

/// The fixture with a change.
fn changed(name: &str, change: impl FnOnce(&mut Value)) -> String {
    // As Python writes numbers that are none.
    let json = fs::read_to_string(data(name)).expect("read").replace(": NaN", ": null");
    let mut value: Value = serde_json::from_str(&json).expect("JSON");
    change(&mut value);
    value.to_string()
}

#[test]
fn tau2_has_its_policy_and_tools_once() {
    let fixture = imported(&["tau2.json"]);
    let contexts = all(&fixture);
    assert_eq!(contexts.len(), 4);
    let policy = Context { policy: Some("Be kind.".to_owned()), ..Context::default() };
    assert!(contexts.iter().all(|context| context.as_deref() == Some(&policy)));
    assert_eq!(fixture.store().contexts().expect("readable").len(), 1, "kept once");
    assert_eq!(fixture.summary.given, GivenCounts { policy: 4, system: 0, tools: 0 });

    let with_tools = changed("tau2.json", |results| {
        let schema = json!({"type": "object", "properties": {}});
        results["info"]["environment_info"]["tool_defs"] =
            json!({"look": {"name": "look", "doc": "Looks.", "params": schema, "returns": {}}});
        results["simulations"][0]["policy"] = json!("Be kinder.");
    });
    let fixture = written("tau2.json", &with_tools);
    let contexts = fixture.store().contexts().expect("readable");
    let policies: Vec<_> = contexts.iter().map(|(_, context)| context.policy.clone()).collect();
    assert_eq!(policies, [Some("Be kinder.".to_owned()), Some("Be kind.".to_owned())]);
    assert!(contexts.iter().all(|(_, context)| context.tools.as_deref() == Some(LOOK)));
    assert_eq!(fixture.summary.given, GivenCounts { policy: 4, system: 0, tools: 4 });
}

#[test]
fn the_system_prompt_stays_a_message() {
    for name in ["tau1.json", "mini/run-a", "swe-agent/shown.traj", "atif/alone.trajectory.json"] {
        let fixture = imported(&[name]);
        let store = fixture.store();
        for entry in fixture.entries() {
            let run = store.trajectory(&entry).expect("a run");
            assert_eq!(run.messages[0].role, Role::System, "{name}");
            let context = store.context(&entry).expect("readable").expect("a context");
            assert_eq!(context.system, run.messages[0].content, "{name}");
            assert_eq!((&context.policy, &context.tools), (&None, &None), "{name}");
        }
        assert_eq!(fixture.summary.given.system, fixture.summary.added, "{name}");
    }
}

#[test]
fn a_template_stands_in_for_a_system_prompt_that_is_not_recorded() {
    let mini = changed("mini/run-a/acme__tool-1/acme__tool-1.traj.json", |run| {
        run["messages"].as_array_mut().expect("a list").remove(0);
        run["info"]["config"]["agent"] = json!({"system_template": "You are {{name}}."});
    });
    let fixture = written("acme__tool-1.traj.json", &mini);
    assert_eq!(first(&fixture), context(Some("You are {{name}}."), None));
    let settings = json!({"agent": {"templates": {"system_template": "Fix it."}}});
    let swe = json!({"trajectory": [{"action": "ls", "observation": "a", "response": "I look."}],
        "history": [], "info": {}, "replay_config": settings.to_string()});
    assert_eq!(first(&written("x.traj", &swe.to_string())), context(Some("Fix it."), None));
}

#[test]
fn bfcl_has_the_last_tools_that_its_log_says_were_sent() {
    let fixture = imported(&["bfcl/runs/run-1"]);
    let open = r#"[{"type":"function","function":{"name":"open","description":"Opens a door."}}]"#;
    assert_eq!(first(&fixture), context(None, Some(open)));
    let step = |tools: Value, system: Value| {
        let sent = json!({"message": "x", "tools": tools, "system_prompt": system});
        json!([{"role": "inference_input", "content": sent}, {"role": "assistant", "content": "ok"}])
    };
    let parts = json!([{"type": "text", "text": "Be brief."}]);
    let turn = json!({"begin_of_turn_query": [{"role": "user", "content": "Hi"}],
        "step_0": step(json!([]), parts), "step_1": step(look(), json!([]))});
    let line =
        json!({"id": "multi_turn_miss_func_0", "result": [["ok", "ok"]], "inference_log": [turn]});
    let name = "result/owl/multi_turn/BFCL_v4_multi_turn_miss_func_result.json";
    let fixture = written(name, &line.to_string());
    assert_eq!(first(&fixture), context(Some("Be brief."), Some(LOOK)));
    // What was sent may be written in other ways.
    let python = json!({"begin_of_turn_query": [{"role": "system", "content": "Call."}],
        "step_0": step(json!("[{'name': 'look'}]"), Value::Null),
        "step_1": [{"role": "inference_input", "content": "[prompt]"}]});
    let line =
        json!({"id": "multi_turn_base_0", "result": [["ok", "ok"]], "inference_log": [python]});
    let name = "result/owl/multi_turn/BFCL_v4_multi_turn_base_result.json";
    assert_eq!(first(&written(name, &line.to_string())), context(Some("Call."), None));
}

#[test]
fn inspect_has_the_tools_of_the_agent_and_not_of_a_grader() {
    let log = changed("inspect.json", |log| {
        let sample = &mut log["samples"][0];
        sample["attachments"]["11112222333344445555666677778888"] = json!("Looks.");
        for event in sample["events"].as_array_mut().expect("events") {
            if event["event"] == "model" {
                event["tools"] = json!([]);
            }
            if event["output"]["choices"][0]["message"]["id"] == "g3" {
                let mut tools = look();
                tools[0]["description"] = json!("attachment://11112222333344445555666677778888");
                event["tools"] = tools;
            }
        }
    });
    let fixture = written("log.json", &log);
    let entry = fixture.entry("1", 0);
    let given = fixture.store().context(&entry).expect("readable").expect("a context");
    assert_eq!(*given, context(Some("Answer in one word."), Some(LOOK)));
}

#[test]
fn atif_has_its_tool_definitions() {
    let run = changed("atif/alone.trajectory.json", |run| {
        run["agent"]["tool_definitions"] = serde_json::from_str(LOOK).expect("JSON");
    });
    let fixture = written("a.trajectory.json", &run);
    let given = first(&fixture);
    assert_eq!(given.system.as_deref(), Some("You work in a shell."));
    let names = |tools: &str| {
        let tools: Value = serde_json::from_str(tools).expect("JSON");
        tools[0]["function"]["name"].clone()
    };
    assert_eq!(names(&given.tools.expect("defined")), "look");
}

#[test]
fn requests_have_tools_and_instructions_in_any_form() {
    let answer = json!({"choices": [{"message": {"role": "assistant", "content": "Yes."}}]});
    let asked =
        json!([{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}]);
    let chat = json!({"request": {"messages": asked, "tools": look()}, "response": answer});
    let old = json!({"request": {"messages": asked, "functions": look()}, "response": answer});
    let said = json!([{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]}]);
    let responses = json!({"object": "response", "instructions": "Be brief.", "input": "Hi",
        "tools": look(), "output": said});
    for (name, call) in [("chat", &chat), ("old", &old), ("responses", &responses)] {
        let fixture = written("calls.jsonl", &format!("{call}\n"));
        assert_eq!(first(&fixture), context(Some("Be brief."), Some(LOOK)), "{name}");
    }
    // A system prompt in parts was never a message, and the words of a run stay as they were.
    let parts = json!([{"type": "text", "text": "Be brief."}]);
    let user = json!([{"role": "user", "content": "Hi"}]);
    let anthropic = json!({"request": {"system": parts, "messages": user, "tools": look()},
        "response": {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}});
    let fixture = written("calls.jsonl", &format!("{anthropic}\n"));
    assert_eq!(first(&fixture), context(Some("Be brief."), Some(LOOK)));
    let entry = &fixture.entries()[0];
    let run = fixture.store().trajectory(entry).expect("a run");
    assert_eq!(run.messages.len(), 2);
    let print = Fingerprint::of_messages(&run.messages).value();
    assert_eq!(entry.head.fingerprint, Some(print));
}

#[test]
fn calls_of_one_conversation_have_its_last_tools() {
    let said = |role: &str, text: &str| json!({"role": role, "content": text});
    let call = |asked: Value, tools: Value, answer: &str| {
        let answer = json!({"choices": [{"message": said("assistant", answer)}]});
        json!({"request": {"messages": asked, "tools": tools}, "response": answer})
    };
    let calls = [
        call(json!([said("user", "a")]), json!([]), "b"),
        call(json!([said("user", "a"), said("assistant", "b"), said("user", "c")]), look(), "d"),
    ];
    let fixture = written("calls.jsonl", &calls.map(|call| call.to_string()).join("\n"));
    assert_eq!(fixture.entries().len(), 1);
    assert_eq!(first(&fixture), context(None, Some(LOOK)));
}

#[test]
fn rollouts_have_tools_in_the_record_or_for_all() {
    let said = json!([{"role": "system", "content": "Guess."}, {"role": "user", "content": "Go."}]);
    let record = json!({"example_id": 0, "prompt": said, "reward": 1.0,
        "completion": [{"role": "assistant", "content": "slate"}], "tool_defs": look()});
    let fixture = written("results.jsonl", &format!("{record}\n"));
    assert_eq!(first(&fixture), context(Some("Guess."), Some(LOOK)));
    let mut inside = record.clone();
    inside.as_object_mut().expect("an object").remove("tool_defs");
    inside["info"] = json!({"oai_tools": look().to_string()});
    let fixture = written("results.jsonl", &format!("{inside}\n"));
    assert_eq!(first(&fixture), context(Some("Guess."), Some(LOOK)));
    let home = home();
    let mut plain = inside.clone();
    plain.as_object_mut().expect("an object").remove("info");
    fs::write(home.path().join("results.jsonl"), format!("{plain}\n")).expect("written");
    let metadata = json!({"env_id": "wordle", "model": "owl", "tools": look()});
    fs::write(home.path().join("metadata.json"), metadata.to_string()).expect("written");
    let store = home.path().join("s.qualm");
    let results = home.path().join("results.jsonl");
    import(&[results], &store, &ImportOptions::default(), &|_| {}).expect("imported");
    let (_, given) =
        Store::open(&store).and_then(|store| store.contexts()).expect("readable").remove(0);
    assert_eq!(*given, context(Some("Guess."), Some(LOOK)));
}

#[test]
fn tables_have_columns_for_them() {
    let tools = look().to_string().replace('"', "\"\"");
    let rows = format!(
        "id,prompt,completion,tools,system_prompt\na,2+2?,4,\"{tools}\",Count.\nb,1+1?,2,,\n"
    );
    let fixture = written("rollouts.csv", &rows);
    let given = all(&fixture);
    assert_eq!(given[0].as_deref(), Some(&context(Some("Count."), Some(LOOK))));
    assert_eq!(given[1], None);
    assert_eq!(fixture.summary.given, GivenCounts { policy: 0, system: 1, tools: 1 });
}

#[test]
fn a_mapping_says_where_they_stand() {
    let home = home();
    let path = home.path().join("mapping.toml");
    let toml =
        "[run]\nmessages = \"/talk\"\nsystem = \"/setup/prompt\"\ntools = \"/setup/tools\"\n";
    fs::write(&path, toml).expect("written");
    let mapping = Some(Arc::new(Mapping::read(&path).expect("a mapping")));
    let read = ReadOptions { reader: by_id("map"), mapping, ..ReadOptions::default() };
    let options = ImportOptions { read, ..ImportOptions::default() };
    let prompt = json!([{"type": "text", "content": "Count."}]);
    let mut tools = look();
    // As a column of structs has a field that only another tool needs.
    tools[0]["input_schema"]["required"] = Value::Null;
    let talk = json!([{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]);
    let record = json!({"talk": talk, "setup": {"prompt": prompt, "tools": tools}});
    let fixture = written_with("talk.jsonl", &format!("{record}\n"), &options);
    let given = first(&fixture);
    assert_eq!(given.system.as_deref(), Some("Count."));
    let given: Value = serde_json::from_str(&given.tools.expect("defined")).expect("JSON");
    let expected: Value = serde_json::from_str(LOOK).expect("JSON");
    assert_eq!(given, expected);
}

/// A run of that number with this context.
fn run_with(number: usize, context: Option<Arc<Context>>) -> Trajectory {
    let head = Head::new(Cell::new("d", "m"), number.to_string());
    let messages = vec![Message::text(Role::Assistant, number.to_string())];
    let mut run = Trajectory::new(head, messages, |_| None);
    run.head.context = context.as_deref().map(Context::key);
    run.context = context;
    run
}

#[test]
fn contexts_are_stored_once_and_shared_when_read() {
    let home = home();
    let path = home.path().join("s.qualm");
    let mut recent = RecentContexts::default();
    let shared = recent.share(Given { policy: Some("Be kind."), ..Given::default() });
    let shared = shared.map(|(_, context)| context);
    let mut unique = |number: usize| {
        let text = format!("You are number {number}.");
        let given = Given { system: Some(&text), tools: Some("[]"), ..Given::default() };
        recent.share(given).map(|(_, context)| context)
    };
    let of = |number: usize, unique: Option<Arc<Context>>| match number % 3 {
        0 => shared.clone(),
        1 => unique,
        _ => None,
    };
    let runs: Vec<Trajectory> =
        (0..450).map(|number| run_with(number, of(number, unique(number)))).collect();
    let mut writer = StoreWriter::create(&path).expect("free");
    runs.iter().for_each(|run| writer.push(run.clone()).expect("pushed"));
    let manifest = writer.finish(Manifest::new(), &Extras::default()).expect("written");
    assert_eq!(manifest.tables["contexts"], 151);
    assert_whole(&path);

    let store = Store::open(&path).expect("open");
    let entries = store.entries().expect("entries");
    let heads: Vec<&Head> = entries.iter().map(|entry| &entry.head).collect();
    let together = store.contexts_of(&heads).expect("readable");
    for (entry, context) in entries.iter().zip(&together) {
        let number: usize = entry.head.task.parse().expect("a number");
        assert_eq!(*context, runs[number].context, "{number}");
        assert_eq!(entry.head, runs[number].head);
        assert_eq!(store.context(entry).expect("readable"), *context, "{number}");
        let read = store.trajectory(entry).expect("a run");
        assert_eq!((read.head.context, read.context), (entry.head.context, None));
    }
    let same: Vec<_> =
        together.iter().flatten().filter(|context| context.policy.is_some()).collect();
    assert_eq!(same.len(), 150);
    assert!(same.iter().all(|context| Arc::ptr_eq(context, same[0])), "loaded once");
}

/// Makes a store one of an earlier version, without contexts.
fn age(store: &Path) {
    fs::remove_file(store.join("contexts.parquet")).expect("there");
    rewrite(&store.join("trajectories.parquet"), |frame| {
        assert!(frame.column("context").is_ok());
        frame.drop("context").expect("dropped")
    });
    edit(store, |manifest| {
        manifest.as_object_mut().expect("an object").remove("files");
        let tables = manifest["tables"].as_object_mut().expect("an object");
        tables.remove("contexts").expect("listed");
    });
}

#[test]
fn a_store_of_an_earlier_version_has_no_contexts() {
    let mut fixture = imported(&["tau2.json"]);
    age(&fixture.path());
    assert_whole(&fixture.path());
    assert!(all(&fixture).iter().all(Option::is_none));
    assert!(fixture.store().contexts().expect("readable").is_empty());
    fixture.add(&["chat.jsonl"], &ImportOptions::default());
    assert_whole(&fixture.path());
    let known = all(&fixture).into_iter().flatten().count();
    assert_eq!(known as u64, fixture.summary.given.system, "only those of the new runs");
    fixture.add(&["tau2.json"], &ImportOptions::default());
    assert_whole(&fixture.path());
    let policies = all(&fixture).into_iter().flatten().filter(|context| context.policy.is_some());
    assert_eq!(policies.count(), 4, "importing again adds them");
}

#[test]
fn an_import_keeps_the_contexts_of_runs_that_stay() {
    let mut fixture = imported(&["tau2.json"]);
    fixture.add(&["chat.jsonl"], &ImportOptions::default());
    assert_whole(&fixture.path());
    let kept = all(&fixture).into_iter().flatten().filter(|context| context.policy.is_some());
    assert_eq!(kept.count(), 4);
    assert_eq!(fixture.summary.given, GivenCounts { policy: 0, system: 1, tools: 0 });
    // A context that no run has any more goes.
    let other = changed("tau2.json", |results| {
        results["info"]["environment_info"]["policy"] = json!("Be quick.");
    });
    let path = fixture.home.path().join("tau2.json");
    fs::write(&path, other).expect("written");
    import(&[path], &fixture.path(), &ImportOptions::default(), &|_| {}).expect("imported");
    assert_whole(&fixture.path());
    let contexts = fixture.store().contexts().expect("readable");
    let policies: Vec<_> =
        contexts.iter().filter_map(|(_, given)| given.policy.as_deref()).collect();
    assert_eq!(policies, ["Be quick."]);
}

#[test]
fn a_merge_leaves_them() {
    let (one, other) = (imported(&["tau2.json"]), imported(&["tau2.json"]));
    let before = all(&one);
    merge(&one.path(), &[other.store()], MergeOptions::default()).expect("merged");
    assert_eq!(all(&one), before);
    assert_whole(&one.path());
}

#[test]
fn damage_to_contexts_is_found() {
    let damaged = |change: &dyn Fn(&Path)| {
        let fixture = imported(&["tau2.json"]);
        change(&fixture.path().join("contexts.parquet"));
        let entry = fixture.entry("0", 0);
        let read = fixture.store().context(&entry).map_err(|error| error.to_string());
        (check(&fixture.path(), &|_, _| ()).join("\n"), read)
    };
    let (said, _) = damaged(&|path| {
        rewrite(path, |mut frame| {
            let names = ["system_prompt", "policy"];
            frame.rename(names[0], "x".into()).expect("renamed");
            frame.rename(names[1], names[0].into()).expect("renamed");
            frame.rename("x", names[1].into()).expect("renamed");
            frame
        });
    });
    assert!(said.contains(": the key is not that of its content"), "{said}");
    let (said, _) = damaged(&|path| {
        rewrite(path, |mut frame| {
            frame.rename("policy", "x".into()).expect("renamed");
            frame.rename("tools", "policy".into()).expect("renamed");
            frame.rename("x", "tools".into()).expect("renamed");
            frame
        });
    });
    assert!(said.contains(": the tools are no JSON list"), "{said}");
    let (said, _) = damaged(&|path| {
        rewrite(path, |frame| frame.vstack(&frame).expect("stacked"));
    });
    assert!(said.contains(": occurs twice"), "{said}");
    let (said, read) = damaged(&|path| fs::remove_file(path).expect("removed"));
    assert!(said.contains("contexts: the file is missing (1 rows were written)"), "{said}");
    assert!(said.contains("contexts: has none for trajectory 1 (3 more)"), "{said}");
    let said = read.expect_err("missing");
    assert!(said.contains("contexts.parquet") && said.contains("is missing"), "{said}");
}

#[test]
fn the_summary_and_the_runs_say_what_is_known() {
    let home = home();
    let imported = |name: &str, store: &str| {
        let out = run(home.path(), &["import", &data(name).display().to_string(), "-o", store]);
        text(&out.stdout)
    };
    let said = imported("tau2.json", "s.qualm");
    let sentence = "policy for 4, system prompt for 0, tool definitions for 0 of 4 trajectories";
    assert!(said.contains(sentence), "{said}");
    let said = imported("tau2-bare.json", "bare.qualm");
    assert!(said.contains("no policy, system prompt or tool definitions recorded"), "{said}");

    let shown = |store: &str, task: &str| -> Value {
        let out = run(home.path(), &["show", store, "--task", task, "--format", "json"]);
        serde_json::from_slice(&out.stdout).expect("JSON")
    };
    let with = shown("s.qualm", "0");
    let contexts = with["contexts"].as_array().expect("a list");
    assert_eq!(contexts.len(), 1, "both runs share it");
    assert_eq!(contexts[0]["policy"], "Be kind.");
    assert_eq!(
        (&contexts[0]["system_prompt"], &contexts[0]["tools"]),
        (&Value::Null, &Value::Null)
    );
    assert!(contexts[0]["context"].is_string());
    for pane in with["panes"].as_array().expect("a list") {
        assert_eq!(pane["context"], contexts[0]["context"]);
    }
}
