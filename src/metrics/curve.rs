//! Curves of a confidence against success: ROC, precision–recall, risk–coverage, reliability and
//! histograms, all from the same cumulative counts.

mod bands;
mod bins;

use super::{Ranking, TIE};

pub use bands::{Band, Bands, Grouped, POSITIONS, position};
pub use bins::{Histogram, ReliabilityBin, reliability};

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// How far to the right.
    pub x: f64,
    /// How far up.
    pub y: f64,
    /// Runs with at least this score are accepted; infinite where none is, NaN where no single threshold
    /// gives the point.
    pub threshold: f64,
}

/// The runs that a threshold accepts, and the successes among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Runs.
    pub items: usize,
    /// Successes among them.
    pub hits: usize,
}

/// What every threshold accepts: the distinct scores, falling, each with the runs and successes that
/// score at least as high. Scores closer than [`TIE`] are one; the lowest of them stands for all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    thresholds: Vec<f64>,
    accepted: Vec<(u32, u32)>,
}

/// A block of ties has a point for every run, or for every hundredth of all runs.
const HUNDREDTHS: usize = 100;

/// The distance of two neighbours in a thinned curve.
const FINE: f64 = 1e-3;

impl Steps {
    /// The steps of some scores; a missing one (NaN) is left out.
    pub fn new(scores: &[f64], success: &[bool]) -> Self {
        Self::of(&Ranking::new(scores), scores, success)
    }

    /// The same of scores that are ranked already.
    pub fn of(ranking: &Ranking, scores: &[f64], success: &[bool]) -> Self {
        let mut steps = Self::default();
        let (mut items, mut hits) = (0, 0);
        for block in ranking.blocks() {
            items += block.len() as u32;
            hits += block.iter().filter(|&&item| success[item as usize]).count() as u32;
            let lowest = block.iter().map(|&item| scores[item as usize]);
            steps.thresholds.push(lowest.fold(f64::INFINITY, f64::min));
            steps.accepted.push((items, hits));
        }
        steps
    }

    /// Number of distinct scores.
    pub fn len(&self) -> usize {
        self.thresholds.len()
    }

    /// Whether there is no score.
    pub fn is_empty(&self) -> bool {
        self.thresholds.is_empty()
    }

    /// The distinct scores, the highest first.
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// All runs and successes.
    pub fn total(&self) -> Accepted {
        self.after(self.len())
    }

    /// What the first so many distinct scores accept.
    pub fn after(&self, blocks: usize) -> Accepted {
        let before = blocks.checked_sub(1).and_then(|last| self.accepted.get(last));
        before.map_or_else(Accepted::default, |&(items, hits)| Accepted {
            items: items as usize,
            hits: hits as usize,
        })
    }

    /// The number of distinct scores that a threshold accepts.
    pub fn blocks_at(&self, threshold: f64) -> usize {
        // A threshold that is off by last-bit noise is the same.
        self.thresholds.partition_point(|score| *score >= threshold - TIE)
    }

    /// What a threshold accepts.
    pub fn at(&self, threshold: f64) -> Accepted {
        self.after(self.blocks_at(threshold))
    }

    /// The distinct score at which at least this share of the runs is accepted.
    pub fn threshold_at(&self, coverage: f64) -> Option<f64> {
        let wanted = coverage * self.total().items as f64 - TIE;
        let block = self.accepted.partition_point(|(items, _)| f64::from(*items) < wanted);
        self.thresholds.get(block).or(self.thresholds.last()).copied()
    }

    /// Whether there are both successes and failures.
    fn has_both(&self) -> bool {
        let Accepted { items, hits } = self.total();
        hits > 0 && hits < items
    }

    /// The ROC curve: the share of failures that are accepted, and of successes. As scikit-learn's
    /// `roc_curve(drop_intermediate=False)`; nothing where one outcome is missing.
    pub fn roc(&self) -> Vec<CurvePoint> {
        let all = self.total();
        let (hits, misses) = (all.hits as f64, (all.items - all.hits) as f64);
        self.points(CurvePoint { x: 0.0, y: 0.0, threshold: f64::INFINITY }, |accepted| {
            ((accepted.items - accepted.hits) as f64 / misses, accepted.hits as f64 / hits)
        })
    }

    /// The precision–recall curve: recall, and precision. As scikit-learn's `precision_recall_curve`, from
    /// the highest threshold down; nothing where one outcome is missing.
    pub fn precision_recall(&self) -> Vec<CurvePoint> {
        let hits = self.total().hits as f64;
        self.points(CurvePoint { x: 0.0, y: 1.0, threshold: f64::INFINITY }, |accepted| {
            (accepted.hits as f64 / hits, accepted.hits as f64 / accepted.items as f64)
        })
    }

    fn points(&self, first: CurvePoint, of: impl Fn(Accepted) -> (f64, f64)) -> Vec<CurvePoint> {
        if !self.has_both() {
            return Vec::new();
        }
        let point = |(block, threshold): (usize, &f64)| {
            let (x, y) = of(self.after(block + 1));
            CurvePoint { x, y, threshold: *threshold }
        };
        std::iter::once(first).chain(self.thresholds.iter().enumerate().map(point)).collect()
    }

    /// The risk–coverage curve: the share of runs that are accepted, and the share of successes among
    /// them. Ties are averaged over their orders, as in the metrics, so a block of ties is a curve of its
    /// own between two thresholds.
    pub fn risk_coverage(&self) -> Vec<CurvePoint> {
        let total = self.total().items as f64;
        let stride = self.total().items.div_ceil(HUNDREDTHS);
        let mut points = Vec::with_capacity(self.len() + 1);
        let mut before = Accepted::default();
        for (block, threshold) in self.thresholds.iter().enumerate() {
            let after = self.after(block + 1);
            if block == 0 {
                let y = after.hits as f64 / after.items as f64;
                points.push(CurvePoint { x: 0.0, y, threshold: f64::INFINITY });
            }
            for items in (before.items + stride..after.items).step_by(stride) {
                let (x, y) = (items as f64 / total, retained(before, after, items as f64));
                points.push(CurvePoint { x, y, threshold: f64::NAN });
            }
            let (x, y) = (after.items as f64 / total, after.hits as f64 / after.items as f64);
            points.push(CurvePoint { x, y, threshold: *threshold });
            before = after;
        }
        points
    }

    /// The share of successes among the most confident runs, so many as this coverage says.
    pub fn retained_at(&self, coverage: f64) -> Option<f64> {
        let items = coverage * self.total().items as f64;
        let block = self.accepted.partition_point(|(upto, _)| f64::from(*upto) < items);
        let block = block.min(self.len().checked_sub(1)?);
        Some(retained(self.after(block), self.after(block + 1), items))
    }
}

/// The share of successes among the first `items`, which end in the block of ties between two counts.
fn retained(before: Accepted, after: Accepted, items: f64) -> f64 {
    let share = (after.hits - before.hits) as f64 / (after.items - before.items) as f64;
    if items <= 0.0 {
        return share;
    }
    (before.hits as f64 + (items - before.items as f64) * share) / items
}

/// The share of successes that a perfect ranking retains at a coverage, where this share of all runs
/// succeeds.
pub fn oracle_retained(coverage: f64, share: f64) -> f64 {
    if coverage <= share { 1.0 } else { share / coverage }
}

/// A curve without the points that a drawing cannot tell from their neighbours; the ends stay.
pub fn thinned(points: Vec<CurvePoint>) -> Vec<CurvePoint> {
    let last = points.len().saturating_sub(1);
    let mut kept: Vec<CurvePoint> = Vec::new();
    for (index, point) in points.into_iter().enumerate() {
        let is_far = kept.last().is_none_or(|before: &CurvePoint| {
            (point.x - before.x).abs() + (point.y - before.y).abs() >= FINE
        });
        if is_far || index == last {
            kept.push(point);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_accepts_what_scores_as_high() {
        let scores = [0.9, 0.5, 0.5 + 1e-15, f64::NAN, 0.1];
        let success = [true, false, true, true, false];
        let steps = Steps::new(&scores, &success);
        assert_eq!(steps.thresholds(), [0.9, 0.5, 0.1]);
        let at = |threshold| {
            let Accepted { items, hits } = steps.at(threshold);
            (items, hits)
        };
        assert_eq!(at(f64::INFINITY), (0, 0));
        assert_eq!(at(0.91), (0, 0));
        assert_eq!(at(0.9), (1, 1));
        assert_eq!(at(0.5 + 1e-14), (3, 2), "noise does not move a threshold");
        assert_eq!(at(f64::NEG_INFINITY), (4, 2));
        assert_eq!(steps.threshold_at(0.25), Some(0.9));
        assert_eq!(steps.threshold_at(0.26), Some(0.5));
        assert_eq!(steps.threshold_at(1.0), Some(0.1));
        assert_eq!(Steps::new(&[], &[]).threshold_at(0.5), None);
    }

    #[test]
    fn one_outcome_has_no_roc_but_a_coverage() {
        let steps = Steps::new(&[0.2, 0.4], &[true, true]);
        assert!(steps.roc().is_empty() && steps.precision_recall().is_empty());
        assert!(steps.risk_coverage().iter().all(|point| (point.y - 1.0).abs() < 1e-15));
        assert!(Steps::new(&[f64::NAN], &[true]).risk_coverage().is_empty());
    }

    #[test]
    fn ties_are_averaged_over_their_orders() {
        // One success, then four tied runs with one success among them: after k of these the expected
        // number of successes is 1 + k/4.
        let steps = Steps::new(&[0.9, 0.5, 0.5, 0.5, 0.5], &[true, true, false, false, false]);
        for (coverage, expected) in [(0.2, 1.0), (0.4, 1.25 / 2.0), (0.6, 1.5 / 3.0), (1.0, 0.4)] {
            let value = steps.retained_at(coverage).expect("runs");
            assert!((value - expected).abs() < 1e-12, "{coverage}: {value}");
            let point = steps.risk_coverage().into_iter().find(|p| (p.x - coverage).abs() < 1e-9);
            assert!((point.expect("a point").y - expected).abs() < 1e-12, "{coverage}");
        }
        assert_eq!(steps.retained_at(0.0), Some(1.0));
    }

    #[test]
    fn the_area_under_risk_coverage_is_aurc() {
        let scores = [0.9, 0.8, 0.8, 0.8, 0.3, 0.2, 0.2];
        let success = [true, false, true, true, false, true, false];
        let steps = Steps::new(&scores, &success);
        let n = scores.len();
        let mean: f64 =
            (1..=n).map(|k| steps.retained_at(k as f64 / n as f64).expect("runs")).sum::<f64>()
                / n as f64;
        let aurc = crate::metrics::aurc(&scores, &success).expect("runs");
        assert!((1.0 - mean - aurc).abs() < 1e-12);
    }

    #[test]
    fn a_thinned_curve_keeps_ends_and_corners() {
        let line: Vec<CurvePoint> = (0..=100_000)
            .map(|step| CurvePoint { x: f64::from(step) / 1e5, y: 0.0, threshold: f64::NAN })
            .chain([CurvePoint { x: 1.0, y: 1.0, threshold: 0.0 }])
            .collect();
        let thin = thinned(line.clone());
        assert!(thin.len() < 1100 && thin.len() > 900, "{}", thin.len());
        let ends =
            |points: &[CurvePoint]| [points[0], points[points.len() - 1]].map(|p| (p.x, p.y));
        assert_eq!(ends(&thin), ends(&line));
    }
}
