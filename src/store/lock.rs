//! The locks beside a store: one for its writer, one for whoever appends a note, one for whoever asks
//! models about it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The path of a hidden entry beside the store.
pub(super) fn beside(store: &Path, ending: &str) -> PathBuf {
    let name = store.file_name().unwrap_or(store.as_os_str()).to_string_lossy();
    store.with_file_name(format!(".{name}.{ending}"))
}

/// A lock that is held until it is dropped; the system releases it when the process dies.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Takes the lock of a file; none when another process has it.
    fn try_take(path: PathBuf) -> io::Result<Option<Self>> {
        loop {
            let file = open(&path)?;
            match file.try_lock() {
                Ok(()) if is_still(&path, &file) => return Ok(Some(Self { path, file })),
                // Its last holder removed the file between our opening and our locking it.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Before the lock goes: afterwards the file may be another's. One with content is not ours.
        if self.file.metadata().is_ok_and(|meta| meta.len() == 0)
            && is_still(&self.path, &self.file)
        {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The lock of the one writer that a store may have.
#[derive(Debug)]
pub(super) struct WriterLock {
    _lock: Lock,
}

impl WriterLock {
    /// Takes the lock; none when another process has it.
    pub(super) fn try_take(store: &Path) -> io::Result<Option<Self>> {
        Ok(Lock::try_take(beside(store, "lock"))?.map(|lock| Self { _lock: lock }))
    }
}

/// The lock of the one process that may ask models about a store.
#[derive(Debug)]
pub(super) struct ScoringLock {
    _lock: Lock,
}

impl ScoringLock {
    /// Takes the lock; none when another process has it.
    pub(super) fn try_take(store: &Path) -> io::Result<Option<Self>> {
        Ok(Lock::try_take(beside(store, "scoring"))?.map(|lock| Self { _lock: lock }))
    }
}

/// The lock that is held while notes are appended.
#[derive(Debug)]
pub(super) struct NotesLock {
    _lock: Lock,
}

impl NotesLock {
    /// Takes the lock, and waits for it: nobody holds it for longer than a moment.
    pub(super) fn take(store: &Path) -> io::Result<Self> {
        let path = beside(store, "notes");
        loop {
            let file = open(&path)?;
            file.lock()?;
            // Else its last holder removed the file between our opening and our locking it.
            if is_still(&path, &file) {
                return Ok(Self { _lock: Lock { path, file } });
            }
        }
    }
}

/// Opens a lock file and changes nothing in it. A link is not followed: anybody may have put it there.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    no_follow(&mut options);
    let not_a_file = || {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let what = format!("{name} beside it is not a lock file");
        io::Error::new(ErrorKind::AlreadyExists, what)
    };
    match options.open(path) {
        Ok(file) if file.metadata()?.is_file() => Ok(file),
        Ok(_) => Err(not_a_file()),
        Err(_) if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) => Err(not_a_file()),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn no_follow(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    // Without waiting, since a pipe might have the name.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn no_follow(_: &mut OpenOptions) {}

/// Whether the path still leads to the open file.
#[cfg(unix)]
fn is_still(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((fs::symlink_metadata(path), file.metadata()), (Ok(a), Ok(b)) if same(&a, &b))
}

/// Whether the path still leads to the open file: elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_still(_: &Path, _: &File) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed_and_a_file_not_emptied() {
        let home = tempfile::tempdir().expect("a folder");
        let (store, precious) = (home.path().join("s.qualm"), home.path().join("precious"));
        fs::write(&precious, "years of work").expect("written");
        for ending in ["lock", "notes"] {
            std::os::unix::fs::symlink(&precious, beside(&store, ending)).expect("linked");
        }
        let said = WriterLock::try_take(&store).expect_err("a link").to_string();
        assert_eq!(said, ".s.qualm.lock beside it is not a lock file");
        assert!(NotesLock::take(&store).is_err());
        assert_eq!(fs::read(&precious).expect("read"), b"years of work");
        for ending in ["lock", "notes"] {
            fs::remove_file(beside(&store, ending)).expect("removed");
            fs::write(beside(&store, ending), "mine").expect("written");
        }
        drop(WriterLock::try_take(&store).expect("taken").expect("free"));
        drop(NotesLock::take(&store).expect("taken"));
        for ending in ["lock", "notes"] {
            assert_eq!(fs::read(beside(&store, ending)).expect("still there"), b"mine");
        }
    }

    #[test]
    fn a_free_lock_leaves_no_file() {
        let home = tempfile::tempdir().expect("a folder");
        let store = home.path().join("s.qualm");
        let lock = WriterLock::try_take(&store).expect("taken").expect("free");
        assert!(WriterLock::try_take(&store).expect("asked").is_none());
        drop(lock);
        assert_eq!(home.path().read_dir().expect("a folder").count(), 0);
    }
}
