//! Whether a table is unchanged since qualm wrote it.

use std::io;

use xxhash_rust::xxh3::Xxh3Default;

use super::Table;
use crate::store::TableFile;

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;

impl Table {
    /// The same table, which should be the file that was written.
    pub(in crate::store) fn expecting(mut self, written: Option<&TableFile>) -> Self {
        // The size is known at once; the content is compared when all of it is read anyway.
        if let Some(written) = written
            && self.file.metadata().is_ok_and(|meta| meta.len() != written.bytes)
        {
            let _ = self.sound.set(false);
        }
        self.written = written.cloned();
        self
    }

    /// Whether the file is known to be another one than was written.
    pub(in crate::store) fn is_changed(&self) -> bool {
        self.sound.get() == Some(&false)
    }

    /// Compares the file with what was written, once; true where nobody knows.
    pub(in crate::store) fn check_sound(&self) -> bool {
        let Some(written) = &self.written else { return true };
        *self.sound.get_or_init(|| self.digest().is_ok_and(|found| found == *written))
    }

    /// The size and checksum of the file.
    pub(in crate::store) fn digest(&self) -> io::Result<TableFile> {
        let (mut hash, mut bytes) = (Xxh3Default::new(), 0);
        let mut block = vec![0; BLOCK];
        loop {
            match self.read_at(&mut block, bytes)? {
                0 => return Ok(TableFile::new(bytes, hash.digest())),
                count => {
                    hash.update(&block[..count]);
                    bytes += count as u64;
                }
            }
        }
    }

    /// Reads some bytes, beside whoever else reads the same open file.
    #[cfg(unix)]
    pub(super) fn read_at(&self, block: &mut [u8], offset: u64) -> io::Result<usize> {
        use std::os::unix::fs::FileExt as _;
        loop {
            match self.file.read_at(block, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    /// Reads some bytes, beside whoever else reads the same open file.
    #[cfg(not(unix))]
    pub(super) fn read_at(&self, block: &mut [u8], offset: u64) -> io::Result<usize> {
        use std::io::{Read as _, Seek as _, SeekFrom};
        let mut file = std::fs::File::open(&self.path)?;
        file.seek(SeekFrom::Start(offset))?;
        file.read(block)
    }
}
