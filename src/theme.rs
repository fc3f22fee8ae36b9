//! Colours by role. Views name roles, never colours.

use ratatui::style::{Color, Modifier, Style};

/// The style of every role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// The program's name.
    pub brand: Style,
    /// What is being looked at.
    pub title: Style,
    /// What may be overlooked: rules, labels, hints.
    pub dim: Style,
    /// Column headers.
    pub header: Style,
    /// The selected row.
    pub selected: Style,
    /// The filled part of a bar.
    pub bar: Style,
    /// A notice that must not be overlooked, such as "synthetic".
    pub notice: Style,
    /// A key in footer and help.
    pub key: Style,
}

impl Theme {
    /// Colours that are legible on dark and light backgrounds.
    pub fn colour() -> Self {
        let plain = Style::new();
        Self {
            brand: plain.fg(Color::Cyan).add_modifier(Modifier::BOLD),
            title: plain.add_modifier(Modifier::BOLD),
            dim: plain.fg(Color::DarkGray),
            header: plain.fg(Color::Cyan),
            selected: plain.add_modifier(Modifier::BOLD),
            bar: plain.fg(Color::Blue),
            notice: plain.fg(Color::Yellow).add_modifier(Modifier::BOLD),
            key: plain.fg(Color::Cyan).add_modifier(Modifier::BOLD),
        }
    }

    /// No colour at all.
    pub fn plain() -> Self {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        Self {
            brand: bold,
            title: bold,
            dim: plain,
            header: plain.add_modifier(Modifier::UNDERLINED),
            selected: bold,
            bar: plain,
            notice: bold,
            key: bold,
        }
    }

    /// As the environment wishes: `NO_COLOR`, when set to anything, means none.
    pub fn from_env() -> Self {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if no_colour { Self::plain() } else { Self::colour() }
    }
}
