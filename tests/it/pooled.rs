//! Draws without an order: every run is a row with its consistency against the other runs of its task,
//! and whole tasks are resampled.

use std::path::{Path, PathBuf};

use qualm::engine::{Counts, Engine, PairOutcome, Scope, Solvability};
use qualm::import::{ImportOptions, import, import_inputs, import_verdicts};
use qualm::metrics::Metric;
use qualm::metrics::bootstrap::Resampling;
use qualm::readers::{
    self, Candidate, Claim, Claimed, Emit, FormatInfo, InputNotes, Inputs, ReadError, ReadOptions,
    Reader,
};
use qualm::scorers::Scorer;
use qualm::store::Store;
use serde_json::{Value, json};

use crate::explorer::{Driver, view};
use crate::support::{assert_whole, home, rows, run, text, with_reference};

/// A run: task, trial, its tool calls by their letters, reward, and the log-probabilities of the two
/// tokens of its last message.
type Made = (&'static str, i64, &'static str, Option<f64>, [f64; 2]);

/// Eight tasks with one to four runs.
const RUNS: [Made; 23] = [
    ("0", 0, "ab", Some(1.0), [-0.10, -0.30]),
    ("0", 1, "ab", Some(1.0), [-0.20, -0.50]),
    ("0", 2, "abc", Some(0.0), [-0.40, -0.70]),
    ("0", 3, "b", Some(0.0), [-0.90, -0.60]),
    ("1", 0, "ccd", Some(0.0), [-0.15, -0.25]),
    ("1", 1, "ccd", Some(0.0), [-0.35, -0.45]),
    ("1", 2, "cd", Some(0.0), [-0.05, -0.10]),
    ("2", 0, "a", Some(1.0), [-0.12, -0.22]),
    ("2", 1, "ab", Some(1.0), [-0.32, -0.42]),
    ("3", 0, "dab", Some(1.0), [-0.52, -0.62]),
    ("3", 1, "ba", Some(0.0), [-0.72, -0.82]),
    ("3", 2, "dab", Some(1.0), [-0.11, -0.31]),
    ("3", 3, "d", None, [-0.21, -0.41]),
    ("4", 0, "b", Some(0.0), [-0.51, -0.71]),
    ("5", 0, "abd", Some(0.0), [-0.61, -0.81]),
    ("5", 1, "abd", Some(1.0), [-0.13, -0.23]),
    ("5", 2, "bd", Some(0.0), [-0.33, -0.43]),
    ("6", 0, "c", Some(1.0), [-0.53, -0.63]),
    ("6", 1, "c", Some(1.0), [-0.73, -0.83]),
    ("6", 2, "ca", Some(1.0), [-0.14, -0.34]),
    ("6", 3, "c", Some(1.0), [-0.24, -0.44]),
    ("7", 0, "dd", Some(0.0), [-0.54, -0.74]),
    ("7", 1, "dda", Some(0.0), [-0.64, -0.84]),
];

/// Task, two draws, and whether a judge calls them equivalent. Most pairs have no verdict, and some name
/// the later draw first.
const VERDICTS: [(&str, u32, u32, bool); 13] = [
    ("0", 0, 1, true),
    ("0", 2, 0, false),
    ("0", 1, 3, false),
    ("0", 3, 2, true),
    ("1", 0, 1, true),
    ("1", 1, 2, true),
    ("2", 1, 0, true),
    ("3", 0, 2, true),
    ("3", 1, 2, false),
    ("5", 0, 2, true),
    ("5", 0, 1, false),
    ("6", 1, 3, true),
    ("6", 2, 0, false),
];

fn simulation((task, trial, tools, reward, logprobs): &Made) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "Hi"})];
    for (number, tool) in tools.chars().enumerate() {
        let call = json!({"id": number.to_string(), "name": tool.to_string(), "arguments": {}});
        messages.push(json!({"role": "assistant", "tool_calls": [call], "usage": {}}));
        messages.push(json!({"role": "tool", "id": number.to_string(), "content": "done"}));
    }
    let tokens = ["All", " done"].iter().zip(logprobs);
    let tokens: Vec<Value> = tokens
        .map(|(token, logprob)| json!({"token": token, "logprob": logprob, "top_logprobs": []}))
        .collect();
    messages.push(json!({"role": "assistant", "content": "All done", "usage": {},
        "raw_data": {"choices": [{"logprobs": {"content": tokens}}]}}));
    let reward_info = reward.map(|reward| json!({"reward": reward}));
    json!({"task_id": task, "trial": trial, "termination_reason": "user_stop",
        "reward_info": reward_info, "messages": messages})
}

/// Writes the runs as a file of tau2.
fn file(home: &Path) -> PathBuf {
    let info =
        json!({"agent_info": {"llm": "owl"}, "environment_info": {"domain_name": "airline"}});
    let simulations: Vec<Value> = RUNS.iter().map(simulation).collect();
    let path = home.join("runs.json");
    let document = json!({"info": info, "tasks": [], "simulations": simulations});
    std::fs::write(&path, document.to_string()).expect("written");
    path
}

/// A store without references, with the verdicts of a judge.
fn store(home: &Path) -> PathBuf {
    let path = home.join("pooled.qualm");
    let summary = import(&[file(home)], &path, &with_reference("all"), &|_| {}).expect("imported");
    assert_eq!(summary.pooled.len(), 1);
    assert!(summary.without_reference.is_empty());
    let header = "dataset,model,task,draw_a,draw_b,judge,equivalent".to_owned();
    let lines = VERDICTS
        .iter()
        .map(|(task, a, b, equivalent)| format!("airline,owl,{task},{a},{b},judge,{equivalent}"));
    let csv = [header].into_iter().chain(lines).collect::<Vec<_>>().join("\n");
    let verdicts = home.join("verdicts.csv");
    std::fs::write(&verdicts, csv).expect("written");
    import_verdicts(&[verdicts], &path).expect("imported");
    path
}

fn load(path: &Path) -> Engine {
    Engine::load(&Store::open(path).expect("a store"), None).expect("loaded")
}

/// AUROC, its interval, skipped resamples, runs and tasks, by numpy 2 and scikit-learn: every run has the
/// mean of its pairs with the other runs of its task; `roc_auc_score(labels, scores.round(12))` pools the
/// runs; a resample draws eight tasks by the generator of `src/rng.rs`, written again in Python, takes all
/// runs of each, and `numpy.quantile(values, [0.025, 0.975])` makes the interval.
#[allow(clippy::type_complexity, reason = "a table")]
const EXPECTED: [(&str, f64, [f64; 2], usize, usize, usize); 7] = [
    ("fac", 0.604_545_454_5, [0.321_428_571_4, 0.953_135_416_7], 1, 21, 7),
    ("asc", 0.554_545_454_5, [0.194_166_666_7, 0.966_666_666_7], 1, 21, 7),
    ("adc", 0.495_454_545_5, [0.125, 1.0], 1, 21, 7),
    ("aec", 0.590_909_090_9, [0.206_855_158_7, 0.916_666_666_7], 1, 21, 7),
    ("ter", 0.443_181_818_2, [0.213_541_666_7, 0.857_142_857_1], 6, 19, 6),
    ("lnsp.min", 0.714_876_033_1, [0.469_230_769_2, 1.0], 0, 22, 8),
    ("tools", 0.623_966_942_1, [0.260_683_760_7, 0.833_522_727_3], 0, 22, 8),
];

#[test]
fn pooled_numbers_match_numpy_and_scikit_learn() {
    let home = home();
    let engine = load(&store(home.path()));
    for (scorer, auroc, ends, skipped, runs, tasks) in EXPECTED {
        let scorers = [Scorer::parse(scorer)];
        let number = &engine.grid_of(&scorers, Metric::Auroc, Some(Resampling::default()))[0];
        let close = |value: f64, expected: f64| (value - expected).abs() < 1e-9;
        let interval = number.interval.expect(scorer);
        assert!(close(number.value.expect(scorer), auroc), "{scorer}: {:?}", number.value);
        assert!(
            close(interval.lo, ends[0]) && close(interval.hi, ends[1]),
            "{scorer}: {interval:?}"
        );
        assert_eq!(interval.skipped, skipped, "{scorer}");
        let Counts { runs: counted, tasks: of_tasks, .. } = number.counts;
        assert_eq!((counted, of_tasks, number.counts.successes), (runs, tasks, 11), "{scorer}");
    }
}

/// Every run against the other runs of its task; the same Python, rounded to six digits.
#[test]
fn every_run_is_compared_with_the_others() {
    let home = home();
    let engine = load(&store(home.path()));
    let frame = &engine.frames()[0];
    assert_eq!((frame.tasks.len(), frame.task_count()), (23, 8));
    let nan = f64::NAN;
    let expected: [(&str, [f64; 23]); 3] = [
        (
            "fac",
            [
                0.666_667, 0.666_667, 0.666_667, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.666_667, 0.0,
                0.666_667, 0.666_667, nan, 0.5, 0.5, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
            ],
        ),
        (
            "adc",
            [
                0.8904, 0.8904, 0.804_29, 0.768_991, 0.989_64, 0.989_64, 0.979_279, 0.809_125,
                0.809_125, 0.850_265, 0.709_571, 0.850_265, 0.594_002, nan, 0.931_037, 0.931_037,
                0.862_075, 0.936_375, 0.936_375, 0.809_125, 0.936_375, 0.862_075, 0.862_075,
            ],
        ),
        (
            "ter",
            [
                0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.5, nan, nan, 0.5, 0.0,
                1.0, 0.0, 1.0, 0.0, 1.0, nan, nan,
            ],
        ),
    ];
    for (scorer, expected) in expected {
        let values = frame.values(&Scorer::parse(scorer)).expect(scorer).rank;
        for (row, (value, expected)) in values.iter().zip(expected).enumerate() {
            let both_absent = value.is_nan() && expected.is_nan();
            let close = both_absent || (value - expected).abs() < 1e-6;
            assert!(close, "{scorer}, row {row}: {value}");
        }
    }
}

/// Pairs count once, tasks count once, and what is stuck is a task; the same Python.
#[test]
fn pairs_and_tasks_count_once() {
    let home = home();
    let engine = load(&store(home.path()));
    let (scopes, scorers) = ([Scope::All], ["aec".to_owned(), "ter".to_owned()]);
    let pairs = engine.stuck_pairs(&scopes, &scorers, None);
    let expected = [(23.0 / 27.0, 9), (67.0 / 96.0, 8), (0.75, 6), (0.8, 5), (0.0, 4), (1.0, 4)];
    for (row, (mean, n)) in pairs.iter().zip(expected) {
        assert!((row.mean.expect("a mean") - mean).abs() < 1e-12, "{row:?}");
        assert_eq!(row.n, n, "{row:?}");
        let outcome = row.group;
        assert_eq!(engine.pairs_counted(&Scope::All, &row.scorer, outcome).len(), n);
    }
    assert_eq!(pairs[0].group, PairOutcome::BothSucceed);
    let tasks = engine.stuck_tasks(&scopes, &scorers, None);
    let expected = [(0.75, 2), (7.0 / 9.0, 2), (19.0 / 24.0, 2), (0.75, 2), (0.5, 2), (1.0, 1)];
    for (row, (mean, n)) in tasks.iter().zip(expected) {
        assert!((row.mean.expect("a mean") - mean).abs() < 1e-12, "{row:?}");
        assert_eq!(row.n, n, "{row:?}");
    }
    assert_eq!(tasks[2].group, Solvability::Never);
    let stuck = engine.stuck_list(&Scope::All);
    let frame = &engine.frames()[0];
    let listed = stuck.iter().map(|task| (frame.tasks[task.id.task as usize].id.as_str(), task.by));
    assert_eq!(listed.collect::<Vec<_>>(), [("1", "ter"), ("7", "aec")]);
    assert!(stuck.iter().all(|task| task.is_stuck));
    // All runs of a stuck task are treated alike.
    let dropped = engine.with_stuck(qualm::engine::StuckTreatment::Dropped);
    let values = dropped.frames()[0].values(&Scorer::parse("aec")).expect("values").rank;
    let gone = (0..23).filter(|row| values[*row].is_nan()).collect::<Vec<_>>();
    assert_eq!(gone, [4, 5, 6, 13, 21, 22]);
    // AUROC of aec with 1, 2 and 3 other runs, averaged over the subsets: the same Python.
    let by_samples = engine.samples_of(0, Metric::Auroc);
    let aec: Vec<_> = by_samples.iter().filter(|row| row.scorer == "aec").collect();
    for (row, expected) in aec.iter().zip([79.0 / 165.0, 89.0 / 165.0, 13.0 / 22.0]) {
        assert!((row.value.expect("a value") - expected).abs() < 1e-12, "{row:?}");
    }
    assert_eq!(aec.len(), 3);
}

/// A scope may keep some runs of a task: what is said of their pairs stays, whichever run comes first.
#[test]
fn some_runs_of_a_task_keep_their_verdicts() {
    let home = home();
    let engine = load(&store(home.path()));
    let some = engine.filtered(&[vec![1, 2, 16, 20]]);
    let frame = &some.frames()[0];
    assert_eq!((frame.tasks.len(), frame.task_count()), (4, 3));
    let values = frame.values(&Scorer::Ter).expect("values").rank;
    assert_eq!(values, [0.5, 0.5, 1.0, 1.0], "as among all runs");
    let again = some.with_judge(&some.judge().expect("a judge"));
    assert_eq!(again.frames()[0].values(&Scorer::Ter).expect("values").rank, values);
}

#[test]
fn reports_count_runs_and_tasks_and_name_the_draw() {
    let home = home();
    let path = store(home.path());
    let grid = rows(home.path(), &path, &["--table", "grid", "--scorer", "aec"]);
    assert_eq!((&grid[0]["n"], &grid[0]["tasks"]), (&json!(21), &json!(7)));
    assert_eq!(grid[0]["flagged"], json!(true));
    let tasks = rows(home.path(), &path, &["--table", "tasks", "--scorer", "aec"]);
    assert_eq!(tasks.len(), 23);
    assert_eq!((&tasks[2]["task"], &tasks[2]["draw"]), (&json!("0"), &json!(2)));
    let cells = rows(home.path(), &path, &["--table", "cells"]);
    assert_eq!(cells[0]["tasks"], json!(8));
    let summary = Store::open(&path).expect("a store").manifest().cells[0].clone();
    assert_eq!(summary.success_rate(), Some(0.5), "the mean over runs: 11 of 22");
    // Copies of the values are kept by draw.
    let scored = run(home.path(), &["score", path.to_str().expect("a path")]);
    assert!(scored.status.success(), "{}", text(&scored.stderr));
    let scores = Store::open(&path).expect("a store").scores().expect("scores");
    assert_eq!(scores.iter().filter(|row| row.scorer == "aec").count(), 22);
    assert_whole(&path);
    let checked = run(home.path(), &["check", path.to_str().expect("a path")]);
    assert!(checked.status.success(), "{}", text(&checked.stdout));
}

/// How many pairs of two labelled runs end like this, and of how many tasks these are.
fn pairs_ending(outcome: [bool; 2]) -> (usize, usize) {
    let mut found: Vec<&str> = Vec::new();
    for (index, (task, _, _, reward, _)) in RUNS.iter().enumerate() {
        for (other, _, _, second, _) in &RUNS[index + 1..] {
            let (Some(reward), Some(second)) = (reward, second) else { continue };
            let mut ends = [*reward > 0.5, *second > 0.5];
            ends.sort_unstable();
            if task == other && ends == outcome {
                found.push(task);
            }
        }
    }
    let pairs = found.len();
    found.dedup();
    (pairs, found.len())
}

#[test]
fn every_table_with_an_n_says_of_how_many_tasks() {
    let home = home();
    let path = store(home.path());
    let tables = [
        "grid",
        "samples",
        "baselines",
        "stuck-pairs",
        "stuck-tasks",
        "stuck-effect",
        "judges",
        "judge-ter",
        "checks",
        "paired",
        "locate",
        "methods",
        "positions",
        "tools",
        "stopping",
    ];
    for table in tables {
        for row in rows(home.path(), &path, &["--table", table]) {
            for (name, tasks) in [
                ("n", "tasks"),
                ("audit_n", "audit_tasks"),
                ("difference_n", "difference_tasks"),
                ("runs", "tasks"),
            ] {
                let Some(n) = row.get(name) else { continue };
                let tasks = row.get(tasks).unwrap_or_else(|| panic!("{table}: {row}"));
                assert!(n.as_u64() >= tasks.as_u64(), "{table}: {row}");
            }
        }
        let said = run(home.path(), &["report", path.to_str().expect("a path"), "--table", table]);
        let said = text(&said.stdout) + &text(&said.stderr);
        let counts =
            ["checks", "locate"].contains(&table) || said.contains("every run counts: n is");
        assert!(counts || table == "paired", "{table}: {said}");
    }
    let baselines = rows(home.path(), &path, &["--table", "baselines"]);
    assert_eq!((&baselines[0]["n"], &baselines[0]["tasks"]), (&json!(22), &json!(8)));
    let pairs = rows(home.path(), &path, &["--table", "stuck-pairs", "--scorer", "aec"]);
    for (outcome, ends) in [
        ("success-success", [true, true]),
        ("success-failure", [false, true]),
        ("failure-failure", [false, false]),
    ] {
        let row = pairs.iter().find(|row| row["outcome"] == outcome).expect("a row");
        let (n, tasks) = pairs_ending(ends);
        assert_eq!((&row["n"], &row["tasks"]), (&json!(n), &json!(tasks)), "{outcome}");
    }
    let judged = rows(home.path(), &path, &["--table", "judge-ter"]);
    let judged_tasks = ["0", "1", "2", "3", "5", "6"].len();
    assert_eq!(judged[0]["tasks"], json!(judged_tasks));
    // With a reference, a task has one row.
    let plain = home.path().join("plain.qualm");
    import(&[file(home.path())], &plain, &ImportOptions::default(), &|_| {}).expect("imported");
    for table in tables.into_iter().filter(|table| *table != "locate") {
        let rows = rows(home.path(), &plain, &["--table", table]);
        assert!(rows.iter().all(|row| row.get("tasks").is_none()), "{table}: {rows:?}");
    }
}

#[test]
fn stuck_and_judges_have_room_for_runs_and_tasks() {
    let home = home();
    let path = store(home.path());
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut driver = Driver::new(&path, width, height);
        let stuck = driver.press("6");
        let (unit, counts) = if width < 120 {
            ("runs/tasks", "counted .44 19/6")
        } else {
            ("n is runs/tasks", "n 21/7")
        };
        assert!(stuck.contains(unit) && stuck.contains(counts), "{stuck}");
        assert!(stuck.contains("pairs of runs, airline/owl"), "{stuck}");
        assert!(stuck.contains("over 4 pairs of 3 tasks"), "{stuck}");
        let effect = stuck.lines().find(|line| line.contains("AEC") && line.contains("21/7"));
        if let Some(effect) = effect.filter(|_| width >= 120) {
            assert_eq!(effect.matches('[').count(), effect.matches(']').count(), "{stuck}");
            assert!(effect.contains('['), "{stuck}");
        }
        let judges = driver.press("7");
        assert!(judges.contains("/6"), "{judges}");
    }
}

#[test]
fn the_import_says_that_no_draw_is_the_reference() {
    let home = home();
    let results = file(home.path());
    let import = |more: &[&str]| {
        let args = [&["import", results.to_str().expect("a path"), "-o", "s.qualm"], more].concat();
        let out = run(home.path(), &args);
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    let said = import(&["--reference", "all"]);
    assert!(said.contains("no reference, every run counts: airline/owl"), "{said}");
    assert!(said.contains("`references_solved` is the share of solved runs there"), "{said}");
    let path = home.path().join("s.qualm");
    assert!(load(&path).is_pooled());
    // The store remembers it, and another reference takes it back.
    assert!(import(&[]).contains("every run counts"));
    let usual = import(&["--reference", "0"]);
    assert!(!usual.contains("every run counts"), "{usual}");
    assert!(!load(&path).is_pooled());
    assert_whole(&path);
}

#[test]
fn a_score_or_verdict_must_name_its_draw() {
    let home = home();
    let path = store(home.path());
    for (name, sheet) in [
        ("scores.csv", "task,mine\n0,0.5\n"),
        ("v.csv", "dataset,model,task,draw_b,judge,equivalent\nairline,owl,0,1,other,true\n"),
    ] {
        std::fs::write(home.path().join(name), sheet).expect("written");
        let out = run(home.path(), &["import", name, "-o", path.to_str().expect("a path")]);
        let said = text(&out.stderr);
        assert!(said.contains("there is no reference, and no draw is named"), "{said}");
    }
    std::fs::write(home.path().join("scores.csv"), "task,draw,mine\n0,2,0.5\n").expect("written");
    let out = run(home.path(), &["import", "scores.csv", "-o", path.to_str().expect("a path")]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let values = load(&path).frames()[0].values(&Scorer::parse("mine")).expect("values").rank;
    assert_eq!((values[2], values[0].is_nan()), (0.5, true));
}

/// A format whose draws have no order: tau2 by another name.
#[derive(Debug)]
struct Unordered;

impl Reader for Unordered {
    fn info(&self) -> &'static FormatInfo {
        static INFO: FormatInfo = FormatInfo {
            id: "unordered",
            name: "unordered",
            looks: "as tau2 does",
            gives: &[],
            example: "runs.json",
        };
        &INFO
    }

    fn claim(&self, _: &Candidate) -> Option<Claim> {
        None
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        let tau2 = readers::by_id("tau2").expect("a reader");
        Ok(InputNotes { unordered: true, ..tau2.read(claim, options, emit)? })
    }
}

#[test]
fn a_format_without_order_has_no_reference_unless_one_is_named() {
    let home = home();
    let results = file(home.path());
    let path = home.path().join("s.qualm");
    let inputs = || {
        let found = readers::find_inputs(std::slice::from_ref(&results), &ReadOptions::default());
        let claimed = found.expect("found").claimed.into_iter();
        let claimed = claimed.map(|input| Claimed { reader: &Unordered, ..input }).collect();
        Inputs { claimed, unknown: Vec::new() }
    };
    let import = |options: &ImportOptions| {
        import_inputs(inputs(), &path, options, &|_| {}).expect("imported").pooled.len()
    };
    assert_eq!(import(&ImportOptions::default()), 1);
    let manifest = Store::open(&path).expect("a store").manifest().clone();
    assert!(manifest.sources[0].unordered && manifest.reference.is_none());
    assert!(load(&path).is_pooled());
    assert_eq!(import(&with_reference("1")), 0);
    assert!(!load(&path).is_pooled());
    assert_eq!(import(&with_reference("all")), 1);
}

#[test]
fn the_explorer_counts_runs_and_opens_the_run_of_a_row() {
    let home = home();
    let path = store(home.path());
    let mut driver = Driver::new(&path, 120, 40);
    let grid = driver.press("1");
    assert!(grid.contains("23 runs, 8 tasks"), "{grid}");
    assert!(grid.contains("n 22 runs, 8 tasks (11 ✓ / 11 ✗)"), "{grid}");
    let tasks = driver.press("2");
    for name in ["0 #0", "0 #3", "7 #1"] {
        assert!(tasks.contains(name), "{name}: {tasks}");
    }
    assert!(tasks.contains("turns of the draw"), "{tasks}");
    // The rows in their order, and the third run of the first task.
    let id = driver.shared().current_table().expect("a table").rows[0];
    let task = driver.shared().task_of(id).expect("a row").clone();
    let compare = driver.press("<Enter>");
    assert!(compare.contains(&format!("▸draw {}", task.draw)), "{compare}");
    assert!(!compare.contains("reference") && !compare.contains("sample"), "{compare}");
    let next = driver.shared().current_table().expect("a table").rows[1];
    let draw = driver.shared().task_of(next).expect("a row").draw;
    let compare = driver.press("L");
    assert!(compare.contains(&format!("▸draw {draw}")), "{compare}");
}

#[test]
fn pairs_are_named_by_both_draws() {
    let home = home();
    let path = store(home.path());
    let settings = view(json!({"screen": "judges"}));
    let plain = qualm::ui::theme::Theme::plain();
    let mut driver = Driver::with(&path, settings, &plain, (140, 50));
    // All pairs at random, then the first of them.
    for keys in ["r", "<Enter>"] {
        let screen = driver.press(keys);
        assert!(screen.contains(", draws "), "{screen}");
        assert!(!screen.contains(", draw "), "{screen}");
    }
}
