//! What a store opens with: the screen, the lens, the cell; what is hidden; names that stay apart.

use std::path::{Path, PathBuf};

use qualm::model::{Cell, Head, Message, Role, ToolCall, Trajectory};
use qualm::store::{Extras, Manifest, StoreWriter};
use qualm::ui::{Screen, theme::Theme};
use serde_json::json;

use crate::explorer::{Driver, demo, view};
use crate::support::home;

/// A task of a cell: its id, and the success and the tools of every draw.
pub type MadeTask = (String, Vec<(bool, Vec<&'static str>)>);

/// Writes a store of these cells, which nobody scored.
pub fn store(home: &Path, cells: &[(Cell, Vec<MadeTask>)]) -> PathBuf {
    let path = home.join("made.qualm");
    let mut writer = StoreWriter::create(&path).expect("free");
    for (cell, tasks) in cells {
        for (task, draws) in tasks {
            for (draw, (success, tools)) in draws.iter().enumerate() {
                let mut head = Head::new(cell.clone(), task.clone());
                (head.draw, head.outcome.success) = (draw as u32, Some(*success));
                let call = |name: &&str| {
                    let arguments = "{}".to_owned();
                    let call = ToolCall { id: String::new(), name: (*name).to_owned(), arguments };
                    Message { tool_calls: vec![call], ..Message::text(Role::Assistant, "") }
                };
                let messages = tools.iter().map(call).collect();
                writer.push(Trajectory::new(head, messages, |_| None)).expect("pushed");
            }
        }
    }
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    path
}

/// Tasks with one run each, of these outcomes; later ones are longer.
fn alone(outcomes: &[bool]) -> Vec<MadeTask> {
    let task = |(index, success): (usize, &bool)| {
        (index.to_string(), vec![(*success, vec!["look"; index + 1])])
    };
    outcomes.iter().enumerate().map(task).collect()
}

/// Tasks with two runs each that begin alike, and go on alike in every second task.
fn repeated(outcomes: &[bool]) -> Vec<MadeTask> {
    let task = |(index, success): (usize, &bool)| {
        let other = if index % 2 == 0 { vec!["look", "act"] } else { vec!["look", "ask", "ask"] };
        (index.to_string(), vec![(*success, vec!["look", "act"]), (index == 0, other)])
    };
    outcomes.iter().enumerate().map(task).collect()
}

fn lens(driver: &Driver) -> (String, usize) {
    (driver.shared().lens.scorer.to_string(), driver.shared().cell)
}

#[test]
fn the_lens_is_what_the_store_has() {
    let home = home();
    let mixed = [true, false, true, false];
    let cells = [
        (Cell::new("a", "all-solved"), repeated(&[true; 4])),
        (Cell::new("b", "mixed"), repeated(&mixed)),
    ];
    let path = store(home.path(), &cells);
    let driver = Driver::new(&path, 120, 40);
    // First actions are all alike; sequences are not. The first cell has one outcome only.
    assert_eq!(lens(&driver), ("aec".to_owned(), 1));
    assert_eq!(driver.app().screen, Screen::Cells, "nobody scored it");
    // What is named comes first, also in part.
    let open = |settings| Driver::with(&path, view(settings), &Theme::plain(), (120, 40));
    assert_eq!(lens(&open(json!({"scorer": "fac"}))), ("fac".to_owned(), 0));
    assert_eq!(lens(&open(json!({"model": "all-solved"}))), ("aec".to_owned(), 0));
    assert_eq!(open(json!({"screen": "grid"})).app().screen, Screen::Grid);

    let demo = Driver::new(demo(), 120, 40);
    assert_eq!((lens(&demo), demo.app().screen), (("lnsp·min".to_owned(), 0), Screen::Grid));
}

#[test]
fn turns_are_left_where_runs_are_alone() {
    let home = home();
    let path = store(home.path(), &[(Cell::new("a", "m"), alone(&[true, false, true]))]);
    assert_eq!(lens(&Driver::new(&path, 120, 40)), ("turns".to_owned(), 0));
}

#[test]
fn one_hidden_cell_is_spoken_of_as_one() {
    let home = home();
    let cells = [
        (Cell::new("a", "all-solved"), alone(&[true; 3])),
        (Cell::new("b", "mixed"), alone(&[true, false, true])),
    ];
    let path = store(home.path(), &cells);
    let screen = Driver::new(&path, 120, 40).press("1");
    assert!(screen.contains("1 cell without a value hidden: v shows it"), "{screen}");
}

#[test]
fn cells_without_a_value_are_hidden_until_v() {
    let home = home();
    let cells = [
        (Cell::new("a", "all-solved"), alone(&[true; 3])),
        (Cell::new("b", "mixed"), alone(&[true, false, true])),
        (Cell::new("c", "none-solved"), alone(&[false; 3])),
    ];
    let path = store(home.path(), &cells);
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("1");
    assert!(!screen.contains("all-solved") && screen.contains("mixed"), "{screen}");
    assert!(screen.contains("2 cells without a value hidden: v shows them"), "{screen}");
    let screen = driver.press("v");
    assert!(screen.contains("all-solved") && screen.contains("none-solved"), "{screen}");
    assert!(driver.app().view().screens.grid.show_empty);
    let screen = driver.press("hv");
    assert!(screen.contains("all-solved"), "the selected cell stays: {screen}");
    assert!(!screen.contains("none-solved"), "{screen}");
}

#[test]
fn values_that_chance_explains_are_marked_without_colour() {
    let mut driver = Driver::new(demo(), 160, 45);
    let screen = driver.press("");
    // With six tasks a cell hardly any interval leaves out one half.
    assert!(screen.contains("·.") && screen.matches('▲').count() < 100, "{screen}");
}

#[test]
fn cells_says_what_is_there_and_what_is_not() {
    let home = home();
    let cells = [(Cell::new("a", "m"), repeated(&[true, false, true, false, false]))];
    let path = store(home.path(), &cells);
    let screen = Driver::new(&path, 160, 45).screen();
    // statsmodels proportion_confint(2, 5, method="wilson") = (0.1176, 0.7693)
    assert!(screen.contains("40% [12, 77]"), "{screen}");
    // Task 0: both succeed; task 2: one of two.
    assert!(screen.contains("draws disagree on 1 of 5 tasks"), "{screen}");
    assert!(screen.contains("6 of 25 scorers have values"), "{screen}");
    assert!(screen.contains("log-probabilities (SP, LNSP, ATN, PM"), "{screen}");
    assert!(screen.contains("a judge (TER)"), "{screen}");
}

#[test]
fn long_names_stay_apart() {
    let home = home();
    let kinds = ["bad_network_preference", "bad_wifi_calling", "break_apn_mms_setting"];
    let tasks = kinds.iter().enumerate().map(|(index, kind)| {
        let id = format!("[mms_issue]airplane_mode_on|{kind}|user_abroad[PERSONA:None]");
        (id, vec![(index == 0, vec!["look"; index + 1])])
    });
    let path = store(home.path(), &[(Cell::new("telecom", "m"), tasks.collect())]);
    let mut driver = Driver::new(&path, 100, 24);
    let screen = driver.press("2");
    let rows: Vec<&str> = screen.lines().skip(3).take(3).collect();
    let names: std::collections::BTreeSet<&str> = rows
        .iter()
        .filter_map(|row| row.split_whitespace().find(|word| word.contains('[')))
        .collect();
    assert_eq!(names.len(), 3, "{screen}");
}

#[test]
fn the_list_of_scorers_shows_whole_names() {
    for (width, height) in [(80, 50), (120, 50)] {
        let mut driver = Driver::new(demo(), width, height);
        let screen = driver.press("s");
        let list: Vec<&str> = screen
            .lines()
            .filter_map(|line| line.split_once("white-b").map(|(row, _)| row))
            .collect();
        assert!(list.iter().any(|row| row.contains("LNSP·early  ")), "{screen}");
    }
}

#[test]
fn stuck_is_of_one_scope() {
    let mut driver = Driver::new(demo(), 120, 40);
    let cell = "bfcl-v4/gpt-4o-mini";
    let screen = driver.press("6");
    assert!(screen.contains(&format!("Stuck › {cell}")), "{screen}");
    assert!(screen.contains(&format!("pairs, {cell}")), "{screen}");
    assert!(screen.contains(&format!("AUROC in {cell}, with")), "{screen}");
    assert!(screen.contains("AUROC · 6 tasks"), "{screen}");
    let screen = driver.press("v");
    assert_eq!(screen.matches("all 20 cells").count(), 2, "top and table: {screen}");
    assert!(screen.contains("AUROC, mean of ") && screen.contains("· 120 tasks"), "{screen}");
    let screen = driver.press("v");
    assert!(
        screen.contains("pairs, bfcl-v4, 5 cells") && screen.contains("· 30 tasks"),
        "{screen}"
    );
    assert!(driver.app().view().command("s").contains("dataset"), "the choice is kept");
}
