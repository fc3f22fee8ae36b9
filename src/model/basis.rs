//! What a reward is made of.

use std::sync::Arc;

use super::{CheckKind, CheckKinds};

/// What a reward is made of: the harness's ids of its parts, each once, in the order of
/// [`CheckKind::ALL`], other ids behind them by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Basis(Arc<str>);

impl Basis {
    /// What stands between two ids.
    const JOINT: char = '+';

    /// A basis of these parts, in any order.
    pub fn new<T: AsRef<str>>(ids: impl IntoIterator<Item = T>) -> Self {
        let ids: Vec<T> = ids.into_iter().collect();
        let mut ids: Vec<&str> =
            ids.iter().flat_map(|id| id.as_ref().split(Self::JOINT)).map(str::trim).collect();
        ids.retain(|id| !id.is_empty());
        let rank = |id: &str| {
            let kind = CheckKind::of_basis(id);
            CheckKind::ALL.iter().position(|known| Some(*known) == kind).unwrap_or(usize::MAX)
        };
        ids.sort_by(|a, b| (rank(a), *a).cmp(&(rank(b), *b)));
        ids.dedup();
        Self(ids.join("+").into())
    }

    /// The ids, joined by `+`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The ids.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.split(Self::JOINT).filter(|id| !id.is_empty())
    }

    /// The kinds of checks that the parts are about.
    pub fn kinds(&self) -> CheckKinds {
        self.ids().filter_map(CheckKind::of_basis).collect()
    }

    /// Whether a judge decides a part of the reward.
    pub fn is_judged(&self) -> bool {
        self.kinds().contains(CheckKind::Language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_harness_does_not_matter() {
        let basis = Basis::new(["COMMUNICATE", "STYLE", "DB", "COMMUNICATE", " "]);
        assert_eq!(basis.as_str(), "DB+COMMUNICATE+STYLE");
        assert_eq!(basis, Basis::new(["STYLE+DB", "COMMUNICATE"]));
        assert_eq!(basis.ids().collect::<Vec<_>>(), ["DB", "COMMUNICATE", "STYLE"]);
        assert_eq!(basis.kinds().names(), "database+communicated");
        assert!(!basis.is_judged() && Basis::new(["NL_ASSERTION"]).is_judged());
        assert_eq!(Basis::new([""]).ids().count(), 0);
    }
}
