//! Changes a store so that it is either the old one or the new one, even if a process is killed.
//!
//! The store's folder never moves, and nothing in it is touched but tables and the manifest. A
//! writer writes its tables into a hidden folder inside the store, under a lock. Renaming the new
//! manifest over the old one is the moment of the change: the manifest names the hidden folder, and
//! a table in it takes precedence over the one of the same name in the store. Then the tables are
//! renamed to their usual names, one by one. If the writer could not, the next reader or writer of
//! the store completes this.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::lock::{WriterLock, beside};
use super::manifest::{self, Handover, Manifest, TablePart, VERSION, VERSION_WITH_PARTS};
use super::table::TableName;
use super::{Store, StoreError, disk};
use crate::remote;

/// The tables of a change, before they are those of the store.
#[derive(Debug)]
pub(super) struct Draft {
    store: PathBuf,
    folder: PathBuf,
    /// Folders that were created to hold the store and the store's itself, the innermost first.
    made: Vec<PathBuf>,
    /// Whether the folder belongs to the store now.
    took_effect: bool,
    /// Held until the end.
    lock: Option<WriterLock>,
}

impl Draft {
    /// Begins a change of the store at `store`, which need not exist.
    pub(super) fn begin(store: &Path) -> Result<Self, StoreError> {
        if remote::is_address(store) {
            return Err(StoreError::read_only(store));
        }
        // A link to a store stands for the store.
        let store = &fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
        let failed = |error: &io::Error| StoreError::write(store, error);
        let made = make_parents(store).map_err(|error| failed(&error))?;
        let lock = match WriterLock::try_take(store) {
            Ok(Some(lock)) => lock,
            outcome => {
                remove_empty(&made);
                return Err(match outcome {
                    Err(error) => failed(&error),
                    Ok(_) => StoreError::Busy { path: store.clone() },
                });
            }
        };
        let (store, folder) = (store.clone(), PathBuf::new());
        let mut draft = Self { store, folder, made, took_effect: false, lock: Some(lock) };
        draft.tidy()?;
        draft.prepare().map_err(|error| StoreError::write(&draft.store, &error))?;
        Ok(draft)
    }

    /// Completes the change of a killed writer. A manifest that cannot be read may name a folder that
    /// holds tables, so nothing may be removed then.
    fn tidy(&self) -> Result<(), StoreError> {
        let failed = |error: io::Error| StoreError::write(&self.store, &error);
        bring_back(&self.store).map_err(failed)?;
        if Store::is_store(&self.store)
            && let Some(handover) = Manifest::read(&self.store)?.handover
        {
            complete(&self.store, &handover).map_err(failed)?;
        }
        Ok(())
    }

    /// Removes what killed writers left, and makes the folder to write into.
    fn prepare(&mut self) -> io::Result<()> {
        let store = &self.store;
        discard(&beside(store, "tmp"));
        if !fs::exists(store)? {
            disk::create_dir(store)?;
            self.made.insert(0, store.clone());
        }
        let taken = |what: String| io::Error::new(ErrorKind::AlreadyExists, what);
        let mut is_empty = true;
        for entry in fs::read_dir(store)? {
            let entry = entry?;
            let (name, kind) = (entry.file_name(), entry.file_type()?);
            if kind.is_dir() && name.as_encoded_bytes().starts_with(Handover::PREFIX.as_bytes()) {
                discard(&entry.path());
                continue;
            }
            is_empty = false;
            if is_part_of_a_store(&name) && !kind.is_file() && !kind.is_symlink() {
                return Err(taken(format!("{} in it is not a file", name.to_string_lossy())));
            }
        }
        if !is_empty && !Store::is_store(store) {
            return Err(taken("something else lies there".to_owned()));
        }
        self.folder = disk::create_hidden_dir(store, Handover::PREFIX)?;
        Ok(())
    }

    /// The path of the store.
    pub(super) fn store(&self) -> &Path {
        &self.store
    }

    /// The folder that the tables are written into.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates the file of a table.
    pub(super) fn create(&self, table: TableName) -> io::Result<File> {
        self.create_file(&table.path(&self.folder))
    }

    /// Creates a file with the permissions of the one that it will replace. A new table gets those of
    /// the manifest, so that a private store stays private.
    fn create_file(&self, path: &Path) -> io::Result<File> {
        let file = disk::create(path)?;
        let old = |name: &Path| fs::metadata(self.store.join(name)).ok();
        let name = path.file_name().map(Path::new);
        if let Some(old) = name.and_then(old).or_else(|| old(Path::new(manifest::FILE))) {
            file.set_permissions(old.permissions())?;
        }
        Ok(file)
    }

    /// Makes the change take effect: the tables that were written replace those of the store, and
    /// `removed` ones go. An error means that nothing was changed.
    pub(super) fn commit(
        self,
        manifest: Manifest,
        removed: &[TableName],
    ) -> Result<Manifest, StoreError> {
        self.commit_as(manifest, removed, BTreeMap::new())
    }

    /// The same where some of the tables that were written are parts, by the table and their path.
    pub(super) fn commit_as(
        mut self,
        mut manifest: Manifest,
        removed: &[TableName],
        parts: BTreeMap<String, String>,
    ) -> Result<Manifest, StoreError> {
        let folder = self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let removed = removed.iter().map(|table| table.as_str().to_owned()).collect();
        let mut removed_parts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        if let Ok(before) = Manifest::read(&self.store) {
            for (table, part) in before.all_parts() {
                if manifest.all_parts().all(|(_, kept)| kept.path != part.path) {
                    removed_parts.entry(table.to_owned()).or_default().push(part.path.clone());
                }
            }
        }
        manifest.version = if manifest.parts.is_empty() { VERSION } else { VERSION_WITH_PARTS };
        let handover = Handover { folder, removed, parts, removed_parts };
        manifest.handover = Some(handover.clone());
        let shown = self.store.join(manifest::FILE);
        self.replace_manifest(&manifest).map_err(|error| StoreError::write(&shown, &error))?;
        self.took_effect = true;
        // The store is the new one already. What fails here, the next one to open it completes.
        let _ = complete(&self.store, &handover);
        Ok(manifest)
    }

    fn replace_manifest(&self, manifest: &Manifest) -> io::Result<()> {
        let path = self.folder.join(manifest::FILE);
        let mut text = serde_json::to_vec_pretty(manifest)?;
        text.push(b'\n');
        let mut file = self.create_file(&path)?;
        file.write_all(&text)?;
        disk::sync(&file)?;
        disk::sync_folder(&self.folder);
        // From now on, whoever may read the store may have to read this folder.
        let _ = fs::metadata(&self.store)
            .and_then(|store| fs::set_permissions(&self.folder, store.permissions()));
        let renamed = disk::rename(&path, &self.store.join(manifest::FILE));
        // A network file system may report a failure of what it has done.
        match renamed {
            Err(error) if !Manifest::read(&self.store).is_ok_and(|now| now == *manifest) => {
                return Err(error);
            }
            _ => disk::sync_folder(&self.store),
        }
        Ok(())
    }
}

impl Drop for Draft {
    /// Leaves nothing behind, whether the change took effect or was given up.
    fn drop(&mut self) {
        // Afterwards the folder may hold tables of the store.
        if !self.took_effect && self.folder.exists() {
            discard(&self.folder);
        }
        remove_empty(&self.made);
        // The lock lies in the innermost folder that is left.
        self.lock = None;
        remove_empty(&self.made);
    }
}

/// Creates the folders that hold the store, and returns those that did not exist.
fn make_parents(store: &Path) -> io::Result<Vec<PathBuf>> {
    let parents = store.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
    let made: Vec<PathBuf> =
        parents.take_while(|parent| !parent.exists()).map(Path::to_owned).collect();
    if let Some(innermost) = made.first() {
        fs::create_dir_all(innermost)?;
    }
    Ok(made)
}

/// Removes folders, the innermost first; one that holds anything stays.
fn remove_empty(folders: &[PathBuf]) {
    folders.iter().for_each(|folder| drop(disk::remove_dir(folder)));
}

/// Removes tables and manifest of a folder that a writer made, and the folder if nothing else is there.
fn discard(folder: &Path) {
    // A failure cannot be reported here, and the next writer tries again.
    let Ok(entries) = fs::read_dir(folder) else { return };
    let files = entries.flatten().filter(|entry| is_part_of_a_store(&entry.file_name()));
    files.for_each(|entry| drop(disk::remove_file(&entry.path())));
    let _ = disk::remove_dir(folder);
}

pub(super) fn is_part_of_a_store(name: &std::ffi::OsStr) -> bool {
    name == manifest::FILE
        || TableName::ALL.iter().any(|table| name == format!("{}.parquet", table.as_str()).as_str())
}

/// Gives the tables of a change their usual names, and removes those that it removes. Can be repeated.
fn complete(store: &Path, handover: &Handover) -> io::Result<()> {
    let Some(folder) = handover.folder(store) else { return Ok(()) };
    let if_there = |result: io::Result<()>| match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        result => result,
    };
    for table in TableName::ALL {
        for path in handover.removed_parts.get(table.as_str()).into_iter().flatten() {
            if let Some(path) = TablePart::path_in(path, store, table) {
                if_there(disk::remove_file(&path))?;
                // The folders of the dataset and of the table go with their last part.
                path.ancestors().skip(1).take(2).for_each(|folder| drop(disk::remove_dir(folder)));
            }
        }
        let part = handover.parts.get(table.as_str());
        if let Some(path) = part.and_then(|path| TablePart::path_in(path, store, table)) {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
                if_there(disk::rename(&table.path(&folder), &path))?;
                disk::sync_folder(parent);
            }
        } else if handover.removes(table) {
            if_there(disk::remove_file(&table.path(store)))?;
        } else {
            if_there(disk::rename(&table.path(&folder), &table.path(store)))?;
        }
    }
    disk::sync_folder(store);
    disk::remove_dir(&folder)
}

/// Completes a change whose writer was killed, unless somebody writes at this moment. Where that fails
/// the tables are read from where they are.
pub(super) fn complete_if_free(store: &Path, handover: &Handover) {
    if handover.folder(store).is_none() {
        return;
    }
    let store = fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
    if let Ok(Some(_lock)) = WriterLock::try_take(&store) {
        // Under the lock, the manifest may be another.
        if let Ok(Manifest { handover: Some(handover), .. }) = Manifest::read(&store) {
            let _ = complete(&store, &handover);
        }
    }
}

/// Brings back a store that a killed writer of an earlier version had put aside, unless it is at work.
pub(super) fn bring_back_if_free(store: &Path) {
    if fs::symlink_metadata(store).is_err()
        && beside(store, "old").exists()
        && let Ok(Some(_lock)) = WriterLock::try_take(store)
    {
        let _ = bring_back(store);
    }
}

/// The same under the lock.
fn bring_back(store: &Path) -> io::Result<()> {
    let aside = beside(store, "old");
    if aside.join(manifest::FILE).is_file() {
        if fs::exists(store)? {
            discard(&aside);
        } else {
            disk::rename(&aside, store)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
