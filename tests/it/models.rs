//! Scores by chat models, asked over a real connection.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use qualm::engine::Engine;
use qualm::model::{Cell, Context, Head, Message, Role, ToolCall, Trajectory};
use qualm::scorers::Scorer;
use qualm::store::{Extras, Manifest, Store, StoreWriter};
use serde_json::{Value, json};

use crate::chat_server::{Behaviour, ChatServer, Received};
use crate::support::{assert_whole, home, imported, qualm, run, text};

const EQUIVALENT: &str = r#"{"equivalent": true, "confidence": 0.75}"#;

/// A store of tasks of the cell `d/m` with a reference and samples. Every run calls `look`, then `book` or
/// `cancel`, with arguments that no other run has.
fn store(home: &Path, tasks: usize, samples: usize) -> PathBuf {
    let path = home.join("made.qualm");
    let mut writer = StoreWriter::create(&path).expect("free");
    let call = |name: &str, id: String| {
        let arguments = json!({ "id": id }).to_string();
        let call = ToolCall { id: "c".to_owned(), name: name.to_owned(), arguments };
        Message { tool_calls: vec![call], ..Message::text(Role::Assistant, "") }
    };
    for task in 0..tasks {
        for draw in 0..=samples {
            let mut head = Head::new(Cell::new("d", "m"), task.to_string());
            head.draw = draw as u32;
            head.outcome.success = Some((task + draw) % 2 == 0);
            let second = if (task + draw) % 3 == 0 { "book" } else { "cancel" };
            let messages = vec![
                Message::text(Role::User, format!("Help me with {task}.")),
                call("look", task.to_string()),
                call(second, format!("{task}-{draw}")),
                Message::text(Role::User, "Thanks, all is well."),
            ];
            writer.push(Trajectory::new(head, messages, |_| None)).expect("pushed");
        }
    }
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    path
}

fn score(home: &Path, store: &Path, server: &ChatServer, args: &[&str]) -> Output {
    let mut command = scoring(home, store, server);
    command.args(args).output().expect("the program starts")
}

fn scoring(home: &Path, store: &Path, server: &ChatServer) -> Command {
    let mut command = qualm(home);
    command.arg("score").arg(store).args(["--base-url", &server.url()]);
    for name in ["QUALM_API_KEY", "OPENAI_API_KEY"] {
        command.env_remove(name);
    }
    command
}

fn judgments(store: &Path) -> Vec<qualm::model::Judgment> {
    Store::open(store).expect("a store").judgments().expect("judgments")
}

fn values(store: &Path, scorer: &str) -> Vec<(String, f64)> {
    let rows = Store::open(store).expect("a store").scores().expect("scores");
    let rows = rows.into_iter().filter(|row| row.scorer == scorer);
    rows.map(|row| (row.task, row.value.expect("a value"))).collect()
}

#[test]
fn a_judge_is_asked_once_for_every_pair() {
    let home = home();
    let path = store(home.path(), 3, 2);
    let server = ChatServer::start(|request, _| {
        let is_alike = request.words().matches("\"cancel\"").count() > 1;
        Behaviour::says(if is_alike {
            EQUIVALENT
        } else {
            r#"{"equivalent": false, "confidence": 1}"#
        })
    });
    let args = ["--judge-model", "owl"];
    let out = score(home.path(), &path, &server, &args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(
        text(&out.stdout).contains("ter: 6 verdicts of the judge owl"),
        "{}",
        text(&out.stdout)
    );
    assert_eq!(server.count(), 6);
    let request = &server.received()[0];
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!((&request.body["model"], &request.body["temperature"]), (&json!("owl"), &json!(0)));
    assert!(!request.words().contains("reward") && !request.words().contains("success"));
    assert_eq!(judgments(&path).len(), 6);
    assert_whole(&path);
    let engine = Engine::load(&Store::open(&path).expect("a store"), None).expect("loaded");
    assert!(engine.has_values(&Scorer::parse("ter")));
    // The answers are kept: nothing is asked twice, and another prompt is another judge.
    let again = score(home.path(), &path, &server, &args);
    assert!(again.status.success() && server.count() == 6, "{}", text(&again.stdout));
    let prompt = home.path().join("mine.txt");
    fs::write(&prompt, "Same?\n{{run_a}}\n{{run_b}}").expect("written");
    let prompt = prompt.to_str().expect("UTF-8");
    let other = score(home.path(), &path, &server, &[&args[..], &["--prompt", prompt]].concat());
    assert!(other.status.success(), "{}", text(&other.stderr));
    assert_eq!(server.count(), 12);
    let mut judges: Vec<String> = judgments(&path).into_iter().map(|row| row.judge).collect();
    judges.sort();
    judges.dedup();
    assert_eq!(judges.len(), 2);
    assert!(judges[0] == "owl" && judges[1].starts_with("owl#"), "{judges:?}");
}

#[test]
fn an_answer_that_does_not_parse_is_kept_and_counted() {
    let home = home();
    let path = store(home.path(), 5, 1);
    let answers = ["", "They are equivalent.", r#"{"equivalent": "yes"}"#, "refusal", EQUIVALENT];
    let server = ChatServer::start(move |_, number| match answers[number] {
        "refusal" => {
            Behaviour::choice(&json!({ "message": { "content": null, "refusal": "No." } }))
        }
        said => Behaviour::says(said),
    });
    let out = score(home.path(), &path, &server, &["--judge-model", "owl", "--concurrency", "1"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let said = text(&out.stdout);
    assert!(said.contains("1 verdict of the judge owl; 4 answers did not parse"), "{said}");
    let verdicts = judgments(&path);
    assert_eq!(verdicts.len(), 5);
    assert_eq!(verdicts.iter().filter(|row| row.equivalent.is_none()).count(), 4);
    let kept = fs::read_to_string(path.join("answers.jsonl")).expect("answers");
    assert!(kept.contains("They are equivalent."));
    // What does not parse now will not parse later: it is not asked again.
    score(home.path(), &path, &server, &["--judge-model", "owl"]);
    assert_eq!(server.count(), 5);
}

/// A token with alternatives.
fn token(text: &str, top: &[(&str, f64)]) -> Value {
    let top: Vec<Value> =
        top.iter().map(|(text, p)| json!({ "token": text, "logprob": p.ln() })).collect();
    json!({ "token": text, "logprob": -0.1, "top_logprobs": top })
}

#[test]
fn self_assessment_gives_three_scorers() {
    let home = home();
    let path = store(home.path(), 2, 1);
    let server = ChatServer::start(|request, _| {
        if request.body.get("logprobs").is_none() {
            return Behaviour::says(r#"{"guess": "No", "probability": 0.75}"#);
        }
        let token =
            token("TRUE", &[("TRUE", 0.5), ("True", 0.25), ("FALSE", 0.125), ("Hm", 0.0625)]);
        let message = json!({ "role": "assistant", "content": "TRUE" });
        Behaviour::choice(&json!({ "message": message, "logprobs": { "content": [token] } }))
    });
    let out = score(home.path(), &path, &server, &["--self-model", "owl"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let near = |found: Vec<(String, f64)>, wanted: f64| {
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(_, value)| (value - wanted).abs() < 1e-12), "{found:?}");
    };
    near(values(&path, "ptrue"), 0.75);
    near(values(&path, "ptrue-normalised"), 6.0 / 7.0);
    near(values(&path, "vc"), 0.25);
    let said = text(&out.stdout);
    assert!(said.contains("12.5% of the mass on neither TRUE nor FALSE"), "{said}");
    assert!(said.contains("2 runs asked about without the policy"), "{said}");
    // The run ends before what followed the agent's last action.
    let words = server.received()[0].words();
    assert!(words.contains("\"tool\":\"look\"") && words.contains("(not recorded)"), "{words}");
    assert!(!words.contains("all is well"), "{words}");
    assert_whole(&path);
}

#[test]
fn next_actions_are_compared_with_those_taken() {
    let home = home();
    let path = store(home.path(), 1, 0);
    // The reference calls look, then book. Of five samples at each turn, some agree.
    let server = ChatServer::start(|request, number| {
        let turn = request.body["messages"].as_array().map_or(0, Vec::len);
        let before = if turn > 2 { "book" } else { "look" };
        let name = match number % 5 {
            0 => return Behaviour::says("Shall I?"),
            1 => "other",
            _ => before,
        };
        let call = json!({ "id": "x", "type": "function", "function": { "name": name, "arguments": "{}" } });
        Behaviour::choice(&json!({ "message": { "content": null, "tool_calls": [call] } }))
    });
    let args = ["--self-model", "owl", "--scorers", "prefix", "--concurrency", "1"];
    let out = score(home.path(), &path, &server, &args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(server.count(), 10);
    let value = |scorer: &str| values(&path, scorer)[0].1;
    assert!((value("prefix-type-mean") - 0.8).abs() < 1e-12);
    assert!((value("prefix-type-min") - 0.8).abs() < 1e-12);
    assert!((value("prefix-name-mean") - 0.6).abs() < 1e-12);
    assert!((value("prefix-tool-mean") - 0.6).abs() < 1e-12);
    let requests = server.received();
    assert_eq!(requests[0].body["temperature"], 0.7);
    // The tools were not recorded: those that the runs call stand in for them.
    let names: Vec<&str> = requests[0].body["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["function"]["name"].as_str())
        .collect();
    assert_eq!(names, ["book", "look"]);
}

#[test]
fn only_turns_with_calls_count_for_the_agreement_of_calls() {
    let home = home();
    let path = home.path().join("made.qualm");
    let mut writer = StoreWriter::create(&path).expect("free");
    let call = |name: &str| {
        let (id, name, arguments) = ("c".to_owned(), name.to_owned(), "{}".to_owned());
        let call = ToolCall { id, name, arguments };
        Message { tool_calls: vec![call], ..Message::text(Role::Assistant, "") }
    };
    let messages = vec![
        Message::text(Role::User, "Help me."),
        call("look"),
        Message::text(Role::Assistant, "Which one?"),
        Message::text(Role::User, "The first."),
        call("look"),
    ];
    let head = Head::new(Cell::new("d", "m"), "1");
    writer.push(Trajectory::new(head, messages, |_| None)).expect("pushed");
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    // Whatever the agent did, the model calls `look`.
    let server = ChatServer::start(|_, _| {
        let call = json!({ "type": "function", "function": { "name": "look", "arguments": "{}" } });
        Behaviour::choice(&json!({ "message": { "content": null, "tool_calls": [call] } }))
    });
    let args = ["--self-model", "owl", "--scorers", "prefix", "--repeats", "2"];
    let out = score(home.path(), &path, &server, &args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for (scorer, expected) in [
        ("prefix-tool-mean", 1.0),
        ("prefix-name-mean", 2.0 / 3.0),
        ("prefix-name-min", 0.0),
        ("prefix-type-mean", 2.0 / 3.0),
        ("prefix-type-min", 0.0),
    ] {
        let value = values(&path, scorer)[0].1;
        assert!((value - expected).abs() < 1e-12, "{scorer} {value}");
    }
}

#[test]
fn what_the_agent_was_given_is_part_of_the_question() {
    let home = home();
    let path = home.path().join("made.qualm");
    let mut writer = StoreWriter::create(&path).expect("free");
    let tools = json!([{ "type": "function", "function": { "name": "unbook" } }]);
    let context = Context {
        policy: Some("Never book twice.".to_owned()),
        system: None,
        tools: Some(tools.to_string()),
    };
    let messages = [(Role::User, "Help me."), (Role::Assistant, "Done.")];
    let messages = messages.map(|(role, words)| Message::text(role, words)).to_vec();
    let run = Trajectory::new(Head::new(Cell::new("d", "m"), "1"), messages, |_| None);
    writer.push(Trajectory { context: Some(Arc::new(context)), ..run }).expect("pushed");
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    let server =
        ChatServer::start(|_, _| Behaviour::says(r#"{"guess": "Yes", "probability": 0.5}"#));
    let request = r#"{"max_tokens": null, "seed": 7}"#;
    let args = ["--self-model", "owl", "--scorers", "vc,prefix", "--repeats", "1"];
    let out = score(home.path(), &path, &server, &[&args[..], &["--request", request]].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(!text(&out.stdout).contains("without the policy"), "{}", text(&out.stdout));
    let requests = server.received();
    assert_eq!(requests.len(), 2);
    for request in &requests {
        let body = &request.body;
        assert!(body["messages"].to_string().contains("Never book twice."), "{body}");
        assert!(body.get("max_tokens").is_none() && body["seed"] == 7, "{body}");
        // The model is given the tools to act, and only shown them to judge what it did.
        let is_acting = body.get("tools").is_some();
        assert_eq!(is_acting.then(|| &body["tools"]), is_acting.then_some(&tools));
        let shown = body["messages"].to_string().contains("unbook");
        assert!(is_acting || shown, "{body}");
    }
    assert_eq!(requests.iter().filter(|request| request.body.get("tools").is_some()).count(), 1);
}

#[test]
fn only_failures_in_a_row_end_the_run() {
    let home = home();
    let path = store(home.path(), 30, 1);
    let failure = || Behaviour::json(500, &json!({ "error": { "message": "oops" } }));
    let args = ["--judge-model", "owl", "--retries", "0", "--concurrency", "1"];
    let mostly =
        ChatServer::start(
            move |_, number| {
                if number % 10 == 9 { Behaviour::says(EQUIVALENT) } else { failure() }
            },
        );
    let out = score(home.path(), &path, &mostly, &args);
    assert_eq!((mostly.count(), judgments(&path).len()), (30, 3), "{}", text(&out.stderr));
    let always = ChatServer::start(move |_, _| failure());
    let out = score(home.path(), &path, &always, &args);
    assert_eq!(always.count(), 10);
    assert!(text(&out.stderr).contains("10 questions in a row"), "{}", text(&out.stderr));
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    let home = home();
    let path = store(home.path(), 1, 1);
    let server = ChatServer::start(|_, number| match number {
        0 => Behaviour::Answer(429, vec![("retry-after", "0".to_owned())], b"slow down".to_vec()),
        1 => Behaviour::json(500, &json!({ "error": { "message": "oops" } })),
        2 => Behaviour::CutShort(br#"{"choices": [{"message""#.to_vec()),
        3 => Behaviour::Hang,
        4 => Behaviour::Answer(
            200,
            vec![("content-type", "text/html".to_owned())],
            b"<html>".to_vec(),
        ),
        5 => Behaviour::Answer(
            200,
            Vec::new(),
            br#"{"choices": [{"message": {"content": ""#.to_vec(),
        ),
        _ => Behaviour::says(EQUIVALENT),
    });
    let args = ["--judge-model", "owl", "--timeout", "0.5"];
    let out = score(home.path(), &path, &server, &args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(server.count(), 7);
    assert_eq!(judgments(&path)[0].equivalent, Some(true));
}

#[test]
fn what_cannot_work_ends_the_run_with_a_sentence() {
    let home = home();
    let path = store(home.path(), 30, 1);
    let elsewhere = ChatServer::start(|_, _| Behaviour::says(EQUIVALENT));
    let target = elsewhere.url();
    let cases: Vec<(Behaviour, &str)> = vec![
        (
            Behaviour::json(401, &json!({ "error": { "message": "bad key" } })),
            "check the environment variable",
        ),
        (Behaviour::json(404, &json!({ "error": "no such model" })), "check the name of the model"),
        (
            Behaviour::Answer(307, vec![("location", target)], Vec::new()),
            "redirects elsewhere (307)",
        ),
        (
            Behaviour::json(
                429,
                &json!({ "error": { "code": "insufficient_quota", "message": "pay" } }),
            ),
            "no credit left",
        ),
    ];
    for (behaviour, sentence) in cases {
        let Behaviour::Answer(status, headers, body) = behaviour else { unreachable!() };
        let server =
            ChatServer::start(move |_, _| Behaviour::Answer(status, headers.clone(), body.clone()));
        let mut command = scoring(home.path(), &path, &server);
        let command = command.args(["--judge-model", "owl", "--concurrency", "2"]);
        let out = command.env("QUALM_API_KEY", "sk-1").output().expect("the program starts");
        assert_eq!(out.status.code(), Some(1), "{sentence}");
        assert!(text(&out.stderr).contains(sentence), "{}", text(&out.stderr));
        assert!(server.count() <= 2, "{sentence}: {} calls", server.count());
    }
    assert_eq!(elsewhere.count(), 0);
    assert!(judgments(&path).is_empty());
}

#[test]
fn without_log_probabilities_there_is_no_number() {
    let home = home();
    let path = store(home.path(), 2, 0);
    let server = ChatServer::start(|_, _| Behaviour::says("TRUE"));
    let args = ["--self-model", "owl", "--scorers", "ptrue"];
    let out = score(home.path(), &path, &server, &args);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("sends no log-probabilities"), "{}", text(&out.stderr));
    assert!(values(&path, "ptrue").is_empty());
}

#[test]
fn tokens_that_are_no_text_do_no_harm() {
    let home = home();
    let path = store(home.path(), 1, 0);
    let server = ChatServer::start(|_, _| {
        let mut body = br#"{"choices": [{"message": {"content": "TRUE"}, "logprobs": {"content":
            [{"token": "TRUE", "logprob": -0.7, "top_logprobs": [{"token": ""#
            .to_vec();
        body.extend([0xf0, 0x9f]);
        body.extend_from_slice(
            br#"", "logprob": -1.0}, {"token": "FALSE", "logprob": -3.0}]}]}}]}"#,
        );
        Behaviour::Answer(200, Vec::new(), body)
    });
    let out = score(home.path(), &path, &server, &["--self-model", "owl", "--scorers", "ptrue"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    // The chosen token is outside the list, and counts.
    assert!((values(&path, "ptrue")[0].1 - (-0.7f64).exp()).abs() < 1e-12);
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_planted_key_is_found_nowhere() {
    const PLANTED: &str = "sk-planted-7f3a";
    let home = home();
    let path = store(home.path(), 4, 1);
    // A careless server repeats the key in answers and errors.
    let server = ChatServer::start(|request, number| {
        let key = request.header("authorization").unwrap_or_default().to_owned();
        match number {
            0 => Behaviour::says(&format!("Your key is {key}.")),
            1 => Behaviour::json(400, &json!({ "error": { "message": format!("{key} is odd") } })),
            2 => Behaviour::says(EQUIVALENT),
            _ => Behaviour::json(401, &json!({ "error": { "message": format!("bad {key}") } })),
        }
    });
    let mut outputs = Vec::new();
    for args in
        [&["--dry-run"][..], &["--concurrency", "1", "--progress", "json"], &["--concurrency", "1"]]
    {
        let mut command = scoring(home.path(), &path, &server);
        command.args(["--judge-model", "owl"]).args(args).env("QUALM_API_KEY", PLANTED);
        command.env("RUST_BACKTRACE", "full");
        let out = command.output().expect("the program starts");
        outputs.push(text(&out.stdout) + &text(&out.stderr));
    }
    assert_eq!(server.received()[0].header("authorization"), Some("Bearer sk-planted-7f3a"));
    assert!(outputs[1].contains("[key]"), "{}", outputs[1]);
    for output in &outputs {
        assert!(!output.contains("planted"), "{output}");
    }
    for file in files(home.path()) {
        let bytes = fs::read(&file).expect("read");
        let found = bytes.windows(7).any(|window| window == b"planted");
        assert!(!found, "{}", file.display());
    }
    // No key goes to a host that it is not for.
    let other = ChatServer::start(|_, _| Behaviour::says(EQUIVALENT));
    let model = format!("owl@{}", other.url().replace("127.0.0.1", "localhost"));
    let mut command = scoring(home.path(), &path, &server);
    command.args(["--judge-model", &model]).env("QUALM_API_KEY", PLANTED);
    command.output().expect("the program starts");
    assert!(other.received().iter().all(|request| request.header("authorization").is_none()));
}

#[test]
fn nothing_is_asked_in_a_dry_run_and_not_more_than_allowed() {
    let home = home();
    let path = store(home.path(), 6, 1);
    let server = ChatServer::start(|_, _| Behaviour::says(EQUIVALENT));
    fs::create_dir_all(home.path().join("config/qualm")).expect("made");
    let config = "[prices.owl]\ninput = 10000.0\noutput = 0.0\n";
    fs::write(home.path().join("config/qualm/config.toml"), config).expect("written");
    let dry = score(home.path(), &path, &server, &["--judge-model", "owl", "--dry-run"]);
    assert!(text(&dry.stdout).contains("ter: 6 calls to owl, about"), "{}", text(&dry.stdout));
    assert_eq!(server.count(), 0);
    let limited = score(home.path(), &path, &server, &["--judge-model", "owl", "--limit", "2"]);
    assert!(text(&limited.stdout).contains("ended at --limit"), "{}", text(&limited.stdout));
    assert_eq!((server.count(), judgments(&path).len()), (2, 2));
    let unknown = score(home.path(), &path, &server, &["--judge-model", "crow", "--budget", "1"]);
    assert!(
        text(&unknown.stderr).contains("the price of `crow` is unknown"),
        "{}",
        text(&unknown.stderr)
    );
    let before = server.count();
    let offline = score(home.path(), &path, &server, &["--judge-model", "owl", "--from-answers"]);
    assert!(offline.status.success() && server.count() == before);
}

#[test]
fn a_budget_is_not_exceeded_whatever_the_server_counts() {
    for (tokens_per_byte, expected) in [(1.0, 2), (0.1, 6)] {
        let home = home();
        let path = store(home.path(), 6, 1);
        let server = ChatServer::start(move |request, _| {
            let bytes = request.body.to_string().len() as f64;
            let tokens = (bytes * tokens_per_byte).round() as u64;
            let choice = json!({ "message": { "content": EQUIVALENT } });
            let usage = json!({ "prompt_tokens": tokens, "completion_tokens": 0 });
            Behaviour::json(200, &json!({ "choices": [choice], "usage": usage }))
        });
        fs::create_dir_all(home.path().join("config/qualm")).expect("made");
        let config = "[prices.owl]\ninput = 1000000.0\noutput = 0.0\n";
        fs::write(home.path().join("config/qualm/config.toml"), config).expect("written");
        let within = |amount: f64| {
            let amount = amount.to_string();
            let args = ["--judge-model", "owl", "--budget", &amount, "--concurrency", "1"];
            text(&score(home.path(), &path, &server, &args).stdout)
        };
        // A token costs 1. A question that nobody has counted may have a token for every byte.
        let said = within(1000.0);
        assert!(said.contains("ended at --budget") && server.count() == 0, "{said}");
        let dry = score(home.path(), &path, &server, &["--judge-model", "owl", "--limit", "1"]);
        assert!(dry.status.success() && server.count() == 1);
        let bytes = server.received()[0].body.to_string().len() as f64;
        let said = within(1.5 * bytes);
        assert_eq!(server.count(), expected, "{said}");
        assert_eq!(said.contains("ended at --budget"), expected < 6, "{said}");
    }
}

#[test]
fn verdicts_can_be_computed_again_from_the_answers() {
    let home = home();
    let path = store(home.path(), 3, 1);
    let server = ChatServer::start(|_, _| Behaviour::says(EQUIVALENT));
    score(home.path(), &path, &server, &["--judge-model", "owl"]);
    let before = judgments(&path);
    fs::remove_file(path.join("judgments.parquet")).expect("removed");
    let manifest = fs::read_to_string(path.join("manifest.json")).expect("a manifest");
    let mut manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    for list in ["tables", "files"] {
        manifest[list].as_object_mut().expect("a list").remove("judgments");
    }
    fs::write(path.join("manifest.json"), manifest.to_string()).expect("written");
    assert!(judgments(&path).is_empty());
    score(home.path(), &path, &server, &["--judge-model", "owl", "--from-answers"]);
    assert_eq!((judgments(&path), server.count()), (before, 3));
}

#[test]
fn values_of_another_prompt_are_never_mixed() {
    let home = home();
    let path = store(home.path(), 3, 0);
    let server =
        ChatServer::start(|_, _| Behaviour::says(r#"{"guess": "Yes", "probability": 0.5}"#));
    let args = ["--self-model", "owl", "--scorers", "vc"];
    score(home.path(), &path, &server, &args);
    assert_eq!(values(&path, "vc").len(), 3);
    let prompt = home.path().join("mine.txt");
    fs::write(&prompt, "Done? {{transcript}}").expect("written");
    let prompt = prompt.to_str().expect("UTF-8").to_owned();
    let other = [&args[..], &["--prompt", &prompt, "--limit", "1"]].concat();
    let refused = score(home.path(), &path, &server, &other);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("3 values of `vc`"), "{}", text(&refused.stderr));
    assert_eq!((server.count(), values(&path, "vc").len()), (3, 3));
    let replaced = score(home.path(), &path, &server, &[&other[..], &["--replace"]].concat());
    assert!(replaced.status.success(), "{}", text(&replaced.stderr));
    assert_eq!(values(&path, "vc").len(), 1);
    // The old answers are still there.
    score(home.path(), &path, &server, &[&args[..], &["--replace"]].concat());
    assert_eq!((server.count(), values(&path, "vc").len()), (4, 3));
}

#[test]
fn a_transcript_does_not_talk_the_judge_into_a_verdict() {
    let imported = imported(&["tau2.json"]);
    let path = imported.path();
    let server = ChatServer::start(|_, _| Behaviour::says(EQUIVALENT));
    score(imported.home.path(), &path, &server, &["--judge-model", "owl"]);
    assert!(server.count() > 0);
    for request in server.received() {
        let words = request.words();
        let start = words.find("<<<BEGIN RUN A ").expect("a mark");
        let mark: String = words[start + 15..].chars().take_while(|c| *c != '>').collect();
        // The number of the marks stands in the marks alone.
        assert_eq!(words.matches(&mark).count(), 4);
        let inside = words.split(&format!("RUN A {mark}>>>\n")).nth(1).expect("a transcript");
        let inside = inside.split("\n<<<END").next().expect("an end");
        for line in inside.lines() {
            let line: Value = serde_json::from_str(line).expect("every line of a run is JSON");
            assert!(line["from"].is_string());
        }
    }
}

#[test]
fn half_of_the_pairs_are_shown_in_the_other_order() {
    let home = home();
    let path = store(home.path(), 40, 1);
    let server = ChatServer::start(|_, _| Behaviour::says(EQUIVALENT));
    let first = |request: &Received| {
        let words = request.words();
        let run = words.split("<<<BEGIN RUN A").nth(1).expect("run A").to_owned();
        run.split("<<<END").next().expect("an end").contains("book")
    };
    score(home.path(), &path, &server, &["--judge-model", "owl"]);
    let plain = server.received().iter().filter(|request| first(request)).count();
    score(home.path(), &path, &server, &["--judge-model", "owl", "--swap"]);
    let swapped = server.received()[40..].iter().filter(|request| first(request)).count();
    // Those that are not swapped are the same questions, and have an answer.
    let other = server.count() - 40;
    assert!((10..=30).contains(&other), "{other} of 40 are swapped");
    assert_ne!(plain, swapped);
}

#[test]
fn a_second_process_is_refused() {
    let home = home();
    let path = store(home.path(), 1, 1);
    let is_free = Arc::new(AtomicBool::new(false));
    let gate = is_free.clone();
    let server = ChatServer::start(move |_, _| {
        while !gate.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        Behaviour::says(EQUIVALENT)
    });
    let mut command = scoring(home.path(), &path, &server);
    command.args(["--judge-model", "owl"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut first = command.spawn().expect("the program starts");
    assert!(server.wait_for(1));
    let second = score(home.path(), &path, &server, &["--judge-model", "owl"]);
    assert_eq!(second.status.code(), Some(1));
    assert!(text(&second.stderr).contains("another qualm is scoring this store"));
    is_free.store(true, Ordering::Relaxed);
    assert!(first.wait().expect("ended").success());
    assert_eq!(judgments(&path).len(), 1);
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_answered() {
    let home = home();
    let path = store(home.path(), 60, 1);
    let server = ChatServer::start(|_, _| Behaviour::says(EQUIVALENT));
    let mut command = scoring(home.path(), &path, &server);
    command.args(["--judge-model", "owl", "--concurrency", "2", "--rate", "600"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    assert!(server.wait_for(5));
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.expect("kill").success());
    let out = child.wait_with_output().expect("ended");
    assert_eq!(out.status.code(), Some(130));
    assert!(text(&out.stdout).contains("ended early"), "{}", text(&out.stdout));
    assert_eq!(judgments(&path).len(), server.count());
    assert!(server.count() < 60);
    assert_whole(&path);
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    const CALLS: usize = 500;
    const KILLS: usize = 20;
    const AT_A_TIME: usize = 4;
    let home = home();
    let path = store(home.path(), CALLS / 5, 5);
    let server = ChatServer::start(|_, _| Behaviour::says(EQUIVALENT));
    let args = ["--judge-model", "owl", "--concurrency", "4"];
    for _ in 0..KILLS {
        let mut command = scoring(home.path(), &path, &server);
        command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
        let wanted = server.count() + 20;
        let mut child = command.spawn().expect("the program starts");
        assert!(server.wait_for(wanted), "{} of {wanted}", server.count());
        child.kill().expect("killed");
        child.wait().expect("ended");
    }
    let out = score(home.path(), &path, &server, &args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let mut asked: HashMap<String, usize> = HashMap::new();
    for request in server.received() {
        *asked.entry(request.body.to_string()).or_default() += 1;
    }
    assert!(server.count() <= CALLS + KILLS * AT_A_TIME, "{}", server.count());
    assert!(asked.values().all(|count| *count <= 1 + KILLS));
    assert_eq!(judgments(&path).len(), CALLS);
    assert_whole(&path);
}

#[test]
fn mistakes_in_flags_are_explained() {
    let home = home();
    let path = store(home.path(), 1, 1);
    let path = path.to_str().expect("UTF-8");
    for (args, sentence) in [
        (&["--dry-run"][..], "--judge-model or --self-model"),
        (&["--judge-model", "owl", "--base-url", "localhost:8080"], "is not an address"),
        (
            &["--judge-model", "owl", "--base-url", "http://me:pw@localhost"],
            "keys come from the environment",
        ),
        (&["--self-model", "crow=owl"], "the store has no model `crow`; it has m"),
        (&["--judge-model", "owl", "--cell", "d/crow"], "the store has no cell `d/crow`"),
        (&["--judge-model", "owl", "--prompt", "/nowhere"], "cannot be read"),
        (&["--judge-model", "owl", "--request", "{\"n\": 2}"], "which qualm sets"),
    ] {
        let out = run(home.path(), &[&["score", path], args].concat());
        assert!(!out.status.success(), "{args:?}");
        let said = text(&out.stderr);
        assert!(said.contains(sentence) && !said.contains("pw"), "{args:?}: {said}");
    }
}
