//! The score that a user takes for the label, and the threshold of success.

use std::fmt;
use std::str::FromStr;

use crate::model::Outcome;

/// A named score, with a threshold where 1 is not what success means.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreChoice {
    /// The score's name; `NAME.key` is one value of a score that is a dictionary.
    pub name: String,
    /// What its values are compared with.
    pub threshold: Option<Threshold>,
}

/// A comparison that a successful run's score passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    comparison: Comparison,
    value: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    AtLeast,
    AtMost,
    Above,
    Below,
}

impl Comparison {
    /// Longer signs first, since they begin with the shorter ones.
    const ALL: [Self; 4] = [Self::AtLeast, Self::AtMost, Self::Above, Self::Below];

    fn sign(self) -> &'static str {
        match self {
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::Below => "<",
        }
    }
}

impl ScoreChoice {
    /// Whether a score means success; without a threshold it has to be 1.
    pub fn is_success(&self, score: f64) -> bool {
        is_success(score, self.threshold)
    }
}

/// Whether a score passes the threshold, or is 1 where there is none.
pub(super) fn is_success(score: f64, threshold: Option<Threshold>) -> bool {
    let Some(Threshold { comparison, value }) = threshold else {
        return (score - 1.0).abs() <= Outcome::REWARD_TOLERANCE;
    };
    match comparison {
        Comparison::AtLeast => score >= value,
        Comparison::AtMost => score <= value,
        Comparison::Above => score > value,
        Comparison::Below => score < value,
    }
}

impl FromStr for ScoreChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Comparison::ALL.into_iter().find_map(|comparison| {
            let (name, number) = text.split_once(comparison.sign())?;
            Some((name, comparison, number.trim()))
        });
        let (name, threshold) = match found {
            None => (text, None),
            Some((name, comparison, number)) => {
                let value = number.parse().ok().filter(|value: &f64| value.is_finite());
                let value =
                    value.ok_or_else(|| format!("`{number}` is no number, as in NAME>=0.5"))?;
                (name, Some(Threshold { comparison, value }))
            }
        };
        let name = name.trim().to_owned();
        if name.is_empty() {
            return Err("the score has no name, as in NAME>=0.5".to_owned());
        }
        Ok(Self { name, threshold })
    }
}

impl fmt::Display for ScoreChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.threshold {
            Some(Threshold { comparison, value }) => write!(f, "{}{value}", comparison.sign()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &str) -> ScoreChoice {
        text.parse().expect("a choice")
    }

    #[test]
    fn a_name_alone_means_success_at_1() {
        let plain = choice("accuracy.strict");
        assert_eq!((plain.name.as_str(), plain.threshold), ("accuracy.strict", None));
        assert!(plain.is_success(1.0 - 1e-7) && !plain.is_success(0.99) && !plain.is_success(2.0));
    }

    #[test]
    fn a_threshold_is_compared_as_it_is_written() {
        let passes = |text: &str| [0.4, 0.5, 0.6].map(|score| choice(text).is_success(score));
        assert_eq!(passes("f1>=0.5"), [false, true, true]);
        assert_eq!(passes("f1 > 0.5"), [false, false, true]);
        assert_eq!(passes("loss<=.5"), [true, true, false]);
        assert_eq!(passes("loss<0.5"), [true, false, false]);
        assert_eq!(choice("f1 >= 0.50").to_string(), "f1>=0.5");
        assert_eq!(
            "f1>=half".parse::<ScoreChoice>().err().as_deref(),
            Some("`half` is no number, as in NAME>=0.5")
        );
        assert!(">=1".parse::<ScoreChoice>().is_err() && "a>=NaN".parse::<ScoreChoice>().is_err());
    }
}
