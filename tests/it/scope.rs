//! Scope and selection: the scope narrows every number, the selection lists only.

use std::sync::Arc;

use proptest::prelude::*;
use qualm::engine::{Column, Engine, Kept, Noted, TaskQuery};
use qualm::filter::Filter;
use qualm::scorers::Scorer;
use qualm::store::{NamedKind, Store};
use qualm::ui::Screen;
use qualm::ui::theme::Theme;
use serde_json::json;

use crate::explorer::{Driver, demo, made, view};
use crate::support::{run, text};

/// Every number of Grid, Stuck, Judges and the triage queue.
fn numbers(driver: &mut Driver) -> String {
    driver.press("1");
    let shared = driver.shared();
    let mut all = Vec::new();
    for scorer in shared.scorers() {
        for cell in 0..shared.cells.len() {
            let number = shared.numbers.number(&scorer, cell);
            all.push(format!("{number:?} {:?}", shared.numbers.interval(&scorer, cell)));
        }
    }
    driver.press("6");
    all.push(format!("{:?}", driver.app().screens.stuck.numbers(driver.shared())));
    driver.press("7");
    all.push(format!("{:?}", driver.app().screens.judges.numbers(driver.shared())));
    all.join("\n")
}

#[test]
fn no_selection_changes_a_number_and_every_scope_does() {
    let mut driver = Driver::new(demo(), 120, 40);
    let all = numbers(&mut driver);
    let selections =
        ["success", "not success and quartile = 1", "turns > 8", "task = 'nowhere'", "rank <= 2"];
    for selection in selections {
        driver.press(&format!("&<Ctrl-u>{selection}<Enter>"));
        assert_eq!(driver.shared().lens.selection, selection);
        assert_eq!(numbers(&mut driver), all, "{selection}");
    }
    for key in ["f", "F", "u", "x", "X"] {
        driver.press("\\");
        driver.press(key);
        assert_ne!(driver.shared().lens.selection, "");
        assert_eq!(numbers(&mut driver), all, "{key}");
    }
    driver.press("&<Ctrl-u>turns > 8<Ctrl-s><Enter>");
    let some = numbers(&mut driver);
    assert_ne!(some, all);
    driver.press("f");
    assert_eq!(numbers(&mut driver), some, "in a scope, too");
    driver.press("%");
    assert_eq!(numbers(&mut driver), all);
}

fn engine() -> Arc<Engine> {
    let store = Store::open(demo()).expect("a store");
    Arc::new(Engine::load(&store, None).expect("loaded"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Ranks under a scope are those of a store that holds nothing else, whatever is selected.
    #[test]
    fn ranks_are_those_in_scope(least in 0..14u32, most in 4..16u32, scorer in 0..4usize) {
        let engine = engine();
        let scorer = Scorer::parse(["lnsp.min", "ter", "turns", "sp.mean"][scorer]);
        let before = Some(Scorer::parse("lnsp.mean"));
        let (extra, sort) = (Vec::new(), Column::Score);
        let query = TaskQuery { cell: None, scorer, before, extra, sort, descending: true };
        let parse = |source: &str| Filter::parse(source, &engine.fields()).expect("a condition");
        let noted = Noted::new();
        let scope = engine.keep(&parse(&format!("turns > {least}")), &query, &noted);
        let selection = parse(&format!("turns < {most} and quartile <= 2"));
        let selected = engine.keep_within(&scope, &selection, &query, &noted);
        let table = engine.task_table(&query, &scope, &selected, &noted);
        let alone = scope.engine();
        let all = Kept::all(alone.clone());
        let expected = alone.task_table(&query, &all, &all, &noted);
        prop_assert_eq!(table.total, expected.rows.len());
        let selected_alone = alone.keep(&selection, &query, &noted);
        prop_assert_eq!(selected.total(), selected_alone.total(), "quarters are those in scope");
        for id in &expected.rows {
            let whole = scope.whole_id(*id);
            prop_assert_eq!(table.score(whole), expected.score(*id));
            prop_assert_eq!(table.rank(whole), expected.rank(*id));
            prop_assert_eq!(table.moved(whole), expected.moved(*id));
            prop_assert_eq!(table.ranked(whole), expected.ranked(*id));
            prop_assert_eq!(table.range(whole.cell), expected.range(id.cell));
        }
    }
}

#[test]
fn the_top_line_counts_both_and_keeps_the_breadcrumb() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut driver = Driver::new(demo(), width, height);
        let top = |driver: &mut Driver, keys: &str| {
            let screen = driver.press(keys);
            screen.lines().next().expect("a line").to_owned()
        };
        let line = top(&mut driver, "f");
        let count = driver.shared().selected().expect("known").value.total();
        let expected = match width {
            80 => format!("& not success · {count} of 120 selected"),
            _ => format!("& not success · {count} selected · numbers on all 120 tasks"),
        };
        assert!(line.ends_with(&expected) && line.contains(" Grid"), "{line}");
        let line = top(&mut driver, "2");
        assert!(line.contains("bfcl-v4/gpt-4o-mini"), "{line}");
        assert!(line.contains(if width == 80 { " of 6 selected" } else { "numbers on all 6" }));
        // An expression that has no room in the top line has a line for itself.
        let below = driver.screen().lines().nth(2).expect("a line").to_owned();
        assert_eq!(
            below.starts_with(" selected  not success · \\ lifts it"),
            width == 80,
            "{below}"
        );
        let line = top(&mut driver, "1\\&turns > 8<Ctrl-s><Enter>");
        let count = driver.shared().kept().expect("known").value.total();
        assert!(line.ends_with(&format!("numbers on {count} of 120 tasks")), "{line}");
        let line = top(&mut driver, "f");
        let selected = driver.shared().selected().expect("known").value.total();
        let expected = match width {
            80 => format!("{selected} selected · scope {count} of 120"),
            _ => format!("{selected} selected · numbers on {count} of 120"),
        };
        assert!(line.contains(&expected), "{line}");
    }
}

#[test]
fn a_crowded_top_line_still_says_that_the_data_are_synthetic() {
    let mut driver = Driver::new(demo(), 80, 24);
    let screen = driver.press("1Pjf&turns > 2<Ctrl-s><Enter>");
    let top = screen.lines().next().expect("a line");
    assert!(top.starts_with(" qualm  synthetic  "), "{top}");
}

#[test]
fn a_crowded_top_line_names_where_one_is_and_counts_below() {
    let mut driver = Driver::new(demo(), 80, 24);
    driver.press("2J&turns > 2<Ctrl-s><Enter>f");
    for (keys, here) in
        [("2", "gpt-4o-mini"), ("3", "task "), ("4", "gpt-4o-mini"), ("7", "gpt-4o-mini")]
    {
        let screen = driver.press(keys);
        let mut lines = screen.lines();
        let top = lines.next().expect("a line");
        assert!(top.contains(here) && top.contains("TER by "), "{screen}");
        let counted = lines.any(|line| line.contains(" selected · ") && line.contains(" lifts it"));
        assert!(counted, "{screen}");
    }
}

#[test]
fn a_scope_by_outcome_says_so_and_one_outcome_is_explained() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut driver = Driver::new(demo(), width, height);
        let screen = driver.press("&turns > 2<Ctrl-s><Enter>");
        assert!(screen.contains("scope  turns > 2 · % lifts it"), "{screen}");
        for keys in ["&<Ctrl-s><Ctrl-u>not success<Enter>", "4"] {
            let screen = driver.press(keys);
            let line = screen.lines().nth(2).expect("a line");
            let expected = "not success · depends on outcomes · leaves only failures · % lifts it";
            assert!(line.contains(expected), "{line}");
            let said = screen.split_whitespace().collect::<Vec<_>>().join(" ");
            let sentence = "The scope leaves only failures, so no scorer has AUROC here: % lifts";
            assert!(said.contains(sentence), "{screen}");
            assert!(!screen.contains("n/a"), "{screen}");
        }
        let screen = driver.press("%");
        assert!(!screen.contains("only failures") && screen.contains("swing"), "{screen}");
    }
}

#[test]
fn presets_work_on_every_screen_and_combine() {
    let mut driver = Driver::new(demo(), 120, 40);
    for (screen, keys) in [
        (Screen::Cells, "0"),
        (Screen::Grid, "1"),
        (Screen::Tasks, "2"),
        (Screen::Compare, "3"),
        (Screen::Aggregators, "4"),
        (Screen::Curves, "5"),
        (Screen::Stuck, "6"),
        (Screen::Judges, "7"),
    ] {
        driver.press(keys);
        assert_eq!(driver.app().screen, screen);
        driver.press("x");
        assert_eq!(driver.shared().lens.selection, "solved > 0 and solved < draws");
        let lists = matches!(screen, Screen::Tasks | Screen::Compare | Screen::Aggregators);
        assert_eq!(driver.shared().notice.is_none(), lists, "{screen:?} says where it is seen");
        driver.press("f");
        let both = "(solved > 0 and solved < draws) and not success";
        assert_eq!(driver.shared().lens.selection, both);
        driver.press("xf");
        assert_eq!(driver.shared().lens.selection, "");
    }
    driver.press("2v&turns > 5 or tools > 9<Enter>f");
    assert_eq!(driver.shared().lens.selection, "(turns > 5 or tools > 9) and not success");
    let rows = driver.shared().current_table().expect("a table").rows.clone();
    driver.press("g<Enter>L");
    assert_eq!(driver.shared().task, Some(rows[1]), "neighbours are the selected ones");
    driver.press("4");
    let table = driver.app().screens.aggregators.table().expect("a table");
    assert!(table.rows.iter().all(|id| rows.contains(id)), "and so is the list of ranks");
}

#[test]
fn the_prompt_says_what_it_narrows_and_how_many_tasks_are_left() {
    let mut driver = Driver::new(demo(), 120, 40);
    let prompt = |driver: &mut Driver, keys: &str| {
        let screen = driver.press(keys);
        screen.lines().rev().take(2).collect::<Vec<_>>().join("\n")
    };
    let shown = prompt(&mut driver, "&task = '3'");
    assert!(shown.contains(" select & task = '3'"), "{shown}");
    assert!(shown.contains("lists 20 of 120 tasks"), "{shown}");
    let shown = prompt(&mut driver, "<Ctrl-s>");
    assert!(shown.contains(" scope & task = '3'"), "{shown}");
    assert!(shown.contains("numbers on 20 of 120 tasks"), "{shown}");
    driver.press("<Enter>&turns > 3<Enter>");
    let lens = &driver.shared().lens;
    assert_eq!((lens.scope.as_str(), lens.selection.as_str()), ("task = '3'", "turns > 3"));
    let shown = prompt(&mut driver, "&<Ctrl-s>");
    assert!(shown.contains(" scope & task = '3'"), "the scope as it is: {shown}");
    driver.press("<Esc>");
    // What was typed comes back, the newest first, and after it what is being typed.
    for (keys, expected) in [
        ("&<Ctrl-u>rank<Up>", "select & turns > 3"),
        ("<Up>", "select & task = '3'"),
        ("<Up>", "select & task = '3'"),
        ("<Down>", "select & turns > 3"),
        ("<Down>", "select & rank"),
        ("<Esc>2/<Up>", " /"),
    ] {
        let shown = prompt(&mut driver, keys);
        assert!(shown.contains(expected), "{keys}: {shown}");
    }
}

#[test]
fn names_are_kept_with_the_store() {
    let (_home, path) = made(2);
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press(":keep the selection<Enter>");
    assert!(screen.contains("there is no selection to name"), "{screen}");
    driver.press("&turns > 3<Enter>:keep the selection<Enter>long runs<Enter>");
    let screen = driver.screen();
    assert!(screen.contains("kept with the store as “long runs”"), "{screen}");
    driver.press("&<Ctrl-u>turns > 5<Ctrl-s><Enter>:keep the scope<Enter>longer<Enter>");
    let named = Store::open(&path).expect("a store").named_tasks().expect("read");
    let kinds: Vec<_> = named.iter().map(|one| (one.kind, one.expression.as_str())).collect();
    assert_eq!(kinds, [(NamedKind::Selection, "turns > 3"), (NamedKind::Scope, "turns > 5")]);
    let mut again = Driver::new(&path, 120, 40);
    assert_eq!(again.shared().lens.selection, "", "nothing comes back unasked");
    again.press("&long<Tab><Enter>");
    assert_eq!(again.shared().lens.selection, "turns > 3", "a name in the prompt");
    again.press(":scope longer<Enter>");
    assert_eq!(again.shared().lens.scope, "turns > 5", "and in the palette");
    again.press(":withdraw the scope longer<Enter>");
    assert_eq!(Store::open(&path).expect("a store").named_tasks().expect("read").len(), 1);
    let out = run(path.parent().expect("a folder"), &["score", "demo.qualm"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(Store::open(&path).expect("a store").named_tasks().expect("read").len(), 1);
}

#[test]
fn old_states_and_flags_are_read() {
    let old = view(json!({"filter": "not success", "scope": "dataset", "screen": "tasks"}));
    assert_eq!((old.lens.selection.as_deref(), old.lens.scope.as_deref()), (None, None));
    let mut driver = Driver::with(demo(), old, &Theme::plain(), (120, 40));
    driver.press("6Y");
    let command = driver.0.copied.clone().expect("copied");
    assert!(command.ends_with(" --cells dataset"), "{command}");
    let home = demo().parent().expect("a folder");
    let shot = |flags: &[&str]| {
        let out = run(home, &[&["shot", "demo.qualm", "--screen"], flags].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    let old = shot(&["tasks", "--filter", "not success", "--scope", "model"]);
    assert_eq!(old, shot(&["tasks", "--select", "not success", "--cells", "model"]));
    assert!(old.contains("selected · numbers on all 6"), "{old}");
    let scoped = shot(&["tasks", "--where", "turns > 2"]);
    assert!(scoped.contains("scope  turns > 2") && scoped.contains("numbers on"), "{scoped}");
    let out = run(home, &["shot", "demo.qualm", "--where", "turn > 2"]);
    assert!(text(&out.stderr).contains("--where: unknown column `turn`"), "{out:?}");
    let help = text(&run(home, &["shot", "--help"]).stdout);
    assert!(help.contains("--where <EXPR>") && !help.contains("--filter"), "{help}");
}

#[test]
fn reports_and_exports_narrow_numbers_and_rows() {
    let home = demo().parent().expect("a folder");
    let rows = |args: &[&str]| -> Vec<serde_json::Value> {
        let out = run(home, &[args, &["--format", "json"]].concat());
        serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{}", text(&out.stderr)))
    };
    let table = |more: &[&str]| {
        let base = ["report", "demo.qualm", "--scorer", "lnsp.min", "--resamples", "0", "--table"];
        rows(&[&base, more].concat())
    };
    let all = table(&["tasks"]);
    let some = table(&["tasks", "--select", "not success"]);
    assert!(!some.is_empty() && some.len() < all.len());
    assert!(some.iter().all(|row| all.contains(row) && row["success"] == false), "same ranks");
    assert_eq!(table(&["tasks", "--filter", "not success"]), some, "the old spelling");
    let scoped = table(&["tasks", "--where", "not success"]);
    assert_eq!(scoped.len(), some.len());
    assert_ne!(scoped, some, "ranks are those in scope");
    let n =
        |rows: &[serde_json::Value]| rows.iter().map(|row| row["n"].as_u64()).sum::<Option<u64>>();
    assert!(n(&table(&["grid", "--where", "turns > 8"])) < n(&table(&["grid"])));
    let out = run(home, &["report", "demo.qualm", "--select", "not success"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("the table grid lists none"), "{out:?}");
    let out = run(home, &["report", "demo.qualm", "--where", "not success", "--resamples", "0"]);
    assert!(text(&out.stderr).contains("--where depends on outcomes"), "{out:?}");
    let lines = |what: &str, more: &[&str]| -> Vec<serde_json::Value> {
        let base = ["export", "demo.qualm", "--format", "jsonl", "--what", what];
        let out = run(home, &[&base, more].concat());
        let written = text(&out.stdout);
        written.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    };
    for what in ["tasks", "scores", "judgments"] {
        let all = lines(what, &[]);
        let some = lines(what, &["--select", "task = '3'"]);
        let expected = all.iter().filter(|row| row["task"] == "3").cloned().collect::<Vec<_>>();
        assert!(!some.is_empty() && some == expected, "{what}");
        let scoped = lines(what, &["--where", "task = '3'"]);
        assert_eq!(scoped.len(), some.len(), "{what}");
    }
}

#[test]
fn a_scope_leads_to_a_cell_in_it() {
    let mut driver = Driver::new(demo(), 120, 40);
    let dataset = |driver: &Driver| driver.shared().cells[driver.shared().cell].dataset.clone();
    assert_ne!(dataset(&driver), "retail");
    driver.press("&dataset = 'retail'<Ctrl-s><Enter>");
    assert_eq!(dataset(&driver), "retail");
    let out = run(
        demo().parent().expect("a folder"),
        &["report", &demo().display().to_string(), "--where", "dataset = 'nowhere'"],
    );
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("no task fits it"), "{out:?}");
}

#[test]
fn visiting_aggregators_leaves_the_lens() {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("ster<Enter>4");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·min", "a base score stands in");
    assert_eq!(driver.app().view().lens.scorer.as_deref(), Some("ter"));
    for keys in ["1", "4<Esc>", "42", "4<Enter>"] {
        driver.press(keys);
        assert_eq!(driver.shared().lens.scorer.to_string(), "ter", "{keys}");
    }
    driver.press("4a1");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·late", "chosen there");
}

/// A scope that leaves one outcome is explained on every screen whose numbers or pairs it concerns.
#[test]
fn one_outcome_is_explained_where_it_matters() {
    let mut driver = Driver::new(demo(), 120, 24);
    driver.press("&not success<Ctrl-s><Enter>");
    for (keys, sentence) in [
        ("1", "so no scorer has AUROC here: % lifts the scope."),
        ("4", "so no scorer has AUROC here: % lifts"),
        ("6", "The scope leaves only failures, so no scorer has AUROC here: % lifts the scope."),
        ("7", "The scope leaves only failures, so TER has no AUROC here: % lifts the scope."),
        (
            "7<Enter>",
            "The scope depends on outcomes or verdicts, and so reveals something of its pairs",
        ),
        ("0", "not here: this screen shows the whole store · % lifts it"),
    ] {
        let screen = driver.press(keys);
        assert!(screen.contains(sentence), "{keys}: {screen}");
    }
    let screen = driver.press("7%");
    assert!(!screen.contains("The scope leaves"), "{screen}");
    // Both outcomes are left: nothing to explain.
    for keys in ["&turns > 0<Ctrl-s><Enter>", "6", "7"] {
        let screen = driver.press(keys);
        assert!(!screen.contains("The scope leaves"), "{keys}: {screen}");
    }
}
