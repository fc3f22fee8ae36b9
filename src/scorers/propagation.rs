//! Propagation controls: the doubt of all turns as one root mean square, under weights.

/// How turns are weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Propagation {
    /// All the same.
    Uniform,
    /// In proportion to their place, later ones more.
    Position,
}

impl Propagation {
    /// All of them, in the order they are listed.
    pub const ALL: [Self; 2] = [Self::Uniform, Self::Position];

    /// The id that appears in stores, flags and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::Uniform => "prop-uniform",
            Self::Position => "prop-pos",
        }
    }

    /// The score from the `lnsp` of every scored turn, whose negative log is the turn's doubt:
    /// minus the root of the mean of squared weighted doubts. Weights have the mean 1.
    pub fn score(self, lnsp: &[f64]) -> Option<f64> {
        let turns = lnsp.len() as f64;
        let weight = |place: usize| match self {
            Self::Uniform => 1.0,
            Self::Position => (place + 1) as f64 / f64::midpoint(1.0, turns),
        };
        let squares =
            lnsp.iter().enumerate().map(|(place, own)| (weight(place) * -own.ln()).powi(2));
        (!lnsp.is_empty()).then(|| -(squares.sum::<f64>() / turns).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Doubts 1, 2 and 3: sqrt((1 + 4 + 9) / 3); weights ½, 1 and 3/2: sqrt((¼ + 4 + 81/4) / 3).
        let lnsp = [-1.0f64, -2.0, -3.0].map(f64::exp);
        let uniform = Propagation::Uniform.score(&lnsp).expect("turns");
        assert!((uniform + (14.0f64 / 3.0).sqrt()).abs() < 1e-12);
        let position = Propagation::Position.score(&lnsp).expect("turns");
        assert!((position + (24.5f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Propagation::Uniform.score(&[]), None);
    }
}
