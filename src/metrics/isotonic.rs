//! Isotonic regression: the rising steps that fit outcomes best, by pooling adjacent violators.

use super::TIE;

/// A fitted calibration: a share of successes that never falls with the score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Isotonic {
    /// Distinct scores, rising.
    scores: Vec<f64>,
    /// The fitted share at each.
    shares: Vec<f64>,
}

/// Neighbours with one fitted share.
#[derive(Clone, Copy)]
struct Block {
    sum: f64,
    runs: f64,
    /// Distinct scores in it.
    width: usize,
}

impl Block {
    fn share(self) -> f64 {
        self.sum / self.runs
    }
}

impl Isotonic {
    /// Fits the success of some rows to their scores. As scikit-learn's
    /// `IsotonicRegression(out_of_bounds="clip")`, with scores closer than [`TIE`] as one.
    pub fn fit(scores: &[f64], success: &[bool], rows: &[usize]) -> Self {
        let known = rows.iter().copied().filter(|row| !scores[*row].is_nan());
        let mut order: Vec<usize> = known.collect();
        order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
        let mut distinct: Vec<f64> = Vec::new();
        let mut last = f64::NAN;
        let mut blocks: Vec<Block> = Vec::new();
        let mut single: Option<Block> = None;
        for row in order {
            let (score, hit) = (scores[row], f64::from(u8::from(success[row])));
            let gap = score - last;
            last = score;
            match &mut single {
                // Equal infinities have no gap; theirs is NaN.
                Some(block) if gap < TIE || gap.is_nan() => {
                    block.sum += hit;
                    block.runs += 1.0;
                }
                _ => {
                    pool(&mut blocks, single.take());
                    distinct.push(score);
                    single = Some(Block { sum: hit, runs: 1.0, width: 1 });
                }
            }
        }
        pool(&mut blocks, single);
        let shares = blocks
            .iter()
            .flat_map(|block| std::iter::repeat_n(block.share(), block.width))
            .collect();
        Self { scores: distinct, shares }
    }

    /// The share at a score: between two scores on the line between theirs, and beyond the ends that of
    /// the end. NaN of a missing score, or where nothing was fitted.
    pub fn predict(&self, score: f64) -> f64 {
        let (Some(first), Some(last)) = (self.shares.first(), self.shares.last()) else {
            return f64::NAN;
        };
        if score.is_nan() {
            return f64::NAN;
        }
        let above = self.scores.partition_point(|known| *known < score);
        if above == 0 {
            return *first;
        }
        let Some(high) = self.scores.get(above) else { return *last };
        let low = self.scores[above - 1];
        let part = (score - low) / (high - low);
        // Beside an infinite score there is no line.
        if !part.is_finite() || !low.is_finite() {
            return self.shares[above];
        }
        self.shares[above - 1] + part * (self.shares[above] - self.shares[above - 1])
    }
}

/// Adds a block, and joins it with those before as long as they have a larger share.
fn pool(blocks: &mut Vec<Block>, next: Option<Block>) {
    let Some(mut next) = next else { return };
    while let Some(before) = blocks.last().copied().filter(|before| before.share() >= next.share())
    {
        blocks.pop();
        next = Block {
            sum: before.sum + next.sum,
            runs: before.runs + next.runs,
            width: before.width + next.width,
        };
    }
    blocks.push(next);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_fall_and_ends_are_kept() {
        let scores = [0.1, 0.2, 0.3, 0.4, f64::NAN];
        let success = [false, true, false, true, true];
        let fit = Isotonic::fit(&scores, &success, &[0, 1, 2, 3, 4]);
        assert_eq!(fit.shares, [0.0, 0.5, 0.5, 1.0]);
        assert_eq!((fit.predict(-9.0), fit.predict(9.0)), (0.0, 1.0));
        assert!((fit.predict(0.35) - 0.75).abs() < 1e-12);
        assert!((fit.predict(0.25) - 0.5).abs() < 1e-12);
        assert!(fit.predict(f64::NAN).is_nan());
        assert!(Isotonic::fit(&[], &[], &[]).predict(0.5).is_nan());
    }

    #[test]
    fn ties_and_infinities_are_one_score() {
        let scores = [f64::NEG_INFINITY, f64::NEG_INFINITY, 0.5, 0.5 + 1e-14, 0.7];
        let success = [false, true, true, false, true];
        let fit = Isotonic::fit(&scores, &success, &[0, 1, 2, 3, 4]);
        assert_eq!(fit.scores.len(), 3);
        assert_eq!(fit.shares, [0.5, 0.5, 1.0]);
        for score in [f64::NEG_INFINITY, 0.1] {
            assert!((fit.predict(score) - 0.5).abs() < 1e-15, "{score}");
        }
    }
}
