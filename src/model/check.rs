//! What a harness checked about a run, one thing at a time.

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
    /// Whether it was met; unknown where the harness does not say.
    pub met: Option<bool>,
    /// What the harness says about it: a reason, an error, a value.
    pub detail: Option<String>,
}

impl Check {
    /// A check without arguments and detail.
    pub fn new(kind: CheckKind, expected: impl Into<String>, met: Option<bool>) -> Self {
        Self { kind, expected: expected.into(), arguments: None, met, detail: None }
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
    }
}
