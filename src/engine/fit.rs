//! Ensembles and calibrations of scorers, fitted on some tasks of a cell and evaluated on the others.

use std::fmt;
use std::sync::Arc;

use super::difference::Drawn;
use super::frame::Scored;
use super::pool::Pool;
use super::threshold::Estimate;
use super::{Counts, Engine, ScorerDifference};
use crate::metrics::bootstrap::Resampling;
use crate::metrics::isotonic::Isotonic;
use crate::metrics::logistic::Logistic;
use crate::metrics::{Metric, folds, rank_average};
use crate::scorers::{Method, Recipe, Scorer};

/// The seed of the folds.
pub const FOLD_SEED: u64 = 0;

/// The values of a recipe for the rows of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// A value for every row; NaN where an input is missing.
    pub values: Vec<f64>,
    /// The fold of every row, whose model was fitted without it; none where nothing is fitted.
    pub folds: Option<Vec<u16>>,
    /// The weight of every input, of standardised columns and averaged over the folds; empty for methods
    /// without weights.
    pub weights: Vec<f64>,
}

/// Why a recipe has no values in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFit {
    /// A scorer has no value in the cell.
    NoValues(String),
    /// A scorer is made of others itself: a model of one that is fitted to outcomes would have seen those
    /// that it is evaluated on.
    Made(String),
    /// An outcome has fewer than two tasks with a value of every input.
    TooFew,
}

impl fmt::Display for NoFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoValues(scorer) => write!(f, "no values of {scorer}"),
            Self::Made(scorer) => {
                write!(f, "{scorer} is an ensemble or a calibration itself; name its scorers")
            }
            Self::TooFew => f.write_str("an outcome has fewer than two tasks with all values"),
        }
    }
}

/// An ensemble in a cell, compared with the best of its scorers on the same tasks and in the same folds.
#[derive(Clone, Debug, PartialEq)]
pub struct EnsembleRow {
    /// The index of the cell.
    pub cell: usize,
    /// The metric of the ensemble.
    pub value: Estimate,
    /// The tasks behind it.
    pub counts: Counts,
    /// The best of its scorers; none where the metric is not defined.
    pub best: Option<(Scorer, Estimate)>,
    /// Ensemble minus best single scorer.
    pub difference: Option<ScorerDifference>,
    /// The weights of the scorers; empty for a method without weights.
    pub weights: Vec<f64>,
    /// The number of folds; 0 where nothing is fitted.
    pub folds: usize,
}

/// A calibration in a cell, compared with the scorer as it is on the same tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationRow {
    /// The index of the cell.
    pub cell: usize,
    /// The tasks behind it.
    pub counts: Counts,
    /// The expected calibration error, before and after; none before where scores are no probabilities.
    pub ece: [Estimate; 2],
    /// After minus before.
    pub ece_difference: Option<ScorerDifference>,
    /// The Brier score, before and after.
    pub brier: [Estimate; 2],
    /// After minus before.
    pub brier_difference: Option<ScorerDifference>,
    /// The number of folds.
    pub folds: usize,
    /// The calibrated values with their labels, for a reliability diagram: score and success of every run.
    pub after: Vec<(f64, bool)>,
}

impl Engine {
    /// The values of a recipe in a cell. Each value is of a model that was fitted on the tasks of the
    /// other folds.
    pub fn fit(&self, cell: usize, recipe: &Recipe) -> Result<Fitted, NoFit> {
        let columns = self.inputs(cell, recipe)?;
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let frame = &self.frames[cell];
        let pool = Pool::new(self, &[cell]);
        if recipe.method == Method::RankAverage {
            let values = rank_average(&columns);
            return Ok(Fitted { values, folds: None, weights: Vec::new() });
        }
        let is_whole = |row: usize| columns.iter().all(|column| !column[row].is_nan());
        let fold_of = pool.folds(is_whole, FOLD_SEED).ok_or(NoFit::TooFew)?;
        let folds = folds::count(&fold_of);
        let mut values = vec![f64::NAN; frame.tasks.len()];
        let mut weights = vec![0.0; columns.len()];
        for fold in 0..folds {
            let in_fold = |row: &usize| usize::from(fold_of[*row]) == fold;
            let known = (0..values.len()).filter(|row| fold_of[*row] != folds::NO_FOLD);
            let (held_out, others): (Vec<usize>, Vec<usize>) = known.partition(in_fold);
            let is_labelled = |row: &usize| frame.tasks[*row].success.is_some();
            let others: Vec<usize> = others.into_iter().filter(is_labelled).collect();
            let model = Model::fit(recipe.method, &columns, &pool.success, &others);
            for (sum, weight) in weights.iter_mut().zip(model.weights()) {
                *sum += weight / folds as f64;
            }
            held_out.iter().for_each(|row| values[*row] = model.predict(&columns, *row));
        }
        let has_weights = recipe.method == Method::Logistic;
        let weights = if has_weights { weights } else { Vec::new() };
        Ok(Fitted { values, folds: Some(fold_of), weights })
    }

    /// The numbers that rank of every input, row by row.
    fn inputs(&self, cell: usize, recipe: &Recipe) -> Result<Vec<Vec<f64>>, NoFit> {
        let frame = &self.frames[cell];
        let column = |scorer: &Scorer| {
            if self.is_made(scorer) {
                return Err(NoFit::Made(scorer.flag()));
            }
            let values = frame.values(scorer).ok_or_else(|| NoFit::NoValues(scorer.flag()))?;
            Ok(values.rank)
        };
        recipe.inputs.iter().map(column).collect()
    }

    /// The ensembles that are shown where none is asked for: of one scorer of every kind that a store
    /// usually has.
    pub fn usual_ensembles(&self) -> Vec<Recipe> {
        let known = |name: &&str| self.has_values(&Scorer::parse(name));
        let names = ["lnsp.min", "vc", "ptrue", "ncp", "aec", "ter", "turns"];
        let inputs: Vec<Scorer> =
            names.iter().filter(|name| known(name)).map(|name| Scorer::parse(name)).collect();
        let recipe = |method| Recipe::new(method, inputs.clone()).ok();
        Method::ENSEMBLES.into_iter().filter_map(recipe).collect()
    }

    /// Whether a scorer is kept in the store with a recipe.
    pub fn is_made(&self, scorer: &Scorer) -> bool {
        let settings = self.manifest.scorers.get(scorer.id());
        matches!(scorer, Scorer::Stored(_)) && settings.is_some_and(|known| known.recipe.is_some())
    }

    /// An ensemble in a cell, with its difference to the best of its scorers. Metrics that rank are taken
    /// within folds, of the single scorers too.
    pub fn ensemble(
        &self,
        cell: usize,
        recipe: &Recipe,
        metric: Metric,
        resampling: Option<Resampling>,
    ) -> Result<EnsembleRow, NoFit> {
        let fitted = self.fit(cell, recipe)?;
        let frame = &self.frames[cell];
        let (scores, success) = frame.with_labels(fitted.values);
        let shared = fitted.folds.map(Arc::new);
        let made = Scored { scores, folds: shared.clone() };
        let counts = Counts::of(&made.scores, &success, frame);
        let mut best: Option<(&Scorer, Scored, f64)> = None;
        for scorer in &recipe.inputs {
            let Some(single) = frame.scored(scorer, metric) else { continue };
            let single = Scored { folds: shared.clone(), ..single.where_known(&made.scores) };
            let Some(value) = single.labelled(&success).value(metric) else { continue };
            let is_better = best.as_ref().is_none_or(|(_, _, known)| {
                if metric.higher_is_better() { value > *known } else { value < *known }
            });
            if is_better {
                best = Some((scorer, single, value));
            }
        }
        let (best, single) = best.map(|(scorer, single, _)| (scorer, single)).unzip();
        let drawn = Drawn::all(vec![Some(made), single], metric, frame, resampling);
        let [made, single] = [0, 1].map(|index: usize| drawn[index].as_ref());
        let difference = made
            .zip(single)
            .and_then(|(made, single)| made.minus(single, metric, frame, resampling));
        Ok(EnsembleRow {
            cell,
            value: made.map(estimate).unwrap_or_default(),
            counts,
            best: best.cloned().zip(single.map(estimate)),
            difference,
            weights: fitted.weights,
            folds: shared.map_or(0, |folds| folds::count(&folds)),
        })
    }

    /// A calibration of a scorer in a cell: its errors before and after, on the same tasks.
    pub fn calibration(
        &self,
        cell: usize,
        recipe: &Recipe,
        resampling: Option<Resampling>,
    ) -> Result<CalibrationRow, NoFit> {
        let fitted = self.fit(cell, recipe)?;
        let frame = &self.frames[cell];
        let (scores, success) = frame.with_labels(fitted.values);
        let folds = fitted.folds.as_deref().map_or(0, folds::count);
        let before = recipe.inputs.first().and_then(|scorer| frame.scored(scorer, Metric::Ece));
        let before = before.map(|before| before.where_known(&scores));
        let both = |metric: Metric| {
            let lists = vec![before.clone(), Some(Scored::from(scores.clone()))];
            let drawn = Drawn::all(lists, metric, frame, resampling);
            let [before, after] = [0, 1].map(|index: usize| drawn[index].as_ref());
            let difference = after
                .zip(before)
                .and_then(|(after, before)| after.minus(before, metric, frame, resampling));
            ([before, after].map(|drawn| drawn.map(estimate).unwrap_or_default()), difference)
        };
        let (ece, ece_difference) = both(Metric::Ece);
        let (brier, brier_difference) = both(Metric::Brier);
        let pairs = scores.iter().copied().zip(success.iter().copied());
        Ok(CalibrationRow {
            cell,
            counts: Counts::of(&scores, &success, frame),
            ece,
            ece_difference,
            brier,
            brier_difference,
            folds,
            after: pairs.filter(|(score, _)| !score.is_nan()).collect(),
        })
    }
}

fn estimate(drawn: &Drawn) -> Estimate {
    Estimate { value: drawn.value, interval: drawn.interval() }
}

/// A fitted model.
enum Model {
    Logistic(Logistic),
    Isotonic(Isotonic),
}

impl Model {
    fn fit(method: Method, columns: &[&[f64]], success: &[bool], rows: &[usize]) -> Self {
        match (method, columns) {
            (Method::Isotonic, [column, ..]) => {
                Self::Isotonic(Isotonic::fit(column, success, rows))
            }
            (Method::Platt, [column, ..]) => Self::Logistic(Logistic::platt(column, success, rows)),
            _ => Self::Logistic(Logistic::fit(columns, success, rows)),
        }
    }

    fn weights(&self) -> &[f64] {
        match self {
            Self::Logistic(model) => model.weights(),
            Self::Isotonic(_) => &[],
        }
    }

    fn predict(&self, columns: &[&[f64]], row: usize) -> f64 {
        match self {
            Self::Logistic(model) => model.predict(columns, row),
            Self::Isotonic(model) => columns.first().map_or(f64::NAN, |c| model.predict(c[row])),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
