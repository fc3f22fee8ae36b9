//! Stuck policies: the tables and what they count, the list, the treatments.

use qualm::engine::{Engine, PairOutcome, Scope, Solvability, StuckTreatment};
use qualm::metrics::Metric;
use qualm::metrics::bootstrap::Resampling;
use qualm::model::Cell;
use qualm::scorers::Scorer;
use qualm::scorers::consistency::Consistency;
use qualm::store::Store;

use crate::support::{Draw, demo, home, made, rows, verdict};

fn load(path: &std::path::Path) -> Engine {
    Engine::load(&Store::open(path).expect("a store"), None).expect("loaded")
}

fn close(value: Option<f64>, expected: Option<f64>, what: &str) {
    match (value, expected) {
        (Some(value), Some(expected)) => {
            assert!((value - expected).abs() < 1e-9, "{what}: {value} {expected}");
        }
        (value, expected) => assert_eq!(value, expected, "{what}"),
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The agreement of a task's sample with its reference.
fn agreement(engine: &Engine, scorer: &str, id: qualm::engine::TaskId, draw: u32) -> f64 {
    let frame = &engine.frames()[id.cell as usize];
    let samples = &frame.tasks[id.task as usize].samples;
    let index = samples.iter().position(|sample| sample.draw == draw).expect("the draw");
    frame.pair_values(scorer).expect("values").of(id.task as usize)[index]
}

#[test]
fn a_number_opens_exactly_what_it_counts() {
    let home = home();
    let engine = Engine::load(&demo(home.path(), 12), None).expect("loaded");
    let (scopes, scorers) = (engine.scopes(), engine.consistency_ids());
    // The whole, 4 datasets, 5 models, 20 cells.
    assert_eq!((scopes.len(), scorers.len()), (30, 6));
    let pairs = engine.stuck_pairs(&scopes, &scorers, None);
    assert_eq!(pairs.len(), 30 * 6 * 3);
    for row in pairs {
        let subject = format!("{}, {}, {:?}", row.scope, row.scorer, row.group);
        let pairs = engine.pairs_counted(&row.scope, &row.scorer, row.group);
        assert_eq!(pairs.len(), row.n, "{subject}");
        let values: Vec<f64> =
            pairs.iter().map(|pair| agreement(&engine, &row.scorer, pair.id, pair.draw)).collect();
        close(row.mean, mean(&values), &subject);
        for pair in pairs {
            let frame = &engine.frames()[pair.id.cell as usize];
            let task = &frame.tasks[pair.id.task as usize];
            let sample = task.samples.iter().find(|sample| sample.draw == pair.draw).expect("it");
            assert!(row.scope.holds(&frame.cell), "{subject}");
            assert_eq!(PairOutcome::of(task.success, sample.success), Some(row.group), "{subject}");
        }
    }
    for row in engine.stuck_tasks(&scopes, &scorers, None) {
        let subject = format!("{}, {}, {:?}", row.scope, row.scorer, row.group);
        let tasks = engine.tasks_counted(&row.scope, &row.scorer, row.group);
        assert_eq!(tasks.len(), row.n, "{subject}");
        let values = tasks.iter().map(|id| {
            let frame = &engine.frames()[id.cell as usize];
            let task = &frame.tasks[id.task as usize];
            assert_eq!(task.solvability(), Some(row.group), "{subject}");
            let draws = task.samples.iter().map(|sample| sample.draw);
            let all = draws.map(|draw| agreement(&engine, &row.scorer, *id, draw));
            // A pair whose verdict did not parse has no value.
            mean(&all.filter(|value| !value.is_nan()).collect::<Vec<_>>()).expect("a value")
        });
        close(row.mean, mean(&values.collect::<Vec<_>>()), &subject);
    }
}

#[test]
fn a_model_is_the_sum_of_its_cells() {
    let home = home();
    let engine = Engine::load(&demo(home.path(), 12), None).expect("loaded");
    let model = Scope::Model("Qwen2.5-7B".to_owned());
    assert_eq!(model.to_string(), "*/Qwen2.5-7B");
    let of = |scope: &Scope| engine.pairs_counted(scope, "aec", PairOutcome::BothFail);
    let cells = engine.cells_of(&model);
    assert_eq!(cells.len(), 4);
    let cells = cells.iter().map(|cell| Scope::Cell(engine.frames()[*cell].cell.clone()));
    let sum: Vec<_> = cells.flat_map(|cell| of(&cell)).collect();
    assert_eq!(of(&model), sum);
    assert!(!sum.is_empty());
    let report = rows(
        home.path(),
        &home.path().join("demo.qualm"),
        &["--table", "stuck-pairs", "--resamples", "0"],
    );
    let row = report.iter().find(|row| {
        row["scope"] == "*/Qwen2.5-7B"
            && row["scorer"] == "aec"
            && row["outcome"] == "failure-failure"
    });
    assert_eq!(row.expect("a row")["n"], sum.len());
}

/// Two draws of ten actions, of which `same` agree.
fn pair(success: [Option<bool>; 2], same: usize) -> Vec<Draw> {
    let sample = (0..10).map(|index| if index < same { "a" } else { "b" }).collect();
    let [first, second] = success;
    vec![
        Draw { success: first, db_match: None, actions: vec!["a"; 10] },
        Draw { success: second, db_match: None, actions: sample },
    ]
}

const NO: Option<bool> = Some(false);
const YES: Option<bool> = Some(true);

#[test]
fn stuck_tasks_are_never_solved_and_draws_agree() {
    let home = home();
    let tasks = [
        pair([NO, NO], 8),
        pair([NO, NO], 7),
        pair([NO, YES], 10),
        pair([NO, None], 10),
        vec![pair([NO, NO], 10).remove(0)],
        pair([NO, NO], 10),
        pair([NO, NO], 1),
    ];
    // A judge's verdict takes precedence over the actions.
    let said = vec![verdict("j", 5, 1, NO), verdict("j", 6, 1, YES)];
    let path = made(home.path(), &tasks, said);
    let engine = load(&path);
    let list = engine.stuck_list(&Scope::All);
    let list: Vec<_> =
        list.iter().map(|task| (task.id.task, task.score, task.by, task.is_stuck)).collect();
    let expected = [
        (6, 1.0, "ter", true),
        (0, 0.8, "aec", true),
        (1, 0.7, "aec", false),
        (5, 0.0, "ter", false),
    ];
    assert_eq!(list.len(), expected.len(), "{list:?}");
    for (task, expected) in list.iter().zip(expected) {
        assert_eq!((task.0, task.2, task.3), (expected.0, expected.2, expected.3), "{list:?}");
        assert!((task.1 - expected.1).abs() < 1e-12, "{list:?}");
    }
    // They are the tasks that the table counts as never solved.
    let never = engine.stuck_tasks(&[Scope::All], &["aec".to_owned()], None);
    let never = never.iter().find(|row| row.group == Solvability::Never).expect("a row");
    assert_eq!(never.n, expected.len());
    assert!(engine.stuck_list(&Scope::Cell(Cell::new("d", "other"))).is_empty());
    let report = rows(home.path(), &path, &["--table", "stuck"]);
    assert_eq!(report[0]["task"], "6");
    assert_eq!(report[1]["pattern"], "2 of 2 draws begin: a ×8–10");
    assert_eq!(report[3]["pattern"], "2 of 2 draws: a ×10");
}

/// Six tasks with different agreement; the third and fourth are stuck, since their samples fail, too.
fn six() -> Vec<Vec<Draw>> {
    vec![
        pair([YES, YES], 9),
        pair([YES, NO], 5),
        pair([NO, NO], 10),
        pair([NO, NO], 8),
        pair([NO, YES], 6),
        pair([NO, NO], 3),
    ]
}

#[test]
fn treatments_change_only_consistency() {
    // from sklearn.metrics import roc_auc_score as r
    // r([1,1,0,0,0,0], [.9,.5,1.,.8,.6,.3]) = 0.5
    // r([1,1,0,0], [.9,.5,.6,.3]) = 0.75
    // r([1,1,0,0,0,0], [.9,.5,0,0,.6,.3]) = 0.875
    let expected = [(0.5, 6), (0.75, 4), (0.875, 6)];
    let home = home();
    let path = made(home.path(), &six(), Vec::new());
    let engine = load(&path);
    let aec = Scorer::Consistency(Consistency::Aec);
    let resampling = Resampling { resamples: 40, seed: 0 };
    let effect = engine.stuck_effect(Metric::Auroc, Some(resampling));
    let effect = effect.iter().find(|effect| effect.scorer == aec).expect("aec");
    assert_eq!(effect.stuck, 2);
    for (index, (treatment, (value, n))) in
        StuckTreatment::ALL.into_iter().zip(expected).enumerate()
    {
        let treated = &effect.values[index];
        assert_eq!((treated.treatment, treated.counts.tasks), (treatment, n));
        close(treated.value, Some(value), treatment.id());
        close(treated.difference, Some(value - expected[0].0), treatment.id());
        assert!(treated.paired.is_some_and(|interval| interval.lo <= interval.hi));
        let variant = engine.with_stuck(treatment);
        assert_eq!(variant.stuck_treatment(), treatment);
        let grid = variant.grid_of(&[aec.clone(), Scorer::Tools], Metric::Auroc, None);
        close(grid[0].value, Some(value), treatment.id());
        assert_eq!((grid[0].counts.tasks, grid[1].counts.tasks), (n, 6));
        // The curve over samples ends at the same value, with all samples.
        let samples = variant.samples_of(0, Metric::Auroc);
        let last = samples.iter().rfind(|point| point.scorer == "aec").expect("a curve");
        close(last.value, Some(value), treatment.id());
        // Filtered tasks are treated the same way.
        let half = variant.filtered(&[vec![0, 2, 5]]);
        let half = half.grid_of(std::slice::from_ref(&aec), Metric::Auroc, None);
        assert_eq!(half[0].counts.tasks, if treatment == StuckTreatment::Dropped { 2 } else { 3 });
        let args = ["--scorer", "aec", "--resamples", "0", "--stuck", treatment.id()];
        let report = rows(home.path(), &path, &args);
        close(report[0]["value"].as_f64(), Some(value), treatment.id());
        assert_eq!(report[0]["n"], n);
    }
    let table = rows(home.path(), &path, &["--table", "stuck-effect", "--scorer", "aec"]);
    let values: Vec<_> = table.iter().map(|row| row["value"].as_f64()).collect();
    assert_eq!(values, expected.map(|value| Some(value.0)));
}

#[test]
fn several_cells_are_averaged() {
    let home = home();
    let engine = Engine::load(&demo(home.path(), 12), None).expect("loaded");
    let resampling = Resampling { resamples: 40, seed: 0 };
    let scope = Scope::Dataset("airline".to_owned());
    let all = engine.stuck_effect(Metric::Auroc, None);
    let effects = engine.scope_effect(&scope, Metric::Auroc, Some(resampling));
    assert!(!effects.is_empty());
    for effect in &effects {
        let cells = all.iter().filter(|one| {
            one.scorer == effect.scorer
                && scope.holds(&engine.frames()[one.cell].cell)
                && one.values.iter().all(|value| value.value.is_some())
        });
        let values: Vec<f64> = cells.filter_map(|one| one.values[0].value).collect();
        assert_eq!(effect.cells, values.len());
        close(effect.values[0].value, mean(&values), effect.scorer.id());
        let interval = effect.values[0].interval.expect("resampled");
        assert!(interval.lo <= interval.hi);
    }
    // With all samples, the band of a cell is the interval of its value in the grid.
    let cell = engine.cells_of(&scope)[0];
    let scope = Scope::Cell(engine.frames()[cell].cell.clone());
    let bands = engine.sample_bands(&scope, Metric::Auroc, Some(resampling));
    let last = bands.iter().rfind(|band| band.scorer == "ter").expect("a band");
    assert_eq!(last.samples, 3);
    let grid = engine.grid_of(&[Scorer::Ter], Metric::Auroc, Some(resampling));
    let value = grid.iter().find(|value| value.cell == cell).expect("a value");
    close(last.value, value.value, "value");
    close(last.interval.map(|range| range.lo), value.interval.map(|range| range.lo), "lo");
    close(last.interval.map(|range| range.hi), value.interval.map(|range| range.hi), "hi");
}

#[test]
fn stuck_tasks_depend_on_the_judge() {
    let home = home();
    // One judge calls both failures equivalent, the other neither.
    let said = |judge, word| [verdict(judge, 2, 1, word), verdict(judge, 3, 1, word)];
    let verdicts = [said("mild", YES), said("harsh", NO)].concat();
    let path = made(home.path(), &six(), verdicts);
    let dropped = load(&path).with_stuck(StuckTreatment::Dropped);
    let aec = Scorer::Consistency(Consistency::Aec);
    let n = |engine: &Engine| {
        engine.grid_of(std::slice::from_ref(&aec), Metric::Auroc, None)[0].counts.tasks
    };
    assert_eq!(n(&dropped), 4);
    let harsh = dropped.with_judge(&qualm::engine::JudgeSpec::parse("harsh"));
    assert_eq!(n(&harsh), 6);
}

#[test]
fn what_draws_repeat_is_read_from_the_store() {
    use qualm::report::{Datum, TableKind, TableOptions, table};
    let home = home();
    let store = demo(home.path(), 12);
    let engine = Engine::load(&store, None).expect("loaded");
    let patterns = |store: Option<&Store>| -> usize {
        let made = table(&TableKind::Stuck.into(), &engine, store, &TableOptions::default());
        let made = made.expect("a table");
        let column = made.columns().iter().position(|column| column.name == "pattern");
        let column = column.expect("the column");
        made.rows().iter().filter(|row| row[column] != Datum::Missing).count()
    };
    assert_eq!(patterns(None), 0);
    assert!(patterns(Some(&store)) > 0);
}
