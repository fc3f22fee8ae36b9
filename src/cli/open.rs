//! `qualm PATH…`: opens a store, or results that are imported into the cache first.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::UNIX_EPOCH;

use super::import::import_with_bar;
use super::{out, paths, state, view};
use crate::import::ImportOptions;
use crate::metrics::bootstrap::Resampling;
use crate::report;
use crate::store::Store;
use crate::text::visible;
use crate::ui::query::Worker;
use crate::ui::tui;
use crate::ui::{App, Config, View};

pub(super) fn run(paths: &[PathBuf], view: &View) -> anyhow::Result<ExitCode> {
    match paths {
        [store] if Store::is_store(store) => open(store, view),
        _ if paths.iter().any(|path| Store::is_store(path)) => anyhow::bail!(
            "a store opens alone, and {} paths were named; name one store, or only result files",
            paths.len()
        ),
        _ => open(&cached_import(paths)?, view),
    }
}

/// Opens a store in the explorer or, where stdout is no terminal, lists what it holds.
pub(super) fn open(path: &Path, view: &View) -> anyhow::Result<ExitCode> {
    let store = Store::open(path)?;
    let asked = view::of_flags(view, &store)?;
    if !std::io::stdout().is_terminal() {
        let synthetic = if store.manifest().synthetic { " (synthetic data)" } else { "" };
        let cells = report::cells(&store.manifest().cells);
        out::print(&format!("{}{synthetic}\n{cells}", visible(&store.name())))?;
        return Ok(ExitCode::SUCCESS);
    }
    let config = config()?.with_author(|name| std::env::var(name).ok());
    let theme = config.theme(|name| std::env::var(name).ok());
    // A view that is asked for is that view, whatever was looked at last.
    let view = asked.unwrap_or_else(|| state::remembered(path));
    let mut app = App::new(&store, view, &config, theme);
    let worker = Worker::new(store, Resampling::default());
    let ended = tui::run(worker, &mut app);
    // Also when the terminal went away.
    state::remember(path, &app.view());
    ended?;
    Ok(ExitCode::SUCCESS)
}

/// The user's settings; none when there is no file of them.
pub(super) fn config() -> anyhow::Result<Config> {
    let Some(path) = paths::config() else { return Ok(Config::default()) };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(error) => anyhow::bail!("{}: cannot be read ({error})", path.display()),
    };
    Config::parse(&text)
        .map_err(|why| anyhow::anyhow!("{}: {why}; repair or remove it", path.display()))
}

/// Imports result files into the cache; the same unchanged files are imported once.
fn cached_import(inputs: &[PathBuf]) -> anyhow::Result<PathBuf> {
    let store = paths::cache()?.join("imports").join(format!("{}.qualm", cache_name(inputs)));
    if !Store::is_store(&store) || Store::open(&store).is_err() {
        import_with_bar(inputs, &store, &ImportOptions::default())?;
    }
    Ok(store)
}

/// A name that changes when a file does: the first path's own, and a hash of all.
fn cache_name(inputs: &[PathBuf]) -> String {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    crate::store::VERSION.hash(&mut hasher);
    inputs.iter().for_each(|path| hash_files(path, &mut hasher));
    let stem = inputs.first().and_then(|path| fs::canonicalize(path).ok());
    let stem = stem.as_deref().and_then(Path::file_stem).unwrap_or("results".as_ref());
    let clean = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let stem: String = stem.to_string_lossy().chars().map(clean).take(60).collect();
    format!("{stem}-{:08x}", hasher.finish() as u32)
}

fn hash_files(path: &Path, hasher: &mut DefaultHasher) {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).hash(hasher);
    if let Ok(meta) = fs::metadata(path) {
        meta.len().hash(hasher);
        let changed = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        changed.hash(hasher);
    }
    // As an import does, links to folders are not followed.
    let followed = |entry: &fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir()) || entry.path().is_file()
    };
    let mut inside: Vec<PathBuf> = fs::read_dir(path)
        .map(|entries| entries.flatten().filter(followed).map(|entry| entry.path()).collect())
        .unwrap_or_default();
    inside.sort();
    inside.iter().for_each(|path| hash_files(path, hasher));
}
