//! The pages of Curves about the signal, early stopping and families: their numbers are those of the
//! tables, and what is behind them opens.

use std::path::Path;

use qualm::ui::theme::Theme;
use qualm::ui::{Screen, View};
use serde_json::{Value, json};

use crate::explorer::{Driver, made, view};
use crate::support::{Draw, home, made as made_up, rows as all_rows};

/// The rows of a table under the resamples of the explorer in tests.
fn rows(home: &Path, store: &Path, args: &[&str]) -> Vec<Value> {
    all_rows(home, store, &[args, &["--resamples", "60"]].concat())
}

/// A view of a page.
fn page(name: &str) -> View {
    view(json!({"screen": "curves", "page": name}))
}

fn words(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number to two decimals as screens write it.
fn two(value: &Value) -> String {
    let text = format!("{:.2}", value.as_f64().expect("a number"));
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}

#[test]
fn the_signal_has_the_numbers_of_the_tables_and_opens_turns() {
    let (home, path) = made(40);
    let mut driver = Driver::with(&path, page("signal"), &Theme::plain(), (120, 36));
    let cell = ["--dataset", "bfcl-v4", "--model", "gpt-4o-mini", "--scorer", "lnsp.min"];
    let positions = rows(home.path(), &path, &[&["--table", "positions"], &cell[..]].concat());
    let said = |row: &Value, screen: &str| {
        let value = format!(
            "AUROC {}, 95% interval {} to {}",
            two(&row["value"]),
            two(&row["lo"]),
            two(&row["hi"])
        );
        assert!(words(screen).contains(&value), "{value}\n{screen}");
    };
    let screen = driver.screen();
    said(&positions[0], &screen);
    assert!(screen.contains("turns at 0–10% of the run"), "{screen}");
    said(&positions[4], &driver.press("llll"));
    let screen = driver.press("<Tab>");
    said(&positions[14], &screen);
    assert!(screen.contains("the first 50% of every run"), "{screen}");
    said(&positions[19], &driver.press("G"));
    let tools = rows(home.path(), &path, &[&["--table", "tools"], &cell[..]].concat());
    said(&tools[0], &driver.press("<Tab>"));
    said(&tools[1], &driver.press("j"));
    let list = driver.press("<Enter>");
    let count = format!("messages to the user: {} turns", tools[1]["turns"]);
    assert!(list.contains(&count), "{count}\n{list}");
    // The least confident first: it opens in Compare, at its turn.
    let first = list.lines().find(|line| line.contains(", turn ")).expect("a turn").to_owned();
    let number: String = first
        .split(", turn ")
        .nth(1)
        .expect("it")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    driver.press("<Enter>");
    assert_eq!(driver.app().screen, Screen::Compare);
    let turn: usize = number.parse().expect("a number");
    assert_eq!(driver.panel().turn + 1, turn, "{first}");
    // Back to the list.
    driver.press("<Esc>");
    assert_eq!(driver.app().screen, Screen::Curves);
}

#[test]
fn lists_are_of_the_selection_and_numbers_of_the_scope() {
    let (_home, path) = made(40);
    let mut driver = Driver::with(&path, page("signal"), &Theme::plain(), (120, 36));
    let before = words(&driver.screen());
    let numbers = |screen: &str| {
        let (_, rest) = screen.split_once("AUROC .").expect("a number");
        rest.chars().take(60).collect::<String>()
    };
    let after = driver.press("&turns > 9<Enter>");
    assert_eq!(
        numbers(&before[before.find("of the run: ").expect("it")..]),
        numbers(&words(&after)[words(&after).find("of the run: ").expect("it")..]),
        "{after}"
    );
    let list = driver.press("<Enter>");
    let title = list.lines().find(|line| line.contains("turns at 0–10%")).expect("a title");
    let shown = driver.shared().selected().expect("a selection").value.count(0);
    assert!(shown < 40 && !title.contains(" 40 turns"), "{title}");
}

#[test]
fn stopping_says_what_the_table_says() {
    let (home, path) = made(40);
    let mut driver = Driver::with(&path, page("stopping"), &Theme::plain(), (120, 36));
    let args = ["--table", "stopping", "--dataset", "bfcl-v4", "--model", "gpt-4o-mini"];
    let args = [&args[..], &["--scorer", "lnsp.min", "--all-thresholds"]].concat();
    let table = rows(home.path(), &path, &args);
    let usual = table.iter().rfind(|row| {
        let share =
            row["successes_killed"].as_f64().expect("it") / row["successes"].as_f64().expect("it");
        share <= 0.05
    });
    let count = |row: &Value, name: &str| row[name].as_u64().expect("a count");
    let said = |row: &Value| {
        format!(
            "stops {} of 40 runs: {} of {} failures",
            count(row, "stopped"),
            count(row, "failures_stopped"),
            count(row, "failures")
        )
    };
    let screen = words(&driver.screen());
    assert!(screen.contains(&said(usual.expect("a row"))), "{screen}");
    let typed = words(&driver.press("#<Ctrl-u>0.95<Enter>"));
    let at = table.iter().find(|row| row["threshold"].as_f64() >= Some(0.95)).expect("a row");
    assert!(typed.contains(&said(at)), "{}\n{typed}", said(at));
    let share = |name: &str| (at[name].as_f64().expect("a share") * 100.0).round();
    let failures = format!(
        "({}% [{}, {}])",
        share("failures_stopped_share"),
        share("failures_stopped_share_lo"),
        share("failures_stopped_share_hi")
    );
    assert!(typed.contains(&failures), "{failures}\n{typed}");
    let none = words(&driver.press("g"));
    assert!(none.contains("stops 0 of 40 runs"), "{none}");
    let all = words(&driver.press("G"));
    assert!(all.contains("stops 40 of 40 runs"), "{all}");
    let list = driver.press("<Enter>");
    assert!(list.contains("40 runs") && list.contains("stopped at turn 1 of"), "{list}");
    driver.press("<Enter>");
    assert_eq!((driver.app().screen, driver.panel().turn), (Screen::Compare, 0));
}

#[test]
fn families_have_a_verdict_over_all_cells() {
    let (home, path) = made(40);
    let settings = json!({"screen": "curves", "page": "families", "with": ["ter"]});
    let mut driver = Driver::with(&path, view(settings), &Theme::plain(), (160, 40));
    let screen = driver.screen();
    for sign in ["● white-box", "◆ consistency", "▲ reflexive", "AUROC of LNSP·min − TER"]
    {
        assert!(screen.contains(sign), "{sign}\n{screen}");
    }
    let args = ["--table", "paired", "--scorer", "lnsp.min", "--versus", "ter"];
    let table = rows(home.path(), &path, &args);
    let decisive = table.iter().filter(|row| row["decisive"] == true).count();
    let screen = driver.press("<Tab>j");
    assert!(screen.contains(&format!("Decisive in {decisive} of 20 cells")), "{screen}");
    assert_eq!(driver.shared().cell, 1);
    driver.press("<Enter>");
    assert_eq!(driver.app().screen, Screen::Tasks);
    // Without a second scorer, the page says how to choose one.
    let mut alone = Driver::with(&path, page("families"), &Theme::plain(), (80, 24));
    let screen = alone.press("<Tab>");
    assert!(screen.contains("+ adds a scorer"), "{screen}");
}

#[test]
fn runs_without_log_probabilities_have_no_signal() {
    let home = home();
    let draw = Draw { success: Some(true), db_match: None, actions: vec!["a"] };
    let path = made_up(home.path(), &vec![vec![draw; 2]; 3], Vec::new());
    for (name, said) in
        [("signal", "no turn has a confidence"), ("stopping", "no run can be stopped")]
    {
        let mut driver = Driver::with(&path, page(name), &Theme::plain(), (80, 24));
        let screen = words(&driver.screen());
        assert!(screen.contains(said), "{screen}");
        driver.press("hjkl<Enter><Esc>G<Tab>");
    }
}

#[test]
fn pages_fit_every_size() {
    let (_home, path) = made(24);
    for name in ["signal", "stopping", "families"] {
        for size in [(80, 24), (120, 40), (200, 50), (40, 12), (20, 5)] {
            let mut driver = Driver::with(&path, page(name), &Theme::plain(), size);
            driver.screen();
            driver.press("<Tab>jjG<Tab>k");
        }
    }
}
