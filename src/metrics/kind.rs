//! The metrics by name, and why one has no value.

use std::cmp::Ordering;
use std::fmt;

use super::Ranking;
use super::points::{auprc_of, aurc_of, auroc_of, brier, ece, prr_of};

/// A measure of how well a confidence predicts success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Area under the ROC curve.
    Auroc,
    /// Average precision.
    Auprc,
    /// Prediction rejection ratio.
    Prr,
    /// Expected calibration error.
    Ece,
    /// Area under the risk–coverage curve.
    Aurc,
    /// Brier score.
    Brier,
}

impl Metric {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 6] =
        [Self::Auroc, Self::Auprc, Self::Prr, Self::Ece, Self::Aurc, Self::Brier];

    /// The id that flags and JSON use.
    pub fn id(self) -> &'static str {
        match self {
            Self::Auroc => "auroc",
            Self::Auprc => "auprc",
            Self::Prr => "prr",
            Self::Ece => "ece",
            Self::Aurc => "aurc",
            Self::Brier => "brier",
        }
    }

    /// The metric of that id.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.id() == id)
    }

    /// Whether a larger value is better.
    pub fn higher_is_better(self) -> bool {
        matches!(self, Self::Auroc | Self::Auprc | Self::Prr)
    }

    /// The order in which better values come first, and missing ones last.
    pub fn better_first(self, a: Option<f64>, b: Option<f64>) -> Ordering {
        let sign = if self.higher_is_better() { 1.0 } else { -1.0 };
        let key = |value: Option<f64>| value.map_or(f64::NEG_INFINITY, |value| value * sign);
        key(b).total_cmp(&key(a))
    }

    /// The value that guessing gives where this share of the tasks succeeds; none where guessing has no
    /// value of its own.
    pub fn chance(self, rate: f64) -> Option<f64> {
        match self {
            Self::Auroc => Some(0.5),
            Self::Auprc => Some(rate),
            Self::Prr => Some(0.0),
            Self::Aurc => Some(1.0 - rate),
            Self::Ece | Self::Brier => None,
        }
    }

    /// The best value there is.
    pub fn best(self) -> f64 {
        if self.higher_is_better() { 1.0 } else { 0.0 }
    }

    /// The worst value that occurs in practice.
    pub fn worst(self) -> f64 {
        match self {
            Self::Auroc | Self::Auprc => 0.0,
            Self::Prr => -1.0,
            Self::Ece | Self::Brier => 0.5,
            Self::Aurc => 1.0,
        }
    }

    /// How far a value is from what guessing gives where this share of the tasks succeeds, from -1 to 1 as
    /// a share of what is possible on its side; without a chance level, how far it is from the best.
    pub fn heat(self, value: f64, rate: f64) -> f64 {
        let (best, worst) = (self.best(), self.worst());
        let Some(chance) = self.chance(rate) else {
            return ((value - best) / (worst - best)).clamp(0.0, 1.0);
        };
        let good = (value - chance) / (best - chance);
        let bad = (value - chance) / (worst - chance);
        if good >= 0.0 { good.min(1.0) } else { -bad.clamp(0.0, 1.0) }
    }

    /// Whether it is defined for scores in 0..=1 only.
    pub fn needs_probabilities(self) -> bool {
        matches!(self, Self::Ece | Self::Brier)
    }

    /// The value for these scores and labels.
    pub fn value(self, scores: &[f64], success: &[bool]) -> Option<f64> {
        if self.needs_probabilities() {
            // Their order does not matter.
            return self.value_of(&Ranking::new(&[]), scores, success);
        }
        self.value_of(&Ranking::new(scores), scores, success)
    }

    /// The same for scores that are ranked already.
    pub fn value_of(self, ranking: &Ranking, scores: &[f64], success: &[bool]) -> Option<f64> {
        match self {
            Self::Auroc => auroc_of(ranking, success),
            Self::Auprc => auprc_of(ranking, success),
            Self::Prr => prr_of(ranking, success),
            Self::Ece => ece(scores, success),
            Self::Aurc => aurc_of(ranking, success),
            Self::Brier => brier(scores, success),
        }
    }

    /// Why there is no value for this many labelled tasks with a score, of which so many succeeded;
    /// none where the counts give no reason.
    pub fn undefined(self, tasks: usize, successes: usize) -> Option<Undefined> {
        match (tasks, successes) {
            (0, _) => Some(Undefined::NoLabels),
            // These are defined for one class too, so the scores must be the reason.
            _ if self.needs_probabilities() => Some(Undefined::NotProbabilities),
            (tasks, successes) if tasks == successes => Some(Undefined::AllPassed),
            (_, 0) => Some(Undefined::AllFailed),
            _ => None,
        }
    }
}

/// Why a metric has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// No task has both a score and a label.
    NoLabels,
    /// The metric is for probabilities, and some score is outside 0..=1.
    NotProbabilities,
    /// Every task succeeded: there is nothing to tell apart.
    AllPassed,
    /// Every task failed.
    AllFailed,
    /// One side gives the same answer everywhere.
    OneAnswer,
}

impl Undefined {
    /// The reason in a few words, the same on screen and in reports.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoLabels => "no labels",
            Self::NotProbabilities => "not in 0..1",
            Self::AllPassed => "all passed",
            Self::AllFailed => "all failed",
            Self::OneAnswer => "one answer only",
        }
    }
}

impl fmt::Display for Undefined {
    /// `n/a (all failed)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n/a ({})", self.reason())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_value_has_a_reason() {
        let labels = [vec![], vec![true; 3], vec![false; 3], vec![true, false, true]];
        for metric in Metric::ALL {
            for success in &labels {
                for scores in [&[0.1, 0.7, 0.4], &[-3.0, 0.2, 8.0]] {
                    let successes = success.iter().filter(|success| **success).count();
                    let value = metric.value(&scores[..success.len()], success);
                    let why = metric.undefined(success.len(), successes);
                    assert!(value.is_some() || why.is_some(), "{metric:?} {success:?} {scores:?}");
                }
            }
        }
    }

    #[test]
    fn one_class_is_no_reason_for_a_calibration_error() {
        assert_eq!(Metric::Ece.undefined(5, 0), Some(Undefined::NotProbabilities));
        assert_eq!(Metric::Auroc.undefined(5, 0), Some(Undefined::AllFailed));
        assert_eq!(Metric::Auroc.undefined(5, 5), Some(Undefined::AllPassed));
        assert_eq!(Metric::Auroc.undefined(5, 2), None);
        assert_eq!(
            Metric::Ece.undefined(0, 0).map(|why| why.to_string()),
            Some("n/a (no labels)".into())
        );
    }

    #[test]
    fn heat_is_about_chance() {
        assert!((Metric::Auroc.heat(0.75, 0.1) - 0.5).abs() < 1e-12);
        assert!((Metric::Auroc.heat(0.25, 0.1) + 0.5).abs() < 1e-12);
        assert!(Metric::Auprc.heat(0.3, 0.3).abs() < 1e-12);
        assert!((Metric::Aurc.heat(0.0, 0.3) - 1.0).abs() < 1e-12);
        assert!(Metric::Aurc.heat(0.8, 0.3) < 0.0);
        assert!((Metric::Ece.heat(0.25, 0.3) - 0.5).abs() < 1e-12);
    }
}
