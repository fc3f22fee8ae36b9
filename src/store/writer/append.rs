//! Appends a part to a store: whole cells of one dataset, beside what the store has.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::{Extras, StoreWriter};
use crate::model::{Cell, Skip};
use crate::store::manifest::{CellSummary, Manifest};
use crate::store::parts::{Parted, next_part};
use crate::store::table::{Table, TableName, TableWriter};
use crate::store::{Store, StoreError};

/// What a part goes on from.
pub(super) struct Base {
    /// The store; none where there is none yet.
    pub(super) store: Option<Store>,
    /// The number of the next run.
    pub(super) next_id: u32,
    /// The rows of every table.
    pub(super) rows: BTreeMap<TableName, u64>,
    /// The keys of the contexts that the store has.
    pub(super) contexts: HashSet<u64>,
    /// The tasks whose instruction it has, by dataset.
    tasks: HashSet<(String, String)>,
}

impl Base {
    pub(super) fn of(path: &Path) -> Result<Self, StoreError> {
        if !Store::is_store(path) {
            let (rows, contexts, tasks) = (BTreeMap::new(), HashSet::new(), HashSet::new());
            return Ok(Self { store: None, next_id: 0, rows, contexts, tasks });
        }
        let store = Store::open(path)?;
        store.require_all_tables()?;
        let rows = |table: &Parted| Ok((table.name(), table.rows()?));
        let contexts: HashSet<u64> = store.context_keys()?.collect();
        Ok(Self {
            next_id: store.ids()?.into_iter().max().map_or(0, |last| last + 1),
            rows: store.tables.iter().map(rows).collect::<Result<_, StoreError>>()?,
            contexts,
            tasks: store.tasks()?.into_iter().map(|text| (text.dataset, text.task)).collect(),
            store: Some(store),
        })
    }
}

impl Base {
    /// Fails if a table of the store has other columns than one that was written now.
    fn require_columns_of(&self, written: &Table) -> Result<(), StoreError> {
        let Some(store) = &self.store else { return Ok(()) };
        let known = store.table(written.name()).into_iter().flat_map(Parted::files);
        for file in known {
            if !file.has_columns_of(written)? {
                let path = file.path().to_owned();
                return Err(StoreError::OtherColumns { path });
            }
        }
        Ok(())
    }
}

impl StoreWriter {
    /// Completes a part and makes it one of the store. The manifest is the store's with what the part
    /// adds to its lists; the cells of the part must be new to the store.
    pub fn finish_part(
        mut self,
        mut manifest: Manifest,
        extras: &Extras,
        dataset: &str,
    ) -> Result<Manifest, StoreError> {
        self.flush()?;
        let known = std::mem::take(&mut manifest.cells);
        let is_known = |cell: &Cell| known.iter().any(|summary| summary.cell == *cell);
        // Records that the store skipped before are counted there.
        let all: Vec<Skip> = std::mem::take(&mut manifest.skipped);
        let (mut skipped, of_part): (Vec<Skip>, Vec<Skip>) =
            all.into_iter().partition(|skip| is_known(&skip.cell));
        manifest.skipped = of_part;
        let cells: Vec<CellSummary> = self.sort(&manifest);
        skipped.append(&mut manifest.skipped);
        manifest.skipped = skipped;
        manifest.cells = known;
        manifest.cells.extend(cells);
        let base = self.base.take();
        let mut extras = Extras { tasks: extras.tasks.clone(), ..Extras::default() };
        extras.tasks.retain(|text| {
            let key = (text.dataset.clone(), text.task.clone());
            base.as_ref().is_none_or(|base| !base.tasks.contains(&key))
        });
        let mut written = self.write_small(&extras)?;
        for (name, table) in std::mem::take(&mut self.large) {
            written.push((name, TableWriter::finish(table)?));
        }
        let path = next_part(self.draft.store(), &manifest, dataset);
        let mut paths = BTreeMap::new();
        for (name, table) in written {
            if let (Some(base), Some(table)) = (&base, Table::open(self.draft.folder(), name)?) {
                base.require_columns_of(&table)?;
            }
            paths.insert(name.as_str().to_owned(), path(name));
            manifest.append(name, path(name), table);
        }
        // Its files are closed before others take their place.
        drop(base);
        self.draft.commit_as(manifest, &[], paths)
    }
}
