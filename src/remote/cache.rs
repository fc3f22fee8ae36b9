//! The cache of objects on this disk.
//!
//! Every version of an object is a sparse file, whose blocks are filled as they are needed, beside an
//! index of the blocks that are there with their checksums. Where the cache is full, the files that were
//! used longest ago go; where that is not enough, bytes are kept for the moment only.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::RemoteError;
use crate::files;

/// Bytes of a block.
pub(super) const BLOCK: u64 = 1 << 17;

/// Bytes of an entry of an index: the number of the block and its checksum.
const ENTRY: usize = 12;

/// The endings of a file and its index.
const DATA: &str = "data";
const INDEX: &str = "blocks";

/// A cache in a folder.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    limit: u64,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Bytes of all files, about.
    used: u64,
    /// The files that this process has open.
    open: BTreeSet<PathBuf>,
}

fn failed(path: &Path, error: &io::Error) -> RemoteError {
    RemoteError::Cache { path: path.to_owned(), why: error.to_string() }
}

impl Cache {
    pub(super) fn open(folder: &Path, limit: u64) -> Result<Self, RemoteError> {
        fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        let used = indexes(folder).iter().map(|(_, _, bytes)| bytes).sum();
        let held = Mutex::new(Held { used, open: BTreeSet::new() });
        Ok(Self { folder: folder.to_owned(), limit, held })
    }

    /// The file of a version of an object.
    pub(super) fn file(&self, name: &str, size: u64) -> Result<Sparse, RemoteError> {
        let path = self.folder.join(name);
        let sparse = Sparse::open(&path, size).map_err(|error| failed(&path, &error))?;
        self.held().open.insert(sparse.index.clone());
        Ok(sparse)
    }

    /// The error of a file of the cache.
    pub(super) fn failed(&self, error: &io::Error) -> RemoteError {
        failed(&self.folder, error)
    }

    /// Makes room for so many bytes; false where there is none.
    pub(super) fn reserve(&self, bytes: u64) -> bool {
        if bytes == 0 {
            return true;
        }
        let mut held = self.held();
        if held.used + bytes > self.limit {
            let mut old = indexes(&self.folder);
            held.used = old.iter().map(|(_, _, bytes)| bytes).sum();
            old.retain(|(path, _, _)| !held.open.contains(path));
            old.sort_by_key(|(_, time, _)| *time);
            for (index, _, size) in old {
                if held.used + bytes <= self.limit {
                    break;
                }
                // The data first: an index without data means nothing.
                let gone = fs::remove_file(index.with_extension(DATA))
                    .and_then(|()| fs::remove_file(&index));
                if gone.is_ok() {
                    held.used -= size;
                }
            }
        }
        let has_room = held.used + bytes <= self.limit;
        held.used += if has_room { bytes } else { 0 };
        has_room
    }

    /// Gives room back that was not needed.
    pub(super) fn release(&self, bytes: u64) {
        let mut held = self.held();
        held.used = held.used.saturating_sub(bytes);
    }

    /// A file of some size that goes when it is closed.
    pub(super) fn scratch(&self, size: u64) -> Result<File, RemoteError> {
        let file =
            tempfile::tempfile_in(&self.folder).and_then(|file| file.set_len(size).map(|()| file));
        file.map_err(|error| self.failed(&error))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The indexes in a folder, when they were last used, and the bytes of their blocks.
fn indexes(folder: &Path) -> Vec<(PathBuf, SystemTime, u64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == INDEX));
    let entries = entries.filter_map(|entry| {
        let meta = entry.metadata().ok()?;
        Some((entry.path(), meta.modified().ok()?, meta.len() / ENTRY as u64 * BLOCK))
    });
    entries.collect()
}

/// What is known of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// It is not there.
    Missing,
    /// Somebody fetches it.
    Coming,
    /// It was there once, with this checksum.
    Kept(u64),
    /// It is there.
    Here,
}

/// A file of which only some blocks are there.
#[derive(Debug)]
pub(super) struct Sparse {
    pub(super) file: File,
    index: PathBuf,
    list: Mutex<File>,
    pub(super) size: u64,
    blocks: Mutex<Vec<Block>>,
    changed: Condvar,
}

impl Sparse {
    fn open(path: &Path, size: u64) -> io::Result<Self> {
        let (data, index) = (path.with_extension(DATA), path.with_extension(INDEX));
        let entries = files::read(&index, u64::MAX).unwrap_or_default();
        let is_whole = fs::metadata(&data).is_ok_and(|meta| meta.len() == size)
            && entries.len().is_multiple_of(ENTRY);
        if !is_whole {
            for path in [&index, &data] {
                match fs::remove_file(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&data)?;
        file.set_len(size)?;
        let list = OpenOptions::new().append(true).create(true).open(&index)?;
        // The time of the index tells when the file was last used.
        let _ = list.set_modified(SystemTime::now());
        let mut blocks = vec![Block::Missing; size.div_ceil(BLOCK) as usize];
        for entry in entries.chunks_exact(ENTRY).filter(|_| is_whole) {
            let (number, hash) = entry.split_at(4);
            let number = number.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            let hash = hash.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
            if let Some(block) = blocks.get_mut(number) {
                *block = Block::Kept(hash);
            }
        }
        let (list, blocks) = (Mutex::new(list), Mutex::new(blocks));
        Ok(Self { file, index, list, size, blocks, changed: Condvar::new() })
    }

    /// The state of all blocks, held while it is looked at.
    pub(super) fn blocks(&self) -> MutexGuard<'_, Vec<Block>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until somebody has fetched a block, or failed to.
    pub(super) fn wait<'g>(
        &self,
        blocks: MutexGuard<'g, Vec<Block>>,
    ) -> MutexGuard<'g, Vec<Block>> {
        self.changed.wait(blocks).unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the state of a block.
    pub(super) fn set(&self, number: usize, state: Block) {
        self.blocks()[number] = state;
        self.changed.notify_all();
    }

    /// Whether a block that was there once is there still, unharmed.
    pub(super) fn is_intact(&self, number: usize, hash: u64) -> bool {
        let start = number as u64 * BLOCK;
        let mut bytes = vec![0; (self.size - start).min(BLOCK) as usize];
        read_exact_at(&self.file, &mut bytes, start).is_ok() && xxh3_64(&bytes) == hash
    }

    /// Writes a block and its entry of the index.
    pub(super) fn keep(&self, number: usize, bytes: &[u8]) -> Result<(), RemoteError> {
        let write = || {
            write_at(&self.file, bytes, number as u64 * BLOCK)?;
            let mut entry = Vec::with_capacity(ENTRY);
            entry.extend((number as u32).to_le_bytes());
            entry.extend(xxh3_64(bytes).to_le_bytes());
            let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
            list.write_all(&entry)
        };
        write().map_err(|error| failed(&self.index, &error))?;
        self.set(number, Block::Here);
        Ok(())
    }
}

/// Fills `bytes` from a offset of a file.
pub(super) fn read_exact_at(file: &File, bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match files::read_at(file, rest, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                rest = &mut rest[count..];
                offset += count as u64;
            }
        }
    }
    Ok(())
}

/// Writes bytes at a offset of a file.
pub(super) fn write_at(file: &File, bytes: &[u8], mut offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    use std::os::unix::fs::FileExt as _;
    #[cfg(windows)]
    use std::os::windows::fs::FileExt as _;
    let mut rest = bytes;
    while !rest.is_empty() {
        #[cfg(unix)]
        let written = file.write_at(rest, offset);
        #[cfg(windows)]
        let written = file.seek_write(rest, offset);
        match written {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                rest = &rest[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
