//! A scorer as users choose it: a row of the table, or values that a user imported.

use std::fmt;

use super::aggregate::Aggregator;
use super::consistency::Consistency;
use super::propagation::Propagation;
use super::whitebox::Base;
use super::{Family, Formula, Level, SPECS, Spec};

/// Between a base score and its aggregator on screen; flags also take a dot.
const JOINT: char = '·';

/// A map from a trajectory (and its samples) to a confidence.
#[derive(Clone, Debug, PartialEq)]
pub enum Scorer {
    /// A turn score under a cross-turn aggregator.
    WhiteBox(Base, Aggregator),
    /// A propagation control.
    Propagation(Propagation),
    /// Agreement of action types with the samples.
    Consistency(Consistency),
    /// The share of samples that a judge calls outcome-equivalent.
    Ter,
    /// Minus the number of agent turns.
    Turns,
    /// Minus the number of the agent's tool calls.
    Tools,
    /// Values that only the store holds: by a model, or brought by a user.
    Stored(String),
}

impl Scorer {
    /// The scorers that need nothing but the store, white-box ones under the paper's aggregators.
    pub fn offline() -> Vec<Self> {
        let formulas = SPECS.iter().filter_map(|spec| Some((spec.level, spec.formula?)));
        let scorers = formulas.flat_map(|(level, formula)| {
            let rules =
                if level == Level::Turn { &Aggregator::PAPER[..] } else { &Aggregator::PAPER[..1] };
            rules.iter().map(move |rule| Self::computed(formula, *rule))
        });
        scorers.collect()
    }

    /// The scorer of a formula; the aggregator counts for turn scores only.
    pub fn computed(formula: Formula, rule: Aggregator) -> Self {
        match formula {
            Formula::WhiteBox(base) => Self::WhiteBox(base, rule),
            Formula::Propagation(weights) => Self::Propagation(weights),
            Formula::Consistency(measure) => Self::Consistency(measure),
            Formula::Equivalence => Self::Ter,
            Formula::TurnCount => Self::Turns,
            Formula::ToolCount => Self::Tools,
        }
    }

    /// The scorer of a row of the table; of turn scores, under the usual aggregator.
    pub fn of_spec(spec: &Spec) -> Self {
        match spec.formula {
            Some(formula) => Self::computed(formula, Aggregator::default()),
            None => Self::Stored(spec.id.to_owned()),
        }
    }

    /// Whether the paper's main table would list it: of the white-box scorers only SP, LNSP and ATN
    /// under four of its aggregators.
    pub fn is_in_main_table(&self) -> bool {
        let Self::WhiteBox(base, rule) = self else { return true };
        matches!(base, Base::Sp | Base::Lnsp | Base::Atn) && Aggregator::MAIN_TABLE.contains(rule)
    }

    /// How the engine computes it; none when the store holds the values.
    pub fn formula(&self) -> Option<Formula> {
        Some(match self {
            Self::WhiteBox(base, _) => Formula::WhiteBox(*base),
            Self::Propagation(weights) => Formula::Propagation(*weights),
            Self::Consistency(measure) => Formula::Consistency(*measure),
            Self::Ter => Formula::Equivalence,
            Self::Turns => Formula::TurnCount,
            Self::Tools => Formula::ToolCount,
            Self::Stored(_) => return None,
        })
    }

    /// The scorer of that name: an id, or a base score with an aggregator such as `lnsp.window-3`. A
    /// base score alone is under the default aggregator; an unknown name is a score in the store.
    pub fn parse(name: &str) -> Self {
        Self::parse_white_box(name).unwrap_or_else(|| {
            match Spec::find(name).and_then(|spec| spec.formula) {
                Some(formula) => Self::computed(formula, Aggregator::default()),
                None => Self::Stored(name.to_owned()),
            }
        })
    }

    /// A white-box scorer by base score and aggregator, such as `lnsp.window-3`.
    pub fn parse_white_box(name: &str) -> Option<Self> {
        let (base, rule) = name.split_once(['.', JOINT])?;
        match Spec::find(base)?.formula? {
            Formula::WhiteBox(base) => Some(Self::WhiteBox(base, Aggregator::parse(rule)?)),
            _ => None,
        }
    }

    /// A name that a person typed as [`Scorer::parse`] reads it: one of the table's in any case of
    /// letters, any other exactly as it is.
    pub fn typed(name: &str) -> String {
        let lower = name.to_lowercase().replace(JOINT, ".");
        let id = lower.split('.').next().unwrap_or_default();
        if Spec::find(id).is_some() { lower } else { name.to_owned() }
    }

    /// The row of the table; none for a score that a user brought.
    pub fn spec(&self) -> Option<&'static Spec> {
        match self {
            Self::Stored(name) => Spec::find(name),
            _ => self.formula().map(Formula::spec),
        }
    }

    /// The id, without the aggregator.
    pub fn id(&self) -> &str {
        match self {
            Self::Stored(name) => name,
            _ => self.spec().map_or("", |spec| spec.id),
        }
    }

    /// The name on screen: acronyms in capitals, as the paper writes them.
    pub fn label(&self) -> String {
        let label = self.spec().map_or(self.id(), |spec| spec.label);
        match self.aggregator() {
            Some(rule) => format!("{label}{JOINT}{}", rule.id()),
            None => label.to_owned(),
        }
    }

    /// The name as flags and stores write it: `lnsp.min`, `aec`.
    pub fn flag(&self) -> String {
        match self.aggregator() {
            Some(rule) => format!("{}.{}", self.id(), rule.id()),
            None => self.id().to_owned(),
        }
    }

    /// The name as a column of a filter: `lnsp_min`, `prop_pos`.
    pub fn column(&self) -> String {
        let word = |c: char| if c.is_alphanumeric() { c } else { '_' };
        self.to_string().chars().map(word).collect()
    }

    /// The base score of a white-box scorer.
    pub fn base(&self) -> Option<Base> {
        match self {
            Self::WhiteBox(base, _) => Some(*base),
            _ => None,
        }
    }

    /// The aggregator, where there is one.
    pub fn aggregator(&self) -> Option<Aggregator> {
        match self {
            Self::WhiteBox(_, rule) => Some(*rule),
            _ => None,
        }
    }

    /// The family it is listed under.
    pub fn family(&self) -> Family {
        self.spec().map_or(Family::Brought, |spec| spec.family)
    }

    /// The position in the order of lists: by family, then by the table, brought ones last.
    pub fn position(&self) -> (usize, usize) {
        let row = SPECS.iter().position(|spec| spec.id == self.id());
        (self.family().position(), row.unwrap_or(SPECS.len()))
    }
}

impl fmt::Display for Scorer {
    /// `lnsp·min`, `aec`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())?;
        match self.aggregator() {
            Some(rule) => write!(f, "{JOINT}{}", rule.id()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::scorers::Need;

    /// Every formula there is: those of each family's list, and those without a list.
    fn formulas() -> Vec<Formula> {
        let white_box = Base::ALL.map(Formula::WhiteBox);
        let propagation = Propagation::ALL.map(Formula::Propagation);
        let consistency = Consistency::ALL.map(Formula::Consistency);
        let rest = [Formula::Equivalence, Formula::TurnCount, Formula::ToolCount];
        white_box.into_iter().chain(propagation).chain(consistency).chain(rest).collect()
    }

    #[test]
    fn every_scorer_is_one_row() {
        let all = formulas();
        for formula in &all {
            let rows = SPECS.iter().filter(|spec| spec.formula == Some(*formula));
            assert_eq!(rows.count(), 1, "{formula:?}");
            let scorer = Scorer::computed(*formula, Aggregator::Min);
            assert_eq!(scorer.formula(), Some(*formula));
            assert_eq!(scorer.id(), formula.id());
        }
        for formula in SPECS.iter().filter_map(|spec| spec.formula) {
            assert!(all.contains(&formula), "{formula:?} is not in the list of its family");
        }
        let ids: HashSet<&str> = SPECS.iter().map(|spec| spec.id).collect();
        assert_eq!(ids.len(), SPECS.len(), "an id is given twice");
        let labels: HashSet<&str> = SPECS.iter().map(|spec| spec.label).collect();
        assert_eq!(labels.len(), SPECS.len(), "a label is given twice");
    }

    #[test]
    fn rows_do_not_contradict_themselves() {
        for spec in &SPECS {
            let id = spec.id;
            assert!(spec.id == spec.id.to_lowercase() && !spec.id.contains(['.', JOINT]), "{id}");
            assert_eq!(spec.level == Level::Pair, spec.needs(Need::Samples), "{id}");
            assert_eq!(spec.level == Level::Pair, spec.family.is_consistency(), "{id}");
            assert_eq!(
                spec.level == Level::Turn,
                matches!(spec.formula, Some(Formula::WhiteBox(_))),
                "{id}"
            );
            let model = spec.needs.iter().any(|need| need.model().is_some());
            // Verdicts of a judge lie in the store, and the rest is computed from them.
            let judged = spec.needs(Need::Judge);
            assert_eq!(model && !judged, spec.formula.is_none(), "{id}");
        }
        assert!(SPECS.is_sorted_by_key(|spec| spec.family.position()));
        assert!(Scorer::offline().is_sorted_by_key(Scorer::position));
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for scorer in Scorer::offline() {
            assert_eq!(Scorer::parse(&scorer.to_string()), scorer);
            assert_eq!(Scorer::parse(&scorer.to_string().replace(JOINT, ".")), scorer);
            let typed = Scorer::typed(&scorer.to_string().to_uppercase());
            assert_eq!(Scorer::parse(&typed), scorer);
        }
        let lnsp = |rule| Scorer::WhiteBox(Base::Lnsp, rule);
        assert_eq!(Scorer::parse("lnsp"), lnsp(Aggregator::Min));
        assert_eq!(Scorer::parse("lnsp.window-3"), lnsp(Aggregator::Window { turns: 3 }));
        for name in ["ptrue", "mine", "ter.min", "lnsp.most", "mine.min", "LNSP"] {
            assert_eq!(Scorer::parse(name), Scorer::Stored(name.to_owned()));
        }
        assert_eq!(Scorer::typed("P.Mine"), "P.Mine");
    }

    #[test]
    fn labels_and_families_of_stored_scores() {
        let stored = |name: &str| Scorer::Stored(name.to_owned());
        assert_eq!(
            (stored("ptrue").label().as_str(), stored("ptrue").family()),
            ("P(True)", Family::Reflexive)
        );
        assert_eq!(
            (stored("Mine").label().as_str(), stored("Mine").family()),
            ("Mine", Family::Brought)
        );
        assert_eq!(Scorer::parse("lnsp").label(), "LNSP·min");
    }
}
