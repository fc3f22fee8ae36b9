//! What harnesses checked: from result files through the store to filters, reports, exports and screens.

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;

use qualm::engine::{Column, Engine, Kept, TaskId, TaskQuery};
use qualm::import::{ImportOptions, import};
use qualm::model::{Check, Trajectory};
use qualm::store::Store;
use serde_json::{Value, json};

use crate::damage::{edit, rewrite};
use crate::explorer::{Driver, view};
use crate::support::{
    Imported, assert_whole, data, home, imported, rows, run, text, with_condition, with_reference,
};

/// A check in one line: its kind, whether it was met, what was expected, and the detail.
fn line(check: &Check) -> String {
    let met = match check.met {
        Some(true) => '✓',
        Some(false) => '✗',
        None => '·',
    };
    let arguments = check.arguments.as_deref().unwrap_or_default();
    let detail = check.detail.as_ref().map(|text| format!(" – {text}")).unwrap_or_default();
    format!("{met} {} {}{arguments}{detail}", check.kind.id(), check.expected)
}

fn lines(run: &Trajectory) -> Vec<String> {
    run.checks.iter().map(line).collect()
}

fn fixture() -> Imported {
    imported(&["tau2-checks.json"])
}

#[test]
fn every_check_of_tau2_comes_in_however_it_is_written() {
    let fixture = fixture();
    let run = fixture.trajectory("a", 0);
    assert_eq!(
        lines(&run),
        [
            "✗ database the final database equals the gold one",
            r#"✗ environment not is_charged{"sum":50} – the card was charged"#,
            "✓ environment is_open",
            r#"✓ action get_trip{"id":"ABC"}"#,
            r#"✗ action refund{"sum":50,"to":"card","note":"late"}"#,
            r#"✗ action send_mail{"to":"ada@example.org","copies":[1,2]}"#,
            "✓ language The agent is kind. – It says please.",
            "· language The agent asks for consent.",
            "✗ language The agent is brief. – It talks\nand talks.",
            "✗ communicated 50 – Not said.",
            "· communicated 7",
        ]
    );
    assert_eq!(run.checks[4].compared.as_deref(), Some(&["sum".to_owned(), "to".to_owned()][..]));
    let basis = run.head.outcome.basis.as_ref().expect("a basis");
    assert_eq!(basis.as_str(), "DB+COMMUNICATE+NL_ASSERTION");
    assert_eq!((run.head.outcome.db_match, run.head.outcome.db_graded), (Some(false), Some(true)));
}

#[test]
fn runs_without_recorded_checks_have_the_calls_of_their_task() {
    let fixture = fixture();
    assert_eq!(
        lines(&fixture.trajectory("a", 1)),
        [
            r#"· action get_trip{"id":"ABC"}"#,
            r#"· action refund{"sum":50,"to":"card","note":"late"}"#,
            r#"· action send_mail{"to":"ada@example.org","copies":[1,2]}"#,
            "✗ communicated COMMUNICATE – the harness gives 0 and no reason",
        ]
    );
    // The parts say what the reward is made of where the run does not.
    let basis = |task, draw| {
        let outcome = fixture.trajectory(task, draw).head.outcome;
        outcome.basis.map(|basis| basis.as_str().to_owned())
    };
    assert_eq!(basis("a", 1).as_deref(), Some("DB+COMMUNICATE"));
    assert_eq!(lines(&fixture.trajectory("b", 0)), [r#"· action get_trip{"id":"DEF"}"#]);
    assert_eq!((basis("b", 0), basis("b", 1).as_deref()), (None, Some("DB")), "not graded");
    assert!(fixture.trajectory("c", 0).checks.is_empty());
}

/// A tau-bench run of one task with this reward and what is known about it.
fn tau1(trial: i64, reward: f64, reward_info: &Value) -> Value {
    let actions = json!([{"name": "pay", "kwargs": {"sum": 5}}, {"name": "respond", "kwargs": {}}]);
    json!({"task_id": 0, "reward": reward, "trial": trial,
        "info": {"task": {"instruction": "Pay.", "actions": actions}, "reward_info": reward_info},
        "traj": [{"role": "system", "content": "# Shop Agent Policy"},
            {"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hi."}]})
}

#[test]
fn tau_bench_has_the_database_expected_calls_and_outputs() {
    let pay = json!([{"name": "pay", "kwargs": {"sum": 6}}, {"kwargs": {}}, null]);
    let given = |outputs: Value| json!({"info": {"r_outputs": 1, "outputs": outputs}});
    let runs = json!([
        tau1(0, 0.0, &json!({"info": {"r_actions": 0.0}, "actions": pay})),
        tau1(1, 1.0, &given(json!({"12": true, "3": "true"}))),
        // All was given, so it is the database that is wrong.
        tau1(2, 0.0, &given(json!({"12": true}))),
        tau1(3, 0.0, &given(json!({"12": false, "3": null}))),
        tau1(4, 0.0, &Value::Null),
    ]);
    let home = home();
    let (results, path) = (home.path().join("r.json"), home.path().join("s.qualm"));
    fs::write(&results, runs.to_string()).expect("written");
    import(&[results], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    let store = Store::open(&path).expect("a store");
    let checks: Vec<String> = (store.checks(&store.entries().expect("entries")).expect("checks"))
        .iter()
        .map(|checks| checks.iter().map(line).collect::<Vec<_>>().join("; "))
        .collect();
    let (good, bad) = ["✓", "✗"]
        .map(|mark| format!("{mark} database the final database equals the gold one"))
        .into();
    let pay = r#"· action pay{"sum":5}"#;
    assert_eq!(
        checks,
        [
            format!(r#"{bad}; · action pay{{"sum":6}}"#),
            format!("{good}; {pay}; ✓ communicated 12; ✓ communicated 3"),
            format!("{bad}; {pay}; ✓ communicated 12"),
            format!("{pay}; ✗ communicated 12; · communicated 3"),
            pay.to_owned(),
        ]
    );
}

#[test]
fn a_second_import_replaces_checks_and_keeps_those_of_other_runs() {
    let mut fixture = fixture();
    let before: Vec<_> = [("a", 0), ("a", 1), ("b", 1)]
        .map(|(task, draw)| fixture.trajectory(task, draw).checks)
        .into();
    fixture.add(&["tau2.json"], &ImportOptions::default());
    let after: Vec<_> = [("a", 0), ("a", 1), ("b", 1)]
        .map(|(task, draw)| fixture.trajectory(task, draw).checks)
        .into();
    assert_eq!(before, after);
    assert_whole(&fixture.path());
    // The same runs, graded otherwise.
    let changed = fs::read_to_string(data("tau2-checks.json")).expect("read");
    let changed = changed.replace("The agent is kind.", "The agent is calm.");
    let results = fixture.home.path().join("tau2-checks.json");
    fs::write(&results, changed).expect("written");
    import(&[results], &fixture.path(), &ImportOptions::default(), &|_| {}).expect("imported");
    let store = fixture.store();
    let checks = store.checks(&store.entries().expect("entries")).expect("checks").concat();
    let says = |words: &str| checks.iter().filter(|check| check.expected == words).count();
    assert_eq!((says("The agent is kind."), says("The agent is calm.")), (0, 1));
    assert_whole(&fixture.path());
}

#[test]
fn a_store_of_an_earlier_version_has_no_checks() {
    let mut fixture = fixture();
    fs::remove_file(fixture.path().join("checks.parquet")).expect("there");
    let columns = ["check_row", "check_rows", "reward_basis"];
    rewrite(&fixture.path().join("trajectories.parquet"), |frame| frame.drop_many(columns));
    edit(&fixture.path(), |manifest| {
        manifest.as_object_mut().expect("an object").remove("files");
        manifest["tables"].as_object_mut().expect("an object").remove("checks").expect("listed");
    });
    assert_whole(&fixture.path());
    assert!(!fixture.store().has_checks());
    let run = fixture.trajectory("a", 0);
    assert!(run.checks.is_empty() && run.head.outcome.basis.is_none());
    assert_eq!(run.head.outcome.db_graded, Some(true));
    let engine = Engine::load(&fixture.store(), None).expect("loaded");
    assert!(engine.frames()[0].tasks.iter().all(|task| task.checks.failed_names().is_none()));
    let report = rows(fixture.home.path(), &fixture.path(), &["--table", "checks"]);
    assert_eq!(report[0]["check"], "none");
    // A new import brings them.
    fixture.add(&["tau2-checks.json"], &ImportOptions::default());
    assert_eq!(fixture.trajectory("a", 0).checks.len(), 11);
    fixture.add(&["tau2-checks.json"], &with_condition("again"));
    assert_whole(&fixture.path());
}

#[test]
fn check_finds_damaged_checks() {
    let fixture = fixture();
    let path = fixture.path().join("checks.parquet");
    rewrite(&path, |frame| frame.reverse());
    let problems = qualm::store::check(&fixture.path(), &|_, _| ()).join("\n");
    assert!(problems.contains("checks: the file is not as qualm wrote it"), "{problems}");
    assert!(problems.contains("checks: row 0 is check 1 of trajectory 3"), "{problems}");
    rewrite(&path, |frame| frame.slice(0, 3));
    let problems = qualm::store::check(&fixture.path(), &|_, _| ()).join("\n");
    assert!(problems.contains("checks: has 3 rows, the trajectories need 18"), "{problems}");
    fs::remove_file(&path).expect("there");
    let problems = qualm::store::check(&fixture.path(), &|_, _| ()).join("\n");
    assert!(problems.contains("checks: the file is missing (18 rows were written)"), "{problems}");
    // Such a store is not rewritten: its checks would be gone for good.
    let results = [data("tau2.json")];
    let error = import(&results, &fixture.path(), &ImportOptions::default(), &|_| {});
    assert!(error.expect_err("refused").to_string().contains("the table checks is missing"));
}

#[test]
fn tasks_are_filtered_by_basis_and_failed_check() {
    let fixture = fixture();
    let kept = |expression: &str| {
        let args = ["export", "s.qualm", "--what", "tasks", "--select", expression];
        let out = run(fixture.home.path(), &args);
        assert!(out.status.success(), "{}", text(&out.stderr));
        let tasks = text(&out.stdout);
        tasks
            .lines()
            .skip(1)
            .map(|row| row.split(',').nth(3).unwrap_or("").to_owned())
            .collect::<String>()
    };
    assert_eq!(kept("basis = 'DB+COMMUNICATE+NL_ASSERTION'"), "a");
    assert_eq!(kept("failed_check = 'database+communicated+language'"), "a");
    assert_eq!(kept("contains(failed_check, 'language')"), "a");
    assert_eq!(kept("contains(failed_check, 'action')"), "", "not in the basis");
    assert_eq!(kept("failed_check is null"), "bc");
    assert_eq!(kept("basis is null"), "bc", "the reference of b is not graded");
}

#[test]
fn tasks_are_sorted_by_basis_and_failed_check() {
    let fixture = imported(&["tau2-checks.json", "tau2.json"]);
    let engine = Arc::new(Engine::load(&fixture.store(), None).expect("loaded"));
    let sorted = |sort: Column, descending: bool| {
        let scorer = qualm::scorers::Scorer::parse("turns");
        let (cell, before, extra) = (None, None, Vec::new());
        let query = TaskQuery { cell, scorer, before, extra, sort, descending };
        let all = Kept::all(engine.clone());
        let table = engine.task_table(&query, &all, &all, &HashSet::new());
        let task =
            |id: &TaskId| engine.frames()[id.cell as usize].tasks[id.task as usize].id.clone();
        table.rows.iter().map(task).collect::<String>()
    };
    assert!(sorted(Column::Basis, true).starts_with('a'));
    assert!(sorted(Column::FailedCheck, true).starts_with('a'));
    // The references of the other file fail nothing; of what is not known nothing is first.
    assert!(sorted(Column::FailedCheck, false).starts_with(['0', '1']));
}

#[test]
fn the_table_counts_kinds_by_basis() {
    let fixture = fixture();
    let report = rows(fixture.home.path(), &fixture.path(), &["--table", "checks"]);
    let row = |row: &Value| {
        let [basis, check, in_basis, judge] =
            ["basis", "check", "in_basis", "by_judge"].map(|key| row[key].clone());
        let counts = ["runs", "failures", "have", "failed", "alone"].map(|key| row[key].clone());
        json!([basis, check, in_basis, judge, counts]).to_string()
    };
    let found: Vec<String> = report.iter().map(row).collect();
    assert_eq!(
        found,
        [
            r#"[null,"action",null,false,[2,0,1,0,0]]"#,
            r#"["DB","database",true,false,[1,0,1,0,0]]"#,
            r#"["DB","action",false,false,[1,0,1,0,0]]"#,
            r#"["DB+COMMUNICATE","database",true,false,[1,1,0,0,0]]"#,
            r#"["DB+COMMUNICATE","action",false,false,[1,1,1,0,0]]"#,
            r#"["DB+COMMUNICATE","communicated",true,false,[1,1,1,1,1]]"#,
            r#"["DB+COMMUNICATE+NL_ASSERTION","database",true,false,[1,1,1,1,0]]"#,
            r#"["DB+COMMUNICATE+NL_ASSERTION","action",false,false,[1,1,1,1,0]]"#,
            r#"["DB+COMMUNICATE+NL_ASSERTION","environment",false,false,[1,1,1,1,0]]"#,
            r#"["DB+COMMUNICATE+NL_ASSERTION","communicated",true,false,[1,1,1,1,0]]"#,
            r#"["DB+COMMUNICATE+NL_ASSERTION","language",true,true,[1,1,1,1,0]]"#,
        ]
    );
}

#[test]
fn the_table_counts_every_run_once_where_no_draw_is_the_reference() {
    let home = home();
    let inputs = [data("tau2-checks.json")];
    let report = |reference: &str, scope: &[&str]| {
        let path = home.path().join(format!("{reference}.qualm"));
        if !path.exists() {
            import(&inputs, &path, &with_reference(reference), &|_| {}).expect("imported");
        }
        rows(home.path(), &path, &[&["--table", "checks"], scope].concat())
    };
    // Where every run counts, the tasks stand beside the runs.
    let mut pooled = report("all", &[]);
    for row in &mut pooled {
        let tasks = row.as_object_mut().expect("an object").remove("tasks");
        assert!(tasks.is_some_and(|tasks| tasks.as_u64() <= row["runs"].as_u64()));
    }
    assert_eq!(pooled, report("0", &[]));
    // The failed run of task a; its other draw succeeded.
    let failed = report("all", &["--where", "task = 'a' and success = false"]);
    assert!(!failed.is_empty());
    for row in failed {
        assert_eq!((&row["runs"], &row["failures"]), (&json!(1), &json!(1)), "{row}");
    }
}

#[test]
fn checks_are_exported_and_shown() {
    let fixture = fixture();
    let args = ["export", "s.qualm", "--what", "checks", "--format", "jsonl"];
    let out = text(&run(fixture.home.path(), &args).stdout);
    let exported: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(exported.len(), 18);
    let refund = json!({"dataset": "trips", "model": "owl-7b", "condition": "default",
        "task": "a", "draw": 0, "check": 4, "kind": "action", "in_basis": false,
        "expected": "refund", "arguments": r#"{"sum":50,"to":"card","note":"late"}"#,
        "met": false, "detail": null});
    assert_eq!(exported[4], refund);

    let show = |format: &str| {
        let args = ["show", "s.qualm", "--task", "a", "--draws", "0", "--format", format];
        text(&run(fixture.home.path(), &args).stdout)
    };
    let shown = show("text");
    for line in [
        "made of DB+COMMUNICATE+NL_ASSERTION, partly by a judge",
        "0│   ≠ expected: sum 50, not 40",
        "0│   language, by a judge, part of the reward",
        r#"0│     ✗ refund({"sum": 50, "to": "card", "note": "late"})"#,
        "0│       turn 2 has other arguments; expected sum 50, not 40",
        "0│       never made",
        "0│     · The agent asks for consent.",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    assert!(show("md").contains("≠ expected: `sum 50, not 40`"));
    let json: Value = serde_json::from_str(&show("json")).expect("JSON");
    let pane = &json["panes"][0];
    assert_eq!(
        (&pane["basis"], &pane["partly_judged"]),
        (&json!("DB+COMMUNICATE+NL_ASSERTION"), &json!(true))
    );
    let found: Vec<&Value> =
        pane["checks"].as_array().expect("a list").iter().map(|check| &check["found"]).collect();
    assert_eq!(found[3..6], [&json!("made"), &json!("otherwise"), &json!("never")]);
    let differences = json!([{"path": "sum", "expected": "50", "passed": "40"}]);
    assert_eq!(pane["checks"][4]["differences"], differences);
}

#[test]
fn compare_lists_the_checks_of_the_focused_run() {
    let fixture = fixture();
    let opened = |size| {
        let settings = json!({"screen": "compare", "task": "a", "draws": "0,1", "side": "on"});
        Driver::with(&fixture.path(), view(settings), &qualm::ui::theme::Theme::plain(), size)
    };
    let screen = opened((120, 70)).screen();
    insta::assert_snapshot!("compare-checks", screen);
    let mut driver = opened((120, 70));
    assert!(driver.screen().contains("checks of reference"));
    let other = driver.press("<Tab>");
    assert!(
        other.contains("checks of sample 1") && !other.contains("checks of reference"),
        "{other}"
    );
    // The page of the side pane has what the pane leaves out.
    let page = driver.press("<Tab>I");
    assert!(page.contains("It says please.") && !screen.contains("It says please."), "{page}");
    // With heads only the marks stay.
    let heads = opened((200, 24)).press("ZZG");
    assert!(heads.contains("refund ≠ expected"), "{heads}");
    assert!(
        heads.contains("2 expected calls never made") && !heads.contains("send_mail"),
        "{heads}"
    );
}

#[test]
fn voting_is_blind_to_checks() {
    let fixture = fixture();
    // Judges who disagree put the pair into the queue.
    let csv = "dataset,model,task,draw_b,judge,equivalent\ntrips,owl-7b,a,1,j,true\n\
               trips,owl-7b,a,1,k,false\n";
    let verdicts = fixture.home.path().join("v.csv");
    fs::write(&verdicts, csv).expect("written");
    qualm::import::import_verdicts(&[verdicts], &fixture.path()).expect("imported");
    let mut driver = Driver::new(&fixture.path(), 160, 60);
    let mut screen = driver.press("7<Enter>");
    assert_eq!(driver.app().screen, qualm::ui::Screen::Triage, "{screen}");
    for keys in ["", "Z", "Z", "G", "<Enter>", "<Esc>I", "<Esc>"] {
        screen += &driver.press(keys);
    }
    assert!(screen.contains("refund"), "the runs are there");
    for hidden in ["expected", "never made", "checks of", "made of", "judge decides"] {
        assert!(!screen.contains(hidden), "{hidden}\n{screen}");
    }
    // After the vote nothing is hidden.
    let voted = driver.press("=") + &driver.press("G");
    assert!(voted.contains("never made") || voted.contains("≠ expected"), "{voted}");
}
