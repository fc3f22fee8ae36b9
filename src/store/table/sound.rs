//! Whether a table is unchanged since qualm wrote it.

use std::io;

use xxhash_rust::xxh3::Xxh3Default;

use super::Table;
use crate::store::TableFile;

impl Table {
    /// The same table, which should be the file that was written.
    pub(in crate::store) fn expecting(mut self, written: Option<&TableFile>) -> Self {
        // The size is known at once; the content is compared when all of it is read anyway.
        if let Some(written) = written
            && self.blob.is_local()
            && self.blob.size().is_ok_and(|bytes| bytes != written.bytes)
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

    /// Compares the file with what was written, once; true where nobody knows. A file that is not on this
    /// machine would have to be fetched for that, so that only its size was compared.
    pub(in crate::store) fn check_sound(&self) -> bool {
        if self.blob.is_local() { self.verify() } else { !self.is_changed() }
    }

    /// Compares the file with what was written, wherever it is.
    pub(in crate::store) fn verify(&self) -> bool {
        let Some(written) = &self.written else { return true };
        *self.sound.get_or_init(|| self.digest().is_ok_and(|found| found == *written))
    }

    /// The size and checksum of the file.
    pub(in crate::store) fn digest(&self) -> io::Result<TableFile> {
        let (mut hash, mut bytes) = (Xxh3Default::new(), 0);
        self.blob.each_block(&mut |block| {
            hash.update(block);
            bytes += block.len() as u64;
        })?;
        Ok(TableFile::new(bytes, hash.digest()))
    }
}
