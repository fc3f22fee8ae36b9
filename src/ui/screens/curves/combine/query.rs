//! What the page asks in the background.

use crate::engine::{CalibrationRow, EnsembleRow, NamedRecipe, NoFit, keep_recipe};
use crate::metrics::Metric;
use crate::scorers::Recipe;
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::KeptTasks;

/// A recipe in every cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CombineQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The recipe.
    pub recipe: Recipe,
    /// The metric by which an ensemble is compared.
    pub metric: Metric,
}

/// A recipe in every cell, by the index of the cell.
#[derive(Clone, Debug)]
pub enum Combined {
    /// An ensemble.
    Ensemble(Vec<Result<EnsembleRow, NoFit>>),
    /// A calibration.
    Calibration(Vec<Result<CalibrationRow, NoFit>>),
}

impl Query for CombineQuery {
    type Answer = Combined;
    const LANE: Lane = Lane::Combine;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Combined) -> bool) {
        let engine = self.tasks.value.engine();
        let Self { recipe, metric, .. } = &self;
        let cells = 0..engine.frames().len();
        let resampling = Some(worker.resampling);
        send(if recipe.method.is_calibration() {
            let row = |cell| engine.calibration(cell, recipe, resampling);
            Combined::Calibration(cells.map(row).collect())
        } else {
            let row = |cell| engine.ensemble(cell, recipe, *metric, resampling);
            Combined::Ensemble(cells.map(row).collect())
        });
    }
}

/// Keep a recipe in the store as a scorer.
#[derive(Clone, Debug, PartialEq)]
pub struct Keep(pub NamedRecipe);

impl Query for Keep {
    /// The number of values.
    type Answer = Result<usize, String>;
    const LANE: Lane = Lane::Annotate;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let kept = keep_recipe(worker.store.path(), self.0);
        send(kept.map_err(|error| error.to_string()));
    }
}
