//! The flat columns that the engine reads agree with the structs that others read.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use qualm::engine::{Engine, Frame};
use qualm::metrics::Metric;
use qualm::metrics::bootstrap::Resampling;
use qualm::model::{Cell, Head, Message, Role, Trajectory, TurnScores};
use qualm::scorers::consistency::Consistency;
use qualm::scorers::whitebox::Base;
use qualm::store::{Entry, Extras, Manifest, OutlineNeeds, Store, StoreWriter, ValueColumns};

use crate::support::{assert_whole, demo_at, home};

fn demo(path: &Path, tasks: usize) -> Store {
    demo_at(path, tasks);
    Store::open(path).expect("a store")
}

fn engine(path: &Path) -> Engine {
    Engine::load(&Store::open(path).expect("a store"), None).expect("loaded")
}

#[test]
fn the_outline_matches_the_entries() {
    let home = home();
    let store = demo(&home.path().join("s.qualm"), 9);
    let outline = store.outline(OutlineNeeds::ALL).expect("read");
    let entries = store.entries().expect("read");
    assert_eq!(outline.draw.len(), entries.len());
    let mut names: HashMap<u32, &str> = HashMap::new();
    let mut row = 0;
    for (cell, tasks) in &outline.cells {
        for task in tasks.clone() {
            assert_eq!(outline.rows(task).start, row);
            for row_of_task in outline.rows(task) {
                let Entry { head, rows, .. } = &entries[row_of_task];
                assert_eq!((cell, outline.tasks.get(task)), (&head.cell, head.task.as_str()));
                assert_eq!(
                    (outline.draw[row_of_task], outline.turns[row_of_task]),
                    (head.draw, head.turns)
                );
                assert_eq!(
                    (outline.tools[row_of_task], outline.turn_row[row_of_task]),
                    (head.tools, rows.turn)
                );
                assert_eq!(outline.success[row_of_task], head.outcome.success);
                assert_eq!(outline.db_match[row_of_task], head.outcome.db_match);
                assert_eq!(Some(outline.reward[row_of_task]), head.outcome.reward);
                assert_eq!(Some(outline.cost[row_of_task]), head.cost);
                let word = outline.terminations.get(outline.termination[row_of_task] as usize);
                assert_eq!(word.map(|word| &**word), head.termination.as_deref());
                assert_eq!(outline.actions(row_of_task).len(), head.action_types.len());
                for (code, name) in outline.actions(row_of_task).iter().zip(&head.action_types) {
                    assert_eq!(names.entry(*code).or_insert(name), name);
                }
                row = row_of_task + 1;
            }
        }
    }
    assert_eq!(row, entries.len());
    let mut codes: Vec<(&u32, &&str)> = names.iter().collect();
    codes.sort();
    assert!(codes.windows(2).all(|pair| pair[0].1 < pair[1].1), "codes order as names: {codes:?}");
}

/// The cell, task, draws, name and value of a row.
type Row = (Cell, String, u32, Option<u32>, String, Option<f64>);

fn rows(parts: &[ValueColumns]) -> Vec<Row> {
    let mut rows = Vec::new();
    for part in parts {
        for (subject, &(cell, end)) in part.subjects.iter().enumerate() {
            for row in rows.len()..end as usize {
                let value = Some(part.value[row]).filter(|value| !value.is_nan());
                rows.push((
                    part.cells[cell as usize].clone(),
                    part.tasks.get(subject).to_owned(),
                    part.draw[row],
                    part.other.get(row).copied(),
                    part.names[part.name[row] as usize].clone(),
                    value,
                ));
            }
        }
    }
    rows
}

#[test]
fn value_columns_match_their_rows() {
    let home = home();
    let store = demo(&home.path().join("s.qualm"), 9);
    let scores = store.scores().expect("read").into_iter().filter(|score| score.scorer != "vc");
    let expected: Vec<_> = scores
        .map(|score| (score.cell, score.task, score.draw, None, score.scorer, score.value))
        .collect();
    assert_eq!(rows(&store.score_columns(&|name| name != "vc").expect("read")), expected);
    assert!(rows(&store.score_columns(&|_| false).expect("read")).is_empty());
    let pairs = store.pairs().expect("read").into_iter();
    let expected: Vec<_> = pairs
        .map(|pair| (pair.cell, pair.task, pair.draw_a, Some(pair.draw_b), pair.scorer, pair.value))
        .collect();
    assert_eq!(rows(&store.pair_columns(&|_| true).expect("read")), expected);
    let judgments = store.judgments().expect("read").into_iter();
    let expected: Vec<_> = judgments
        .map(|judgment| {
            let value = judgment.equivalent.map(|equivalent| f64::from(u8::from(equivalent)));
            let draws = (judgment.draw_a, Some(judgment.draw_b));
            (judgment.cell, judgment.task, draws.0, draws.1, judgment.judge, value)
        })
        .collect();
    assert_eq!(rows(&store.judgment_columns().expect("read")), expected);
}

#[test]
fn tasks_refer_to_their_rows() {
    let home = home();
    let store = demo(&home.path().join("s.qualm"), 5);
    let engine = Engine::load(&store, None).expect("loaded");
    let entries = store.entries().expect("read");
    let mut rows = 0;
    for frame in engine.frames() {
        for (index, task) in frame.tasks.iter().enumerate() {
            let row = u64::from(task.row);
            let draws = store.entries_at(row..row + 1 + task.samples.len() as u64).expect("read");
            assert_eq!(draws, entries[rows..rows + draws.len()]);
            rows += draws.len();
            let Head { cell, task: id, outcome, termination, cost, action_types, .. } =
                &draws[0].head;
            assert_eq!((cell, id), (&frame.cell, &task.id));
            assert_eq!((task.reward, task.cost), (outcome.reward, *cost));
            assert_eq!(task.termination.as_deref(), termination.as_deref());
            for scorer in Consistency::ALL {
                let expected: Vec<f64> = draws[1..]
                    .iter()
                    .map(|sample| scorer.pair(action_types, &sample.head.action_types))
                    .collect();
                assert_eq!(frame.pair_values(scorer.id()).expect("samples").of(index), expected);
            }
        }
    }
    assert_eq!(rows, entries.len());
    assert_eq!(store.entry(3).expect("there"), entries[3]);
    let said = store.entry(rows as u64).expect_err("beyond the end").to_string();
    assert!(said.contains(&format!("there is no trajectory {rows}")), "{said}");
}

fn scored(number: u32) -> Option<TurnScores> {
    let share = 1.0 / f64::from(number + 2);
    // Some turns have no scores, others no alternatives.
    (number % 5 != 3).then(|| TurnScores {
        sp_log: share.ln(),
        lnsp: share,
        atn: number.is_multiple_of(2).then_some(share),
        pm: None,
        tokens: 1,
    })
}

/// More turns than fit into a row group, with runs that are not in the order of their tasks.
#[test]
fn turns_are_found_across_row_groups() {
    const RUNS: u32 = 700;
    const TURNS: u32 = 200;
    let home = home();
    let path = home.path().join("s.qualm");
    let run = |number: u32| {
        let head = Head::new(Cell::new("d", "m"), (RUNS - number).to_string());
        let messages = (0..TURNS).map(|_| Message::text(Role::Assistant, "a")).collect();
        let mut run = Trajectory::new(head, messages, |_| None);
        for (index, turn) in (0..).zip(&mut run.turns) {
            turn.scores = scored(number * TURNS + index);
        }
        run
    };
    let mut writer = StoreWriter::create(&path).expect("free");
    (0..RUNS).for_each(|number| writer.push(run(number)).expect("pushed"));
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    let store = Store::open(&path).expect("a store");
    let engine = Engine::load(&store, None).expect("loaded");
    let frame = &engine.frames()[0];
    for number in [0, 1, 326, 327, 328, 500, 655, RUNS - 1] {
        let task = (RUNS - 1 - number) as usize;
        assert_eq!(frame.tasks[task].id, (RUNS - number).to_string());
        let all = (0..TURNS).filter_map(|turn| scored(number * TURNS + turn));
        let all: Vec<TurnScores> = all.collect();
        let values = |base| frame.turn_values(task, base).iter().copied().map(known);
        assert!(values(Base::Sp).eq(all.iter().map(|scores| Some(scores.sp_log))), "{number}");
        assert!(values(Base::Lnsp).eq(all.iter().map(|scores| Some(scores.lnsp))), "{number}");
        assert!(values(Base::Atn).eq(all.iter().map(|scores| scores.atn)), "{number}");
        assert!(values(Base::Pm).eq(all.iter().map(|scores| scores.pm)), "{number}");
        let entry = store.entry(u64::from(frame.tasks[task].row)).expect("there");
        assert_eq!(store.trajectory(&entry).expect("read"), run(number));
    }
    assert_whole(&path);
}

fn known(value: f64) -> Option<f64> {
    Some(value).filter(|value| !value.is_nan())
}

/// Writes a store with some tasks of another.
fn smaller(store: &Store, path: &Path, keeps: impl Fn(&Cell, &str) -> bool) {
    let mut writer = StoreWriter::create(path).expect("free");
    let mut entries = store.entries().expect("read");
    entries.retain(|entry| keeps(&entry.head.cell, &entry.head.task));
    for batch in entries.chunks(200) {
        let runs = store.trajectories(batch).expect("read");
        runs.into_iter().for_each(|run| writer.push(run).expect("pushed"));
    }
    let mut extras = Extras {
        scores: store.scores().expect("read"),
        pairs: store.pairs().expect("read"),
        judgments: store.judgments().expect("read"),
        ..Extras::default()
    };
    extras.scores.retain(|score| keeps(&score.cell, &score.task));
    extras.pairs.retain(|pair| keeps(&pair.cell, &pair.task));
    extras.judgments.retain(|judgment| keeps(&judgment.cell, &judgment.task));
    writer.finish(Manifest::new(), &extras).expect("written");
}

#[test]
fn a_filtered_engine_equals_that_of_a_smaller_store() {
    let home = home();
    let store = demo(&home.path().join("whole.qualm"), 24);
    let keeps = |cell: &Cell, task: &str| {
        let number: usize = task.parse().expect("a number");
        (number + cell.model.len()) % 3 != 1
    };
    let path = home.path().join("some.qualm");
    smaller(&store, &path, keeps);
    let (whole, some) = (Engine::load(&store, None).expect("loaded"), engine(&path));
    let kept = |frame: &Frame| {
        let tasks = (0..).zip(frame.tasks.iter()).filter(|(_, task)| keeps(&frame.cell, &task.id));
        tasks.map(|(index, _)| index).collect::<Vec<u32>>()
    };
    let kept: Vec<Vec<u32>> = whole.frames().iter().map(kept).collect();
    let filtered = whole.filtered(&kept);
    let resampling = Resampling { resamples: 60, seed: 2 };
    assert_eq!(filtered.scorers(), some.scorers());
    for metric in Metric::ALL {
        let expected = some.grid(metric, Some(resampling));
        assert_eq!(filtered.grid(metric, Some(resampling)), expected);
        assert_ne!(whole.grid(metric, Some(resampling)), expected);
    }
    assert_eq!(filtered.judge_rows(Some(resampling)), some.judge_rows(Some(resampling)));
    let stuck =
        |engine: &Engine| engine.stuck_pairs(&engine.scopes(), &engine.consistency_ids(), None);
    assert_eq!(stuck(&filtered), stuck(&some));
    assert_eq!(filtered.sample_sensitivity(Metric::Prr), some.sample_sensitivity(Metric::Prr));
    // Row numbers still refer to the whole store.
    for (filtered_frame, (frame, kept)) in
        filtered.frames().iter().zip(whole.frames().iter().zip(&kept))
    {
        let expected = kept.iter().map(|task| &frame.tasks[*task as usize]);
        assert!(filtered_frame.tasks.iter().eq(expected));
        for (index, task) in kept.iter().enumerate() {
            let values = frame.turn_values(*task as usize, Base::Sp);
            assert_eq!(filtered_frame.turn_values(index, Base::Sp), values);
        }
    }
    let none = whole.filtered(&vec![Vec::new(); whole.frames().len()]);
    assert!(none.grid(Metric::Auroc, Some(resampling)).is_empty());
}

#[test]
fn damaged_tables_are_errors_and_never_panic() {
    let home = home();
    let path = home.path().join("s.qualm");
    demo(&path, 3);
    for name in ["trajectories", "turns", "scores", "pairs", "judgments"] {
        let table = path.join(name).with_extension("parquet");
        let bytes = fs::read(&table).expect("read");
        for at in (0..bytes.len()).step_by(bytes.len() / 80 + 1) {
            let mut bad = bytes.clone();
            bad[at] ^= 0x5a;
            fs::write(&table, &bad).expect("written");
            let store = Store::open(&path).expect("the manifest is whole");
            // Some changes only result in other values.
            if let Err(error) = Engine::load(&store, None) {
                let said = error.to_string();
                assert!(said.contains(&format!("{name}.parquet: ")), "byte {at}: {said}");
            }
        }
        fs::write(&table, &bytes).expect("written");
    }
}

#[test]
fn a_table_with_other_columns_is_named() {
    let home = home();
    let path = home.path().join("s.qualm");
    demo(&path, 2);
    let table = |name: &str| path.join(name).with_extension("parquet");
    let refusal = |name: &str, by: &str| {
        let bytes = fs::read(table(name)).expect("read");
        fs::copy(table(by), table(name)).expect("copied");
        let store = Store::open(&path).expect("the manifest is whole");
        let said = Engine::load(&store, None).expect_err("another table").to_string();
        fs::write(table(name), bytes).expect("written");
        said
    };
    for (name, by, what) in [
        ("turns", "scores", "turns.parquet: the column `scored_tokens` is missing"),
        ("trajectories", "scores", "trajectories.parquet: the column `success` is missing"),
        ("pairs", "turns", "pairs.parquet: the column `scorer` is missing"),
        ("judgments", "pairs", "judgments.parquet: the column `judge` is missing"),
        // Both have the columns, but with other types.
        ("scores", "pairs", "scores.parquet: the column `aggregator` is missing"),
    ] {
        let said = refusal(name, by);
        assert!(said.contains(what), "{said}");
    }
}
