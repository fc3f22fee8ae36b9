//! What every scorer has, and what it would take to compute the rest.

use std::path::Path;
use std::sync::Arc;

use super::Shared;
use crate::engine::Engine;
use crate::models::{Prices, ScorerOutlook, outlook};
use crate::store::Store;
use crate::text::shell_word;
use crate::ui::query::{Hint, Keyed, Lane, Query, Slot, Worker};

/// The outlook of all scorers, or why there is none.
pub type Outlook = Result<Vec<ScorerOutlook>, String>;

/// What the list of scorers is made from.
#[derive(Debug)]
pub struct Scorers {
    outlook: Slot<OutlookQuery>,
    prices: Arc<Prices>,
    /// Values are kept; not where results were opened directly.
    pub is_store: bool,
}

impl Scorers {
    pub(super) fn new(store: &Store, prices: &Prices) -> Self {
        // Notes on results that are opened directly are in a file of the user.
        let is_store = store.log_path().starts_with(store.path());
        Self { outlook: Slot::default(), prices: Arc::new(prices.clone()), is_store }
    }

    /// The newest outlook, once there is one.
    pub fn outlook(&self) -> Option<&Outlook> {
        self.outlook.get().map(|outlook| &**outlook)
    }
}

impl Shared {
    /// Asks for the outlook of all scorers in this reading of the store.
    pub(in crate::ui) fn want_outlook(&mut self) {
        self.scorers.outlook.poll();
        let Some(engine) = self.engine().cloned() else { return };
        let engine = Keyed { key: self.data.version, value: engine };
        let question = OutlookQuery { engine, prices: Hint(self.scorers.prices.clone()) };
        self.scorers.outlook.want(question, &mut self.effects);
    }

    /// The command that computes what a scorer lacks; none where no command does, or nothing is missing.
    pub(in crate::ui) fn score_command(&self, row: &ScorerOutlook) -> Option<String> {
        let flags = row.flags().filter(|_| !row.is_complete())?;
        Some(format!("qualm score {} {flags}", self.scored_path()))
    }

    /// The store as a command names it.
    fn scored_path(&self) -> String {
        let path: &Path = if self.scorers.is_store { &self.path } else { Path::new("STORE") };
        shell_word(&path.display().to_string())
    }
}

/// The outlook of all scorers of an engine.
#[derive(Clone, PartialEq)]
struct OutlookQuery {
    engine: Keyed<u64, Engine>,
    prices: Hint<Arc<Prices>>,
}

impl Query for OutlookQuery {
    type Answer = Outlook;
    const LANE: Lane = Lane::Outlook;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let found = outlook(&worker.store, &self.engine.value, &self.prices.0);
        send(found.map_err(|error| error.to_string()));
    }
}
