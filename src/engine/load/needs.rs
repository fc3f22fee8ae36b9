//! Which columns of a store are read for some numbers.

use crate::scorers::consistency::Consistency;
use crate::scorers::whitebox::Base;
use crate::scorers::{Formula, Scorer};
use crate::store::{OutlineNeeds, TurnNeeds};

/// What is read of a store beside cells, tasks, outcomes and counts.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// Scores of turns.
    pub(super) turns: TurnNeeds,
    /// Agreement of draws under these scorers.
    pub(super) consistency: Vec<Consistency>,
    /// Verdicts of judges and people.
    pub(super) verdicts: bool,
    /// Rewards, costs and how runs were graded and ended.
    pub(super) facts: bool,
    /// Values that the store holds; none where all of them are read.
    stored: Option<Vec<String>>,
}

impl Needs {
    /// Everything.
    pub fn all() -> Self {
        Self {
            turns: TurnNeeds::ALL,
            consistency: Consistency::ALL.to_vec(),
            verdicts: true,
            facts: true,
            stored: None,
        }
    }

    /// What the values of scorers of these names need: an id, or a base score with an aggregator. A name that
    /// no table has is one of values that the store holds.
    pub fn of_scorers<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut needs = Self { stored: Some(Vec::new()), ..Self::default() };
        names.into_iter().for_each(|name| needs.add(name));
        needs
    }

    /// The same with verdicts.
    #[must_use]
    pub fn with_verdicts(self) -> Self {
        Self { verdicts: true, ..self }
    }

    fn add(&mut self, name: &str) {
        let turns = &mut self.turns;
        match Scorer::parse(name).formula() {
            Some(Formula::WhiteBox(Base::Sp)) => turns.sp_log = true,
            Some(Formula::WhiteBox(Base::Lnsp)) => turns.lnsp = true,
            Some(Formula::WhiteBox(Base::Atn)) => turns.atn = true,
            Some(Formula::WhiteBox(Base::Pm)) => turns.pm = true,
            Some(Formula::Propagation(_)) => (turns.sp_log, turns.tokens) = (true, true),
            Some(Formula::Consistency(scorer)) => {
                if !self.consistency.contains(&scorer) {
                    self.consistency.push(scorer);
                }
            }
            Some(Formula::Equivalence) => self.verdicts = true,
            Some(Formula::TurnCount | Formula::ToolCount) => {}
            None => self.stored.get_or_insert_default().push(name.to_owned()),
        }
    }

    /// Whether other draws of a task are needed than the one that counts.
    pub(super) fn samples(&self) -> bool {
        self.facts || self.verdicts || !self.consistency.is_empty() || self.reads_stored()
    }

    pub(super) fn outline(&self) -> OutlineNeeds {
        OutlineNeeds { facts: self.facts, actions: !self.consistency.is_empty() }
    }

    /// Whether any values are needed that the store holds.
    pub(super) fn reads_stored(&self) -> bool {
        self.stored.as_ref().is_none_or(|names| !names.is_empty())
    }

    /// Whether values are needed that the store holds under this id; their name may add an aggregator.
    pub(super) fn stored(&self, scorer: &str) -> bool {
        let is_of = |name: &String| {
            name.strip_prefix(scorer).is_some_and(|rest| rest.is_empty() || rest.starts_with('·'))
        };
        self.stored.as_ref().is_none_or(|names| names.iter().any(is_of))
    }
}
