//! Models that run on this machine, against transformers, sentence-transformers and plain arithmetic.
//! `tests/models/fixtures.py` made the models of `tests/data/models` and the expected numbers.

use std::fs;
use std::path::{Path, PathBuf};

use qualm::model::{Cell, Head, Message, Role, ToolCall, Trajectory};
use qualm::models::local::{Answers, LocalModel, OnnxRuntime, Question, score_drift, score_ncp};
use qualm::scorers::whitebox::{self, Spans};
use qualm::store::{Extras, Manifest, Store, StoreWriter};
use serde_json::Value;

use crate::support::{assert_whole, data, home, imported, run, text};

const CLASSIFIERS: [&str; 5] = ["bert", "roberta", "deberta-v1", "deberta-v3", "modernbert"];

fn folder(name: &str) -> PathBuf {
    data("models").join(name)
}

fn expected(name: &str) -> Value {
    let text = fs::read_to_string(folder(name).join("expected.json")).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

fn numbers(row: &Value) -> Vec<f64> {
    row.as_array().expect("a list").iter().map(|value| value.as_f64().expect("a number")).collect()
}

fn words<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().expect("a text")
}

fn model(name: &str) -> LocalModel {
    LocalModel::open(&folder(name), None, None).expect("a model")
}

#[track_caller]
fn assert_close(found: &[f32], expected: &[f64], within: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let off = (f64::from(*found) - expected).abs();
        assert!(off < within, "{what}: {found} is not {expected}");
    }
}

/// Compares the ids and the logits of all pairs; they are asked at once, so they are padded.
fn compare_classifier(name: &str, model: &mut LocalModel) {
    let expected = expected(name);
    let rows = expected["pairs"].as_array().expect("pairs");
    let pair = |row: &'_ Value| -> (String, String) {
        (words(row, "a").to_owned(), words(row, "b").to_owned())
    };
    let pairs: Vec<(String, String)> = rows.iter().map(pair).collect();
    let questions: Vec<Question<'_>> = pairs.iter().map(|(a, b)| Question::Pair(a, b)).collect();
    let answers = Answers::ask(model, &questions, 2, None, &|_, _| ()).expect("answers");
    for (question, row) in questions.iter().zip(rows) {
        let what = format!("{name}: {question:?}");
        let ids = model.tokens(question).expect("tokens").ids;
        let ids: Vec<f64> = ids.into_iter().map(f64::from).collect();
        assert_eq!(ids, numbers(&row["ids"]), "{what}");
        let logits = answers.get(question).expect("an answer");
        assert_close(logits, &numbers(&row["logits"]), 1e-4, &what);
    }
}

#[test]
fn ids_and_logits_are_those_of_transformers() {
    for name in CLASSIFIERS {
        compare_classifier(name, &mut model(name));
    }
}

#[test]
fn labels_are_in_the_order_of_the_settings() {
    let found = CLASSIFIERS.map(|name| model(name).contradiction().expect("a label"));
    assert_eq!(found, [0, 0, 0, 2, 2]);
}

fn compare_encoder(model: &mut LocalModel) {
    let expected = expected("encoder");
    let rows = expected["texts"].as_array().expect("texts");
    let questions: Vec<Question<'_>> =
        rows.iter().map(|row| Question::Text(words(row, "text"))).collect();
    let answers = Answers::ask(model, &questions, 1, None, &|_, _| ()).expect("answers");
    for (question, row) in questions.iter().zip(rows) {
        let found = answers.get(question).expect("an answer");
        assert_close(found, &numbers(&row["embedding"]), 1e-5, &format!("{question:?}"));
    }
}

#[test]
fn embeddings_are_those_of_sentence_transformers() {
    let mut model = model("encoder");
    assert_eq!(model.limit(), 48, "that of the encoder, not the 12 of its tokenizer");
    compare_encoder(&mut model);
}

/// With `QUALM_ONNXRUNTIME` set to the library, it gives the same numbers.
#[test]
fn onnxruntime_gives_the_same_numbers() {
    let Some(path) = std::env::var_os("QUALM_ONNXRUNTIME") else {
        eprintln!("skipped: QUALM_ONNXRUNTIME does not name the library of onnxruntime");
        return;
    };
    let library = OnnxRuntime::load(Path::new(&path)).expect("a library");
    for name in CLASSIFIERS {
        let mut model = LocalModel::open(&folder(name), Some(&library), None).expect("a model");
        compare_classifier(name, &mut model);
    }
    let mut encoder = LocalModel::open(&folder("encoder"), Some(&library), None).expect("a model");
    compare_encoder(&mut encoder);
}

#[test]
fn nothing_is_asked_twice() {
    let home = home();
    let texts = ["one", "two", "three", "two", "the order"];
    let questions = texts.map(Question::Text);
    let mut model = model("encoder");
    let mut ask = |questions: &[Question<'_>]| {
        Answers::ask(&mut model, questions, 1, Some(home.path()), &|_, _| ()).expect("answers")
    };
    assert_eq!(ask(&questions[..2]).asked(), 2);
    let all = ask(&questions);
    assert_eq!(all.asked(), 2, "a text that occurs twice is asked once");
    let again = ask(&questions);
    assert_eq!(again.asked(), 0);
    for question in &questions {
        assert_eq!(all.get(question), again.get(question));
    }
}

#[test]
fn a_known_model_is_read_only_when_it_must_answer() {
    let home = home();
    let open = || LocalModel::open(&folder("encoder"), None, Some(home.path())).expect("a model");
    let ask = |model: &mut LocalModel, text: &str| {
        let question = [Question::Text(text)];
        let answers = Answers::ask(model, &question, 1, Some(home.path()), &|_, _| ());
        answers.expect("answers").get(&question[0]).expect("an answer").to_vec()
    };
    let mut first = open();
    assert!(first.is_loaded());
    let answer = ask(&mut first, "one");
    let mut second = open();
    assert!(!second.is_loaded());
    assert_eq!(
        (second.name(), second.kind(), second.limit()),
        (first.name(), first.kind(), first.limit())
    );
    assert_eq!(ask(&mut second, "one"), answer);
    assert!(!second.is_loaded(), "the answer was known");
    assert_eq!(ask(&mut second, "two"), ask(&mut model("encoder"), "two"));
    assert!(second.is_loaded());
}

/// A store in which draws of a task end with these messages.
fn final_messages(home: &Path, tasks: &[Vec<Option<String>>], pooled: bool) -> PathBuf {
    let path = home.join("final.qualm");
    let mut writer = StoreWriter::create(&path).expect("free");
    for (task, draws) in tasks.iter().enumerate() {
        for (draw, last) in draws.iter().enumerate() {
            let mut head = Head::new(Cell::new("d", "m"), task.to_string());
            head.draw = draw as u32;
            let mut messages = vec![Message::text(Role::User, "hello")];
            messages.extend(last.as_ref().map(|last| Message::text(Role::Assistant, last)));
            writer.push(Trajectory::new(head, messages, |_| None)).expect("pushed");
        }
    }
    let pooled = if pooled { vec![Cell::new("d", "m")] } else { Vec::new() };
    writer.finish(Manifest { pooled, ..Manifest::new() }, &Extras::default()).expect("written");
    path
}

/// 1 − the mean of both directions' probability of a contradiction, from the logits of transformers.
fn expected_ncp(name: &str, contradiction: usize, a: &str, b: &str) -> f64 {
    let expected = expected(name);
    let of = |a: &str, b: &str| {
        let mut rows = expected["pairs"].as_array().expect("pairs").iter();
        let row = rows.find(|row| words(row, "a") == a && words(row, "b") == b).expect("a pair");
        let shares: Vec<f64> = numbers(&row["logits"]).iter().map(|logit| logit.exp()).collect();
        shares[contradiction] / shares.iter().sum::<f64>()
    };
    1.0 - f64::midpoint(of(a, b), of(b, a))
}

#[test]
fn ncp_is_written_for_every_pair_and_once() {
    let home = home();
    let expected = expected("deberta-v3");
    let pair = |index: usize| {
        let row = &expected["pairs"][index];
        [words(row, "a").to_owned(), words(row, "b").to_owned()]
    };
    let ([a, b], [c, d]) = (pair(0), pair(1));
    let tasks =
        [vec![Some(a.clone()), Some(b.clone()), None], vec![Some(c.clone()), Some(d.clone())]];
    let store = final_messages(home.path(), &tasks, false);
    let mut classifier = model("deberta-v3");
    let mut score = || {
        let answers = home.path().join("answers");
        score_ncp(&store, &mut classifier, Some(&answers), &|_, _| ()).expect("scored")
    };
    let summary = score();
    assert_eq!((summary.values, summary.asked), (vec![("ncp", 2)], 4));
    assert_eq!(summary.missing.len(), 1, "a run without a message: {:?}", summary.missing);
    let opened = Store::open(&store).expect("a store");
    let rows = opened.pairs().expect("pairs");
    for (row, [a, b]) in rows.iter().zip([[&a, &b], [&c, &d]]) {
        let off = row.value.expect("a value") - expected_ncp("deberta-v3", 2, a, b);
        assert!(off.abs() < 1e-5, "{row:?}");
    }
    let settings = &opened.manifest().scorers["ncp"];
    assert!(settings.model.as_deref().is_some_and(|name| name.starts_with("deberta-v3 xxh3:")));
    assert_eq!(score().asked, 0);
    assert_eq!(Store::open(&store).expect("a store").manifest(), opened.manifest(), "unchanged");
    // Another model's values are never mixed with these.
    score_ncp(&store, &mut model("bert"), None, &|_, _| ()).expect("scored");
    let rows = Store::open(&store).expect("a store").pairs().expect("pairs");
    assert_eq!(rows.len(), 2);
    assert!((rows[0].value.expect("a value") - expected_ncp("bert", 0, &a, &b)).abs() < 1e-5);
    assert_whole(&store);
}

#[test]
fn where_every_draw_counts_all_pairs_have_ncp() {
    let home = home();
    let message = |text: &str| Some(text.to_owned());
    let tasks = [vec![message("one"), message("two"), message("three")]];
    let store = final_messages(home.path(), &tasks, true);
    score_ncp(&store, &mut model("bert"), None, &|_, _| ()).expect("scored");
    let rows = Store::open(&store).expect("a store").pairs().expect("pairs");
    let draws: Vec<(u32, u32)> = rows.iter().map(|row| (row.draw_a, row.draw_b)).collect();
    assert_eq!(draws, [(0, 1), (0, 2), (1, 2)]);
    assert_whole(&store);
}

/// The conversation of the fixture.
fn conversation() -> Vec<Message> {
    let expected = expected("encoder");
    let message = |row: &Value| {
        let (role, content) = (row[0].as_str().expect("a role"), row[1].as_str().expect("a text"));
        if role == "call" {
            let (name, arguments) = content.split_once(' ').expect("a name and arguments");
            let (name, arguments) = (name.to_owned(), arguments.to_owned());
            let call = ToolCall { id: String::new(), name, arguments };
            let empty = Message::text(Role::Assistant, "");
            return Message { content: None, tool_calls: vec![call], ..empty };
        }
        Message::text(Role::parse(role).expect("a role"), content)
    };
    expected["conversation"].as_array().expect("messages").iter().map(message).collect()
}

#[test]
fn drift_is_between_the_embeddings_of_sentence_transformers() {
    let home = home();
    let path = home.path().join("drift.qualm");
    let mut writer = StoreWriter::create(&path).expect("free");
    for task in 0..6 {
        let head = Head::new(Cell::new("d", "m"), task.to_string());
        writer.push(Trajectory::new(head, conversation(), |_| None)).expect("pushed");
    }
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    score_drift(&path, &mut model("encoder"), None, &|_, _| ()).expect("scored");
    let store = Store::open(&path).expect("a store");
    let expected = expected("encoder");
    let expected = expected["drift"].as_array().expect("drifts");
    for entry in store.entries().expect("entries") {
        let turns = store.trajectory(&entry).expect("a run").turns;
        assert_eq!(turns.len(), expected.len());
        for (turn, row) in turns.iter().zip(expected) {
            let drift = turn.drift.expect("a drift");
            let (found, expected) = ([drift.action, drift.observation], numbers(row));
            let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-5, "{found:?} is not {expected:?}");
            assert!(drift.severity.is_some_and(|severity| (1.0..=3.0).contains(&severity)));
        }
    }
    assert!(store.scores().expect("scores").is_empty(), "no turn has a log-probability");
    assert_whole(&path);
}

#[test]
fn propagation_by_drift_is_in_the_grid() {
    let fixture = imported(&["tau2-logprobs-v0.json", "tau2-logprobs-v1.json"]);
    let nli = folder("bert").display().to_string();
    let encoder = folder("encoder").display().to_string();
    let score = |more: &[&str]| {
        let models = ["score", "s.qualm", "--nli-model", &nli, "--embedding-model", &encoder];
        let out = run(fixture.home.path(), &[&models[..], more].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    let said = score(&[]);
    assert!(said.contains("prop-dist: ") && said.contains("by the model"), "{said}");
    assert_whole(&fixture.path());
    let scores = fixture.store().scores().expect("scores");
    let row = scores.iter().find(|row| row.scorer == "prop-dist").expect("a value");
    // The same by hand, from the stored drifts.
    let run_of_row = fixture.trajectory(&row.task, row.draw);
    let scored = run_of_row.turns.iter().filter_map(|turn| {
        let scores = turn.scores?;
        let drift = turn.drift.expect("every turn has a drift");
        Some((-scores.sp_log / f64::from(scores.tokens), drift.action + drift.observation))
    });
    let scored: Vec<(f64, f64)> = scored.collect();
    let turns = scored.len() as f64;
    let mean = scored.iter().map(|(_, weight)| weight).sum::<f64>() / turns;
    let squares = scored.iter().map(|(doubt, weight)| (weight / mean * doubt).powi(2));
    let by_hand = -(squares.sum::<f64>() / turns).sqrt();
    assert!((row.value.expect("a value") - by_hand).abs() < 1e-12);
    let again = score(&[]);
    assert!(again.contains("all answers known from before"), "{again}");
    let other = score(&["--span", "all"]);
    assert!(other.contains("turns scored anew") && other.contains("prop-dist"), "{other}");
    let wanted = Spans::ALL.into_iter().find(|spans| spans.id() == "all").expect("a span");
    let mut rescored = fixture.trajectory(&row.task, row.draw);
    whitebox::score_turns(&mut rescored, wanted);
    assert_eq!(fixture.store().manifest().scorers["prop-dist"].span.as_deref(), Some("all"));
    assert_whole(&fixture.path());
    assert!(!fixture.store().has_stale_copies());
}

#[test]
fn a_check_says_what_a_model_makes_of_a_pair() {
    let home = home();
    let check =
        |folder: &Path| run(home.path(), &["models", "check", &folder.display().to_string()]);
    let said = text(&check(&folder("deberta-v1")).stdout);
    assert!(said.contains("NLI classifier") && said.contains("family deberta"), "{said}");
    assert!(
        said.contains("label 0 CONTRADICTION: ") && said.contains("counts as contra"),
        "{said}"
    );
    // As tokenizer("Your flight is cancelled.", "I could not cancel your flight.") begins.
    assert!(said.contains("token ids 2 61 285 86 287 319 88 277 292 318 18 3 45"), "{said}");
    let said = text(&check(&folder("encoder")).stdout);
    assert!(
        said.contains("sentence encoder") && said.contains("embedding of 16 numbers"),
        "{said}"
    );
}

/// A copy of a fixture with a file changed, or removed where there is no text.
fn changed(home: &Path, name: &str, file: &str, content: Option<&str>) -> PathBuf {
    let copy = home.join(name);
    fs::create_dir_all(&copy).expect("a folder");
    for one in ["model.onnx", "tokenizer.json", "config.json"] {
        fs::copy(folder(name).join(one), copy.join(one)).expect("copied");
    }
    match content {
        Some(content) => fs::write(copy.join(file), content).expect("written"),
        None => fs::remove_file(copy.join(file)).expect("removed"),
    }
    copy
}

#[test]
fn a_folder_that_is_no_model_is_refused_with_a_sentence() {
    let labels =
        r#"{"model_type": "bert", "id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}"#;
    let cases = [
        ("model.onnx", None, "has no model.onnx"),
        ("tokenizer.json", None, "has no tokenizer.json"),
        ("config.json", None, "has no config.json"),
        ("model.onnx", Some("no model"), "rten does not read it"),
        ("tokenizer.json", Some("{}"), "is not a tokenizer"),
        ("config.json", Some("["), "is not the JSON of a model"),
        ("config.json", Some(labels), "its labels are LABEL_0, LABEL_1, LABEL_2"),
        (
            "config.json",
            Some(r#"{"id2label": {"0": "contradiction"}}"#),
            "has 1 labels, and the model 3",
        ),
        ("config.json", Some("{}"), "`id2label` does not name a label"),
    ];
    for (file, content, why) in cases {
        let home = home();
        let copy = changed(home.path(), "bert", file, content);
        let out = run(home.path(), &["models", "check", &copy.display().to_string()]);
        let said = text(&out.stderr);
        assert!(said.contains(why) && said.lines().count() == 1, "{file}: {said}");
        assert_eq!(out.status.code(), Some(1));
    }
    let home = home();
    let store = imported(&["tau2-runs"]);
    let out = run(home.path(), &["models", "check", "nowhere"]);
    assert!(text(&out.stderr).contains("there is no such folder"), "{}", text(&out.stderr));
    let encoder = folder("encoder").display().to_string();
    let out = run(store.home.path(), &["score", "s.qualm", "--nli-model", &encoder]);
    assert!(text(&out.stderr).contains("an NLI classifier is needed"), "{}", text(&out.stderr));
}
