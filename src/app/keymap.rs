//! One table of keys: it feeds dispatch, footer and help.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Action;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The keys, as they are shown.
    pub shown: &'static str,
    /// What they do.
    pub action: Action,
    /// The same in words.
    pub description: &'static str,
    /// The word in the footer; none when it is not listed there.
    pub short: Option<&'static str>,
    keys: &'static [(KeyCode, KeyModifiers)],
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

/// All keys.
pub const BINDINGS: &[Binding] = &[
    Binding {
        shown: "j ↓",
        action: Action::Down,
        description: "next row",
        short: Some("next"),
        keys: &[(KeyCode::Char('j'), NONE), (KeyCode::Down, NONE)],
    },
    Binding {
        shown: "k ↑",
        action: Action::Up,
        description: "previous row",
        short: Some("previous"),
        keys: &[(KeyCode::Char('k'), NONE), (KeyCode::Up, NONE)],
    },
    Binding {
        shown: "Ctrl-d PgDn",
        action: Action::HalfPageDown,
        description: "half a page down",
        short: None,
        keys: &[(KeyCode::Char('d'), CTRL), (KeyCode::PageDown, NONE)],
    },
    Binding {
        shown: "Ctrl-u PgUp",
        action: Action::HalfPageUp,
        description: "half a page up",
        short: None,
        keys: &[(KeyCode::Char('u'), CTRL), (KeyCode::PageUp, NONE)],
    },
    Binding {
        shown: "g Home",
        action: Action::First,
        description: "first row",
        short: None,
        keys: &[(KeyCode::Char('g'), NONE), (KeyCode::Home, NONE)],
    },
    Binding {
        shown: "G End",
        action: Action::Last,
        description: "last row",
        short: None,
        keys: &[(KeyCode::Char('G'), NONE), (KeyCode::End, NONE)],
    },
    Binding {
        shown: "/",
        action: Action::Search,
        description: "show only cells that hold these words",
        short: Some("search"),
        keys: &[(KeyCode::Char('/'), NONE)],
    },
    Binding {
        shown: "Esc",
        action: Action::Back,
        description: "back one step, forget the search",
        short: Some("back"),
        keys: &[(KeyCode::Esc, NONE)],
    },
    Binding {
        shown: "? F1",
        action: Action::Help,
        description: "this list",
        short: Some("help"),
        keys: &[(KeyCode::Char('?'), NONE), (KeyCode::F(1), NONE)],
    },
    Binding {
        shown: "q",
        action: Action::Quit,
        description: "quit",
        short: Some("quit"),
        keys: &[(KeyCode::Char('q'), NONE), (KeyCode::Char('c'), CTRL)],
    },
];

/// What a key asks for; letters carry their case, so Shift itself says nothing.
pub fn action(key: KeyEvent) -> Option<Action> {
    let pressed = (key.code, key.modifiers.difference(KeyModifiers::SHIFT));
    BINDINGS.iter().find(|binding| binding.keys.contains(&pressed)).map(|binding| binding.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_does_two_things() {
        let mut keys: Vec<_> = BINDINGS.iter().flat_map(|binding| binding.keys).collect();
        let count = keys.len();
        keys.sort_by_key(|key| format!("{key:?}"));
        keys.dedup();
        assert_eq!(keys.len(), count);
    }
}
