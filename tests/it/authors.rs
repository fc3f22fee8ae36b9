//! Who writes: the name is asked for once, shown while voting, and notes can be changed on screen.

use std::fs;

use qualm::store::{Ruling, Store};
use qualm::ui::theme::Theme;
use qualm::ui::{Config, Screen, View};

use crate::explorer::Driver;
use crate::support::{demo_at, home};

/// A demo store of a few tasks that can be written to.
fn demo(home: &std::path::Path) -> std::path::PathBuf {
    let path = home.join("demo.qualm");
    demo_at(&path, 4);
    path
}

#[test]
fn a_name_is_asked_for_once_and_kept() {
    let home = home();
    let path = demo(home.path());
    let settings = home.path().join("settings/config.toml");
    let config = Config { path: Some(settings.clone()), ..Config::default() };
    let open = |config: &Config| {
        let store = Store::open(&path).expect("a store");
        Driver::configured(store, View::default(), config, &Theme::plain(), (120, 40))
    };
    let mut driver = open(&config);
    driver.press("7<Enter>");
    let screen = driver.press("=");
    assert!(screen.contains("your name"), "{screen}");
    let votes = || Store::open(&path).expect("a store").votes().expect("votes");
    assert!(votes().is_empty());
    let screen = driver.press("<Enter>");
    assert!(screen.contains("type a name"), "{screen}");
    let screen = driver.press("<Esc>");
    assert!(screen.contains("nothing is written"), "{screen}");
    assert!(votes().is_empty() && !settings.exists());
    let screen = driver.press("=Ada L<Enter>");
    assert!(screen.contains("done by Ada L") && screen.contains("you: ≡ equivalent"), "{screen}");
    assert_eq!((votes().len(), votes()[0].author.as_str()), (1, "Ada L"));
    let kept = fs::read_to_string(&settings).expect("kept");
    assert_eq!(Config::parse(&kept).expect("settings").author.as_deref(), Some("Ada L"));
    driver.press("L!");
    assert!(driver.app().overlays.is_empty(), "asked once");
    assert_eq!(votes().len(), 2);
    // The next sitting knows it, and a note needs one, too.
    let mut driver = open(&Config::parse(&kept).expect("settings"));
    let screen = driver.press("7<Enter>");
    assert!(screen.contains("2 of ") && screen.contains("done by Ada L"), "{screen}");
    let mut driver = open(&Config::default());
    let screen = driver.press("<Enter>cbob<Enter>odd<Ctrl-s>");
    assert!(screen.contains("note saved, by bob"), "{screen}");
    // Several people may use one account, so its name is suggested and not taken.
    let account = Config::default().with_author(|name| (name == "USER").then(|| "ubuntu".into()));
    let screen = open(&account).press("<Enter>c");
    assert!(screen.contains("your name ubuntu"), "{screen}");
    let screen = open(&account).press("<Enter>c<Enter>odd<Ctrl-s>");
    assert!(screen.contains("note saved, by ubuntu"), "{screen}");
    let named = account.with_author(|name| (name == "QUALM_AUTHOR").then(|| "eve".into()));
    let screen = open(&named).press("<Enter>codd<Ctrl-s>");
    assert!(screen.contains("note saved, by eve"), "{screen}");
}

#[test]
fn undo_goes_to_the_pair_of_the_vote() {
    let home = home();
    let path = demo(home.path());
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("7<Enter>");
    let first = driver.app().screens.triage.pair.expect("a pair");
    driver.press("=L");
    let second = driver.app().screens.triage.pair.expect("a pair");
    assert_ne!(first, second);
    let screen = driver.press("U");
    assert_eq!(driver.app().screens.triage.pair, Some(first));
    assert!(
        screen.contains("withdrawn") && screen.contains("shown once you have voted"),
        "{screen}"
    );
    assert_eq!(driver.shared().vote_on(first), None);
    let votes = Store::open(&path).expect("a store").votes().expect("votes");
    assert_eq!(votes.last().expect("a line").verdict, Ruling::Withdrawn);
}

#[test]
fn a_note_is_changed_and_withdrawn_on_screen() {
    let home = home();
    let path = demo(home.path());
    let notes = || Store::open(&path).expect("a store").notes().expect("notes");
    let lines =
        || fs::read_to_string(path.join("annotations.jsonl")).expect("read").lines().count();
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("<Enter><Enter>j");
    assert_eq!(driver.app().screen, Screen::Compare);
    assert!(driver.press("C").contains("you have no note on this task"));
    driver.press("codd<Ctrl-s>");
    let before = notes();
    let screen = driver.press("C");
    assert!(screen.contains("Change the note on draw 0, turn 2, by ada"), "{screen}");
    assert!(screen.contains("Ctrl-x withdraw"), "{screen}");
    let screen = driver.press(" indeed<Ctrl-s>");
    assert!(screen.contains("odd indeed"), "{screen}");
    let after = notes();
    assert_eq!((after.len(), after[0].note.as_str(), lines()), (1, "odd indeed", 2));
    assert_eq!((after[0].draw, after[0].turn), (before[0].draw, before[0].turn));
    // What is left unsaved is offered again, still as a change of that note.
    driver.press("C, though<Esc>");
    let screen = driver.press("c<Ctrl-s>");
    assert!(screen.contains("odd indeed, though"), "{screen}");
    assert_eq!(notes().len(), 1);
    // With several, one is chosen.
    driver.press("csecond<Ctrl-s>");
    let screen = driver.press("C");
    assert!(screen.contains("Your notes"), "{screen}");
    let screen = driver.press("second<Enter><Ctrl-x>");
    assert!(screen.contains("note withdrawn"), "{screen}");
    assert_eq!(notes().len(), 1);
    let screen = driver.press("C<Ctrl-x>");
    assert!(screen.contains("note withdrawn") && !screen.contains('✎'), "{screen}");
    assert!(notes().is_empty());
    assert_eq!(lines(), 6, "nothing is removed");
    assert!(!driver.press("2").contains('✎'));
}

#[test]
fn a_damaged_line_is_on_every_screen() {
    let home = home();
    let path = demo(home.path());
    fs::write(path.join("annotations.jsonl"), ">>>>>>> theirs\n").expect("written");
    for width in [80, 120] {
        let mut driver = Driver::new(&path, width, 40);
        assert!(driver.screen().contains("is not a note ("), "{}", driver.screen());
        for keys in ["0", "1", "2", "3", "6", "7"] {
            let screen = driver.press(keys);
            let top = screen.lines().next().expect("a line").to_owned();
            assert!(top.contains("line 1 damaged"), "{keys}: {top}");
        }
    }
}
