//! The user's settings: theme, keys, and the initial lens.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::keymap::Keymap;
use super::theme::{Depth, Shade, Theme};
use super::view::{self, UnknownName, View, parse_name};
use crate::files::{self, Overwrite};
use crate::metrics::Metric;
use crate::models::Prices;
use crate::report::Show;

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
    /// The name that is suggested where it is asked for: that of the account.
    pub suggested_author: Option<String>,
    /// What chat models cost.
    pub prices: Prices,
    /// The file of the settings, where a name that was asked for is kept.
    pub path: Option<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    theme: Option<String>,
    colours: Option<String>,
    author: Option<String>,
    lens: LensTable,
    keys: BTreeMap<String, Vec<String>>,
    prices: Prices,
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
        let keymap = Keymap::with(&file.keys)?;
        let prices = file.prices;
        Ok(Self { shade, depth, keymap, lens, author, suggested_author: None, prices, path: None })
    }

    /// Sets the author from the environment where the settings name none. The name of an account may
    /// be shared by several people, so it is only suggested.
    #[must_use]
    pub fn with_author(mut self, get: impl Fn(&str) -> Option<String>) -> Self {
        let first = |names: &[&str]| {
            let found = names.iter().filter_map(|name| get(name));
            found.map(|name| name.trim().to_owned()).find(|name| !name.is_empty())
        };
        self.author = self.author.or_else(|| first(&["QUALM_AUTHOR"]));
        self.suggested_author = first(&["USER", "LOGNAME", "USERNAME"]);
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

/// Keeps the author's name in the settings; everything else in them stays as it is.
pub(super) fn keep_author(path: &Path, name: &str) -> Result<(), String> {
    let shown = path.display();
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{shown}: cannot be read ({error})")),
    };
    let text = with_author(&text, name);
    Config::parse(&text).map_err(|why| format!("{shown}: {why}"))?;
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.map_err(|error| format!("{shown}: cannot be written ({error})"))?;
    files::write(path, Overwrite::Replace, text).map_err(|error| error.to_string())
}

/// The settings with an author. A key of the whole file stands before the first table.
fn with_author(text: &str, name: &str) -> String {
    // A string of JSON is one of TOML, too.
    let line = format!("author = {}", serde_json::Value::from(name));
    let is_author = |line: &&str| {
        line.trim_start()
            .strip_prefix("author")
            .is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let old = text.lines().take_while(|line| !line.trim_start().starts_with('[')).find(is_author);
    match old {
        Some(old) => text.replacen(old, &line, 1),
        None => format!("{line}\n{text}"),
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
    fn a_name_is_kept_and_the_rest_stays() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("new/config.toml");
        let name = "Ada \"L\"\u{1b} \\";
        keep_author(&path, name).expect("kept");
        let author = |path: &Path| {
            let text = fs::read_to_string(path).expect("read");
            Config::parse(&text).expect("settings").author
        };
        assert_eq!(author(&path).as_deref(), Some(name));
        let rest = "# mine\ntheme = 'light'\n[keys]\nquit = ['Q']\n";
        fs::write(&path, format!("author = ''\n{rest}")).expect("written");
        keep_author(&path, "bob").expect("kept");
        let text = fs::read_to_string(&path).expect("read");
        assert_eq!(text, format!("author = \"bob\"\n{rest}"));
        fs::write(&path, "theme = 'blue'").expect("written");
        let said = keep_author(&path, "bob").expect_err("wrong");
        assert!(said.contains("`theme` is `blue`"), "{said}");
        assert_eq!(fs::read_to_string(&path).expect("read"), "theme = 'blue'");
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
