//! No key stays silent, popups close before the program quits, help begins with the signs, and low
//! windows show what is essential.

use qualm::ui::Screen;
use qualm::ui::keymap::BINDINGS;

use crate::explorer::{Driver, demo, made};

/// Keys that open every screen.
const SCREENS: [(Screen, &str); 11] = [
    (Screen::Cells, "0"),
    (Screen::Grid, "01"),
    (Screen::Tasks, "2"),
    (Screen::Compare, "3"),
    (Screen::Read, "3<Enter>"),
    (Screen::Aggregators, "4"),
    (Screen::Curves, "5"),
    (Screen::Stuck, "6"),
    (Screen::Judges, "7"),
    (Screen::Triage, "7<Enter>"),
    (Screen::Versus, "8"),
];

/// Keys that open what is behind a screen: the tree of draws, and the pages of Curves.
const BEHIND: [(Screen, &str); 5] = [
    (Screen::Tree, "3B"),
    (Screen::Curves, "5}"),
    (Screen::Curves, "5}}"),
    (Screen::Curves, "5}}}"),
    (Screen::Curves, "5}}}}"),
];

#[test]
fn a_key_without_a_meaning_here_says_so() {
    let footer = |keys: &str| {
        let screen = Driver::new(demo(), 120, 40).press(keys);
        screen.lines().last().expect("a footer").trim().to_owned()
    };
    assert_eq!(footer("t"), "t works in Compare and Triage");
    assert_eq!(footer("p"), "pin moved to P");
    assert_eq!(footer("o"), "sort moved to r");
    assert_eq!(footer("O"), "sort the columns moved to R");
    assert_eq!(footer("3i"), "the side pane moved to O");
    assert_eq!(footer("3="), "add a pane moved to +");
    assert_eq!(footer("3R"), "change a note moved to C");
    assert_eq!(footer("7<Enter><Space>"), "next pair moved to L");
    assert_eq!(footer("_"), "_ does nothing; ? lists the keys");
    assert_eq!(footer("%"), "there is no scope to lift");
    assert_eq!(footer("1"), "this is Grid");
    assert_eq!(footer("7h"), "h does nothing here", "the queue has no columns");
    assert!(footer("<Esc>").contains("no step back"));
    assert_eq!(footer("3&task = 'nowhere'<Enter>I"), "there is no run here");
    // Pages of Curves say which of them has it.
    assert_eq!(footer("5}z"), "single plots are on the page Plots");
    assert_eq!(footer("5}}i"), "bands are on the page Plots");
    assert_eq!(footer("5}}}^"), "the best threshold is on the page Plots");
    assert_eq!(footer("5}#"), "thresholds are on the pages Plots and Stopping");
    assert_eq!(footer("5}}}}v"), "this page has a line for every cell");
    assert_eq!(footer("8v"), "v works in Grid, Tasks, Curves and Stuck");
    assert_eq!(footer("8t"), "t works in Compare and Triage");
}

/// Every letter on every screen either changes what is drawn or says something.
#[test]
fn every_letter_does_or_says_something() {
    press_every_letter(&SCREENS);
}

#[test]
fn every_letter_does_or_says_something_behind_screens() {
    press_every_letter(&BEHIND);
}

fn press_every_letter(screens: &[(Screen, &str)]) {
    // Moving stays silent at an end, or where one is already.
    let may_be_silent = "hjklgGq<>,.nN[]wedR";
    // Votes are written, so the store is not shared.
    let (_home, path) = made(2);
    for &(screen, keys) in screens {
        let mut driver = Driver::new(&path, 120, 40);
        for letter in (33..127u8).map(char::from).filter(|c| !may_be_silent.contains(*c)) {
            // A preset may have left no task.
            driver.press(&format!("0&<Ctrl-u><Enter>{keys}"));
            assert_eq!(driver.app().screen, screen, "{keys}");
            driver.0.app.shared.notice = None;
            let before = driver.screen();
            let after = driver.press(&letter.to_string());
            let said = driver.app().shared.notice.is_some();
            let changed = after != before || !driver.app().overlays.is_empty();
            assert!(said || changed, "`{letter}` is silent on {screen:?}\n{before}");
            driver.press("<Esc>");
        }
    }
}

/// The bottom line has only keys that work: on the open page, and not below a list that has the keys.
#[test]
fn the_bottom_line_has_the_keys_that_work() {
    let footer = |keys: &str| {
        let screen = Driver::new(demo(), 200, 50).press(keys);
        screen.lines().last().expect("a footer").trim().to_owned()
    };
    assert!(footer("5").contains("^ best") && footer("5").contains("i bands"));
    for page in ["5}", "5}}", "5}}}", "5}}}}"] {
        let footer = footer(page);
        assert!(!footer.contains("^ best") && !footer.contains("i bands"), "{footer}");
        assert!(footer.contains("} page") && footer.contains("? help"), "{footer}");
    }
    assert!(footer("5}}}").contains("l threshold") && !footer("5}}}}").contains("l threshold"));
    let closes = ["s", ":", "?", "$", "2|", "2o", "3o", "5^", "5+", "8o"];
    for keys in closes {
        let footer = footer(keys);
        assert!(footer.contains("close") && !footer.contains(": commands"), "{keys}: {footer}");
    }
    assert_eq!(footer("$x"), "x does nothing in this list; Esc closes it");
}

#[test]
fn q_and_esc_close_what_is_open_before_they_quit() {
    for close in ["q", "<Esc>"] {
        let mut driver = Driver::new(demo(), 120, 40);
        driver.press(&format!("?{close}"));
        assert!(driver.app().overlays.is_empty() && !driver.app().done, "{close} closes help");
        driver.press(&format!("3<Enter>{close}"));
        assert_eq!(driver.app().screen, Screen::Compare, "{close} closes the reader");
        assert!(!driver.app().done);
    }
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("q");
    assert!(driver.app().done);
}

#[test]
fn help_begins_with_the_signs_and_uses_the_width() {
    for (screen, keys) in SCREENS {
        for (width, height) in [(80, 24), (120, 40), (200, 50), (80, 15)] {
            let mut driver = Driver::new(demo(), width, height);
            driver.press(keys);
            let help = driver.press("?");
            assert!(help.contains(&format!("Signs and keys of {}", screen.title())), "{help}");
            let (sign, words) = screen.legend()[0];
            let word = words.split(' ').next().expect("a word");
            assert!(help.lines().any(|line| line.contains(&format!("{sign}  {word}"))), "{help}");
            if width == 200 {
                assert!(!help.contains("more ·"), "everything is on a wide screen\n{help}");
            }
        }
    }
}

#[test]
fn low_windows_show_what_is_essential() {
    let essential = [
        (Screen::Cells, &["▸bfcl-v4", "references solved"][..]),
        (Screen::Grid, &["▸ LNSP·min", "AUROC 0."]),
        (Screen::Tasks, &["outcome", "▸"]),
        (Screen::Compare, &["▸reference", "before the first turn"]),
        (Screen::Read, &["· lines 1"]),
        (Screen::Aggregators, &["▸ min", "swing", "ranks under mean → min"]),
        (Screen::Curves, &["▸ROC AUROC", "▸1 ⠤⠤⠤⠤⠤⠤ LNSP·min", "≥ ."]),
        (Screen::Stuck, &["▸TER", "failure-failure", "AUROC counted", "●"]),
        (Screen::Judges, &["agreement", "vs. database", "TER by judge", "▸"]),
        (Screen::Triage, &["shown once you have voted", "only reference", "▸reference", "▸  "]),
        (Screen::Versus, &["candidate", "points, interval", "success", "shaky", "references"]),
    ];
    for ((screen, keys), (_, texts)) in SCREENS.into_iter().zip(essential) {
        for (width, height) in [(80, 15), (60, 15), (80, 17), (60, 19)] {
            let mut driver = Driver::new(demo(), width, height);
            driver.press(keys);
            driver.0.app.shared.notice = None;
            let drawn = driver.screen();
            for text in texts {
                assert!(drawn.contains(text), "{screen:?} {width}×{height}: no {text:?}\n{drawn}");
            }
            let footer = drawn.lines().last().expect("a footer");
            assert!(footer.contains("? help") && footer.contains(": commands"), "{drawn}");
            // Nothing lies over the footer: it is the same on a high screen of the same width.
            let mut high = Driver::new(demo(), width, 40);
            high.press(keys);
            high.0.app.shared.notice = None;
            assert_eq!(Some(footer), high.screen().lines().last(), "{drawn}");
        }
        let screen = Driver::new(demo(), 80, 14).press(keys);
        assert!(screen.contains("qualm needs 60×15, this is 80×14."), "{screen}");
    }
}

#[test]
fn short_help_fits_a_screen() {
    let home = crate::support::home();
    let help = |args: &[&str]| crate::support::text(&crate::support::run(home.path(), args).stdout);
    let short = help(&["-h"]);
    assert!(short.lines().count() <= 24, "{} lines\n{short}", short.lines().count());
    assert!(short.lines().all(|line| line.chars().count() <= 80), "{short}");
    assert!(!short.contains("--sort") && short.contains("see more with '--help'"), "{short}");
    assert!(help(&["--help"]).contains("--sort"));
    assert!(help(&["shot", "-h"]).contains("--keys") && !help(&["shot", "-h"]).contains("--sort"));
    assert!(help(&["shot", "--help"]).contains("--sort"));
}

/// Ids in the settings are a contract.
#[test]
fn ids_of_keys_stay() {
    let ids = ["next-pair", "cell-before", "choose-run", "add-pane", "side", "edit-note", "pin"];
    let more = ["pin-aggregator", "sort-rows", "sort-columns", "sort", "reverse", "columns"];
    for id in ids.into_iter().chain(more) {
        assert!(BINDINGS.iter().any(|binding| binding.id == id), "{id}");
    }
    let old = "[keys]\npin = ['p']\nnote = ['Space']\ntheme = ['Ctrl-o']\n";
    let config = qualm::ui::Config::parse(old).expect("settings of an earlier version");
    assert_eq!(config.keymap.key_of("mark"), None, "the user's key comes first");
    assert_eq!(config.keymap.key_of("pin"), Some("p"));
}
