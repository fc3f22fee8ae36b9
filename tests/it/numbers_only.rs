//! Stores without texts, and stores of which only some columns are read.

use std::path::Path;

use qualm::demo::{self, DemoOptions};
use qualm::engine::{Engine, GridValue, Needs};
use qualm::metrics::Metric;
use qualm::model::{Cell, Head, Message, Role, ToolCall, Trajectory, Turn, TurnScores};
use qualm::report::{TableOptions, TableRequest, table};
use qualm::scorers::Scorer;
use qualm::store::{Extras, Manifest, Store, StoreWriter};

use crate::support::{assert_whole, demo_at, home, imported, rows, run, text};

fn numbers(path: &Path, tasks: usize) -> Store {
    let options = DemoOptions { tasks: Some(tasks), no_texts: true };
    demo::write(path, &options, &|| ()).expect("written");
    Store::open(path).expect("a store")
}

fn demo_with_texts(path: &Path, tasks: usize) -> Store {
    demo_at(path, tasks);
    Store::open(path).expect("a store")
}

fn loaded(store: &Store) -> Engine {
    Engine::load(store, None).expect("loaded")
}

/// The values of a grid, bit by bit.
fn bits(grid: &[GridValue]) -> Vec<(usize, Option<u64>, usize)> {
    grid.iter()
        .map(|point| (point.cell, point.value.map(f64::to_bits), point.counts.runs))
        .collect()
}

#[test]
fn a_demo_without_texts_has_the_numbers_of_one_with_texts() {
    let home = home();
    let bare = numbers(&home.path().join("bare.qualm"), 6);
    let whole = demo_with_texts(&home.path().join("whole.qualm"), 6);
    let (bare_engine, whole_engine) = (loaded(&bare), loaded(&whole));
    assert_eq!(bare_engine.scorers(), whole_engine.scorers());
    for metric in [Metric::Auroc, Metric::Prr, Metric::Ece] {
        let [bare, whole] = [&bare_engine, &whole_engine].map(|engine| engine.grid(metric, None));
        assert_eq!(bits(&bare), bits(&whole), "{}", metric.id());
    }
    let tables = |store: &Store| store.manifest().tables.keys().cloned().collect::<Vec<_>>();
    assert_eq!(tables(&bare), ["judgments", "pairs", "scores", "trajectories", "turns"]);
    assert_whole(&home.path().join("bare.qualm"));
    let counts = |store: &Store| {
        let cells = store.manifest().cells.iter();
        cells.map(|cell| (cell.tasks, cell.successes, cell.turns)).collect::<Vec<_>>()
    };
    assert_eq!(counts(&bare), counts(&whole));
}

#[test]
fn a_run_without_texts_has_its_turns_and_actions() {
    let home = home();
    let bare = numbers(&home.path().join("bare.qualm"), 2);
    for entry in bare.entries().expect("read") {
        let run = bare.trajectory(&entry).expect("read");
        assert_eq!(run.head.action_types, entry.head.action_types);
        assert_eq!(run.turns.len(), entry.head.turns as usize);
        assert!(run.turns.iter().all(|turn| turn.scores.is_some()));
        assert!(run.messages.iter().all(|message| message.content.is_none()));
    }
    let shown = run(home.path(), &["show", "bare.qualm", "--task", "0", "--dataset", "airline"]);
    assert!(!shown.status.success(), "five models have the task");
    let which = ["--dataset", "airline", "--model", "gpt-4o-mini"];
    let shown = run(home.path(), &[&["show", "bare.qualm", "--task", "0"], &which[..]].concat());
    assert!(shown.status.success(), "{}", text(&shown.stderr));
}

#[test]
fn cells_may_have_more_tasks_than_in_the_paper() {
    let home = home();
    let large = numbers(&home.path().join("large.qualm"), 120);
    assert_whole(&home.path().join("large.qualm"));
    assert!(large.manifest().cells.iter().all(|cell| cell.tasks == 120));
    let engine = loaded(&large);
    let airline = engine.frames().iter().find(|frame| frame.cell.dataset == "airline");
    let frame = airline.expect("a cell");
    let names: Vec<String> = (0..120).map(|task| task.to_string()).collect();
    assert!(frame.tasks.iter().map(|task| &task.id).eq(&names));
    // The paper has 50 tasks there; the next ones are others like them.
    let values = frame.values(&Scorer::parse("lnsp.min")).expect("scored").rank;
    assert!(
        values[..50].iter().zip(&values[50..100]).all(|(one, other)| one.total_cmp(other).is_ne())
    );
    let success = |index: usize| frame.tasks[index].success;
    assert!((0..50).all(|index| success(index) == success(index + 50)));
}

#[test]
fn trajectories_that_are_settled_in_parts_make_the_same_store() {
    let home = home();
    let runs = |cell: &str, tasks: std::ops::Range<usize>| -> Vec<Trajectory> {
        let of_task = |task: usize| {
            (0..2).map(move |draw| {
                let (id, arguments) = (String::new(), String::new());
                let call = ToolCall { id, name: format!("t{}", task % 3), arguments };
                let message =
                    Message { tool_calls: vec![call], ..Message::text(Role::Assistant, "") };
                let mut head = Head::new(Cell::new("d", cell), task.to_string());
                head.draw = draw;
                head.outcome.success = Some(!(task + draw as usize).is_multiple_of(3));
                Trajectory::new(head, vec![message], |_| None)
            })
        };
        tasks.flat_map(of_task).collect()
    };
    let write = |name: &str, settles: bool| {
        let path = home.path().join(name);
        let mut writer = StoreWriter::create(&path).expect("created");
        for part in [runs("m", 0..3), runs("m", 3..7), runs("n", 0..2)] {
            part.into_iter().for_each(|run| writer.push(run).expect("pushed"));
            if settles {
                writer.settle(&Extras::default()).expect("settled");
            }
        }
        writer.finish(Manifest::new(), &Extras::default()).expect("written");
        assert_whole(&path);
        Store::open(&path).expect("a store")
    };
    let [settled, kept] = [("settled.qualm", true), ("kept.qualm", false)]
        .map(|(name, settles)| write(name, settles));
    assert_eq!(settled.manifest().cells, kept.manifest().cells);
    assert_eq!(settled.manifest().tables, kept.manifest().tables);
    assert_eq!(settled.entries().expect("read"), kept.entries().expect("read"));
}

#[test]
fn what_is_read_for_a_scorer_gives_its_numbers() {
    let home = home();
    let demo = demo_with_texts(&home.path().join("s.qualm"), 8);
    // Of these results, one run has log-probabilities and the other none.
    let partly = half_scored(&home.path().join("half.qualm"));
    let imported = imported(&["tau2-logprobs-v1.json"]);
    for store in [&demo, &partly, &imported.store()] {
        let whole = loaded(store);
        assert!(!whole.scorers().is_empty());
        for scorer in whole.scorers() {
            let needs = Needs::of_scorers([scorer.flag().as_str()]);
            let narrow = Engine::load_for(store, None, &needs).expect("loaded");
            let one = std::slice::from_ref(scorer);
            let [narrow, whole] =
                [&narrow, &whole].map(|engine| bits(&engine.grid_of(one, Metric::Auroc, None)));
            assert_eq!(narrow, whole, "{scorer}");
        }
    }
    let narrow = Engine::load_for(&demo, None, &Needs::of_scorers(["lnsp.min", "asc"]));
    let [narrow, whole] = [narrow.expect("loaded"), loaded(&demo)];
    let scorers: Vec<Scorer> = ["lnsp.min", "asc"].map(Scorer::parse).to_vec();
    let [narrow, whole] = [&narrow, &whole].map(|engine| {
        let request = TableRequest::Curves { scorers: scorers.clone(), pool: true };
        let curves = table(&request, engine, None, &TableOptions::default()).expect("made");
        (bits(&engine.grid_of(&scorers, Metric::Prr, None)), curves)
    });
    assert!(narrow == whole);
    let narrow = Engine::load_for(&demo, None, &Needs::of_scorers(["atn"])).expect("loaded");
    let scorers = narrow.scorers().iter().map(Scorer::id);
    assert!(scorers.clone().any(|id| id == "atn"));
    assert!(scorers.clone().all(|id| ["atn", "turns", "tools"].contains(&id)), "others are read");
}

#[test]
fn a_report_of_one_scorer_has_the_rows_of_the_whole_report() {
    let home = home();
    let path = home.path().join("s.qualm");
    demo_at(&path, 12);
    for flags in [&[][..], &["--stuck", "dropped"], &["--where", "turns > 5"]] {
        let args = [&["--resamples", "0"][..], flags].concat();
        let whole = rows(home.path(), &path, &args);
        for scorer in ["asc", "ter", "ptrue", "pm", "turns"] {
            let one = rows(home.path(), &path, &[&args[..], &["--scorer", scorer]].concat());
            let expected = whole.iter().filter(|row| row["scorer"] == scorer);
            assert!(!one.is_empty() && one.iter().eq(expected), "{scorer} {flags:?}");
        }
    }
}

/// A store of which every second turn has scores.
fn half_scored(path: &Path) -> Store {
    let mut writer = StoreWriter::create(path).expect("created");
    for task in 0..6u32 {
        let mut head = Head::new(Cell::new("d", "m"), task.to_string());
        head.outcome.success = Some(task % 2 == 0);
        let messages = vec![Message::text(Role::Assistant, "Hi"); 4];
        let mut run = Trajectory::new(head, messages, |_| None);
        for (turn, Turn { scores, .. }) in run.turns.iter_mut().enumerate().skip(1).step_by(2) {
            let lnsp = 0.4 + 0.05 * f64::from(task) + 0.01 * turn as f64;
            let sp_log = lnsp.ln() * 4.0;
            let atn = (task != 3).then_some(lnsp / 2.0);
            *scores = Some(TurnScores { sp_log, lnsp, atn, pm: None, tokens: 4 });
        }
        writer.push(run).expect("pushed");
    }
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    Store::open(path).expect("a store")
}
