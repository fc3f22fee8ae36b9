//! Writes the demo data as a store.

use std::collections::HashSet;
use std::path::Path;

use super::answers::{PROMPT, PROMPT_TEXT};
use super::{CellData, DemoOptions, SEED, SOURCE, VERSION, generate, numbers};
use crate::model::{DriftRow, TaskText};
use crate::scorers::whitebox::{self, Spans};
use crate::store::{
    AnswerLines, AnswerLog, Extras, ImportedFile, Manifest, Store, StoreError, StoreWriter,
};

/// Writes the demo store to `path`, and calls `progress` after every part of a cell; see [`super::parts`].
pub fn write(
    path: &Path,
    options: &DemoOptions,
    progress: &dyn Fn(),
) -> Result<Manifest, StoreError> {
    if options.no_texts {
        return numbers::write(path, options, progress);
    }
    let mut writer = StoreWriter::create(path)?;
    let mut extras = Extras::default();
    let mut texts = HashSet::new();
    let mut trajectory = 0;
    let mut answers = AnswerLines::default();
    answers.add_prompt(PROMPT, PROMPT_TEXT);
    generate(options, |cell: CellData| {
        answers.append(cell.answers);
        let mut drifts = cell.drift.into_iter();
        extras.scores.extend(cell.scores);
        extras.pairs.extend(cell.pairs);
        extras.judgments.extend(cell.judgments);
        let new = |text: &TaskText| texts.insert((text.dataset.clone(), text.task.clone()));
        extras.tasks.extend(cell.tasks.into_iter().filter(new));
        for mut run in cell.trajectories {
            let of_reference = if run.head.draw == 0 { drifts.next() } else { None };
            let turns = (0..).zip(of_reference.into_iter().flatten());
            extras.drift.extend(turns.map(|(turn, drift)| DriftRow { trajectory, turn, drift }));
            trajectory += 1;
            whitebox::score_turns(&mut run, Spans::Action);
            writer.push(run)?;
        }
        progress();
        Ok(())
    })?;
    let manifest = writer.finish(manifest(u64::from(trajectory)), &extras)?;
    AnswerLog::begin(path)?.add_all(&answers)?;
    Ok(manifest)
}

/// What a demo store with so many trajectories says about itself.
pub(super) fn manifest(trajectories: u64) -> Manifest {
    let source = ImportedFile {
        path: SOURCE.to_owned(),
        format: "synthetic".to_owned(),
        bytes: 0,
        trajectories,
        imported_at: 0,
        ..ImportedFile::default()
    };
    Manifest {
        synthetic: true,
        seed: Some(SEED),
        demo_version: Some(VERSION),
        sources: vec![source],
        ..Manifest::new()
    }
}

/// Whether a whole demo store of this version lies at the path.
pub fn is_current(path: &Path, options: &DemoOptions) -> bool {
    Store::open(path).is_ok_and(|store| {
        let is_whole = options.no_texts || store.has_answers();
        store.manifest().demo_version == Some(VERSION) && is_whole
    })
}
