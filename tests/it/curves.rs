//! Curves: one threshold through all plots, its readout, the best one for an aim, and the tasks beside it.

use crossterm::event::{MouseButton, MouseEventKind};
use qualm::model::Costs;
use qualm::store::Store;
use qualm::ui::screens::curves::PlotKind;
use qualm::ui::theme::Theme;
use qualm::ui::{Screen, View};
use serde_json::{Value, json};

use crate::explorer::{Driver, made, view};
use crate::support::{Draw, home, made as made_up, rows};

/// A demo store with forty tasks per cell, and its folder.
fn store() -> (tempfile::TempDir, std::path::PathBuf) {
    made(40)
}

/// The numbers of the sentence that says what the threshold does: accepted, all, successes among them.
fn readout(screen: &str) -> (usize, usize, usize) {
    let words: String = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, rest) = words.split_once(" accepts ").unwrap_or_else(|| panic!("no readout\n{screen}"));
    let numbers = rest.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
    let numbers: Vec<usize> = numbers.take(3).map(|word| word.parse().expect("a number")).collect();
    (numbers[0], numbers[1], numbers[2])
}

/// Score and outcome of every task of the first cell under LNSP·min, the surest first.
fn scores(home: &std::path::Path, store: &std::path::Path) -> Vec<(f64, bool, String)> {
    let report =
        rows(home, store, &["--table", "tasks", "--dataset", "bfcl-v4", "--scorer", "lnsp.min"]);
    let of_cell =
        report.iter().filter(|row| row["model"] == "gpt-4o-mini" && row["scorer"] == "lnsp");
    let of_cell = of_cell.filter(|row| row["aggregator"] == "min");
    let task = |row: &Value| {
        let (score, success) = (row["value"].as_f64()?, row["success"].as_bool()?);
        Some((score, success, row["task"].as_str()?.to_owned()))
    };
    let mut scores: Vec<_> = of_cell.filter_map(task).collect();
    scores.sort_by(|a, b| b.0.total_cmp(&a.0));
    scores
}

#[test]
fn keys_move_the_threshold_to_the_side_that_they_say() {
    let (_home, path) = store();
    let mut driver = Driver::new(&path, 120, 40);
    let (usual, all, _) = readout(&driver.press("5"));
    assert_eq!((usual, all), (32, 40), "four of five tasks are accepted at first");
    assert_eq!(readout(&driver.press("l")).0, 33, "to the right of an ROC curve more are accepted");
    assert_eq!(readout(&driver.press("hh")).0, 31);
    assert_eq!(readout(&driver.press("G")).0, 40);
    assert_eq!(readout(&driver.press("l")).0, 40, "it stays at the end");
    assert_eq!(readout(&driver.press("g")).0, 1);
    assert_eq!(readout(&driver.press("<Ctrl-d>")).0, 11);
    // A histogram has the surest tasks on the right.
    driver.press("<BackTab>");
    assert_eq!(driver.app().screens.curves.pages.plots.kind, PlotKind::Histogram);
    assert_eq!(readout(&driver.press("l")).0, 10);
    assert_eq!(readout(&driver.press("g")).0, 40);
}

#[test]
fn the_readout_counts_the_tasks_of_the_store() {
    let (home, path) = store();
    let scores = scores(home.path(), &path);
    assert_eq!(scores.len(), 40);
    let mut driver = Driver::new(&path, 160, 45);
    driver.press("5");
    for threshold in [0.5, scores[7].0, scores[20].0, scores[39].0] {
        let screen = driver.press(&format!("#<Ctrl-u>{threshold}<Enter>"));
        let accepted = scores.iter().filter(|(score, ..)| *score >= threshold);
        let successes = accepted.clone().filter(|(_, success, _)| *success).count();
        assert_eq!(readout(&screen), (accepted.count(), 40, successes), "{threshold}\n{screen}");
    }
    let screen = driver.press("#<Ctrl-u>high<Enter>");
    assert!(screen.contains("type a number"), "{screen}");
    assert_eq!(driver.press("<Esc>").matches("type a number").count(), 0);
}

#[test]
fn the_mouse_puts_the_threshold_into_any_plot() {
    let (_home, path) = store();
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("5");
    let screen = driver.screen();
    let line = |title: &str| {
        let (row, line) =
            screen.lines().enumerate().find(|(_, line)| line.contains(title)).expect("it");
        (row as u16, line[..line.find(title).expect("it")].chars().count() as u16)
    };
    let (row, column) = line("Risk–coverage");
    let click = MouseEventKind::Down(MouseButton::Left);
    let left = readout(&driver.mouse(click, column + 8, row + 5)).0;
    let right = readout(&driver.mouse(click, column + 30, row + 5)).0;
    assert!(left < 8 && right > 25, "{left} {right}");
    assert_eq!(driver.app().screens.curves.pages.plots.kind, PlotKind::Risk);
    let dragged = MouseEventKind::Drag(MouseButton::Left);
    let middle = readout(&driver.mouse(dragged, column + 20, row + 5)).0;
    assert!(left < middle && middle < right, "{middle}");
    let (other_row, other) = line("Histogram");
    driver.mouse(dragged, other + 12, other_row + 4);
    assert_eq!(
        driver.app().screens.curves.pages.plots.kind,
        PlotKind::Risk,
        "a drag stays in its plot"
    );
    let (row, column) = line("ROC AUROC");
    assert_eq!(readout(&driver.mouse(click, column + 4, row + 13)).0, 1, "the surest task alone");
}

#[test]
fn four_scorers_at_most_each_at_the_same_coverage() {
    let (_home, path) = store();
    let mut driver = Driver::new(&path, 160, 45);
    driver.press("5+ter<Enter>+ptrue<Enter>+turns<Enter>");
    assert_eq!(driver.app().screens.curves.others.len(), 3);
    let screen = driver.press("+");
    assert!(screen.contains("four scorers are compared at most"), "{screen}");
    let rows: Vec<&str> =
        screen.lines().filter(|line| line.contains('/') && line.contains('%')).collect();
    assert!(rows.iter().any(|row| row.contains("4 ⠤") && row.contains("turns")), "{screen}");
    let before = readout(&screen).0;
    let screen = driver.press("jj");
    assert!(screen.contains("▸3 ") && screen.contains("P(True) ≥"), "{screen}");
    assert!(
        readout(&screen).0.abs_diff(before) <= 1,
        "as many tasks under another scorer\n{screen}"
    );
    driver.press("--");
    assert_eq!(driver.app().screens.curves.others.len(), 1);
    let screen = driver.press("--");
    assert!(screen.contains("the lens's scorer stays"), "{screen}");
    // The lens's scorer is listed once, also where it was added before.
    driver.press("+ter<Enter>ster<Enter>");
    assert_eq!(driver.app().screens.curves.subject(driver.shared()).scorers.len(), 1);
}

#[test]
fn costs_are_kept_with_the_store() {
    let (_home, path) = store();
    let mut driver = Driver::new(&path, 120, 40);
    assert!(driver.press("5").contains("(failure 10, review 1, run 0)"));
    let screen = driver.press("V<Ctrl-u>4 -1 0<Enter>");
    assert!(screen.contains("three costs that are not negative"), "{screen}");
    driver.press("<Ctrl-u>4, 2, 0.5<Enter>");
    driver.0.app.shared.notice = None;
    let screen = driver.screen();
    assert!(screen.contains("(failure 4, review 2, run 0.5)"), "{screen}");
    let kept = Store::open(&path).expect("a store").costs().expect("read");
    assert_eq!(kept, Some(Costs { failure: 4.0, review: 2.0, run: 0.5 }));
    let mut again = Driver::new(&path, 120, 40);
    assert!(again.press("5").contains("(failure 4, review 2, run 0.5)"));
}

#[test]
fn the_best_threshold_says_what_it_would_have_achieved() {
    let (_home, path) = store();
    let mut driver = Driver::new(&path, 160, 45);
    driver.press("5sptrue<Enter>");
    let screen = driver.press("^s<Ctrl-u>80%<Enter>");
    assert!(screen.contains("To keep at least 80% success: accept P(True) ≥"), "{screen}");
    assert!(screen.contains("On tasks that did not choose it (5 folds)"), "{screen}");
    let (accepted, _, successes) = readout(&screen);
    assert!(successes as f64 >= 0.8 * accepted as f64 && accepted > 0, "{screen}");
    // The aim holds for the next cell too, until the threshold is moved.
    let screen = driver.press(">");
    assert!(screen.contains("To keep at least 80% success"), "{screen}");
    let screen = driver.press("l");
    assert!(!screen.contains("To keep"), "{screen}");
    let screen = driver.press("^r<Ctrl-u>25<Enter>");
    assert!(screen.contains("To review at most 25%"), "{screen}");
    assert!(readout(&screen).0 >= 30, "{screen}");
    assert!(driver.press("^c").contains("For the least cost: accept"));
    let screen = driver.press("^s<Ctrl-u>lots<Enter>");
    assert!(screen.contains("type a share"), "{screen}");
}

#[test]
fn enter_lists_the_tasks_beside_the_threshold() {
    let (home, path) = store();
    let scores = scores(home.path(), &path);
    let mut driver = Driver::new(&path, 120, 40);
    let list = driver.press("5<Enter>");
    assert!(list.contains("18 tasks") || list.contains("20 tasks"), "{list}");
    let screen = driver.press("<Enter>");
    assert_eq!(driver.app().screen, Screen::Tasks, "{screen}");
    let table = driver.shared().current_table().expect("a table");
    let shown: Vec<String> =
        table.rows.iter().map(|id| driver.shared().task_of(*id).expect("it").id.clone()).collect();
    // 32 tasks are accepted: ten above the threshold, and the eight below it.
    let expected: Vec<String> = scores[22..40].iter().map(|(_, _, task)| task.clone()).collect();
    assert_eq!(shown, expected);
    assert!(driver.shared().lens.selection.starts_with("score between "));
    // Back, the threshold moves on, and another list takes the place of the first.
    driver.press("<Esc>gll<Enter><Enter>");
    let table = driver.shared().current_table().expect("a table");
    assert_eq!(table.rows.len(), 13, "{}", driver.shared().lens.selection);
    // A selection narrows the list and no number.
    let numbers = readout(&driver.press("<Esc>\\&not success<Enter>"));
    assert_eq!(numbers, readout(&driver.press("\\")));
    driver.press("&not success<Enter><Enter><Enter>");
    let failures = scores.iter().filter(|(_, success, _)| !success).count();
    let table = driver.shared().current_table().expect("a table");
    assert!(!table.rows.is_empty() && table.rows.len() <= failures);
    assert!(driver.shared().lens.selection.starts_with("not success and "));
    driver.press("<Esc><Enter><Down><Enter>");
    assert_eq!(driver.app().screen, Screen::Compare, "an entry opens its task");
}

/// Of tasks that tie with the outermost of the list, all are selected, and none beyond.
#[test]
fn tasks_that_tie_are_selected_together() {
    let home = home();
    let draw = |success: bool, actions: &[&'static str]| Draw {
        success: Some(success),
        db_match: None,
        actions: actions.to_vec(),
    };
    // Sixteen tasks agree fully, sixteen half, eight not at all.
    let task = |task: usize| {
        let other: &[&str] = [&["a", "b"][..], &["a", "c"], &["c", "d"]][task / 16];
        vec![draw(task.is_multiple_of(3), &["a", "b"]), draw(true, other)]
    };
    let path = made_up(home.path(), &(0..40).map(task).collect::<Vec<_>>(), Vec::new());
    let opened = view(json!({"screen": "curves", "scorer": "aec"}));
    let mut driver = Driver::with(&path, opened, &Theme::plain(), (120, 40));
    let list = driver.press("#<Ctrl-u>0.7<Enter><Enter>");
    assert!(list.contains("20 tasks") && list.contains("those that tie with them"), "{list}");
    driver.press("<Enter>");
    let table = driver.shared().current_table().expect("a table");
    assert_eq!(table.rows.len(), 32, "{}", driver.shared().lens.selection);
}

#[test]
fn cells_are_pooled() {
    let (_home, path) = store();
    let mut driver = Driver::new(&path, 120, 40);
    let all = readout(&driver.press("5v"));
    assert_eq!(all.1, 800, "twenty cells of forty tasks");
    assert_eq!(readout(&driver.press("v")).1, 200);
    let screen = driver.press("<Enter>");
    assert!(screen.contains("dataset = 'bfcl-v4' and score between"), "{screen}");
    driver.press("<Enter>");
    assert!(driver.shared().tasks.all_cells);
    assert_eq!(driver.shared().current_table().expect("a table").rows.len(), 20);
    assert_eq!(readout(&driver.press("<Esc>v")).1, 160);
    assert_eq!(readout(&driver.press("v")).1, 40);
}

#[test]
fn a_copied_command_reopens_the_view() {
    let (_home, path) = store();
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("5+ter<Enter>+ptrue<Enter>v<Tab><Tab>zi#<Ctrl-u>0.955<Enter>");
    driver.press("Y");
    let command = driver.0.copied.clone().expect("copied");
    for flag in [
        "--screen curves",
        "--plot risk",
        "--with ter",
        "--with ptrue",
        "--pooled all",
        "--alone",
        "--bands",
        "--threshold 0.955",
    ] {
        assert!(command.contains(flag), "{flag}: {command}");
    }
    let remembered = serde_json::to_value(driver.app().view()).expect("JSON");
    let again: View = serde_json::from_value(remembered).expect("a view");
    let mut reopened = Driver::with(&path, again, &Theme::plain(), (120, 40));
    assert_eq!(reopened.screen(), screen);
    let aimed = view(json!({"screen": "curves", "aim": "review<=0.25", "scorer": "ptrue"}));
    let screen = Driver::with(&path, aimed, &Theme::plain(), (160, 45)).screen();
    assert!(screen.contains("To review at most 25%"), "{screen}");
    let wrong = view(json!({"screen": "curves", "with": ["nothing"]}));
    let driver = Driver::with(&path, wrong, &Theme::plain(), (120, 40));
    assert_eq!(driver.app().problems, ["--with: no values of `nothing` in this store"]);
}

#[test]
fn what_is_missing_is_said_in_a_sentence() {
    let (_home, path) = store();
    let mut driver = Driver::new(&path, 120, 40);
    let one = driver.press("5&success<Ctrl-s><Enter>");
    assert!(one.contains("The scope leaves only successes"), "{one}");
    assert!(one.contains("No curve: all passed"), "{one}");
    let turns = driver.press("%sturns<Enter>");
    assert!(turns.contains("turns is not in 0..1, so it is no"), "{turns}");
    let home = home();
    let draw = |success| vec![Draw { success, db_match: None, actions: vec!["a"] }];
    let path = made_up(home.path(), &[draw(None), draw(None)], Vec::new());
    let mut driver = Driver::new(&path, 80, 24);
    let ungraded = driver.press("5sturns<Enter>");
    assert!(ungraded.contains("No task with a score is graded here"), "{ungraded}");
    let none = view(json!({"screen": "curves", "scorer": "aec"}));
    let none = Driver::with(&path, none, &Theme::plain(), (80, 24));
    assert!(!none.app().problems.is_empty());
}

#[test]
fn curves_are_held_back_from_somebody_who_votes() {
    let (_home, path) = made(6);
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("7<Enter>5");
    assert_eq!(driver.app().screen, Screen::Curves);
    assert!(screen.contains("held back until you have voted"), "{screen}");
    assert!(!screen.contains("AUROC ."), "{screen}");
    let screen = driver.press("y");
    assert!(screen.contains("nothing to copy"), "{screen}");
    let screen = driver.press("E<Ctrl-u>curves.csv<Enter>");
    assert!(screen.contains("held back while you vote"), "{screen}");
}

#[test]
fn bands_come_with_a_key_and_go_with_it() {
    let (_home, path) = store();
    let mut driver = Driver::new(&path, 120, 40);
    let plain = driver.press("5");
    driver.press("i");
    driver.0.app.shared.notice = None;
    let banded = driver.screen();
    assert!(banded.contains("60 resamples") && banded.contains('⢕'), "{banded}");
    driver.press("i");
    driver.0.app.shared.notice = None;
    assert_eq!(driver.screen(), plain);
}

#[test]
fn tables_are_those_of_the_report() {
    let (home, path) = store();
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("5+ter<Enter>#<Ctrl-u>0.95<Enter>y");
    let row = driver.0.copied.clone().expect("copied");
    let aim = ["--aim", "score>=0.95", "--scorer", "lnsp.min", "--resamples", "0"];
    let cell = ["--dataset", "bfcl-v4", "--model", "gpt-4o-mini"];
    let report = |table: &str, more: &[&str]| {
        rows(home.path(), &path, &[&["--table", table], &cell[..], more].concat())
    };
    let expected = &report("thresholds", &aim)[0];
    for field in ["accepted", "failures_caught", "successes_lost", "coverage", "success", "cost"] {
        let value = expected[field].to_string();
        assert!(row.split('\t').any(|cell| cell == value), "{field} {value}: {row}");
    }
    let file = home.path().join("curves.csv");
    driver.press(&format!("E<Ctrl-u>{}<Enter>", file.display()));
    let written = std::fs::read_to_string(&file).expect("written");
    let points = report("curves", &["--scorer", "lnsp.min,ter", "--resamples", "0"]);
    assert_eq!(written.lines().count(), points.len() + 1);
    let file = home.path().join("thresholds.csv");
    driver.press(&format!("^cE<Ctrl-u>{}<Enter>", file.display()));
    let written = std::fs::read_to_string(&file).expect("written");
    assert_eq!(written.lines().count(), 3, "{written}");
    assert!(written.lines().skip(1).all(|line| line.contains(",cost,")), "{written}");
    let copied = {
        driver.press("y");
        driver.0.copied.clone().expect("copied")
    };
    assert!(copied.contains("\tcost\t"), "{copied}");
}
