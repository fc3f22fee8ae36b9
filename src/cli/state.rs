//! What was looked at last, by store. Nothing here may keep a store from being opened or left.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use super::paths;
use crate::app::View;

/// The view that a store was left at; the first one when it is not known.
pub(super) fn remembered(store: &Path) -> View {
    let text = file(store).and_then(|path| fs::read_to_string(path).ok());
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Remembers where a store was left.
pub(super) fn remember(store: &Path, view: &View) {
    let Some(path) = file(store) else { return };
    let Ok(text) = serde_json::to_string_pretty(view) else { return };
    let written = path.parent().map(fs::create_dir_all);
    // In two steps, so that a reader never sees half of it.
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    if let Some(Ok(())) = written
        && fs::write(&draft, text).is_ok()
        && fs::rename(&draft, &path).is_err()
    {
        let _ = fs::remove_file(&draft);
    }
}

/// A file for every store, told by where it lies.
fn file(store: &Path) -> Option<PathBuf> {
    let place = fs::canonicalize(store).ok()?;
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    Some(paths::state()?.join(format!("views/{:016x}.json", hasher.finish())))
}
