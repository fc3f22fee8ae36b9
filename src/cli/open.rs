//! `qualm PATH…`: opens a store, or results that are imported into the cache first.

use std::fs;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use super::state::State;
use super::{damage, out, paths, results, view};
use crate::metrics::bootstrap::Resampling;
use crate::report;
use crate::store::Store;
use crate::text::visible;
use crate::ui::query::Worker;
use crate::ui::tui;
use crate::ui::{App, Config, View};

pub(super) fn run(paths: &[PathBuf], view: &View) -> anyhow::Result<ExitCode> {
    open(results::open(paths)?, view)
}

/// Opens a store in the explorer or, where stdout is no terminal, lists what it holds.
pub(super) fn open(store: Store, view: &View) -> anyhow::Result<ExitCode> {
    let path = store.path().to_owned();
    let asked = view::of_flags(view, &store)?;
    if !std::io::stdout().is_terminal() {
        out::warn_of(&store);
        let synthetic = if store.manifest().synthetic { " (synthetic data)" } else { "" };
        let cells = report::cells(&store.manifest().cells);
        out::print(&format!("{}{synthetic}\n{cells}", visible(&store.name())))?;
        return damage::tell(&store);
    }
    let config = config()?.with_author(|name| std::env::var(name).ok());
    let theme = config.theme(|name| std::env::var(name).ok());
    // A view that is asked for is that view, whatever was looked at last.
    let state = State::of(&path);
    let view = asked.unwrap_or_else(|| state.view());
    let mut app = App::new(&store, view, &config, theme);
    let worker = Worker::new(store, Resampling::default());
    let ended = state.kept_after(&mut app, |app| tui::run(worker, app))?;
    // As shells report a program that a signal ended.
    Ok(ended.map_or(ExitCode::SUCCESS, |signal| ExitCode::from(128 + signal)))
}

/// The user's settings; none when there is no file of them.
pub(super) fn config() -> anyhow::Result<Config> {
    let Some(path) = paths::config() else { return Ok(Config::default()) };
    let config = match fs::read_to_string(&path) {
        Ok(text) => Config::parse(&text)
            .map_err(|why| anyhow::anyhow!("{}: {why}; repair or remove it", path.display()))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Config::default(),
        Err(error) => anyhow::bail!("{}: cannot be read ({error})", path.display()),
    };
    Ok(Config { path: Some(path), ..config })
}
