//! Whether the copies of computed values in `scores` are up to date.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use super::table::TableName;
use super::{Manifest, Store, TableFile, annotations};
use crate::files;

/// The tables that computed values follow from.
const INPUTS: [TableName; 4] =
    [TableName::Trajectories, TableName::Turns, TableName::Pairs, TableName::Judgments];

/// The name under which votes are among the inputs.
const VOTES: &str = "annotations";

/// The files that values are computed from now.
pub(super) fn inputs(
    store: &Store,
    manifest: &Manifest,
    from_votes: bool,
) -> BTreeMap<String, TableFile> {
    let file = |table: TableName| manifest.files.get_key_value(table.as_str());
    let files = INPUTS.into_iter().filter_map(file);
    let mut inputs: BTreeMap<String, TableFile> =
        files.map(|(name, file)| (name.clone(), file.clone())).collect();
    let is_input = |table: &str| INPUTS.iter().any(|input| input.as_str() == table);
    let parts = manifest.all_parts().filter(|(table, _)| is_input(table));
    inputs.extend(parts.map(|(_, part)| (part.path.clone(), part.file.clone())));
    if from_votes {
        inputs.insert(VOTES.to_owned(), votes(store));
    }
    inputs
}

/// The file of notes and votes; that of an empty one where there is none.
fn votes(store: &Store) -> TableFile {
    let bytes = files::read(&store.path().join(annotations::FILE), u64::MAX).unwrap_or_default();
    TableFile::new(bytes.len() as u64, xxh3_64(&bytes))
}

impl Store {
    /// Whether the copies of computed values were made from other tables or votes than there are now.
    /// Copies of earlier versions do not say what they were made from.
    pub fn has_stale_copies(&self) -> bool {
        let manifest = self.manifest();
        let is_stale = |from: &BTreeMap<String, TableFile>| {
            *from != inputs(self, manifest, from.contains_key(VOTES))
        };
        manifest.tables.contains_key(TableName::Scores.as_str())
            && manifest.computed_from.as_ref().is_some_and(is_stale)
    }
}
