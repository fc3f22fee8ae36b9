use std::fmt;

use crate::model::{HUMAN, is_human};

/// Between `human` and the judge that is asked where no person said anything.
const ELSE: char = '>';

/// Whose verdicts make `ter`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum JudgeSpec {
    /// Those of one judge.
    Judge(String),
    /// Those of people where there are any, else those of this judge.
    HumanElse(String),
}

impl JudgeSpec {
    /// Reads `NAME`, or `human>NAME` for people where they said something and else NAME.
    pub fn parse(text: &str) -> Self {
        match text.split_once(ELSE) {
            Some((first, other)) if first.trim() == HUMAN => {
                Self::HumanElse(other.trim().to_owned())
            }
            _ => Self::Judge(text.to_owned()),
        }
    }

    /// The judge, or the one that is asked where no person said anything.
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

/// The judges of a store and of its votes, and which one is asked for.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Judges {
    pub(in crate::engine) names: Vec<String>,
    /// How many of them the store's table holds.
    of_store: usize,
    pub(super) asked: Option<JudgeSpec>,
}

/// The places of judges: the second one's word goes over the first one's.
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

    pub(super) fn place(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|own| own == name).map(|place| place as u32)
    }

    /// The place of a judge, who is added where unknown.
    pub(super) fn place_or_new(&mut self, name: &str) -> u32 {
        self.place(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() as u32 - 1
        })
    }

    /// Whose verdicts make `ter`: those asked for, else the first model's, else people's.
    pub(super) fn current(&self) -> Option<JudgeSpec> {
        let first = || self.names.iter().find(|own| !is_human(own)).or(self.names.first());
        self.asked.clone().or_else(|| first().cloned().map(JudgeSpec::Judge))
    }

    pub(super) fn chosen(&self, spec: &JudgeSpec) -> Chosen {
        let over = match spec {
            JudgeSpec::Judge(_) => None,
            JudgeSpec::HumanElse(_) => self.place(HUMAN),
        };
        Chosen([self.place(spec.name()), over])
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
            Judges::new(names, None).current().map(|own| own.to_string())
        };
        assert_eq!(judges(&["human:ada", "human", "m"]).as_deref(), Some("m"));
        assert_eq!(judges(&["human"]).as_deref(), Some("human"));
        assert_eq!(judges(&[]), None);
    }
}
