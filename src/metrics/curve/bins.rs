//! Scores in bins: how reliable they are as probabilities, and how they are spread by outcome.

use crate::metrics::points::{BINS, bin, probability};

/// A bin of a reliability diagram.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReliabilityBin {
    /// Runs in it.
    pub runs: usize,
    /// Successes among them.
    pub successes: usize,
    /// The mean of their scores; NaN without a run.
    pub mean: f64,
}

impl ReliabilityBin {
    /// The share of successes; none without a run.
    pub fn share(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.successes as f64 / self.runs as f64)
    }
}

/// The ten bins of the calibration error, (i/10, (i+1)/10] with 0 in the first; none if a score is no
/// probability, or if there is none at all.
pub fn reliability(scores: &[f64], success: &[bool]) -> Option<Vec<ReliabilityBin>> {
    let mut bins = vec![ReliabilityBin::default(); BINS];
    let mut any = false;
    for (score, success) in scores.iter().zip(success).filter(|(score, _)| !score.is_nan()) {
        let score = probability(*score)?;
        let bin = &mut bins[bin(score)];
        bin.runs += 1;
        bin.successes += usize::from(*success);
        bin.mean += score;
        any = true;
    }
    bins.iter_mut().for_each(|bin| bin.mean /= bin.runs as f64);
    any.then_some(bins)
}

/// How scores are spread, by outcome, in bins of equal width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Where the first bin begins.
    pub low: f64,
    /// Where the last one ends.
    pub high: f64,
    /// Successes in every bin.
    pub successes: Vec<usize>,
    /// Failures in every bin.
    pub failures: Vec<usize>,
}

impl Histogram {
    /// The histogram of some scores in so many bins, over 0..1 if all of them are probabilities, else over
    /// the range of the finite ones. Infinite scores are in the first and last bin.
    pub fn new(scores: &[f64], success: &[bool], bins: usize) -> Self {
        let finite = || scores.iter().copied().filter(|score| score.is_finite());
        let are_probabilities =
            scores.iter().all(|score| score.is_nan() || probability(*score).is_some());
        let (mut low, mut high) = if are_probabilities {
            (0.0, 1.0)
        } else {
            (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max))
        };
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if low >= high {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let mut histogram = Self { low, high, successes: vec![0; bins], failures: vec![0; bins] };
        for (score, success) in scores.iter().zip(success).filter(|(score, _)| !score.is_nan()) {
            let bin = histogram.bin(*score);
            let side = if *success { &mut histogram.successes } else { &mut histogram.failures };
            if let Some(count) = side.get_mut(bin) {
                *count += 1;
            }
        }
        histogram
    }

    /// The bin of a score.
    pub fn bin(&self, score: f64) -> usize {
        let bins = self.successes.len();
        let share = (score - self.low) / (self.high - self.low);
        ((share * bins as f64) as usize).min(bins.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_those_of_the_calibration_error() {
        let scores = [0.0, 0.05, 0.1, 0.15, 1.0, f64::NAN];
        let success = [false, true, false, true, true, true];
        let bins = reliability(&scores, &success).expect("probabilities");
        assert_eq!((bins[0].runs, bins[0].successes), (3, 1));
        assert!((bins[0].mean - 0.05).abs() < 1e-15);
        assert_eq!(bins[1].share(), Some(1.0));
        assert_eq!((bins[9].runs, bins[5].share()), (1, None));
        let gaps = bins
            .iter()
            .filter(|bin| bin.runs > 0)
            .map(|bin| (bin.share().expect("runs") - bin.mean).abs() * bin.runs as f64 / 5.0);
        let ece = crate::metrics::ece(&scores, &success).expect("probabilities");
        assert!((gaps.sum::<f64>() - ece).abs() < 1e-12);
        assert_eq!(reliability(&[0.5, 1.5], &[true, false]), None);
        assert_eq!(reliability(&[f64::NAN], &[true]), None);
    }

    #[test]
    fn histograms_hold_every_score_once() {
        let scores = [-3.0, -1.0, f64::NEG_INFINITY, 5.0, f64::NAN, 1.0];
        let success = [true, false, true, true, true, false];
        let histogram = Histogram::new(&scores, &success, 4);
        assert_eq!((histogram.low, histogram.high), (-3.0, 5.0));
        assert_eq!(histogram.successes, [2, 0, 0, 1]);
        assert_eq!(histogram.failures, [0, 1, 1, 0]);
        let one = Histogram::new(&[7.0, 7.0], &[true, false], 3);
        assert_eq!((one.low, one.high, one.successes), (6.5, 7.5, vec![0, 1, 0]));
        let shares = Histogram::new(&[0.2, 1.0], &[true, false], 5);
        assert_eq!((shares.low, shares.high, shares.failures[4]), (0.0, 1.0, 1));
        assert_eq!(Histogram::new(&[], &[], 2).failures, [0, 0]);
    }
}
