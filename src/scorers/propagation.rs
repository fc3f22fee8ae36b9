//! Propagation controls: the weighted root mean square of the doubt of all turns.

use super::Formula;

/// How turns are weighted.
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

/// The score of a run under weights of its turns, which are brought to the mean 1.
pub fn weighted(doubts: &[f64], weights: &[f64]) -> Option<f64> {
    let turns = doubts.len() as f64;
    let mean = weights.iter().sum::<f64>() / turns;
    let squares = doubts.iter().zip(weights).map(|(doubt, weight)| (weight / mean * doubt).powi(2));
    let score = -(squares.sum::<f64>() / turns).sqrt();
    score.is_finite().then_some(score)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
