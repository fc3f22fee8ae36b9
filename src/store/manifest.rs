//! The manifest: what a store says about itself, in `manifest.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::model::{Cell, Skip};

/// The manifest's file name.
pub(super) const FILE: &str = "manifest.json";

/// The value of `format` in the manifest of every store.
pub const FORMAT: &str = "qualm-store";

/// The store version that this program writes, and the newest it reads.
pub const VERSION: u32 = 1;

/// A summary of a store: enough for a first screen without reading a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always [`FORMAT`].
    pub format: String,
    /// The store's version.
    pub version: u32,
    /// The program that wrote it.
    pub written_by: String,
    /// Whether the data is made up; every screen then says so.
    #[serde(default)]
    pub synthetic: bool,
    /// The seed of made-up data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The version of the demo generator that made up the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demo_version: Option<u32>,
    /// The token span that the turn scores are over; the action's by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<String>,
    /// The reference that the user chose with `--reference`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The settings of every scorer that has values in the store, by its id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scorers: BTreeMap<String, ScorerSettings>,
    /// The imported files, in the order of their import.
    #[serde(default)]
    pub sources: Vec<ImportedFile>,
    /// The number of rows of every table.
    #[serde(default)]
    pub tables: BTreeMap<String, u64>,
    /// The counts of every cell.
    #[serde(default)]
    pub cells: Vec<CellSummary>,
    /// Records that were left out because they are not trajectories.
    #[serde(default)]
    pub skipped: Vec<Skip>,
}

/// How the values of a scorer came about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScorerSettings {
    /// The model that gave the values, or the judge whose verdicts they are made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The hash of the prompt that the model was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The token span that the values are over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<String>,
    /// When the newest of the values was computed, in seconds since 1970.
    pub computed_at: u64,
}

/// A file that was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedFile {
    /// The path of the file.
    pub path: String,
    /// The format it was read as.
    pub format: String,
    /// The size of the file.
    pub bytes: u64,
    /// Trajectories read from it.
    pub trajectories: u64,
    /// When it was imported, in seconds since 1970.
    pub imported_at: u64,
}

/// The counts of one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellSummary {
    /// The cell.
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
    /// Records that were left out because they are not trajectories.
    pub skipped: u64,
}

impl CellSummary {
    /// A cell with all counts at zero.
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

    /// The share of references that succeeded, among those with a known outcome.
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
                let exists = store.exists();
                return not_a_store(if exists {
                    "is not a qualm store"
                } else {
                    "there is no such store"
                });
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return not_a_store("is a file, and a store is a folder");
            }
            Err(error) => return Err(StoreError::damaged(&path, error.to_string())),
        };
        // The version comes first: a later manifest may have another shape.
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
