//! Curves, thresholds, ensembles and calibrations: by the library, by the program and in the store.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use qualm::engine::{Engine, NamedRecipe, ScoreOptions, check_values, keep_recipe, recipes, score};
use qualm::import::{ScoreImportOptions, import_scores};
use qualm::metrics::Metric;
use qualm::metrics::bootstrap::Resampling;
use qualm::metrics::curve::Steps;
use qualm::metrics::threshold::{Aim, Decision};
use qualm::model::Costs;
use qualm::rng::Rng;
use qualm::scorers::{Recipe, Scorer};
use qualm::store::{Amendment, Store};
use serde_json::Value;

use crate::damage::rewrite;
use crate::support::{Draw, demo, home, made, rows, run, text};

const NAMES: [&str; 4] = ["lnsp.min", "ter", "turns", "vc"];

fn four() -> Vec<Scorer> {
    NAMES.map(Scorer::parse).to_vec()
}

fn load(path: &Path) -> Engine {
    Engine::load(&Store::open(path).expect("a store"), None).expect("loaded")
}

/// Sixty tasks; long runs and those with many tools fail more often.
fn store(home: &Path) -> PathBuf {
    let mut rng = Rng::new(8, 0);
    let tasks: Vec<Vec<Draw>> = (0..60)
        .map(|_| {
            let long = 1 + rng.below(6);
            let success = rng.chance(0.9 - 0.12 * long as f64);
            let actions = (0..long).map(|_| if rng.chance(0.5) { "a" } else { "b" }).collect();
            let reference = Draw { success: Some(success), db_match: None, actions };
            let sample = Draw { success: None, db_match: None, actions: vec!["a"] };
            vec![reference, sample]
        })
        .collect();
    made(home, &tasks, Vec::new())
}

fn number(row: &Value, field: &str) -> f64 {
    row[field].as_f64().unwrap_or_else(|| panic!("{field} in {row}"))
}

#[test]
fn legends_are_the_grid_and_pools_hold_every_task() {
    let home = home();
    let path = demo(home.path(), 24).path().to_owned();
    let engine = load(&path);
    let resampling = Resampling { resamples: 60, seed: 0 };
    let curves = engine.curves(&[3], &four(), Some(resampling));
    assert_eq!((curves.scorers.len(), curves.resamples), (4, Some(60)));
    for metric in Metric::ALL {
        let grid = engine.grid_of(&four(), metric, None);
        for of_scorer in &curves.scorers {
            let same = grid
                .iter()
                .find(|value| value.cell == 3 && four()[value.scorer] == of_scorer.scorer);
            let same = same.expect("in the grid");
            assert_eq!(of_scorer.metric(metric), same.value, "{metric:?}");
            assert_eq!(of_scorer.counts, same.counts);
        }
    }
    // Empty bins have no mean: NaN is not equal to itself, but its text is.
    let again = engine.curves(&[3], &four(), Some(resampling));
    assert!(format!("{curves:?}") == format!("{again:?}"), "a seed repeats");
    let cells: Vec<usize> = (0..engine.frames().len()).collect();
    let pool = engine.curves(&cells, &four()[..1], Some(resampling));
    let alone: usize = engine
        .grid_of(&four()[..1], Metric::Auroc, None)
        .iter()
        .map(|value| value.counts.runs)
        .sum();
    assert_eq!(pool.scorers[0].counts.runs, alone);
    assert_eq!(pool.scorers[0].steps.total().items, alone);
    let bands = pool.scorers[0].bands.as_ref().expect("asked for");
    let roc = &pool.scorers[0].roc;
    // The curve itself is within its band nearly everywhere.
    let outside = bands.roc.iter().filter(|band| {
        let at = roc.iter().rfind(|point| point.x <= band.x + 1e-12).expect("begins at 0");
        at.y < band.lo - 0.02 || at.y > band.hi + 0.02
    });
    assert!(outside.count() < 5);
    assert!(engine.curves(&cells, &[Scorer::parse("no such")], None).scorers.is_empty());
}

#[test]
fn a_threshold_is_judged_on_runs_that_did_not_choose_it() {
    let home = home();
    let path = demo(home.path(), 40).path().to_owned();
    let engine = load(&path);
    let cells: Vec<usize> = (0..engine.frames().len()).collect();
    let (scorer, costs) = (Scorer::parse("ter"), Costs::default());
    let resampling = Resampling { resamples: 80, seed: 0 };
    let best =
        |aim| engine.best_threshold(&cells, &scorer, aim, &costs, resampling).expect("scores");
    for aim in [Aim::Success(0.5), Aim::Review(0.2), Aim::Cost] {
        let best = best(aim);
        let (decision, held) =
            (best.decision.expect("achieved"), best.held_out.expect("both outcomes"));
        assert_eq!(decision.runs, held.decision.runs);
        assert_eq!(held.folds, 5);
        let ends = held.coverage.interval.expect("resampled");
        let coverage = held.coverage.value.expect("runs");
        assert!(ends.lo <= coverage && coverage <= ends.hi, "{aim}");
        match aim {
            Aim::Success(wanted) => assert!(decision.retained().expect("some") >= wanted),
            Aim::Review(most) => {
                assert!(1.0 - decision.coverage().expect("runs") <= most + 1e-12);
            }
            _ => {
                // No threshold of the same runs is cheaper, and so none chosen on others.
                let least = decision.cost(&costs).expect("runs");
                assert!(held.decision.cost(&costs).expect("runs") >= least - 1e-12);
            }
        }
    }
    // A given confidence is the same in every fold.
    let given = best(Aim::Score(0.5));
    assert_eq!(given.decision, given.held_out.map(|held| held.decision));
    let (scores, success) = engine.frames()[2].sample(&scorer, Metric::Auroc).expect("scores");
    let alone = engine.best_threshold(&[2], &scorer, Aim::Score(0.5), &costs, resampling);
    let expected = Decision::at(&Steps::new(&scores, &success), 0.5);
    assert_eq!(alone.and_then(|best| best.decision), Some(expected));
    let near = engine.near_threshold(&cells, &scorer, 0.5, 7);
    assert_eq!((near.above.len(), near.below.len()), (7, 7));
    assert!(near.above.is_sorted_by(|a, b| a.score <= b.score) && near.above[0].score >= 0.5);
    assert!(near.below.is_sorted_by(|a, b| a.score >= b.score) && near.below[0].score < 0.5);
}

/// Thresholds of forty runs as numpy chooses and judges them, with the same folds.
///
/// ```python
/// def draws(state=1):
///     while True:
///         state = (state * 75 + 74) % 65537
///         yield state
/// d = draws(); runs = [(next(d) / 65537, next(d)) for _ in range(40)]
/// s = np.array([a for a, b in runs]); y = np.array([b % 100 < 30 + 50 * a for a, b in runs])
/// fold = np.array([int(c) for c in "0110303012302422442031211103443320421434"])  # of the kept calibration
/// def chosen(s, y, aim):
///     t = np.sort(s)
///     if aim == "success>=0.7": return t[np.array([y[s >= u].mean() for u in t]) >= 0.7][0]
///     if aim == "review<=0.3": return t[np.array([(s < u).mean() for u in t]) <= 0.3 + 1e-12][-1]
///     cost = [(2.5 * (~y & (s >= u)).sum() + (s < u).sum()) / len(s) for u in t] + [1.0]
///     return np.append(t, np.inf)[np.argmin(cost)]
/// a = s >= chosen(s, y, aim); a.mean(), y[a].mean(), (~a & ~y).sum(), (~a & y).sum()
/// h = np.array([s[i] >= chosen(s[fold != f], y[fold != f], aim) for i, f in enumerate(fold)])
/// h.mean(), y[h].mean(), (~h & ~y).sum() / (~y).sum(), (~h & y).sum() / y.sum(), (2.5 * (h & ~y) + ~h).mean()
/// ```
#[test]
fn thresholds_are_those_of_numpy() {
    let home = home();
    let (mut state, mut runs, mut scores) = (1u32, Vec::new(), "task,mine\n".to_owned());
    let mut next = || {
        state = (state * 75 + 74) % 65_537;
        state
    };
    for task in 0..40usize {
        let (score, luck) = (f64::from(next()) / 65_537.0, next());
        let actions = vec!["a"; 1 + task % 3];
        let success = Some(f64::from(luck % 100) < 30.0 + 50.0 * score);
        runs.push(vec![Draw { success, db_match: None, actions }]);
        let _ = writeln!(scores, "{task},{score}");
    }
    let path = made(home.path(), &runs, Vec::new());
    let csv = home.path().join("mine.csv");
    fs::write(&csv, scores).expect("written");
    import_scores(&[csv], &path, &ScoreImportOptions::default()).expect("imported");
    keep_recipe(&path, NamedRecipe::parse("sure=isotonic(mine)", true).expect("a recipe"))
        .expect("kept");
    let folds = load(&path).frames()[0].values(&Scorer::parse("sure")).and_then(|all| all.folds);
    let folds: String = folds.expect("cross-fitted").iter().map(ToString::to_string).collect();
    assert_eq!(folds, "0110303012302422442031211103443320421434");
    let fields = ["threshold", "coverage", "success", "failures_caught", "successes_lost"];
    let held =
        ["coverage", "success", "caught", "lost", "cost"].map(|name| format!("held_out_{name}"));
    let third = 2.0 / 3.0;
    let cases = [
        (
            "success>=0.7",
            [0.511_161_633_886_201_7, 0.525, 0.714_285_714_285_714_3, 10.0, 9.0],
            [0.6, 0.625, 0.4375, 0.375, 0.9625],
        ),
        (
            "review<=0.3",
            [0.388_665_944_428_338_2, 0.7, 0.678_571_428_571_428_6, 7.0, 5.0],
            [0.675, third, 0.4375, 0.25, 0.8875],
        ),
        (
            "cost",
            [0.533_713_780_002_136_2, 0.5, 0.75, 11.0, 9.0],
            [0.55, 0.636_363_636_363_636_4, 0.5, 0.416_666_666_666_666_7, 0.95],
        ),
    ];
    for (aim, in_sample, out_of_sample) in cases {
        let args =
            ["--table", "thresholds", "--scorer", "mine", "--cost-failure", "2.5", "--aim", aim];
        let found = rows(home.path(), &path, &args);
        let expected = fields.into_iter().zip(in_sample);
        let expected = expected.chain(held.iter().map(String::as_str).zip(out_of_sample));
        for (field, expected) in expected {
            let value = number(&found[0], field);
            assert!((value - expected).abs() < 1e-12, "{aim} {field}: {value}, not {expected}");
        }
    }
}

#[test]
fn tables_in_every_format_and_scope() {
    let home = home();
    let path = store(home.path());
    let name = path.display().to_string();
    for table in ["curves", "thresholds", "ensemble", "calibration"] {
        for format in ["table", "json", "csv", "md", "latex"] {
            let args =
                ["report", &name, "--table", table, "--scorer", "turns,tools", "--resamples", "20"];
            let out = run(home.path(), &[&args[..], &["--format", format]].concat());
            assert!(out.status.success(), "{table} {format}: {}", text(&out.stderr));
            assert!(text(&out.stdout).lines().count() > 2, "{table} {format}");
        }
    }
    let get = |args: &[&str]| rows(home.path(), &path, args);
    let aim = ["--table", "thresholds", "--scorer", "turns", "--aim", "review<=0.3"];
    let all = get(&aim);
    assert_eq!((all.len(), all[0]["n"].as_u64()), (1, Some(60)));
    let some = get(&[&aim[..], &["--where", "turns > 1"]].concat());
    assert!(some[0]["n"].as_u64() < Some(60));
    assert!(number(&all[0], "coverage") >= 0.7);
    // Costs: the flag, else what the store keeps, else the usual ones.
    let cost = |more: &[&str]| {
        let aim = ["--table", "thresholds", "--scorer", "turns", "--aim", "score>=-3"];
        number(&get(&[&aim[..], more].concat())[0], "cost")
    };
    let usual = cost(&[]);
    let kept = Costs { failure: 20.0, review: 2.0, run: 0.0 };
    Store::open(&path).expect("a store").keep_costs(kept, "ada", 1).expect("kept");
    assert!((cost(&[]) - 2.0 * usual).abs() < 1e-9);
    let flags = ["--cost-failure", "10", "--cost-review", "1", "--cost-run", "4"];
    assert!((cost(&flags) - usual - 4.0).abs() < 1e-9);
    for wrong in [["--aim", "success>=2"], ["--cost-run", "-1"], ["--ensemble", "platt(turns)"]] {
        let out = run(home.path(), &[&["report", &name, "--table", "grid"], &wrong[..]].concat());
        assert_eq!(out.status.code(), Some(2), "{wrong:?}");
    }
    let roc = get(&["--table", "curves", "--scorer", "turns", "--resamples", "20"]);
    let roc: Vec<&Value> = roc.iter().filter(|row| row["curve"] == "roc").collect();
    assert_eq!((number(roc[0], "x"), number(roc[0], "y")), (0.0, 0.0));
    assert_eq!(roc[0]["threshold"], Value::Null);
    assert!(roc[1..].iter().all(|row| row["lo"].is_number() && row["threshold"].is_number()));
    // Several scorers in one flag are the same as one flag for each.
    let grid = |args: &[&str]| get(&[&["--resamples", "0"], args].concat());
    assert_eq!(
        grid(&["--scorer", "turns,tools"]),
        grid(&["--scorer", "turns", "--scorer", "tools"])
    );
}

#[test]
fn a_kept_ensemble_is_a_scorer_with_its_recipe() {
    let home = home();
    let path = store(home.path());
    let name = path.display().to_string();
    let out = run(
        home.path(),
        &[
            "score",
            &name,
            "--ensemble",
            "mix=logistic(turns,tools,aec)",
            "--calibrate",
            "sure=isotonic(turns)",
        ],
    );
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("mix: 60 values computed"), "{}", text(&out.stdout));
    // The grid's value is that of the ensemble, within folds.
    let grid = rows(home.path(), &path, &["--scorer", "mix", "--resamples", "100"]);
    let recipe = "logistic(turns,tools,aec)";
    let table = ["--table", "ensemble", "--ensemble", recipe, "--resamples", "100"];
    let ensemble = rows(home.path(), &path, &table);
    for field in ["value", "lo", "hi", "n", "successes"] {
        assert_eq!(grid[0][field], ensemble[0][field], "{field}");
    }
    let engine = load(&path);
    let (scores, success) =
        engine.frames()[0].sample(&Scorer::parse("mix"), Metric::Auroc).expect("values");
    assert_ne!(grid[0]["value"].as_f64(), Metric::Auroc.value(&scores, &success), "not pooled");
    let curves = engine.curves(&[0], &[Scorer::parse("mix")], None);
    assert!(curves.scorers[0].is_cross_fitted);
    assert_eq!(curves.scorers[0].metric(Metric::Auroc), grid[0]["value"].as_f64());
    // The calibrated scorer's error is that of the table.
    let sure =
        rows(home.path(), &path, &["--scorer", "sure", "--metric", "ece", "--resamples", "0"]);
    let table = ["--table", "calibration", "--scorer", "turns", "--resamples", "0"];
    assert_eq!(sure[0]["value"], rows(home.path(), &path, &table)[0]["ece_after"]);
    let listed = text(&run(home.path(), &["scorers", &name]).stdout);
    assert!(listed.contains("isotonic(turns)") && listed.contains(recipe), "{listed}");
    let manifest = fs::read_to_string(path.join("manifest.json")).expect("there");
    assert!(manifest.contains("\"method\": \"logistic\""), "{manifest}");
    assert_eq!(recipes(engine.manifest()).len(), 2);
    assert_eq!(check_values(&Store::open(&path).expect("a store")).expect("read"), [""; 0]);
    let again = score(&path, &ScoreOptions::default(), &|_, _| ()).expect("scored");
    assert!(again.computed.is_empty(), "{:?}", again.computed);
}

#[test]
fn values_of_a_recipe_follow_their_inputs() {
    let home = home();
    let path = store(home.path());
    let csv = home.path().join("mine.csv");
    let write = |change: f64| {
        let lines = (0..60u32).map(|task| format!("{task},{}\n", f64::from(task % 7) * change));
        fs::write(&csv, format!("task,mine\n{}", lines.collect::<String>())).expect("written");
    };
    write(1.0);
    let options = ScoreImportOptions::default();
    import_scores(std::slice::from_ref(&csv), &path, &options).expect("imported");
    let named = |text: &str| NamedRecipe::parse(text, false).expect("a recipe");
    let kept = keep_recipe(&path, named("mix=logistic(mine,turns)")).expect("kept");
    assert_eq!(kept, 60);
    let values = |path: &Path| {
        let values = load(path).frames()[0].values(&Scorer::parse("mix")).expect("values");
        (values.rank, values.folds.expect("cross-fitted"))
    };
    let before = values(&path);
    write(-1.0);
    let arguments = ["import", "mine.csv", "-o", "made.qualm"];
    let out = run(home.path(), &arguments);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let after = values(&path);
    assert_eq!(before.1, after.1, "the folds depend on outcomes only");
    // The sign of a standardised column does not matter to its weight.
    assert!(before.0.iter().zip(&after.0).all(|(a, b)| (a - b).abs() < 1e-9));
    // Tampering is found, and mended by the next scoring.
    let mut amendment = Amendment::begin(&path).expect("free");
    let mut scores = amendment.store().scores().expect("read");
    let row = scores.iter_mut().find(|row| row.scorer == "mix").expect("a value");
    row.value = Some(0.123);
    amendment.scores(&scores).expect("written");
    amendment.commit().expect("in place");
    let problems = check_values(&Store::open(&path).expect("a store")).expect("read");
    assert!(problems.iter().any(|problem| problem.contains("`mix`")), "{problems:?}");
    let mended = score(&path, &ScoreOptions::default(), &|_, _| ()).expect("scored");
    assert!(mended.computed.contains(&("mix".to_owned(), 1)), "{:?}", mended.computed);
    assert_eq!(values(&path), after);
    // Nobody brings values under the name of a recipe, and no recipe takes the name of another scorer.
    fs::write(&csv, "task,mix\n0,1\n").expect("written");
    let refused = import_scores(std::slice::from_ref(&csv), &path, &options).expect_err("refused");
    assert!(refused.to_string().contains("mix"), "{refused}");
    let refused = keep_recipe(&path, named("mine=logistic(tools,turns)")).expect_err("taken");
    assert!(refused.to_string().contains("choose another name"), "{refused}");
    let refused = keep_recipe(&path, named("z=logistic(mix,turns)")).expect_err("made");
    assert!(refused.to_string().contains("name its scorers"), "{refused}");
    let refused = keep_recipe(&path, named("z=logistic(vc,turns)")).expect_err("no values");
    assert!(refused.to_string().contains("no values of vc"), "{refused}");
    for wrong in ["logistic(a,b)", "a b=logistic(a,b)", "ter=logistic(a,b)", "x=platt(a)", "=x"] {
        assert!(NamedRecipe::parse(wrong, false).is_err(), "{wrong}");
    }
    // A new recipe of the name replaces the old one, with its values.
    keep_recipe(&path, named("mix=rank-average(mine,turns)")).expect("kept");
    let engine = load(&path);
    assert_eq!(engine.frames()[0].values(&Scorer::parse("mix")).expect("values").folds, None);
    let expected = Recipe::parse("rank-average(mine,turns)").expect("a recipe");
    assert_eq!(recipes(engine.manifest())[0].recipe, expected);
}

#[test]
fn a_store_without_folds_is_read_as_before() {
    let home = home();
    let path = store(home.path());
    score(&path, &ScoreOptions::default(), &|_, _| ()).expect("scored");
    let before = load(&path);
    rewrite(&path.join("scores.parquet"), |frame| frame.drop("fold").expect("there"));
    let after = load(&path);
    for metric in [Metric::Auroc, Metric::Prr] {
        assert_eq!(before.grid(metric, None), after.grid(metric, None));
    }
    let scores = Store::open(&path).expect("a store").scores().expect("read");
    assert!(!scores.is_empty() && scores.iter().all(|row| row.fold.is_none()));
}
