//! Why an object cannot be read.

use std::io;
use std::path::PathBuf;

/// What can go wrong with a store at an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// The program was built without it.
    #[error(
        "{0}: this qualm was built without stores at an address; install it with `--features remote`, or \
         copy the store to this disk"
    )]
    NotBuiltIn(String),
    /// The text is not an address.
    #[error("{address}: is not the address of a store: {why}")]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        why: String,
    },
    /// There is no such object.
    #[error("{object}: there is no such object; check the address")]
    Missing {
        /// The address of the object.
        object: String,
    },
    /// The server refuses.
    #[error("{object}: access is denied ({why}); {remedy}")]
    Denied {
        /// The address of the object.
        object: String,
        /// The server's words.
        why: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The server does not answer, or not as it should.
    #[error("{object}: cannot be read ({why}); check the address and the network, and try again")]
    Unreachable {
        /// The address of the object.
        object: String,
        /// What happened.
        why: String,
    },
    /// The object is not the one that was opened.
    #[error("{object}: was replaced while it was open; open the store again")]
    Changed {
        /// The address of the object.
        object: String,
    },
    /// The store is to be changed.
    #[error(
        "{0}: a store at an address is only read; keep notes and votes in a file of your own with \
         --annotations, and copy the store to this disk to change it"
    )]
    ReadOnly(String),
    /// The cache on this disk cannot be used.
    #[error(
        "{}: the cache cannot be used ({why}); free some space, or set XDG_CACHE_HOME to a folder that you \
         may write to", path.display()
    )]
    Cache {
        /// The file or folder.
        path: PathBuf,
        /// The system's message.
        why: String,
    },
}

impl From<RemoteError> for io::Error {
    fn from(error: RemoteError) -> Self {
        Self::other(error)
    }
}

impl RemoteError {
    /// The error of an object in one of the system.
    pub fn within(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}
