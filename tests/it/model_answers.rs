//! The side pane of Compare shows what models answered about the runs on screen.

use std::path::{Path, PathBuf};

use qualm::model::Cell;
use qualm::store::{Answer, AnswerLog, Store};
use serde_json::{Value, json};

use crate::explorer::Driver;
use crate::support::{Draw, assert_whole, home, made, run, text, verdict};

/// Two tasks of a reference and two samples; the references call `look`, then `book`.
fn store(home: &Path) -> PathBuf {
    let draw = |actions: &[&'static str]| Draw {
        success: Some(true),
        db_match: None,
        actions: actions.to_vec(),
    };
    let task =
        |last| vec![draw(&["look", "book"]), draw(&["look", "cancel"]), draw(&["ask", last])];
    // Judges disagree, so that there are pairs to vote on.
    let judged =
        [1, 2].map(|draw| ["owl", "bat"].map(|name| verdict(name, 0, draw, Some(name == "owl"))));
    made(home, &[task("wait"), task("leave")], judged.concat())
}

/// The fingerprint of a run of the task `0`, as answers keep it.
fn print(path: &Path, draw: u32) -> String {
    let entries = Store::open(path).expect("a store").entries().expect("entries");
    let of_draw = |entry: &&qualm::store::Entry| entry.head.task == "0" && entry.head.draw == draw;
    let head = &entries.iter().find(of_draw).expect("a run").head;
    format!("{:016x}", head.fingerprint.expect("a fingerprint"))
}

fn said(words: &str) -> Value {
    json!({ "message": { "content": words } })
}

fn called(name: &str) -> Value {
    json!({ "message": { "tool_calls": [{ "function": { "name": name, "arguments": "{}" } }] } })
}

/// Adds answers of the task `0`. The draws that they name are not those of the runs.
fn answer(path: &Path, question: &str, runs: &[&str], turn: Option<u32>, answers: &[Value]) {
    let mut log = AnswerLog::begin(path).expect("free");
    for (repeat, answer) in (0..).zip(answers) {
        let kept = Answer {
            time: 1_790_000_000,
            key: format!("{question} {runs:?} {turn:?} {repeat}"),
            question: question.to_owned(),
            cell: Cell::new("d", "m"),
            task: "0".to_owned(),
            draw: 9,
            other: None,
            turn,
            repeat,
            runs: runs.iter().map(|&run| run.to_owned()).collect(),
            asked: "owl".to_owned(),
            prompt: "0123456789abcdef".to_owned(),
            answer: answer.clone(),
            tokens: None,
        };
        log.add(&kept).expect("written");
    }
}

/// All of the side pane, on one line per row of text.
fn side(driver: &mut Driver) -> String {
    let comparison = driver.comparison();
    let sections = driver.panel().side(&comparison, driver.shared());
    let lines = sections.iter().flat_map(|section| {
        std::iter::once(section.title.clone()).chain(section.lines.iter().cloned())
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn answers_are_shown_beside_the_turn_and_the_pair() {
    let home = home();
    let path = store(home.path());
    let [reference, first, second] = [0, 1, 2].map(|draw| print(&path, draw));
    let next = ["book", "book", "other"].map(called);
    answer(&path, "prefix", &[&reference], Some(1), &[&next[..], &[said("Shall I?")]].concat());
    let probable = json!({ "token": "TRUE", "logprob": 0.8f64.ln(),
        "top_logprobs": [{ "token": "TRUE", "logprob": 0.8f64.ln() },
                         { "token": "FALSE", "logprob": 0.1f64.ln() }] });
    let truth = json!({ "message": { "content": "TRUE\u{1b}[31m" },
                        "logprobs": { "content": [probable] } });
    answer(&path, "ptrue", &[&reference], None, &[truth]);
    answer(&path, "vc", &[&reference], None, &[said(r#"{"guess": "No", "probability": 0.75}"#)]);
    // The judge saw the runs in the other order.
    let words = said(r#"{"equivalent": false, "confidence": 0.6, "why": "one cancels"}"#);
    answer(&path, "ter", &[&first, &reference], None, &[words]);
    answer(&path, "ter", &[&reference, &second], None, &[said("They differ.")]);
    let mut driver = Driver::new(&path, 160, 60);
    driver.press("2g<Enter>O");
    let text = side(&mut driver);
    assert!(!text.contains("sampled again"), "none was sampled at the first turn\n{text}");
    for expected in [
        "what the agent's model says of reference\nP(True) .80, normalised .89, by owl",
        "VC .25, by owl\n  “{\"guess\": \"No\", \"probability\": 0.75}”",
        "what judges wrote about reference and sample 1\nowl ≢ different, confidence .60",
        "one cancels",
    ] {
        assert!(text.contains(expected), "{expected}\n\n{text}");
    }
    let screen = driver.press("O");
    assert!(screen.contains("TRUE␛[31m"), "control characters are marked\n{screen}");
    driver.press("j");
    let text = side(&mut driver);
    let expected = "next actions of turn 2, sampled again\n2 × book, 1 × other, 1 × message (by owl)\n\
                    taken was book: 2 of 4 agree in name, 3 of 4 in type";
    assert!(text.contains(expected), "{text}");
    // Another draw in the second pane: the judge's words on that pair.
    driver.press("<Tab>>");
    let text = side(&mut driver);
    let expected = "what judges wrote about reference and sample 2\n\
                    verdict of owl: ? did not parse and counts for nothing: ";
    assert!(text.contains(expected) && text.contains("They differ."), "{text}");
    assert!(!text.contains("one cancels"), "{text}");
    // The other task has runs with the same words, and nobody asked about them.
    driver.press("L");
    let text = side(&mut driver);
    assert!(!text.contains("by owl") && !text.contains("wrote"), "{text}");
}

/// A store with an answer to every kind of question about the task `0`.
fn asked(home: &Path) -> PathBuf {
    let path = store(home);
    let [reference, first, _] = [0, 1, 2].map(|draw| print(&path, draw));
    let next = [called("book"), called("other"), said("Shall I?"), said("")];
    answer(&path, "prefix", &[&reference], Some(1), &next);
    let probable = json!({ "token": "TRUE", "logprob": 0.8f64.ln(),
        "top_logprobs": [{ "token": "TRUE", "logprob": 0.8f64.ln() },
                         { "token": "FALSE", "logprob": 0.1f64.ln() }] });
    let truth = json!({ "message": { "content": "TRUE\u{1b}[31m" },
                        "logprobs": { "content": [probable] } });
    answer(&path, "ptrue", &[&reference], None, &[truth]);
    answer(&path, "vc", &[&reference], None, &[said("Perhaps.")]);
    let words = said("{\"equivalent\": false, \"confidence\": 0.6}");
    answer(&path, "ter", &[&first, &reference], None, &[words]);
    path
}

fn shown(home: &Path, store: &str, task: &str, more: &[&str]) -> String {
    let args = [&["show", store, "--task", task, "--draws", "0,1"], more].concat();
    let out = run(home, &args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    text(&out.stdout)
}

#[test]
fn show_prints_the_answers_beside_turns_runs_and_pairs() {
    let home = home();
    asked(home.path());
    let printed = shown(home.path(), "made.qualm", "0", &[]);
    for expected in [
        "0│   next actions, sampled again:\n0│     1 × book, 1 × other, 1 × message (by owl)\n\
         0│     taken was book: 1 of 3 agree in name, 2 of 3 in type\n\
         0│     1 of owl did not parse and count for nothing: the answer is empty\n",
        "0│ the agent's model says:\n0│   P(True) 0.800, normalised 0.889, by owl\n0│     “TRUE␛[31m”\n\
         0│   VC of owl: ? did not parse and counts for nothing: ",
        "0│     “Perhaps.”\n",
        "judges wrote about 0–1:\n  owl ≢ different, confidence 0.600\n    \
         “{\"equivalent\": false, \"confidence\": 0.6}”\n",
    ] {
        assert!(printed.contains(expected), "{expected}\n\n{printed}");
    }
    assert!(!printed.contains("1│   next actions"), "{printed}");
    let printed = shown(home.path(), "made.qualm", "0", &["--format", "md"]);
    for expected in [
        "\nnext actions, sampled again:\n\n```\n1 × book",
        "\nWhat the agent's model says of `0`:\n\n```\nP(True) 0.800",
        "\nWhat judges wrote about `0` and `1`:\n\n```\nowl ≢ different",
    ] {
        assert!(printed.contains(expected), "{expected}\n\n{printed}");
    }
    // Nobody asked about the other task, whose runs have the same words.
    let printed = shown(home.path(), "made.qualm", "1", &[]);
    assert!(!printed.contains("owl ≢") && !printed.contains("by owl"), "{printed}");
}

#[test]
fn show_has_the_answers_in_json() {
    let home = home();
    asked(home.path());
    let printed = shown(home.path(), "made.qualm", "0", &["--format", "json"]);
    let whole: Value = serde_json::from_str(&printed).expect("JSON");
    let assessed = &whole["panes"][0]["self_assessment"];
    assert_eq!(assessed.as_array().map(Vec::len), Some(2), "{assessed}");
    assert_eq!(assessed[0]["question"], "ptrue");
    assert!((assessed[0]["on_true"].as_f64().expect("a number") - 0.8).abs() < 1e-12);
    assert!((assessed[0]["on_false"].as_f64().expect("a number") - 0.1).abs() < 1e-12);
    assert_eq!(
        (&assessed[0]["answer"], &assessed[0]["unparsed"]),
        (&json!("TRUE\u{1b}[31m"), &Value::Null)
    );
    assert_eq!(
        (&assessed[1]["answer"], &assessed[1]["confidence"]),
        (&json!("Perhaps."), &Value::Null)
    );
    assert!(assessed[1]["unparsed"].as_str().is_some_and(|why| why.contains("JSON object")));
    assert_eq!(whole["panes"][1]["self_assessment"], json!([]));
    let expected = json!([{ "question": "ter", "asked": "owl", "prompt": "0123456789abcdef",
        "answer": "{\"equivalent\": false, \"confidence\": 0.6}", "unparsed": null,
        "equivalent": false, "confidence": 0.6 }]);
    assert_eq!(whole["pairs"][0]["judged"], expected);
    let cells = whole["rows"].as_array().expect("rows").iter().map(|row| &row["cells"][0]);
    let cell = cells.clone().find(|cell| cell["turn"] == 2).expect("the second turn");
    let sampled = cell["next_actions"].as_array().expect("a list");
    let tools: Vec<&Value> = sampled.iter().map(|answer| &answer["tools"]).collect();
    assert_eq!(tools, [&json!(["book"]), &json!(["other"]), &json!([]), &Value::Null]);
    assert_eq!((&sampled[1]["sample"], &sampled[1]["answer"]), (&json!(2), &json!("other({})")));
    let others = cells.filter(|cell| cell["turn"] != 2);
    assert!(others.into_iter().all(|cell| cell["next_actions"] == json!([])));
}

#[test]
fn an_answer_that_came_again_counts_once() {
    let home = home();
    let path = store(home.path());
    let reference = print(&path, 0);
    for words in ["old", "new"] {
        answer(&path, "vc", &[&reference], None, &[said(words)]);
    }
    let answers = Store::open(&path).expect("a store").answers_about(&Cell::new("d", "m"), "0");
    let answers = answers.expect("answers");
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].answer, said("new"));
}

#[test]
fn the_demo_shows_answers_drift_and_what_agents_were_given() {
    let home = home();
    let make = || {
        let out = run(home.path(), &["demo", "--tasks", "2", "-o", "s.qualm"]);
        assert!(out.status.success(), "{}", text(&out.stderr));
    };
    make();
    let path = home.path().join("s.qualm");
    assert_whole(&path);
    let of_file = || std::fs::read_to_string(path.join("answers.jsonl")).expect("answers");
    let before = of_file();
    // A line that somebody else added stays, and nothing is added twice.
    answer(&path, "vc", &["0"], None, &[said("mine")]);
    let with_mine = of_file();
    assert!(with_mine.starts_with(&before) && with_mine.len() > before.len());
    make();
    assert_eq!(of_file(), with_mine);
    let cell = ["--dataset", "airline", "--model", "gpt-4o-mini"];
    let printed = shown(home.path(), "s.qualm", "1", &cell);
    for expected in [
        "next actions, sampled again:",
        "taken was ",
        "the agent's model says:",
        "by gpt-4o-mini (synthetic)",
        "judges wrote about 0–1:",
        "gemini-flash-lite (synthetic) ≡ equivalent",
        ", severity ",
    ] {
        assert!(printed.contains(expected), "{expected}\n\n{printed}");
    }
    let json = shown(home.path(), "s.qualm", "1", &[&cell[..], &["--format", "json"]].concat());
    let whole: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(whole["contexts"].as_array().map(Vec::len), Some(1));
    assert!(whole["contexts"][0]["policy"].as_str().is_some_and(|text| text.contains("airline")));
}

#[test]
fn answers_are_hidden_from_somebody_who_votes() {
    let home = home();
    let path = store(home.path());
    let words = said(r#"{"equivalent": true, "confidence": 0.6, "why": "both book"}"#);
    for draw in [1, 2] {
        let runs = [print(&path, 0), print(&path, draw)];
        let runs = runs.each_ref().map(String::as_str);
        answer(&path, "ter", &runs, None, std::slice::from_ref(&words));
    }
    let mut driver = Driver::new(&path, 160, 60);
    driver.press("2g<Enter>");
    assert!(side(&mut driver).contains("both book"));
    // A pair is open: Compare on the same task tells nothing.
    driver.press("7<Enter>");
    let screen = driver.screen();
    assert_eq!(driver.app().screen, qualm::ui::Screen::Triage, "{screen}");
    let triage = driver.press("I");
    assert!(!triage.contains("both book"), "{triage}");
    driver.press("2g<Enter>");
    assert_eq!(driver.app().screen, qualm::ui::Screen::Compare);
    assert!(driver.shared().is_voting, "the pair is still open");
    let text = side(&mut driver);
    assert!(!text.contains("both book"), "{text}");
    let read = driver.press("I");
    assert!(!read.contains("both book"), "{read}");
}
