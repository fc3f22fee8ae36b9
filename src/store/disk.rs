//! The calls with which a writer changes a store's folder. Tests make any of them fail, or all from
//! a certain call on, as when the process is killed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

pub(super) fn create_dir(path: &Path) -> io::Result<()> {
    step()?;
    fs::create_dir(path)
}

/// Creates a hidden folder with a name that nobody can guess, which only the user may enter.
pub(super) fn create_hidden_dir(inside: &Path, prefix: &str) -> io::Result<PathBuf> {
    step()?;
    Ok(tempfile::Builder::new().prefix(prefix).tempdir_in(inside)?.keep())
}

/// Creates a file that was not there.
pub(super) fn create(path: &Path) -> io::Result<File> {
    step()?;
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Syncs a file to the disk. No test cuts the power, and hundreds of syncs take long.
pub(super) fn sync(file: &File) -> io::Result<()> {
    step()?;
    if cfg!(test) { Ok(()) } else { file.sync_all() }
}

/// Makes new names in a folder survive a power cut, where the system can.
pub(super) fn sync_folder(folder: &Path) {
    // Some file systems refuse to sync a folder, and the store is whole either way.
    if cfg!(all(unix, not(test)))
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    step()?;
    fs::rename(from, to)
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    step()?;
    fs::remove_file(path)
}

/// Removes a folder, which must be empty.
pub(super) fn remove_dir(path: &Path) -> io::Result<()> {
    step()?;
    fs::remove_dir(path)
}

#[cfg(not(test))]
#[allow(clippy::unnecessary_wraps, reason = "fails in tests")]
fn step() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use faults::step;

/// Faults that a test asks for on its thread.
#[cfg(test)]
pub(super) mod faults {
    use std::cell::Cell;
    use std::io;

    /// Which calls fail, counted from 0.
    #[derive(Clone, Copy, Debug)]
    pub(in crate::store) enum Fault {
        /// One call.
        Once(usize),
        /// A call and all that follow: the process is gone.
        From(usize),
    }

    thread_local! {
        static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
        static CALLS: Cell<usize> = const { Cell::new(0) };
    }

    /// Runs `action` with a fault, and returns its result and the number of calls that it made.
    pub(in crate::store) fn with<T>(
        fault: Option<Fault>,
        action: impl FnOnce() -> T,
    ) -> (T, usize) {
        FAULT.set(fault);
        CALLS.set(0);
        let result = action();
        FAULT.set(None);
        (result, CALLS.get())
    }

    pub(super) fn step() -> io::Result<()> {
        let call = CALLS.get();
        CALLS.set(call + 1);
        let fails = match FAULT.get() {
            None => false,
            Some(Fault::Once(at)) => call == at,
            Some(Fault::From(at)) => call >= at,
        };
        if fails { Err(io::Error::other(format!("call {call} fails"))) } else { Ok(()) }
    }
}
