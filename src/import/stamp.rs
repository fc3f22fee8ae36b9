//! What changes when inputs do: sizes and times of their files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::model::Fingerprint;
use crate::readers::{Claimed, Inputs};
use crate::store::VERSION;

/// What changes when a file that is read does, or the version that reads it.
pub fn stamp(inputs: &Inputs) -> String {
    let mut print = Fingerprint::default();
    print.add_text(env!("CARGO_PKG_VERSION"));
    print.add(&VERSION.to_le_bytes());
    inputs.claimed.iter().for_each(|input| add_input(input, &mut print));
    format!("{:016x}", print.value())
}

/// The same for one input.
pub(super) fn input_stamp(input: &Claimed) -> String {
    let mut print = Fingerprint::default();
    print.add_text(env!("CARGO_PKG_VERSION"));
    print.add(&VERSION.to_le_bytes());
    add_input(input, &mut print);
    if let Some(root) = input.claim.root() {
        print.add_text(&root.to_string_lossy());
    }
    format!("{:016x}", print.value())
}

fn add_input(Claimed { reader, claim }: &Claimed, print: &mut Fingerprint) {
    print.add_text(reader.info().id);
    print.add_text(claim.source());
    if !claim.content().is_stream() {
        add_file(claim.path(), print);
    }
    claim.parts().iter().for_each(|part| add_file(part, print));
    claim.sidecars().iter().for_each(|sidecar| add_file(sidecar.path(), print));
}

/// Adds the size and times of a file, or of all files in a folder.
pub fn add_file(path: &Path, print: &mut Fingerprint) {
    print.add_text(&path.to_string_lossy());
    let Ok(meta) = fs::metadata(path) else { return };
    if meta.is_dir() {
        // As an import does, links to folders are not followed.
        let followed = |entry: &fs::DirEntry| {
            entry.file_type().is_ok_and(|kind| kind.is_dir()) || entry.path().is_file()
        };
        let mut inside: Vec<PathBuf> = fs::read_dir(path)
            .map(|entries| entries.flatten().filter(followed).map(|entry| entry.path()).collect())
            .unwrap_or_default();
        inside.sort();
        return inside.iter().for_each(|path| add_file(path, print));
    }
    print.add(&meta.len().to_le_bytes());
    let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    print.add(&since.map_or(0, |since| since.as_nanos()).to_le_bytes());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // Some tools set the time of a file that they change back to what it was.
        print.add(&meta.ctime().to_le_bytes());
        print.add(&meta.ctime_nsec().to_le_bytes());
    }
}
