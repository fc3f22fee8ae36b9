//! The rows that the engine computes for a store.

use crate::engine::Engine;
use crate::model::{Cell, Score};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::store::Manifest;

/// The scorers that are computed.
pub(super) struct Computed {
    scorers: Vec<Scorer>,
    /// The cells in which every draw has values.
    pooled: Vec<Cell>,
}

impl Computed {
    /// All offline scorers, for a store.
    pub(super) fn new(manifest: &Manifest) -> Self {
        Self { scorers: Scorer::offline(), pooled: manifest.pooled.clone() }
    }

    pub(super) fn scorers(&self) -> &[Scorer] {
        &self.scorers
    }

    /// Whether a stored row is a copy of a computed value. Values of samples are not computed here.
    pub(super) fn has_score(&self, row: &Score) -> bool {
        let rule = row.aggregator.as_deref();
        (row.draw == 0 || self.pooled.contains(&row.cell))
            && self.scorers.iter().any(|scorer| {
                scorer.id() == row.scorer
                    && scorer.aggregator().map(Aggregator::id).as_deref() == rule
            })
    }
}

/// The values of a scorer for all rows: references, and all draws where none is one.
pub(super) fn score_rows(engine: &Engine, scorer: &Scorer) -> Vec<Score> {
    let rows = engine.frames().iter().flat_map(|frame| {
        let values = frame.values(scorer);
        let tasks = frame.tasks.iter().enumerate().filter_map(move |(index, task)| {
            let values = values.as_ref().filter(|values| !values.rank[index].is_nan())?;
            let value = Some(values.confidence(index)).filter(|value| value.is_finite())?;
            Some(Score {
                cell: frame.cell.clone(),
                task: task.id.clone(),
                draw: task.draw,
                scorer: scorer.id().to_owned(),
                aggregator: scorer.aggregator().map(Aggregator::id),
                value: Some(value),
                log: values.is_log.then(|| values.rank[index]),
                fold: None,
            })
        });
        tasks.collect::<Vec<_>>()
    });
    rows.collect()
}
