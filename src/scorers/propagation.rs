//! Propagation controls: the weighted root mean square of the doubt of all turns.

use super::Formula;
use crate::model::Drift;

/// How turns are weighted, where the store alone says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Propagation {
    /// All turns alike.
    Uniform,
    /// In proportion to the turn's number, later ones more.
    Position,
}

impl Propagation {
    /// All weightings, in the order they are listed.
    pub const ALL: [Self; 2] = [Self::Uniform, Self::Position];

    /// The id that appears in stores, flags and on screen.
    pub fn id(self) -> &'static str {
        Formula::Propagation(self).id()
    }

    /// Minus the root mean square of the weighted doubts; none without a scored turn, or with a token
    /// of probability 0, whose doubt no number holds. The doubt of a turn is minus its mean
    /// log-probability, and the weights have the mean 1.
    pub fn score(self, doubts: &[f64]) -> Option<f64> {
        let weight = |turn: usize| match self {
            Self::Uniform => 1.0,
            Self::Position => turn as f64,
        };
        let weights: Vec<f64> = (1..=doubts.len()).map(weight).collect();
        weighted(doubts, &weights)
    }
}

/// How turns are weighted by their drift, which a sentence encoder measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DriftWeights {
    /// In proportion to the sum of both drifts.
    Distance,
    /// In proportion to that sum and to the turn's number.
    PositionDistance,
    /// In proportion to the expected severity.
    Severity,
}

impl DriftWeights {
    /// All weightings, in the order they are listed.
    pub const ALL: [Self; 3] = [Self::Distance, Self::PositionDistance, Self::Severity];

    /// The id that appears in stores, flags and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::Distance => "prop-dist",
            Self::PositionDistance => "prop-pd",
            Self::Severity => "prop-hmm",
        }
    }

    /// The same as [`Propagation::score`], given the drift of every scored turn; none too where severities
    /// are needed and one is missing.
    pub fn score(self, doubts: &[f64], drifts: &[Drift]) -> Option<f64> {
        let weight = |(turn, drift): (usize, &Drift)| {
            let distance = drift.action + drift.observation;
            match self {
                Self::Distance => Some(distance),
                Self::PositionDistance => Some((turn + 1) as f64 * distance),
                Self::Severity => drift.severity,
            }
        };
        let weights: Vec<f64> = drifts.iter().enumerate().map(weight).collect::<Option<_>>()?;
        if weights.len() == doubts.len() { weighted(doubts, &weights) } else { None }
    }
}

/// The score of a run under weights of its turns, which are brought to the mean 1. If all weights are 0, all
/// turns count alike.
pub fn weighted(doubts: &[f64], weights: &[f64]) -> Option<f64> {
    let turns = doubts.len() as f64;
    let mean = weights.iter().sum::<f64>() / turns;
    let scaled = |weight: f64| if mean == 0.0 { 1.0 } else { weight / mean };
    let squares =
        doubts.iter().zip(weights).map(|(doubt, weight)| (scaled(*weight) * doubt).powi(2));
    let score = -(squares.sum::<f64>() / turns).sqrt();
    score.is_finite().then_some(score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scorers::Spec;

    #[test]
    fn by_hand() {
        // Doubts 1, 2 and 3: sqrt((1 + 4 + 9) / 3); weights ½, 1 and 3/2: sqrt((¼ + 4 + 81/4) / 3).
        let doubts = [1.0, 2.0, 3.0];
        for rule in Propagation::ALL {
            assert_eq!(rule.score(&[]), None);
            assert_eq!(rule.score(&[1.0, f64::INFINITY]), None, "a token of probability 0");
        }
        let uniform = Propagation::Uniform.score(&doubts).expect("turns");
        assert!((uniform + (14.0f64 / 3.0).sqrt()).abs() < 1e-12);
        let position = Propagation::Position.score(&doubts).expect("turns");
        assert!((position + (24.5f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Propagation::Uniform.score(&[]), None);
    }

    fn drift(action: f64, observation: f64, severity: Option<f64>) -> Drift {
        Drift { action, observation, severity }
    }

    #[test]
    fn weights_by_drift_by_hand() {
        let doubts = [1.0, 2.0];
        let drifts = [drift(0.25, 0.0, Some(1.0)), drift(0.5, 0.25, Some(3.0))];
        let of = |weights: DriftWeights| weights.score(&doubts, &drifts).expect("turns");
        // Distances ¼ and ¾, so weights ½ and 3/2: sqrt((¼ + 9) / 2).
        assert!((of(DriftWeights::Distance) + (9.25f64 / 2.0).sqrt()).abs() < 1e-12);
        // ¼ and 2·¾, so weights 2/7 and 12/7: sqrt((4/49 + 576/49) / 2).
        assert!((of(DriftWeights::PositionDistance) + (580.0f64 / 98.0).sqrt()).abs() < 1e-12);
        // Severities 1 and 3, so weights ½ and 3/2 again.
        assert!((of(DriftWeights::Severity) + (9.25f64 / 2.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn weights_by_drift_at_the_edges() {
        let still = [drift(0.0, 0.0, None); 2];
        let uniform = Propagation::Uniform.score(&[1.0, 2.0]);
        assert_eq!(DriftWeights::Distance.score(&[1.0, 2.0], &still), uniform, "no drift at all");
        assert_eq!(DriftWeights::Severity.score(&[1.0, 2.0], &still), None, "no severity");
        for weights in DriftWeights::ALL {
            assert_eq!(weights.score(&[], &[]), None);
            assert!(Spec::find(weights.id()).is_some(), "{weights:?} is in the table of scorers");
        }
    }
}
