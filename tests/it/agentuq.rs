//! Log-probabilities that agentuq writes beside tau2 results.

use std::fs;
use std::path::PathBuf;

use qualm::import::{ImportOptions, import};
use qualm::model::{MessageTokens, Span, Trajectory};
use qualm::store::{Extras, Manifest, StoreWriter, check};
use serde_json::Value;

use crate::damage::{edit, rewrite};
use crate::support::{
    Imported, assert_whole, data, home, imported, rows, run, text, with_condition,
};

#[test]
fn a_sidecar_beside_its_results_is_joined_turn_by_turn() {
    for names in
        [&["agentuq/results.json"][..], &["agentuq/results.json", "agentuq/logprobs_airline.jsonl"]]
    {
        let fixture = imported(names);
        assert_eq!(fixture.entries().len(), 3, "{names:?}");
        let run = fixture.trajectory("0", 0);
        assert_eq!((run.head.turns, run.head.turns_with_logprobs), (3, 3), "{names:?}");
        let which = run.turns[0].tokens.as_ref().expect("recorded");
        assert_eq!(which.text(), "Which one?<|im_end|>");
        assert_eq!((which.count(Span::Action), which.count(Span::Special)), (3, 1));
        assert_eq!(which.get(0).top_logprobs, [-0.5, -1.5]);
        // numpy.exp(numpy.mean([-0.5, -0.25, -0.125]))
        let scores = run.turns[0].scores.expect("scored");
        assert!((scores.lnsp - 0.747_017_500_310_432_6).abs() < 1e-12, "{}", scores.lnsp);
        let call = run.turns[1].tokens.as_ref().expect("recorded");
        assert_eq!((call.text(), call.count(Span::Action)), ("get_trip(id=\"A\")", 2));
    }
}

#[test]
fn turns_are_ordered_by_their_number() {
    let run = imported(&["agentuq/results.json"]).trajectory("0", 1);
    let texts: Vec<&str> =
        run.turns.iter().map(|turn| turn.tokens.as_ref().expect("recorded").text()).collect();
    let expected: Vec<String> = (0..11).map(|turn| format!("Answer {turn}.")).collect();
    assert_eq!(texts, expected, "10 comes after 9");
}

#[test]
fn turns_are_matched_by_their_words_where_some_are_missing() {
    let fixture = imported(&["agentuq/results.json"]);
    let run = fixture.trajectory("1", 0);
    assert!(run.turns[0].tokens.is_none());
    assert_eq!(run.turns[1].tokens.as_ref().expect("recorded").text(), "Bye.");
    assert_eq!(run.head.turns_with_logprobs, 1);
    let notes = fixture.summary.files[0].1.join("\n");
    assert!(!notes.contains("lacks"), "what another model scored is no turn: {notes}");
    assert!(
        notes.contains("has 4 tokens of the simulated user beside it: stored, not scored"),
        "{notes}"
    );
}

#[test]
fn a_sidecar_of_another_model_is_not_joined() {
    let home = home();
    let results = fs::read_to_string(data("agentuq/results.json")).expect("read");
    fs::write(home.path().join("a.json"), results.replace("owl-7b", "elk-3b")).expect("written");
    let sidecar = data("agentuq/logprobs_airline.jsonl").display().to_string();
    let said = text(&run(home.path(), &["import", "a.json", &sidecar, "-o", "s.qualm"]).stdout);
    assert!(said.contains("has no run that matches the log-probabilities beside it"), "{said}");
}

#[test]
fn a_table_of_tokens_is_a_sidecar_too() {
    let fixture = imported(&["agentuq/alone/tokens.csv", "tau2.json"]);
    assert_eq!(fixture.summary.files.len(), 1, "no input for itself");
    let notes = fixture.summary.files[0].1.join("\n");
    assert!(
        !notes.contains("no run that matches"),
        "domain, task and trial are those of a run: {notes}"
    );
}

#[test]
fn a_sidecar_alone_is_refused() {
    let home = home();
    for name in ["agentuq/logprobs_airline.jsonl", "agentuq/alone/tokens.csv"] {
        let path = data(name).display().to_string();
        let out = run(home.path(), &["import", &path, "-o", "s.qualm"]);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{said}");
        assert!(said.contains("holds log-probabilities only"), "{said}");
        assert!(
            said.contains(
                "; import it together with its tau2 results, or put it into their folder"
            ),
            "{said}"
        );
        assert!(!home.path().join("s.qualm").exists());
    }
}

fn fixture() -> Imported {
    imported(&["agentuq/results.json"])
}

fn problems(fixture: &Imported) -> String {
    check(&fixture.path(), &|_, _| ()).join("\n")
}

/// The tokens of the user: the message, the text and the log-probabilities.
fn said(run: &Trajectory) -> Vec<(u32, &str, Vec<f64>)> {
    let said = |said: &'_ MessageTokens| said.tokens.iter().map(|token| token.logprob).collect();
    run.user_tokens.iter().map(|some| (some.message, some.tokens.text(), said(some))).collect()
}

/// The rows of the sidecar that are kept.
fn sidecar(keep: impl Fn(&Value) -> bool) -> String {
    let rows = fs::read_to_string(data("agentuq/logprobs_airline.jsonl")).expect("read");
    let is_kept = |row: &&str| keep(&serde_json::from_str(row).expect("JSON"));
    rows.lines().filter(is_kept).flat_map(|row| [row, "\n"]).collect()
}

/// Imports the results with these sidecars beside them, by their names.
fn with_sidecars(sidecars: &[(&str, String)]) -> Imported {
    let home = home();
    let results = home.path().join("results.json");
    fs::copy(data("agentuq/results.json"), &results).expect("copied");
    for (name, rows) in sidecars {
        fs::write(home.path().join(name), rows).expect("written");
    }
    let path = home.path().join("s.qualm");
    let summary = import(&[results], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    Imported { home, summary }
}

fn runs(fixture: &Imported) -> Vec<Trajectory> {
    fixture.store().trajectories(&fixture.entries()).expect("runs")
}

#[test]
fn tokens_of_the_user_are_stored_with_their_messages() {
    let mut fixture = fixture();
    let expected = [(1, "Cancel.", vec![-0.1, -0.2]), (3, "A.", vec![-0.75, -0.25])];
    let run = fixture.trajectory("0", 0);
    assert_eq!(said(&run), expected);
    assert_eq!(run.user_tokens[0].tokens.get(0).top_logprobs, [-0.1, -1.1]);
    assert!(fixture.trajectory("0", 1).user_tokens.is_empty());
    assert_whole(&fixture.path());
    // Another import keeps the run with them, and the same one brings them again.
    fixture.add(&["tau2.json"], &ImportOptions::default());
    assert_eq!(said(&fixture.trajectory("0", 0)), expected);
    fixture.add(&["agentuq/results.json"], &ImportOptions::default());
    assert_eq!(said(&fixture.trajectory("0", 0)), expected);
    fixture.add(&["agentuq/results.json"], &with_condition("again"));
    let with_tokens = runs(&fixture).iter().filter(|run| !run.user_tokens.is_empty()).count();
    assert_eq!(with_tokens, 2);
    assert_whole(&fixture.path());
}

#[test]
fn tokens_of_the_user_change_no_score_of_the_agent() {
    let all = with_sidecars(&[("logprobs.jsonl", sidecar(|_| true))]);
    let agent = with_sidecars(&[("logprobs.jsonl", sidecar(|row| row["role"] == "assistant"))]);
    assert!(runs(&all).iter().any(|run| !run.user_tokens.is_empty()));
    let of_agent = |fixture: &Imported| {
        let mut runs = runs(fixture);
        for run in &mut runs {
            run.head.origin.source.clear();
            run.user_tokens.clear();
        }
        runs
    };
    assert_eq!(of_agent(&all), of_agent(&agent));
    assert!(!agent.path().join("user_tokens.parquet").exists(), "no table without a row");
    for table in ["tasks", "cells", "grid", "counts"] {
        let report = |fixture: &Imported| {
            rows(fixture.home.path(), &fixture.path(), &["--table", table, "--resamples", "0"])
        };
        assert_eq!(report(&all), report(&agent), "{table}");
    }
}

#[test]
fn the_user_is_the_one_that_talks_to_the_agent() {
    let all = sidecar(|_| true);
    let of_other = all.replace("owl-7b", "elk-3b").replace("-0.75", "-3.0");
    let fixture =
        with_sidecars(&[("a_logprobs.jsonl", of_other.clone()), ("b_logprobs.jsonl", all)]);
    assert_eq!(said(&fixture.trajectory("0", 0))[1].2, [-0.75, -0.25]);
    // The rows of another agent's user are not taken for want of better ones.
    let agent = sidecar(|row| row["role"] == "assistant");
    let fixture = with_sidecars(&[("a_logprobs.jsonl", of_other), ("b_logprobs.jsonl", agent)]);
    assert!(fixture.trajectory("0", 0).user_tokens.is_empty());
    // A file for each role.
    let files = ["assistant", "user"].map(|role| sidecar(|row| row["role"] == role));
    let [agent, user] = files;
    let fixture = with_sidecars(&[("a_logprobs.jsonl", user.clone()), ("b_logprobs.jsonl", agent)]);
    assert_eq!(fixture.trajectory("0", 0).user_tokens.len(), 2);
    let fixture = with_sidecars(&[("logprobs.jsonl", user)]);
    let run = fixture.trajectory("0", 0);
    assert_eq!((run.user_tokens.len(), run.head.turns_with_logprobs), (2, 0));
}

#[test]
fn tokens_of_other_words_are_not_those_of_the_user() {
    let other = sidecar(|_| true).replace("\"token\": \"A\"", "\"token\": \"B\"");
    let fixture = with_sidecars(&[("logprobs.jsonl", other)]);
    assert_eq!(said(&fixture.trajectory("0", 0)), [(1, "Cancel.", vec![-0.1, -0.2])]);
    let notes = fixture.summary.files[0].1.join("\n");
    assert!(
        notes.contains("has 2 tokens of the simulated user beside it: stored, not scored"),
        "{notes}"
    );
    assert!(
        notes.contains("lacks the user's messages that 2 tokens beside it belong to"),
        "{notes}"
    );
}

#[test]
fn a_store_of_an_earlier_version_has_no_tokens_of_the_user() {
    let mut fixture = fixture();
    fs::remove_file(fixture.path().join("user_tokens.parquet")).expect("there");
    let columns = ["user_token_row", "user_token_rows"];
    rewrite(&fixture.path().join("trajectories.parquet"), |frame| {
        assert!(columns.iter().all(|name| frame.column(name).is_ok()));
        frame.drop_many(columns)
    });
    edit(&fixture.path(), |manifest| {
        manifest.as_object_mut().expect("an object").remove("files");
        let tables = manifest["tables"].as_object_mut().expect("an object");
        tables.remove("user_tokens").expect("listed");
    });
    assert_whole(&fixture.path());
    let run = fixture.trajectory("0", 0);
    assert_eq!((run.user_tokens.len(), run.head.turns_with_logprobs), (0, 3));
    fixture.add(&["agentuq/results.json"], &ImportOptions::default());
    assert_eq!(fixture.trajectory("0", 0).user_tokens.len(), 2);
    assert_whole(&fixture.path());
}

#[test]
fn damage_to_tokens_of_the_user_is_found() {
    let table = |fixture: &Imported| fixture.path().join("user_tokens.parquet");
    let damaged = |change: &dyn Fn(PathBuf)| {
        let fixture = fixture();
        change(table(&fixture));
        problems(&fixture)
    };
    let said = damaged(&|path| rewrite(&path, |frame| frame.reverse()));
    assert!(said.contains("user_tokens: the file is not as qualm wrote it"), "{said}");
    assert!(
        said.contains("user_tokens: row 1: message 1 of trajectory 0 is not the next one"),
        "{said}"
    );
    let said = damaged(&|path| rewrite(&path, |frame| frame.head(Some(1))));
    assert!(said.contains("user_tokens: has 1 rows, the trajectories need 2"), "{said}");
    assert!(said.contains("user_tokens: trajectory 0 has 1 rows, not 2"), "{said}");
    let said = damaged(&|path| fs::remove_file(path).expect("removed"));
    assert!(said.contains("user_tokens: the file is missing (2 rows were written)"), "{said}");
}

#[test]
fn tokens_of_the_user_are_checked() {
    let fixture = fixture();
    let mut run = fixture.trajectory("0", 0);
    run.user_tokens[0].message = 0;
    run.user_tokens[1].tokens.push_alternative("~", f64::NAN);
    let path = fixture.home.path().join("other.qualm");
    let mut writer = StoreWriter::create(&path).expect("free");
    writer.push(run).expect("pushed");
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    let said = check(&path, &|_, _| ()).join("\n");
    assert!(said.contains(", message 0: is not of the user"), "{said}");
    assert!(said.contains(", message 3: a log-probability is NaN"), "{said}");
}

#[test]
fn show_sums_the_tokens_of_the_user() {
    let fixture = fixture();
    let args = ["show", "s.qualm", "--task", "0", "--draws", "0", "--format", "json"];
    let out = run(fixture.home.path(), &args);
    let shown: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let cells = shown["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .flat_map(|row| row["cells"][0]["messages"].as_array().expect("messages"));
    let tokens: Vec<(&Value, &Value)> =
        cells.map(|message| (&message["text"], &message["tokens"])).collect();
    let find = |words: &str| tokens.iter().find(|(text, _)| *text == words).expect("said").1;
    assert_eq!(find("A."), &serde_json::json!({"count": 2, "logprob": -1.0}));
    assert_eq!(find("Hi! How can I help you today?"), &Value::Null);
}

#[test]
fn tokens_without_a_trial_are_those_of_every_trial() {
    let of_task = sidecar(|row| row["task_id"] == "1").replace("\"trial\": 0", "\"trial\": null");
    let fixture = with_sidecars(&[("logprobs.jsonl", of_task)]);
    assert_eq!(fixture.entry("1", 0).head.turns_with_logprobs, 1);
    assert_eq!(fixture.entry("0", 0).head.turns_with_logprobs, 0);
}
