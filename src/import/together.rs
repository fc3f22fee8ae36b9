//! Two stores in one, so that their runs can be looked at side by side.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::model::{Cell, DriftRow, Head, Skip};
use crate::store::{
    CellSummary, Entry, Extras, ImportedFile, Manifest, Store, StoreError, StoreWriter,
};

/// Runs that are copied together.
const BATCH: usize = 200;

/// The cells of a second store under names that no cell of the first has: one that has gets a condition
/// with the name of its store.
pub fn apart(first: &[Cell], second: &[Cell], store: &str) -> Vec<Cell> {
    let renamed = |cell: &Cell| {
        let condition = match cell.condition.as_str() {
            Cell::DEFAULT_CONDITION => store.to_owned(),
            condition => format!("{condition} ({store})"),
        };
        let mut other = Cell { condition, ..cell.clone() };
        // The name of a store may be that of a condition.
        while first.contains(&other) || second.contains(&other) {
            other.condition.push('′');
        }
        other
    };
    let named = |cell: &Cell| if first.contains(cell) { renamed(cell) } else { cell.clone() };
    second.iter().map(named).collect()
}

/// The cells of a store, in their order.
pub fn cells_of(store: &Store) -> Vec<Cell> {
    store.manifest().cells.iter().map(|summary| summary.cell.clone()).collect()
}

/// Writes the runs and values of two stores into one. `second` is the name that cells of the second get
/// where both have one of the same name, `stamp` what both stores looked like.
pub fn together(
    stores: [&Store; 2],
    second: &str,
    stamp: &str,
    path: &Path,
) -> Result<Manifest, StoreError> {
    let [first_cells, second_cells] = stores.map(cells_of);
    let renamed = apart(&first_cells, &second_cells, second);
    let names: [HashMap<Cell, Cell>; 2] =
        [HashMap::new(), second_cells.into_iter().zip(renamed).collect()];
    let mut writer = StoreWriter::create(path)?;
    let mut extras = Extras::default();
    let mut written = 0;
    for (store, names) in stores.into_iter().zip(&names) {
        store.require_all_tables()?;
        let name = Names(names);
        let numbers = copy_runs(store, name, &mut writer, &mut written)?;
        add_values(store, name, &numbers, &mut extras)?;
    }
    writer.flush()?;
    let mut known: HashSet<(String, String)> = HashSet::new();
    extras.tasks.retain(|text| known.insert((text.dataset.clone(), text.task.clone())));
    writer.finish(manifest(stores, &names, stamp), &extras)
}

/// The new names of cells; a cell without one keeps its name.
#[derive(Clone, Copy)]
struct Names<'a>(&'a HashMap<Cell, Cell>);

impl Names<'_> {
    fn of(self, cell: &Cell) -> Cell {
        self.0.get(cell).unwrap_or(cell).clone()
    }
}

/// Copies the runs of a store; returns their new numbers.
fn copy_runs(
    store: &Store,
    names: Names<'_>,
    writer: &mut StoreWriter,
    written: &mut u32,
) -> Result<HashMap<u32, u32>, StoreError> {
    let mut entries = store.entries()?;
    entries.sort_by_key(|entry| entry.rows.message);
    let mut numbers = HashMap::new();
    for batch in entries.chunks(BATCH) {
        let heads: Vec<&Head> = batch.iter().map(|entry| &entry.head).collect();
        let contexts = store.contexts_of(&heads)?;
        let runs = store.trajectories(batch)?;
        for ((mut run, context), Entry { id, .. }) in runs.into_iter().zip(contexts).zip(batch) {
            run.head.cell = names.of(&run.head.cell);
            run.context = context;
            writer.push(run)?;
            numbers.insert(*id, *written);
            *written += 1;
        }
    }
    Ok(numbers)
}

/// Adds the values of a store.
fn add_values(
    store: &Store,
    names: Names<'_>,
    numbers: &HashMap<u32, u32>,
    extras: &mut Extras,
) -> Result<(), StoreError> {
    let (mut scores, mut pairs, mut judgments) =
        (store.scores()?, store.pairs()?, store.judgments()?);
    scores.iter_mut().for_each(|row| row.cell = names.of(&row.cell));
    pairs.iter_mut().for_each(|row| row.cell = names.of(&row.cell));
    judgments.iter_mut().for_each(|row| row.cell = names.of(&row.cell));
    extras.scores.append(&mut scores);
    extras.pairs.append(&mut pairs);
    extras.judgments.append(&mut judgments);
    extras.tasks.extend(store.tasks()?);
    let renumbered = |row: DriftRow| {
        let trajectory = *numbers.get(&row.trajectory)?;
        Some(DriftRow { trajectory, ..row })
    };
    extras.drift.extend(store.drift_rows()?.into_iter().filter_map(renumbered));
    extras.drift.sort_by_key(|row| (row.trajectory, row.turn));
    Ok(())
}

/// What the store says about itself: what both say, and that it is made of them.
fn manifest(stores: [&Store; 2], names: &[HashMap<Cell, Cell>; 2], stamp: &str) -> Manifest {
    let [first, second] = stores.map(Store::manifest);
    let both = |of: fn(&Manifest) -> &Option<String>| {
        of(first).clone().filter(|value| Some(value) == of(second).as_ref())
    };
    let mut manifest = Manifest {
        synthetic: first.synthetic || second.synthetic,
        span: both(|manifest| &manifest.span),
        reference: both(|manifest| &manifest.reference),
        stamp: Some(stamp.to_owned()),
        ..Manifest::new()
    };
    for ((store, names), said) in stores.into_iter().zip(names).zip([first, second]) {
        let names = Names(names);
        let listed = |summary: &CellSummary| CellSummary::new(names.of(&summary.cell));
        manifest.cells.extend(said.cells.iter().map(listed));
        manifest.pooled.extend(said.pooled.iter().map(|cell| names.of(cell)));
        let skipped = said.skipped.iter().cloned();
        manifest.skipped.extend(skipped.map(|skip| Skip { cell: names.of(&skip.cell), ..skip }));
        for (id, settings) in &said.scorers {
            manifest.scorers.entry(id.clone()).or_insert_with(|| settings.clone());
        }
        for (judge, settings) in &said.judges {
            manifest.judges.entry(judge.clone()).or_insert_with(|| settings.clone());
        }
        let full = std::fs::canonicalize(store.path()).unwrap_or_else(|_| store.path().to_owned());
        manifest.sources.push(ImportedFile {
            path: full.to_string_lossy().into_owned(),
            format: said.format.clone(),
            trajectories: said.cells.iter().map(|cell| cell.trajectories).sum(),
            ..ImportedFile::default()
        });
    }
    manifest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_equal_names_are_told_apart() {
        let cell = |model: &str, condition: &str| Cell {
            condition: condition.to_owned(),
            ..Cell::new("d", model)
        };
        let first = [cell("a", "default"), cell("a", "native"), cell("a", "new")];
        let second = [cell("a", "default"), cell("a", "native"), cell("b", "default")];
        let expected = [cell("a", "new′"), cell("a", "native (new)"), cell("b", "default")];
        assert_eq!(apart(&first, &second, "new"), expected);
    }
}
