//! The errors of a store.

use std::io;
use std::path::{Path, PathBuf};

use crate::remote::RemoteError;

/// What can go wrong with a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store is at an address, and cannot be read or not be changed there.
    #[error(transparent)]
    Remote(RemoteError),
    /// The store at an address has parts.
    #[error(
        "{}: the store has parts, which qualm reads on this disk only; copy the store here and name the copy",
        .0.display()
    )]
    RemoteParts(PathBuf),
    /// A part would have other columns than the rest of its table.
    #[error(
        "{}: has other columns than this qualm writes, so that no part goes with it; import without --append, which writes the table again",
        path.display()
    )]
    OtherColumns {
        /// The file of the table.
        path: PathBuf,
    },
    /// The path is not a store.
    #[error("{}: {why}; name a folder that `qualm import` or `qualm demo -o` wrote", path.display())]
    NotAStore {
        /// The path that was named.
        path: PathBuf,
        /// What is there instead.
        why: String,
    },
    /// The store has a newer version than this program reads.
    #[error(
        "{}: the store has version {found}, newer than this qualm reads ({known}); update qualm",
        path.display()
    )]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version that this program reads.
        known: u32,
    },
    /// Part of the store cannot be read.
    #[error("{}: {why}; `qualm check` lists every problem; import the results into a new store", path.display())]
    Damaged {
        /// The file that is damaged.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The notes cannot be read.
    #[error("{}: {why}; repair or remove it", path.display())]
    Notes {
        /// The file with the notes.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A note that is to be replaced or withdrawn does not stand any more.
    #[error("{}: the note was changed or withdrawn meanwhile; open the store again", path.display())]
    NoteChanged {
        /// The file with the notes.
        path: PathBuf,
    },
    /// Part of the store cannot be written.
    #[error("{}: cannot be written ({why}); {}; nothing was changed", path.display(), remedy)]
    Write {
        /// The file that was being written.
        path: PathBuf,
        /// The system's message.
        why: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// An ensemble or calibration has no values, or a name that another scorer has.
    #[error("{}: the scorer {name} is not kept: {why}", path.display())]
    NotKept {
        /// The store.
        path: PathBuf,
        /// The name it was to have.
        name: String,
        /// Why, and what to do about it.
        why: String,
    },
    /// Another process is writing.
    #[error("{}: another qualm is writing this store; wait until it is done", path.display())]
    Busy {
        /// The store.
        path: PathBuf,
    },
    /// Another process asks models about the store.
    #[error(
        "{}: another qualm is scoring this store; wait until it is done, or end it", path.display()
    )]
    Scoring {
        /// The store.
        path: PathBuf,
    },
}

impl StoreError {
    /// What went wrong, without what that means for the store: another change may have taken effect.
    pub fn reason(&self) -> String {
        match self {
            Self::Write { path, why, .. } => format!("{}: {why}", path.display()),
            other => other.to_string(),
        }
    }

    /// The error of a store at an address that is to be changed.
    pub(super) fn read_only(address: &Path) -> Self {
        Self::Remote(RemoteError::ReadOnly(address.display().to_string()))
    }

    pub(super) fn damaged(path: &Path, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.into() }
    }

    pub(super) fn write(path: &Path, error: &io::Error) -> Self {
        let remedy = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "free some space or write to another disk with -o"
            }
            io::ErrorKind::FileTooLarge => {
                "raise the limit on file sizes or write elsewhere with -o"
            }
            io::ErrorKind::NotFound => "create the folder that it belongs in",
            io::ErrorKind::AlreadyExists => "move it away or name another store with -o",
            io::ErrorKind::NotADirectory => "name a folder that can hold the store with -o",
            _ => "choose a folder that you may write to with -o",
        };
        Self::Write { path: path.to_owned(), why: message(error), remedy }
    }

    /// The error of a note that could not be written; it cannot be written anywhere but into its store.
    pub(super) fn note(path: &Path, error: &io::Error) -> Self {
        let remedy = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
            _ => "copy the store to a folder that you may write to",
        };
        Self::Write { path: path.to_owned(), why: message(error), remedy }
    }
}

/// The system's message without its error number.
fn message(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}
