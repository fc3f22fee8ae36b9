//! Moves the notes and votes of a cached store to a file that outlives it, and removes the store.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use super::annotations::{self, Annotation, FILE, Log, Reading};
use super::lock::{NotesLock, WriterLock};
use super::swap;
use super::{Store, StoreError};

/// Moves the notes and votes in the folder of a store to a shared file. Says whether all of them are
/// there now; otherwise they stay in the store as well.
pub fn move_annotations(store: &Path, log: &Path) -> Result<bool, StoreError> {
    let file = store.join(FILE);
    if !file.exists() {
        return Ok(true);
    }
    let failed = |error: io::Error| StoreError::note(&file, &error);
    let _lock = NotesLock::take(store).map_err(failed)?;
    move_locked(store, log)
}

/// Removes a store that is not needed any more, after its notes and votes are moved to a shared file.
/// Says whether it is gone: it stays where something in it cannot be moved or is not qualm's.
pub fn retire(store: &Path, log: &Path) -> Result<bool, StoreError> {
    let failed = |error: io::Error| StoreError::write(store, &error);
    // Nobody else writes it meanwhile.
    let Some(_writer) = WriterLock::try_take(store).map_err(failed)? else {
        return Err(StoreError::Busy { path: store.to_owned() });
    };
    let _notes = NotesLock::take(store).map_err(failed)?;
    if !move_locked(store, log)? {
        return Ok(false);
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(store).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_file = entry.file_type().map_err(failed)?.is_file();
        if !is_file || !swap::is_part_of_a_store(&entry.file_name()) {
            return Ok(false);
        }
        names.push(entry.path());
    }
    names.iter().try_for_each(fs::remove_file).map_err(failed)?;
    fs::remove_dir(store).map_err(failed)?;
    Ok(true)
}

/// Moves the lines while nobody appends to the store's file.
fn move_locked(store: &Path, log: &Path) -> Result<bool, StoreError> {
    let file = store.join(FILE);
    let lines = annotations::read(&file)?;
    if lines.is_empty() {
        let _ = fs::remove_file(&file);
        return Ok(true);
    }
    let store = Store::open(store)?;
    let readable: Vec<&Annotation> =
        lines.iter().filter_map(|line| line.annotation.as_ref().ok()).collect();
    let reading = Reading::with_text(&store, readable.iter().copied())?;
    let mut all = readable.len() == lines.len();
    annotations::append_new(&Log::Shared(log), |path| {
        let known = annotations::read(path)?;
        let ids: HashSet<String> =
            known.iter().filter_map(|line| line.annotation.as_ref().ok()?.id()).collect();
        let bytes: HashSet<&[u8]> = known.iter().map(|line| line.bytes.as_slice()).collect();
        let mut text = Vec::new();
        for line in &lines {
            let Ok(annotation) = &line.annotation else { continue };
            if bytes.contains(line.bytes.as_slice())
                || annotation.id().is_some_and(|id| ids.contains(&id))
            {
                continue;
            }
            // A line without runs would belong to nothing there.
            match reading.bound(annotation) {
                Some(bound) => text.extend(annotations::json(&bound, path)?),
                None if annotation.names_runs() => text.extend_from_slice(&line.bytes),
                None => {
                    all = false;
                    continue;
                }
            }
            text.push(b'\n');
        }
        Ok(text)
    })?;
    if all {
        fs::remove_file(&file).map_err(|error| StoreError::note(&file, &error))?;
    }
    Ok(all)
}
