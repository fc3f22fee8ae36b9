//! Opens a store at an address. Its manifest is read at once, parts of its tables as they are needed.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use super::blob::Blob;
use super::parts::Parted;
use super::table::{Table, TableName};
use super::{Manifest, Store, StoreError, contexts, manifest};
use crate::files::{self, Overwrite};
use crate::remote::{Folder, RemoteError, Settings};

/// The size of the largest file of notes or answers that is fetched.
const LARGEST: u64 = 1 << 30;

/// Where a store is, and copies of its small files.
#[derive(Debug)]
pub(super) struct Elsewhere {
    folder: Arc<Folder>,
    copies: PathBuf,
    /// The names of files that were fetched, or are not there.
    fetched: Mutex<BTreeSet<String>>,
}

impl Store {
    /// Opens the store at an address, such as `s3://bucket/name.qualm`.
    pub fn open_at(address: &str, settings: &Settings) -> Result<Self, StoreError> {
        let folder = Folder::new(address, settings).map_err(StoreError::Remote)?;
        let path = PathBuf::from(folder.address());
        let read = folder.read(manifest::FILE, manifest::LARGEST).map_err(StoreError::Remote)?;
        let Some((bytes, tag)) = read else {
            let missing = RemoteError::Missing { object: folder.of(manifest::FILE) };
            return Err(StoreError::Remote(missing));
        };
        let manifest = Manifest::parse(&path, &bytes)?;
        if !manifest.parts.is_empty() {
            return Err(StoreError::RemoteParts(path));
        }
        let mut tables = Vec::new();
        for name in TableName::ALL {
            if manifest.tables.contains_key(name.as_str()) {
                // A change that was not completed has its tables in a folder of their own.
                let handover = manifest.handover.as_ref().filter(|change| change.is_named_well());
                let newer = handover.map(|change| format!("{}/{}", change.folder, object_of(name)));
                let object = folder.object(&object_of(name)).or(newer);
                let written = manifest.files.get(name.as_str());
                let object = object.expecting(written.map(|file| file.bytes));
                let object = object.beside(manifest::FILE, tag.as_deref());
                let table = Table::of(name, name.path(&path), Blob::Remote(object));
                tables.push(Parted::of(table.expecting(written)));
            }
        }
        let copies = format!("{:016x}.files", xxh3_64(folder.address().as_bytes()));
        let copies = settings.cache.join(copies);
        let elsewhere = Some(Elsewhere { folder, copies, fetched: Mutex::default() });
        Ok(Self {
            path,
            manifest,
            tables,
            shared_log: None,
            keeps_own_log: true,
            elsewhere,
            contexts: contexts::Known::default(),
        })
    }

    /// A small file of the store.
    pub(super) fn own_file(&self, name: &str) -> Result<PathBuf, StoreError> {
        match &self.elsewhere {
            Some(elsewhere) => elsewhere.copy(name).map_err(StoreError::Remote),
            None => Ok(self.path.join(name)),
        }
    }
}

/// The name of a table's object.
fn object_of(table: TableName) -> String {
    format!("{}.parquet", table.as_str())
}

impl Elsewhere {
    /// A copy of a small file on this disk, made when it is first needed. There is none of a file that does
    /// not exist.
    fn copy(&self, name: &str) -> Result<PathBuf, RemoteError> {
        let path = self.copies.join(name);
        let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
        if fetched.contains(name) {
            return Ok(path);
        }
        let failed = |why: String| RemoteError::Cache { path: path.clone(), why };
        let content = match self.folder.read(name, LARGEST) {
            Ok(content) => content,
            // Who may not list a bucket is not told that an object is missing.
            Err(RemoteError::Denied { .. }) => None,
            Err(error) => return Err(error),
        };
        match content {
            Some((bytes, _)) => {
                fs::create_dir_all(&self.copies).map_err(|error| failed(error.to_string()))?;
                files::write(&path, Overwrite::Replace, bytes)
                    .map_err(|error| failed(error.to_string()))?;
            }
            None => match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(failed(error.to_string()));
                }
                _ => {}
            },
        }
        fetched.insert(name.to_owned());
        Ok(path)
    }
}
