//! Agreement of judges with each other and with the truth.

/// Counts of what was said compared with what is true, or with what another said. They may be
/// weighted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Confusion {
    /// Said yes, and it is.
    pub true_positives: f64,
    /// Said yes, and it is not.
    pub false_positives: f64,
    /// Said no, but it is.
    pub false_negatives: f64,
    /// Said no, and it is not.
    pub true_negatives: f64,
}

impl From<[f64; 4]> for Confusion {
    fn from(counts: [f64; 4]) -> Self {
        let [true_positives, false_positives, false_negatives, true_negatives] = counts;
        Self { true_positives, false_positives, false_negatives, true_negatives }
    }
}

impl Confusion {
    /// Counts what was said and what is true.
    pub fn new(said: &[bool], truth: &[bool]) -> Self {
        let mut counts = [0.0; 4];
        said.iter().zip(truth).for_each(|(said, truth)| counts[Self::field(*said, *truth)] += 1.0);
        Self::from(counts)
    }

    /// Which of the four counts an item belongs to.
    pub fn field(said: bool, truth: bool) -> usize {
        match (said, truth) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        }
    }

    /// All items.
    pub fn total(&self) -> f64 {
        self.true_positives + self.false_positives + self.false_negatives + self.true_negatives
    }

    /// Share of items on which both say the same.
    pub fn agreement(&self) -> Option<f64> {
        share(self.true_positives + self.true_negatives, self.total())
    }

    /// Cohen's κ: agreement beyond what the judges' rates would give by chance. None where one side
    /// says the same of all items: observed and expected agreement are then equal whatever the other
    /// says, so that κ is 0, or 0/0 where both say the same, and measures nothing.
    pub fn kappa(&self) -> Option<f64> {
        if self.minority() <= 0.0 {
            return None;
        }
        let observed = self.agreement()?;
        let said = share(self.true_positives + self.false_positives, self.total())?;
        let truth = share(self.true_positives + self.false_negatives, self.total())?;
        let chance = said * truth + (1.0 - said) * (1.0 - truth);
        (chance < 1.0).then(|| (observed - chance) / (1.0 - chance))
    }

    /// Items of the rarer answer, on the side where it is rarer.
    pub fn minority(&self) -> f64 {
        let said = self.true_positives + self.false_positives;
        let truth = self.true_positives + self.false_negatives;
        let rarer = |count: f64| count.min(self.total() - count);
        rarer(said).min(rarer(truth))
    }

    /// Share of true items among those said to be true; none where all items are of one kind, since
    /// precision is then 0 or 1 whatever is said.
    pub fn precision(&self) -> Option<f64> {
        let said = share(self.true_positives, self.true_positives + self.false_positives);
        said.filter(|_| self.has_both_kinds())
    }

    /// Share of true items that were said to be true.
    pub fn recall(&self) -> Option<f64> {
        share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// Harmonic mean of precision and recall; none where precision has no meaning.
    pub fn f1(&self) -> Option<f64> {
        let errors = self.false_positives + self.false_negatives;
        let mean = share(2.0 * self.true_positives, 2.0 * self.true_positives + errors);
        mean.filter(|_| self.has_both_kinds())
    }

    /// Whether some items are true and some are not.
    fn has_both_kinds(&self) -> bool {
        self.true_positives + self.false_negatives > 0.0
            && self.false_positives + self.true_negatives > 0.0
    }
}

fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_alone_has_no_precision() {
        let said = [true, false, true];
        let none_is = Confusion::new(&said, &[false; 3]);
        assert_eq!((none_is.precision(), none_is.recall(), none_is.f1()), (None, None, None));
        let all_are = Confusion::new(&said, &[true; 3]);
        assert_eq!((all_are.precision(), all_are.f1()), (None, None));
        assert_eq!(all_are.recall(), Some(2.0 / 3.0));
        let both = Confusion::new(&said, &[true, false, false]);
        assert_eq!((both.precision(), both.recall()), (Some(0.5), Some(1.0)));
    }

    #[test]
    fn one_answer_alone_has_no_kappa() {
        // from sklearn.metrics import cohen_kappa_score as kappa
        // kappa([1, 0, 1], [1, 1, 1]) gives 0.0 and kappa([1, 1, 1], [1, 1, 1]) gives nan: neither
        // says how far two judges agree.
        let mixed = [true, false, true];
        assert_eq!(Confusion::new(&mixed, &[true; 3]).kappa(), None);
        assert_eq!(Confusion::new(&[false; 3], &mixed).kappa(), None);
        assert_eq!(Confusion::new(&[true; 3], &[true; 3]).kappa(), None);
        assert_eq!(Confusion::default().kappa(), None);
        // kappa([1, 0, 1], [1, 1, 0]) gives -0.5
        let kappa = Confusion::new(&mixed, &[true, true, false]).kappa().expect("defined");
        assert!((kappa + 0.5).abs() < 1e-12, "{kappa}");
    }
}
