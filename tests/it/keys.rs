//! What keys do to the state of the explorer.

use crossterm::event::{MouseButton, MouseEventKind};
use qualm::engine::Engine;
use qualm::metrics::Metric;
use qualm::metrics::bootstrap::Resampling;
use qualm::report::{self, GridRow as Row, Show, TableKind, TableOptions};
use qualm::store::Store;
use qualm::ui::screens::aggregators::Pane;
use qualm::ui::screens::grid::Grid;
use qualm::ui::theme::Theme;
use qualm::ui::{Screen, View};
use serde_json::json;

use crate::explorer::{Driver, RESAMPLES, demo, view};

fn open() -> Driver {
    Driver::new(demo(), 120, 40)
}

/// The rank of the selected task in the table.
fn rank(driver: &Driver) -> f64 {
    let app = driver.app();
    app.shared
        .tasks
        .table()
        .expect("a table")
        .rank(app.shared.task.expect("a task"))
        .expect("a rank")
}

#[test]
fn the_row_of_the_grid_sets_the_lens() {
    let mut driver = open();
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·min");
    driver.press("j");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·late");
    driver.press("kk");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·mean");
    driver.press("G");
    assert_eq!(driver.shared().lens.scorer.to_string(), "tools");
    driver.press("gll");
    assert_eq!(
        (driver.shared().lens.scorer.to_string(), driver.shared().cell),
        ("sp·first".to_owned(), 2)
    );
    driver.press("<Left><Left><Left>");
    assert_eq!(driver.shared().cell, 0, "stays on the first");
}

#[test]
fn every_screen_follows_the_lens() {
    let mut driver = open();
    let rules = ["late", "last", "product", "q10", "softmin-10", "window-3", "first"];
    for rule in rules {
        driver.press("a");
        assert_eq!(driver.shared().lens.scorer.to_string(), format!("lnsp·{rule}"));
    }
    assert_eq!(driver.press("A").matches("LNSP·window-3").count(), 3, "lens, row and detail");
    driver.press("m");
    assert_eq!(driver.shared().lens.metric, Metric::Auprc);
    driver.press("MM");
    assert_eq!(driver.shared().lens.metric, Metric::Brier);
    let screen = driver.press("2");
    assert!(screen.contains("LNSP·window-3 · BRIER"), "{screen}");
    driver.press("1G");
    let screen = driver.press("a");
    assert!(screen.contains("only white-box scores are aggregated"), "{screen}");
}

#[test]
fn choosing_a_scorer_previews_it_and_escape_restores_the_old() {
    let mut driver = open();
    driver.press("ster");
    assert_eq!(driver.shared().lens.scorer.to_string(), "ter");
    driver.press("<Esc>");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·min");
    driver.press("ster<Enter>");
    assert_eq!(driver.shared().lens.scorer.to_string(), "ter");
    driver.press(":metric prr<Enter>");
    assert_eq!(driver.shared().lens.metric, Metric::Prr);
}

#[test]
fn enter_drills_down_and_escape_returns() {
    let mut driver = open();
    driver.press("lll<Enter>");
    assert_eq!(driver.app().screen, Screen::Tasks);
    assert_eq!(driver.app().shared.task_query().cell, Some(3));
    driver.press("jj");
    let task = driver.shared().task;
    driver.press("<Enter>");
    assert_eq!((driver.app().screen, driver.shared().task), (Screen::Compare, task));
    driver.press("<Esc><Esc>");
    assert_eq!((driver.app().screen, driver.shared().cell), (Screen::Grid, 3));
    driver.press("<Esc>");
    assert_eq!(driver.app().screen, Screen::Grid, "there is no further back");
}

#[test]
fn tasks_are_sorted_by_confidence_and_can_be_reversed() {
    let mut driver = open();
    driver.press("<Enter>");
    assert!((rank(&driver) - 1.0).abs() < 1e-9);
    driver.press("Rg");
    assert!((rank(&driver) - 6.0).abs() < 1e-9);
    driver.press("rturns<Enter>g");
    let app = driver.app();
    let turns = |id| app.shared.task_of(id).and_then(|task| task.turns).expect("a reference");
    let all: Vec<u32> =
        app.shared.tasks.table().expect("a table").rows.iter().map(|id| turns(*id)).collect();
    assert!(all.is_sorted_by(|a, b| a >= b), "{all:?}");
}

#[test]
fn moves_are_relative_to_the_previous_lens() {
    let mut driver = open();
    driver.press("<Enter>");
    let id = driver.shared().task.expect("a task");
    let table = |driver: &Driver| driver.shared().tasks.table().expect("a table").clone();
    assert_eq!(table(&driver).moved(id), None);
    let before = table(&driver).rank(id).expect("a rank");
    driver.press("a");
    let after = table(&driver).rank(id).expect("a rank");
    assert_eq!(table(&driver).moved(id), Some(before - after));
    assert_eq!(driver.shared().task, Some(id), "the task stays selected");
}

#[test]
fn an_expression_is_checked_while_it_is_typed_and_selects_or_narrows_every_number() {
    let mut driver = open();
    let number = |driver: &Driver| driver.shared().numbers.number(&driver.shared().lens.scorer, 0);
    let all = number(&driver).expect("a number");
    let screen = driver.press("&turns > 'x'");
    assert!(screen.contains("number") && screen.contains("text"), "{screen}");
    assert_eq!(driver.press("<Enter>").lines().next(), screen.lines().next(), "not applied");
    driver.press("<Esc>&not suc<Tab><Enter>");
    assert_eq!(driver.shared().lens.selection, "not success");
    assert_eq!(number(&driver), Some(all), "a selection changes no number");
    let failures = all.counts.tasks - all.counts.successes;
    let screen = driver.press("2");
    let rows = driver.shared().tasks.table().expect("a table").rows.len();
    assert_eq!(rows, failures);
    assert!(screen.contains(&format!("{rows} selected · numbers on all 6")), "{screen}");
    driver.press("f");
    assert_eq!(driver.shared().lens.selection, "", "the preset is part of it, and lifted");
    driver.press("1&not success<Ctrl-s><Enter>");
    let lens = &driver.shared().lens;
    assert_eq!((lens.selection.as_str(), lens.scope.as_str()), ("", "not success"));
    let some = number(&driver).expect("a number");
    assert_eq!((some.counts.successes, some.counts.tasks), (0, failures));
    driver.press("%");
    assert_eq!((driver.shared().lens.scope.as_str(), number(&driver)), ("", Some(all)));
}

#[test]
fn presets_select_tasks() {
    let mut driver = open();
    driver.press("<Enter>v");
    let expect = [
        ("f", "not success"),
        ("F", "not success and quartile = 1"),
        ("u", "success and quartile = 4"),
        ("x", "solved > 0 and solved < draws"),
        ("X", "solved = 0 and draws > 1 and agreement >= 0.75"),
    ];
    for (key, selection) in expect {
        driver.press(&format!("\\{key}"));
        assert_eq!(driver.shared().lens.selection, selection);
        let app = driver.app();
        let table = app.shared.tasks.table().expect("a table");
        assert!((1..table.total).contains(&table.rows.len()), "{selection}");
        for id in &table.rows {
            let task = app.shared.task_of(*id).expect("a task");
            // Of six tasks without ties, the top quarter is the first, the bottom quarter the last.
            let rank = table.rank(*id).expect("a rank");
            let frame = &app.shared.engine().expect("loaded").frames()[id.cell as usize];
            let fits = match key {
                "f" => task.success == Some(false),
                "F" => task.success == Some(false) && rank < 1.5,
                "u" => task.success == Some(true) && rank > 5.5,
                "x" => (1..task.draws()).contains(&task.solved()),
                _ => task.solved() == 0 && frame.agreement(id.task as usize) >= 0.75,
            };
            assert!(fits, "{selection}: {task:?}");
        }
    }
    let screen = driver.press("&<Ctrl-u>task = 'nowhere'<Enter>");
    assert!(screen.contains("fits the selection `task = 'nowhere'`"), "{screen}");
}

#[test]
fn an_empty_scope_is_named_on_every_screen_of_tasks() {
    for name in ["tasks", "compare", "aggregators"] {
        let settings = view(json!({"screen": name, "where": "task = 'nowhere'"}));
        let mut driver = Driver::with(demo(), settings, &Theme::plain(), (200, 40));
        let screen = driver.screen();
        assert!(
            screen.contains("No task here fits the scope `task = 'nowhere'`: % lifts"),
            "{screen}"
        );
    }
}

#[test]
fn search_finds_ids_and_texts_and_keeps_the_filter() {
    let mut driver = open();
    driver.press("<Enter>v/3<Enter>");
    let found = |driver: &Driver| {
        driver.shared().task_of(driver.shared().task.expect("a task")).expect("there").id.clone()
    };
    assert_eq!(found(&driver), "3");
    let rows = driver.shared().tasks.table().expect("a table").rows.len();
    assert_eq!(rows, 120, "nothing is filtered");
    let first = driver.shared().task;
    driver.press("n");
    assert!(driver.is_on_hit());
    assert_ne!(driver.shared().task, first, "the next one");
    driver.press("N");
    assert_eq!(driver.shared().task, first);
    driver.press("<Esc>/issue_travel_credit<Enter>");
    let app = driver.app();
    let id = app.shared.task.expect("a task");
    assert_eq!(app.shared.cells[id.cell as usize].dataset, "airline");
    assert!((app.screens.tasks.search.done() - 1.0).abs() < 1e-9);
    driver.press("/<Ctrl-u>qqqqq<Esc>");
    assert_eq!(
        driver.app().screens.tasks.search.words,
        "issue_travel_credit",
        "what was there before"
    );
    driver.press("<Esc>");
    assert!(driver.app().screens.tasks.search.words.is_empty());
}

#[test]
fn pinning_shows_paired_differences() {
    let mut driver = open();
    driver.press("P");
    let pinned = driver.shared().lens.scorer.clone();
    assert_eq!(Grid::value(&pinned, 0, driver.shared()), Some(0.0));
    let screen = driver.press("j");
    let app = driver.app();
    let numbers = &app.shared.numbers;
    let (value, other) = (numbers.value(&app.shared.lens.scorer, 0), numbers.value(&pinned, 0));
    let difference = value.expect("a value") - other.expect("a value");
    assert_eq!(Grid::value(&app.shared.lens.scorer, 0, &app.shared), Some(difference));
    assert!(screen.contains("difference to LNSP·min"), "{screen}");
    assert!(screen.contains("decisive"), "{screen}");
    driver.press("kP");
    assert_eq!(driver.shared().lens.pinned, None);
}

#[test]
fn the_grid_sorts_and_folds() {
    let mut driver = open();
    driver.press("ri");
    let app = driver.app();
    assert_eq!(app.shared.lens.show, Show::HalfRange);
    let rows = app.screens.grid.rows(&app.shared);
    let values: Vec<f64> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Scorer(scorer) => app.shared.numbers.value(scorer, app.shared.cell),
            _ => None,
        })
        .collect();
    assert!(values.len() > 30 && values.is_sorted_by(|a, b| a >= b), "{values:?}");
    driver.press("rR");
    let app = driver.app();
    let columns = app.screens.grid.columns(&app.shared);
    let across: Vec<f64> = columns
        .iter()
        .filter_map(|cell| app.shared.numbers.value(&app.shared.lens.scorer, *cell))
        .collect();
    assert!(across.len() > 5 && across.is_sorted_by(|a, b| a >= b), "{across:?}");
    let rows = app.screens.grid.rows(&app.shared).len();
    driver.press("Rz");
    assert_eq!(
        driver.app().screens.grid.rows(driver.shared()).len(),
        rows - 24,
        "24 white-box rows are one"
    );
    let screen = driver.screen();
    assert!(screen.contains("white-box ▸24"), "{screen}");
    driver.press("z");
    assert_eq!(driver.app().screens.grid.rows(driver.shared()).len(), rows);
}

#[test]
fn aggregators_are_explained() {
    let mut driver = open();
    driver.press("4aaaaa");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·softmin-10");
    driver.press("++");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·softmin-20");
    driver.press("-----------------");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·softmin-0.5");
    driver.press("a-");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·window-2");
    driver.press("P");
    let id = driver.shared().task.expect("a task");
    let app = driver.app();
    assert_eq!(app.shared.compared.clone().expect("a scorer"), app.shared.lens.scorer);
    assert_eq!(
        app.screens.aggregators.table().expect("a table").moved(id),
        Some(0.0),
        "compared with itself"
    );
    driver.press("<Tab>g");
    assert_eq!(driver.app().screens.aggregators.pane, Pane::Tasks);
    let first = driver.shared().task;
    driver.press("j");
    assert_ne!(driver.shared().task, first);
    driver.press("<Enter>");
    assert_eq!(driver.app().screen, Screen::Compare);
}

#[test]
fn the_mouse_selects_and_drills_down() {
    let mut driver = open();
    driver.click("LNSP·last");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·last");
    driver.click("2 Tasks");
    assert_eq!(driver.app().screen, Screen::Tasks);
    driver.mouse(MouseEventKind::ScrollDown, 10, 10);
    assert_eq!(driver.shared().tasks.index, 3);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), 4, 4);
    assert_eq!(driver.shared().tasks.index, 1);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), 4, 4);
    assert_eq!(driver.app().screen, Screen::Compare, "a second click opens");
    driver.press("<Esc>");
    driver.click("turns");
    assert_eq!(driver.shared().tasks.sort.name(), "turns");
    driver.click("4 Aggregators");
    driver.press("aaaaaaa");
    driver.click("softmin-");
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·softmin-10");
    let screen = driver.screen();
    let line = screen.lines().position(|line| line.contains("softmin β")).expect("a slider");
    driver.mouse(MouseEventKind::Drag(MouseButton::Left), 11, line as u16);
    assert_eq!(driver.shared().lens.scorer.to_string(), "lnsp·softmin-0.5");
    driver.click("? help");
    assert_eq!(driver.app().overlays.len(), 1);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), 0, 0);
}

#[test]
fn a_view_is_restored_completely() {
    let ways = [
        "lljs<Esc>",
        "rRzPPjjii",
        "saec<Enter>m<Enter>&turns > 3<Enter>rturns<Enter>|lnspmin<Enter><Esc>j",
        "l<Enter>av/3<Enter>",
        "4aaaaa++PAA<Tab>jj",
        "ll<Enter>jj<Enter><Tab>jjz",
        "<Enter>rproduct<Enter>R",
        "0jjj",
        "Zjj",
    ];
    for keys in ways {
        let mut driver = open();
        let screen = driver.press(keys);
        let view = driver.app().view();
        let mut again = Driver::with(demo(), view.clone(), &Theme::plain(), (120, 40));
        assert_eq!(again.app().problems, Vec::<String>::new(), "{keys}");
        assert_eq!(again.app().view(), view, "{keys}");
        let numbers = |screen: &str| -> Vec<String> {
            // The scroll position may differ; rows and lens do not.
            let marked = |line: &&str| line.starts_with('▸') || line.starts_with(" qualm");
            // The focused pane is not part of a view.
            let plain = |line: &str| line.replace(['▐', '▌'], " ").chars().take(70).collect();
            screen.lines().filter(marked).map(plain).collect()
        };
        assert_eq!(numbers(&again.screen()), numbers(&screen), "{keys}");
        let text = serde_json::to_string(&view).expect("JSON");
        assert_eq!(serde_json::from_str::<View>(&text).expect("a view"), view);
    }
}

#[test]
fn the_command_describes_the_whole_view() {
    let mut driver = open();
    driver.press("ll<Enter>&turns > 3<Enter>&<Ctrl-u>turns > 1<Ctrl-s><Enter>rturns<Enter>jY");
    let command = driver.0.copied.clone().expect("copied");
    let task = driver.shared().task.and_then(|id| driver.shared().task_of(id)).expect("a task");
    let path = demo().display();
    let expected = format!(
        "qualm {path} --screen tasks --dataset bfcl-v4 --model Qwen2.5-7B --task {} --scorer lnsp \
         --aggregator min --metric auroc --where 'turns > 1' --select 'turns > 3' \
         --sort=-turns",
        task.id
    );
    assert_eq!(command, expected);
}

#[test]
fn what_is_copied_is_a_row_of_the_exported_table() {
    let store = Store::open(demo()).expect("a store");
    let engine = Engine::load(&store, None).expect("loaded");
    let resampling = Resampling { resamples: RESAMPLES, seed: 0 };
    let options = TableOptions { resampling, ..TableOptions::default() };
    let cases = [
        ("1", TableKind::Grid),
        ("1ll", TableKind::Grid),
        ("4", TableKind::Grid),
        ("6", TableKind::StuckPairs),
        ("6llll", TableKind::StuckTasks),
        ("6<Tab>j", TableKind::Stuck),
    ];
    for (keys, kind) in cases {
        let mut driver = open();
        driver.press(keys);
        driver.press("y");
        let copied = driver.0.copied.clone().unwrap_or_else(|| panic!("{keys}: nothing copied"));
        let table = report::table(&kind.into(), &engine, Some(&store), &options).expect("a table");
        let rows = table.tab_separated();
        assert!(rows.contains(&copied), "{keys}: {copied:?} in\n{}", rows.join("\n"));
    }
}

#[test]
fn an_unknown_value_in_a_view_is_reported_and_ignored() {
    let cases = [
        (json!({"task": "nowhere"}), "--task: there is no task `nowhere` in "),
        (json!({"scorer": "mine"}), "--scorer: no values of `mine`"),
        (json!({"pin": "lnsp.mni"}), "--pin: no values of `lnsp.mni`"),
        (json!({"columns": ["other"]}), "--columns: no values of `other`"),
        (json!({"sort": "-speed"}), "--sort: there is no column `speed`"),
        (json!({"order_columns": "x"}), "--order-columns: no values of `x`"),
        (json!({"task": "3", "draws": "0,9"}), "--draws: the task has no draw 9"),
    ];
    for (settings, expected) in cases {
        let mut driver = Driver::with(demo(), view(settings), &Theme::plain(), (120, 30));
        let (problems, screen) = (driver.app().problems.join("; "), driver.screen());
        assert!(problems.starts_with(expected), "{problems}");
        assert!(screen.contains(expected), "{screen}");
    }
    let view = view(json!({"select": "turns >"}));
    let mut driver = Driver::with(demo(), view, &Theme::plain(), (100, 30));
    assert!(driver.screen().contains("& turns >"), "offered again, with what is wrong");
    assert_eq!(driver.shared().lens.selection, "");
}

#[test]
fn exports_never_overwrite_a_file() {
    let home = crate::support::home();
    let mut driver = open();
    for name in ["grid.csv", "grid.svg", "grid.txt"] {
        let path = home.path().join(name);
        let screen = driver.press(&format!("E<Ctrl-u>{}<Enter>", path.display()));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{screen}"));
        match name {
            "grid.csv" => assert!(text.starts_with("dataset,model,condition,scorer"), "{text}"),
            "grid.svg" => assert!(text.starts_with("<svg") || text.starts_with("<?xml"), "{text}"),
            _ => assert!(text.contains("LNSP·min"), "{text}"),
        }
        assert!(screen.contains("written: "), "{screen}");
        let screen = driver.press(&format!("E<Ctrl-u>{}<Enter>", path.display()));
        assert!(screen.contains("is there already"), "{screen}");
    }
    // What cannot be written stays to be changed.
    let folder = home.path().join("new");
    let path = folder.join("all.csv").display().to_string();
    let screen = driver.press(&format!("<Esc>E<Ctrl-u>{path}<Enter>"));
    assert!(screen.contains("write to ") && screen.contains("create the folder first"), "{screen}");
    std::fs::create_dir(&folder).expect("made");
    let screen = driver.press("<Enter>");
    assert!(screen.contains("written: ") && !screen.contains("write to "), "{screen}");
    let screen = driver.press("E<Ctrl-u>x.doc<Enter>");
    assert!(screen.contains("name a file that ends in"), "{screen}");
    assert!(screen.contains("write to x.doc"), "{screen}");
    let path = home.path().join("tasks.json");
    driver.press(&format!("<Esc>2E<Ctrl-u>{}<Enter>", path.display()));
    let rows: Vec<serde_json::Value> =
        serde_json::from_str(&std::fs::read_to_string(&path).expect("written")).expect("JSON");
    assert_eq!(rows.len(), driver.shared().tasks.table().expect("a table").rows.len());
    assert_eq!(rows[0]["scorer"], "lnsp");
}

#[test]
fn copies_match_the_screen() {
    let mut driver = open();
    driver.press("y");
    let copied = driver.0.copied.clone().expect("copied");
    assert!(copied.starts_with("bfcl-v4\tgpt-4o-mini\tdefault\tlnsp\tmin\tauroc\t0."), "{copied}");
    driver.press("<Enter>y");
    let copied = driver.0.copied.clone().expect("copied");
    let task = driver.shared().task.and_then(|id| driver.shared().task_of(id)).expect("a task");
    assert!(copied.starts_with("| dataset | model | condition | task | success |"), "{copied}");
    assert!(copied.contains(&format!("| default | {} |", task.id)), "{copied}");
    driver.press("<Enter>y");
    assert!(driver.0.copied.as_ref().is_some_and(|text| !text.is_empty()));
}

#[test]
fn tied_tasks_share_the_best_rank() {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("sfac<Enter><Enter>v");
    for (filter, better) in
        [("top <= 0.25", f64::gt as fn(&f64, &f64) -> bool), ("bottom <= 0.25", f64::lt)]
    {
        driver.press("&<Ctrl-u><Enter>");
        let all = driver.shared().current_table().expect("a table").clone();
        let expected: Vec<_> = all
            .rows
            .iter()
            .filter(|id| {
                let score = all.score(**id).expect("a score");
                let cell = all.rows.iter().filter(|other| other.cell == id.cell);
                let scores: Vec<f64> = cell.filter_map(|other| all.score(*other)).collect();
                let before = scores.iter().filter(|other| better(other, &score)).count();
                (before + 1) as f64 / scores.len() as f64 <= 0.25
            })
            .copied()
            .collect();
        driver.press(&format!("&{filter}<Enter>"));
        let kept = &driver.shared().current_table().expect("a table").rows;
        assert!(expected.len() > 20 && expected.len() < all.rows.len(), "{}", expected.len());
        assert_eq!(*kept, expected, "{filter}");
    }
}

#[test]
fn a_screen_writes_the_table_that_a_report_prints() {
    let home = crate::support::home();
    let path = demo().display().to_string();
    let mut driver = open();
    for (keys, table) in [("1", "grid"), ("0", "cells"), ("6", "stuck-pairs"), ("7", "triage")] {
        let file = home.path().join(format!("{table}.csv"));
        driver.press(&format!("{keys}E<Ctrl-u>{}<Enter>", file.display()));
        let written = std::fs::read_to_string(&file).expect("written");
        // The intervals are those of the explorer.
        let resamples = RESAMPLES.to_string();
        let args =
            ["report", &path, "--table", table, "--format", "csv", "--resamples", &resamples];
        let printed = crate::support::text(&crate::support::run(home.path(), &args).stdout);
        assert_eq!(written, printed, "{table}");
    }
}

#[test]
fn a_comparison_is_written_under_the_scorer_of_the_lens() {
    let home = crate::support::home();
    for (name, keys) in [("white-box", ""), ("not-white-box", "saec<Enter>")] {
        let mut driver = open();
        let screen = driver.press(&format!("{keys}<Enter><Enter>"));
        let file = home.path().join(format!("{name}.json"));
        driver.press(&format!("E<Ctrl-u>{}<Enter>", file.display()));
        let written = std::fs::read_to_string(&file).unwrap_or_else(|_| panic!("{screen}"));
        let json: serde_json::Value = serde_json::from_str(&written).expect("JSON");
        let app = driver.app();
        let shown = driver.comparison();
        assert_eq!(json["scorer"], app.shared.lens.scorer.id());
        assert_eq!(json["turn_scorer"], "lnsp");
        for pane in 0..2 {
            let (score, rank) = driver.panel().pane_score(&shown, pane, driver.shared());
            assert_eq!(json["panes"][pane]["score"].as_f64(), score, "{name} {pane}");
            let written = &json["panes"][pane];
            let written = written["rank"].as_f64().zip(written["ranked"].as_u64());
            assert_eq!(written, rank.map(|(rank, of)| (rank, of as u64)), "{name} {pane}");
        }
        let (score, rank) = driver.panel().pane_score(&shown, 0, driver.shared());
        assert!(score.is_some() && rank.is_some(), "{name}");
        let markdown = file.with_extension("md");
        driver.press(&format!("E<Ctrl-u>{}<Enter>", markdown.display()));
        let markdown = std::fs::read_to_string(&markdown).expect("written");
        assert!(markdown.contains(&format!("`{}` | rank |", driver.shared().lens.scorer)));
    }
}
