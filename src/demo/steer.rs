//! Brings a cell's AUROC to a wanted value by exchanging values or outcomes between tasks.
//!
//! With the values fixed, their midranks are too, and AUROC is linear in the sum of the successes'
//! midranks: an exchange between a success and a failure is judged by one subtraction.

use super::standings::square;
use crate::rng::Rng;

/// An AUROC this close to what is wanted is close enough.
const CLOSE: f64 = 0.002;
/// Exchanges tried for every task, at most.
const TRIES: usize = 200;

/// Ranks from 1, equal values sharing the mean of theirs.
pub fn midranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let level = values[order[start]];
        // Means of three thirds differ in their last bit; they are ties all the same.
        let tied = order[start..].iter().take_while(|&&i| values[i] - level < 1e-9).count();
        for &index in &order[start..start + tied] {
            ranks[index] = start as f64 + (tied + 1) as f64 / 2.0;
        }
        start += tied;
    }
    ranks
}

/// The two classes of a cell, by task.
struct Classes {
    successes: Vec<usize>,
    failures: Vec<usize>,
}

impl Classes {
    fn new(success: &[bool]) -> Self {
        let (successes, failures) = (0..success.len()).partition(|&task| success[task]);
        Self { successes, failures }
    }

    fn pairs(&self) -> f64 {
        (self.successes.len() * self.failures.len()) as f64
    }

    /// How far AUROC is from the target.
    fn error(&self, ranks: impl Fn(usize) -> f64, target: f64) -> f64 {
        let count = self.successes.len();
        let sum: f64 = self.successes.iter().map(|&task| ranks(task)).sum();
        (sum - (count * (count + 1)) as f64 / 2.0) / self.pairs() - target
    }
}

/// Deals values to tasks so that their AUROC is the target: task `i` gets the value at the `i`-th
/// index returned.
pub fn deal(values: &[f64], success: &[bool], target: f64, rng: &mut Rng) -> Vec<usize> {
    let mut dealt: Vec<usize> = (0..values.len()).collect();
    rng.shuffle(&mut dealt);
    let classes = Classes::new(success);
    if classes.pairs() == 0.0 {
        return dealt;
    }
    let ranks = midranks(values);
    let mut error = classes.error(|task| ranks[dealt[task]], target);
    for _ in 0..values.len() * TRIES {
        if error.abs() < CLOSE {
            break;
        }
        let (up, down) = (*rng.pick(&classes.successes), *rng.pick(&classes.failures));
        let changed = error + (ranks[dealt[down]] - ranks[dealt[up]]) / classes.pairs();
        if changed.abs() < error.abs() {
            dealt.swap(up, down);
            error = changed;
        }
    }
    dealt
}

/// One scorer's values over the tasks of a cell, and the AUROC they should have.
pub struct WantedAuroc {
    pub values: Vec<f64>,
    pub target: f64,
}

/// Chooses `count` successes among the tasks that can be one, so that all scorers come as near to
/// their targets as exchanges of one success and one failure bring them.
pub fn choose(wanted: &[WantedAuroc], eligible: &[bool], count: usize, rng: &mut Rng) -> Vec<bool> {
    let mut candidates: Vec<usize> = (0..eligible.len()).filter(|&task| eligible[task]).collect();
    rng.shuffle(&mut candidates);
    let mut success = vec![false; eligible.len()];
    for &task in candidates.iter().take(count) {
        success[task] = true;
    }
    let mut classes = Classes::new(&success);
    // Only these can be exchanged for a success; the other failures stay.
    let mut spare = candidates.split_off(count.min(candidates.len()));
    if classes.pairs() == 0.0 || spare.is_empty() {
        return success;
    }
    let pairs = classes.pairs();
    let ranks: Vec<Vec<f64>> = wanted.iter().map(|scorer| midranks(&scorer.values)).collect();
    let mut errors: Vec<f64> = wanted
        .iter()
        .zip(&ranks)
        .map(|(scorer, ranks)| classes.error(|task| ranks[task], scorer.target))
        .collect();
    let mut changed = errors.clone();
    for _ in 0..eligible.len() * TRIES {
        if errors.iter().all(|error| error.abs() < CLOSE) {
            break;
        }
        let (one, other) = (rng.below(classes.successes.len()), rng.below(spare.len()));
        let (out, new) = (classes.successes[one], spare[other]);
        for ((changed, error), ranks) in changed.iter_mut().zip(&errors).zip(&ranks) {
            *changed = error + (ranks[new] - ranks[out]) / pairs;
        }
        if square(&changed) < square(&errors) {
            std::mem::swap(&mut errors, &mut changed);
            std::mem::swap(&mut classes.successes[one], &mut spare[other]);
            success[out] = false;
            success[new] = true;
        }
    }
    success
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::auroc;

    #[test]
    fn equal_values_share_their_rank() {
        assert_eq!(midranks(&[0.5, 0.1, 0.5, 0.9]), [2.5, 1.0, 2.5, 4.0]);
    }

    #[test]
    fn dealt_values_have_the_wanted_auroc() {
        let mut rng = Rng::new(3, 0);
        let values: Vec<f64> = (0..60).map(|_| (rng.unit() * 20.0).floor() / 20.0).collect();
        let success: Vec<bool> = (0..60).map(|task| task % 4 == 0).collect();
        for target in [0.2, 0.5, 0.85] {
            let dealt = deal(&values, &success, target, &mut rng);
            let scores: Vec<f64> = dealt.iter().map(|&index| values[index]).collect();
            let reached = auroc(&scores, &success).expect("both classes");
            assert!((reached - target).abs() < 0.01, "{reached} {target}");
        }
    }

    #[test]
    fn chosen_successes_serve_two_scorers_at_once() {
        let mut rng = Rng::new(4, 0);
        let mut column =
            |target| WantedAuroc { values: (0..80).map(|_| rng.unit()).collect(), target };
        let wanted = [column(0.7), column(0.3)];
        let eligible: Vec<bool> = (0..80).map(|task| task != 5).collect();
        let success = choose(&wanted, &eligible, 20, &mut Rng::new(5, 0));
        assert_eq!(success.iter().filter(|chosen| **chosen).count(), 20);
        assert!(!success[5]);
        for scorer in &wanted {
            let reached = auroc(&scorer.values, &success).expect("both classes");
            assert!((reached - scorer.target).abs() < 0.01, "{reached}");
        }
    }
}
