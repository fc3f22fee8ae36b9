//! Appends results to a store as a part, without rewriting what it has.

use std::collections::BTreeSet;
use std::path::Path;

use super::draws::{Numbered, Numbering};
use super::sources::Sources;
use super::unchanged::Unchanged;
use super::{
    ImportError, ImportOptions, ImportProgress, Reference, Summary, add_tasks, forget_trials,
    refuse_nothing, stream, summary_of,
};
use crate::model::Cell;
use crate::readers::Inputs;
use crate::scorers::whitebox::Spans;
use crate::store::{Entry, Extras, Manifest, StoreWriter};

/// Imports inputs into a new part of a store.
pub(super) fn append(
    inputs: Inputs,
    store: &Path,
    options: &ImportOptions,
    progress: &(dyn Fn(ImportProgress) + Sync),
) -> Result<Summary, ImportError> {
    let mut writer = StoreWriter::append(store)?;
    let mut manifest = writer.appended_to().cloned().unwrap_or_else(Manifest::new);
    if manifest.synthetic {
        return Err(ImportError::Synthetic(store.to_owned()));
    }
    let spans = Spans::of(manifest.span.as_deref());
    let stored = Unchanged::of(None, &inputs.claimed, options);
    let claimed = (&inputs.claimed[..], &stored);
    let mut read = stream::read_into(claimed, &options.read, spans, &mut writer, progress)?;
    writer.flush()?;
    let added = writer.entries_mut().len();
    if added == 0 {
        refuse_nothing(&read, &inputs.claimed, options)?;
    }
    let dataset = one_dataset(store, writer.entries_mut())?;
    let known = manifest.cells.iter().map(|summary| &summary.cell);
    let known: Vec<&Cell> = known.collect();
    if let Some(entry) = writer.entries_mut().iter().find(|entry| known.contains(&&entry.head.cell))
    {
        let cell = entry.head.cell.clone();
        return Err(ImportError::KnownCell { path: store.to_owned(), cell });
    }
    forget_trials(&mut writer, &mut read, &inputs.claimed);
    let sources =
        Sources { inputs: &inputs.claimed, read: &read, stored: &stored, stamps: Vec::new() };
    sources.record(&mut manifest, writer.entries_mut(), options);
    let mut summary = summary_of((&inputs.claimed, inputs.unknown), &mut read, added);
    let reference = manifest.reference.as_deref().map(Reference::parse);
    let numbering = Numbering::new(&manifest.sources, &manifest.skipped, reference.as_ref());
    let Numbered { without, pooled } = numbering.number(writer.entries_mut());
    let is_ungraded = |entry: &&Entry| entry.head.outcome.success.is_none();
    summary.ungraded = writer.entries_mut().iter().filter(is_ungraded).count() as u64;
    manifest.pooled.extend(pooled.iter().cloned());
    (summary.without_reference, summary.pooled) = (without, pooled);
    let mut extras = Extras::default();
    add_tasks(&mut extras, read.tasks.into_iter().map(|(_, text)| text).collect());
    summary.cells = writer.finish_part(manifest, &extras, &dataset)?.cells;
    Ok(summary)
}

/// The dataset of all runs.
fn one_dataset(store: &Path, entries: &[Entry]) -> Result<String, ImportError> {
    let datasets: BTreeSet<&String> =
        entries.iter().map(|entry| &entry.head.cell.dataset).collect();
    let mut datasets: Vec<String> = datasets.into_iter().cloned().collect();
    match datasets.len() {
        0 | 1 => Ok(datasets.pop().unwrap_or_default()),
        _ => Err(ImportError::SeveralDatasets { path: store.to_owned(), datasets }),
    }
}
