//! Scorers that are made of others: ensembles and calibrations.

use std::fmt;

use super::Scorer;

/// How a scorer is made of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Penalised logistic regression on all of them.
    Logistic,
    /// The mean of their ranks.
    RankAverage,
    /// Isotonic calibration of one.
    Isotonic,
    /// Platt's calibration of one.
    Platt,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Logistic, Self::RankAverage, Self::Isotonic, Self::Platt];

    /// Those that combine several scorers.
    pub const ENSEMBLES: [Self; 2] = [Self::Logistic, Self::RankAverage];

    /// Those that make a probability of one scorer.
    pub const CALIBRATIONS: [Self; 2] = [Self::Isotonic, Self::Platt];

    /// The id that flags and stores use.
    pub fn id(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::RankAverage => "rank-average",
            Self::Isotonic => "isotonic",
            Self::Platt => "platt",
        }
    }

    /// The method of that id.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.id() == id)
    }

    /// Whether it makes a probability of one scorer.
    pub fn is_calibration(self) -> bool {
        Self::CALIBRATIONS.contains(&self)
    }

    /// Whether it is fitted to outcomes, and so has to be cross-fitted.
    pub fn is_fitted(self) -> bool {
        self != Self::RankAverage
    }
}

/// A scorer that is made of others.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// How.
    pub method: Method,
    /// Of which.
    pub inputs: Vec<Scorer>,
}

/// Why a recipe cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongRecipe {
    /// It is not written as one.
    Unreadable,
    /// An ensemble of one scorer, or a calibration of several.
    WrongNumber(Method),
    /// A scorer occurs twice.
    Repeated,
}

impl fmt::Display for WrongRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => f.write_str(
                "give logistic(A,B), rank-average(A,B), isotonic(A) or platt(A) with names of scorers",
            ),
            Self::WrongNumber(method) if method.is_calibration() => {
                write!(f, "{} takes one scorer", method.id())
            }
            Self::WrongNumber(method) => write!(f, "{} takes at least two scorers", method.id()),
            Self::Repeated => f.write_str("a scorer is named twice"),
        }
    }
}

impl Recipe {
    /// A recipe of these scorers.
    pub fn new(method: Method, inputs: Vec<Scorer>) -> Result<Self, WrongRecipe> {
        let fits = if method.is_calibration() { inputs.len() == 1 } else { inputs.len() > 1 };
        if !fits {
            return Err(WrongRecipe::WrongNumber(method));
        }
        let is_repeated = |(index, input): (usize, &Scorer)| inputs[..index].contains(input);
        if inputs.iter().enumerate().any(is_repeated) {
            return Err(WrongRecipe::Repeated);
        }
        Ok(Self { method, inputs })
    }

    /// Reads `logistic(lnsp.min,ter,turns)`.
    pub fn parse(text: &str) -> Result<Self, WrongRecipe> {
        let parts = text.trim().strip_suffix(')').and_then(|text| text.split_once('('));
        let (method, inputs) = parts.ok_or(WrongRecipe::Unreadable)?;
        let method = Method::parse(method.trim()).ok_or(WrongRecipe::Unreadable)?;
        let names: Vec<&str> = inputs.split(',').map(str::trim).collect();
        if names.iter().any(|name| name.is_empty()) {
            return Err(WrongRecipe::Unreadable);
        }
        let scorer = |name: &&str| Scorer::parse(&Scorer::typed(name));
        Self::new(method, names.iter().map(scorer).collect())
    }

    /// The names of the scorers, as flags and stores write them.
    pub fn names(&self) -> Vec<String> {
        self.inputs.iter().map(Scorer::flag).collect()
    }
}

impl fmt::Display for Recipe {
    /// `logistic(lnsp.min,ter,turns)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.method.id(), self.names().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_read_as_they_are_written() {
        for text in ["logistic(lnsp.min,ter,turns)", "rank-average(mine,sp.mean)", "platt(ter)"] {
            let recipe = Recipe::parse(text).expect("a recipe");
            assert_eq!(recipe.to_string(), text);
        }
        let spaced = Recipe::parse(" isotonic( LNSP·min ) ").expect("a recipe");
        assert_eq!(spaced.to_string(), "isotonic(lnsp.min)");
        assert_eq!(Recipe::parse("logistic(lnsp,ter)"), Recipe::parse("logistic(lnsp.min,ter)"));
    }

    #[test]
    fn what_is_no_recipe() {
        for text in ["", "ter", "logistic", "logistic(", "boost(a,b)", "logistic(a,,b)", "platt()"]
        {
            assert_eq!(Recipe::parse(text), Err(WrongRecipe::Unreadable), "{text}");
        }
        let wrong = |text: &str| Recipe::parse(text).expect_err("wrong").to_string();
        assert_eq!(wrong("logistic(ter)"), "logistic takes at least two scorers");
        assert_eq!(wrong("platt(ter,vc)"), "platt takes one scorer");
        assert_eq!(wrong("logistic(ter,vc,ter)"), "a scorer is named twice");
    }
}
