//! What a reader sees of a file or folder when it decides whether to claim it.

use std::cell::OnceCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::content::unpacked_name;
use super::{Content, JsonShape, ReadError, UTF8_BOM};

/// The first bytes that every reader may look at.
const START: usize = 4096;

/// How much of a JSON file is looked at first. Results say what they are within it.
const GLANCE: usize = 1 << 18;

/// A file with its first bytes, or a folder with its entries; both with their neighbours.
#[derive(Debug)]
pub struct Candidate {
    content: Content,
    start: Vec<u8>,
    json: JsonShape,
    /// What a folder holds; none of a file.
    entries: Option<Arc<[PathBuf]>>,
    neighbours: OnceCell<Arc<[PathBuf]>>,
}

impl Candidate {
    /// Looks at the beginning of a file.
    pub(super) fn file(content: Content) -> Result<Self, ReadError> {
        let glance = content.start(GLANCE)?;
        let start = glance[..glance.len().min(START)].to_vec();
        let mut candidate = Self {
            content,
            start,
            json: JsonShape::default(),
            entries: None,
            neighbours: OnceCell::new(),
        };
        if candidate.begins_like_json() {
            let text = glance.strip_prefix(UTF8_BOM).unwrap_or(&glance);
            // Cut off as it is, the text may well be no JSON: only what was seen counts.
            let _ = candidate.json.look(text);
        }
        Ok(candidate)
    }

    /// Looks at the beginning of a file whose folder holds these files.
    pub(super) fn file_among(path: &Path, neighbours: Arc<[PathBuf]>) -> Result<Self, ReadError> {
        let mut candidate = Self::file(Content::at(path))?;
        candidate.neighbours = neighbours.into();
        Ok(candidate)
    }

    /// Looks at what a folder holds.
    pub(super) fn folder(path: &Path) -> Result<Self, ReadError> {
        let entries = listing(path).map_err(|error| ReadError::unreadable(path, &error))?;
        Ok(Self {
            content: Content::at(path),
            start: Vec::new(),
            json: JsonShape::default(),
            entries: Some(entries.into()),
            neighbours: OnceCell::new(),
        })
    }

    /// Where its bytes come from.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Its path as the user names it.
    pub fn path(&self) -> &Path {
        self.content.path()
    }

    /// Whether the last part of its path is `name`, packed or not.
    pub fn is_named(&self, name: &str) -> bool {
        unpacked_name(self.path()) == Some(name)
    }

    /// What a folder holds, by name; none of a file.
    pub fn entries(&self) -> Option<&[PathBuf]> {
        self.entries.as_deref()
    }

    /// The same, to be shared with the files of the folder.
    pub(super) fn shared_entries(&self) -> Arc<[PathBuf]> {
        self.entries.clone().unwrap_or_default()
    }

    /// What lies in the same folder, itself included; nothing beside a stream.
    pub fn neighbours(&self) -> &[PathBuf] {
        self.neighbours.get_or_init(|| {
            if self.content.is_stream() {
                return Arc::default();
            }
            let folder = self.path().parent();
            folder.and_then(|folder| listing(folder).ok()).unwrap_or_default().into()
        })
    }

    /// The first bytes of a file, for formats that begin with known bytes.
    pub fn start(&self) -> &[u8] {
        &self.start
    }

    /// The keys of a JSON file, or of the first record of a list, as far as they are known.
    pub fn json(&self) -> &JsonShape {
        &self.json
    }

    /// Whether the first character that is not white space could begin a JSON document.
    pub(super) fn begins_like_json(&self) -> bool {
        let text = self.start.strip_prefix(UTF8_BOM).unwrap_or(&self.start);
        matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
    }

    /// Looks at the whole file, and says what keeps it from being read.
    pub(super) fn look_at_all(&mut self) -> Result<(), ReadError> {
        let path = self.content.path();
        if let Some(other) = ReadError::known_otherwise(path, &self.start) {
            return Err(other);
        }
        let bytes = self.content.json()?;
        if bytes.trim_ascii().is_empty() {
            return Err(ReadError::empty(path));
        }
        self.json = JsonShape::default();
        self.json.look(&bytes).map_err(|error| ReadError::json(path, &bytes, &error))?;
        if self.json.is_empty_list() {
            return Err(ReadError::nothing_inside(path, "record (it is an empty list)"));
        }
        Ok(())
    }
}

/// What a folder holds, by name, without hidden files; no path at all is the current folder.
fn listing(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let location = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(location)?.collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<_> = entries.iter().map(fs::DirEntry::file_name).collect();
    names.retain(|name| !name.as_encoded_bytes().starts_with(b"."));
    names.sort();
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}
