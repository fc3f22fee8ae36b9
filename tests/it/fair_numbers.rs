//! Numbers that do not mislead: what they rest on, and what they leave out.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use qualm::engine::{Engine, TriageOptions};
use qualm::metrics::Metric;
use qualm::model::{Cell, Judgment, Score};
use qualm::store::{Amendment, Store};
use serde_json::Value;

use crate::support::{Draw, demo, home, made, rows, run, text, verdict};

fn draws(successes: &[bool]) -> Vec<Draw> {
    let draw = |success: &bool| Draw {
        success: Some(*success),
        db_match: None,
        actions: if *success { vec!["a"] } else { vec!["b"] },
    };
    successes.iter().map(draw).collect()
}

fn hold(path: &Path, scorer: &str, values: &[(usize, f64)]) {
    let score = |(task, value): &(usize, f64)| Score {
        cell: Cell::new("d", "m"),
        task: task.to_string(),
        draw: 0,
        scorer: scorer.to_owned(),
        aggregator: None,
        value: Some(*value),
        log: None,
        fold: None,
    };
    let mut amendment = Amendment::begin(path).expect("free");
    amendment.scores(&values.iter().map(score).collect::<Vec<_>>()).expect("written");
    amendment.commit().expect("in place");
}

/// The share of (success, failure) pairs in which the success scores higher, ties counted half.
fn auroc(scored: &[(f64, bool)]) -> f64 {
    let (mut won, mut pairs) = (0.0, 0.0);
    for (success, _) in scored.iter().filter(|(_, success)| *success) {
        for (failure, _) in scored.iter().filter(|(_, success)| !*success) {
            pairs += 1.0;
            won += match success.total_cmp(failure) {
                Ordering::Greater => 1.0,
                Ordering::Equal => 0.5,
                Ordering::Less => 0.0,
            };
        }
    }
    won / pairs
}

fn close(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap_or_else(|| panic!("{value} for {expected}"));
    assert!((value - expected).abs() < 1e-12, "{value} for {expected}");
}

/// Eight tasks; `ptrue` of the first six, verdicts on the last six.
fn half_scored(home: &Path) -> PathBuf {
    let outcomes = [true, false, true, false, true, false, false, true];
    let tasks: Vec<Vec<Draw>> =
        outcomes.iter().map(|success| draws(&[*success, true, false])).collect();
    let said = [(2, true, true), (3, true, false), (4, true, true), (5, false, false)];
    let said = said.into_iter().chain([(6, true, false), (7, false, true)]);
    let judged = said.flat_map(|(task, first, second)| {
        [verdict("j", task, 1, Some(first)), verdict("j", task, 2, Some(second))]
    });
    let path = made(home, &tasks, judged.collect());
    let ptrue = [(0, 0.1), (1, 0.9), (2, 0.8), (3, 0.3), (4, 0.6), (5, 0.7)];
    hold(&path, "ptrue", &ptrue);
    path
}

#[test]
fn a_difference_is_taken_on_the_tasks_that_both_have() {
    let home = home();
    let path = half_scored(home.path());
    let table = rows(home.path(), &path, &["--table", "paired", "--resamples", "50"]);
    let [row] = &table[..] else { panic!("{table:#?}") };
    // The values are those of the grid.
    let ptrue = [(0.1, true), (0.9, false), (0.8, true), (0.3, false), (0.6, true), (0.7, false)];
    let ter = [(1.0, true), (0.5, false), (1.0, true), (0.0, false), (0.5, false), (0.5, true)];
    assert_eq!((&row["consistency"], &row["best_other"]), (&"ter".into(), &"fac".into()));
    close(&row["reflexive_value"], auroc(&ptrue));
    close(&row["consistency_value"], auroc(&ter));
    // Tasks 2 to 5 have both.
    let difference = auroc(&ptrue[2..]) - auroc(&ter[..4]);
    close(&row["difference"], difference);
    close(&row["consistency_minus_reflexive"], -difference);
    assert_eq!(row["n"], 4);
    for (end, other) in [("lo", "hi"), ("hi", "lo")] {
        let negated = -row[other].as_f64().expect("resampled");
        close(&row[&format!("consistency_minus_reflexive_{end}")], negated);
    }
    // `fac` has all tasks, and of these `ter` has 2 to 7; every task agrees with one of two samples.
    close(&row["ter_minus_best_other"], auroc(&ter) - 0.5);
    assert_eq!(row["ter_minus_best_other_n"], 6);
}

#[test]
fn fewer_samples_are_averaged_over_the_subsets_that_are_defined() {
    let home = home();
    // Two successes with two samples, a failure with one.
    let path = made(
        home.path(),
        &[draws(&[true, true, false]), draws(&[true, true, true]), draws(&[false, true])],
        Vec::new(),
    );
    let table = rows(home.path(), &path, &["--table", "samples", "--scorer", "fac"]);
    let of = |samples: u64| {
        table.iter().find(|row| row["samples"] == samples).expect("a row for this many samples")
    };
    // The first sample agrees with both successes, the second with one; that of the failure does not.
    close(&of(1)["value"], f64::midpoint(1.0, 0.75));
    assert_eq!((of(1)["subsets"].as_u64(), of(1)["n"].as_u64()), (Some(2), Some(3)));
    close(&of(2)["value"], 1.0);
    assert_eq!((of(2)["subsets"].as_u64(), of(2)["n"].as_u64()), (Some(1), Some(3)));
}

#[test]
fn all_samples_give_the_value_of_the_grid_under_every_metric() {
    let home = home();
    let store = demo(home.path(), 12);
    for metric in Metric::ALL {
        let grid = rows(
            home.path(),
            store.path(),
            &["--scorer", "aec", "--metric", metric.id(), "--resamples", "0"],
        );
        let args = ["--table", "samples", "--scorer", "aec", "--metric", metric.id()];
        let samples = rows(home.path(), store.path(), &args);
        let whole: Vec<&Value> = samples.iter().filter(|row| row["samples"] == 3).collect();
        assert_eq!(whole.len(), grid.len());
        for (row, cell) in whole.iter().zip(&grid) {
            assert_eq!(row["metric"], metric.id());
            match cell["value"].as_f64() {
                Some(value) => close(&row["value"], value),
                None => assert!(row["value"].is_null(), "{row}"),
            }
        }
    }
}

#[test]
fn counts_follow_from_the_grid() {
    let home = home();
    let store = demo(home.path(), 12);
    let args = ["--table", "counts", "--resamples", "60", "--versus", "aec"];
    let counts = rows(home.path(), store.path(), &args);
    let grid = rows(home.path(), store.path(), &["--resamples", "60"]);
    let count = |what: &str| {
        let row = counts.iter().find(|row| row["what"] == what);
        row.unwrap_or_else(|| panic!("no {what:?}"))["value"].as_f64().expect("a number")
    };
    let of_paper = |row: &&Value| {
        ["sp", "lnsp", "atn"].iter().any(|base| row["scorer"] == *base)
            && ["first", "mean", "min", "last"].iter().any(|rule| row["aggregator"] == *rule)
            && !row["value"].is_null()
    };
    let white_box: Vec<&Value> = grid.iter().filter(of_paper).collect();
    let below = |key: &str| {
        white_box.iter().filter(|row| row[key].as_f64().is_some_and(|value| value < 0.5)).count()
    };
    assert!((count("white-box values") - white_box.len() as f64).abs() < 1e-12);
    assert!((count("white-box values below 0.5") - below("value") as f64).abs() < 1e-12);
    assert!((count("white-box intervals below 0.5") - below("hi") as f64).abs() < 1e-12);
    let value = |row: &Value, scorer: &str| {
        let same = |other: &&Value| {
            other["scorer"] == scorer
                && (&other["dataset"], &other["model"]) == (&row["dataset"], &row["model"])
        };
        grid.iter().find(same).and_then(|other| other["value"].as_f64())
    };
    let wins = grid.iter().filter(|row| row["scorer"] == "ter").filter(|row| {
        let (ter, aec) = (row["value"].as_f64(), value(row, "aec"));
        ter.zip(aec).is_some_and(|(ter, aec)| ter > aec + 1e-12)
    });
    assert!((count("cells where ter beats aec") - wins.count() as f64).abs() < 1e-12);
}

#[test]
fn families_say_which_white_box_scorers_they_take() {
    let home = home();
    let store = demo(home.path(), 12);
    for (flag, scorers, words) in [
        (None, 12, "12 white-box scorers: those of the paper's main table"),
        (Some("--all-scorers"), 24, "24 white-box scorers: all of them"),
    ] {
        let path = store.path().display().to_string();
        let mut args = vec!["report", &path, "--table", "families", "--format", "json"];
        args.extend(flag);
        let out = run(home.path(), &args);
        assert!(text(&out.stderr).contains(words), "{}", text(&out.stderr));
        let table: Vec<Value> = serde_json::from_slice(&out.stdout).expect("JSON");
        let white_box = table.iter().find(|row| row["family"] == "white-box").expect("a row");
        assert_eq!(white_box["scorers"], scorers);
    }
}

#[test]
fn one_cell_is_printed_once_under_its_name() {
    let home = home();
    let store = demo(home.path(), 12);
    let narrow = ["--dataset", "retail", "--model", "MiniMax-M3", "--resamples", "0"];
    for (table, column) in
        [("stuck-pairs", "scope"), ("stuck-tasks", "scope"), ("families", "cell")]
    {
        let table = rows(home.path(), store.path(), &[&["--table", table], &narrow[..]].concat());
        assert!(!table.is_empty());
        for row in &table {
            assert_eq!(row[column], "retail/MiniMax-M3", "{row}");
        }
    }
}

#[test]
fn resamples_of_one_outcome_are_counted() {
    let home = home();
    let tasks: Vec<Vec<Draw>> =
        (0..6).map(|task| draws(&[task == 0, true, task % 2 == 0])).collect();
    let path = made(home.path(), &tasks, Vec::new());
    let table = rows(home.path(), &path, &["--scorer", "fac", "--resamples", "200"]);
    // A resample of six tasks lacks the only success with probability (5/6)^6 = 0.33.
    let skipped = table[0]["skipped"].as_u64().expect("a count");
    assert!((30..110).contains(&skipped), "{skipped}");
}

#[test]
fn triage_ties_go_by_name_whatever_the_last_bit() {
    let home = home();
    let tasks = vec![draws(&[true, false]); 2];
    // The same three confidences; their sums differ in the last bit.
    let sure = [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]];
    assert!(sure[0].iter().sum::<f64>() < sure[1].iter().sum::<f64>());
    let judged = (0..2).flat_map(|task| {
        let judges = ["a", "b", "c"].into_iter().zip(sure[task]);
        judges.map(move |(judge, confidence)| Judgment {
            confidence: Some(confidence),
            ..verdict(judge, task, 1, Some(judge != "c"))
        })
    });
    let path = made(home.path(), &tasks, judged.collect());
    let engine = Engine::load(&Store::open(&path).expect("a store"), None).expect("loaded");
    let queue = engine.triage(&TriageOptions::default()).items;
    let order: Vec<u32> = queue.iter().map(|item| item.pair.id.task).collect();
    assert_eq!(order, [0, 1]);
}
