//! The page of Curves that combines and calibrates scorers, and keeps what it made.

use qualm::engine::{Engine, recipes};
use qualm::scorers::Scorer;
use qualm::store::Store;

use crate::explorer::{Driver, made};
use crate::support::rows;

/// The line of the first cell.
fn first_line(screen: &str) -> String {
    let line = screen.lines().find(|line| line.starts_with(" ▸bfcl-v4/gpt-4o-mini"));
    line.unwrap_or_else(|| panic!("no line of the first cell\n{screen}")).to_owned()
}

fn two(value: &serde_json::Value) -> String {
    let text = format!("{:.2}", value.as_f64().expect("a number"));
    text.replacen("0.", ".", 1)
}

#[test]
fn every_method_shows_the_numbers_of_its_table() {
    let (home, path) = made(40);
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("5}");
    assert!(screen.contains("takes at least two scorers"), "{screen}");
    driver.press("+TER<Enter>");
    let report = |args: &[&str]| {
        let cell = ["--dataset", "bfcl-v4", "--model", "gpt-4o-mini", "--resamples", "60"];
        rows(home.path(), &path, &[&cell[..], args].concat()).remove(0)
    };
    for (keys, recipe) in [("", "logistic(lnsp.min,ter)"), ("l", "rank-average(lnsp.min,ter)")] {
        let line = first_line(&driver.press(keys));
        let row = report(&["--table", "ensemble", "--ensemble", recipe]);
        let expected = format!("{} [{}, {}]", two(&row["value"]), two(&row["lo"]), two(&row["hi"]));
        assert!(line.contains(&expected), "{recipe}: {expected}\n{line}");
    }
    let line = first_line(&driver.press("<Tab>"));
    let row = report(&["--table", "calibration", "--scorer", "lnsp.min"]);
    assert_eq!(row["method"], "isotonic");
    for metric in ["ece", "brier"] {
        let [before, after] = ["before", "after"].map(|when| two(&row[format!("{metric}_{when}")]));
        assert!(line.contains(&format!("{before} → {after} [")), "{metric}\n{line}");
    }
    // The metric of the lens is the one that ensembles are compared by, and E writes the table.
    let screen = driver.press("hhm");
    assert!(screen.contains("AUPRC"), "{screen}");
    // Enter opens the tasks of the selected cell.
    let screen = driver.press("j<Enter>");
    assert!(screen.contains("bfcl-v4/gpt-oss-20b"), "{screen}");
}

#[test]
fn a_combination_is_kept_under_a_name() {
    let (_home, path) = made(30);
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("5@");
    assert!(screen.contains("can be kept as a scorer"), "{screen}");
    let screen = driver.press("@");
    assert!(screen.contains("takes at least two scorers; + adds one"), "{screen}");
    driver.press("+turns<Enter>@");
    let screen = driver.press("a b<Enter>");
    assert!(screen.contains("use letters, digits"), "{screen}");
    let screen = driver.press("<Ctrl-u>ter<Enter>");
    assert!(screen.contains("another scorer is called ter"), "{screen}");
    let screen = driver.press("<Ctrl-u>mix<Enter>");
    assert!(screen.contains("mix is kept with the store, 600 values"), "{screen}");
    let store = Store::open(&path).expect("a store");
    let engine = Engine::load(&store, None).expect("loaded");
    assert!(engine.has_values(&Scorer::parse("mix")));
    let kept = recipes(engine.manifest());
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].recipe.to_string(), "logistic(lnsp.min,turns)");
}
