//! Appends to `annotations.jsonl`.
//!
//! Several programs may append at once, so appending takes a lock for a moment. The writer's lock would
//! not do, because an import holds it to its end and a note should not wait for that. A writer never
//! touches the file.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::store::lock::NotesLock;
use crate::store::{Manifest, Store, StoreError, manifest};

/// The file's name in a store.
pub(in crate::store) const FILE: &str = "annotations.jsonl";

/// Where the notes and votes of a store are kept.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) enum Log<'s> {
    /// In the folder of the store.
    Inside(&'s Path),
    /// In a file that several stores share.
    Shared(&'s Path),
    /// Nowhere: the store is at this address.
    ReadOnly(&'s Path),
}

impl Log<'_> {
    /// The file.
    pub(in crate::store) fn path(&self) -> PathBuf {
        match self {
            Self::Inside(store) | Self::ReadOnly(store) => store.join(FILE),
            Self::Shared(path) => path.to_path_buf(),
        }
    }

    /// The file's name.
    fn file(&self) -> OsString {
        self.path().file_name().map_or_else(|| FILE.into(), OsStr::to_owned)
    }

    /// Whether lines may be about runs of other stores.
    pub(in crate::store) fn is_shared(&self) -> bool {
        matches!(self, Self::Shared(_))
    }
}

/// Appends lines; they are on the disk when this returns.
pub(in crate::store) fn append<T: Serialize>(log: &Log<'_>, rows: &[T]) -> Result<(), StoreError> {
    append_new(log, |path| text(rows, path))
}

/// Appends the rows that `make` returns; nobody else appends while it runs.
pub(in crate::store) fn append_made<T: Serialize>(
    log: &Log<'_>,
    make: impl FnOnce(&Path) -> Result<Vec<T>, StoreError>,
) -> Result<(), StoreError> {
    append_new(log, |path| text(&make(path)?, path))
}

fn text<T: Serialize>(rows: &[T], path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::new();
    for row in rows {
        text.extend(json(row, path)?);
        text.push(b'\n');
    }
    Ok(text)
}

/// A row as JSON.
pub(in crate::store) fn json(row: &impl Serialize, path: &Path) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(row).map_err(|error| StoreError::note(path, &error.into()))
}

/// Appends the complete lines that `make` returns. `make` gets the file's path, and nobody else appends
/// while it runs.
pub(in crate::store) fn append_new(
    log: &Log<'_>,
    make: impl FnOnce(&Path) -> Result<Vec<u8>, StoreError>,
) -> Result<(), StoreError> {
    append_to(log, log.file(), make)
}

/// The same for a file of another name beside it.
pub(in crate::store) fn append_to(
    log: &Log<'_>,
    name: impl AsRef<OsStr>,
    make: impl FnOnce(&Path) -> Result<Vec<u8>, StoreError>,
) -> Result<(), StoreError> {
    let guarded = match *log {
        // The lock lies beside the store itself, not beside a link to it.
        Log::Inside(store) => fs::canonicalize(store).unwrap_or_else(|_| store.to_owned()),
        Log::Shared(path) => path.to_owned(),
        Log::ReadOnly(address) => {
            return Err(StoreError::read_only(address));
        }
    };
    let path = if log.is_shared() {
        guarded.with_file_name(name.as_ref())
    } else {
        guarded.join(name.as_ref())
    };
    let failed = |error: io::Error| StoreError::note(&path, &error);
    if let Some(folder) = path.parent().filter(|_| log.is_shared()) {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let _lock = NotesLock::take(&guarded).map_err(failed)?;
    if !log.is_shared() && !Store::is_store(&guarded) {
        Manifest::read(&guarded)?;
    }
    if fs::metadata(&path).is_ok_and(|meta| !meta.is_file()) {
        return Err(failed(io::Error::other("it is not a file")));
    }
    let text = make(&path)?;
    if text.is_empty() { Ok(()) } else { append_text(&path, text).map_err(failed) }
}

/// Appends lines in one write, after a newline if the last line was cut short.
fn append_text(path: &Path, mut text: Vec<u8>) -> io::Result<()> {
    let is_new = !path.exists();
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    // In a private store, what people write is private too.
    if is_new && let Ok(manifest) = fs::metadata(path.with_file_name(manifest::FILE)) {
        file.set_permissions(manifest.permissions())?;
    }
    let end = file.seek(SeekFrom::End(0))?;
    if end > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(end - 1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            text.insert(0, b'\n');
        }
    }
    let written = write_once(&mut file, &text).and_then(|()| file.sync_all());
    if written.is_err() {
        // Removes what was written. If that fails too, a truncated line does no harm.
        let _ = file.set_len(end);
    }
    if end == 0 {
        sync_folder(path);
    }
    written
}

/// Writes everything in one call: readers see whole lines or, after a crash, the beginning of one.
fn write_once(file: &mut File, text: &[u8]) -> io::Result<()> {
    loop {
        match file.write(text) {
            Ok(count) if count == text.len() => return Ok(()),
            Ok(_) => return Err(ErrorKind::StorageFull.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Syncs the folder of a new file to the disk, on systems that can.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}
