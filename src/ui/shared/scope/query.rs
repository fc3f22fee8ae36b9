//! Which tasks an expression keeps, asked in the background.

use std::sync::Arc;

use super::{FilterKey, KeptTasks, SelectionKey, Tried};
use crate::engine::{Engine, Kept, Noted, TaskQuery};
use crate::filter::Filter;
use crate::ui::query::{Hint, Lane, Query, Worker};
use crate::ui::shared::Blind;

/// Which of these tasks an expression keeps.
#[derive(Clone, PartialEq)]
pub(super) struct Narrowing {
    pub key: FilterKey,
    pub within: KeptTasks,
    pub engine: Hint<Arc<Engine>>,
    pub filter: Hint<Filter>,
    pub query: Hint<TaskQuery>,
    pub noted: Hint<Arc<Noted>>,
}

impl Narrowing {
    fn kept(&self) -> Kept {
        let (filter, query, noted) = (&self.filter.0, &self.query.0, &self.noted.0);
        self.engine.0.keep_within(&self.within.value, filter, query, noted)
    }

    pub fn selection_key(&self) -> SelectionKey {
        SelectionKey { scope: self.within.key.clone(), selection: self.key.clone() }
    }
}

/// Which tasks are in scope.
#[derive(Clone, PartialEq)]
pub(super) struct ScopeQuery(pub Narrowing);

impl Query for ScopeQuery {
    type Answer = Kept;
    const LANE: Lane = Lane::Scope;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let kept = self.0.kept();
        // Whoever draws asks for them.
        kept.outcomes();
        send(kept);
    }
}

/// Which of them are selected.
#[derive(Clone, PartialEq)]
pub(super) struct SelectionQuery(pub Narrowing);

impl Query for SelectionQuery {
    type Answer = Kept;
    const LANE: Lane = Lane::Selection;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        send(self.0.kept());
    }
}

/// How many tasks an expression would keep.
#[derive(Clone, PartialEq)]
pub(super) struct TriedQuery {
    pub narrowing: Narrowing,
    /// The pairs that the user voted on, where the others are not counted.
    pub blind: Option<Blind>,
}

impl TriedQuery {
    pub fn tried_key(&self) -> Tried {
        let Narrowing { within, key, .. } = &self.narrowing;
        (within.key.clone(), key.clone(), self.blind.as_ref().map(|blind| blind.key.clone()))
    }
}

impl Query for TriedQuery {
    type Answer = usize;
    const LANE: Lane = Lane::Tried;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let kept = self.narrowing.kept();
        let cells = 0..kept.whole().frames().len();
        send(match &self.blind {
            Some(blind) => cells.map(|cell| blind.value.count_known(&kept, cell)).sum(),
            None => kept.total(),
        });
    }
}
