//! Where the bytes of an input come from: a file, or a stream such as standard input.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal as _, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tempfile::{NamedTempFile, TempPath};

use super::{ReadError, json};
use crate::files;
use crate::model::Fingerprint;

/// Some editors put it before the text; it is no part of the JSON.
pub(crate) const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// The first bytes of a file that gzip wrote.
const GZIP: &[u8] = b"\x1F\x8B";

/// The first bytes of a file that zstd wrote.
const ZSTD: &[u8] = b"\x28\xB5\x2F\xFD";

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 18;

/// How the names of files end that gzip and zstd wrote.
const PACKED: [&str; 2] = [".gz", ".zst"];

/// The size of the largest document that is unpacked: a small file may hold any number of bytes.
const LARGEST_DOCUMENT: u64 = 4 << 30;

/// What errors and notes call standard input.
const STDIN: &str = "standard input";

/// The size of the longest stream that is taken: another may never end, and its copy fills a disk.
const LONGEST_STREAM: u64 = 16 << 30;

/// A file, a folder, or a stream that was copied to a file so that readers can look twice.
#[derive(Clone, Debug)]
pub struct Content {
    path: PathBuf,
    /// Made when it is asked for, since every folder of the path is looked at.
    source: OnceLock<String>,
    /// Where a stream was copied to; the copy goes with its last user.
    copied: Option<Arc<TempPath>>,
}

impl Content {
    /// The content of a file or folder.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), source: OnceLock::new(), copied: None }
    }

    /// All of standard input.
    pub fn stdin() -> Result<Self, ReadError> {
        if io::stdin().is_terminal() {
            let remedy = "pipe results into qualm, or name a file";
            return Err(ReadError::new(Path::new(STDIN), "is a terminal", remedy));
        }
        Self::stream(Path::new(STDIN), io::stdin().lock())
    }

    /// All of a stream that `path` names, such as a pipe.
    pub fn stream(path: &Path, from: impl Read) -> Result<Self, ReadError> {
        let (copied, fingerprint) =
            copy(from, LONGEST_STREAM).map_err(|error| ReadError::unreadable(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            // Other content is another source: its runs come beside those of an earlier stream.
            source: format!("{} {fingerprint:016x}", path.display()).into(),
            copied: Some(Arc::new(copied)),
        })
    }

    /// The path as the user names it, for sentences.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it came in as a stream, with no folder around it.
    pub fn is_stream(&self) -> bool {
        self.copied.is_some()
    }

    /// What runs remember as their source: the full path, or the name and fingerprint of a stream.
    pub fn source(&self) -> &str {
        self.source.get_or_init(|| {
            let full = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
            full.display().to_string()
        })
    }

    /// Where the bytes lie.
    fn location(&self) -> &Path {
        self.copied.as_deref().map_or(&self.path, AsRef::as_ref)
    }

    /// The size in bytes; nothing of a folder.
    pub fn size(&self) -> u64 {
        fs::metadata(self.location())
            .ok()
            .filter(fs::Metadata::is_file)
            .map_or(0, |meta| meta.len())
    }

    /// Opens the file, to be read from its start.
    pub fn open(&self) -> Result<File, ReadError> {
        files::open(self.location()).map_err(|error| ReadError::unreadable(&self.path, &error))
    }

    /// Reads the file from its start; one that was compressed by gzip or zstd is unpacked.
    pub fn reader(&self) -> Result<Box<dyn BufRead>, ReadError> {
        let unreadable = |error: io::Error| ReadError::unreadable(&self.path, &error);
        let mut file = BufReader::with_capacity(BLOCK, self.open()?);
        let start = file.fill_buf().map_err(unreadable)?;
        if start.starts_with(GZIP) {
            let unpacked = Unpacked(flate2::bufread::MultiGzDecoder::new(file));
            return Ok(Box::new(BufReader::with_capacity(BLOCK, unpacked)));
        }
        if start.starts_with(ZSTD) {
            let unpacked = Unpacked(zstd::Decoder::with_buffer(file).map_err(unreadable)?);
            return Ok(Box::new(BufReader::with_capacity(BLOCK, unpacked)));
        }
        Ok(Box::new(file))
    }

    /// The first `most` bytes of the text.
    pub fn start(&self, most: usize) -> Result<Vec<u8>, ReadError> {
        let mut start = Vec::with_capacity(most);
        self.reader()?
            .take(most as u64)
            .read_to_end(&mut start)
            .map_err(|error| ReadError::unreadable(&self.path, &error))?;
        Ok(start)
    }

    /// The first bytes as they lie on the disk.
    fn raw_start(&self, most: usize) -> Result<Vec<u8>, ReadError> {
        let mut start = Vec::with_capacity(most);
        self.open()?
            .take(most as u64)
            .read_to_end(&mut start)
            .map_err(|error| ReadError::unreadable(&self.path, &error))?;
        Ok(start)
    }

    /// Whether gzip or zstd compressed it.
    pub(super) fn is_packed(&self) -> bool {
        let start = self.raw_start(ZSTD.len()).unwrap_or_default();
        start.starts_with(GZIP) || start.starts_with(ZSTD)
    }

    /// The whole file as JSON that a parser takes: without a mark before the text, and with what only
    /// Python writes mended.
    pub fn json(&self) -> Result<Vec<u8>, ReadError> {
        let unreadable = |error: io::Error| ReadError::unreadable(&self.path, &error);
        let mut bytes = files::read(self.location(), u64::MAX).map_err(unreadable)?;
        if bytes.starts_with(GZIP) || bytes.starts_with(ZSTD) {
            drop(bytes);
            bytes = document(self.reader()?, LARGEST_DOCUMENT).map_err(unreadable)?;
        }
        if bytes.starts_with(UTF8_BOM) {
            bytes.drain(..UTF8_BOM.len());
        }
        json::mend(&mut bytes);
        Ok(bytes)
    }
}

/// The file's name without the ending that gzip or zstd adds.
pub(super) fn unpacked_name(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    Some(PACKED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name))
}

/// A file as it is, and packed.
pub(super) fn packings(file: &Path) -> impl Iterator<Item = PathBuf> {
    let packed = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    ["", PACKED[0], PACKED[1]].map(packed).into_iter()
}

/// What a packed file holds; its errors say what is wrong with the packing.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        self.0.read(block).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted | io::ErrorKind::OutOfMemory => error,
            io::ErrorKind::UnexpectedEof => {
                let why = "the packed file ends before it is complete";
                io::Error::new(io::ErrorKind::UnexpectedEof, why)
            }
            _ => {
                let why = format!("the packed file is damaged ({error})");
                io::Error::new(io::ErrorKind::InvalidData, why)
            }
        })
    }
}

/// All bytes of a packed document, of at most `largest`.
fn document(from: impl Read, largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(largest.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        let why = format!("unpacks to more than {} MiB", largest >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// Copies a stream of at most `longest` bytes to a temporary file, and returns a fingerprint of its bytes.
fn copy(from: impl Read, longest: u64) -> io::Result<(TempPath, u64)> {
    let mut from = from.take(longest.saturating_add(1));
    let mut copied = 0;
    let mut file = NamedTempFile::new()?;
    let mut fingerprint = Fingerprint::default();
    let mut block = vec![0; 1 << 16];
    loop {
        match from.read(&mut block) {
            Ok(0) => break,
            Ok(count) => {
                copied += count as u64;
                if copied > longest {
                    let why = format!("is longer than {} MiB", longest >> 20);
                    return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
                }
                file.write_all(&block[..count])?;
                fingerprint.add(&block[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok((file.into_temp_path(), fingerprint.value()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_has_an_end() {
        assert!(copy(&[b'x'; 9][..], 9).is_ok());
        let endless = copy(io::repeat(0), 1 << 20).expect_err("too long");
        assert_eq!(endless.to_string(), "is longer than 1 MiB");
    }

    #[test]
    fn a_document_has_an_end() {
        assert_eq!(document(&b"123"[..], 3).expect("read"), b"123");
        let endless = document(io::repeat(0), 1 << 20).expect_err("too long");
        assert_eq!(endless.to_string(), "unpacks to more than 1 MiB");
    }

    #[test]
    fn a_stream_is_known_by_its_bytes() {
        let stream = |bytes: &[u8]| Content::stream(Path::new(STDIN), bytes).expect("taken");
        // The published 64-bit FNV-1a hash of "hello".
        assert_eq!(stream(b"hello").source(), "standard input a430d84680aabd0b");
        let long = vec![b'x'; 200_000];
        let content = stream(&long);
        assert_eq!((content.size(), content.start(4).expect("read")), (200_000, b"xxxx".to_vec()));
        assert_eq!(content.source(), stream(&long).source());
        let copied = content.location().to_owned();
        assert!(copied.exists());
        drop(content);
        assert!(!copied.exists(), "the copy goes with its last user");
    }
}
