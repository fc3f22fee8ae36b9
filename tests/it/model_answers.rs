//! The side pane of Compare shows what models answered about the runs on screen.

use std::path::{Path, PathBuf};

use qualm::model::Cell;
use qualm::store::{Answer, AnswerLog, Store};
use serde_json::{Value, json};

use crate::explorer::Driver;
use crate::support::{Draw, home, made, verdict};

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
