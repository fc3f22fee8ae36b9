//! One table of keys: it feeds dispatch, footer, help, palette and `docs/keys.md`.

mod absent;
mod table;

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::Action;
use super::screens::Screen;
pub(in crate::ui) use absent::chord_name;
pub use table::{BINDINGS, Binding};

/// A key with its modifiers; letters carry their case, so Shift itself says nothing.
pub type Chord = (KeyCode, KeyModifiers);

/// The chord of a key press.
pub fn chord(key: KeyEvent) -> Chord {
    (key.code, key.modifiers.difference(KeyModifiers::SHIFT))
}

/// A chord by its name: `a`, `Ctrl-d`, `PgDn`, `F1`.
pub fn parse_chord(name: &str) -> Option<Chord> {
    let (modifiers, rest) = match name.split_once('-') {
        Some(("Ctrl", rest)) if !rest.is_empty() => (KeyModifiers::CONTROL, rest),
        Some(("Alt", rest)) if !rest.is_empty() => (KeyModifiers::ALT, rest),
        _ => (KeyModifiers::NONE, name),
    };
    let mut letters = rest.chars();
    let code = match (rest, letters.next(), letters.next()) {
        (_, Some(letter), None) => KeyCode::Char(letter),
        ("Enter", ..) => KeyCode::Enter,
        ("Esc", ..) => KeyCode::Esc,
        ("Tab", ..) => KeyCode::Tab,
        ("BackTab", ..) => KeyCode::BackTab,
        ("Backspace", ..) => KeyCode::Backspace,
        ("Space", ..) => KeyCode::Char(' '),
        ("Up", ..) => KeyCode::Up,
        ("Down", ..) => KeyCode::Down,
        ("Left", ..) => KeyCode::Left,
        ("Right", ..) => KeyCode::Right,
        ("PgUp", ..) => KeyCode::PageUp,
        ("PgDn", ..) => KeyCode::PageDown,
        ("Home", ..) => KeyCode::Home,
        ("End", ..) => KeyCode::End,
        ("Insert", ..) => KeyCode::Insert,
        ("Delete", ..) => KeyCode::Delete,
        (_, Some('F'), Some(_)) => KeyCode::F(rest[1..].parse().ok().filter(|n| *n <= 12)?),
        _ => return None,
    };
    Some((code, modifiers))
}

/// Keys to press, one after the other: letters stand for themselves, others by name in `<>`.
pub fn parse_keys(text: &str) -> Result<Vec<KeyEvent>, String> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let inside = rest.strip_prefix('<').and_then(|inside| inside.split_once('>'));
        let named = inside.and_then(|(name, left)| Some((parse_chord(name)?, left)));
        let ((code, modifiers), left) = match (named, inside) {
            (Some(named), _) => named,
            // A name that is none is a mistake; a bare `<` is itself.
            (None, Some((name, _))) if name.chars().all(|c| c.is_alphanumeric() || c == '-') => {
                return Err(format!("there is no key `{name}`"));
            }
            (None, None) if first == '<' && rest.len() > 2 && parse_chord(&rest[1..]).is_some() => {
                return Err(format!("`{rest}` is not closed with >"));
            }
            _ => ((KeyCode::Char(first), KeyModifiers::NONE), &rest[first.len_utf8()..]),
        };
        keys.push(KeyEvent::new(code, modifiers));
        rest = left;
    }
    Ok(keys)
}

/// A key's name as it is shown.
pub fn shown(key: &str) -> &str {
    match key {
        "Enter" => "⏎",
        "Up" => "↑",
        "Down" => "↓",
        "Left" => "←",
        "Right" => "→",
        "BackTab" => "Shift-Tab",
        other => other,
    }
}

/// Whether two rows work on some screen both.
fn meet(first: &Binding, second: &Binding) -> bool {
    Screen::ALL.iter().any(|screen| first.works_on(*screen) && second.works_on(*screen))
}

/// The table with the user's changes.
#[derive(Clone, Debug)]
pub struct Keymap {
    /// The keys of every row of the table.
    keys: Vec<Vec<String>>,
    chords: Vec<(Chord, usize)>,
}

impl Default for Keymap {
    fn default() -> Self {
        let names = |binding: &Binding| binding.keys.iter().map(|&key| key.to_owned()).collect();
        Self::of(BINDINGS.iter().map(names).collect())
    }
}

impl Keymap {
    /// The table with other keys for some rows; an error says which entry is wrong and why. A key that
    /// the user gives to a row is taken from the others, so that a key that is new in the table does not
    /// break older settings.
    pub fn with(changes: &BTreeMap<String, Vec<String>>) -> Result<Self, String> {
        let mut keys = Self::default().keys;
        let mut changed = Vec::new();
        for (id, wanted) in changes {
            let row = BINDINGS.iter().position(|binding| binding.id == id);
            let row = row.ok_or_else(|| format!("there is no action `{id}`"))?;
            for key in wanted {
                let known = parse_chord(key).is_some();
                known.then_some(()).ok_or_else(|| format!("`{id}`: there is no key `{key}`"))?;
            }
            keys[row].clone_from(wanted);
            changed.push(row);
        }
        Self::make_way(&mut keys, &changed);
        let keymap = Self::of(keys);
        keymap.check()?;
        Ok(keymap)
    }

    /// Takes the keys of the changed rows from the other rows that work on the same screens.
    fn make_way(keys: &mut [Vec<String>], changed: &[usize]) {
        for &row in changed {
            let taken: Vec<Chord> = keys[row].iter().filter_map(|key| parse_chord(key)).collect();
            for (other, keys) in keys.iter_mut().enumerate() {
                if !changed.contains(&other) && meet(&BINDINGS[row], &BINDINGS[other]) {
                    keys.retain(|key| !parse_chord(key).is_some_and(|key| taken.contains(&key)));
                }
            }
        }
    }

    fn of(keys: Vec<Vec<String>>) -> Self {
        let rows = keys.iter().enumerate();
        let chords = rows.flat_map(|(row, keys)| {
            keys.iter().filter_map(move |key| Some((parse_chord(key)?, row)))
        });
        Self { chords: chords.collect(), keys }
    }

    /// No key does two things on one screen.
    fn check(&self) -> Result<(), String> {
        for (index, (chord, first)) in self.chords.iter().enumerate() {
            for (_, second) in self.chords[..index].iter().filter(|earlier| earlier.0 == *chord) {
                let (first, second) = (&BINDINGS[*first], &BINDINGS[*second]);
                if meet(first, second) {
                    let (first, second) = (first.id, second.id);
                    return Err(format!("`{second}` and `{first}` have a key in common"));
                }
            }
        }
        Ok(())
    }

    /// What a key asks for on a screen.
    pub fn action(&self, key: KeyEvent, screen: Screen) -> Option<Action> {
        self.binding(key, screen).map(|binding| binding.action.clone())
    }

    /// The row of the table that a key is for on a screen.
    pub fn binding(&self, key: KeyEvent, screen: Screen) -> Option<&'static Binding> {
        let pressed = chord(key);
        let fits =
            |(chord, row): &&(Chord, usize)| *chord == pressed && BINDINGS[*row].works_on(screen);
        self.chords.iter().find(fits).map(|(_, row)| &BINDINGS[*row])
    }

    /// The keys of a row of the table, as they are shown.
    pub fn shown(&self, binding: &Binding) -> String {
        let row = BINDINGS.iter().position(|known| known.id == binding.id).unwrap_or(0);
        let keys: Vec<&str> = self.keys[row].iter().map(|key| shown(key)).collect();
        keys.join(" ")
    }

    /// The first key of a row, as it is shown; none where the user took all its keys away.
    pub fn key_of(&self, id: &str) -> Option<&str> {
        let row = BINDINGS.iter().position(|binding| binding.id == id)?;
        self.keys[row].first().map(|key| shown(key))
    }

    /// The rows that work on a screen.
    pub fn on(screen: Screen) -> impl Iterator<Item = &'static Binding> {
        BINDINGS.iter().filter(move |binding| binding.works_on(screen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_does_two_things() {
        assert_eq!(Keymap::default().check(), Ok(()));
        let mut ids: Vec<&str> = BINDINGS.iter().map(|binding| binding.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), BINDINGS.len(), "every row has a name of its own");
        assert!(
            BINDINGS.iter().flat_map(|binding| binding.keys).all(|key| parse_chord(key).is_some())
        );
    }

    /// The rule of the table: screens may differ in what an action does, never in what a key means.
    #[test]
    fn a_key_means_the_same_on_every_screen() {
        let mut meanings: BTreeMap<&str, &Binding> = BTreeMap::new();
        for binding in BINDINGS {
            for key in binding.keys {
                let first = meanings.entry(key).or_insert(binding);
                let (one, other) = (first.id, binding.id);
                assert_eq!(first.action, binding.action, "`{key}`: `{one}` and `{other}` differ");
            }
        }
    }

    #[test]
    fn keys_can_be_changed() {
        let change = |id: &str, key: &str| {
            Keymap::with(&BTreeMap::from([(id.to_owned(), vec![key.to_owned()])]))
        };
        let keymap = change("quit", "Ctrl-q").expect("free");
        let press = |code, modifiers| keymap.action(KeyEvent::new(code, modifiers), Screen::Grid);
        assert_eq!(press(KeyCode::Char('q'), KeyModifiers::CONTROL), Some(Action::Quit));
        assert_eq!(press(KeyCode::Char('q'), KeyModifiers::NONE), None);
        let keymap = change("quit", "j").expect("taken from `down`");
        let press = |code| keymap.action(KeyEvent::new(code, KeyModifiers::NONE), Screen::Grid);
        assert_eq!(press(KeyCode::Char('j')), Some(Action::Quit));
        assert_eq!(press(KeyCode::Down), Some(Action::Down), "its other key stays");
        let both = ["quit", "down"].map(|id| (id.to_owned(), vec!["Q".to_owned()]));
        let said = Keymap::with(&BTreeMap::from(both)).unwrap_err();
        assert_eq!(said, "`down` and `quit` have a key in common");
        assert_eq!(change("fly", "j").unwrap_err(), "there is no action `fly`");
        assert_eq!(change("quit", "Hyper-j").unwrap_err(), "`quit`: there is no key `Hyper-j`");
    }

    #[test]
    fn names_of_keys() {
        assert_eq!(parse_chord("Ctrl-d"), Some((KeyCode::Char('d'), KeyModifiers::CONTROL)));
        assert_eq!(parse_chord("-"), Some((KeyCode::Char('-'), KeyModifiers::NONE)));
        assert_eq!(parse_chord("Ctrl--"), Some((KeyCode::Char('-'), KeyModifiers::CONTROL)));
        assert_eq!(parse_chord("F1"), Some((KeyCode::F(1), KeyModifiers::NONE)));
        for wrong in ["", "F13", "Ctrl-", "Escape"] {
            assert_eq!(parse_chord(wrong), None, "{wrong}");
        }
    }
}
