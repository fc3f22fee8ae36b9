//! What a failure, a review and a run cost, kept with the store.

use super::Shared;
use crate::model::Costs;
use crate::text::visible;
use crate::ui::query::{Errands, Lane, Query, Worker};

/// The costs, and those on their way to the disk.
#[derive(Debug, Default)]
pub struct KeptCosts {
    /// The costs that count.
    pub current: Costs,
    saving: Errands<SaveCosts>,
}

impl KeptCosts {
    /// Whether none are on their way to the disk.
    pub(super) fn is_idle(&self) -> bool {
        self.saving.is_idle()
    }

    /// Takes up what the store holds.
    pub(super) fn set(&mut self, costs: Option<Costs>) {
        self.current = costs.unwrap_or_default();
    }
}

impl Shared {
    /// Counts with other costs from now on, and keeps them with the store.
    pub(in crate::ui) fn set_costs(&mut self, costs: Costs) {
        self.costs.current = costs;
        let author = self.author.clone();
        self.costs.saving.send(SaveCosts { costs, author }, &mut self.effects);
    }

    /// Costs that are on the disk now, or why not.
    pub(super) fn poll_costs(&mut self) {
        for (_, saved) in self.costs.saving.take() {
            match saved {
                Ok(()) => self.say("the costs are kept with the store"),
                Err(why) => self.say(format!("the costs are not kept: {}", visible(&why))),
            }
        }
    }
}

/// Keep costs with the store.
#[derive(Clone, Debug, PartialEq)]
struct SaveCosts {
    costs: Costs,
    author: String,
}

impl Query for SaveCosts {
    type Answer = Result<(), String>;
    const LANE: Lane = Lane::Annotate;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let saved = worker.store.keep_costs(self.costs, &self.author, super::votes::now());
        send(saved.map_err(|error| error.to_string()));
    }
}
