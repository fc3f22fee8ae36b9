//! What the engine computes for a store, as columns: a value of memory for a run, and no row.

use std::collections::HashMap;

use super::made::NamedRecipe;
use crate::engine::find::Finder;
use crate::engine::{Engine, NoFit};
use crate::metrics::folds::NO_FOLD;
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

/// The values of one scorer, by cell: for every row of it, or for none.
#[derive(Clone, Debug, Default)]
pub(super) struct FreshColumn {
    /// Its name on screen.
    pub(super) label: String,
    /// Its id.
    pub(super) id: String,
    aggregator: Option<String>,
    cells: Vec<FreshCell>,
}

/// The values of one scorer in one cell, NaN where there is none.
#[derive(Clone, Debug, Default)]
struct FreshCell {
    values: Vec<f64>,
    /// Logs of the values, where they rank.
    logs: Vec<f64>,
    /// The folds of rows that a model was fitted without.
    folds: Vec<u16>,
}

impl FreshColumn {
    /// The values of a scorer for all rows: references, and all draws where none is one.
    pub(super) fn of(engine: &Engine, scorer: &Scorer) -> Self {
        let cells = engine.frames().iter().map(|frame| {
            let Some(values) = frame.values(scorer) else { return FreshCell::default() };
            let confidence = |row: usize| {
                let value = values.confidence(row);
                if value.is_finite() { value } else { f64::NAN }
            };
            let all = (0..values.rank.len()).map(confidence).collect();
            let logs = if values.is_log { values.rank } else { Vec::new() };
            FreshCell { values: all, logs, folds: Vec::new() }
        });
        Self {
            label: scorer.to_string(),
            id: scorer.id().to_owned(),
            aggregator: scorer.aggregator().map(Aggregator::id),
            cells: cells.collect(),
        }
    }

    /// The values of an ensemble or calibration in every cell that has those of all inputs, and why others
    /// have none.
    pub(super) fn made(engine: &Engine, named: &NamedRecipe) -> (Self, Vec<(usize, NoFit)>) {
        let (mut cells, mut without) = (Vec::new(), Vec::new());
        for cell in 0..engine.frames().len() {
            cells.push(match engine.fit(cell, &named.recipe) {
                Ok(fitted) => {
                    let folds = fitted.folds.unwrap_or_default();
                    FreshCell { values: fitted.values, logs: Vec::new(), folds }
                }
                Err(why) => {
                    without.push((cell, why));
                    FreshCell::default()
                }
            });
        }
        let (label, id) = (named.name.clone(), named.name.clone());
        (Self { label, id, aggregator: None, cells }, without)
    }

    /// Whether no row has a value.
    pub(super) fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| cell.values.iter().all(|value| value.is_nan()))
    }
}

/// All values that the engine computes. A value has an index: first by scorer, then by cell and row.
pub(super) struct Fresh<'e> {
    engine: &'e Engine,
    pub(super) columns: Vec<FreshColumn>,
    /// The number of rows before those of every cell, and of all cells.
    starts: Vec<usize>,
}

/// What a row of the table says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FreshValue {
    pub(super) value: f64,
    pub(super) log: Option<f64>,
    pub(super) fold: Option<u32>,
}

impl<'e> Fresh<'e> {
    pub(super) fn new(engine: &'e Engine, columns: Vec<FreshColumn>) -> Self {
        let mut starts = vec![0];
        for frame in engine.frames() {
            starts.push(starts[starts.len() - 1] + frame.tasks.len());
        }
        Self { engine, columns, starts }
    }

    /// The rows of all cells.
    fn rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The number of indices.
    pub(super) fn len(&self) -> usize {
        self.columns.len() * self.rows()
    }

    /// The number of the scorer of a value.
    pub(super) fn column(&self, index: usize) -> usize {
        index / self.rows().max(1)
    }

    /// The number of the cell and of its row.
    fn cell_and_row(&self, index: usize) -> (usize, usize) {
        let row = index % self.rows().max(1);
        let cell = self.starts.partition_point(|start| *start <= row) - 1;
        (cell, row - self.starts[cell])
    }

    /// A value; none where there is none.
    pub(super) fn get(&self, index: usize) -> Option<FreshValue> {
        let (cell, row) = self.cell_and_row(index);
        let FreshCell { values, logs, folds } = &self.columns[self.column(index)].cells[cell];
        let value = values.get(row).copied().filter(|value| !value.is_nan())?;
        let fold = folds.get(row).copied().filter(|fold| *fold != NO_FOLD).map(u32::from);
        Some(FreshValue { value, log: logs.get(row).copied(), fold })
    }

    /// A value as a row of the table.
    pub(super) fn score(&self, index: usize) -> Option<Score> {
        let FreshValue { value, log, fold } = self.get(index)?;
        let (cell, row) = self.cell_and_row(index);
        let (frame, column) = (&self.engine.frames()[cell], &self.columns[self.column(index)]);
        let task = &frame.tasks[row];
        Some(Score {
            cell: frame.cell.clone(),
            task: task.id.clone(),
            draw: task.draw,
            scorer: column.id.clone(),
            aggregator: column.aggregator.clone(),
            value: Some(value),
            log,
            fold,
        })
    }

    /// Without logs, which earlier versions did not write.
    pub(super) fn forget_logs(&mut self) {
        let cells = self.columns.iter_mut().flat_map(|column| &mut column.cells);
        cells.for_each(|cell| cell.logs = Vec::new());
    }

    /// Finds the values that stored rows are copies of.
    pub(super) fn finder(&self) -> FreshFinder<'_> {
        let named = self.columns.iter().enumerate();
        let columns = named
            .map(|(number, column)| ((column.id.as_str(), column.aggregator.as_deref()), number));
        FreshFinder {
            fresh: self,
            columns: columns.collect(),
            tasks: Finder::new(self.engine.frames()),
        }
    }
}

/// Finds the values that stored rows are copies of.
pub(super) struct FreshFinder<'f> {
    fresh: &'f Fresh<'f>,
    columns: HashMap<(&'f str, Option<&'f str>), usize>,
    tasks: Finder<'f>,
}

impl FreshFinder<'_> {
    /// The index of the value of a row, and the value; none where nothing gives one now.
    pub(super) fn find(&mut self, row: &Score) -> Option<(usize, FreshValue)> {
        let column = *self.columns.get(&(row.scorer.as_str(), row.aggregator.as_deref()))?;
        let cell = self.tasks.frame(&row.cell)?;
        let first = self.tasks.task(cell, &row.task)?;
        let at = self.fresh.engine.frames()[cell].row_with(first, row.draw)?;
        let index = column * self.fresh.rows() + self.fresh.starts[cell] + at;
        Some((index, self.fresh.get(index)?))
    }
}
