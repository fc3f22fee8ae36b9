//! The explorer without a terminal, for tests that drive it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use qualm::metrics::bootstrap::Resampling;
use qualm::store::Store;
use qualm::ui::headless::Headless;
use qualm::ui::keymap::parse_keys;
use qualm::ui::panel::{Comparison, Panel};
use qualm::ui::query::Worker;
use qualm::ui::shared::Shared;
use qualm::ui::theme::Theme;
use qualm::ui::{App, Config, Input, View};

use crate::support::{demo_at, home};

/// Few resamples are enough: tests check what is shown, not the last digit of an interval.
pub const RESAMPLES: usize = 60;

/// An explorer with a screen of some size.
pub struct Driver(pub Headless);

impl Driver {
    pub fn new(store: &Path, width: u16, height: u16) -> Self {
        Self::with(store, View::default(), &Theme::plain(), (width, height))
    }

    pub fn with(store: &Path, view: View, theme: &Theme, size: (u16, u16)) -> Self {
        let store = Store::open(store).expect("a store");
        let config = Config { author: Some("ada".to_owned()), ..Config::default() };
        Self::configured(store, view, &config, theme, size)
    }

    /// An explorer with settings.
    pub fn configured(
        store: Store,
        view: View,
        config: &Config,
        theme: &Theme,
        size: (u16, u16),
    ) -> Self {
        let app = App::new(&store, view, config, *theme);
        let resampling = Resampling { resamples: RESAMPLES, seed: 0 };
        let mut driver = Self(Headless::new(Worker::new(store, resampling), app, size));
        driver.0.draw();
        driver
    }

    pub fn app(&self) -> &App {
        &self.0.app
    }

    /// What the screens share.
    pub fn shared(&self) -> &Shared {
        &self.app().shared
    }

    /// The runs side by side on Compare.
    pub fn panel(&self) -> &Panel {
        &self.app().screens.compare.panel
    }

    /// The runs that Compare shows, all read.
    pub fn comparison(&self) -> Comparison {
        self.panel().comparison(self.shared()).expect("read").expect("whole")
    }

    /// Whether the selected task fits the search.
    pub fn is_on_hit(&self) -> bool {
        let task = self.shared().task.expect("a task");
        self.app().screens.tasks.search.is_hit(task, self.shared())
    }

    /// Presses keys and returns the resulting screen.
    pub fn press(&mut self, keys: &str) -> String {
        for key in parse_keys(keys).expect("keys") {
            self.0.input(&Input::Key(key));
        }
        self.screen()
    }

    pub fn screen(&mut self) -> String {
        qualm::ui::picture::text(&self.0.draw())
    }

    pub fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) -> String {
        let modifiers = KeyModifiers::NONE;
        self.0.input(&Input::Mouse(MouseEvent { kind, column, row, modifiers }));
        self.screen()
    }

    /// Clicks on the first occurrence of a text on the screen.
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

/// A view from its remembered form.
pub fn view(settings: serde_json::Value) -> View {
    serde_json::from_value(settings).expect("a view")
}

/// A demo store with six tasks per cell, made once and shared by all tests.
pub fn demo() -> &'static Path {
    static DEMO: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &DEMO.get_or_init(|| made(6)).1
}

/// A demo store for one test.
pub fn made(tasks: usize) -> (tempfile::TempDir, PathBuf) {
    let home = home();
    let path = home.path().join("demo.qualm");
    demo_at(&path, tasks);
    (home, path)
}
