//! Turns without a score say why.

use std::path::{Path, PathBuf};

use qualm::import::{ImportOptions, import};
use qualm::model::Unscored;
use qualm::scorers::whitebox::{Base, unscored};
use qualm::store::Store;
use serde_json::{Value, json};

use crate::explorer::Driver;
use crate::support::{assert_whole, home, run, text};

/// A token as a provider sends it, with the log-probabilities of its alternatives.
fn token(text: &str, logprob: Option<f64>, alternatives: &[f64]) -> Value {
    let top = |(index, logprob)| json!({"token": format!("{text}{index}"), "logprob": logprob});
    let top: Vec<Value> = alternatives.iter().enumerate().map(top).collect();
    json!({"token": text, "logprob": logprob, "top_logprobs": top})
}

/// A turn of the agent with what the provider recorded of it; `null` for no log-probabilities.
fn turn(content: &str, calls: &[&str], logprobs: &Value) -> Value {
    let call = |name: &&str| json!({"id": "c", "name": name, "arguments": {}});
    let calls: Vec<Value> = calls.iter().map(call).collect();
    let raw = json!({"logprobs": logprobs, "message": {}});
    json!({"role": "assistant", "content": content, "tool_calls": calls, "raw_data": raw})
}

/// A turn for every reason, and one that has every score.
fn turns() -> Vec<(Value, [Option<Unscored>; 2])> {
    let sent = |tokens: &[Value]| json!({"content": tokens});
    let both = |why| [Some(why); 2];
    let hi = token("Hi", Some(-0.1), &[-0.1, -2.0]);
    let special = token("<|im_end|>", Some(-0.1), &[-0.1, -2.0]);
    vec![
        (turn("Hi", &[], &sent(std::slice::from_ref(&hi))), [None, None]),
        (turn("", &["look"], &json!({"content": null})), both(Unscored::ToolCall)),
        (turn("", &["look"], &Value::Null), both(Unscored::ToolCall)),
        (turn("Hi", &[], &Value::Null), both(Unscored::NotSent)),
        (turn("Hi", &[], &sent(&[hi, token("!", None, &[])])), both(Unscored::Incomplete)),
        (turn("", &["look"], &sent(&[special])), both(Unscored::NoAction)),
        (
            turn("Hi", &[], &sent(&[token("Hi", Some(-0.1), &[])])),
            [None, Some(Unscored::NoAlternatives)],
        ),
    ]
}

/// Results with these turns in one run, and a run without any log-probabilities.
fn results(home: &Path) -> PathBuf {
    let run = |task: &str, turns: Vec<Value>| {
        let mut messages = vec![json!({"role": "user", "content": "Please."})];
        messages.extend(turns);
        json!({"id": task, "task_id": task, "trial": 0, "termination_reason": "user_stop",
               "reward_info": {"reward": 1.0}, "messages": messages})
    };
    let silent = vec![turn("", &["look"], &Value::Null)];
    let runs = [run("7", turns().into_iter().map(|(turn, _)| turn).collect()), run("8", silent)];
    let info = json!({"agent_info": {"llm": "m", "implementation": "llm_agent"},
                      "environment_info": {"domain_name": "d"}});
    let path = home.join("results.json");
    let document = json!({"info": info, "tasks": [], "simulations": runs});
    std::fs::write(&path, document.to_string()).expect("written");
    path
}

#[test]
fn every_reason_is_known_and_kept() {
    let home = home();
    let path = home.path().join("s.qualm");
    import(&[results(home.path())], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    assert_whole(&path);
    let store = Store::open(&path).expect("a store");
    let entries = store.entries().expect("entries");
    let runs = store.trajectories(&entries).expect("runs");
    for (index, (_, expected)) in turns().into_iter().enumerate() {
        let why = [Base::Lnsp, Base::Atn].map(|base| unscored(&runs[0], index, base));
        assert_eq!(why, expected, "turn {}", index + 1);
    }
    assert_eq!(runs[0].turns[4].unscored, Some(Unscored::Incomplete), "only the reader knows");
    // Nothing says that this provider sends tokens of messages.
    assert_eq!(unscored(&runs[1], 0, Base::Lnsp), Some(Unscored::NotSent));
    let counts = &store.manifest().cells[0].unscored;
    let counts: Vec<(&str, u64)> = counts.iter().map(|(why, n)| (why.as_str(), *n)).collect();
    assert_eq!(counts, [("incomplete", 1), ("not-sent", 2), ("tool-call", 2)]);
    // Runs that are kept by a later import keep their reasons.
    let other = home.path().join("other");
    std::fs::create_dir(&other).expect("made");
    import(&[results(&other)], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    let store = Store::open(&path).expect("a store");
    let runs = store.trajectories(&store.entries().expect("entries")).expect("runs");
    let gaps = runs.iter().flat_map(|run| &run.turns);
    let gaps = gaps.filter(|turn| turn.unscored == Some(Unscored::Incomplete)).count();
    assert_eq!(gaps, 2);
}

#[test]
fn the_command_line_says_why() {
    let home = home();
    results(home.path());
    let said = text(&run(home.path(), &["import", "results.json", "-o", "s.qualm"]).stdout);
    let line = "7 turns without a white-box score: 2 native tool calls without tokens, 2 without \
                log-probabilities from the provider, 1 in which a token lacks its \
                log-probability, 1 with only reasoning or special tokens, 1 without alternatives, \
                which ATN and PM need";
    assert!(said.contains(line), "{said}");
    let show = |more: &[&str]| {
        let args = [&["show", "s.qualm", "--task", "7"][..], more].concat();
        let output = run(home.path(), &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let plain = show(&["--scorer", "atn.min"]);
    for (_, [_, why]) in turns() {
        let words = match why {
            Some(Unscored::NotSent) => "no log-probabilities".to_owned(),
            Some(why) => format!("no score ({})", why.words()),
            None => continue,
        };
        assert!(plain.contains(&words), "{words}\n{plain}");
    }
    let json: Value = serde_json::from_str(&show(&["--format", "json"])).expect("JSON");
    let mut found = Vec::new();
    collect(&json, &mut found);
    let expected: Vec<Option<String>> =
        turns().iter().map(|(_, [why, _])| why.map(|why| why.id().to_owned())).collect();
    assert_eq!(found, expected);
}

/// The reasons of all actions, in their order.
fn collect(json: &Value, found: &mut Vec<Option<String>>) {
    match json {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => {
            let is_action = fields.get("action").is_some_and(|action| !action.is_null());
            if let (true, Some(why)) = (is_action, fields.get("unscored")) {
                found.push(why.as_str().map(str::to_owned));
            }
            fields.values().for_each(|value| collect(value, found));
        }
        _ => {}
    }
}

#[test]
fn the_explorer_says_why() {
    let home = home();
    let path = home.path().join("s.qualm");
    import(&[results(home.path())], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    let mut driver = Driver::new(&path, 180, 40);
    let screen = driver.press("0");
    assert!(screen.contains("3 of 8 turns have log-probabilities"), "{screen}");
    assert!(screen.contains("2 native tool calls without tokens"), "{screen}");
    let screen = driver.press("2/7<Enter><Enter>");
    for (_, [why, _]) in turns() {
        let short = why.map_or("0.9", Unscored::short);
        assert!(screen.contains(short), "{short}\n{screen}");
    }
    assert!(screen.contains("turns without a score"), "{screen}");
    // The text of one turn has the whole reason.
    let screen = driver.press("jjjj<Enter>");
    assert!(screen.contains("no score: a token lacks its log-probability"), "{screen}");
    // Of a run without any, the head says so, and its turns have a dash.
    driver.press("<Esc>");
    let screen = driver.press("L");
    assert!(screen.contains("no log-probabilities") && screen.contains(" – look"), "{screen}");
    assert!(!screen.contains("not sent"), "{screen}");
}
