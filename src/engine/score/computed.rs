//! The rows that the engine computes for a store.

use crate::engine::Engine;
use crate::model::Score;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::{Scorer, Spec};

/// The scorers that are computed and wanted.
pub(super) struct Computed {
    scorers: Vec<Scorer>,
}

impl Computed {
    /// The offline scorers whose row of the table is wanted.
    pub(super) fn new(wanted: impl Fn(&Spec) -> bool) -> Self {
        let mut scorers = Scorer::offline();
        scorers.retain(|scorer| scorer.spec().is_some_and(&wanted));
        Self { scorers }
    }

    pub(super) fn scorers(&self) -> &[Scorer] {
        &self.scorers
    }

    /// Whether a stored row is a copy of a computed value. Values of samples are not computed here.
    pub(super) fn has_score(&self, row: &Score) -> bool {
        let rule = row.aggregator.as_deref();
        row.draw == 0
            && self.scorers.iter().any(|scorer| {
                scorer.id() == row.scorer
                    && scorer.aggregator().map(Aggregator::id).as_deref() == rule
            })
    }
}

/// The values of a scorer for all references.
pub(super) fn score_rows(engine: &Engine, scorer: &Scorer) -> Vec<Score> {
    let rows = engine.frames().iter().flat_map(|frame| {
        let values = frame.values(scorer);
        let tasks = frame.tasks.iter().enumerate().filter_map(move |(index, task)| {
            let values = values.as_ref().filter(|values| !values.rank[index].is_nan())?;
            Some(Score {
                cell: frame.cell.clone(),
                task: task.id.clone(),
                draw: 0,
                scorer: scorer.id().to_owned(),
                aggregator: scorer.aggregator().map(Aggregator::id),
                value: Some(values.confidence(index)),
            })
        });
        tasks.collect::<Vec<_>>()
    });
    rows.collect()
}
