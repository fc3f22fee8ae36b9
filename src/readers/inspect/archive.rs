//! The zip archive of a log: its entries, each read whole within a limit, and nothing ever unpacked to
//! the disk.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::super::{Content, ReadError, json};
use crate::model::natural_order;

/// The largest entry that is unpacked.
const LARGEST: u64 = 1 << 30;

/// Bytes of short entries that are unpacked together.
const AT_ONCE: usize = 1 << 20;

/// Memory that is set aside before anything of an entry is there.
const AT_FIRST: u64 = 1 << 20;

/// Where the length of the first entry's name stands, and where the name begins.
const NAME_LENGTH: usize = 26;
const NAME: usize = 30;

/// The folder of samples.
const SAMPLES: &str = "samples/";

/// What stands between the id and the epoch in the name of a sample.
const EPOCH: &str = "_epoch_";

/// An entry that was unpacked, or why it cannot be.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) bytes: Result<Vec<u8>, ReadError>,
}

impl Entry {
    /// The size in memory.
    pub(super) fn size(&self) -> usize {
        self.bytes.as_ref().map_or(0, Vec::len)
    }
}

/// An open archive.
pub(super) struct Archive<'a> {
    path: &'a Path,
    zip: ZipArchive<BufReader<File>>,
}

impl<'a> Archive<'a> {
    /// Reads the list of entries. Of entries with the same name the last one counts.
    pub(super) fn open(content: &'a Content) -> Result<Self, ReadError> {
        let path = content.path();
        let file = BufReader::new(content.open()?);
        let mut zip = ZipArchive::new(file).map_err(|error| damaged(path, &error))?;
        // Entries that share bytes unpack to far more than the file could hold.
        if zip.has_overlapping_files().map_err(|error| damaged(path, &error))? {
            let problem = "has overlapping entries, which an Inspect log never has";
            return Err(ReadError::new(path, problem, "leave the file out"));
        }
        Ok(Self { path, zip })
    }

    /// The names of all entries.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.zip.file_names()
    }

    /// Whether there is such an entry.
    pub(super) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(name).is_some()
    }

    /// The entries that are samples.
    pub(super) fn samples(&self) -> impl Iterator<Item = &str> {
        self.names().filter(|name| is_sample(name))
    }

    /// The JSON entries of a folder.
    pub(super) fn under(&self, folder: &str) -> impl Iterator<Item = &str> {
        let is_json = |name: &str| name.strip_suffix(".json").is_some();
        self.names().filter(move |name| name.starts_with(folder) && is_json(name))
    }

    /// Unpacks the next entries: some short ones, or one that is long.
    pub(super) fn some(&mut self, names: &mut impl Iterator<Item = String>) -> Vec<Entry> {
        let (mut some, mut unpacked) = (Vec::new(), 0);
        while unpacked < AT_ONCE
            && let Some(name) = names.next()
        {
            let bytes = self.read(&name);
            unpacked += bytes.as_ref().map_or(AT_ONCE, Vec::len);
            some.push(Entry { name, bytes });
        }
        some
    }

    /// Unpacks an entry as JSON that a parser takes.
    pub(super) fn read(&mut self, name: &str) -> Result<Vec<u8>, ReadError> {
        let path = self.path;
        let wrong =
            |problem: String, remedy: &str| ReadError::new(path, problem, remedy).in_entry(name);
        let entry = self.zip.by_name(name);
        let entry = entry.map_err(|error| damaged(path, &error).in_entry(name))?;
        let size = entry.size();
        if size > LARGEST {
            let problem = format!(
                "unpacks to {} MiB, more than the limit of {} MiB",
                size >> 20,
                LARGEST >> 20
            );
            return Err(wrong(problem, "leave the file out, or split the run"));
        }
        let mut bytes = Vec::with_capacity(size.min(AT_FIRST) as usize);
        // One byte more than it should have shows an entry that has more.
        let read = entry.take(size + 1).read_to_end(&mut bytes);
        read.map_err(|error| wrong(format!("is damaged ({error})"), COPY_AGAIN))?;
        if bytes.len() as u64 != size {
            let problem = format!("does not unpack to the {size} bytes that it states");
            return Err(wrong(problem, COPY_AGAIN));
        }
        json::mend(&mut bytes);
        Ok(bytes)
    }
}

const COPY_AGAIN: &str = "copy the file again; `inspect log recover` may restore a crashed run";

fn damaged(path: &Path, error: &ZipError) -> ReadError {
    match error {
        ZipError::Io(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
            ReadError::new(path, format!("cannot be read ({error})"), COPY_AGAIN)
        }
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
            ReadError::new(path, "is encrypted", "decrypt it first")
        }
        ZipError::CompressionMethodNotSupported(method) => {
            let problem = format!("uses a compression method that qualm does not know ({method})");
            ReadError::new(path, problem, "write it again with `inspect log convert`")
        }
        ZipError::UnsupportedArchive(why) => {
            let remedy = "write it again with `inspect log convert`";
            ReadError::new(path, format!("cannot be unpacked ({why})"), remedy)
        }
        ZipError::InvalidArchive(why) => {
            let problem = format!("is a damaged or incomplete zip archive ({why})");
            ReadError::new(path, problem, COPY_AGAIN)
        }
        _ => ReadError::new(path, "is a damaged or incomplete zip archive", COPY_AGAIN),
    }
}

/// Whether an entry is a sample. The name says no more, since ids may hold anything.
pub(super) fn is_sample(name: &str) -> bool {
    let inside = name.strip_prefix(SAMPLES).and_then(|name| name.strip_suffix(".json"));
    inside.is_some_and(|name| name.contains(EPOCH))
}

/// The name of the first entry of an archive, from the archive's first bytes.
pub(super) fn first_name(start: &[u8]) -> Option<&str> {
    let length = start.get(NAME_LENGTH..NAME_LENGTH + 2)?;
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    std::str::from_utf8(start.get(NAME..NAME + length)?).ok()
}

/// The samples by epoch and id, as the JSON form of a log has them: entries stand in the order in which
/// samples ended.
pub(super) fn in_order(mut names: Vec<String>) -> Vec<String> {
    let key = |name: &str| {
        let stem = name.strip_suffix(".json").unwrap_or(name);
        let (id, epoch) = stem.rsplit_once(EPOCH).unwrap_or((stem, ""));
        (epoch.parse::<u64>().ok(), id.len())
    };
    names.sort_by(|a, b| {
        let ((epoch_a, length_a), (epoch_b, length_b)) = (key(a), key(b));
        epoch_a.cmp(&epoch_b).then_with(|| natural_order(&a[..length_a], &b[..length_b]))
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_ordered_by_epoch_and_id() {
        let names =
            ["samples/10_epoch_1.json", "samples/a/b_epoch_1.json", "samples/9_epoch_2.json"];
        let more = ["samples/9_epoch_1.json", "samples/x_epoch_3_epoch_10.json"];
        let all = names.iter().chain(&more).map(|name| (*name).to_owned()).collect();
        let expected = [more[0], names[0], names[1], names[2], more[1]];
        assert_eq!(in_order(all), expected);
    }

    #[test]
    fn a_sample_is_known_by_folder_and_epoch() {
        assert!(is_sample("samples/a/b_epoch_1.json"));
        for other in ["samples/", "samples/x.json", "x_epoch_1.json", "samples/a_epoch_1.zip"] {
            assert!(!is_sample(other), "{other}");
        }
    }

    #[test]
    fn the_first_name_is_found_in_cut_off_bytes() {
        let mut start = vec![0; NAME_LENGTH];
        start.extend([11, 0, 0, 0]);
        start.extend(b"header.json and more");
        assert_eq!(first_name(&start), Some("header.json"));
        assert_eq!(first_name(&start[..NAME + 5]), None);
        assert_eq!(first_name(b"PK"), None);
    }
}
