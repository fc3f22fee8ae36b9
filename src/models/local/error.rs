//! Why a local model gives no answer.

use std::path::{Path, PathBuf};

use crate::store::StoreError;

/// Why a local model gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// A folder is no model, or its model does not run.
    #[error("{}: {why}", path.display())]
    Model {
        /// The folder, or a file in it.
        path: PathBuf,
        /// What is wrong, and what to do.
        why: String,
    },
    /// The library of onnxruntime does not work.
    #[error("{}: onnxruntime does not start ({why}); name its library, such as libonnxruntime.so", path.display())]
    Library {
        /// The library.
        path: PathBuf,
        /// What it says.
        why: String,
    },
    /// Answers cannot be kept.
    #[error("{}: answers of models cannot be kept here ({why}); free space, or set XDG_CACHE_HOME", path.display())]
    Cache {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl LocalError {
    pub(super) fn model(path: &Path, why: impl Into<String>) -> Self {
        Self::Model { path: path.to_owned(), why: why.into() }
    }

    pub(super) fn cache(path: &Path, why: &std::io::Error) -> Self {
        Self::Cache { path: path.to_owned(), why: why.to_string() }
    }
}

/// The first line of an error of a library.
#[allow(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
pub(super) fn brief(error: impl ToString) -> String {
    error.to_string().lines().next().unwrap_or("unknown error").to_owned()
}
