//! Log-probabilities that agentuq writes beside tau2 results.

use std::fs;

use qualm::model::Span;

use crate::support::{data, home, imported, run, text};

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
    assert!(notes.contains("2 tokens of the user beside it"), "{notes}");
}

#[test]
fn a_sidecar_of_another_model_is_not_joined() {
    let home = home();
    let results = fs::read_to_string(data("agentuq/results.json")).expect("read");
    fs::write(home.path().join("a.json"), results.replace("owl-7b", "elk-3b")).expect("written");
    let sidecar = data("agentuq/logprobs_airline.jsonl").display().to_string();
    let said = text(&run(home.path(), &["import", "a.json", &sidecar, "-o", "s.qualm"]).stdout);
    assert!(said.contains("has no run that fits the log-probabilities beside it"), "{said}");
}

#[test]
fn a_table_of_tokens_is_a_sidecar_too() {
    let fixture = imported(&["agentuq/alone/tokens.csv", "tau2.json"]);
    assert_eq!(fixture.summary.files.len(), 1, "no input for itself");
    let notes = fixture.summary.files[0].1.join("\n");
    assert!(
        !notes.contains("no run that fits"),
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
            said.contains("; name it together with its tau2 results, or lay it beside them"),
            "{said}"
        );
        assert!(!home.path().join("s.qualm").exists());
    }
}
