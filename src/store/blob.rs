//! The bytes of a table's file, wherever they lie.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use crate::files;

/// The bytes of one file as they were when it was opened.
#[derive(Debug)]
pub(super) enum Blob {
    /// A file on this machine.
    Local(File),
}

impl Blob {
    /// Opens a file on this machine.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        files::open(path).map(Self::Local)
    }

    /// The number of bytes.
    pub(super) fn size(&self) -> io::Result<u64> {
        match self {
            Self::Local(file) => Ok(file.metadata()?.len()),
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
        }
    }

    /// An open file that holds at least the footer of a Parquet file.
    pub(super) fn holding_footer(&self) -> io::Result<File> {
        match self {
            Self::Local(file) => file.try_clone(),
        }
    }

    /// Passes all bytes to `take`, in blocks.
    pub(super) fn each_block(&self, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        match self {
            Self::Local(file) => {
                let (mut block, mut offset) = (vec![0; BLOCK], 0);
                loop {
                    match read_at(file, &mut block, offset)? {
                        0 => return Ok(()),
                        count => {
                            take(&block[..count]);
                            offset += count as u64;
                        }
                    }
                }
            }
        }
    }
}

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;

/// Reads some bytes, beside whoever else reads the same open file.
pub(super) fn read_at(file: &File, block: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    use std::os::unix::fs::FileExt as _;
    #[cfg(windows)]
    use std::os::windows::fs::FileExt as _;
    loop {
        #[cfg(unix)]
        let result = file.read_at(block, offset);
        #[cfg(windows)]
        let result = file.seek_read(block, offset);
        match result {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
