//! The notice for a key that does nothing on a screen: which key replaced it, or where it works.

use std::fmt::Write as _;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{BINDINGS, Binding, Chord, Keymap, chord, parse_chord, shown};
use crate::ui::screens::Screen;

/// A key that once did what another does now.
struct Moved {
    key: &'static str,
    /// The row that it belonged to.
    id: &'static str,
    /// What the row does, as the subject of a sentence.
    what: &'static str,
}

const fn moved(key: &'static str, id: &'static str, what: &'static str) -> Moved {
    Moved { key, id, what }
}

/// Keys that moved. Where such a key means something else by now, it does that.
static MOVED: &[Moved] = &[
    moved("p", "pin", "pin"),
    moved("p", "pin-aggregator", "compare with"),
    moved("o", "sort-rows", "sort"),
    moved("O", "sort-columns", "sort the columns"),
    moved("i", "side", "the side pane"),
    moved("R", "edit-note", "change a note"),
    moved("=", "add-pane", "add a pane"),
    moved("=", "more", "larger β or k"),
    moved("Space", "next-pair", "next pair"),
];

/// A key's name, as it is shown; none of a key that nobody presses for itself.
pub(in crate::ui) fn chord_name((code, modifiers): Chord) -> Option<String> {
    let mut name = String::new();
    for (modifier, word) in [(KeyModifiers::CONTROL, "Ctrl-"), (KeyModifiers::ALT, "Alt-")] {
        name += if modifiers.contains(modifier) { word } else { "" };
    }
    let named = match code {
        KeyCode::Char(' ') => "Space",
        KeyCode::Char(letter) => {
            name.push(letter);
            return Some(name);
        }
        KeyCode::F(number) => {
            let _ = write!(name, "F{number}");
            return Some(name);
        }
        KeyCode::Enter => shown("Enter"),
        KeyCode::Up => shown("Up"),
        KeyCode::Down => shown("Down"),
        KeyCode::Left => shown("Left"),
        KeyCode::Right => shown("Right"),
        KeyCode::BackTab => shown("BackTab"),
        KeyCode::Tab => "Tab",
        KeyCode::Esc => "Esc",
        KeyCode::Backspace => "Backspace",
        KeyCode::PageUp => "PgUp",
        KeyCode::PageDown => "PgDn",
        KeyCode::Home => "Home",
        KeyCode::End => "End",
        KeyCode::Insert => "Insert",
        KeyCode::Delete => "Delete",
        _ => return None,
    };
    Some(name + named)
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

impl Keymap {
    /// What to say of a key that has no row on a screen: where its action went, else where it works.
    pub fn absent(&self, key: KeyEvent, screen: Screen) -> Option<String> {
        let pressed = chord(key);
        let name = chord_name(pressed)?;
        if let Some(words) = self.moved(pressed, screen) {
            return Some(words);
        }
        let rows = self.chords.iter().filter(|(chord, _)| *chord == pressed);
        let rows: Vec<&Binding> = rows.map(|(_, row)| &BINDINGS[*row]).collect();
        let works = |screen: &&Screen| rows.iter().any(|row| row.works_on(**screen));
        let screens: Vec<&str> =
            Screen::ALL.iter().filter(works).map(|screen| screen.title()).collect();
        Some(match &screens[..] {
            [] => format!("{name} does nothing; {} lists the keys", self.key_of("help")?),
            _ => format!("{name} works in {}", listed(&screens)),
        })
    }

    /// Where the action went that a key had on a screen.
    fn moved(&self, pressed: Chord, screen: Screen) -> Option<String> {
        let of_key = MOVED.iter().filter(|moved| parse_chord(moved.key) == Some(pressed));
        let works =
            |id: &str| BINDINGS.iter().any(|binding| binding.id == id && binding.works_on(screen));
        let moved = of_key.into_iter().find(|moved| works(moved.id))?;
        Some(format!("{} moved to {}", moved.what, self.key_of(moved.id)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(key: &str, screen: Screen) -> Option<String> {
        let (code, modifiers) = parse_chord(key).expect("a key");
        let key = KeyEvent::new(code, modifiers);
        let keymap = Keymap::default();
        assert_eq!(keymap.action(key, screen), None, "{key:?} does something");
        keymap.absent(key, screen)
    }

    #[test]
    fn a_key_says_where_it_works_or_where_its_action_went() {
        assert_eq!(said("t", Screen::Grid).as_deref(), Some("t works in Compare and Triage"));
        assert_eq!(said("p", Screen::Grid).as_deref(), Some("pin moved to P"));
        assert_eq!(said("p", Screen::Cells).as_deref(), Some("p works in Compare and Versus"));
        assert_eq!(said("Space", Screen::Triage).as_deref(), Some("next pair moved to L"));
        assert_eq!(said("_", Screen::Grid).as_deref(), Some("_ does nothing; ? lists the keys"));
        assert_eq!(
            said("Ctrl-F5", Screen::Grid).as_deref(),
            Some("Ctrl-F5 does nothing; ? lists the keys")
        );
    }

    #[test]
    fn every_key_that_moved_is_of_a_row() {
        for moved in MOVED {
            let row = BINDINGS.iter().find(|binding| binding.id == moved.id);
            let row = row.unwrap_or_else(|| panic!("no row {}", moved.id));
            assert!(!row.keys.contains(&moved.key), "{} did not move", moved.id);
        }
    }
}
