//! Agreement of judges with each other and with the truth.

/// Share of items on which two judges say the same.
pub fn agreement(a: &[bool], b: &[bool]) -> Option<f64> {
    let same = a.iter().zip(b).filter(|(a, b)| a == b).count();
    (!a.is_empty()).then(|| same as f64 / a.len() as f64)
}

/// Cohen's κ: agreement beyond what the judges' own rates would give by chance. None where chance
/// alone would make them agree on everything.
pub fn kappa(a: &[bool], b: &[bool]) -> Option<f64> {
    let observed = agreement(a, b)?;
    let rate = |own: &[bool]| own.iter().filter(|said| **said).count() as f64 / own.len() as f64;
    let (yes_a, yes_b) = (rate(a), rate(b));
    let chance = yes_a * yes_b + (1.0 - yes_a) * (1.0 - yes_b);
    (chance < 1.0).then(|| (observed - chance) / (1.0 - chance))
}

/// What a judge said against what is true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Said yes, and it is.
    pub true_positives: u64,
    /// Said yes, and it is not.
    pub false_positives: u64,
    /// Said no, but it is.
    pub false_negatives: u64,
    /// Said no, and it is not.
    pub true_negatives: u64,
}

impl Confusion {
    /// Counts what was said against what is true.
    pub fn new(said: &[bool], truth: &[bool]) -> Self {
        said.iter().zip(truth).fold(Self::default(), |mut own, (said, truth)| {
            own.add(*said, *truth, 1);
            own
        })
    }

    /// Counts one item `times` times.
    pub fn add(&mut self, said: bool, truth: bool, times: u64) {
        *match (said, truth) {
            (true, true) => &mut self.true_positives,
            (true, false) => &mut self.false_positives,
            (false, true) => &mut self.false_negatives,
            (false, false) => &mut self.true_negatives,
        } += times;
    }

    /// Share of right ones among what was said to be.
    pub fn precision(&self) -> Option<f64> {
        share(self.true_positives, self.true_positives + self.false_positives)
    }

    /// Share of what is that was said to be.
    pub fn recall(&self) -> Option<f64> {
        share(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// Harmonic mean of precision and recall.
    pub fn f1(&self) -> Option<f64> {
        let errors = self.false_positives + self.false_negatives;
        share(2 * self.true_positives, 2 * self.true_positives + errors)
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
