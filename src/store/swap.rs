//! Replaces a store as a whole.
//!
//! A writer works in a hidden folder beside the store, under a lock. When everything is written the two
//! folders are swapped in one step, so that whenever a process is killed, the path of the store leads to
//! a whole store: the old one or the new one.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::table::TableName;
use super::{Store, StoreError, manifest};

/// The folder in which a new store is written before it replaces the old one.
#[derive(Debug)]
pub(super) struct Draft {
    store: PathBuf,
    folder: PathBuf,
    lock_path: PathBuf,
    /// Folders that were created to hold the store, the innermost first.
    made: Vec<PathBuf>,
    // Held until the draft is dropped; the system releases it when the process dies.
    _lock: File,
}

fn beside(store: &Path, ending: &str) -> PathBuf {
    let name = store.file_name().unwrap_or(store.as_os_str()).to_string_lossy();
    store.with_file_name(format!(".{name}.{ending}"))
}

impl Draft {
    /// Begins a new store at `store`, which may exist already.
    pub(super) fn begin(store: &Path) -> Result<Self, StoreError> {
        // A link to a store stands for the store.
        let store = &fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
        let failed = |error: &io::Error| StoreError::write(store, error);
        if is_taken(store).map_err(|error| failed(&error))? {
            return Err(StoreError::write(store, &io::Error::other("something else lies there")));
        }
        let made = make_parents(store).map_err(|error| failed(&error))?;
        let (folder, lock_path) = (beside(store, "tmp"), beside(store, "lock"));
        let lock = match lock(&lock_path) {
            Ok(Some(lock)) => lock,
            Ok(None) => return Err(StoreError::Busy { path: store.clone() }),
            Err(error) => return Err(failed(&error)),
        };
        let draft = Self { store: store.clone(), folder, lock_path, made, _lock: lock };
        // What a killed writer left behind.
        let cleaned = remove(&draft.folder).and_then(|()| recover(store));
        cleaned.and_then(|()| fs::create_dir(&draft.folder)).map_err(|error| failed(&error))?;
        Ok(draft)
    }

    /// The path of the store.
    pub(super) fn store(&self) -> &Path {
        &self.store
    }

    /// The folder to write into.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Replaces the store with the draft.
    pub(super) fn commit(self) -> Result<(), StoreError> {
        let result = if Store::is_store(&self.store) {
            // A note that is appended during the swap would be lost.
            let _notes = NotesLock::take(&self.store)
                .map_err(|error| StoreError::write(&self.store, &error))?;
            carry_over(&self.store, &self.folder)
                .and_then(|()| exchange(&self.folder, &self.store))
                .and_then(|()| move_rest(&self.folder, &self.store))
        } else {
            // An empty folder may be there; a rename replaces it.
            fs::rename(&self.folder, &self.store)
        };
        result.map_err(|error| StoreError::write(&self.store, &error))
    }
}

impl Drop for Draft {
    /// Leaves nothing behind, whether the draft became the store or was given up.
    fn drop(&mut self) {
        // A failure cannot be reported here, and the next writer cleans up.
        let _ = remove(&self.folder);
        let _ = fs::remove_file(&self.lock_path);
        // Only empty folders can be removed so: where the store lies, they stay.
        self.made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
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

/// The lock that is held while a note is appended, and while a new store replaces the old one.
#[derive(Debug)]
pub(super) struct NotesLock {
    path: PathBuf,
    _lock: File,
}

impl NotesLock {
    /// Takes the lock, and waits for it: nobody holds it for longer than a moment.
    pub(super) fn take(store: &Path) -> io::Result<Self> {
        let path = beside(store, "notes");
        loop {
            let file = File::create(&path)?;
            file.lock()?;
            // Else its last holder removed the file between our opening and our locking it.
            if is_still(&path, &file) {
                return Ok(Self { path, _lock: file });
            }
        }
    }
}

impl Drop for NotesLock {
    fn drop(&mut self) {
        // Before the lock goes: afterwards the file may be another's.
        let _ = fs::remove_file(&self.path);
    }
}

/// Takes the lock; none when another process has it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    loop {
        let file = File::create(path)?;
        match file.try_lock() {
            Ok(()) if is_still(path, &file) => return Ok(Some(file)),
            // Its last holder removed the file between our opening and our locking it.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Whether the path still leads to the open file.
#[cfg(unix)]
fn is_still(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((fs::metadata(path), file.metadata()), (Ok(a), Ok(b)) if same(&a, &b))
}

/// Whether the path still leads to the open file: elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_still(_: &Path, _: &File) -> bool {
    true
}

/// Whether the path holds something that is neither a store nor an empty folder.
fn is_taken(store: &Path) -> io::Result<bool> {
    match fs::read_dir(store) {
        Ok(mut entries) => Ok(!Store::is_store(store) && entries.next().is_some()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn is_part_of_a_store(name: &std::ffi::OsStr) -> bool {
    name == manifest::FILE
        || TableName::ALL.iter().any(|table| name == format!("{}.parquet", table.as_str()).as_str())
}

/// Gives the new store the files of the old one that no writer replaces, such as notes. They are
/// linked, not copied, so that a process that appends to one keeps writing to the same file.
fn carry_over(old: &Path, new: &Path) -> io::Result<()> {
    for entry in fs::read_dir(old)? {
        let entry = entry?;
        if !is_part_of_a_store(&entry.file_name()) && entry.file_type()?.is_file() {
            let target = new.join(entry.file_name());
            fs::hard_link(entry.path(), &target)
                .or_else(|_| fs::copy(entry.path(), &target).map(drop))?;
        }
    }
    Ok(())
}

/// Moves folders that somebody put into the old store to the new one, after the swap.
fn move_rest(old: &Path, new: &Path) -> io::Result<()> {
    for entry in fs::read_dir(old)? {
        let entry = entry?;
        let target = new.join(entry.file_name());
        if !is_part_of_a_store(&entry.file_name()) && !target.exists() {
            fs::rename(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Swaps two folders, in one step where the system can.
fn exchange(new: &Path, store: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, new, CWD, store, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    // In two steps; `recover` completes them if the process dies in between.
    let aside = beside(store, "old");
    remove(&aside)?;
    fs::rename(store, &aside)?;
    fs::rename(new, store)?;
    fs::rename(&aside, new)
}

/// Brings back the old store when a writer died between the two steps of an exchange.
pub(super) fn recover(store: &Path) -> io::Result<()> {
    let aside = beside(store, "old");
    if aside.exists() {
        if store.exists() {
            return remove(&aside);
        }
        return fs::rename(&aside, store);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_lost_between_two_steps_comes_back() {
        let home = tempfile::tempdir().expect("a folder");
        let store = home.path().join("a.qualm");
        fs::create_dir(beside(&store, "old")).expect("a folder");
        recover(&store).expect("recovered");
        assert!(store.exists() && !beside(&store, "old").exists());
    }

    #[test]
    fn a_folder_of_something_else_is_not_replaced() {
        let home = tempfile::tempdir().expect("a folder");
        fs::write(home.path().join("thesis.txt"), "years of work").expect("a file");
        let error = Draft::begin(home.path()).expect_err("taken").to_string();
        assert!(error.contains("something else lies there"), "{error}");
        assert!(home.path().join("thesis.txt").exists());
    }

    #[test]
    fn two_writers_do_not_meet() {
        let home = tempfile::tempdir().expect("a folder");
        let store = home.path().join("a.qualm");
        let first = Draft::begin(&store).expect("free");
        let second = Draft::begin(&store).expect_err("busy");
        assert!(matches!(second, StoreError::Busy { .. }));
        drop(first);
        Draft::begin(&store).expect("free again");
    }
}
