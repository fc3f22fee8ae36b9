//! The view that every store was left at. Nothing here may keep a store from being opened or left.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use super::paths;
use crate::files::{self, Overwrite};
use crate::ui::View;

/// The view that a store was left at; the default one when it is not known.
pub(super) fn remembered(store: &Path) -> View {
    let text = file(store).and_then(|path| fs::read_to_string(path).ok());
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Remembers where a store was left.
pub(super) fn remember(store: &Path, view: &View) {
    let Some(path) = file(store) else { return };
    let Ok(text) = serde_json::to_string_pretty(view) else { return };
    if path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok()) {
        let _ = files::write(&path, Overwrite::Replace, text);
    }
}

/// The file of a store, named after the store's path.
fn file(store: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(store).ok()?;
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    Some(paths::state()?.join(format!("views/{:016x}.json", hasher.finish())))
}
