//! The explorer without a terminal, for the tests that drive it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use qualm::app::jobs::Worker;
use qualm::app::keymap::parse_keys;
use qualm::app::{App, Config, Input, View};
use qualm::headless::Headless;
use qualm::metrics::bootstrap::Resampling;
use qualm::store::Store;
use qualm::theme::Theme;

use crate::support::home;

/// Few resamples: what is tested here is what is shown, not the last digit of an interval.
const RESAMPLES: usize = 60;

/// An explorer with a screen of some size.
pub struct Driver(pub Headless);

impl Driver {
    pub fn new(store: &Path, width: u16, height: u16) -> Self {
        Self::with(store, View::default(), &Theme::plain(), (width, height))
    }

    pub fn with(store: &Path, view: View, theme: &Theme, size: (u16, u16)) -> Self {
        let store = Store::open(store).expect("a store");
        let app = App::new(&store, view, &Config::default(), *theme);
        let resampling = Resampling { resamples: RESAMPLES, seed: 0 };
        let mut own = Self(Headless::new(Worker::new(store, resampling), app, size));
        own.0.draw();
        own
    }

    pub fn app(&self) -> &App {
        &self.0.app
    }

    /// Presses keys and returns the screen after them.
    pub fn press(&mut self, keys: &str) -> String {
        for key in parse_keys(keys).expect("keys") {
            self.0.input(&Input::Key(key));
        }
        self.screen()
    }

    pub fn screen(&mut self) -> String {
        qualm::picture::text(&self.0.draw())
    }

    pub fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) -> String {
        let modifiers = KeyModifiers::NONE;
        self.0.input(&Input::Mouse(MouseEvent { kind, column, row, modifiers }));
        self.screen()
    }

    /// Clicks on the first place where the screen shows a text.
    pub fn click(&mut self, text: &str) -> String {
        let screen = self.screen();
        let (row, line) = screen
            .lines()
            .enumerate()
            .find(|(_, line)| line.contains(text))
            .unwrap_or_else(|| panic!("no {text:?} on\n{screen}"));
        let column = line[..line.find(text).expect("there")].chars().count();
        self.mouse(MouseEventKind::Down(MouseButton::Left), column as u16, row as u16)
    }
}

/// A demo store of six tasks a cell, made once a run of the tests.
pub fn demo() -> &'static Path {
    static DEMO: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &DEMO.get_or_init(|| made(6)).1
}

/// A demo store of its own.
pub fn made(tasks: usize) -> (tempfile::TempDir, PathBuf) {
    let home = home();
    let path = home.path().join("demo.qualm");
    let options = qualm::demo::DemoOptions { tasks: Some(tasks) };
    qualm::demo::write(&path, &options, &|| ()).expect("written");
    (home, path)
}
