//! Where the threshold is, and how keys and the mouse move it.

use super::PlotKind;
use crate::engine::ScorerCurves;
use crate::metrics::curve::CurvePoint;
use crate::scorers::Scorer;

/// Where the threshold is.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// Where this share of the tasks is accepted.
    Coverage(f64),
    /// At a confidence of the selected scorer that was typed or named by a flag.
    Confidence(f64),
    /// At a number of a scorer, with the share that it accepts.
    At {
        /// The scorer.
        scorer: Scorer,
        /// The number that ranks.
        rank: f64,
        /// The share of tasks that it accepts, for other scorers.
        coverage: f64,
    },
}

impl Default for Cut {
    fn default() -> Self {
        Self::Coverage(0.8)
    }
}

/// Steps of a key over all distinct scores, at most.
const STEPS: usize = 100;

impl Cut {
    /// At a number of a scorer.
    pub fn at(curves: &ScorerCurves, rank: f64) -> Self {
        let (accepted, all) = (curves.steps.at(rank).items, curves.steps.total().items);
        let coverage = accepted as f64 / all.max(1) as f64;
        Self::At { scorer: curves.scorer.clone(), rank, coverage }
    }

    /// The number of a scorer at which the threshold is; none of a scorer without values.
    pub fn rank(&self, curves: &ScorerCurves) -> Option<f64> {
        match self {
            Self::At { scorer, rank, .. } if *scorer == curves.scorer => Some(*rank),
            Self::Confidence(value) => Some(curves.scale.rank(*value)),
            Self::Coverage(share) | Self::At { coverage: share, .. } => {
                curves.steps.threshold_at(*share)
            }
        }
    }

    /// The share of tasks that is to be accepted, given the scorer whose threshold it is. A scorer with
    /// many ties may accept more.
    pub fn coverage(&self, curves: Option<&ScorerCurves>) -> Option<f64> {
        match self {
            Self::Coverage(share) | Self::At { coverage: share, .. } => Some(*share),
            Self::Confidence(_) => {
                let curves = curves?;
                Self::at(curves, self.rank(curves)?).coverage(None)
            }
        }
    }

    /// The threshold some steps further, towards more accepted tasks or fewer.
    pub fn stepped(&self, curves: &ScorerCurves, more: bool, far: bool) -> Option<Self> {
        let steps = &curves.steps;
        let by = (steps.len() / STEPS).max(1) * if far { 10 } else { 1 };
        let blocks = steps.blocks_at(self.rank(curves)?);
        let blocks = if more { blocks + by } else { blocks.saturating_sub(by) };
        Self::after(curves, blocks)
    }

    /// The threshold that accepts so many distinct scores, but at least one.
    pub fn after(curves: &ScorerCurves, blocks: usize) -> Option<Self> {
        let thresholds = curves.steps.thresholds();
        let rank = thresholds.get(blocks.clamp(1, thresholds.len().max(1)) - 1)?;
        Some(Self::at(curves, *rank))
    }

    /// The threshold nearest to a point of a plot.
    pub fn pointed(curves: &ScorerCurves, kind: PlotKind, point: (f64, f64)) -> Option<Self> {
        let steps = &curves.steps;
        match kind {
            PlotKind::Roc => nearest(&curves.roc, point),
            PlotKind::Pr => nearest(&curves.precision_recall, point),
            PlotKind::Risk => steps.threshold_at(point.0),
            // The lowest score that is still to the right.
            PlotKind::Reliability => {
                return Self::after(curves, steps.blocks_at(curves.scale.rank(point.0)));
            }
            PlotKind::Histogram => return Self::after(curves, steps.blocks_at(point.0)),
        }
        .map(|rank| Self::at(curves, rank))
    }
}

/// The threshold of the point of a curve that is nearest.
fn nearest(curve: &[CurvePoint], (x, y): (f64, f64)) -> Option<f64> {
    let distance = |point: &CurvePoint| (point.x - x).powi(2) + (point.y - y).powi(2);
    let known = curve.iter().filter(|point| point.threshold.is_finite());
    let nearest = known.min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map(|point| point.threshold)
}
