//! Writes the demo data as a store.

use std::collections::HashSet;
use std::path::Path;

use super::{CellData, DemoOptions, SEED, SOURCE, VERSION, generate};
use crate::model::TaskText;
use crate::scorers::whitebox::{self, Spans};
use crate::store::{Extras, ImportedFile, Manifest, Store, StoreError, StoreWriter};

/// Writes the demo store to `path`, and calls `progress` after every cell.
pub fn write(
    path: &Path,
    options: &DemoOptions,
    progress: &dyn Fn(),
) -> Result<Manifest, StoreError> {
    let mut writer = StoreWriter::create(path)?;
    let mut extras = Extras::default();
    let mut texts = HashSet::new();
    let mut trajectories = 0;
    generate(options, |cell: CellData| {
        trajectories += cell.trajectories.len() as u64;
        extras.scores.extend(cell.scores);
        extras.pairs.extend(cell.pairs);
        extras.judgments.extend(cell.judgments);
        let new = |text: &TaskText| texts.insert((text.dataset.clone(), text.task.clone()));
        extras.tasks.extend(cell.tasks.into_iter().filter(new));
        for mut run in cell.trajectories {
            whitebox::score_turns(&mut run, Spans::Action);
            writer.push(run)?;
        }
        progress();
        Ok(())
    })?;
    let source = ImportedFile {
        path: SOURCE.to_owned(),
        format: "synthetic".to_owned(),
        bytes: 0,
        trajectories,
        imported_at: 0,
        ..ImportedFile::default()
    };
    let manifest = Manifest {
        synthetic: true,
        seed: Some(SEED),
        demo_version: Some(VERSION),
        sources: vec![source],
        ..Manifest::new()
    };
    writer.finish(manifest, &extras)
}

/// Whether a whole demo store of this version lies at the path.
pub fn is_current(path: &Path) -> bool {
    Store::open(path).is_ok_and(|store| store.manifest().demo_version == Some(VERSION))
}
