//! What a model is: the hash of its files, and what it is for.
//!
//! Hashing a large model takes longer than all the rest of a run whose answers are known. So the
//! identity of a folder is kept beside the answers, and counts as long as its files look the same.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::runtime;
use super::settings::SENTENCE_CONFIG;
use super::{LocalError, ModelKind};
use crate::files::{self, Overwrite};

/// The files that make a model what it is.
const FILES: [&str; 5] =
    [runtime::FILE, "model.onnx.data", "tokenizer.json", "config.json", SENTENCE_CONFIG];

/// The file with the identities of folders.
const KEPT: &str = "folders.json";

/// The largest file of identities that is read.
const LARGEST: u64 = 1 << 24;

/// A file that changed more recently may change again without looking different.
const SETTLED: Duration = Duration::from_secs(2);

/// What a folder of a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) hash: u128,
    pub(super) kind: ModelKind,
}

/// How a file looks without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Look {
    size: u64,
    /// When its content changed, and on Unix when anything of it did, in nanoseconds since 1970.
    changed: [u64; 2],
    /// The device and the number of the file there; 0 where the system has none.
    file: [u64; 2],
}

impl Look {
    fn of(metadata: &Metadata) -> Self {
        let nanoseconds = |time: SystemTime| {
            let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
        };
        let modified = metadata.modified().map_or(u64::MAX, nanoseconds);
        let (status, file) = unix(metadata).unwrap_or((modified, [0, 0]));
        Self { size: metadata.len(), changed: [modified, status], file }
    }

    /// Whether the last change is long enough ago that another one would show.
    fn is_settled(&self) -> bool {
        let latest = Duration::from_nanos(self.changed[0].max(self.changed[1]));
        SystemTime::now().duration_since(UNIX_EPOCH).is_ok_and(|now| latest + SETTLED < now)
    }
}

#[cfg(unix)]
fn unix(metadata: &Metadata) -> Option<(u64, [u64; 2])> {
    use std::os::unix::fs::MetadataExt as _;

    let nanoseconds =
        metadata.ctime().checked_mul(1_000_000_000)?.checked_add(metadata.ctime_nsec())?;
    Some((u64::try_from(nanoseconds).ok()?, [metadata.dev(), metadata.ino()]))
}

#[cfg(not(unix))]
fn unix(_: &Metadata) -> Option<(u64, [u64; 2])> {
    None
}

/// How the files of a folder look, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Looks(BTreeMap<String, Look>);

impl Looks {
    pub(super) fn of(folder: &Path) -> Self {
        let look = |name: &str| {
            let metadata = fs::metadata(folder.join(name)).ok()?;
            Some((name.to_owned(), Look::of(&metadata)))
        };
        Self(FILES.into_iter().filter_map(look).collect())
    }

    fn is_settled(&self) -> bool {
        self.0.values().all(Look::is_settled)
    }
}

/// A line of the file: how a folder looked, and what it was.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    looks: Looks,
    hash: String,
    output: String,
}

impl Kept {
    fn identity(&self) -> Option<Identity> {
        let hash = u128::from_str_radix(&self.hash, 16).ok()?;
        Some(Identity { hash, kind: ModelKind::of_output(&self.output)? })
    }
}

/// The identities of folders that are kept in a folder of answers.
pub(super) struct Identities {
    path: PathBuf,
}

impl Identities {
    pub(super) fn of(answers: &Path) -> Self {
        Self { path: answers.join(KEPT) }
    }

    /// The identity of a folder whose files look as they did.
    pub(super) fn find(&self, folder: &Path, looks: &Looks) -> Option<Identity> {
        let kept = self.read();
        let kept = kept.get(&name(folder))?;
        if kept.looks == *looks { kept.identity() } else { None }
    }

    /// Keeps the identity of a folder. It is only a shortcut, so that nothing depends on success.
    pub(super) fn keep(&self, folder: &Path, looks: &Looks, identity: Identity) {
        if !looks.is_settled() {
            return;
        }
        let mut kept = self.read();
        let hash = format!("{:032x}", identity.hash);
        let output = identity.kind.output().to_owned();
        kept.insert(name(folder), Kept { looks: looks.clone(), hash, output });
        if let (Ok(text), Some(parent)) = (serde_json::to_vec_pretty(&kept), self.path.parent()) {
            let _ = fs::create_dir_all(parent);
            let _ = files::write(&self.path, Overwrite::Replace, text);
        }
    }

    fn read(&self) -> BTreeMap<String, Kept> {
        let bytes = files::read(&self.path, LARGEST).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

fn name(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    whole.to_string_lossy().into_owned()
}

/// The hash of the names and contents of a model's files.
pub(super) fn hash(folder: &Path) -> Result<u128, LocalError> {
    let mut hasher = Xxh3::new();
    let mut buffer = vec![0; 1 << 20];
    for name in FILES {
        let path = folder.join(name);
        let Ok(mut file) = File::open(&path) else { continue };
        hasher.update(name.as_bytes());
        loop {
            let read = file.read(&mut buffer);
            match read.map_err(|error| LocalError::model(&path, error.to_string()))? {
                0 => break,
                count => hasher.update(&buffer[..count]),
            }
        }
    }
    Ok(hasher.digest128())
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Identity = Identity { hash: 7 << 100, kind: ModelKind::Encoder };

    /// A folder whose files changed long ago, on systems that tell only when the content did.
    fn folder(home: &Path) -> PathBuf {
        let folder = home.join("model");
        fs::create_dir(&folder).expect("a folder");
        for name in ["config.json", runtime::FILE] {
            fs::write(folder.join(name), name).expect("written");
        }
        folder
    }

    /// The looks of a folder as if nothing had changed for long.
    fn settled(folder: &Path) -> Looks {
        let mut looks = Looks::of(folder);
        looks.0.values_mut().for_each(|look| look.changed = [1, 1]);
        looks
    }

    #[test]
    fn a_folder_that_looks_the_same_is_known() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = folder(home.path());
        let identities = Identities::of(&home.path().join("answers"));
        let looks = settled(&folder);
        assert_eq!(identities.find(&folder, &looks), None);
        identities.keep(&folder, &looks, IDENTITY);
        assert_eq!(identities.find(&folder, &looks), Some(IDENTITY));
        assert_eq!(identities.find(home.path(), &looks), None, "another folder");
        let changes: [fn(&mut Look); 3] =
            [|look| look.size += 1, |look| look.changed[1] += 1, |look| look.file[1] += 1];
        for change in changes {
            let mut other = looks.clone();
            other.0.values_mut().take(1).for_each(change);
            assert_eq!(identities.find(&folder, &other), None);
        }
        let mut fewer = looks.clone();
        fewer.0.remove(runtime::FILE);
        assert_eq!(identities.find(&folder, &fewer), None);
        fs::write(home.path().join("answers").join(KEPT), "damaged").expect("written");
        assert_eq!(identities.find(&folder, &looks), None);
    }

    #[test]
    fn a_file_that_may_still_change_is_not_known() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = folder(home.path());
        let identities = Identities::of(home.path());
        let looks = Looks::of(&folder);
        identities.keep(&folder, &looks, IDENTITY);
        assert_eq!(identities.find(&folder, &looks), None);
    }

    #[test]
    fn the_hash_is_of_names_and_contents() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = folder(home.path());
        let before = hash(&folder).expect("hashed");
        assert_eq!(hash(&folder).expect("hashed"), before);
        fs::write(folder.join("config.json"), "other").expect("written");
        let changed = hash(&folder).expect("hashed");
        fs::rename(folder.join("config.json"), folder.join("tokenizer.json")).expect("renamed");
        let renamed = hash(&folder).expect("hashed");
        assert!(before != changed && changed != renamed && before != renamed);
    }
}
