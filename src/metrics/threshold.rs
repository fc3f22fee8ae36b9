//! Thresholds on a confidence: what accepting runs at or above one achieves, and the best one for an aim.

use std::fmt;

use super::TIE;
use super::curve::{Accepted, Steps};
use crate::model::Costs;

/// How many runs are accepted and reviewed, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// All runs.
    pub runs: usize,
    /// Successes among them.
    pub successes: usize,
    /// Runs that are accepted.
    pub accepted: usize,
    /// Successes among them.
    pub accepted_successes: usize,
}

/// A part of a whole; none of an empty one.
fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

impl Decision {
    /// The decision at a threshold.
    pub fn at(steps: &Steps, threshold: f64) -> Self {
        Self::of(steps.total(), steps.at(threshold))
    }

    fn of(all: Accepted, accepted: Accepted) -> Self {
        Self {
            runs: all.items,
            successes: all.hits,
            accepted: accepted.items,
            accepted_successes: accepted.hits,
        }
    }

    /// Two decisions together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            successes: self.successes + other.successes,
            accepted: self.accepted + other.accepted,
            accepted_successes: self.accepted_successes + other.accepted_successes,
        }
    }

    /// Runs that are reviewed.
    pub fn reviewed(&self) -> usize {
        self.runs - self.accepted
    }

    /// Failures among all runs.
    pub fn failures(&self) -> usize {
        self.runs - self.successes
    }

    /// Failures that are reviewed.
    pub fn failures_caught(&self) -> usize {
        self.failures() - (self.accepted - self.accepted_successes)
    }

    /// Successes that are reviewed.
    pub fn successes_lost(&self) -> usize {
        self.successes - self.accepted_successes
    }

    /// The share of runs that are accepted.
    pub fn coverage(&self) -> Option<f64> {
        self.weighed().coverage()
    }

    /// The share of successes among the accepted runs.
    pub fn retained(&self) -> Option<f64> {
        self.weighed().retained()
    }

    /// The share of failures that are reviewed.
    pub fn share_caught(&self) -> Option<f64> {
        self.weighed().share_caught()
    }

    /// The share of successes that are reviewed.
    pub fn share_lost(&self) -> Option<f64> {
        self.weighed().share_lost()
    }

    /// The expected cost of a run.
    pub fn cost(&self, costs: &Costs) -> Option<f64> {
        self.weighed().cost(costs)
    }

    fn weighed(&self) -> Weighed {
        Weighed {
            runs: self.runs as f64,
            successes: self.successes as f64,
            accepted: self.accepted as f64,
            accepted_successes: self.accepted_successes as f64,
        }
    }
}

/// A decision over runs of which each counts as often as a resample drew it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weighed {
    /// All runs.
    pub runs: f64,
    /// Successes among them.
    pub successes: f64,
    /// Runs that are accepted.
    pub accepted: f64,
    /// Successes among them.
    pub accepted_successes: f64,
}

impl Weighed {
    /// Counts a run so many times.
    pub fn add(&mut self, success: bool, accepted: bool, times: f64) {
        self.runs += times;
        if success {
            self.successes += times;
        }
        if accepted {
            self.accepted += times;
        }
        if success && accepted {
            self.accepted_successes += times;
        }
    }

    /// The share of runs that are accepted.
    pub fn coverage(&self) -> Option<f64> {
        share(self.accepted, self.runs)
    }

    /// The share of successes among the accepted runs.
    pub fn retained(&self) -> Option<f64> {
        share(self.accepted_successes, self.accepted)
    }

    /// The share of failures that are reviewed.
    pub fn share_caught(&self) -> Option<f64> {
        let failures = self.runs - self.successes;
        share(failures - (self.accepted - self.accepted_successes), failures)
    }

    /// The share of successes that are reviewed.
    pub fn share_lost(&self) -> Option<f64> {
        share(self.successes - self.accepted_successes, self.successes)
    }

    /// The expected cost of a run.
    pub fn cost(&self, costs: &Costs) -> Option<f64> {
        let failures = self.accepted - self.accepted_successes;
        let reviews = self.runs - self.accepted;
        let sum = failures * costs.failure + reviews * costs.review + self.runs * costs.run;
        share(sum, self.runs)
    }
}

/// What a threshold is to achieve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// At least this share of successes among the accepted runs; of the thresholds that keep it, the one
    /// that accepts the most.
    Success(f64),
    /// At most this share of runs reviewed; of the thresholds that keep it, the one that catches the most
    /// failures.
    Review(f64),
    /// The least expected cost; of several, the one that accepts the most.
    Cost,
    /// This confidence, whatever it achieves.
    Score(f64),
}

impl Aim {
    /// The aims that are shown where none is asked for.
    pub const USUAL: [Self; 3] = [Self::Success(0.9), Self::Review(0.2), Self::Cost];

    /// Reads `success>=0.9`, `review<=0.2`, `cost` or `score>=0.7`.
    pub fn parse(text: &str) -> Option<Self> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let part = |text: &str| number(text).filter(|share| (0.0..=1.0).contains(share));
        if text == "cost" {
            return Some(Self::Cost);
        }
        if let Some(share) = text.strip_prefix("success>=") {
            return part(share).map(Self::Success);
        }
        if let Some(share) = text.strip_prefix("review<=") {
            return part(share).map(Self::Review);
        }
        text.strip_prefix("score>=").and_then(number).map(Self::Score)
    }

    /// The best threshold on some scores; infinite where accepting nothing is best. None where no
    /// threshold achieves the aim, or where there is no score.
    pub fn choose(self, steps: &Steps, costs: &Costs) -> Option<f64> {
        let all = steps.total();
        let thresholds = steps.thresholds();
        let decision = |blocks: usize| Decision::of(all, steps.after(blocks));
        let blocks = 1..=steps.len();
        let chosen = match self {
            Self::Score(threshold) => return (!steps.is_empty()).then_some(threshold),
            Self::Success(wanted) => blocks
                .rev()
                .find(|&blocks| decision(blocks).retained().is_some_and(|s| s >= wanted - TIE))?,
            Self::Review(most) => {
                let reviewed = |blocks| decision(blocks).coverage().map(|share| 1.0 - share);
                blocks
                    .clone()
                    .find(|&blocks| reviewed(blocks).is_some_and(|share| share <= most + TIE))?
            }
            Self::Cost => {
                let cost = |blocks| decision(blocks).cost(costs).unwrap_or(f64::INFINITY);
                let mut best = (!steps.is_empty()).then(|| (0, cost(0)))?;
                for blocks in blocks {
                    let cost = cost(blocks);
                    if cost <= best.1 + TIE {
                        best = (blocks, cost);
                    }
                }
                best.0
            }
        };
        let accepted = chosen.checked_sub(1).and_then(|last| thresholds.get(last));
        Some(accepted.copied().unwrap_or(f64::INFINITY))
    }
}

impl fmt::Display for Aim {
    /// As [`Aim::parse`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Success(share) => write!(f, "success>={share}"),
            Self::Review(share) => write!(f, "review<={share}"),
            Self::Cost => f.write_str("cost"),
            Self::Score(threshold) => write!(f, "score>={threshold}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten runs, the surest first: ✓✓✓✗✓✓✗✗✓✗, the fifth and sixth tied.
    fn steps() -> Steps {
        let scores = [0.95, 0.9, 0.85, 0.8, 0.7, 0.7, 0.5, 0.4, 0.3, 0.2];
        let success = [true, true, true, false, true, true, false, false, true, false];
        Steps::new(&scores, &success)
    }

    #[test]
    fn a_decision_counts_and_costs() {
        let decision = Decision::at(&steps(), 0.7);
        assert_eq!((decision.accepted, decision.reviewed()), (6, 4));
        assert_eq!((decision.failures_caught(), decision.successes_lost()), (3, 1));
        assert_eq!(decision.coverage(), Some(0.6));
        assert_eq!(decision.retained(), Some(5.0 / 6.0));
        assert_eq!(decision.share_caught(), Some(0.75));
        assert_eq!(decision.share_lost(), Some(1.0 / 6.0));
        // One accepted failure, four reviews, ten runs.
        let costs = Costs { failure: 7.0, review: 2.0, run: 0.5 };
        assert_eq!(decision.cost(&costs), Some((7.0 + 8.0 + 5.0) / 10.0));
        let nothing = Decision::at(&steps(), f64::INFINITY);
        assert_eq!((nothing.retained(), nothing.share_caught()), (None, Some(1.0)));
        assert_eq!(Decision::default().coverage(), None);
    }

    #[test]
    fn the_best_threshold_of_every_aim() {
        let (steps, costs) = (steps(), Costs::default());
        let best = |aim: Aim| aim.choose(&steps, &costs);
        // Coverage .6 keeps 5/6; coverage .3 keeps all.
        assert_eq!(best(Aim::Success(0.8)), Some(0.7));
        assert_eq!(best(Aim::Success(0.9)), Some(0.85));
        assert_eq!(best(Aim::Success(0.5)), Some(0.2));
        assert_eq!(Aim::Success(0.9).choose(&Steps::new(&[0.1], &[false]), &costs), None);
        // At most .35 reviewed: three of ten.
        assert_eq!(best(Aim::Review(0.35)), Some(0.5));
        assert_eq!(best(Aim::Review(0.0)), Some(0.2));
        assert_eq!(best(Aim::Review(1.0)), Some(0.95));
        // A failure costs ten reviews: accepting the first three costs 7, the first six 14.
        assert_eq!(best(Aim::Cost), Some(0.85));
        let cheap = Costs { failure: 1.0, review: 10.0, run: 3.0 };
        assert_eq!(Aim::Cost.choose(&steps, &cheap), Some(0.2));
        let hopeless = Steps::new(&[0.5, 0.4], &[false, false]);
        assert_eq!(Aim::Cost.choose(&hopeless, &costs), Some(f64::INFINITY));
        assert_eq!(best(Aim::Score(0.33)), Some(0.33));
        for aim in [Aim::Cost, Aim::Score(0.5), Aim::Review(0.5), Aim::Success(0.0)] {
            assert_eq!(aim.choose(&Steps::default(), &costs), None, "{aim}");
        }
    }

    #[test]
    fn aims_are_read_as_they_are_written() {
        for aim in [Aim::Success(0.9), Aim::Review(0.25), Aim::Cost, Aim::Score(-3.5)] {
            assert_eq!(Aim::parse(&aim.to_string()), Some(aim));
        }
        assert_eq!(Aim::parse(" success >= 0.9 "), Some(Aim::Success(0.9)));
        for wrong in ["success>=1.2", "review>=0.2", "review<=", "costs", "score>=inf", ""] {
            assert_eq!(Aim::parse(wrong), None, "{wrong}");
        }
    }
}
