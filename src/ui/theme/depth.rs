//! The terminal's background and colour depth, detected from the environment.

use crate::colour::Shade;

/// The number of colours that the terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 24 bits.
    True,
    /// The 256 colours of xterm.
    Indexed256,
    /// The 16 named colours, whose values the user's palette sets.
    Ansi16,
    /// No colour: bold, underlined and reversed only.
    None,
}

impl Depth {
    /// Detects the depth from `NO_COLOR`, `TERM` and `COLORTERM`.
    pub fn from_env(get: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name| get(name).unwrap_or_default();
        let term = value("TERM");
        // A dumb terminal may inherit COLORTERM from the one it was started in, so TERM is checked first.
        if !value("NO_COLOR").is_empty() || term == "dumb" {
            Self::None
        } else if matches!(value("COLORTERM").as_str(), "truecolor" | "24bit")
            || term.ends_with("-direct")
        {
            Self::True
        } else if term.contains("256color") {
            Self::Indexed256
        } else {
            Self::Ansi16
        }
    }
}

impl Shade {
    /// Detects the background from `COLORFGBG`, whose last part is its colour number.
    pub fn from_env(get: impl Fn(&str) -> Option<String>) -> Self {
        match get("COLORFGBG").unwrap_or_default().rsplit(';').next() {
            Some("7" | "15") => Self::Light,
            _ => Self::Dark,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(set: &[(&str, &str)]) -> Depth {
        Depth::from_env(|name| {
            set.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn depth_follows_the_environment() {
        assert_eq!(depth(&[]), Depth::Ansi16);
        assert_eq!(depth(&[("TERM", "xterm")]), Depth::Ansi16);
        assert_eq!(depth(&[("TERM", "xterm-256color")]), Depth::Indexed256);
        assert_eq!(depth(&[("TERM", "screen-256color-bce")]), Depth::Indexed256);
        assert_eq!(depth(&[("TERM", "xterm-direct")]), Depth::True);
        assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "24bit")]), Depth::True);
        assert_eq!(depth(&[("TERM", "dumb"), ("COLORTERM", "truecolor")]), Depth::None);
        assert_eq!(depth(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]), Depth::None);
        assert_eq!(depth(&[("NO_COLOR", ""), ("COLORTERM", "truecolor")]), Depth::True);
    }

    #[test]
    fn shade_follows_the_background() {
        let shade = |value: &str| Shade::from_env(|_| Some(value.to_owned()));
        assert_eq!(shade("15;0"), Shade::Dark);
        assert_eq!(shade("0;15"), Shade::Light);
        assert_eq!(shade("0;default;7"), Shade::Light);
        assert_eq!(shade("0;default"), Shade::Dark);
        assert_eq!(Shade::from_env(|_| None), Shade::Dark);
    }
}
