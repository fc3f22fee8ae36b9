//! Scores that a user brings as a table: how rows find their runs, what is refused, and which way ranks.

use std::fs;
use std::path::Path;

use qualm::engine::Engine;
use qualm::metrics::Metric;
use qualm::model::{Cell, Head, Message, Role, Trajectory};
use qualm::scorers::Scorer;
use qualm::store::{Extras, Manifest, Store, StoreWriter, Values, write_parquet};
use serde_json::Value;

use crate::support::{assert_whole, home, run, text};

/// Two models with four tasks of two draws each; tasks 1 and 3 are solved. `fox` also has a task of its
/// own, which has a sample only, and one whose name begins like a formula.
fn store(home: &Path) {
    let mut writer = StoreWriter::create(&home.join("s.qualm")).expect("free");
    let mut push = |model: &str, task: &str, draw: u32, success: bool| {
        let mut head = Head::new(Cell::new("shop", model), task);
        head.draw = draw;
        head.outcome.success = Some(success);
        let messages = vec![Message::text(Role::Assistant, "Done.")];
        writer.push(Trajectory::new(head, messages, |_| None)).expect("pushed");
    };
    for model in ["owl", "fox"] {
        for task in 0..4 {
            (0..2).for_each(|draw| push(model, &task.to_string(), draw, task % 2 == 1));
        }
    }
    push("fox", "alone", 1, true);
    push("fox", "=5", 0, true);
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
}

fn import(home: &Path, name: &str, more: &[&str]) -> std::process::Output {
    run(home, &[&["import", name, "-o", "s.qualm"], more].concat())
}

/// Imports a table and returns what the program says.
fn imported(home: &Path, csv: &str, more: &[&str]) -> String {
    fs::write(home.join("mine.csv"), csv).expect("written");
    let out = import(home, "mine.csv", more);
    assert!(out.status.success(), "{}", text(&out.stderr));
    text(&out.stdout)
}

fn load(home: &Path) -> Engine {
    Engine::load(&Store::open(&home.join("s.qualm")).expect("a store"), None).expect("loaded")
}

fn auroc(engine: &Engine, scorer: &str, model: &str) -> Option<f64> {
    let numbers = engine.grid_of(&[Scorer::parse(scorer)], Metric::Auroc, None);
    let cell = engine.frames().iter().position(|frame| frame.cell.model == model).expect("a cell");
    numbers.iter().find(|number| number.cell == cell).and_then(|number| number.value)
}

#[test]
fn a_wide_table_is_joined_on_the_columns_it_has() {
    let home = home();
    store(home.path());
    let csv = ",task,model,mine,note,correct\n0,0,owl,0.1,a,0\n1,1,owl,0.9,b,1\n2,2,owl,,c,0\n\
               3,3,owl,1e3,d,1\n4,0,fox,-2,e,0\n5,'=5,fox,-3,f,1\n";
    let said = imported(home.path(), csv, &[]);
    assert!(said.contains("mine: 5 values, larger is more confident"), "{said}");
    assert!(said.contains("1 empty field skipped"), "{said}");
    assert!(said.contains("columns not read as scores: correct, note"), "{said}");
    assert_whole(&home.path().join("s.qualm"));
    let check = run(home.path(), &["check", "s.qualm"]);
    assert!(check.status.success(), "{}", text(&check.stdout));
    let engine = load(home.path());
    assert!(engine.scorers().contains(&Scorer::Stored("mine".to_owned())));
    assert_eq!(auroc(&engine, "mine", "owl"), Some(1.0));
    let settings = engine.manifest().scorers.get("mine").expect("kept");
    assert_eq!((settings.source.as_deref(), &settings.direction), (Some("mine.csv"), &None));
    // Other values of the same runs replace these; the others stay.
    let said = imported(home.path(), "task,model,mine\n0,owl,5\n", &[]);
    assert!(said.contains("1 older value replaced"), "{said}");
    assert_eq!(auroc(&load(home.path()), "mine", "owl"), Some(0.5));
}

#[test]
fn smaller_values_are_surer_where_the_user_says_so() {
    let home = home();
    store(home.path());
    let csv = "task,model,entropy\n0,owl,2.5\n1,owl,0.5\n2,owl,1.5\n3,owl,0.25\n";
    assert!(imported(home.path(), csv, &[]).contains("larger is more confident"));
    assert_eq!(auroc(&load(home.path()), "entropy", "owl"), Some(0.0));
    let said = imported(home.path(), csv, &["--smaller-is-surer", "entropy"]);
    assert!(said.contains("entropy: 4 values, smaller is more confident"), "{said}");
    let engine = load(home.path());
    assert_eq!(auroc(&engine, "entropy", "owl"), Some(1.0));
    let frame = engine.frames().iter().find(|frame| frame.cell.model == "owl").expect("a cell");
    let values = frame.values(&Scorer::parse("entropy")).expect("values");
    assert_eq!(
        (0..4).map(|task| values.confidence(task)).collect::<Vec<_>>(),
        [2.5, 0.5, 1.5, 0.25]
    );
    let narrowed = engine.filtered(&[vec![0, 1], vec![0, 1]]);
    assert_eq!(auroc(&narrowed, "entropy", "owl"), Some(1.0), "a filter keeps the direction");
    // The direction stays with the scorer, and the lists follow it.
    imported(home.path(), csv, &[]);
    let report =
        ["report", "s.qualm", "--table", "tasks", "--scorer", "entropy", "--format", "json"];
    let rows: Value = serde_json::from_str(&text(&run(home.path(), &report).stdout)).expect("JSON");
    let of = |task: &str| {
        let mut rows = rows.as_array().expect("rows").iter();
        rows.find(|row| row["task"] == task && row["model"] == "owl").expect("a row").clone()
    };
    assert_eq!((&of("3")["value"], &of("3")["rank"]), (&0.25.into(), &1.0.into()));
    assert_eq!((&of("0")["value"], &of("0")["rank"]), (&2.5.into(), &4.0.into()));
    // An entropy is no probability, wherever its values lie.
    let report =
        ["report", "s.qualm", "--scorer", "entropy", "--metric", "ece", "--format", "json"];
    let rows: Value = serde_json::from_str(&text(&run(home.path(), &report).stdout)).expect("JSON");
    assert!(rows.as_array().expect("rows").iter().all(|row| row["value"].is_null()), "{rows}");
    let out = import(home.path(), "mine.csv", &["--smaller-is-surer", "entrpy"]);
    assert!(text(&out.stderr).contains("the files have no such scorer"), "{}", text(&out.stderr));
}

#[test]
fn a_long_table_and_parquet_are_read_too() {
    let home = home();
    store(home.path());
    let csv = "dataset,model,task,draw,scorer,value\nshop,owl,1,0,a,0.5\nshop,owl,1,1,a,0.25\n\
               shop,fox,0,0,b,7\n";
    let said = imported(home.path(), csv, &[]);
    assert!(said.contains("a: 2 values") && said.contains("b: 1 value,"), "{said}");
    let columns = [
        ("model", Values::Text(vec![Some("owl".to_owned()), Some("fox".to_owned())])),
        ("task", Values::Count(vec![Some(2), Some(2)])),
        ("c", Values::Real(vec![Some(0.1 + 0.2), None])),
    ];
    let mut bytes = Vec::new();
    write_parquet(&mut bytes, 2, &columns).expect("written");
    fs::write(home.path().join("mine.parquet"), bytes).expect("written");
    let out = import(home.path(), "mine.parquet", &[]);
    assert!(text(&out.stdout).contains("c: 1 value,"), "{}", text(&out.stderr));
    let rows =
        Store::open(&home.path().join("s.qualm")).expect("a store").scores().expect("scores");
    let value =
        |scorer: &str| rows.iter().find(|row| row.scorer == scorer).and_then(|row| row.value);
    assert_eq!(value("c"), Some(0.1 + 0.2), "to the last bit");
    assert_eq!(rows.len(), 4);
    assert_whole(&home.path().join("s.qualm"));
    // What qualm exports, without what it computes, comes back.
    let export = ["export", "s.qualm", "--what", "scores", "--format", "csv", "-o", "out.csv"];
    assert!(run(home.path(), &export).status.success());
    let all = fs::read_to_string(home.path().join("out.csv")).expect("read");
    let brought =
        |line: &&str| line.starts_with("dataset") || line.contains(",a,") || line.contains(",b,");
    let lines: Vec<&str> = all.lines().filter(brought).collect();
    imported(home.path(), &lines.join("\n"), &[]);
}

#[test]
fn a_row_that_is_unknown_ambiguous_or_impossible_is_named_and_nothing_comes_in() {
    let home = home();
    store(home.path());
    for (csv, said) in [
        ("task,mine\n9,1\n", "line 2: there is no task 9"),
        ("task,model,mine\n1,owl,1\n1,bear,1\n", "line 3: there is no task bear / 1"),
        ("task,mine\n=5,1\n1,1\n", "line 3: task 1 is in 2 cells, such as shop/owl and shop/fox"),
        ("task,model,draw,mine\n1,owl,7,1\n", "line 2: shop/owl, task 1: there is no draw 7"),
        ("task,mine\nalone,1\n", "line 2: shop/fox, task alone: there is no reference"),
        (
            "task,model,mine\n1,owl,1\n1,owl,2\n",
            "line 3: shop/owl, task 1, draw 0: `mine` has two values",
        ),
        (
            "task,model,mine\n1,owl,1\n2,owl,inf\n",
            "line 3: shop/owl, task 2, draw 0: `mine` is inf",
        ),
        (
            "task,model,mine\n1,owl,1\n2,owl,x\n",
            "line 3: `mine` is `x`, which is not a valid number",
        ),
        ("task,model,mine\n,owl,1\n", "line 2: `task` is empty"),
        ("task,model,lnsp\n1,owl,1\n", "line 2: `lnsp` is a scorer that qualm computes"),
        ("task,model,lnsp.min\n1,owl,1\n", "line 2: `lnsp.min` is a scorer that qualm computes"),
        ("task,model,ptrue\n1,owl,1.5\n", "line 2: `ptrue` is 1.5, outside its range"),
        ("task,model,note\n1,owl,good\n", "has no column of numbers"),
        ("task,task,mine\n1,1,1\n", "has two columns `task`"),
        ("model,mine\nowl,1\n", "has no column `task`"),
        ("task,model,mine\n1,owl\n", "is not valid CSV ("),
    ] {
        fs::write(home.path().join("mine.csv"), csv).expect("written");
        let out = import(home.path(), "mine.csv", &[]);
        let words = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{csv}");
        assert!(words.contains("mine.csv") && words.contains(said), "{said:?} in {words}");
        let store = Store::open(&home.path().join("s.qualm")).expect("a store");
        assert!(store.scores().expect("scores").is_empty(), "{csv}");
    }
    fs::write(home.path().join("mine.parquet"), b"PAR1 nothing PAR1").expect("written");
    let words = text(&import(home.path(), "mine.parquet", &[]).stderr);
    assert!(words.contains("is not a Parquet table"), "{words}");
}
