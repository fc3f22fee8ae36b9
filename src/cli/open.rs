//! `qualm PATH…`: opens a store, or results that are imported into the cache first.

use std::fs;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use super::state::State;
use super::{damage, out, paths, results, view};
use crate::metrics::bootstrap::Resampling;
use crate::report;
use crate::store::Store;
use crate::text::visible;
use crate::ui::query::Worker;
use crate::ui::tui;
use crate::ui::{App, Config, View};
use crate::watch::Watch;

/// How often a store is looked at while it is open.
const LOOK: Duration = Duration::from_secs(1);

pub(super) fn run(
    paths: &[PathBuf],
    every: Option<Duration>,
    view: &View,
) -> anyhow::Result<ExitCode> {
    let Some(every) = every else { return open(results::open(paths)?, None, view) };
    anyhow::ensure!(!paths.is_empty(), "--watch: nothing to watch; name a store, files or folders");
    anyhow::ensure!(
        std::io::stdout().is_terminal(),
        "--watch: the explorer needs a terminal; leave --watch out to list what is there now"
    );
    let (store, watch) = results::watch(paths)?;
    open(store, Some((watch, every)), view)
}

/// Reads how often to look.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.1..=86_400.0).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "a number of seconds from 0.1 to 86400 is expected".to_owned())
}

/// Opens a store in the explorer or, where stdout is no terminal, lists what it holds.
pub(super) fn open(
    store: Store,
    watch: Option<(Watch, Duration)>,
    view: &View,
) -> anyhow::Result<ExitCode> {
    let path = store.path().to_owned();
    // What flags name may still come to a store without runs.
    let is_awaited = watch.is_some() && store.manifest().cells.is_empty();
    let asked = if is_awaited {
        Some(view.clone()).filter(|view| *view != View::default())
    } else {
        view::of_flags(view, &store)?
    };
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
    if watch.is_some() {
        app.watch();
    }
    // Scores that another process computes appear without being asked for.
    let is_store = store.log_path().starts_with(store.path());
    let watch = watch.or_else(|| is_store.then(|| (Watch::of_tables(&store), LOOK)));
    let worker = Worker::new(store, Resampling::default());
    let ended = state.kept_after(&mut app, |app| tui::run(worker, app, watch))?;
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
