//! Ensembles and calibrations of made-up scorers.

use std::sync::Arc;

use super::*;
use crate::engine::{Frame, Task};
use crate::metrics::auroc;
use crate::model::{Cell, CheckSummary};
use crate::rng::Rng;

pub(in crate::engine) fn task(id: usize, success: Option<bool>) -> Task {
    Task {
        id: id.to_string(),
        draw: 0,
        success,
        db_match: None,
        db_graded: None,
        checks: CheckSummary::default(),
        turns: None,
        tools: None,
        termination: None,
        reward: None,
        cost: None,
        row: id as u32,
        samples: Vec::new(),
        has_reference: true,
    }
}

/// A cell with stored scorers `a`, `b` …
fn engine(success: &[Option<bool>], columns: &[Vec<f64>]) -> Engine {
    let tasks = success.iter().enumerate().map(|(id, success)| task(id, *success)).collect();
    let mut frame = Frame::new(Cell::new("d", "m"), tasks, success.iter().map(|_| Vec::new()));
    for (name, column) in ('a'..).zip(columns) {
        frame.stored.insert(name.to_string(), Arc::new(column.clone()));
    }
    Engine::from_frames(vec![frame])
}

fn recipe(text: &str) -> Recipe {
    Recipe::parse(text).expect("a recipe")
}

/// Outcomes with two scorers that each know something else about them.
fn informed(tasks: usize) -> (Vec<Option<bool>>, Vec<Vec<f64>>) {
    let mut rng = Rng::new(4, 0);
    let (mut success, mut a, mut b) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..tasks {
        let (x, y) = (rng.unit(), rng.unit());
        success.push(Some(rng.chance(0.1 + 0.4 * x + 0.4 * y)));
        a.push(x);
        b.push(y);
    }
    (success, vec![a, b])
}

#[test]
fn shuffled_outcomes_give_chance_within_folds_and_less_when_pooled() {
    let mut rng = Rng::new(9, 0);
    let tasks = 33;
    let columns: Vec<Vec<f64>> = (0..3).map(|_| (0..tasks).map(|_| rng.unit()).collect()).collect();
    let mut success: Vec<bool> = (0..tasks).map(|task| task % 3 == 0).collect();
    let recipe = recipe("logistic(a,b,c)");
    let (mut within, mut pooled) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        rng.shuffle(&mut success);
        let labels: Vec<Option<bool>> = success.iter().copied().map(Some).collect();
        let engine = engine(&labels, &columns);
        let row = engine.ensemble(0, &recipe, Metric::Auroc, None).expect("fitted");
        within.push(row.value.value.expect("both outcomes"));
        let fitted = engine.fit(0, &recipe).expect("fitted");
        pooled.push(auroc(&fitted.values, &success).expect("both outcomes"));
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let error = |values: &[f64]| {
        let centre = mean(values);
        let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
        (squares / (values.len() - 1) as f64 / values.len() as f64).sqrt()
    };
    let (centre, spread) = (mean(&within), error(&within));
    assert!((centre - 0.5).abs() < 3.0 * spread, "{centre} ± {spread}");
    // This is why folds are not pooled.
    let lost: Vec<f64> =
        within.iter().zip(&pooled).map(|(within, pooled)| within - pooled).collect();
    let (centre, spread) = (mean(&lost), error(&lost));
    assert!(centre > 3.0 * spread, "{centre} ± {spread}");
}

#[test]
fn a_value_does_not_depend_on_its_own_outcome() {
    let (success, columns) = informed(80);
    let before = engine(&success, &columns);
    for recipe in ["logistic(a,b)", "isotonic(a)", "platt(b)"].map(recipe) {
        let fitted = before.fit(0, &recipe).expect("fitted");
        let folds = fitted.folds.clone().expect("cross-fitted");
        // Two neighbours of one fold and of different outcomes change places: the folds stay.
        let pair = (0..79).find(|a| folds[*a] == folds[a + 1] && success[*a] != success[a + 1]);
        let a = pair.expect("two outcomes in a fold");
        let mut swapped = success.clone();
        swapped.swap(a, a + 1);
        let again = engine(&swapped, &columns).fit(0, &recipe).expect("fitted");
        assert_eq!(again.folds.as_ref(), Some(&folds), "{recipe}");
        let moved = |row: usize| (again.values[row] - fitted.values[row]).abs();
        assert!(moved(a) < 1e-15 && moved(a + 1) < 1e-15, "{recipe}");
        assert!((0..80).any(|row| moved(row) > 1e-6), "{recipe}: others have seen it");
        assert!(fitted.values.iter().all(|value| (0.0..=1.0).contains(value)), "{recipe}");
        assert_eq!(fitted, before.fit(0, &recipe).expect("fitted"), "the same again");
    }
}

#[test]
fn an_ensemble_is_compared_with_the_best_single_scorer_on_the_same_tasks() {
    let (mut success, mut columns) = informed(300);
    columns[0][7] = f64::NAN;
    success[8] = None;
    let engine = engine(&success, &columns);
    let resampling = Some(Resampling { resamples: 200, seed: 0 });
    let row =
        engine.ensemble(0, &recipe("logistic(a,b)"), Metric::Auroc, resampling).expect("fitted");
    assert_eq!(row.counts.runs, 298);
    assert_eq!((row.folds, row.weights.len()), (5, 2));
    assert!(row.weights.iter().all(|weight| *weight > 0.2), "{:?}", row.weights);
    let (best, single) = row.best.expect("a best one");
    let singles: Vec<f64> = ["a", "b"]
        .iter()
        .map(|name| {
            let frame = &engine.frames[0];
            let scored = frame.scored(&Scorer::parse(name), Metric::Auroc).expect("values");
            let (labels, fitted) = (frame.labels(), engine.fit(0, &recipe("logistic(a,b)")));
            let folds = fitted.expect("fitted").folds.map(Arc::new);
            let mut scored = Scored { folds, ..scored };
            scored.scores[7] = f64::NAN;
            scored.labelled(&labels).value(Metric::Auroc).expect("both outcomes")
        })
        .collect();
    let most = singles[0].max(singles[1]);
    assert_eq!(single.value, Some(most));
    assert_eq!(best.id(), if singles[0] >= singles[1] { "a" } else { "b" });
    let difference = row.difference.expect("both");
    let value = row.value.value.expect("both outcomes");
    assert!((difference.value - (value - most)).abs() < 1e-12);
    assert_eq!(difference.n, 298);
    let ends = difference.interval.expect("resampled");
    assert!(ends.lo < difference.value && difference.value < ends.hi);
    assert!(value > most, "two halves of the truth know more than one: {value} {most}");
}

#[test]
fn a_rank_average_needs_no_folds() {
    let (success, columns) = informed(50);
    let engine = engine(&success, &columns);
    let fitted = engine.fit(0, &recipe("rank-average(a,b)")).expect("ranked");
    assert_eq!(fitted.folds, None);
    let row = engine.ensemble(0, &recipe("rank-average(a,b)"), Metric::Prr, None).expect("ranked");
    assert_eq!((row.folds, row.weights.len()), (0, 0));
    let success: Vec<bool> = success.iter().map(|s| *s == Some(true)).collect();
    assert_eq!(row.value.value, Metric::Prr.value(&fitted.values, &success));
}

#[test]
fn calibration_mends_what_is_off_and_keeps_the_tasks() {
    let mut rng = Rng::new(6, 0);
    // Far too sure: the scores are the square root of the probability.
    let chances: Vec<f64> = (0..600).map(|_| rng.unit()).collect();
    let success: Vec<Option<bool>> = chances.iter().map(|p| Some(rng.chance(*p))).collect();
    let scores: Vec<f64> = chances.iter().map(|p| p.sqrt()).collect();
    let logs: Vec<f64> = chances.iter().map(|p| p.ln()).collect();
    let engine = engine(&success, &[scores, logs]);
    let resampling = Some(Resampling { resamples: 200, seed: 0 });
    for method in ["isotonic", "platt"] {
        let of = |name: &str| {
            engine
                .calibration(0, &recipe(&format!("{method}({name})")), resampling)
                .expect("fitted")
        };
        let row = of("a");
        let [before, after] = row.ece.map(|estimate| estimate.value.expect("probabilities"));
        assert!(after < before / 2.0, "{method}: {before} {after}");
        let [before, after] = row.brier.map(|estimate| estimate.value.expect("probabilities"));
        assert!(after < before, "{method}: {before} {after}");
        assert!(row.ece_difference.and_then(|d| d.interval).is_some_and(|ends| ends.hi < 0.0));
        assert_eq!((row.counts.runs, row.after.len(), row.folds), (600, 600, 5));
        // What is no probability has no error before.
        let row = of("b");
        assert_eq!(row.ece[0].value, None);
        assert!(row.ece[1].value.is_some_and(|after| after < 0.1));
    }
}

#[test]
fn what_cannot_be_fitted_says_why() {
    let labels = |successes: usize| -> Vec<Option<bool>> {
        (0..20).map(|task| Some(task < successes)).collect()
    };
    let column: Vec<f64> = (0..20).map(f64::from).collect();
    let columns = [column.clone(), column];
    let none = |engine: &Engine, text: &str| engine.fit(0, &recipe(text)).expect_err("no fit");
    assert_eq!(none(&engine(&labels(1), &columns), "logistic(a,b)"), NoFit::TooFew);
    assert_eq!(none(&engine(&labels(20), &columns), "isotonic(a)"), NoFit::TooFew);
    let some = engine(&labels(3), &columns);
    assert_eq!(none(&some, "logistic(a,z)"), NoFit::NoValues("z".to_owned()));
    assert!(
        some.fit(0, &recipe("logistic(a,b)"))
            .is_ok_and(|fitted| { folds::count(&fitted.folds.unwrap_or_default()) == 3 })
    );
    assert!(engine(&labels(1), &columns).fit(0, &recipe("rank-average(a,b)")).is_ok());
}
