//! The first screen, drawn without a terminal.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use qualm::app::{App, Layout};
use qualm::import::ImportOptions;
use qualm::store::Store;
use qualm::theme::Theme;
use qualm::views;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::support::{home, imported};

/// An explorer with a screen of this size.
struct Driver {
    app: App,
    theme: Theme,
    terminal: Terminal<TestBackend>,
    layout: Layout,
}

impl Driver {
    fn new(store: &Store, width: u16, height: u16) -> Self {
        let terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
        let app = App::new(store);
        let mut own = Self { app, theme: Theme::plain(), terminal, layout: Layout::default() };
        own.draw();
        own
    }

    fn draw(&mut self) -> String {
        let (app, theme) = (&self.app, &self.theme);
        let mut layout = Layout::default();
        self.terminal.draw(|frame| layout = views::draw(frame, app, theme)).expect("drawn");
        self.layout = layout;
        self.terminal.backend().to_string()
    }

    /// Presses keys: letters stand for themselves, words in `<>` for named ones.
    fn press(&mut self, keys: &str) -> String {
        let mut rest = keys;
        while let Some(first) = rest.chars().next() {
            let (code, length) = match rest.split_once('>') {
                Some((name, _)) if first == '<' => {
                    let code = match &name[1..] {
                        "enter" => KeyCode::Enter,
                        "esc" => KeyCode::Esc,
                        "down" => KeyCode::Down,
                        other => panic!("no key {other}"),
                    };
                    (code, name.len() + 1)
                }
                _ => (KeyCode::Char(first), first.len_utf8()),
            };
            self.app.key(KeyEvent::new(code, KeyModifiers::NONE), self.layout);
            rest = &rest[length..];
        }
        self.draw()
    }
}

fn demo() -> (tempfile::TempDir, Store) {
    let home = home();
    let path = home.path().join("demo.qualm");
    let options = qualm::demo::DemoOptions { tasks: Some(4) };
    qualm::demo::write(&path, &options, &|| ()).expect("written");
    let store = Store::open(&path).expect("a store");
    (home, store)
}

#[test]
fn the_demo_at_three_sizes() {
    let (_home, store) = demo();
    for (width, height) in [(80, 24), (120, 40), (160, 45)] {
        let screen = Driver::new(&store, width, height).draw();
        insta::assert_snapshot!(format!("demo-{width}x{height}"), screen);
    }
}

#[test]
fn real_results_with_unlabelled_and_skipped_ones() {
    let own = imported(&["tau2.json", "tau2-ungraded.json", "tau2-folder"]);
    let screen = Driver::new(&own.store(), 120, 20).press("j");
    insta::assert_snapshot!("partial", screen);
}

#[test]
fn keys_move_the_selection() {
    let (_home, store) = demo();
    let mut driver = Driver::new(&store, 80, 24);
    driver.press("jjj<down>k");
    assert_eq!(driver.app.selected, 3);
    driver.press("G");
    assert_eq!(driver.app.selected, 19);
    assert!(driver.press("j").contains("▸retail   MiniMax-M3"), "stays on the last");
    driver.press("g");
    assert_eq!(driver.app.selected, 0);
    driver.press("q");
    assert!(driver.app.done);
}

#[test]
fn search_narrows_and_escape_forgets() {
    let (_home, store) = demo();
    let mut driver = Driver::new(&store, 80, 24);
    driver.press("G/qwen AIR");
    assert_eq!(driver.app.shown().len(), 2);
    assert_eq!(driver.app.selected, 1);
    assert!(driver.press("<enter>j").contains("search “qwen AIR”: 2 of 20 cells"));
    assert_eq!(driver.app.shown().len(), 2, "keys work again, the search stays");
    driver.press("<esc>");
    assert_eq!(driver.app.shown().len(), 20);
    assert!(driver.press("/nothing").contains("No cell holds “nothing”"));
    assert_eq!(driver.press("<esc>").matches("gpt-4o-mini").count(), 5, "four rows, one detail");
}

#[test]
fn help_lists_the_keys_and_any_key_closes_it() {
    let (_home, store) = demo();
    let mut driver = Driver::new(&store, 80, 24);
    let help = driver.press("?");
    for binding in qualm::app::keymap::BINDINGS {
        assert!(help.contains(binding.description), "{}", binding.description);
    }
    assert!(!driver.press("j").contains("Keys"));
    assert_eq!(driver.app.selected, 0);
}

#[test]
fn the_readme_lists_the_keys_that_work() {
    let rows = qualm::app::keymap::BINDINGS.iter();
    let rows = rows.map(|own| format!("| `{}` | {} |\n", own.shown, own.description));
    let table = format!("| keys | what they do |\n|---|---|\n{}\n", rows.collect::<String>());
    let readme = include_str!("../../README.md");
    assert!(readme.contains(&table), "the README's table should be\n{table}");
}

#[test]
fn small_terminals_get_a_sentence() {
    let (_home, store) = demo();
    let screen = Driver::new(&store, 50, 10).draw();
    assert!(screen.contains("qualm needs 60×20, this is 50×10."), "{screen}");
}

#[test]
fn names_cannot_steer_the_terminal() {
    let home = home();
    let path = home.path().join("s.qualm");
    let json = std::fs::read_to_string(crate::support::data("tau2.json")).expect("text");
    let hostile = json.replace("airline", "air\\u001b]0;owned\\u0007\\u202eline");
    let file = home.path().join("x.json");
    std::fs::write(&file, hostile).expect("written");
    qualm::import::import(&[file], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    let screen = Driver::new(&Store::open(&path).expect("a store"), 100, 24).draw();
    assert!(screen.contains("air␛]0;owned␇↔line"), "{screen}");
    assert!(
        !screen.contains('\u{1b}') && !screen.contains('\u{7}') && !screen.contains('\u{202e}')
    );
}
