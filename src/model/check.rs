//! What a harness checked about a run, one thing at a time.

use super::{Basis, Trajectory};

/// What a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckKind {
    /// The final state of the database.
    Database,
    /// A call that the agent should have made.
    Action,
    /// An assertion about the environment.
    Environment,
    /// Something that the user had to be told.
    Communicated,
    /// An assertion in natural language, decided by a judge.
    Language,
    /// The harness's own checker, whatever it looks at.
    Checker,
    /// A named score of the run.
    Score,
}

impl CheckKind {
    /// All kinds, in the order of lists.
    pub const ALL: [Self; 7] = [
        Self::Database,
        Self::Action,
        Self::Environment,
        Self::Communicated,
        Self::Language,
        Self::Checker,
        Self::Score,
    ];

    /// The name in tables and filters.
    pub fn id(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Action => "action",
            Self::Environment => "environment",
            Self::Communicated => "communicated",
            Self::Language => "language",
            Self::Checker => "checker",
            Self::Score => "score",
        }
    }

    /// The kind with this name.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == id)
    }

    /// The kind that a part of a reward's basis is about, by the id that tau2-bench gives it or by its
    /// name here.
    pub fn of_basis(id: &str) -> Option<Self> {
        Some(match id {
            "DB" => Self::Database,
            "ACTION" => Self::Action,
            "ENV_ASSERTION" => Self::Environment,
            "COMMUNICATE" => Self::Communicated,
            "NL_ASSERTION" => Self::Language,
            name => return Self::parse(name),
        })
    }

    /// Its bit in a set of kinds.
    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of kinds of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CheckKinds(u8);

impl CheckKinds {
    /// The set of all kinds.
    pub fn all() -> Self {
        CheckKind::ALL.into_iter().collect()
    }

    /// Adds a kind.
    pub fn insert(&mut self, kind: CheckKind) {
        self.0 |= kind.bit();
    }

    /// Whether the kind is in the set.
    pub fn contains(self, kind: CheckKind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// Whether no kind is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds that are in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The kinds that are in one of the sets.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds, in the order of lists.
    pub fn iter(self) -> impl Iterator<Item = CheckKind> {
        CheckKind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }

    /// The names of the kinds, joined by `+`.
    pub fn names(self) -> String {
        self.iter().map(CheckKind::id).collect::<Vec<_>>().join("+")
    }
}

impl FromIterator<CheckKind> for CheckKinds {
    fn from_iter<I: IntoIterator<Item = CheckKind>>(kinds: I) -> Self {
        let mut set = Self::default();
        kinds.into_iter().for_each(|kind| set.insert(kind));
        set
    }
}

/// One thing that a harness checked about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What it is about.
    pub kind: CheckKind,
    /// What was expected, in the harness's words: an assertion, a name of a score, or the tool that
    /// should have been called.
    pub expected: String,
    /// The arguments of an expected call, as compact JSON.
    pub arguments: Option<String>,
    /// The arguments that the harness compares; without such a list, those that a call passes.
    pub compared: Option<Vec<String>>,
    /// Whether it was met; unknown where the harness does not say.
    pub met: Option<bool>,
    /// What the harness says about it: a reason, an error, a value.
    pub detail: Option<String>,
}

impl Check {
    /// A check without arguments and detail.
    pub fn new(kind: CheckKind, expected: impl Into<String>, met: Option<bool>) -> Self {
        Self { kind, expected: expected.into(), arguments: None, compared: None, met, detail: None }
    }
}

/// What the checks of a run come to, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckSummary {
    /// What the reward is made of; unknown when the results do not say.
    pub basis: Option<Basis>,
    /// The kinds that the run has a check of.
    pub made: CheckKinds,
    /// The kinds with a check whose verdict is known.
    pub decided: CheckKinds,
    /// The kinds with a check that was not met.
    pub failed: CheckKinds,
}

impl CheckSummary {
    /// The summary of a run.
    pub fn of(run: &Trajectory) -> Self {
        let mut summary = Self { basis: run.head.outcome.basis.clone(), ..Self::default() };
        run.checks.iter().for_each(|check| summary.add(check.kind, check.met));
        summary
    }

    /// Adds a check.
    pub fn add(&mut self, kind: CheckKind, met: Option<bool>) {
        self.made.insert(kind);
        if let Some(met) = met {
            self.decided.insert(kind);
            if !met {
                self.failed.insert(kind);
            }
        }
    }

    /// Adds the checks of another summary of the same run.
    pub fn merge(&mut self, other: &Self) {
        self.made = self.made.or(other.made);
        self.decided = self.decided.or(other.decided);
        self.failed = self.failed.or(other.failed);
    }

    /// The kinds that the reward is made of; all where the results do not say.
    pub fn counted(&self) -> CheckKinds {
        self.basis.as_ref().map_or_else(CheckKinds::all, Basis::kinds)
    }

    /// The kinds of the basis that failed.
    pub fn deciding(&self) -> CheckKinds {
        self.failed.and(self.counted())
    }

    /// The names of the kinds of the basis that failed, joined by `+`: empty where none did, absent
    /// where no verdict of such a kind is known.
    pub fn failed_names(&self) -> Option<String> {
        (!self.decided.and(self.counted()).is_empty()).then(|| self.deciding().names())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for kind in CheckKind::ALL {
            assert_eq!(CheckKind::parse(kind.id()), Some(kind));
        }
        assert_eq!(CheckKind::parse("luck"), None);
        assert_eq!(CheckKind::of_basis("NL_ASSERTION"), Some(CheckKind::Language));
        assert_eq!(CheckKind::of_basis("score"), Some(CheckKind::Score));
        assert_eq!(CheckKind::of_basis("luck"), None);
    }

    #[test]
    fn only_kinds_of_the_basis_decide() {
        let mut summary = CheckSummary::default();
        assert_eq!(summary.failed_names(), None);
        summary.add(CheckKind::Action, Some(false));
        summary.add(CheckKind::Action, Some(true));
        summary.add(CheckKind::Database, Some(true));
        summary.add(CheckKind::Language, None);
        assert_eq!(summary.failed_names().as_deref(), Some("action"), "without a basis all count");
        summary.basis = Some(Basis::new(["DB", "COMMUNICATE"]));
        assert_eq!(summary.failed_names().as_deref(), Some(""));
        summary.add(CheckKind::Communicated, Some(false));
        summary.add(CheckKind::Database, Some(false));
        assert_eq!(summary.failed_names().as_deref(), Some("database+communicated"));
        summary.basis = Some(Basis::new(["NL_ASSERTION"]));
        assert_eq!(summary.failed_names(), None, "no assertion has a verdict");
        assert_eq!(summary.made.names(), "database+action+communicated+language");
    }
}
