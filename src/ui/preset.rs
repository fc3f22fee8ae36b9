//! Selections that one key adds and removes.

use crate::filter::{conjuncts, joined};

/// A selection that one key sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// The reference failed.
    Failures,
    /// It failed among the most confident quarter of its cell.
    ConfidentFailures,
    /// It succeeded among the least confident quarter.
    DoubtfulSuccesses,
    /// Some draws succeeded and some failed.
    Mixed,
    /// No draw succeeded, and they agree.
    Stuck,
}

impl Preset {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 5] = [
        Self::Failures,
        Self::ConfidentFailures,
        Self::DoubtfulSuccesses,
        Self::Mixed,
        Self::Stuck,
    ];

    /// The expression it stands for.
    pub fn filter(self) -> &'static str {
        match self {
            Self::Failures => "not success",
            Self::ConfidentFailures => "not success and quartile = 1",
            Self::DoubtfulSuccesses => "success and quartile = 4",
            Self::Mixed => "solved > 0 and solved < draws",
            Self::Stuck => crate::engine::STUCK_FILTER,
        }
    }

    /// Whether it says another thing of the same than another one: the later of the two stays.
    fn replaces(self, other: Self) -> bool {
        let of_reference = |preset| {
            matches!(preset, Self::Failures | Self::ConfidentFailures | Self::DoubtfulSuccesses)
        };
        let of_draws = |preset| matches!(preset, Self::Mixed | Self::Stuck);
        let contradict = |a, b| a == Self::DoubtfulSuccesses && b == Self::Stuck;
        (of_reference(self) && of_reference(other))
            || (of_draws(self) && of_draws(other))
            || contradict(self, other)
            || contradict(other, self)
    }

    /// The selection with this preset or, where it is part of it, without.
    #[must_use]
    pub fn toggled(self, selection: &str) -> String {
        let selection = selection.trim();
        let whole = Self::ALL.iter().any(|preset| preset.filter() == selection);
        let mut parts = if whole { vec![selection] } else { conjuncts(selection) };
        let before = parts.len();
        parts.retain(|part| *part != self.filter());
        if parts.len() == before {
            let replaced = |part: &str| {
                Self::ALL.into_iter().any(|other| self.replaces(other) && other.filter() == part)
            };
            parts.retain(|part| !replaced(part));
            parts.push(self.filter());
        }
        joined(&parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The selection after some presets were pressed one after the other.
    fn pressed(selection: &str, presets: &[Preset]) -> String {
        presets.iter().fold(selection.to_owned(), |text, preset| preset.toggled(&text))
    }

    #[test]
    fn presets_combine_with_what_is_typed_and_toggle() {
        use Preset::{ConfidentFailures, DoubtfulSuccesses, Failures, Mixed, Stuck};
        assert_eq!(pressed("", &[Failures]), "not success");
        assert_eq!(pressed("", &[Failures, Failures]), "");
        assert_eq!(pressed("turns > 5", &[Failures]), "turns > 5 and not success");
        assert_eq!(pressed("turns > 5", &[Failures, Failures]), "turns > 5");
        assert_eq!(pressed("a or b", &[Failures]), "(a or b) and not success");
        assert_eq!(pressed("a or b", &[Failures, Failures]), "a or b");
        assert_eq!(pressed("", &[Failures, ConfidentFailures]), ConfidentFailures.filter());
        let both = "(not success and quartile = 1) and (solved > 0 and solved < draws)";
        assert_eq!(pressed("", &[ConfidentFailures, Mixed]), both);
        assert_eq!(pressed("", &[ConfidentFailures, Mixed, ConfidentFailures]), Mixed.filter());
        assert_eq!(pressed("", &[Mixed, Stuck]), Stuck.filter());
        assert_eq!(pressed("", &[Stuck, DoubtfulSuccesses]), DoubtfulSuccesses.filter());
    }
}
