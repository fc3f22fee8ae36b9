//! Opens what the paths of a command name: a store, or results, which are imported into the cache.
//!
//! A cached store is named after the paths of its results and is rebuilt when these change. Notes
//! and votes on results are in one file of the user, so that no cache has to be kept for them; they
//! are matched by their runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::import::import_with_bar;
use super::{out, paths};
use crate::import::ImportOptions;
use crate::model::Fingerprint;
use crate::readers::{self, Claimed, Inputs, ReadOptions};
use crate::store::{self, Store, StoreError};

/// Opens the store that the paths name, or the results, which are imported if they changed.
pub(super) fn open(paths: &[PathBuf]) -> anyhow::Result<Store> {
    match paths {
        [path] if path.exists() && is_meant_as_store(path) => open_store(path),
        _ if paths.iter().any(|path| Store::is_store(path)) => anyhow::bail!(
            "a store opens alone, but {} paths were given; name one store, or only result files",
            paths.len()
        ),
        _ => cached(paths),
    }
}

/// Whether a path is a store, perhaps a damaged one, and no folder of results.
pub(super) fn is_meant_as_store(path: &Path) -> bool {
    Store::is_store(path)
        || path.extension().is_some_and(|ending| ending == "qualm")
        || path.join("trajectories.parquet").exists()
}

/// The paths as a message names them.
pub(super) fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
}

fn open_store(path: &Path) -> anyhow::Result<Store> {
    let store = Store::open(path)?;
    // The explorer names the cached store in commands that it copies.
    let full = fs::canonicalize(path).ok();
    let cache = paths::cache().ok().and_then(|cache| fs::canonicalize(cache.join(FOLDER)).ok());
    match (full, cache) {
        (Some(full), Some(cache)) if full.parent() == Some(&cache) => {
            Ok(store.with_log(paths::annotations()?))
        }
        _ => Ok(store),
    }
}

/// The folder of cached stores. Older versions had another one.
const FOLDER: &str = "results";
const OLDER_FOLDER: &str = "imports";

/// The cached store of some results; it is made when it is not there or the results changed.
fn cached(inputs: &[PathBuf]) -> anyhow::Result<Store> {
    let (cache, log) = (paths::cache()?, paths::annotations()?);
    clean(&cache, &log);
    let found = readers::find_inputs(inputs, &ReadOptions::default())?;
    let path = cache.join(FOLDER).join(format!("{}.qualm", name(inputs, &found)));
    let stamp = Some(stamp(&found));
    let is_current =
        Store::open(&path).is_ok_and(|store| store.manifest().stamp == stamp && is_whole(&store));
    if !is_current {
        let options = ImportOptions { replace: true, stamp, ..ImportOptions::default() };
        import_with_bar(found, &path, &options)?;
    }
    // Somebody may have opened the cached store by its path.
    store::move_annotations(&path, &log)?;
    Ok(Store::open(&path)?.with_log(log))
}

/// Whether all tables are there.
fn is_whole(store: &Store) -> bool {
    store.require_all_tables().is_ok()
}

/// A name that stays the same as long as the paths do.
fn name(inputs: &[PathBuf], found: &Inputs) -> String {
    let mut print = Fingerprint::default();
    for path in inputs {
        match fs::canonicalize(path) {
            Ok(full) if full.is_file() || full.is_dir() => {
                print.add_text(&full.to_string_lossy());
            }
            _ => {}
        }
    }
    let streams = found.claimed.iter().filter(|claimed| claimed.claim.content().is_stream());
    streams.for_each(|claimed| print.add_text(claimed.claim.source()));
    let stem = inputs.first().and_then(|path| fs::canonicalize(path).ok());
    let stem = stem.as_deref().and_then(Path::file_stem).unwrap_or("results".as_ref());
    let clean = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let stem: String = stem.to_string_lossy().chars().map(clean).take(60).collect();
    format!("{stem}-{:016x}", print.value())
}

/// What changes when a file that is read does, or the version that reads it.
fn stamp(inputs: &Inputs) -> String {
    let mut print = Fingerprint::default();
    print.add_text(env!("CARGO_PKG_VERSION"));
    print.add(&store::VERSION.to_le_bytes());
    for Claimed { reader, claim } in &inputs.claimed {
        print.add_text(reader.info().id);
        print.add_text(claim.source());
        if !claim.content().is_stream() {
            add_file(claim.path(), &mut print);
        }
        claim.parts().iter().for_each(|part| add_file(part, &mut print));
        claim.sidecars().iter().for_each(|sidecar| add_file(sidecar.path(), &mut print));
    }
    format!("{:016x}", print.value())
}

/// Adds the size and times of a file, or of all files in a folder.
fn add_file(path: &Path, print: &mut Fingerprint) {
    print.add_text(&path.to_string_lossy());
    let Ok(meta) = fs::metadata(path) else { return };
    if meta.is_dir() {
        // As an import does, links to folders are not followed.
        let followed = |entry: &fs::DirEntry| {
            entry.file_type().is_ok_and(|kind| kind.is_dir()) || entry.path().is_file()
        };
        let mut inside: Vec<PathBuf> = fs::read_dir(path)
            .map(|entries| entries.flatten().filter(followed).map(|entry| entry.path()).collect())
            .unwrap_or_default();
        inside.sort();
        return inside.iter().for_each(|path| add_file(path, print));
    }
    print.add(&meta.len().to_le_bytes());
    let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    print.add(&since.map_or(0, |since| since.as_nanos()).to_le_bytes());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // Some tools set the time of a file that they change back to what it was.
        print.add(&meta.ctime().to_le_bytes());
        print.add(&meta.ctime_nsec().to_le_bytes());
    }
}

/// Removes caches of older versions, and those whose results are gone. Notes and votes in them are
/// moved first; where that fails, the cache stays.
fn clean(cache: &Path, log: &Path) {
    let older = cache.join(OLDER_FOLDER);
    for path in stores_in(&older) {
        retire(&path, log);
    }
    // Only an empty folder can be removed so.
    let _ = fs::remove_dir(older);
    for path in stores_in(&cache.join(FOLDER)) {
        let Ok(store) = Store::open(&path) else { continue };
        let mut sources = store.manifest().sources.iter().map(|source| Path::new(&source.path));
        let gone = sources.all(|source| source.is_absolute() && !source.exists());
        drop(store);
        if gone {
            retire(&path, log);
        }
    }
}

/// Removes a cache that is not needed any more, or says why it stays.
fn retire(path: &Path, log: &Path) {
    let why = match store::retire(path, log) {
        // Another qualm uses it; it goes the next time.
        Ok(true) | Err(StoreError::Busy { .. }) => return,
        Ok(false) => {
            "it holds lines of annotations.jsonl that cannot be moved, or other files; move \
                      what you need and remove the folder"
                .to_owned()
        }
        Err(error) => error.reason(),
    };
    out::warn(path, &format!("this old cache stays: {why}"));
}

/// The stores in a folder.
fn stores_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_store = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending == "qualm") && Store::is_store(path)
    };
    entries.map(|entry| entry.path()).filter(is_store).collect()
}
