//! Search in the open runs, and which lines of them come into sight.

use qualm::ui::Screen;
use serde_json::{Value, json};

use super::{answer, call, draws, open_comparison, row, say, store};
use crate::explorer::Driver;
use crate::support::home;

/// A result of many lines; some of them hold a word.
fn lines(count: usize, word: &str, at: &[usize]) -> String {
    let line = |index: usize| {
        let pays = if at.contains(&index) { format!(" pays by {word}") } else { String::new() };
        format!("line {index}{pays}")
    };
    (0..count).map(line).collect::<Vec<_>>().join("\n")
}

fn looks(text: &str) -> Vec<Value> {
    vec![say("Hi"), call("look", &json!({"a": 1})), answer(text, false)]
}

/// The line of a screen that holds some words.
fn line_of(screen: &str, words: &str) -> usize {
    let found = screen.lines().position(|line| line.contains(words));
    found.unwrap_or_else(|| panic!("no {words:?} on\n{screen}"))
}

#[test]
fn a_hit_in_a_tall_row_is_on_screen_and_counted() {
    let home = home();
    let reference = looks(&lines(200, "PayPal", &[3, 120, 199]));
    let sample = looks(&lines(400, "PayPal", &[120, 390]));
    let path = store(home.path(), &[reference, sample]);
    for size in [(80, 24), (120, 40), (200, 50)] {
        let mut driver = Driver::new(&path, size.0, size.1);
        driver.press("2<Enter>");
        let screen = driver.press("/paypal<Enter>");
        assert!(screen.contains("“paypal”: 1 of 5 hits"), "{screen}");
        line_of(&screen, "line 3 pays");
        for (hit, words) in ["line 120 pays", "line 199 pays"].iter().enumerate() {
            let screen = driver.press("n");
            line_of(&screen, words);
            assert!(screen.contains(&format!("{} of 5 hits", hit + 2)), "{screen}");
            assert_eq!(driver.panel().focus, 0);
        }
        // Line 390 stands beyond what is shown of a row that holds no hit.
        driver.press("n");
        let screen = driver.press("n");
        assert!(screen.contains("5 of 5 hits"), "{screen}");
        line_of(&screen, "line 390 pays");
        assert_eq!(driver.panel().focus, 1, "the pane of the hit");
        let screen = driver.press("n");
        line_of(&screen, "line 3 pays");
        let screen = driver.press("NN");
        line_of(&screen, "line 120 pays");
        assert!(screen.contains("4 of 5 hits"), "{screen}");
        assert!(!driver.press("<Esc>").contains("hits"), "Esc forgets the words");
        assert_eq!(driver.app().screen, Screen::Compare);
    }
}

#[test]
fn hits_are_in_names_arguments_and_across_line_breaks() {
    let home = home();
    let run = vec![
        say("my credit\ncard, please"),
        call("credit_check", &json!({"of": "a credit  card"})),
        answer("fine", false),
    ];
    let path = store(home.path(), &[run]);
    let mut driver = Driver::new(&path, 80, 24);
    assert!(driver.press("2<Enter>/credit<Enter>").contains("of 3 hits"));
    assert!(driver.press("/<Ctrl-u>credit card<Enter>").contains("of 2 hits"));
    let screen = driver.press("/<Ctrl-u>nowhere<Enter>");
    assert!(screen.contains("nothing in these runs contains “nowhere”"), "{screen}");
    assert!(driver.press("<Esc>/CREDIT_check<Enter>").contains("1 of 1 hit"));
    assert_eq!(row(&driver), 1);
    let screen = driver.press("j");
    assert!(screen.contains("“CREDIT_check”: 1 hit"), "moved away from it: {screen}");
    assert!(driver.press("N").contains("1 of 1 hit"));
}

#[test]
fn a_search_in_tasks_goes_on_in_the_opened_task() {
    let home = home();
    let plain = looks("nothing here");
    let holds = looks(&lines(150, "PayPal", &[140]));
    // Only the third draw holds the word; the usual panes are the first two.
    let path = store(home.path(), &[plain.clone(), plain, holds]);
    let mut driver = Driver::new(&path, 100, 30);
    driver.press("2/paypal<Enter>");
    let screen = driver.press("<Enter>");
    assert_eq!(driver.app().screen, Screen::Compare);
    assert_eq!(draws(&driver), [0, 2], "the draw that holds it");
    assert!(screen.contains("“paypal”: 1 of 1 hit"), "{screen}");
    line_of(&screen, "line 140 pays by PayPal");
    driver.press("<Esc>");
    assert_eq!(driver.app().screen, Screen::Tasks, "Esc goes back at once");
    // A task that is found by its id has nothing to go to.
    let screen = driver.press("<Esc>/1<Enter><Enter>");
    assert!(screen.contains("“1”:"), "the texts hold a 1: {screen}");
    driver.press("<Esc><Esc>");
    let screen = driver.press("<Enter>");
    assert!(!screen.contains("hit"), "without a search there is none: {screen}");
}

#[test]
fn the_divergence_stands_at_a_third_of_the_height() {
    let home = home();
    let both: Vec<Value> = (0..30).flat_map(|step| looks(&format!("answer {step}"))).collect();
    let mut runs = [both.clone(), both];
    for (run, name) in runs.iter_mut().zip(["left", "right"]) {
        let last = run.len();
        run.splice(last - 30..last - 30, [call(name, &json!({})), answer("so", false)]);
    }
    let path = store(home.path(), &runs);
    for height in [24, 40, 50] {
        let mut driver = Driver::new(&path, 120, height);
        let screen = driver.press("2<Enter>gd");
        let comparison = open_comparison(&driver);
        assert_eq!(Some(row(&driver)), comparison.sheet.first_divergence());
        // Above the rows stand two lines of the frame, three of the heads and a rule; below, the keys.
        let third = 6 + (usize::from(height) - 7) / 3;
        assert_eq!(line_of(&screen, "◆"), third, "{screen}");
        assert_eq!(line_of(&driver.press("Gd"), "◆"), third, "from below too");
        assert_eq!(line_of(&driver.screen(), "◆"), third, "and it stays there");
    }
}
