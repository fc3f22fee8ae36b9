//! Somebody who votes sees nothing of pairs that are not voted on: in no list, order, title or file.

use std::fs;
use std::path::Path;

use qualm::engine::{Engine, PairId, TaskId};
use qualm::store::{Ruling, Store};
use qualm::ui::Screen;

use crate::explorer::{Driver, made as demo_store};
use crate::support::{Draw, add_vote, home, made, verdict, vote};

/// The rows of the list of tasks.
fn listed(driver: &Driver) -> Vec<TaskId> {
    driver.shared().current_table().expect("a table").rows.clone()
}

/// Sorts the list of tasks by a column.
fn sort_by(driver: &mut Driver, column: &str) -> Vec<TaskId> {
    driver.press(&format!("r{column}<Enter>"));
    assert_eq!(driver.shared().tasks.sort.name(), column);
    listed(driver)
}

/// What `E` writes, as rows of columns by name.
fn written(driver: &mut Driver, folder: &Path, name: &str) -> Vec<serde_json::Value> {
    let path = folder.join(name);
    driver.press(&format!("E<Ctrl-u>{}<Enter>", path.display()));
    let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}", driver.screen()));
    let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    file["rows"].as_array().or(file.as_array()).expect("rows").clone()
}

fn tells(screen: &str) -> bool {
    ["✓", "✗"].iter().any(|sign| screen.contains(sign))
}

/// An engine over a store.
fn load(path: &Path) -> Engine {
    Engine::load(&Store::open(path).expect("a store"), None).expect("loaded")
}

#[test]
fn orders_and_selections_tell_nothing_of_open_pairs() {
    let (_home, path) = demo_store(8);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("2");
    let by_outcome = sort_by(&mut driver, "success");
    let by_agreement = sort_by(&mut driver, "agreement");
    driver.press("7<Enter>");
    let pair = driver.app().screens.triage.pair.expect("a pair");
    driver.press("2");
    assert!(driver.shared().is_voting);
    let in_order: Vec<TaskId> = {
        let tasks =
            driver.shared().engine().expect("loaded").frames()[pair.id.cell as usize].tasks.len();
        (0..tasks as u32).map(|task| TaskId { cell: pair.id.cell, task }).collect()
    };
    for column in ["agreement", "success", "reward", "solved", "aec", "db_match"] {
        assert_eq!(sort_by(&mut driver, column), in_order, "{column}");
        driver.press("R");
        assert_eq!(listed(&driver), in_order, "{column} reversed");
    }
    assert!(driver.press("rsuccess<Enter>").contains("stand last"), "{}", driver.screen());
    // What is no secret still orders and selects.
    let by_turns = sort_by(&mut driver, "turns");
    assert_ne!(by_turns, in_order);
    driver.press("&turns > 3<Enter>");
    assert!(!listed(&driver).is_empty());
    driver.press("\\");
    for preset in ["f", "F", "u", "x", "X", "&ter > 0.5<Enter>", "&not success<Ctrl-s><Enter>"] {
        let screen = driver.press(preset);
        assert_eq!(listed(&driver), [], "{preset}");
        assert!(screen.contains("held back") || screen.contains("leaves out"), "{screen}");
        driver.press(if preset.contains("Ctrl-s") { "%" } else { "\\" });
    }
    // Not voting, everything is as it was.
    driver.press("<Esc><Esc>");
    assert!(!driver.shared().is_voting, "{:?}", driver.app().screen);
    driver.press("2");
    while driver.shared().cell != by_outcome[0].cell as usize {
        driver.press("h");
    }
    if driver.shared().tasks.descending {
        driver.press("R");
    }
    driver.press("R");
    assert_eq!(sort_by(&mut driver, "success"), by_outcome);
    assert_eq!(sort_by(&mut driver, "agreement"), by_agreement);
    assert!(tells(&driver.screen()));
}

#[test]
fn lists_of_other_screens_tell_nothing_of_open_pairs() {
    let (_home, path) = demo_store(6);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("6<Tab>");
    let list = |driver: &Driver| {
        driver.app().screens.stuck.numbers(driver.shared()).expect("counted").clone()
    };
    driver.press("7<Enter>6");
    let (engine, scope) = (load(&path), driver.app().screens.stuck.cells(driver.shared()));
    assert!(!engine.stuck_list(&scope).is_empty(), "the demo has unsolved tasks here");
    // All tasks count as held back: how many are unsolved tells.
    let cells = engine.frames().iter().filter(|frame| scope.holds(&frame.cell));
    let tasks: usize = cells.map(|frame| frame.tasks.len()).sum();
    assert_eq!((list(&driver).list.len(), list(&driver).held_back), (0, tasks));
    assert!(driver.screen().contains("held back until you have voted"), "{}", driver.screen());
    for column in 0..6 {
        driver.press(&format!("<Tab>hhhhhh{}", "l".repeat(column)));
        driver.press("<Tab>hhhhhh");
        let screen = driver.press(&format!("<Tab>{}<Enter>", "l".repeat(column)));
        assert!(driver.app().overlays.is_empty(), "{screen}");
        driver.press("<Tab>");
    }
    let screen = driver.press("4");
    let below = &screen[screen.rfind("ranks under").expect("the list")..];
    assert!(below.contains("hidden") && !tells(below), "{screen}");
    // The counts of Judges list no pair while one is open.
    let screen = driver.press("7<Tab><Tab><Enter>");
    assert!(driver.app().overlays.is_empty() && screen.contains("held back"), "{screen}");
    // Runs of other tasks are shown without outcomes, and so is no tree of them.
    driver.press("2j<Enter>");
    assert_eq!(driver.app().screen, Screen::Compare);
    let screen = driver.screen();
    assert!(!tells(&screen), "{screen}");
    let screen = driver.press("*");
    assert!(screen.contains("hidden until you have voted"), "{screen}");
    let screen = driver.press("B");
    assert!(screen.contains("hidden until you have voted") && !tells(&screen), "{screen}");
}

#[test]
fn files_tell_nothing_of_open_pairs() {
    let (home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 160, 40);
    driver.press("7<Enter>=");
    let voted = driver.app().screens.triage.pair.expect("a pair");
    driver.press("L2|solved<Enter><Esc>|agreement<Enter><Esc>");
    let rows = written(&mut driver, home.path(), "tasks.json");
    assert!(!rows.is_empty());
    for row in &rows {
        for field in ["success", "samples_solved", "solved", "agreement"] {
            assert!(row[field].is_null(), "{field}: {row}");
        }
        assert!(row["task"].is_string() && row["turns"].is_u64(), "{row}");
    }
    driver.press("<Esc><Esc>");
    assert_eq!(driver.app().screen, Screen::Judges);
    let rows = written(&mut driver, home.path(), "queue.json");
    let known: Vec<&serde_json::Value> =
        rows.iter().filter(|row| !row["reasons"].is_null()).collect();
    assert_eq!(known.len(), 1, "{known:?}");
    assert_eq!(
        (known[0]["draw"].as_u64(), &known[0]["done"]),
        (Some(u64::from(voted.draw)), &true.into())
    );
    for field in ["equivalent", "different", "database", "no_truth", "priority", "effect"] {
        let open = rows.iter().filter(|row| row["done"] == false);
        assert!(
            open.clone().count() > 0 && open.clone().all(|row| row[field].is_null()),
            "{field}"
        );
    }
    // Who neither voted nor opened a pair gets everything.
    let store = Store::open(&path).expect("a store");
    let config = qualm::ui::Config::default();
    let theme = qualm::ui::theme::Theme::plain();
    let mut reader =
        Driver::configured(store, qualm::ui::View::default(), &config, &theme, (160, 40));
    reader.press("7");
    let rows = written(&mut reader, home.path(), "all.json");
    assert!(rows.iter().all(|row| row["reasons"].is_string()), "{rows:?}");
}

/// A number of one pair or one task is the verdict on it.
#[test]
fn a_number_of_one_pair_is_hidden_until_the_vote() {
    let home = home();
    let draw = || Draw { success: Some(true), db_match: Some(true), actions: vec!["a"] };
    let verdicts = (0..3).map(|task| verdict("j", task, 1, Some(task != 1))).collect();
    let path = made(home.path(), &vec![vec![draw(), draw()]; 3], verdicts);
    add_vote(&path, &vote("bob", 0, 1, Ruling::Different)).expect("added");
    let mut driver = Driver::new(&path, 160, 40);
    // Who votes is who opened a pair, or voted before.
    assert!(!driver.press("7").contains("hidden"), "{}", driver.screen());
    let screen = driver.press("<Enter><Esc>");
    assert!(screen.contains("hidden: one task, not all of its pairs voted on"), "{screen}");
    assert!(screen.contains("hidden: 1 pair"), "{screen}");
    let people = |screen: &str| {
        let lines = screen.lines().filter(|line| line.contains(" human "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(people(&screen).iter().all(|line| !line.contains(".00")), "{screen}");
    let screen = driver.press("<Tab><Tab>j<Enter>");
    assert!(driver.app().overlays.is_empty(), "{screen}");
    driver.press("<Tab>");
    let rows = written(&mut driver, home.path(), "ter.json");
    let row = rows.iter().find(|row| row["judge"] == "human").expect("a row");
    assert!(row["mean"].is_null(), "{row}");
    // Voted on, it is shown.
    add_vote(&path, &vote("ada", 0, 1, Ruling::Different)).expect("added");
    let screen = Driver::new(&path, 160, 40).press("7");
    assert!(!screen.contains("hidden"), "{screen}");
    let pair = PairId { id: TaskId { cell: 0, task: 0 }, draw: 1 };
    assert_eq!(load(&path).words_on(pair).len(), 4, "j, human, ada and bob");
}
