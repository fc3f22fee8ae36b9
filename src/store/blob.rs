//! The bytes of a table's file, wherever they lie.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use crate::files::{self, read_at};
#[cfg(feature = "remote")]
use crate::remote::Object;

/// The bytes of one file as they were when it was opened.
#[derive(Debug)]
pub(super) enum Blob {
    /// A file on this machine.
    Local(File),
    /// An object at an address.
    #[cfg(feature = "remote")]
    Remote(Object),
}

impl Blob {
    /// Opens a file on this machine.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        files::open(path).map(Self::Local)
    }

    /// Whether its bytes are on this machine, so that reading all of them costs nothing to speak of.
    pub(super) fn is_local(&self) -> bool {
        match self {
            Self::Local(_) => true,
            #[cfg(feature = "remote")]
            Self::Remote(_) => false,
        }
    }

    /// The number of bytes.
    pub(super) fn size(&self) -> io::Result<u64> {
        match self {
            Self::Local(file) => Ok(file.metadata()?.len()),
            #[cfg(feature = "remote")]
            Self::Remote(object) => Ok(object.size()?),
        }
    }

    /// An open file that holds at least some ranges, each at its offset. A file on this machine holds
    /// everything, so `ranges` is not asked.
    pub(super) fn holding(&self, ranges: impl FnOnce() -> Vec<Range<u64>>) -> io::Result<File> {
        match self {
            Self::Local(file) => {
                drop(ranges);
                file.try_clone()
            }
            #[cfg(feature = "remote")]
            Self::Remote(object) => Ok(object.holding(&ranges())?),
        }
    }

    /// An open file that holds at least the footer of a Parquet file.
    pub(super) fn holding_footer(&self) -> io::Result<File> {
        match self {
            Self::Local(file) => file.try_clone(),
            #[cfg(feature = "remote")]
            Self::Remote(object) => {
                let size = object.size()?;
                let end = size.saturating_sub(FOOTER_END)..size;
                let file = object.holding(std::slice::from_ref(&end))?;
                let mut length = [0; 4];
                let found = read_at(&file, &mut length, end.start)?;
                let length = if found == 4 { u64::from(u32::from_le_bytes(length)) } else { 0 };
                let footer = end.start.saturating_sub(length)..size;
                Ok(object.holding(std::slice::from_ref(&footer))?)
            }
        }
    }

    /// Passes all bytes to `take`, in blocks.
    pub(super) fn each_block(&self, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let size = self.size()?;
        let mut block = vec![0; BLOCK];
        let mut offset = 0;
        while offset < size {
            let until = (offset + AT_ONCE).min(size);
            let part = offset..until;
            let file = self.holding(|| vec![part])?;
            while offset < until {
                let wanted = (until - offset).min(BLOCK as u64) as usize;
                match read_at(&file, &mut block[..wanted], offset)? {
                    0 => return Ok(()),
                    count => {
                        take(&block[..count]);
                        offset += count as u64;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;

/// Bytes that are asked for at once.
const AT_ONCE: u64 = 1 << 25;

/// Bytes at the end of a Parquet file, which begin with the length of its footer.
#[cfg(feature = "remote")]
const FOOTER_END: u64 = 8;
