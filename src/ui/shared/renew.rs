//! Another reading of the store takes the place of the one on screen.

use std::fs;
use std::path::Path;

use super::data::Loaded;
use super::{Numbers, Shared};
use crate::store::Store;
use crate::text::visible;
use crate::ui::query::Slot;
use crate::ui::renewal::NewIds;

/// How what is watched stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watching {
    /// Why not everything is read yet, or cannot be.
    pub waits_for: Option<String>,
}

impl Watching {
    /// What stands where runs will be.
    pub(in crate::ui) fn words(&self) -> String {
        let why = self.waits_for.as_ref().map(|why| format!(" {}", visible(why)));
        format!("No run is there yet; they appear as they are written.{}", why.unwrap_or_default())
    }
}

/// The size of the file of notes and votes, which only grows.
pub(super) fn log_size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |meta| meta.len())
}

impl Shared {
    /// Whether a note, a vote or a label is on its way to the disk.
    pub(in crate::ui) fn is_writing(&self) -> bool {
        !(self.notes.is_idle()
            && self.votes.is_idle()
            && self.labels.is_idle()
            && self.costs.is_idle())
    }

    /// Whether something was written since the store was read: then it is read again.
    pub(in crate::ui) fn is_outdated(loaded: &Loaded, store: &Store) -> bool {
        log_size(&store.log_path()) != loaded.log_size
    }

    /// Whether a reading says what is on screen already, as it does of the user's own notes and votes.
    pub(in crate::ui) fn knows(&self, loaded: &Loaded) -> bool {
        let manifest = loaded.engine.manifest();
        self.engine().is_some_and(|engine| engine.manifest().has_same_tables(manifest))
            && **self.votes.lines() == *loaded.engine.votes()
            && *self.notes.all() == loaded.notes
            && self.labels.are(&loaded.labels)
            && loaded.named.as_ref().is_ok_and(|named| self.named.are(named))
    }

    /// Takes up another reading of the store: what is selected and marked stays so.
    pub(in crate::ui) fn renew(&mut self, loaded: Loaded, ids: &NewIds<'_>) {
        self.cell = ids.cell(self.cell).unwrap_or(0);
        self.task = self.task.and_then(|id| ids.task(id));
        self.pair = self.pair.and_then(|pair| ids.pair(pair));
        self.blinding.renew(ids);
        self.tasks.renew(ids);
        self.runs.renew(ids);
        self.notes.renew(ids);
        self.votes.renew(ids);
        self.numbers = Numbers::default();
        self.data.forget_answers();
        self.take_loaded(loaded);
        self.outside = super::Outside::default();
    }

    /// What cells there are, by the engine that is there now.
    pub(in crate::ui) fn list_cells(&mut self) {
        let Some(engine) = self.engine().cloned() else { return };
        self.cells = engine.frames().iter().map(|frame| frame.cell.clone()).collect();
        self.summaries.clone_from(&engine.manifest().cells);
    }
}

impl super::TaskList {
    fn renew(&mut self, ids: &NewIds<'_>) {
        self.marks = self.marks.iter().filter_map(|id| ids.task(*id)).collect();
        self.table = Slot::default();
    }
}
