//! Random keys, clicks and resizes: nothing panics, whatever is pressed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use qualm::metrics::bootstrap::Resampling;
use qualm::rng::Rng;
use qualm::store::Store;
use qualm::ui::headless::Headless;
use qualm::ui::query::Worker;
use qualm::ui::theme::{Depth, Shade, Theme};
use qualm::ui::{App, Config, Input, View};

use crate::explorer::made;
use crate::support::is_long_run;

/// Events of a short run and of a long one.
const STEPS: (usize, usize) = (2_500, 20_000);

/// Bound and unbound letters.
const LETTERS: &str =
    "0123456789hjklHLgGaAsmM/nN&][yYEoOzZipPfFuxXrRCvTn:?+-=|TtdDcweJSUWIbBBB!~*\\  'q.<>()_%µ日";

fn key(rng: &mut Rng) -> Input {
    let named = [
        KeyCode::Enter,
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Esc,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Backspace,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Delete,
        KeyCode::F(1),
        KeyCode::Insert,
    ];
    let letters: Vec<char> = LETTERS.chars().collect();
    let (code, modifiers) = match rng.below(10) {
        0..=2 => (named[rng.below(named.len())], KeyModifiers::NONE),
        3 => (
            KeyCode::Char(['d', 'u', 'l', 'n', 'p', 'w', 'k', 's', 'o'][rng.below(9)]),
            KeyModifiers::CONTROL,
        ),
        _ => (KeyCode::Char(letters[rng.below(letters.len())]), KeyModifiers::NONE),
    };
    Input::Key(KeyEvent::new(code, modifiers))
}

fn mouse(rng: &mut Rng, size: (u16, u16)) -> Input {
    let kind = match rng.below(6) {
        0 => MouseEventKind::ScrollDown,
        1 => MouseEventKind::ScrollUp,
        2 => MouseEventKind::Drag(MouseButton::Left),
        _ => MouseEventKind::Down(MouseButton::Left),
    };
    let at = |rng: &mut Rng, most: u16| rng.below(usize::from(most) + 2) as u16;
    let (column, row) = (at(rng, size.0), at(rng, size.1));
    Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
}

#[test]
fn random_input_never_panics() {
    // Notes and votes are written, so the store is not shared.
    let (_home, path) = made(2);
    let store = Store::open(&path).expect("a store");
    let theme = Theme::new(Shade::Dark, Depth::True);
    let config = Config { author: Some("ada".to_owned()), ..Config::default() };
    let app = App::new(&store, View::default(), &config, theme);
    let worker = Worker::new(store, Resampling { resamples: 3, seed: 0 });
    let mut explorer = Headless::new(worker, app, (100, 30));
    let mut rng = Rng::new(20, 26);
    let mut screens = std::collections::HashSet::new();
    for step in 0..if is_long_run() { STEPS.1 } else { STEPS.0 } {
        let input = match rng.below(40) {
            0 => {
                explorer.size = (1 + rng.below(220) as u16, 1 + rng.below(70) as u16);
                Input::Resize
            }
            1..=5 => mouse(&mut rng, explorer.size),
            6 => Input::Paste("not success\nand turns > 3".to_owned()),
            _ => key(&mut rng),
        };
        // No file may be written into the folder of the tests.
        let writes = matches!(
            explorer.app.overlays.last(),
            Some(qualm::ui::overlays::Overlay::Prompt(prompt)) if prompt.ask == qualm::ui::overlays::Ask::Export
        );
        if writes && matches!(&input, Input::Key(key) if key.code == KeyCode::Enter) {
            continue;
        }
        explorer.input(&input);
        screens.insert(explorer.app.screen);
        explorer.app.done = false;
        if step % 1000 == 999 {
            // Every view can be reopened.
            let view = explorer.app.view();
            let store = Store::open(&path).expect("a store");
            let app = App::new(&store, view, &config, theme);
            let worker = Worker::new(store, Resampling { resamples: 3, seed: 0 });
            explorer = Headless::new(worker, app, explorer.size);
        }
    }
    assert_eq!(screens.len(), qualm::ui::Screen::ALL.len(), "every screen was seen");
    crate::support::assert_whole(&path);
}
