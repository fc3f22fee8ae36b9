//! The engine and its reports on a small demo store and on imported results.

use std::path::Path;
use std::sync::OnceLock;

use qualm::engine::{Against, Column, Engine, JudgeSpec};
use qualm::metrics::Metric;
use qualm::metrics::bootstrap::Resampling;
use qualm::model::{Cell, Head, Judgment, Message, Role, Trajectory};
use qualm::report::{OutputFormat, TableKind, TableOptions, table};
use qualm::scorers::Scorer;
use qualm::store::{Extras, Manifest, Store, StoreWriter};
use serde_json::Value;

use crate::support::{demo_at, home, imported, run, text};

/// A demo store with 24 tasks per cell, made once.
fn store() -> &'static Path {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    static PATH: OnceLock<std::path::PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let home = MADE.get_or_init(home);
        let path = home.path().join("demo.qualm");
        demo_at(&path, 24);
        path
    })
}

fn engine() -> Engine {
    Engine::load(&Store::open(store()).expect("a store"), None).expect("loaded")
}

fn report(kind: TableKind, options: &TableOptions) -> Vec<Value> {
    let made = table(&kind.into(), &engine(), None, options).expect("a table");
    let json = made.render(OutputFormat::Json);
    serde_json::from_str(&json).expect("an array of objects")
}

fn quick() -> TableOptions {
    let resampling = Resampling { resamples: 50, seed: 1 };
    TableOptions { resampling, ..TableOptions::default() }
}

#[test]
fn the_grid_has_every_scorer_in_every_cell() {
    let engine = engine();
    // Those that are computed, and those whose values a model gives.
    let of_models = qualm::scorers::SPECS.iter().filter(|spec| spec.formula.is_none());
    let scorers = Scorer::offline().len() + of_models.count();
    assert_eq!((engine.frames().len(), engine.scorers().len()), (20, scorers));
    let grid = engine.grid(Metric::Auroc, Some(Resampling { resamples: 200, seed: 3 }));
    assert_eq!(grid.len(), 20 * scorers);
    for cell in &grid {
        let value = cell.value.expect("both classes");
        let interval = cell.interval.expect("resampled");
        assert!(interval.lo <= value + 1e-9 && value <= interval.hi + 1e-9, "{cell:?}");
        assert_eq!(cell.counts.tasks, 24);
        assert!(cell.counts.is_flagged());
    }
}

#[test]
fn columns_follow_the_scorers() {
    let mut engine = engine();
    let names = |engine: &Engine| {
        let names: Vec<String> = engine.columns().iter().map(Column::name).collect();
        assert!(engine.fields().iter().map(|field| &field.name).eq(&names));
        names
    };
    let before = names(&engine);
    let mut distinct = before.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), before.len(), "a name is given once");
    assert!(before.contains(&"sp_product".to_owned()) && before.contains(&"ncp".to_owned()));
    let whole = engine.clone();
    engine.add_scorer(Scorer::parse("lnsp.window-5"));
    assert!(names(&engine).contains(&"lnsp_window_5".to_owned()));
    engine.retain(|_| true, |scorer| scorer.id() == "aec");
    let mut expected: Vec<String> = Column::FIXED.iter().map(Column::name).collect();
    expected.push("aec".to_owned());
    assert_eq!(names(&engine), expected);
    assert_eq!(names(&whole), before, "a copy keeps its columns");
}

#[test]
fn intervals_are_the_same_on_one_thread_and_on_many() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let engine = engine();
        pool.install(|| {
            let resampling = Some(Resampling { resamples: 120, seed: 9 });
            Metric::ALL.map(|metric| engine.grid(metric, resampling))
        })
    };
    assert_eq!(on(1), on(5));
}

#[test]
fn intervals_do_not_depend_on_other_cells_and_scorers() {
    let (all, mut one) = (engine(), engine());
    one.retain(
        |cell| cell.dataset == "retail" && cell.model == "MiniMax-M3",
        |scorer| scorer.id() == "aec",
    );
    let resampling = Some(Resampling { resamples: 100, seed: 0 });
    let alone = one.grid(Metric::Auroc, resampling)[0].clone();
    let among = all.grid(Metric::Auroc, resampling).into_iter().find(|value| {
        all.frames()[value.cell].cell == one.frames()[0].cell
            && all.scorers()[value.scorer].id() == "aec"
    });
    assert_eq!(among.expect("there").interval, alone.interval);
}

#[test]
fn a_scorer_does_not_differ_from_itself() {
    let engine = engine();
    let scorer = &engine.scorers()[0];
    let resampling = Resampling { resamples: 60, seed: 0 };
    let difference =
        engine.difference(0, Metric::Auroc, scorer, scorer, resampling).expect("values");
    let interval = difference.interval.expect("resampled");
    assert!(
        difference.value.abs() < 1e-12 && interval.lo.abs() < 1e-12 && interval.hi.abs() < 1e-12
    );
}

#[test]
fn json_rows_have_the_documented_fields() {
    let promised: [(TableKind, &[&str]); 7] = [
        (
            TableKind::Grid,
            &[
                "dataset",
                "model",
                "condition",
                "scorer",
                "aggregator",
                "metric",
                "value",
                "lo",
                "hi",
                "n",
                "successes",
                "minority",
                "flagged",
            ],
        ),
        (
            TableKind::Tasks,
            &[
                "dataset",
                "model",
                "condition",
                "task",
                "success",
                "samples",
                "scorer",
                "aggregator",
                "value",
                "rank",
            ],
        ),
        (TableKind::StuckPairs, &["scope", "scorer", "outcome", "mean", "lo", "hi", "n"]),
        (TableKind::StuckTasks, &["scope", "scorer", "group", "mean", "lo", "hi", "n"]),
        (TableKind::Samples, &["dataset", "model", "condition", "scorer", "samples", "value"]),
        (
            TableKind::Judges,
            &[
                "judge",
                "against",
                "agreement",
                "kappa",
                "precision",
                "recall",
                "f1",
                "n",
                "unparsed",
            ],
        ),
        (
            TableKind::Cells,
            &[
                "dataset",
                "model",
                "condition",
                "tasks",
                "trajectories",
                "labelled",
                "successes",
                "turns_with_logprobs",
                "skipped",
            ],
        ),
    ];
    for (kind, fields) in promised {
        let rows = report(kind, &quick());
        assert!(!rows.is_empty(), "{kind:?}");
        for field in fields {
            assert!(rows.iter().all(|row| row.get(field).is_some()), "{kind:?} has no {field}");
        }
    }
}

#[test]
fn every_table_renders_in_every_format() {
    let engine = engine();
    for kind in TableKind::ALL {
        let made = table(&kind.into(), &engine, None, &quick()).expect("a table");
        for format in OutputFormat::TABLES {
            let text = made.render(format);
            // Nobody voted on the demo or marked anything in it, no two of its cells are named, and only the
            // store knows what turns did.
            let has_no_rows = matches!(
                kind,
                TableKind::Adjudication | TableKind::Locate | TableKind::Versus | TableKind::Tools
            );
            assert_eq!(made.is_empty(), has_no_rows, "{kind:?}");
            let is_long = text.lines().count() > 2;
            assert!(is_long || has_no_rows, "{kind:?} as {format:?}: {text}");
        }
        assert!(!made.title.is_empty() && made.scope == "20 cells, 480 tasks", "{kind:?}");
        let drawn = made.columns().iter().any(|column| column.name.ends_with("lo"));
        assert_eq!(made.provenance.resampling.is_some(), drawn, "{kind:?}");
        assert!(made.provenance.synthetic && !made.provenance.written_by.is_empty());
        assert!(!made.bytes(OutputFormat::Parquet).expect("Parquet").is_empty());
    }
}

#[test]
fn stuck_tables_count_every_pair_and_task_once() {
    let all = |rows: Vec<Value>| -> u64 {
        let counted =
            rows.into_iter().filter(|row| row["scope"] == "all" && row["scorer"] == "aec");
        counted.map(|row| row["n"].as_u64().expect("a count")).sum()
    };
    assert_eq!(all(report(TableKind::StuckPairs, &quick())), 20 * 24 * 3);
    assert_eq!(all(report(TableKind::StuckTasks, &quick())), 20 * 24);
}

#[test]
fn ter_depends_on_the_judge() {
    let store = Store::open(store()).expect("a store");
    let judges = engine().judges().to_vec();
    assert_eq!(judges.len(), 2);
    let ter = |judge: &str| {
        let mut engine = Engine::load(&store, Some(&JudgeSpec::parse(judge))).expect("loaded");
        engine.retain(|_| true, |scorer| scorer.id() == "ter");
        engine.grid(Metric::Auroc, None).into_iter().map(|value| value.value).collect::<Vec<_>>()
    };
    assert_ne!(ter(&judges[0]), ter(&judges[1]));
}

#[test]
fn one_class_is_explained_in_text_and_null_in_json() {
    let fixture = imported(&["tau2-runs"]);
    let out = run(fixture.home.path(), &["report", "s.qualm", "--scorer", "turns"]);
    assert!(text(&out.stdout).contains("n/a (all passed)"), "{}", text(&out.stdout));
    let out =
        run(fixture.home.path(), &["report", "s.qualm", "--scorer", "turns", "--format", "json"]);
    let rows: Vec<Value> = serde_json::from_slice(&out.stdout).expect("JSON");
    assert!(rows[0]["value"].is_null() && rows[0]["lo"].is_null());
    assert_eq!((rows[0]["n"].as_u64(), rows[0]["minority"].as_u64()), (Some(2), Some(0)));
    let fixture = imported(&["tau2-ungraded.json"]);
    let out = run(fixture.home.path(), &["report", "s.qualm", "--scorer", "turns"]);
    assert!(text(&out.stdout).contains("n/a (no labels)"), "{}", text(&out.stdout));
}

#[test]
fn unknown_names_are_errors() {
    let fixture = imported(&["tau2.json"]);
    for (args, part) in [
        (["--dataset", "moon"], "no cell fits"),
        (["--scorer", "moon"], "no such scorer"),
        (["--judge", "moon"], "there is no judge `moon`"),
    ] {
        let out = run(fixture.home.path(), &["report", "s.qualm", args[0], args[1]]);
        assert_eq!(out.status.code(), Some(1));
        assert!(text(&out.stderr).contains(part), "{}", text(&out.stderr));
    }
    assert_eq!(
        run(fixture.home.path(), &["report", "s.qualm", "--metric", "x"]).status.code(),
        Some(2)
    );
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_an_error() {
    let fixture = imported(&["tau2.json"]);
    let script = format!(
        "'{}' report s.qualm --table tasks | true; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_qualm")
    );
    let out = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(fixture.home.path())
        .output();
    let out = out.expect("bash");
    assert!(out.status.success() && out.stderr.is_empty(), "{}", text(&out.stderr));
}

#[test]
fn aggregators_beyond_the_paper_can_be_named() {
    let home = store().parent().expect("a folder");
    for name in ["lnsp.product", "sp.q10", "atn.softmin", "pm.softmin-2.5", "lnsp·window-2"] {
        let out = run(
            home,
            &["report", "demo.qualm", "--scorer", name, "--resamples", "0", "--format", "json"],
        );
        let rows: Vec<Value> = serde_json::from_slice(&out.stdout).expect(name);
        assert_eq!(rows.len(), 20, "{name}");
        assert!(rows.iter().all(|row| row["value"].is_number()), "{name}");
    }
}

#[test]
fn filters_narrow_every_table() {
    let home = store().parent().expect("a folder");
    let rows = |args: &[&str]| -> Vec<Value> {
        let out = run(home, &[&["report"], args, &["--format", "json"]].concat());
        serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{}", text(&out.stderr)))
    };
    assert_eq!(rows(&["demo.qualm", "--table", "cells", "--dataset", "airline"]).len(), 5);
    assert_eq!(rows(&["--published", "--dataset", "airline", "--scorer", "ter"]).len(), 5);
    assert_eq!(rows(&["--published", "--scorer", "sp.mean"]).len(), 20);
    let out = run(home, &["report", "--published", "--metric", "brier"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("the paper prints no brier"));
}

#[test]
fn the_demo_does_not_replace_a_store_it_cannot_open() {
    let fixture = imported(&["tau2.json"]);
    let manifest = fixture.path().join("manifest.json");
    let json = std::fs::read_to_string(&manifest).expect("read");
    std::fs::write(&manifest, json.replacen("\"version\": 1", "\"version\": 99", 1))
        .expect("written");
    let out = run(fixture.home.path(), &["demo", "--tasks", "1", "-o", "s.qualm"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(std::fs::read_to_string(&manifest).expect("read").contains("99"), "untouched");
}

/// Makes a store of pairs. Each is given by whether its reference and its sample reach the gold state,
/// and by the judge's verdict, none when it does not parse.
fn judged(pairs: &[(bool, bool, Option<bool>)]) -> (tempfile::TempDir, Engine) {
    let home = home();
    let path = home.path().join("s.qualm");
    let cell = Cell::new("d", "m");
    let mut writer = StoreWriter::create(&path).expect("free");
    let mut extras = Extras::default();
    for (task, (reference, sample, equivalent)) in pairs.iter().enumerate() {
        for (draw, reaches) in [(0, *reference), (1, *sample)] {
            let mut head = Head::new(cell.clone(), task.to_string());
            head.draw = draw;
            head.outcome.db_match = Some(reaches);
            let messages = vec![Message::text(Role::Assistant, "Done.")];
            writer.push(Trajectory::new(head, messages, |_| None)).expect("pushed");
        }
        let judgment = |judge: &str, equivalent| Judgment {
            cell: cell.clone(),
            task: task.to_string(),
            draw_a: 0,
            draw_b: 1,
            judge: judge.to_owned(),
            equivalent,
            confidence: None,
        };
        extras.judgments.push(judgment("one", *equivalent));
        extras.judgments.push(judgment("always", Some(true)));
    }
    writer.finish(Manifest::new(), &extras).expect("written");
    let engine = Engine::load(&Store::open(&path).expect("a store"), None).expect("loaded");
    (home, engine)
}

#[test]
fn judges_are_compared_with_the_database() {
    let (yes, no) = (Some(true), Some(false));
    let (_home, engine) = judged(&[
        (true, true, yes),
        (true, true, yes),
        (true, true, no),
        (true, false, yes),
        (false, true, no),
        (false, false, yes), // neither reaches it: left out
        (false, true, None), // did not parse: dropped and counted
    ]);
    let rows = engine.judge_rows(Some(Resampling { resamples: 50, seed: 0 }));
    let row = |judge: &str, against: &Against| {
        rows.iter().find(|row| row.judge == judge && row.against == *against).expect("a row")
    };
    let close = |value: Option<f64>, expected: f64| {
        let value = value.expect("defined");
        assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    };
    let one = row("one", &Against::Database);
    assert_eq!((one.n, one.unparsed), (5, 1));
    close(one.agreement.0, 3.0 / 5.0);
    close(one.precision.0, 2.0 / 3.0);
    close(one.recall.0, 2.0 / 3.0);
    close(one.f1.0, 2.0 / 3.0);
    // Both say yes in 3 of 5, so chance agreement is 0.36 + 0.16.
    close(one.kappa.0, (0.6 - 0.52) / 0.48);
    let between = row("one", &Against::Judge("always".to_owned()));
    assert_eq!(between.n, 6, "pairs that both judged, whatever the database says");
    close(between.agreement.0, 4.0 / 6.0);
    assert_eq!(between.precision.0, None);
    close(row("always", &Against::Database).recall.0, 1.0);
}

#[test]
fn ter_is_the_share_of_parsed_verdicts() {
    let (_home, engine) =
        judged(&[(true, true, Some(true)), (true, true, None), (true, true, Some(false))]);
    let ter = engine.scorers().iter().find(|scorer| scorer.id() == "ter").expect("judged");
    let values = engine.frames()[0].values(ter).expect("values").rank;
    assert!((values[0] - 1.0).abs() < 1e-12 && values[1].is_nan() && values[2].abs() < 1e-12);
}

#[test]
fn costs_count_trajectories_and_calls() {
    let rows = report(TableKind::Cost, &quick());
    let of = |family: &str| {
        let row = rows.iter().find(|row| row["family"] == family).expect(family);
        (row["extra_trajectories"].as_u64(), row["auxiliary_calls"].as_u64())
    };
    assert_eq!(of("white-box"), (Some(0), Some(0)));
    assert_eq!(of("reflexive"), (Some(0), Some(1)));
    assert_eq!(of("action-consistency"), (Some(3), Some(0)));
    assert_eq!(of("message-consistency"), (Some(3), Some(6)));
    assert_eq!(of("judged-consistency"), (Some(3), Some(3)));
}

#[test]
fn the_best_scorers_of_families_are_paired() {
    let (grid, paired) = (report(TableKind::Grid, &quick()), report(TableKind::Paired, &quick()));
    assert_eq!(paired.len(), 20);
    for row in &paired {
        let best = |ids: &[&str]| {
            let rows = grid.iter().filter(|other| {
                (&other["dataset"], &other["model"]) == (&row["dataset"], &row["model"])
                    && ids.iter().any(|id| other["scorer"] == *id)
            });
            rows.filter_map(|other| other["value"].as_f64()).fold(f64::NEG_INFINITY, f64::max)
        };
        let expected = best(&["ptrue", "vc"]) - best(&["ncp", "fac", "asc", "adc", "aec", "ter"]);
        let [value, lo, hi] = ["difference", "lo", "hi"].map(|key| row[key].as_f64().expect(key));
        assert!((value - expected).abs() < 1e-12, "{row}");
        assert!(lo <= value + 1e-9 && value <= hi + 1e-9, "{row}");
    }
}

#[test]
fn swings_span_the_papers_aggregators() {
    let (grid, swings) = (report(TableKind::Grid, &quick()), report(TableKind::Swing, &quick()));
    assert_eq!(swings.len(), 20 * 4);
    for row in &swings {
        let values = grid.iter().filter(|other| {
            ["dataset", "model", "scorer"].iter().all(|key| other[key] == row[key])
        });
        let values: Vec<f64> = values.filter_map(|other| other["value"].as_f64()).collect();
        let spread = values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
            - values.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((row["swing"].as_f64().expect("a number") - spread).abs() < 1e-12, "{row}");
    }
}
