//! Keys in, state out.

use crossterm::event::{MouseButton, MouseEventKind};
use qualm::app::{Pane, Screen, Show, View};
use qualm::metrics::Metric;
use qualm::theme::Theme;

use crate::explorer::{Driver, demo};

fn open() -> Driver {
    Driver::new(demo(), 120, 40)
}

/// The rank that the table gives the selected task.
fn rank(driver: &Driver) -> f64 {
    let app = driver.app();
    app.table().expect("a table").rank(app.task.expect("a task")).expect("a rank")
}

#[test]
fn the_grids_row_is_the_lens() {
    let mut driver = open();
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·min");
    driver.press("j");
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·late");
    driver.press("kk");
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·mean");
    driver.press("G");
    assert_eq!(driver.app().lens.scorer.to_string(), "tools");
    driver.press("gll");
    assert_eq!(
        (driver.app().lens.scorer.to_string(), driver.app().cell),
        ("sp·first".to_owned(), 2)
    );
    driver.press("<Left><Left><Left>");
    assert_eq!(driver.app().cell, 0, "stays on the first");
}

#[test]
fn the_lens_follows_everywhere() {
    let mut driver = open();
    let rules = ["late", "last", "product", "q10", "softmin-10", "window-3", "first"];
    for rule in rules {
        driver.press("a");
        assert_eq!(driver.app().lens.scorer.to_string(), format!("lnsp·{rule}"));
    }
    assert_eq!(driver.press("A").matches("LNSP·window-3").count(), 3, "lens, row and detail");
    driver.press("m");
    assert_eq!(driver.app().lens.metric, Metric::Auprc);
    driver.press("MM");
    assert_eq!(driver.app().lens.metric, Metric::Brier);
    let screen = driver.press("2");
    assert!(screen.contains("LNSP·window-3 · BRIER"), "{screen}");
    driver.press("1G");
    let screen = driver.press("a");
    assert!(screen.contains("only white-box scores are aggregated"), "{screen}");
}

#[test]
fn choosing_a_scorer_is_tried_on_and_can_be_taken_back() {
    let mut driver = open();
    driver.press("ster");
    assert_eq!(driver.app().lens.scorer.to_string(), "ter");
    driver.press("<Esc>");
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·min");
    driver.press("ster<Enter>");
    assert_eq!(driver.app().lens.scorer.to_string(), "ter");
    driver.press(":metric prr<Enter>");
    assert_eq!(driver.app().lens.metric, Metric::Prr);
}

#[test]
fn enter_drills_and_escape_comes_back() {
    let mut driver = open();
    driver.press("lll<Enter>");
    assert_eq!(driver.app().screen, Screen::Tasks);
    assert_eq!(driver.app().table_cell(), Some(3));
    driver.press("jj");
    let task = driver.app().task;
    driver.press("<Enter>");
    assert_eq!((driver.app().screen, driver.app().task), (Screen::Compare, task));
    driver.press("<Esc><Esc>");
    assert_eq!((driver.app().screen, driver.app().cell), (Screen::Grid, 3));
    driver.press("<Esc>");
    assert_eq!(driver.app().screen, Screen::Grid, "there is no further back");
}

#[test]
fn tasks_come_most_confident_first_and_turn_round() {
    let mut driver = open();
    driver.press("<Enter>");
    assert!((rank(&driver) - 1.0).abs() < 1e-9);
    driver.press("rg");
    assert!((rank(&driver) - 6.0).abs() < 1e-9);
    driver.press("oturns<Enter>g");
    let app = driver.app();
    let turns = |id| app.task_of(id).expect("a task").turns;
    let all: Vec<u32> = app.table().expect("a table").rows.iter().map(|id| turns(*id)).collect();
    assert!(all.is_sorted_by(|a, b| a >= b), "{all:?}");
}

#[test]
fn ranks_move_against_the_lens_before() {
    let mut driver = open();
    driver.press("<Enter>");
    let id = driver.app().task.expect("a task");
    let table = |driver: &Driver| driver.app().table().expect("a table").clone();
    assert_eq!(table(&driver).moved(id), None);
    let before = table(&driver).rank(id).expect("a rank");
    driver.press("a");
    let after = table(&driver).rank(id).expect("a rank");
    assert_eq!(table(&driver).moved(id), Some(before - after));
    assert_eq!(driver.app().task, Some(id), "the task stays selected");
}

#[test]
fn a_filter_is_checked_while_it_is_typed_and_changes_every_number() {
    let mut driver = open();
    let all = driver.app().data.numbers.number(&driver.app().lens.scorer, 0).expect("a number");
    let screen = driver.press("&turns > 'x'");
    assert!(screen.contains("number") && screen.contains("text"), "{screen}");
    assert_eq!(driver.press("<Enter>").lines().next(), screen.lines().next(), "not applied");
    driver.press("<Esc>&not suc<Tab><Enter>");
    assert_eq!(driver.app().lens.filter, "not success");
    let some = driver.app().data.numbers.number(&driver.app().lens.scorer, 0).expect("a number");
    assert_eq!(some.counts.successes, 0);
    assert_eq!(some.counts.tasks, all.counts.tasks - all.counts.successes);
    let screen = driver.press("2");
    let rows = driver.app().table().expect("a table").rows.len();
    assert_eq!(rows, some.counts.tasks);
    assert!(screen.contains(&format!("& not success · {rows} of 6 tasks")), "{screen}");
    driver.press("f");
    assert_eq!(driver.app().lens.filter, "", "the same preset again lifts it");
}

#[test]
fn presets() {
    let mut driver = open();
    driver.press("<Enter>v");
    let expect = [
        ("f", "not success"),
        ("F", "not success and top <= 0.25"),
        ("u", "success and bottom <= 0.25"),
        ("x", "solved > 0 and solved < draws"),
        ("X", "solved = 0 and draws > 1 and agreement >= 0.75"),
    ];
    for (key, filter) in expect {
        driver.press(key);
        assert_eq!(driver.app().lens.filter, filter);
        let app = driver.app();
        let table = app.table().expect("a table");
        assert!((1..table.total).contains(&table.rows.len()), "{filter}");
        for id in &table.rows {
            let task = app.task_of(*id).expect("a task");
            // Six tasks, no ties: the top quarter is the first, the bottom quarter the last.
            let rank = table.rank(*id).expect("a rank");
            let frame = &app.data.engine().expect("loaded").frames()[id.cell as usize];
            let fits = match key {
                "f" => task.success == Some(false),
                "F" => task.success == Some(false) && rank < 1.5,
                "u" => task.success == Some(true) && rank > 5.5,
                "x" => (1..task.draws()).contains(&task.solved()),
                _ => task.solved() == 0 && frame.agreement(id.task as usize) >= 0.75,
            };
            assert!(fits, "{filter}: {task:?}");
        }
    }
    let screen = driver.press("&<Ctrl-u>task = 'nowhere'<Enter>");
    assert!(screen.contains("fits the filter `task = 'nowhere'`"), "{screen}");
}

#[test]
fn search_finds_ids_and_texts_and_leaves_the_filter_alone() {
    let mut driver = open();
    driver.press("<Enter>v/3<Enter>");
    let found = |driver: &Driver| {
        driver.app().task_of(driver.app().task.expect("a task")).expect("there").id.clone()
    };
    assert_eq!(found(&driver), "3");
    let rows = driver.app().table().expect("a table").rows.len();
    assert_eq!(rows, 120, "nothing is filtered");
    let first = driver.app().task;
    driver.press("n");
    assert!(driver.app().is_hit(driver.app().task.expect("a task")));
    assert_ne!(driver.app().task, first, "the next one");
    driver.press("N");
    assert_eq!(driver.app().task, first);
    driver.press("<Esc>/issue_travel_credit<Enter>");
    let app = driver.app();
    let id = app.task.expect("a task");
    assert_eq!(app.columns[id.cell as usize].dataset, "airline");
    assert!(app.data.found.as_ref().is_some_and(|own| (own.done - 1.0).abs() < 1e-9));
    driver.press("/<Ctrl-u>qqqqq<Esc>");
    assert_eq!(driver.app().tasks.search, "issue_travel_credit", "what was there before");
    driver.press("<Esc>");
    assert!(driver.app().tasks.search.is_empty());
}

#[test]
fn pinning_shows_paired_differences() {
    let mut driver = open();
    driver.press("p");
    let pinned = driver.app().lens.scorer.clone();
    assert_eq!(driver.app().grid_value(&pinned, 0), Some(0.0));
    let screen = driver.press("j");
    let app = driver.app();
    let numbers = &app.data.numbers;
    let (own, other) = (numbers.value(&app.lens.scorer, 0), numbers.value(&pinned, 0));
    let difference = own.expect("a value") - other.expect("a value");
    assert_eq!(app.grid_value(&app.lens.scorer, 0), Some(difference));
    assert!(screen.contains("difference to LNSP·min"), "{screen}");
    assert!(screen.contains("decisive"), "{screen}");
    driver.press("kp");
    assert_eq!(driver.app().grid.pinned, None);
}

#[test]
fn the_grid_sorts_and_folds() {
    let mut driver = open();
    driver.press("oi");
    let app = driver.app();
    assert_eq!(app.grid.show, Show::HalfRange);
    let values: Vec<f64> = app
        .grid_rows()
        .iter()
        .filter_map(|row| match row {
            qualm::app::Row::Scorer(own) => app.data.numbers.value(own, app.cell),
            _ => None,
        })
        .collect();
    assert!(values.len() > 30 && values.is_sorted_by(|a, b| a >= b), "{values:?}");
    driver.press("oO");
    let app = driver.app();
    let across: Vec<f64> = app
        .grid_columns()
        .iter()
        .filter_map(|cell| app.data.numbers.value(&app.lens.scorer, *cell))
        .collect();
    assert!(across.len() > 5 && across.is_sorted_by(|a, b| a >= b), "{across:?}");
    let rows = app.grid_rows().len();
    driver.press("Oz");
    assert_eq!(driver.app().grid_rows().len(), rows - 24, "24 white-box rows are one");
    let screen = driver.screen();
    assert!(screen.contains("white-box ▸24"), "{screen}");
    driver.press("z");
    assert_eq!(driver.app().grid_rows().len(), rows);
}

#[test]
fn aggregators_explain_themselves() {
    let mut driver = open();
    driver.press("4aaaaa");
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·softmin-10");
    driver.press("++");
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·softmin-20");
    driver.press("-----------------");
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·softmin-0.5");
    driver.press("a-");
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·window-2");
    driver.press("p");
    let id = driver.app().task.expect("a task");
    let app = driver.app();
    assert_eq!(app.compared_scorer(), app.lens.scorer);
    assert_eq!(app.table().expect("a table").moved(id), Some(0.0), "compared with itself");
    driver.press("<Tab>j");
    assert_eq!(driver.app().aggregators.pane, Pane::Tasks);
    assert_ne!(driver.app().task, Some(id));
    driver.press("<Enter>");
    assert_eq!(driver.app().screen, Screen::Compare);
}

#[test]
fn the_mouse_selects_and_drills() {
    let mut driver = open();
    driver.click("LNSP·last");
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·last");
    driver.click("2 Tasks");
    assert_eq!(driver.app().screen, Screen::Tasks);
    driver.mouse(MouseEventKind::ScrollDown, 10, 10);
    assert_eq!(driver.app().tasks.place, 3);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), 4, 4);
    assert_eq!(driver.app().tasks.place, 1);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), 4, 4);
    assert_eq!(driver.app().screen, Screen::Compare, "a second click opens");
    driver.press("<Esc>");
    driver.click("turns");
    assert_eq!(driver.app().tasks.sort.name(), "turns");
    driver.click("4 Aggregators");
    driver.press("aaaaaaa");
    driver.click("softmin-");
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·softmin-10");
    let screen = driver.screen();
    let line = screen.lines().position(|line| line.contains("softmin β")).expect("a slider");
    driver.mouse(MouseEventKind::Drag(MouseButton::Left), 11, line as u16);
    assert_eq!(driver.app().lens.scorer.to_string(), "lnsp·softmin-0.5");
    driver.click("? help");
    assert_eq!(driver.app().overlays.len(), 1);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), 0, 0);
}

#[test]
fn a_view_comes_back_whole() {
    let ways = [
        "lljs<Esc>",
        "oOzppjjii",
        "saec<Enter>m<Enter>&turns > 3<Enter>oturns<Enter>Clnspmin<Enter><Esc>j",
        "l<Enter>av/3<Enter>",
        "4aaaaa++pAA<Tab>jj",
        "ll<Enter>jj<Enter><Tab>jjz",
        "<Enter>oproduct<Enter>r",
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
            // The scroll may differ; what stands on the rows and in the lens does not.
            let marked = |line: &&str| line.starts_with('▸') || line.starts_with(" qualm");
            // Which pane has the keys is no part of a view.
            let plain = |line: &str| line.replace(['▐', '▌'], " ").chars().take(70).collect();
            screen.lines().filter(marked).map(plain).collect()
        };
        assert_eq!(numbers(&again.screen()), numbers(&screen), "{keys}");
        let text = serde_json::to_string(&view).expect("JSON");
        assert_eq!(serde_json::from_str::<View>(&text).expect("a view"), view);
    }
}

#[test]
fn the_command_names_the_whole_view() {
    let mut driver = open();
    driver.press("ll<Enter>&turns > 3<Enter>oturns<Enter>jY");
    let command = driver.0.copied.clone().expect("copied");
    let task = driver.app().task.and_then(|id| driver.app().task_of(id)).expect("a task");
    let path = demo().display();
    let expected = format!(
        "qualm {path} --screen tasks --dataset bfcl-v4 --model Qwen2.5-7B --task {} --scorer lnsp \
         --aggregator min --metric auroc --filter 'turns > 3' --sort=-turns",
        task.id
    );
    assert_eq!(command, expected);
}

#[test]
fn a_view_that_means_nothing_here_is_said_not_fatal() {
    type Set = fn(&mut View);
    let said = |set: fn(&mut View)| {
        let mut view = View::default();
        set(&mut view);
        let mut driver = Driver::with(demo(), view, &Theme::plain(), (120, 30));
        (driver.app().problems.join("; "), driver.screen())
    };
    let cases: [(Set, &str); 7] = [
        (|own| own.task = Some("nowhere".to_owned()), "--task: there is no task `nowhere` in "),
        (|own| own.scorer = Some("mine".to_owned()), "--scorer: no values of `mine`"),
        (|own| own.pin = Some("lnsp.mni".to_owned()), "--pin: no values of `lnsp.mni`"),
        (|own| own.columns = vec!["other".to_owned()], "--columns: no values of `other`"),
        (|own| own.sort = Some("-speed".to_owned()), "--sort: there is no column `speed`"),
        (|own| own.order_columns = Some("x".to_owned()), "--order-columns: no values of `x`"),
        (
            |own| (own.task, own.draws) = (Some("3".to_owned()), Some("0,9".to_owned())),
            "--draws: the task has no draw 9",
        ),
    ];
    for (set, expected) in cases {
        let (problems, screen) = said(set);
        assert!(problems.starts_with(expected), "{problems}");
        assert!(screen.contains(expected), "{screen}");
    }
    let view = View { filter: Some("turns >".to_owned()), ..View::default() };
    let mut driver = Driver::with(demo(), view, &Theme::plain(), (100, 30));
    assert!(driver.screen().contains("& turns >"), "offered again, with what is wrong");
    assert_eq!(driver.app().lens.filter, "");
}

#[test]
fn screens_are_written_to_files_once() {
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
    let screen = driver.press("E<Ctrl-u>/nowhere/at/all.csv<Enter>");
    assert!(screen.contains("cannot be written"), "{screen}");
    let screen = driver.press("E<Ctrl-u>x.doc<Enter>");
    assert!(screen.contains("name a file that ends in"), "{screen}");
    let path = home.path().join("tasks.json");
    driver.press(&format!("2E<Ctrl-u>{}<Enter>", path.display()));
    let rows: Vec<serde_json::Value> =
        serde_json::from_str(&std::fs::read_to_string(&path).expect("written")).expect("JSON");
    assert_eq!(rows.len(), driver.app().table().expect("a table").rows.len());
    assert_eq!(rows[0]["scorer"], "lnsp");
}

#[test]
fn what_is_copied_is_what_is_shown() {
    let mut driver = open();
    driver.press("y");
    let copied = driver.0.copied.clone().expect("copied");
    assert!(copied.starts_with("bfcl-v4/gpt-4o-mini\tlnsp·min\tauroc\t0."), "{copied}");
    driver.press("<Enter>y");
    let app = driver.app();
    assert_eq!(driver.0.copied, app.task.and_then(|id| Some(app.task_of(id)?.id.clone())));
    driver.press("<Enter>y");
    assert!(driver.0.copied.as_ref().is_some_and(|text| !text.is_empty()));
}

#[test]
fn tied_tasks_count_as_the_best_of_them() {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("sfac<Enter><Enter>v");
    for (filter, better) in
        [("top <= 0.25", f64::gt as fn(&f64, &f64) -> bool), ("bottom <= 0.25", f64::lt)]
    {
        driver.press("&<Ctrl-u><Enter>");
        let all = driver.app().current_table().expect("a table").clone();
        let expected: Vec<_> = all
            .rows
            .iter()
            .filter(|id| {
                let own = all.score(**id).expect("a score");
                let cell = all.rows.iter().filter(|other| other.cell == id.cell);
                let scores: Vec<f64> = cell.filter_map(|other| all.score(*other)).collect();
                let before = scores.iter().filter(|other| better(other, &own)).count();
                (before + 1) as f64 / scores.len() as f64 <= 0.25
            })
            .copied()
            .collect();
        driver.press(&format!("&{filter}<Enter>"));
        let kept = &driver.app().current_table().expect("a table").rows;
        assert!(expected.len() > 20 && expected.len() < all.rows.len(), "{}", expected.len());
        assert_eq!(*kept, expected, "{filter}");
    }
}
