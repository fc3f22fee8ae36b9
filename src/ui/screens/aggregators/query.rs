//! Which tasks of a cell move their rank between two aggregators, asked in the background.

use super::Aggregators;
use crate::engine::{Column, TaskQuery, TaskTable};
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::{Shared, TableQuery};

/// The tasks of a cell, those that rise most between two aggregators first. In a lane of its own, so
/// that it does not overtake the list of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct MovesQuery(TableQuery);

impl Query for MovesQuery {
    type Answer = TaskTable;
    const LANE: Lane = Lane::Moves;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        self.0.run(worker, send);
    }
}

impl Aggregators {
    /// The tasks of the selected cell under the lens; none while the kept tasks are not known.
    pub(super) fn moves_query(&self, shared: &Shared) -> Option<MovesQuery> {
        let query = TaskQuery {
            cell: Some(shared.cell),
            scorer: shared.lens.scorer.clone(),
            before: Some(self.compared_scorer(shared)),
            extra: Vec::new(),
            sort: Column::Moved,
            descending: true,
        };
        shared.table_query(query).map(MovesQuery)
    }
}
