//! The judge whose verdicts `ter` is computed from.

use std::fmt;

use crate::model::{HUMAN, is_human};

/// Between `human` and the judge that counts where no person voted.
const ELSE: char = '>';

/// Whose verdicts make `ter`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum JudgeSpec {
    /// The verdicts of one judge.
    Judge(String),
    /// The verdicts of people where they voted, else of this judge.
    HumanElse(String),
}

impl JudgeSpec {
    /// Reads `NAME`, or `human>NAME` for people where they voted and else NAME.
    pub fn parse(text: &str) -> Self {
        match text.split_once(ELSE) {
            Some((first, other)) if first.trim() == HUMAN => {
                Self::HumanElse(other.trim().to_owned())
            }
            _ => Self::Judge(text.to_owned()),
        }
    }

    /// Whether people's votes are among the verdicts.
    pub fn is_human(&self) -> bool {
        match self {
            Self::Judge(name) => is_human(name),
            Self::HumanElse(_) => true,
        }
    }

    /// The judge as people read it: `human, else NAME`.
    pub fn words(&self) -> String {
        match self {
            Self::Judge(name) => name.clone(),
            Self::HumanElse(name) => format!("{HUMAN}, else {name}"),
        }
    }

    /// The judge, or the one that counts where no person voted.
    pub fn name(&self) -> &str {
        match self {
            Self::Judge(name) | Self::HumanElse(name) => name,
        }
    }
}

impl fmt::Display for JudgeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Judge(name) => f.write_str(name),
            Self::HumanElse(name) => write!(f, "{HUMAN}{ELSE}{name}"),
        }
    }
}

/// The judges of a store and of its votes, and the one that the user asked for.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Judges {
    pub(in crate::engine) names: Vec<String>,
    /// How many of them the store's table holds.
    of_store: usize,
    pub(super) asked: Option<JudgeSpec>,
}

/// The indices of judges; a verdict of the second replaces one of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen(pub(super) [Option<u32>; 2]);

impl Judges {
    pub(in crate::engine) fn new(names: Vec<String>, asked: Option<JudgeSpec>) -> Self {
        Self { of_store: names.len(), names, asked }
    }

    /// Forgets the judges that votes made.
    pub(super) fn without_votes(&mut self) {
        self.names.truncate(self.of_store);
    }

    pub(super) fn index(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|judge| judge == name).map(|index| index as u32)
    }

    /// The index of a judge, who is added if unknown.
    pub(super) fn index_or_new(&mut self, name: &str) -> u32 {
        self.index(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() as u32 - 1
        })
    }

    /// Whose verdicts make `ter`: those asked for, else the first model's, else people's.
    pub(super) fn current(&self) -> Option<JudgeSpec> {
        let first = || self.names.iter().find(|judge| !is_human(judge)).or(self.names.first());
        self.asked.clone().or_else(|| first().cloned().map(JudgeSpec::Judge))
    }

    pub(super) fn chosen(&self, spec: &JudgeSpec) -> Chosen {
        let over = match spec {
            JudgeSpec::Judge(_) => None,
            JudgeSpec::HumanElse(_) => self.index(HUMAN),
        };
        Chosen([self.index(spec.name()), over])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_read_as_they_are_written() {
        let composite = JudgeSpec::HumanElse("gpt > 4".to_owned());
        assert_eq!(JudgeSpec::parse("human > gpt > 4"), composite);
        assert_eq!(JudgeSpec::parse(&composite.to_string()), composite);
        for name in ["human", "human:ada", "humane>x", "a>b", ""] {
            assert_eq!(JudgeSpec::parse(name), JudgeSpec::Judge(name.to_owned()));
        }
    }

    #[test]
    fn models_are_asked_before_people() {
        let judges = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            Judges::new(names, None).current().map(|spec| spec.to_string())
        };
        assert_eq!(judges(&["human:ada", "human", "m"]).as_deref(), Some("m"));
        assert_eq!(judges(&["human"]).as_deref(), Some("human"));
        assert_eq!(judges(&[]), None);
    }
}
