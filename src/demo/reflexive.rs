//! Confidence that the model states or that its closing messages imply.

use super::plan::{SAMPLES, Targets};
use super::steer::deal;
use crate::rng::Rng;

/// Scores of a cell's references, by task.
pub struct Reflexive {
    pub ptrue: Vec<f64>,
    pub vc: Vec<f64>,
    /// Agreement of the closing messages of every pair; the score is their mean.
    pub ncp: Vec<[f64; SAMPLES]>,
}

impl Reflexive {
    pub fn draw(success: &[bool], targets: &Targets, rng: &mut Rng) -> Self {
        let count = success.len();
        let level = targets.level("ptrue", None);
        let ptrue: Vec<f64> = (0..count).map(|_| yes_or_no(level, rng)).collect();
        let level = targets.level("vc", None);
        let vc: Vec<f64> = (0..count).map(|_| verbalised(level, rng)).collect();
        let level = targets.level("ncp", None);
        let ncp: Vec<[f64; SAMPLES]> =
            (0..count).map(|_| std::array::from_fn(|_| agreement(level, rng))).collect();
        let means: Vec<f64> = ncp.iter().map(mean).collect();
        let mut order = |values: &[f64], id| deal(values, success, targets.auroc(id, None), rng);
        Self {
            ptrue: order(&ptrue, "ptrue").into_iter().map(|index| ptrue[index]).collect(),
            vc: order(&vc, "vc").into_iter().map(|index| vc[index]).collect(),
            ncp: order(&means, "ncp").into_iter().map(|index| ncp[index]).collect(),
        }
    }
}

/// The probability of the word TRUE as a share of both words, since a little of the rest is on neither.
pub fn normalised(ptrue: f64, rng: &mut Rng) -> f64 {
    let neither = (1.0 - ptrue) * rng.range(0.002, 0.08);
    ptrue / (1.0 - neither)
}

/// The score of a task from its pairs.
pub fn mean(pairs: &[f64; SAMPLES]) -> f64 {
    pairs.iter().sum::<f64>() / SAMPLES as f64
}

/// The probability of the word TRUE: near one end, seldom between.
fn yes_or_no(level: f64, rng: &mut Rng) -> f64 {
    if rng.chance(0.15) {
        return rng.range(0.2, 0.8);
    }
    let unit = rng.unit();
    let doubt = 0.002 + 0.35 * unit * unit * unit;
    if rng.chance(lean(level, 0.09, 0.91)) { 1.0 - doubt } else { doubt }
}

/// A stated probability, in steps of 0.05: sure of yes, or sure of no.
fn verbalised(level: f64, rng: &mut Rng) -> f64 {
    const SURE: [f64; 8] = [0.7, 0.75, 0.8, 0.85, 0.85, 0.9, 0.9, 0.95];
    let sure = *rng.pick(&SURE);
    let sure = if level > 0.9 && rng.chance(0.5) { 1.0 } else { sure };
    let value = if rng.chance(lean(level, 0.16, 0.84)) { sure } else { 1.0 - sure };
    (value * 20.0).round() / 20.0
}

/// One minus the probability that two closing messages contradict each other.
fn agreement(level: f64, rng: &mut Rng) -> f64 {
    let unit = rng.unit();
    if rng.chance(lean(level, 0.22, 0.95)) {
        1.0 - 0.15 * unit * unit
    } else {
        0.02 + 0.6 * unit * unit
    }
}

/// How often to be on the high side, given the means of both sides.
fn lean(level: f64, low: f64, high: f64) -> f64 {
    ((level - low) / (high - low)).clamp(0.02, 0.98)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_in_range_around_their_level() {
        let mut rng = Rng::new(1, 5);
        for draw in [yes_or_no, verbalised, agreement] {
            for level in [0.3, 0.6, 0.9] {
                let values: Vec<f64> = (0..2000).map(|_| draw(level, &mut rng)).collect();
                assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                assert!((mean - level).abs() < 0.12, "{mean} {level}");
            }
        }
    }

    #[test]
    fn a_share_of_both_words_is_a_little_more_and_never_above_one() {
        let mut rng = Rng::new(1, 7);
        for ptrue in [0.0, 0.01, 0.5, 0.99, 1.0] {
            let share = normalised(ptrue, &mut rng);
            assert!((ptrue..=1.0).contains(&share) && share - ptrue < 0.03, "{ptrue} {share}");
        }
    }

    #[test]
    fn stated_probabilities_are_round() {
        let mut rng = Rng::new(1, 6);
        for _ in 0..200 {
            let steps = verbalised(0.7, &mut rng) * 20.0;
            assert!((steps - steps.round()).abs() < 1e-9);
        }
    }
}
