//! All draws at once: the tree of their actions, driven by keys and printed.

use std::path::{Path, PathBuf};

use qualm::compare::DrawTree;
use qualm::ui::Screen;
use serde_json::{Value, json};

use super::{answer, call, draws, open_comparison, row, say, store};
use crate::explorer::{Driver, demo, view};
use crate::support::{Draw, home, made, run, text};

/// A store of one task whose draws call these tools.
fn with_draws(home: &Path, runs: &[(&[&'static str], Option<bool>)]) -> PathBuf {
    let draw = |(actions, success): &(&[&'static str], Option<bool>)| Draw {
        success: *success,
        db_match: None,
        actions: actions.to_vec(),
    };
    made(home, &[runs.iter().map(draw).collect()], Vec::new())
}

/// Five draws of about thirty actions: two part early, two late, one ends.
fn five(home: &Path) -> PathBuf {
    let start = ["get_user_details", "get_reservation_details", "search_direct_flight"];
    let long: Vec<&'static str> = start.iter().copied().cycle().take(28).collect();
    let with = |count: usize, more: &[&'static str]| [&long[..count], more].concat();
    let runs = [
        with(28, &["book_reservation", "transfer_to_human_agents"]),
        with(28, &["book_reservation", "cancel_reservation"]),
        with(6, &["calculate", "update_reservation_baggages", "message"]),
        with(6, &["calculate", "update_reservation_baggages", "message"]),
        with(28, &[]),
    ];
    let outcomes = [Some(false), Some(true), Some(true), Some(false), None];
    let runs: Vec<(&[&'static str], Option<bool>)> =
        runs.iter().map(Vec::as_slice).zip(outcomes).collect();
    with_draws(home, &runs)
}

fn tree(driver: &Driver) -> DrawTree {
    let shown = driver.app().screens.tree.tree(driver.shared());
    shown.expect("read").expect("whole").as_ref().clone()
}

#[test]
fn branches_open_side_by_side_where_they_diverge() {
    let home = home();
    let path = five(home.path());
    let mut driver = Driver::new(&path, 80, 24);
    let screen = driver.press("2<Enter>B");
    assert_eq!(driver.app().screen, Screen::Tree);
    assert!(screen.contains("5 draws, 2 of 4 solved"), "{screen}");
    assert!(screen.contains("they first diverge after action 6"), "{screen}");
    assert!(screen.contains("◆ 2 ways") && screen.contains("■ ends"), "{screen}");
    assert_eq!(tree(&driver).branches.len(), 7);
    // The branch that two draws take, beside the reference of the other one.
    driver.press("G");
    assert!(driver.screen().contains("⏎ opens the reference beside sample 2 at action 7"));
    driver.press("<Enter>");
    assert_eq!((driver.app().screen, draws(&driver)), (Screen::Compare, vec![0, 2]));
    let comparison = open_comparison(&driver);
    let at = row(&driver);
    assert_eq!(comparison.sheet.step(at, 1).expect("a step").kind(comparison.run(1)), "calculate");
    assert_eq!(comparison.sheet.first_divergence(), Some(at));
    driver.press("<Esc>");
    assert_eq!(driver.app().screen, Screen::Tree, "Esc goes back to the tree");
    // Two branches that are marked and selected.
    driver.press("gjjj<Space>");
    assert!(driver.screen().contains('●'));
    driver.press("G<Enter>");
    assert_eq!(draws(&driver).len(), 2);
    assert_ne!(draws(&driver)[0], 2);
    driver.press("<Esc>B");
    assert_eq!(driver.app().screen, Screen::Compare, "B goes back");
}

#[test]
fn chains_unfold_and_forks_are_found() {
    let home = home();
    let path = five(home.path());
    let mut driver = Driver::new(&path, 80, 24);
    let folded = driver.press("2<Enter>B");
    let screen = driver.press("z");
    assert!(screen.contains("  1 get_user_details"), "{screen}");
    assert!(screen.contains("  6 search_direct_flight"), "{screen}");
    assert_eq!(driver.press("z"), folded);
    driver.press("Z");
    let tree = tree(&driver);
    let shown = &driver.app().screens.tree;
    assert_eq!(shown.lines(&tree).len(), tree.branches.len() + 6 + 22 + 3);
    driver.press("ZG");
    driver.press("Zgd");
    let shown = &driver.app().screens.tree;
    let line = &shown.lines(&tree)[shown.selected];
    assert!(!tree.branches[line.branch].children.is_empty());
}

#[test]
fn the_tree_is_copied_exported_reopened_and_printed() {
    let home = home();
    let path = five(home.path());
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("2<Enter>By");
    let copied = driver.0.copied.clone().expect("copied");
    assert!(copied.starts_with("d/m  task 0\n5 draws, 2 of 4 solved"), "{copied}");
    let file = home.path().join("tree.md");
    driver.press(&format!("E<Ctrl-u>{}<Enter>", file.display()));
    let written = std::fs::read_to_string(&file).expect("written");
    assert_eq!(written, format!("```text\n{copied}```\n"));
    let screen = driver.press(&format!("E<Ctrl-u>{}<Enter>", home.path().join("t.csv").display()));
    assert!(screen.contains("written as .md or .json"), "{screen}");
    driver.press("<Esc>Y");
    let command = driver.0.copied.clone().expect("copied");
    assert!(command.contains("--screen tree") && command.contains("--task 0"), "{command}");
    let again = view(json!({"screen": "tree", "dataset": "d", "model": "m", "task": "0"}));
    let mut again = Driver::with(&path, again, &qualm::ui::theme::Theme::plain(), (120, 40));
    assert!(again.screen().contains("5 draws, 2 of 4 solved"), "{}", again.screen());
    again.press("<Esc>");
    assert_eq!(again.app().screen, Screen::Compare, "a tree opened by a view belongs to Compare");

    let path = path.display().to_string();
    let printed = run(home.path(), &["show", &path, "--task", "0", "--tree"]);
    assert_eq!(text(&printed.stdout), copied);
    let printed = run(home.path(), &["show", &path, "--task", "0", "--tree", "--format", "json"]);
    let json: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
    assert_eq!(json["draws"].as_array().map(Vec::len), Some(5));
    let last = &json["branches"][6];
    assert_eq!((&last["draws"], &last["parent"]), (&json!([2, 3]), &json!(0)));
    assert_eq!((&last["first_action"], &last["share"]), (&json!(7), &json!(0.5)));
    let both = run(home.path(), &["show", &path, "--task", "0", "--tree", "--draws", "0,1"]);
    assert_eq!(both.status.code(), Some(2), "one or the other");
}

#[test]
fn one_draw_many_draws_and_runs_without_actions() {
    let (yes, no) = (Some(true), Some(false));
    let one: Vec<(&[&'static str], Option<bool>)> = vec![(&["a", "b"], yes)];
    let empty: Vec<(&[&'static str], Option<bool>)> = vec![(&[], no), (&[], no)];
    let names: [&[&'static str]; 5] = [&["a"], &["a", "b"], &["a", "c", "d"], &["e", "a"], &[]];
    let many: Vec<(&[&'static str], Option<bool>)> =
        (0..100).map(|draw| (names[draw % 5], [yes, no, None][draw % 3])).collect();
    for (runs, words) in [
        (one, "1 draw, 1 of 1 solved · 1 way · the only one"),
        (empty, "2 draws, 0 of 2 solved · 1 way · without actions"),
        (many, "100 draws, 34 of 67 solved · 5 ways · they diverge at the first action"),
    ] {
        let home = home();
        let path = with_draws(home.path(), &runs);
        let mut driver = Driver::new(&path, 80, 24);
        let screen = driver.press("2<Enter>B");
        assert!(screen.contains(words), "{screen}");
        for keys in ["jjj", "z", "Z", "G", "<Space>", "d", "y", "H", "L", "<Enter>"] {
            driver.press(keys);
        }
        assert_eq!(driver.app().screen, Screen::Compare);
    }
}

#[test]
fn names_of_tools_cannot_break_the_screen() {
    let home = home();
    let wide = "日本".repeat(40);
    let evil = "a\u{1b}[31m\u{202e}b";
    let turns = |name: &str| vec![say("Hi"), call(name, &json!({})), answer("x", false)];
    let path = store(home.path(), &[turns(&wide), turns(evil), turns(&"x".repeat(300))]);
    let mut driver = Driver::new(&path, 80, 24);
    for keys in ["2<Enter>B", "Z", "j"] {
        let screen = driver.press(keys);
        assert!(!screen.contains(['\u{1b}', '\u{202e}']), "{screen}");
        assert!(screen.contains('…'), "names are cut: {screen}");
    }
}

#[test]
fn the_tree_follows_the_task() {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("lllll<Enter><Enter>B");
    let first = driver.shared().task;
    let before = tree(&driver);
    driver.press("Gz<Space>L");
    assert_ne!(driver.shared().task, first);
    let screen = &driver.app().screens.tree;
    assert_eq!((screen.selected, screen.marked), (0, None), "another tree begins at its top");
    driver.press("H");
    assert_eq!(tree(&driver), before);
}
