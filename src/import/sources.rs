//! What a manifest says of the inputs.

use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

use super::ImportOptions;
use super::stream::Read;
use super::unchanged::{Unchanged, texts_print};
use crate::model::{Cell, TaskText};
use crate::readers::{Claimed, InputNotes};
use crate::store::{Entry, ImportedFile, Manifest};

/// The inputs of an import, what was read of them, and what they looked like before.
pub(super) struct Sources<'a> {
    pub(super) inputs: &'a [Claimed],
    pub(super) read: &'a Read,
    pub(super) stored: &'a Unchanged<'a>,
    /// None where the store is no cache.
    pub(super) stamps: Vec<String>,
}

impl Sources<'_> {
    /// Adds the inputs to the list of sources; one that was imported before keeps its position.
    pub(super) fn record(
        &self,
        manifest: &mut Manifest,
        entries: &[Entry],
        options: &ImportOptions,
    ) {
        // The same file may have been imported as another cell before: its skipped records stay.
        let cells: HashSet<&Cell> = (entries.iter().map(|entry| &entry.head.cell))
            .chain(self.read.skipped.iter().map(|skip| &skip.cell))
            .collect();
        let known = self.read.trajectories.iter().zip(&self.read.notes).enumerate();
        for (index, (trajectories, notes)) in known {
            let source = self.source(index, *trajectories, notes, options);
            // Of an input that is cut off, the records that are not there yet stay.
            if !self.read.cut_off.contains(&index) {
                let is_known = |path: &str| path == source.path;
                manifest
                    .skipped
                    .retain(|skip| !is_known(&skip.source) || !cells.contains(&skip.cell));
            }
            match manifest.sources.iter_mut().find(|known| known.path == source.path) {
                Some(known) => *known = source,
                None => manifest.sources.push(source),
            }
        }
        for skip in &self.read.skipped {
            if !manifest.skipped.contains(skip) || self.read.cut_off.is_empty() {
                manifest.skipped.push(skip.clone());
            }
        }
    }

    fn source(
        &self,
        index: usize,
        trajectories: u64,
        notes: &InputNotes,
        options: &ImportOptions,
    ) -> ImportedFile {
        let input = &self.inputs[index];
        if let Some(stored) = self.stored.source(index) {
            return ImportedFile { trajectories, ..stored.clone() };
        }
        // Trials that are forgotten cannot be compared with those of other inputs.
        let can_be_kept = options.cached
            && !notes.trial_is_task
            && !self.read.cut_off.contains(&index)
            && !input.claim.content().is_stream();
        let texts: Vec<&TaskText> = self.read.texts(index).collect();
        ImportedFile {
            path: input.claim.source().to_owned(),
            format: input.reader.info().id.to_owned(),
            bytes: input.claim.bytes(),
            trajectories,
            imported_at: seconds_now(),
            stamp: self.stamps.get(index).filter(|_| can_be_kept).cloned(),
            texts: texts_print(&texts).filter(|_| options.cached),
            unordered: notes.unordered,
            settings: notes.settings.clone(),
        }
    }
}

/// Seconds since 1970.
pub(super) fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
