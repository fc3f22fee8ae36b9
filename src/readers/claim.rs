//! The files that a reader claims among the paths that the user names.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::Content;

/// An input that a reader took: a file or folder, and what belongs to it.
#[derive(Clone, Debug)]
pub struct Claim {
    content: Content,
    parts: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    root: Option<PathBuf>,
    sidecars: Vec<Content>,
    /// The sizes of its parts, once they were added up.
    size_of_parts: OnceLock<u64>,
}

impl Claim {
    /// A file alone, or a folder with everything in it.
    pub fn new(content: Content) -> Self {
        let (parts, folders, sidecars) = (Vec::new(), Vec::new(), Vec::new());
        let root = content.path().is_dir().then(|| full(content.path()));
        Self { content, parts, folders, root, sidecars, size_of_parts: OnceLock::new() }
    }

    /// Adds files that are read with it; their sizes are added to its size.
    #[must_use]
    pub fn with_parts(mut self, parts: Vec<PathBuf>) -> Self {
        self.parts = parts;
        self.size_of_parts = OnceLock::new();
        self
    }

    /// The same for files whose sizes are known.
    #[must_use]
    pub fn with_sized_parts(mut self, parts: Vec<(PathBuf, u64)>) -> Self {
        let size = parts.iter().map(|(_, size)| *size).fold(0, u64::saturating_add);
        self.parts = parts.into_iter().map(|(path, _)| path).collect();
        self.size_of_parts = size.into();
        self
    }

    /// Adds a folder in which no other input is looked for.
    #[must_use]
    pub fn owning(mut self, folder: &Path) -> Self {
        self.folders.push(full(folder));
        self
    }

    /// Names the folder that holds the whole tree of folders in which it lies.
    #[must_use]
    pub fn rooted(mut self, root: Option<&Path>) -> Self {
        self.root = root.map(full).or(self.root);
        self
    }

    /// The folder that holds all of it, where that is not the one in which its file lies.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Adds a file that says more about its runs, unless it is known.
    pub fn add_sidecar(&mut self, sidecar: Content) {
        if self.sidecars.iter().all(|known| known.source() != sidecar.source()) {
            self.sidecars.push(sidecar);
        }
    }

    /// The files that say more about its runs.
    pub fn sidecars(&self) -> &[Content] {
        &self.sidecars
    }

    /// The file or folder that names the input.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Its path as the user names it.
    pub fn path(&self) -> &Path {
        self.content.path()
    }

    /// Its full path: what runs remember as their source.
    pub fn source(&self) -> &str {
        self.content.source()
    }

    /// The files that are read with it.
    pub fn parts(&self) -> &[PathBuf] {
        &self.parts
    }

    /// Whether a folder belongs to the input.
    pub(super) fn owns(&self, folder: &Path) -> bool {
        !self.folders.is_empty() && {
            let folder = full(folder);
            self.folders.iter().any(|owned| folder.starts_with(owned))
        }
    }

    /// The size in bytes of everything that is read.
    pub fn bytes(&self) -> u64 {
        let parts = *self.size_of_parts.get_or_init(|| {
            let parts = self.parts.iter().filter_map(|part| fs::metadata(part).ok());
            parts.map(|meta| meta.len()).fold(0, u64::saturating_add)
        });
        let sidecars = self.sidecars.iter().map(Content::size);
        sidecars.fold(self.content.size().saturating_add(parts), u64::saturating_add)
    }
}

/// The full path, so that different ways to write it are one.
fn full(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
