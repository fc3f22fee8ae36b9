use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::model::{Cell, Skip};

/// The manifest's file name.
pub(super) const FILE: &str = "manifest.json";

/// The format's name, as the manifest says it.
pub const FORMAT: &str = "qualm-store";

/// The newest store version that this program reads, and the one it writes.
pub const VERSION: u32 = 1;

/// What a store says about itself: enough for a first screen without touching a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always [`FORMAT`].
    pub format: String,
    /// The store's version.
    pub version: u32,
    /// The program that wrote it.
    pub written_by: String,
    /// The data is made up: every screen says so.
    #[serde(default)]
    pub synthetic: bool,
    /// The seed of made-up data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Version of the maker of made-up data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demo_version: Option<u32>,
    /// Which tokens the stored turn scores are over; the action's when unsaid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<String>,
    /// The user's choice of the reference, as given to `--reference`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// What was imported from where, in order.
    #[serde(default)]
    pub sources: Vec<Source>,
    /// Rows of every table.
    #[serde(default)]
    pub tables: std::collections::BTreeMap<String, u64>,
    /// What the store holds, by cell.
    #[serde(default)]
    pub cells: Vec<CellSummary>,
    /// Records that are no trajectories.
    #[serde(default)]
    pub skipped: Vec<Skip>,
}

/// A file that was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its path.
    pub path: String,
    /// The format it was read as.
    pub format: String,
    /// Its size.
    pub bytes: u64,
    /// Trajectories read from it.
    pub trajectories: u64,
    /// When it was imported, in seconds since 1970.
    pub imported_at: u64,
}

/// One cell in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellSummary {
    /// Which cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// Tasks with a trajectory.
    pub tasks: u64,
    /// Trajectories of all draws.
    pub trajectories: u64,
    /// Trajectories whose outcome is known.
    pub labelled: u64,
    /// Trajectories that succeeded.
    pub successes: u64,
    /// References whose outcome is known.
    pub references_labelled: u64,
    /// References that succeeded.
    pub reference_successes: u64,
    /// Turns of all trajectories.
    pub turns: u64,
    /// Turns with log-probabilities.
    pub turns_with_logprobs: u64,
    /// Records that are no trajectories.
    pub skipped: u64,
}

impl CellSummary {
    /// A cell with nothing in it yet.
    pub fn new(cell: Cell) -> Self {
        Self {
            cell,
            tasks: 0,
            trajectories: 0,
            labelled: 0,
            successes: 0,
            references_labelled: 0,
            reference_successes: 0,
            turns: 0,
            turns_with_logprobs: 0,
            skipped: 0,
        }
    }

    /// Share of references that succeeded, among those whose outcome is known.
    pub fn success_rate(&self) -> Option<f64> {
        (self.references_labelled > 0)
            .then(|| self.reference_successes as f64 / self.references_labelled as f64)
    }
}

impl Manifest {
    /// An empty manifest of the current version.
    pub fn new() -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            written_by: concat!("qualm ", env!("CARGO_PKG_VERSION")).to_owned(),
            ..Self::default()
        }
    }

    /// Reads the manifest of a store.
    pub(super) fn read(store: &Path) -> Result<Self, StoreError> {
        let not_a_store = |why: &str| {
            let why = why.to_owned();
            Err(StoreError::NotAStore { path: store.to_owned(), why })
        };
        let path = store.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let there = store.exists();
                return not_a_store(if there {
                    "is no qualm store"
                } else {
                    "there is no such store"
                });
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return not_a_store("is a file, and a store is a folder");
            }
            Err(error) => return Err(StoreError::damaged(&path, error.to_string())),
        };
        // The version is asked first: a later manifest may not have the shape known here.
        let version = serde_json::from_slice::<VersionOnly>(&bytes)
            .map_err(|error| StoreError::damaged(&path, format!("is not a manifest ({error})")))?;
        if version.format != FORMAT {
            return not_a_store("holds a manifest of another program");
        }
        if version.version > VERSION {
            return Err(StoreError::Newer {
                path: store.to_owned(),
                found: version.version,
                known: VERSION,
            });
        }
        serde_json::from_slice(&bytes)
            .map_err(|error| StoreError::damaged(&path, format!("is not a manifest ({error})")))
    }
}

#[derive(Deserialize)]
struct VersionOnly {
    format: String,
    version: u32,
}
