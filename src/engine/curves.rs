//! Curves of chosen scorers over some cells together.

use std::sync::Arc;

use rayon::prelude::*;

use super::pool::{Pool, PoolValues};
use super::{Counts, Engine, Scale};
use crate::metrics::bootstrap::Resampling;
use crate::metrics::curve::{
    Bands, CurvePoint, Grouped, Histogram, ReliabilityBin, Steps, reliability, thinned,
};
use crate::metrics::{Labelled, Metric, Ranking, folds};
use crate::scorers::Scorer;

/// Bins of the histograms by outcome.
pub const HISTOGRAM_BINS: usize = 20;

/// The metrics that stand beside curves.
const LEGEND: [Metric; 6] =
    [Metric::Auroc, Metric::Auprc, Metric::Prr, Metric::Aurc, Metric::Ece, Metric::Brier];

/// The curves of some scorers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// Those of every scorer with a value, in the order in which they were asked for.
    pub scorers: Vec<ScorerCurves>,
    /// The resamples behind the bands, which are fewer than asked for where there are many rows; none
    /// without bands.
    pub resamples: Option<usize>,
}

/// The curves of one scorer. Thresholds, and the range of the histogram, are in the numbers that rank:
/// [`Scale`] converts them to confidences.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorerCurves {
    /// The scorer.
    pub scorer: Scorer,
    /// How its numbers are written.
    pub scale: Scale,
    /// The runs and tasks behind the curves.
    pub counts: Counts,
    /// The metrics; none where one is not defined.
    pub metrics: Vec<(Metric, Option<f64>)>,
    /// What every threshold accepts.
    pub steps: Arc<Steps>,
    /// The share of failures accepted, and of successes. Without points that a drawing cannot tell apart.
    pub roc: Vec<CurvePoint>,
    /// Recall, and precision.
    pub precision_recall: Vec<CurvePoint>,
    /// The share of runs accepted, and of successes among them.
    pub risk_coverage: Vec<CurvePoint>,
    /// Confidences compared with the share of successes; none if they are no probabilities.
    pub reliability: Option<Vec<ReliabilityBin>>,
    /// The spread of scores by outcome.
    pub histogram: Histogram,
    /// The bands, where resampling was asked for.
    pub bands: Option<Bands>,
    /// Whether values were cross-fitted: the curves are then means over the folds, at fixed positions and
    /// without thresholds, and so are the metrics that rank.
    pub is_cross_fitted: bool,
}

impl ScorerCurves {
    /// The value of a metric.
    pub fn metric(&self, metric: Metric) -> Option<f64> {
        self.metrics.iter().find(|(known, _)| *known == metric).and_then(|(_, value)| *value)
    }
}

impl Engine {
    /// The curves of some scorers over the rows of some cells, by index. Each scorer has the rows with a
    /// score and a label of its own. Bands only where resampling is asked for.
    pub fn curves(
        &self,
        cells: &[usize],
        scorers: &[Scorer],
        resampling: Option<Resampling>,
    ) -> Curves {
        let pool = Pool::new(self, cells);
        let made: Vec<Option<(ScorerCurves, Grouped)>> =
            scorers.par_iter().map(|scorer| curves_of(&pool, scorer)).collect();
        let (mut made, grouped): (Vec<ScorerCurves>, Vec<Grouped>) =
            made.into_iter().flatten().unzip();
        let resampling = resampling.map(|resampling| pool.affordable(resampling));
        if let Some(resampling) = resampling {
            let bands = bands(&pool, &grouped, resampling);
            made.iter_mut().zip(bands).for_each(|(curves, bands)| curves.bands = Some(bands));
        }
        let resamples = resampling.map(|resampling| resampling.resamples);
        Curves { scorers: made, resamples }
    }
}

/// The curves of one scorer without bands, and its rows in groups; none where no row has a value.
fn curves_of(pool: &Pool<'_>, scorer: &Scorer) -> Option<(ScorerCurves, Grouped)> {
    let values = pool.values(scorer)?;
    let (success, confidences) = (&pool.success, values.confidences());
    let ranking = Ranking::new(&values.rank);
    let steps = Steps::of(&ranking, &values.rank, success);
    let grouped = grouped(&values, &ranking, &confidences);
    let is_cross_fitted = values.folds.is_some();
    let [roc, precision_recall, risk_coverage] = if is_cross_fitted {
        grouped.heights(success, &vec![1; pool.rows()]).points()
    } else {
        [steps.roc(), steps.precision_recall(), steps.risk_coverage()].map(thinned)
    };
    let metric = |metric: Metric| {
        let scores = if metric.needs_probabilities() { &confidences } else { &values.rank };
        let value = match &values.folds {
            Some(folds) => Labelled { scores, success, folds: Some(folds) }.value(metric),
            None => metric.value_of(&ranking, scores, success),
        };
        (metric, value)
    };
    let curves = ScorerCurves {
        scorer: scorer.clone(),
        scale: values.scale,
        counts: pool.counts(&values.rank),
        metrics: LEGEND.into_iter().map(metric).collect(),
        roc,
        precision_recall,
        risk_coverage,
        reliability: reliability(&confidences, success),
        histogram: Histogram::new(&values.rank, success, HISTOGRAM_BINS),
        bands: None,
        is_cross_fitted,
        steps: Arc::new(steps),
    };
    Some((curves, grouped))
}

fn grouped(values: &PoolValues, ranking: &Ranking, confidences: &[f64]) -> Grouped {
    let Some(folds) = &values.folds else { return Grouped::new(ranking, confidences) };
    let of_fold = |fold| Ranking::new(&folds::only(&values.rank, folds, fold));
    let rankings: Vec<Ranking> = (0..folds::count(folds)).map(of_fold).collect();
    Grouped::in_folds(&rankings, confidences)
}

/// The bands of every scorer, all from the same resamples: those of the grid.
fn bands(pool: &Pool<'_>, grouped: &[Grouped], resampling: Resampling) -> Vec<Bands> {
    let resamples: Vec<_> = (0..resampling.resamples)
        .into_par_iter()
        .map(|resample| {
            let drawn = pool.draw(resample, resampling.seed);
            let heights = grouped.iter().map(|grouped| grouped.heights(&pool.success, &drawn));
            heights.collect::<Vec<_>>()
        })
        .collect();
    let mut by_scorer = vec![Vec::with_capacity(resamples.len()); grouped.len()];
    for lanes in resamples {
        by_scorer.iter_mut().zip(lanes).for_each(|(all, heights)| all.push(heights));
    }
    by_scorer.par_iter().map(|lanes| Bands::of(lanes)).collect()
}
