//! A scorer at a threshold: what is accepted there, and in which words.

use crate::engine::{Scale, ScorerCurves};
use crate::metrics::threshold::Decision;

/// A scorer at a threshold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen<'a> {
    /// Its curves.
    pub curves: &'a ScorerCurves,
    /// The threshold, in the numbers that rank.
    pub rank: f64,
}

impl Chosen<'_> {
    /// What the threshold accepts.
    pub fn decision(&self) -> Decision {
        Decision::at(&self.curves.steps, self.rank)
    }

    /// The threshold as the scorer gives its values.
    pub fn confidence(&self) -> f64 {
        self.curves.scale.confidence(self.rank)
    }

    /// The threshold in words.
    pub fn threshold_words(&self) -> String {
        self.value_words(self.rank)
    }

    /// A number of the scorer in words.
    pub fn value_words(&self, rank: f64) -> String {
        value_words(self.curves.scale, rank)
    }

    /// Which tasks are accepted: those with at least this value, or at most this one.
    pub fn condition(self) -> String {
        let sign = if self.curves.scale.direction.is_reversed() { "≤" } else { "≥" };
        format!("{sign} {}", self.threshold_words())
    }
}

/// A number that ranks as the scorer gives it, in three digits or so.
pub(super) fn value_words(scale: Scale, rank: f64) -> String {
    let value = scale.confidence(rank);
    if !value.is_finite() {
        return "∞".to_owned();
    }
    // A product of many probabilities is told by its log.
    if scale.is_log && value < 1e-3 {
        return format!("e^{rank:.1}");
    }
    if value.fract() == 0.0 && !(0.0..=1.0).contains(&value) {
        return format!("{value:.0}");
    }
    let text = if value.abs() < 10.0 { format!("{value:.3}") } else { format!("{value:.1}") };
    match text.strip_prefix("-0.") {
        Some(rest) => format!("-.{rest}"),
        None => text.strip_prefix('0').map_or(text.clone(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scorers::Direction;

    #[test]
    fn numbers_are_written_as_the_scorer_gives_them() {
        let plain = Scale::default();
        let words = |rank| value_words(plain, rank);
        assert_eq!(words(0.73149), ".731");
        assert_eq!((words(-12.0), words(-1.0)), ("-12".to_owned(), "-1".to_owned()));
        assert_eq!(words(1.0), "1.000");
        assert_eq!(words(-0.25), "-.250");
        assert_eq!(words(123.456), "123.5");
        assert_eq!(words(f64::INFINITY), "∞");
        let log = Scale { is_log: true, ..plain };
        assert_eq!(value_words(log, -0.5), ".607");
        assert_eq!(value_words(log, -812.34), "e^-812.3");
        let reversed = Scale { direction: Direction::SmallerIsSurer, ..plain };
        assert_eq!(value_words(reversed, -4.0), "4");
    }
}
