//! Folds of tasks: what is fitted on some of them is evaluated on the others.
//!
//! Values that a model gave which was fitted without them are compared within folds only. The models of
//! two folds differ, and each has seen more of the outcome that is rarer in its own fold, so a ranking
//! over all folds is worse than chance where there is nothing to learn.

use super::Metric;
use super::bootstrap::{Weights, resampled};
use crate::rng::Rng;

/// The number of folds, where both outcomes have as many tasks.
pub const FOLDS: usize = 5;

/// The fold of a row that is in none.
pub const NO_FOLD: u16 = u16::MAX;

/// How a task is known to have ended, for folds that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stratum {
    /// All of its runs failed.
    Failed,
    /// All of its runs succeeded.
    Succeeded,
    /// Some of its runs succeeded.
    Mixed,
    /// Its outcome is not known.
    Unknown,
}

impl Stratum {
    /// The stratum of a task with these outcomes of its runs.
    pub fn of(outcomes: impl Iterator<Item = Option<bool>>) -> Self {
        let (mut failed, mut succeeded) = (false, false);
        for outcome in outcomes.flatten() {
            failed |= !outcome;
            succeeded |= outcome;
        }
        match (failed, succeeded) {
            (true, true) => Self::Mixed,
            (true, false) => Self::Failed,
            (false, true) => Self::Succeeded,
            (false, false) => Self::Unknown,
        }
    }
}

/// Puts tasks into folds of about equal size with about equal shares of every outcome. A task without a
/// stratum is in no fold. There are fewer folds than [`FOLDS`] where an outcome has fewer tasks; none if
/// an outcome has fewer than two.
pub fn stratified(strata: &[Option<Stratum>], seed: u64, stream: u64) -> Option<Vec<u16>> {
    let with =
        |wanted: [Stratum; 2]| strata.iter().flatten().filter(|s| wanted.contains(s)).count();
    let successes = with([Stratum::Succeeded, Stratum::Mixed]);
    let failures = with([Stratum::Failed, Stratum::Mixed]);
    let folds = FOLDS.min(successes).min(failures);
    if folds < 2 {
        return None;
    }
    let mut rng = Rng::new(seed, stream);
    let mut fold_of = vec![NO_FOLD; strata.len()];
    let mut next = 0;
    for stratum in [Stratum::Failed, Stratum::Succeeded, Stratum::Mixed, Stratum::Unknown] {
        let tasks = strata.iter().enumerate().filter(|(_, of)| **of == Some(stratum));
        let mut tasks: Vec<usize> = tasks.map(|(task, _)| task).collect();
        rng.shuffle(&mut tasks);
        for task in tasks {
            fold_of[task] = (next % folds) as u16;
            next += 1;
        }
    }
    Some(fold_of)
}

/// The number of folds.
pub fn count(folds: &[u16]) -> usize {
    let known = folds.iter().filter(|fold| **fold != NO_FOLD);
    known.max().map_or(0, |last| usize::from(*last) + 1)
}

/// The scores of one fold, NaN elsewhere.
pub fn only(scores: &[f64], folds: &[u16], fold: usize) -> Vec<f64> {
    let keep = |(score, of): (&f64, &u16)| if usize::from(*of) == fold { *score } else { f64::NAN };
    scores.iter().zip(folds).map(keep).collect()
}

/// Scores with their labels: what a metric takes.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'a> {
    /// The scores; NaN where score or label is absent.
    pub scores: &'a [f64],
    /// Whether each run succeeded.
    pub success: &'a [bool],
    /// The fold of each run, where the scores were cross-fitted.
    pub folds: Option<&'a [u16]>,
}

impl<'a> From<(&'a [f64], &'a [bool])> for Labelled<'a> {
    fn from((scores, success): (&'a [f64], &'a [bool])) -> Self {
        Self { scores, success, folds: None }
    }
}

impl Labelled<'_> {
    /// The folds within which a metric is taken: those that rank are, of cross-fitted scores.
    fn folds_for(&self, metric: Metric) -> Option<&[u16]> {
        self.folds.filter(|_| !metric.needs_probabilities())
    }

    /// The metric; of cross-fitted scores the mean over the folds in which it is defined.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        let Some(folds) = self.folds_for(metric) else {
            return metric.value(self.scores, self.success);
        };
        let values = (0..count(folds))
            .filter_map(|fold| metric.value(&only(self.scores, folds, fold), self.success));
        let (sum, defined) = values.fold((0.0, 0u32), |(sum, n), value| (sum + value, n + 1));
        (defined > 0).then(|| sum / f64::from(defined))
    }

    /// The same for every resample; NaN where it is not defined.
    pub fn resampled(&self, metric: Metric, weights: &Weights) -> Vec<f64> {
        let Some(folds) = self.folds_for(metric) else {
            return resampled(metric, self.scores, self.success, weights);
        };
        let mut sums = vec![(0.0, 0u32); weights.lanes()];
        for fold in 0..count(folds) {
            let lanes = resampled(metric, &only(self.scores, folds, fold), self.success, weights);
            for (sum, value) in sums.iter_mut().zip(lanes).filter(|(_, value)| !value.is_nan()) {
                *sum = (sum.0 + value, sum.1 + 1);
            }
        }
        // 0 of 0 is NaN, as it should be.
        sums.into_iter().map(|(sum, defined)| sum / f64::from(defined)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strata(failed: usize, succeeded: usize, mixed: usize) -> Vec<Option<Stratum>> {
        let some = |stratum, count| std::iter::repeat_n(Some(stratum), count);
        some(Stratum::Failed, failed)
            .chain(some(Stratum::Succeeded, succeeded))
            .chain(some(Stratum::Mixed, mixed))
            .chain([None])
            .collect()
    }

    #[test]
    fn folds_are_alike() {
        let strata = strata(23, 12, 6);
        let folds = stratified(&strata, 0, 1).expect("both outcomes");
        assert_eq!(folds.last(), Some(&NO_FOLD));
        assert_eq!(count(&folds), FOLDS);
        for stratum in [Stratum::Failed, Stratum::Succeeded, Stratum::Mixed] {
            let size = |fold: usize| {
                let pairs = strata.iter().zip(&folds);
                pairs.filter(|(of, at)| **of == Some(stratum) && usize::from(**at) == fold).count()
            };
            let sizes: Vec<usize> = (0..FOLDS).map(size).collect();
            let (low, high) = (sizes.iter().min(), sizes.iter().max());
            assert!(high.zip(low).is_some_and(|(high, low)| high - low <= 1), "{sizes:?}");
        }
        assert_eq!(stratified(&strata, 0, 1), Some(folds.clone()), "a seed repeats");
        assert_ne!(stratified(&strata, 2, 1), Some(folds));
    }

    #[test]
    fn a_rare_outcome_makes_fewer_folds_or_none() {
        let made = |failed, succeeded, mixed| {
            stratified(&strata(failed, succeeded, mixed), 0, 0).map(|folds| count(&folds))
        };
        assert_eq!(made(40, 3, 0), Some(3));
        assert_eq!(made(40, 1, 1), Some(2));
        assert_eq!(made(40, 1, 0), None);
        assert_eq!(made(0, 9, 0), None);
        assert_eq!(stratified(&[], 0, 0), None);
    }

    #[test]
    fn a_metric_within_folds_is_the_mean_over_them() {
        let scores = [0.9, 0.8, 0.2, 0.1, f64::NAN, 0.5];
        let success = [true, false, true, false, true, true];
        let folds = [0, 0, 1, 1, 0, NO_FOLD];
        let fitted = Labelled { scores: &scores, success: &success, folds: Some(&folds) };
        assert_eq!(fitted.value(Metric::Auroc), Some(1.0));
        assert_eq!(Metric::Auroc.value(&scores, &success), Some(4.0 / 6.0));
        let weights = Weights::draw(6, 0..50, 0, 0);
        let lanes = fitted.resampled(Metric::Auroc, &weights);
        assert!(lanes.iter().all(|value| value.is_nan() || (value - 1.0).abs() < 1e-15));
        assert!(lanes.iter().any(|value| value.is_nan()), "some resample has no pair in a fold");
        assert_eq!(fitted.value(Metric::Brier), Metric::Brier.value(&scores, &success));
    }
}
