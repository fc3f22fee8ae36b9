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

    /// Cohen's κ: agreement beyond what the judges' rates would give by chance. None where chance
    /// alone would make them agree on everything.
    pub fn kappa(&self) -> Option<f64> {
        let observed = self.agreement()?;
        let said = share(self.true_positives + self.false_positives, self.total())?;
        let truth = share(self.true_positives + self.false_negatives, self.total())?;
        let chance = said * truth + (1.0 - said) * (1.0 - truth);
        (chance < 1.0).then(|| (observed - chance) / (1.0 - chance))
    }

    /// Share of true items among those said to be true.
    pub fn precision(&self) -> Option<f64> {
        share(self.true_positives, self.true_positives + self.false_positives)
    }

    /// Share of true items that were said to be true.
    pub fn recall(&self) -> Option<f64> {
        share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// Harmonic mean of precision and recall.
    pub fn f1(&self) -> Option<f64> {
        let errors = self.false_positives + self.false_negatives;
        share(2.0 * self.true_positives, 2.0 * self.true_positives + errors)
    }
}

fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
