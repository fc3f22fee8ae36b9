//! Whether a candidate is not worse than its baseline by more than a margin.

use std::fmt;

use super::{CellVersus, Compared, Pass};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Interval;
use crate::scorers::Scorer;

/// The number that a gate looks at.
#[derive(Clone, Debug, PartialEq)]
pub enum Gauge {
    /// The share of draws that succeed.
    Success,
    /// Success in some number of draws.
    Pass(Pass, u32),
    /// A metric of a scorer.
    Metric(Metric, Scorer),
}

impl Gauge {
    /// Reads `success`, `pass@3` or `passk:3`, `pass^3`, or a metric with a scorer such as `auroc:ter`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "success" {
            return Some(Self::Success);
        }
        let draws = |number: &str| number.parse().ok().filter(|draws| *draws > 0);
        for (prefix, pass) in [("passk:", Pass::At), ("pass@", Pass::At), ("pass^", Pass::Hat)] {
            if let Some(number) = text.strip_prefix(prefix) {
                return Some(Self::Pass(pass, draws(number)?));
            }
        }
        let (metric, scorer) = text.split_once(':')?;
        let scorer = Some(scorer).filter(|scorer| !scorer.is_empty())?;
        Some(Self::Metric(Metric::parse(metric)?, Scorer::parse(&Scorer::typed(scorer))))
    }

    /// Whether a larger value is better.
    pub fn higher_is_better(&self) -> bool {
        match self {
            Self::Success | Self::Pass(..) => true,
            Self::Metric(metric, _) => metric.higher_is_better(),
        }
    }

    /// Whether its values are shares, whose differences people read in points.
    pub fn is_share(&self) -> bool {
        !matches!(self, Self::Metric(..))
    }

    /// Its values in two cells that were compared.
    pub fn of(&self, one: &CellVersus) -> Compared {
        let versus = &one.versus;
        match self {
            Self::Success => versus.success,
            Self::Pass(pass, k) => {
                let found = versus.passes.iter().find(|(draws, _)| draws == k);
                found.map(|(_, both)| both[usize::from(*pass == Pass::Hat)]).unwrap_or_default()
            }
            Self::Metric(_, scorer) => {
                let found = versus.scorers.iter().find(|found| found.scorer == *scorer);
                found.map(|found| found.compared).unwrap_or_default()
            }
        }
    }
}

impl fmt::Display for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Success => f.write_str("success"),
            Self::Pass(pass, k) => f.write_str(&pass.name(*k)),
            Self::Metric(metric, scorer) => write!(f, "{} of {scorer}", metric.id()),
        }
    }
}

/// What a gate decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// The whole interval of the difference is above the margin below 0.
    NotWorse,
    /// The interval reaches below the margin, and is not wholly below 0.
    Inconclusive,
    /// The whole interval is below 0, and it reaches below the margin.
    Worse,
}

impl Decision {
    /// Decides on a difference, of which larger is better unless stated; without an interval nothing is
    /// decided.
    pub fn of(compared: &Compared, margin: f64, higher_is_better: bool) -> Self {
        let Some(Interval { lo, hi, .. }) = compared.interval else { return Self::Inconclusive };
        let (lo, hi) = if higher_is_better { (lo, hi) } else { (-hi, -lo) };
        match () {
            () if lo > -margin => Self::NotWorse,
            () if hi < 0.0 => Self::Worse,
            () => Self::Inconclusive,
        }
    }

    /// The decision on several cells: one that is worse makes all worse, and else one that is inconclusive
    /// leaves all inconclusive. None without a cell.
    pub fn together(decisions: impl IntoIterator<Item = Self>) -> Option<Self> {
        decisions.into_iter().max()
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotWorse => "not worse",
            Self::Inconclusive => "inconclusive",
            Self::Worse => "worse",
        }
    }

    /// The exit code of a command that decides so.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::NotWorse => 0,
            Self::Worse => 3,
            Self::Inconclusive => 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauges_as_they_are_written() {
        let metric = |scorer| Some(Gauge::Metric(Metric::Auroc, Scorer::parse(scorer)));
        let cases = [
            ("success", Some(Gauge::Success)),
            ("passk:3", Some(Gauge::Pass(Pass::At, 3))),
            ("pass@2", Some(Gauge::Pass(Pass::At, 2))),
            ("pass^4", Some(Gauge::Pass(Pass::Hat, 4))),
            ("auroc:lnsp.min", metric("lnsp.min")),
            ("auroc:LNSP·min", metric("lnsp.min")),
            ("auroc:mine", metric("mine")),
            ("brier:vc", Some(Gauge::Metric(Metric::Brier, Scorer::parse("vc")))),
        ];
        for (text, gauge) in cases {
            assert_eq!(Gauge::parse(text), gauge, "{text}");
        }
        for wrong in ["", "passk", "pass@0", "pass@x", "auroc", "auroc:", "luck:ter"] {
            assert_eq!(Gauge::parse(wrong), None, "{wrong}");
        }
    }

    fn decided(lo: f64, hi: f64, higher_is_better: bool) -> Decision {
        let interval = Some(Interval { lo, hi, skipped: 0 });
        Decision::of(&Compared { interval, ..Compared::default() }, 0.02, higher_is_better)
    }

    #[test]
    fn the_interval_decides() {
        assert_eq!(decided(-0.01, 0.05, true), Decision::NotWorse);
        assert_eq!(decided(-0.015, -0.005, true), Decision::NotWorse, "worse, within the margin");
        assert_eq!(decided(-0.02, 0.05, true), Decision::Inconclusive, "the margin itself");
        assert_eq!(decided(-0.08, 0.0, true), Decision::Inconclusive, "0 is inside");
        assert_eq!(decided(-0.08, -0.01, true), Decision::Worse);
        // Where less is better, the same the other way round.
        assert_eq!(decided(-0.08, 0.01, false), Decision::NotWorse);
        assert_eq!(decided(0.01, 0.08, false), Decision::Worse);
        assert_eq!(decided(-0.01, 0.08, false), Decision::Inconclusive);
        let none = Decision::of(&Compared::default(), 0.02, true);
        assert_eq!(none, Decision::Inconclusive, "no interval");
    }

    #[test]
    fn the_worst_cell_decides() {
        use Decision::{Inconclusive, NotWorse, Worse};
        assert_eq!(Decision::together([NotWorse, Inconclusive]), Some(Inconclusive));
        assert_eq!(Decision::together([Inconclusive, Worse, NotWorse]), Some(Worse));
        assert_eq!(Decision::together([NotWorse; 2]), Some(NotWorse));
        assert_eq!(Decision::together([]), None);
        assert_eq!([NotWorse, Worse, Inconclusive].map(Decision::exit_code), [0, 3, 4]);
    }
}
