//! White-box scores of turns, compared with values that other programs computed from the same tokens.

use std::path::PathBuf;

use qualm::import::{ImportOptions, import};
use qualm::model::{Span, Trajectory, TurnScores};
use qualm::scorers::whitebox::{Spans, turn_scores};
use qualm::store::Store;
use serde_json::Value;

use crate::support::{Imported, data, home, imported, run, text};

fn assert_close(what: &str, value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{what}: {value} {expected}");
}

fn assert_scores(what: &str, scores: TurnScores, expected: (u32, f64, f64, f64, f64)) {
    assert_eq!(scores.tokens, expected.0, "{what}");
    assert_close(what, scores.sp_log, expected.1);
    assert_close(what, scores.lnsp, expected.2);
    assert_close(what, scores.atn.expect("alternatives"), expected.3);
    assert_close(what, scores.pm.expect("alternatives"), expected.4);
}

#[test]
fn the_end_of_a_turn_is_scored_neither_in_messages_nor_in_calls() {
    let fixture = imported(&["tau2-end-of-turn.json"]);
    let turns = fixture.trajectory("0", 0).turns;
    // Of the action tokens alone, by numpy 2.4.6, with lp their log-probabilities and P the exp of their
    // alternatives: lp.sum(), exp(lp.mean()); with q = P / P.sum(1, keepdims=True),
    // mean(1 + (q * log(q)).sum(1) / log(4)); with s = sort(P, 1)[:, ::-1], mean(s[:, 0] - s[:, 1])
    let expected = [
        (
            3,
            -2.361_364_761_213_491,
            0.455_153_029_925_281,
            0.134_915_853_468_305,
            0.218_870_786_846_831,
        ),
        (
            5,
            -4.117_260_547_219_528,
            0.438_913_857_540_010,
            0.181_416_975_098_310,
            0.323_265_437_467_646,
        ),
        (
            5,
            -4.341_527_175_669_135,
            0.419_662_091_683_717,
            0.159_334_859_275_387,
            0.186_089_447_495_724,
        ),
        (
            4,
            -2.382_169_257_284_096,
            0.551_263_526_683_364,
            0.282_380_442_898_395,
            0.356_378_189_077_392,
        ),
        (
            2,
            -1.308_741_501_754_351,
            0.519_769_023_908_563,
            0.190_068_352_682_669,
            0.259_571_413_956_327,
        ),
    ];
    let special = [1, 1, 1, 1, 0];
    for (number, (turn, expected)) in turns.iter().zip(expected).enumerate() {
        let what = format!("turn {}", number + 1);
        assert_scores(&what, turn.scores.expect("scored"), expected);
        let tokens = turn.tokens.as_ref().expect("recorded");
        assert_eq!(tokens.count(Span::Special), special[number], "{what}");
    }
}

#[test]
fn the_end_of_a_turn_is_shown_as_what_it_is() {
    let fixture = imported(&["tau2-end-of-turn.json"]);
    let shot = |keys: &str| {
        let out = run(fixture.home.path(), &["shot", "s.qualm", "--keys", keys]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    let screen = shot("2<Enter>t");
    assert!(screen.contains("Which order?⟨end of turn⟩"), "{screen}");
    let screen = shot("2<Enter>tj<Right><Right><Right><Right><Right>");
    assert!(screen.contains("<|im_end|>"), "{screen}");
    assert!(screen.contains("<|im_end|> .39  not scored"), "{screen}");
}

#[test]
fn rescoring_all_tokens_leaves_special_ones_out() {
    let fixture = imported(&["tau2-end-of-turn.json"]);
    let out = run(fixture.home.path(), &["score", "s.qualm", "--span", "all"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let counts = |fixture: &Imported| -> Vec<u32> {
        let turns = fixture.trajectory("0", 0).turns;
        turns.iter().map(|turn| turn.scores.expect("scored").tokens).collect()
    };
    assert_eq!(
        counts(&fixture),
        [3, 5, 6, 4, 2],
        "the line break after a call is a word, the end none"
    );
}

/// Runs of a small real model, and their turns by other code.
#[test]
fn real_turns_match_the_other_program() {
    let Some(folder) = crate::real_data::folder() else { return };
    let folder = folder.join("logprobs");
    let expected = std::fs::read(folder.join("expected-turns.json")).expect("expected-turns.json");
    let expected: Value = serde_json::from_slice(&expected).expect("JSON");
    let files: Vec<PathBuf> =
        ["shop-greedy.json", "shop-samples.json"].map(|name| folder.join(name)).to_vec();
    let home = home();
    for files in [files.clone(), files.into_iter().rev().collect()] {
        let path = home.path().join("s.qualm");
        let summary = import(&files, &path, &ImportOptions::default(), &|_| {}).expect("imported");
        assert_eq!(summary.alike, 0, "sampling repeats some short runs");
        let store = Store::open(&path).expect("a store");
        let runs = store.trajectories(&store.entries().expect("entries")).expect("runs");
        let turns = expected["turns"].as_array().expect("turns");
        assert!(!turns.is_empty());
        for turn in turns {
            compare(turn, &runs);
        }
    }
}

fn compare(expected: &Value, runs: &[Trajectory]) {
    let (task, trial) = (expected["task"].as_str(), expected["trial"].as_i64());
    let is_it =
        |run: &&Trajectory| Some(run.head.task.as_str()) == task && run.head.origin.trial == trial;
    let run = runs.iter().find(is_it).expect("a run");
    let number = expected["turn"].as_u64().expect("a turn") as usize;
    let what = format!("task {task:?}, trial {trial:?}, turn {number}");
    let real = |key: &str| expected[key].as_f64().expect("a number");
    let tokens = expected["tokens"].as_u64().expect("a count") as u32;
    let values = (tokens, real("sum_logprob"), real("lnsp"), real("atn"), real("pm"));
    assert_scores(&what, run.turns[number].scores.expect("scored"), values);
}

#[test]
fn a_store_of_an_earlier_version_is_scored_again_where_it_counted_the_end() {
    let mut fixture = imported(&["tau2-end-of-turn.json"]);
    // Earlier versions marked every token of a message as action.
    let store = fixture.store();
    let mut runs = store.trajectories(&fixture.entries()).expect("runs");
    for turn in &mut runs[0].turns {
        let tokens = turn.tokens.as_mut().expect("recorded");
        (0..tokens.len()).for_each(|index| tokens.set_span(index, Span::Action));
        turn.scores = turn_scores(tokens, Spans::default());
    }
    let mut writer = qualm::store::StoreWriter::create(&fixture.path()).expect("free");
    runs.into_iter().for_each(|run| writer.push(run).expect("pushed"));
    writer.finish(store.manifest().clone(), &qualm::store::Extras::default()).expect("written");
    let first = |fixture: &Imported| fixture.trajectory("0", 0).turns[0].scores.expect("scored");
    assert_eq!(first(&fixture).tokens, 4);
    let other = import(&[data("tau2.json")], &fixture.path(), &ImportOptions::default(), &|_| {});
    fixture.summary = other.expect("imported");
    assert_eq!(first(&fixture).tokens, 3);
}
