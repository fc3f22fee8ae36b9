//! Opens what the paths of a command name: a store, or results, which are imported into the cache.
//!
//! A cached store is named after the paths of its results and is rebuilt when these change. Notes
//! and votes on results are in one file of the user, so that no cache has to be kept for them; they
//! are matched by their runs.

#[cfg(feature = "remote")]
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[cfg(feature = "remote")]
use anyhow::Context as _;

use super::import::import_with_bar;
use super::{out, paths};
use crate::import::{self, ImportError, ImportOptions, add_file, stamp};
use crate::model::Fingerprint;
use crate::readers::{Inputs, ReadError, ReadOptions};
use crate::remote;
#[cfg(not(feature = "remote"))]
use crate::remote::RemoteError;
#[cfg(feature = "remote")]
use crate::remote::Settings;
use crate::store::{self, Store, StoreError};
use crate::watch::{self, Watch};

/// The file that `--annotations` names.
static ANNOTATIONS: OnceLock<PathBuf> = OnceLock::new();

/// Lets notes and votes go to a file, whatever is opened.
pub(super) fn annotate_in(file: PathBuf) {
    // There is one command line, so that nobody else has set it.
    let _ = ANNOTATIONS.set(file);
}

/// Opens the store that the paths name, or the results, which are imported if they changed.
pub(super) fn open(paths: &[PathBuf]) -> anyhow::Result<Store> {
    let store = find(paths)?;
    Ok(match ANNOTATIONS.get() {
        Some(file) => store.with_annotations(file.clone()),
        None => store,
    })
}

fn find(paths: &[PathBuf]) -> anyhow::Result<Store> {
    match paths {
        [path] if remote::is_address(path) => open_at(path),
        [path] if path.exists() && is_meant_as_store(path) => open_store(path),
        _ if paths.iter().any(|path| remote::is_address(path) || Store::is_store(path)) => {
            anyhow::bail!(
                "a store opens alone, but {} paths were given; name one store, or only result files",
                paths.len()
            )
        }
        _ => Ok(cached(paths, false)?),
    }
}

/// Opens what the paths name, to be followed while it changes. Results may still have to come.
pub(super) fn watch(paths: &[PathBuf]) -> anyhow::Result<(Store, Watch)> {
    if let [path] = paths
        && path.exists()
        && is_meant_as_store(path)
    {
        let store = open(paths)?;
        let watch = Watch::of_store(&store);
        return Ok((store, watch));
    }
    if let Some(address) = paths.iter().find(|path| remote::is_address(path)) {
        anyhow::bail!(
            "{}: a store at an address cannot be watched; open it without --watch",
            address.display()
        );
    }
    let is_stream = |path: &&PathBuf| path.as_os_str() == "-" || is_pipe(path);
    if let Some(stream) = paths.iter().find(is_stream) {
        anyhow::bail!("{}: a stream cannot be watched; name a file or a folder", stream.display());
    }
    anyhow::ensure!(
        !paths.iter().any(|path| Store::is_store(path)),
        "a store is watched alone, and {} paths were named; name one store, or only result files",
        paths.len()
    );
    let missing = |path: &&PathBuf| !path.exists() && !folder_of(path).is_dir();
    if let Some(path) = paths.iter().find(missing) {
        anyhow::bail!("{}: there is no such folder to wait in; check the path", path.display());
    }
    let store = cached(paths, true)?;
    let watch = Watch::of_results(paths, &store);
    Ok((store, watch))
}

fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// The folder that a path lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// Whether a path is a store, perhaps a damaged one, and no folder of results.
pub(super) fn is_meant_as_store(path: &Path) -> bool {
    remote::is_address(path)
        || Store::is_store(path)
        || path.extension().is_some_and(|ending| ending == "qualm")
        || path.join("trajectories.parquet").exists()
}

/// The paths as a message names them.
pub(super) fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
}

/// Opens a store at an address.
#[cfg(feature = "remote")]
fn open_at(address: &Path) -> anyhow::Result<Store> {
    let mut settings = Settings::new(paths::cache()?.join("addresses"));
    if let Ok(limit) = env::var("QUALM_CACHE_LIMIT") {
        settings.limit = bytes(&limit).with_context(|| {
            format!("QUALM_CACHE_LIMIT={limit}: is not a size; give one such as 500M or 20G")
        })?;
    }
    Ok(Store::open_at(&address.to_string_lossy(), &settings)?)
}

#[cfg(not(feature = "remote"))]
fn open_at(address: &Path) -> anyhow::Result<Store> {
    Err(RemoteError::NotBuiltIn(address.display().to_string()).into())
}

/// Reads a number of bytes, such as 500M.
#[cfg(feature = "remote")]
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches(['b', 'B', 'i']);
    let number = text.trim_end_matches(char::is_alphabetic);
    let power = match text[number.len()..].to_lowercase().as_str() {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    let number: f64 = number.trim().parse().ok()?;
    (number >= 0.0).then(|| (number * 1024f64.powi(power)) as u64)
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

/// The cached store of some results; it is made when it is not there or the results changed. While they
/// are watched, what is missing may still come.
fn cached(inputs: &[PathBuf], is_watched: bool) -> anyhow::Result<Store> {
    let (cache, log) = (paths::cache()?, paths::annotations()?);
    clean(&cache, &log);
    let read = ReadOptions { stdin: true, partial: is_watched, ..ReadOptions::default() };
    let is_pending = |error: &ReadError| is_watched && error.is_pending();
    let mut found = Inputs::default();
    let mut is_complete = true;
    for path in inputs {
        match found.find(path, &read) {
            Err(error) if is_pending(&error) => is_complete = false,
            result => result?,
        }
    }
    let path = cache.join(FOLDER).join(format!("{}.qualm", name(inputs, &found)));
    let stamp = Some(stamp(&found)).filter(|_| is_complete);
    let is_current = Store::open(&path)
        .is_ok_and(|store| stamp.is_some() && store.manifest().stamp == stamp && is_whole(&store));
    if !is_current && !found.claimed.is_empty() {
        let options = ImportOptions {
            read,
            replace: is_complete,
            stamp,
            cached: true,
            ..ImportOptions::default()
        };
        match import_with_bar(found, &path, &options) {
            Err(ImportError::Read(error)) if is_pending(&error) => {}
            result => drop(result?),
        }
    }
    if is_watched && !Store::is_store(&path) {
        watch::empty_store(&path)?;
    }
    // Somebody may have opened the cached store by its path.
    store::move_annotations(&path, &log)?;
    Ok(Store::open(&path)?.with_log(log))
}

/// The cached store of two stores; it is made when it is not there or one of them changed. Cells of the
/// second that the first has, too, are named after it.
pub(super) fn together(stores: [&Store; 2], second: &str) -> anyhow::Result<Store> {
    let (cache, log) = (paths::cache()?, paths::annotations()?);
    let (mut paths_print, mut content) = (Fingerprint::default(), Fingerprint::default());
    content.add_text(concat!("together ", env!("CARGO_PKG_VERSION")));
    content.add_text(second);
    for store in stores {
        let full = fs::canonicalize(store.path()).unwrap_or_else(|_| store.path().to_owned());
        paths_print.add_text(&full.to_string_lossy());
        content.add_text(&serde_json::to_string(store.manifest())?);
        if store.manifest().files.is_empty() && store.manifest().parts.is_empty() {
            // An earlier version wrote it, and its manifest does not tell the content of the tables.
            add_file(&full, &mut content);
        }
    }
    let path = cache.join(FOLDER).join(format!("versus-{:016x}.qualm", paths_print.value()));
    let stamp = format!("{:016x}", content.value());
    let is_current = Store::open(&path)
        .is_ok_and(|store| store.manifest().stamp.as_deref() == Some(&stamp) && is_whole(&store));
    if !is_current {
        fs::create_dir_all(cache.join(FOLDER))?;
        import::together(stores, second, &stamp, &path)?;
    }
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
            // A stream, which has no path that means something.
            Ok(_) => {}
            Err(_) if path.as_os_str() == "-" => {}
            // Results that are still to come.
            Err(_) => print.add_text(&in_folder(path).to_string_lossy()),
        }
    }
    let streams = found.claimed.iter().filter(|claimed| claimed.claim.content().is_stream());
    streams.for_each(|claimed| print.add_text(claimed.claim.source()));
    let first = inputs.first().filter(|path| path.as_os_str() != "-");
    let stem = first.map(|path| fs::canonicalize(path).unwrap_or_else(|_| in_folder(path)));
    let stem = stem.as_deref().and_then(Path::file_stem).unwrap_or("results".as_ref());
    let clean = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let stem: String = stem.to_string_lossy().chars().map(clean).take(60).collect();
    format!("{stem}-{:016x}", print.value())
}

/// The full path of a file that need not be there.
fn in_folder(path: &Path) -> PathBuf {
    let folder = fs::canonicalize(folder_of(path)).unwrap_or_else(|_| folder_of(path).to_owned());
    folder.join(path.file_name().unwrap_or_default())
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
