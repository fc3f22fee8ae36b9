//! The manifest: what a store says about itself, in `manifest.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::StoreError;
use super::table::{TableName, Written};
use crate::files;
use crate::model::{Cell, Skip};
use crate::remote;

/// The manifest's file name.
pub(super) const FILE: &str = "manifest.json";

/// The size of the largest manifest that is read: one with a million skipped records is smaller.
pub(super) const LARGEST: u64 = 1 << 30;

/// The largest count that a manifest may have, so that sums of them do not overflow.
const MOST: u64 = 1 << 40;

/// The value of `format` in the manifest of every store.
pub const FORMAT: &str = "qualm-store";

/// The version of a store whose tables are one file each.
pub const VERSION: u32 = 1;

/// The version of a store with parts, and the newest that this program reads: older ones would not see
/// the parts.
pub const VERSION_WITH_PARTS: u32 = 2;

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
    /// The cells whose draws have no order: none is the reference, and every draw counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pooled: Vec<Cell>,
    /// The settings of every scorer that has values in the store, by its id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scorers: BTreeMap<String, ScorerSettings>,
    /// The settings of every judge that qualm asked, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub judges: BTreeMap<String, ScorerSettings>,
    /// What the results looked like that a cached store was made of; none in other stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<String>,
    /// The imported files, in the order of their import.
    #[serde(default)]
    pub sources: Vec<ImportedFile>,
    /// The number of rows of every table.
    #[serde(default)]
    pub tables: BTreeMap<String, u64>,
    /// The file of every table; stores of earlier versions do not say.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, TableFile>,
    /// The parts that were appended to tables, in the order of their rows; the file of the table itself
    /// goes before them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, Vec<TablePart>>,
    /// The files that the copies of computed values in `scores` were made from; none where there are no
    /// copies, or where an earlier version made them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed_from: Option<BTreeMap<String, TableFile>>,
    /// How the newest tables come to their usual names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<Handover>,
    /// The counts of every cell.
    #[serde(default)]
    pub cells: Vec<CellSummary>,
    /// Records that were left out because they are not trajectories.
    #[serde(default)]
    pub skipped: Vec<Skip>,
}

/// What tells the content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFile {
    /// Its size.
    pub bytes: u64,
    /// Its XXH3 checksum of 64 bits, as 16 hexadecimal digits.
    pub xxh3: String,
}

impl TableFile {
    pub(super) fn new(bytes: u64, hash: u64) -> Self {
        Self { bytes, xxh3: format!("{hash:016x}") }
    }
}

/// A part of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TablePart {
    /// Its path in the store.
    pub path: String,
    /// Its rows.
    pub rows: u64,
    /// Its file.
    #[serde(flatten)]
    pub file: TableFile,
}

/// Tables that were written to a folder inside the store. A table that is still there goes before one of
/// the same name in the store; when all have been renamed, the folder is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    /// The name of the folder.
    pub folder: String,
    /// Tables that the store has no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The tables in the folder that are parts, and the paths of these in the store.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, String>,
    /// The paths of parts that the store has no more, by their table.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub removed_parts: BTreeMap<String, Vec<String>>,
}

impl Handover {
    /// What the name of every such folder begins with.
    pub(super) const PREFIX: &str = ".qualm-draft-";

    /// Whether the folder has a name that such a folder has. Any other might be a folder of the user's, or
    /// lead out of the store.
    pub(super) fn is_named_well(&self) -> bool {
        let is_name = Path::new(&self.folder).file_name() == Some(self.folder.as_ref());
        is_name && self.folder.starts_with(Self::PREFIX)
    }

    /// The folder in a store, while it exists.
    pub(super) fn folder(&self, store: &Path) -> Option<PathBuf> {
        let folder = store.join(&self.folder);
        (self.is_named_well() && fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_dir()))
            .then_some(folder)
    }

    /// Whether a table goes.
    pub(super) fn removes(&self, table: TableName) -> bool {
        self.removed.iter().any(|name| name == table.as_str())
    }
}

/// How the values of a scorer came about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScorerSettings {
    /// The model that gave the values, or the judge whose verdicts they are made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model that was asked for the values of every cell's model, where they differ by it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
    /// The hash of the prompt that the model was given, and of its settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The token span that the values are over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<String>,
    /// The file that a user's values came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Which values are surer of success, where that is not the larger ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// How the values are made of those of other scorers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<RecipeSettings>,
    /// When the newest of the values was computed, in seconds since 1970.
    pub computed_at: u64,
}

/// How the values of a scorer are made of those of others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipeSettings {
    /// The method: `logistic`, `rank-average`, `isotonic` or `platt`.
    pub method: String,
    /// The scorers, as flags name them.
    pub inputs: Vec<String>,
    /// The most folds that values are cross-fitted in; none where nothing is fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folds: Option<u32>,
    /// The seed of the folds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The inverse strength of the penalty, of a penalised method.
    #[serde(default, rename = "C", skip_serializing_if = "Option::is_none")]
    pub inverse_penalty: Option<u32>,
}

impl ScorerSettings {
    /// The settings of values that are computed now.
    pub fn now() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Self { computed_at: now.map_or(0, |now| now.as_secs()), ..Self::default() }
    }
}

/// A file that was imported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What it looked like when it was read, in a cached store; none where it has to be read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<String>,
    /// The number and the fingerprint of the texts of tasks that it gave, in a cached store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<String>,
    /// Whether the draws of a task have no order in it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unordered: bool,
    /// How its runs were made, by the name of a setting; what the format or an older version does not
    /// say is absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
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
    /// References whose outcome is known; trajectories where every draw counts.
    pub references_labelled: u64,
    /// References that succeeded; trajectories where every draw counts.
    pub reference_successes: u64,
    /// Turns of all trajectories.
    pub turns: u64,
    /// Turns with log-probabilities.
    pub turns_with_logprobs: u64,
    /// Records that were left out because they are not trajectories.
    pub skipped: u64,
    /// Tasks that have samples only.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without_reference: u64,
    /// Whether every draw counts, because none is the reference.
    #[serde(default, skip_serializing_if = "is_false")]
    pub pooled: bool,
    /// Turns without tokens, by the id of why; nothing of a store that an older version wrote.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unscored: BTreeMap<String, u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Manifest {
    /// Whether two manifests are of the same tables, whenever they were written.
    pub fn has_same_tables(&self, other: &Self) -> bool {
        let has_files = !self.files.is_empty() || !self.parts.is_empty();
        let same_files = has_files && self.files == other.files && self.parts == other.parts;
        self == other || (same_files && self.cells == other.cells)
    }
}

impl CellSummary {
    /// Adds the counts of other tasks of the cell, but for why turns have no tokens.
    pub(super) fn add(&mut self, other: &Self) {
        self.tasks += other.tasks;
        self.trajectories += other.trajectories;
        self.labelled += other.labelled;
        self.successes += other.successes;
        self.references_labelled += other.references_labelled;
        self.reference_successes += other.reference_successes;
        self.turns += other.turns;
        self.turns_with_logprobs += other.turns_with_logprobs;
        self.skipped += other.skipped;
        self.without_reference += other.without_reference;
    }

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
            without_reference: 0,
            pooled: false,
            unscored: BTreeMap::new(),
        }
    }

    /// The share of references that succeeded, among those with a known outcome; of all trajectories
    /// where every draw counts.
    pub fn success_rate(&self) -> Option<f64> {
        (self.references_labelled > 0)
            .then(|| self.reference_successes as f64 / self.references_labelled as f64)
    }
}

impl Manifest {
    /// Whether it holds values of scorers: computed, judged, or of turns with log-probabilities.
    pub fn is_scored(&self) -> bool {
        let tables = [TableName::Scores, TableName::Pairs, TableName::Judgments];
        let has_rows =
            |table: TableName| self.tables.get(table.as_str()).is_some_and(|rows| *rows > 0);
        tables.into_iter().any(has_rows)
            || self.cells.iter().any(|cell| cell.turns_with_logprobs > 0)
    }

    /// The parts of all tables, with the table.
    pub(super) fn all_parts(&self) -> impl Iterator<Item = (&str, &TablePart)> {
        self.parts
            .iter()
            .flat_map(|(table, parts)| parts.iter().map(move |part| (table.as_str(), part)))
    }

    /// Whether every draw of a cell counts, because none is the reference.
    pub fn is_pooled(&self, cell: &Cell) -> bool {
        self.pooled.contains(cell)
    }

    /// An empty manifest of the current version.
    pub fn new() -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            written_by: concat!("qualm ", env!("CARGO_PKG_VERSION")).to_owned(),
            ..Self::default()
        }
    }

    /// Records a table that was written; none when the store has it no more.
    pub(super) fn record(&mut self, table: TableName, written: Option<Written>) {
        let name = table.as_str().to_owned();
        self.parts.remove(&name);
        if let Some(Written { rows, file }) = written {
            self.tables.insert(name.clone(), rows);
            self.files.insert(name, file);
        } else {
            self.tables.remove(&name);
            self.files.remove(&name);
        }
    }

    /// Records a part that was appended to a table.
    pub(super) fn append(&mut self, table: TableName, path: String, written: Written) {
        let name = table.as_str().to_owned();
        let Written { rows, file } = written;
        *self.tables.entry(name.clone()).or_default() += rows;
        self.parts.entry(name).or_default().push(TablePart { path, rows, file });
    }

    /// Reads the manifest of a store.
    pub(super) fn read(store: &Path) -> Result<Self, StoreError> {
        if remote::is_address(store) {
            return Err(StoreError::read_only(store));
        }
        let not_a_store = |why: &str| {
            let why = why.to_owned();
            Err(StoreError::NotAStore { path: store.to_owned(), why })
        };
        let path = store.join(FILE);
        let bytes = match files::read(&path, LARGEST) {
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
        Self::parse(store, &bytes)
    }

    /// The manifest of a store in these bytes.
    pub(super) fn parse(store: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let path = store.join(FILE);
        // The version comes first: a later manifest may have another shape.
        let version = serde_json::from_slice::<VersionOnly>(bytes)
            .map_err(|error| StoreError::damaged(&path, format!("is not a manifest ({error})")))?;
        if version.format != FORMAT {
            let why = "holds a manifest of another program".to_owned();
            return Err(StoreError::NotAStore { path: store.to_owned(), why });
        }
        if version.version > VERSION_WITH_PARTS {
            return Err(StoreError::Newer {
                path: store.to_owned(),
                found: version.version,
                known: VERSION_WITH_PARTS,
            });
        }
        let manifest: Self = serde_json::from_slice(bytes)
            .map_err(|error| StoreError::damaged(&path, format!("is not a manifest ({error})")))?;
        if manifest.counts().any(|count| count > MOST) {
            return Err(StoreError::damaged(&path, "has a count that no store can have"));
        }
        Ok(manifest)
    }

    /// All counts of rows and cells.
    fn counts(&self) -> impl Iterator<Item = u64> {
        let of_cells = self.cells.iter().flat_map(|cell| {
            let labels = [cell.labelled, cell.successes, cell.skipped];
            let references = [cell.references_labelled, cell.reference_successes, cell.tasks];
            let turns = [cell.trajectories, cell.turns, cell.turns_with_logprobs];
            [labels, references, turns].concat()
        });
        self.tables.values().copied().chain(of_cells)
    }
}

#[derive(Deserialize)]
struct VersionOnly {
    format: String,
    version: u32,
}
