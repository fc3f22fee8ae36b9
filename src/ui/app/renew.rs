//! The store read anew while it is looked at: everything stays where it is.

use std::sync::Arc;

use super::App;
use crate::engine::Engine;
use crate::ui::query::Worker;
use crate::ui::renewal::{NewIds, Renewal, Side};
use crate::ui::screens::Needs;
use crate::ui::shared::{Loaded, Shared, Watching};

impl App {
    /// Follows the store: the top line says so.
    pub fn watch(&mut self) {
        self.shared.watching = Some(Watching::default());
    }

    /// A look at what is watched found something. What the store holds now is taken up by
    /// [`App::take_up`].
    pub fn renew(&mut self, renewal: Renewal) {
        let Renewal { worker, words, waits_for } = renewal;
        // A store that nobody asked to watch is looked at all the same, without a word in the top line.
        let is_watched = self.shared.watching.is_some();
        let before = self.shared.watching.take().unwrap_or_default().waits_for;
        let waits = waits_for.as_ref().filter(|_| waits_for != before);
        let what = if is_watched {
            "waiting for runs"
        } else {
            "what another process wrote cannot be read"
        };
        let waits = waits.map(|why| format!("{what}: {why}"));
        let words: Vec<String> = words.into_iter().chain(waits).collect();
        // What nobody asked for covers no other message, nor how far a scoring has come.
        let is_busy = self.shared.notice.is_some() || self.shared.scoring.is_some();
        if !words.is_empty() && (is_watched || !is_busy) {
            self.shared.say(words.join("; "));
        }
        self.shared.watching = is_watched.then_some(Watching { waits_for });
        self.renewal = worker.or(self.renewal.take());
    }

    /// Takes up the store as it is now, and returns what answers questions about it. None where there is
    /// nothing new, or a note is on its way to the disk.
    pub fn take_up(&mut self) -> Option<Arc<Worker>> {
        self.renewal.as_ref().filter(|_| !self.shared.is_writing())?;
        let (worker, loaded) = self.renewal.take()?;
        // What was written since is read by the next look.
        if Shared::is_outdated(&loaded, &worker.store) || self.shared.knows(&loaded) {
            return None;
        }
        self.shared.name = worker.store.name();
        let shown = self.shared.engine().cloned().filter(|engine| !engine.frames().is_empty());
        if let Some(engine) = shown {
            self.exchange(&engine, *loaded);
        } else {
            self.shared.data.forget_answers();
            self.shared.take_loaded(*loaded);
            self.shared.list_cells();
            self.find_cell();
            self.resolve();
        }
        self.is_renewed = true;
        Some(worker)
    }

    /// Whether another reading of the store was just taken up and its numbers are not there yet: until then
    /// the screen stays as it is.
    pub fn is_renewing(&mut self) -> bool {
        self.is_renewed = self.is_renewed && self.is_waiting();
        self.is_renewed
    }

    /// Selects the cell that the view names, which came just now.
    fn find_cell(&mut self) {
        let location = self.wanted.as_ref().map(|view| &view.location);
        if let Some(cell) = location.and_then(|location| location.cell(&self.shared.cells)) {
            (self.shared.cell, self.named.cell) = (cell, true);
        }
    }

    /// Takes another reading in place of the one on screen.
    fn exchange(&mut self, engine: &Arc<Engine>, loaded: Loaded) {
        let prints = std::mem::take(&mut self.shared.data.prints);
        let (new_engine, new_prints) = (loaded.engine.clone(), loaded.prints.clone());
        let old = Side { engine, prints: &prints };
        let ids = NewIds::new(old, Side { engine: &new_engine, prints: &new_prints });
        self.jumps.retain_mut(|jump| jump.renew(&ids));
        self.left = self.left.take().and_then(|mut jump| jump.renew(&ids).then_some(jump));
        self.overlays.iter_mut().for_each(|overlay| overlay.renew(&ids));
        if let Some((_, list)) = &mut self.listed {
            list.renew(&ids);
        }
        self.screens.renew(&ids);
        self.shared.renew(loaded, &ids);
        self.shared.list_cells();
        while self.shared.task.is_none()
            && self.screen.needs() == Needs::Task
            && !self.back.is_empty()
        {
            self.go_back(None);
        }
    }
}
