//! How confident a model was of each token.

use crate::model::{Span, Token, TokenSeq, Trajectory};
use crate::scorers::whitebox::{normalised_entropy, top_margin};

/// A measure of a token's confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// The probability of the token.
    Probability,
    /// The entropy of its recorded alternatives, over its maximum.
    Entropy,
    /// How far the likeliest alternative is ahead of the next.
    Margin,
}

impl Measure {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 3] = [Self::Probability, Self::Entropy, Self::Margin];

    /// The name in flags and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::Probability => "probability",
            Self::Entropy => "entropy",
            Self::Margin => "margin",
        }
    }

    /// The measure of a token; none where too few alternatives were recorded.
    pub fn of(self, token: Token<'_>) -> Option<f64> {
        let several = token.top_logprobs.len() >= 2;
        match self {
            Self::Probability => Some(token.logprob.exp()),
            Self::Entropy => several.then(|| normalised_entropy(token.top_logprobs)),
            Self::Margin => several.then(|| top_margin(token.top_logprobs)),
        }
    }

    /// Whether a large value means doubt.
    pub fn doubts(self) -> bool {
        self == Self::Entropy
    }
}

/// The range of values that colours cover, without the extremes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatRange {
    /// The 5% quantile.
    pub low: f64,
    /// The 95% quantile.
    pub high: f64,
}

impl HeatRange {
    /// From the 5% to the 95% quantile over the action tokens; none without tokens.
    pub fn of(runs: &[&Trajectory], measure: Measure) -> Option<Self> {
        let turns = runs.iter().flat_map(|run| &run.turns).filter_map(|turn| turn.tokens.as_ref());
        let tokens = turns.flat_map(TokenSeq::iter).filter(|token| token.span == Span::Action);
        let mut values: Vec<f64> = tokens.filter_map(|token| measure.of(token)).collect();
        values.sort_by(f64::total_cmp);
        values.first()?;
        Some(Self { low: quantile(&values, 0.05), high: quantile(&values, 0.95) })
    }

    /// How confident a value is: 0 at the doubtful end of the range, 1 at the other.
    pub fn sureness(self, measure: Measure, value: f64) -> f64 {
        let share = if self.high > self.low {
            ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
        } else {
            f64::from(u8::from(value >= self.low))
        };
        if measure.doubts() { 1.0 - share } else { share }
    }
}

/// A quantile of sorted values, interpolated between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    low + (high - low) * position.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head, Message, Role};

    #[test]
    fn quantiles_as_numpy_has_them() {
        // numpy.quantile([0.1, 0.2, 0.4, 0.9], [0.05, 0.95]) = [0.115, 0.825]
        let values = [0.1, 0.2, 0.4, 0.9];
        assert!((quantile(&values, 0.05) - 0.115).abs() < 1e-12);
        assert!((quantile(&values, 0.95) - 0.825).abs() < 1e-12);
        assert!((quantile(&[0.3], 0.95) - 0.3).abs() < 1e-12);
    }

    #[test]
    fn only_actions_set_the_range() {
        let mut tokens = TokenSeq::default();
        for (p, span) in [(0.5f64, Span::Action), (0.9, Span::Action), (0.001, Span::Reasoning)] {
            tokens.push("x", p.ln(), span);
        }
        let messages = vec![Message::text(Role::Assistant, "xxx")];
        let head = Head::new(Cell::new("d", "m"), "1");
        let run = Trajectory::new(head, messages, |_| Some(tokens.clone()));
        let range = HeatRange::of(&[&run], Measure::Probability).expect("tokens");
        assert!((range.low - 0.52).abs() < 1e-12 && (range.high - 0.88).abs() < 1e-12);
        assert!((range.sureness(Measure::Probability, 0.7) - 0.5).abs() < 1e-12);
        assert!((range.sureness(Measure::Entropy, 0.1) - 1.0).abs() < 1e-12);
        assert_eq!(HeatRange::of(&[&run], Measure::Margin), None, "no alternatives");
    }
}
