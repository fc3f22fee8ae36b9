//! The user's settings: theme, keys, the lens to begin with.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::keymap::Keymap;
use super::shared::Show;
use super::theme::{Depth, Shade, Theme};
use super::view::{self, UnknownName, View, parse_name};
use crate::metrics::Metric;

/// Settings, as a config file gives them.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Dark or light; by default as the terminal says.
    pub shade: Option<Shade>,
    /// How many colours; by default as the terminal says.
    pub depth: Option<Depth>,
    /// The keys.
    pub keymap: Keymap,
    /// The lens to begin with.
    pub lens: View,
    /// The name under which notes are written.
    pub author: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    theme: Option<String>,
    colours: Option<String>,
    author: Option<String>,
    lens: LensTable,
    keys: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LensTable {
    scorer: Option<String>,
    aggregator: Option<String>,
    metric: Option<String>,
    show: Option<String>,
}

impl LensTable {
    fn view(self) -> Result<View, String> {
        let named = |key: &str| {
            let key = key.to_owned();
            move |problem: UnknownName| format!("lens.{key}: {problem}")
        };
        let mut lens = View::default();
        lens.lens.scorer = self.scorer;
        let rule = self.aggregator.as_deref().map(view::aggregator).transpose();
        lens.lens.aggregator = rule.map_err(named("aggregator"))?;
        let metric = self.metric.as_deref().map(parse_name::<Metric>).transpose();
        lens.lens.metric = metric.map_err(named("metric"))?;
        let show = self.show.as_deref().map(parse_name::<Show>).transpose();
        lens.screens.grid.show = show.map_err(named("show"))?;
        match lens.problem(&[]) {
            Some(problem) => Err(problem.replace("--", "lens.")),
            None => Ok(lens),
        }
    }
}

impl Config {
    /// Reads a config file's text; an error says what is wrong in it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            format!("line {line}: {}", error.message().replace('\n', "; "))
        })?;
        let one_of = |key: &str, value: &str, known: &str| {
            format!("`{key}` is `{value}`; it is one of: {known}")
        };
        let shade = match file.theme.as_deref() {
            None | Some("auto") => None,
            Some(name) => {
                Some(shade(name).ok_or_else(|| one_of("theme", name, "auto, dark, light"))?)
            }
        };
        let depth = match file.colours.as_deref() {
            None | Some("auto") => None,
            Some(name) => Some(
                depth(name).ok_or_else(|| one_of("colours", name, "auto, true, 256, 16, none"))?,
            ),
        };
        let lens = file.lens.view()?;
        let author = file.author.filter(|name| !name.trim().is_empty());
        Ok(Self { shade, depth, keymap: Keymap::with(&file.keys)?, lens, author })
    }

    /// Sets the author from the environment where the settings name none.
    #[must_use]
    pub fn with_author(mut self, get: impl Fn(&str) -> Option<String>) -> Self {
        let names = ["QUALM_AUTHOR", "USER", "LOGNAME", "USERNAME"];
        let found =
            || names.iter().filter_map(|name| get(name)).find(|name| !name.trim().is_empty());
        self.author = self.author.or_else(found);
        self
    }

    /// The theme, by the settings or else the environment.
    pub fn theme(&self, get: impl Fn(&str) -> Option<String>) -> Theme {
        let shade = self.shade.unwrap_or_else(|| Shade::from_env(&get));
        // NO_COLOR is the user's word too, and the more general one.
        let detected = Depth::from_env(&get);
        let depth = self.depth.filter(|_| detected != Depth::None).unwrap_or(detected);
        Theme::new(shade, depth)
    }
}

/// The shade of that name.
pub fn shade(name: &str) -> Option<Shade> {
    match name {
        "dark" => Some(Shade::Dark),
        "light" => Some(Shade::Light),
        _ => None,
    }
}

/// The depth of that name.
pub fn depth(name: &str) -> Option<Depth> {
    match name {
        "true" => Some(Depth::True),
        "256" => Some(Depth::Indexed256),
        "16" => Some(Depth::Ansi16),
        "none" => Some(Depth::None),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read() {
        let config = Config::parse(
            "theme = 'light'\ncolours = '256'\n[lens]\nmetric = 'prr'\n[keys]\nquit = ['Q']",
        );
        let config = config.expect("settings");
        assert_eq!((config.shade, config.depth), (Some(Shade::Light), Some(Depth::Indexed256)));
        assert_eq!(config.lens.lens.metric, Some(Metric::Prr));
        assert_eq!(config.theme(|_| None).depth(), Depth::Indexed256);
        let no_colour = |name: &str| (name == "NO_COLOR").then(|| "1".to_owned());
        assert_eq!(config.theme(no_colour).depth(), Depth::None);
    }

    #[test]
    fn a_mistake_is_named() {
        let said = |text: &str| Config::parse(text).expect_err("wrong");
        assert!(said("theme = 'blue'").contains("`theme` is `blue`"));
        assert!(said("themes = 'dark'").contains("unknown field `themes`"));
        assert!(said("[keys]\nfly = ['x']").contains("no action `fly`"));
        assert!(said("[lens]\nmetric = 'speed'").starts_with("lens.metric: there is no `speed`"));
        assert!(said("[lens").contains("line 1"));
    }
}
