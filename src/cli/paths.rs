//! Where qualm keeps what it can make again.

use std::env;
use std::path::PathBuf;

use anyhow::Context as _;

/// The cache folder: `$XDG_CACHE_HOME/qualm`, else the system's usual place.
pub(super) fn cache() -> anyhow::Result<PathBuf> {
    let absolute =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let usual = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        env::home_dir().map(|home| home.join("Library/Caches"))
    } else {
        env::home_dir().map(|home| home.join(".cache"))
    };
    let base = absolute("XDG_CACHE_HOME").or(usual);
    let base = base.context("there is no home folder to cache in; set XDG_CACHE_HOME")?;
    Ok(base.join("qualm"))
}
