//! What accepting and reviewing runs costs.

/// What things cost, in any unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// A failure that was accepted.
    pub failure: f64,
    /// A review of a run that was not accepted. It finds out how the run ended, so a reviewed failure costs
    /// nothing more.
    pub review: f64,
    /// A run.
    pub run: f64,
}

impl Default for Costs {
    /// A failure costs as much as ten reviews, and a run nothing.
    fn default() -> Self {
        Self { failure: 10.0, review: 1.0, run: 0.0 }
    }
}

impl Costs {
    /// Whether every cost is a finite number that is not negative.
    pub fn are_valid(&self) -> bool {
        [self.failure, self.review, self.run].iter().all(|cost| cost.is_finite() && *cost >= 0.0)
    }
}
