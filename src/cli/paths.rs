//! The folders of qualm: its cache, its state, the user's notes and settings.

use std::env;
use std::path::PathBuf;

use anyhow::Context as _;

/// The cache folder: `$XDG_CACHE_HOME/qualm`, else the system's usual folder.
pub(super) fn cache() -> anyhow::Result<PathBuf> {
    let usual = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        in_home("Library/Caches")
    } else {
        in_home(".cache")
    };
    let base = absolute("XDG_CACHE_HOME").or(usual);
    let base = base.context("there is no home folder to cache in; set XDG_CACHE_HOME")?;
    Ok(base.join("qualm"))
}

/// The state folder: `$XDG_STATE_HOME/qualm`, else the system's usual folder.
pub(super) fn state() -> Option<PathBuf> {
    let usual = if cfg!(windows) { absolute("LOCALAPPDATA") } else { in_home(".local/state") };
    Some(absolute("XDG_STATE_HOME").or(usual)?.join("qualm"))
}

/// The notes and votes on results that are no store: `$XDG_DATA_HOME/qualm/annotations.jsonl`, else in
/// the system's usual folder.
pub(super) fn annotations() -> anyhow::Result<PathBuf> {
    let usual = if cfg!(windows) {
        absolute("APPDATA")
    } else if cfg!(target_os = "macos") {
        in_home("Library/Application Support")
    } else {
        in_home(".local/share")
    };
    let base = absolute("XDG_DATA_HOME").or(usual);
    let base = base.context("there is no home folder to keep notes in; set XDG_DATA_HOME")?;
    Ok(base.join("qualm/annotations.jsonl"))
}

/// The settings: `$XDG_CONFIG_HOME/qualm/config.toml`, else in `~/.config`.
pub(super) fn config() -> Option<PathBuf> {
    let usual = if cfg!(windows) { absolute("APPDATA") } else { in_home(".config") };
    Some(absolute("XDG_CONFIG_HOME").or(usual)?.join("qualm/config.toml"))
}

fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn in_home(folder: &str) -> Option<PathBuf> {
    env::home_dir().filter(|home| !home.as_os_str().is_empty()).map(|home| home.join(folder))
}
