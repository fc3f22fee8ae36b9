//! Average precision, PRR and AURC of all resamples at once, from one walk down a ranking.

use super::Weights;
use crate::metrics::Ranking;
use crate::metrics::points::{harmonic, rejection_ratio};

/// The tied items of one resample and what lies before them.
struct Block {
    /// Items before the block.
    before: i32,
    /// Hits before the block.
    hits_before: i32,
    /// Items of the block.
    size: i32,
    /// Hits of the block.
    hits: i32,
    /// Hits per item; 0 where the block is empty.
    share: f64,
}

/// What the walk has counted in every resample.
struct Lanes {
    sums: Vec<f64>,
    items: Vec<i32>,
    hits: Vec<i32>,
}

impl Lanes {
    fn new(lanes: usize) -> Self {
        Self { sums: vec![0.0; lanes], items: vec![0; lanes], hits: vec![0; lanes] }
    }

    fn pass_misses(&mut self, drawn: impl Iterator<Item = i32>) {
        self.items.iter_mut().zip(drawn).for_each(|(items, drawn)| *items += drawn);
    }

    /// Adds what `add` makes of a block of which each resample has a size and hits.
    fn pass(&mut self, blocks: impl Iterator<Item = (i32, i32, f64)>, add: impl Fn(Block) -> f64) {
        let lanes = self.sums.iter_mut().zip(&mut self.items).zip(&mut self.hits);
        for (((sum, items), all_hits), (size, hits, share)) in lanes.zip(blocks) {
            *sum += add(Block { before: *items, hits_before: *all_hits, size, hits, share });
            *items += size;
            *all_hits += hits;
        }
    }

    /// The sum, the items and the hits of every resample.
    fn totals(self) -> impl Iterator<Item = (f64, usize, usize)> {
        let lanes = self.sums.into_iter().zip(self.items).zip(self.hits);
        lanes.map(|((sum, items), hits)| (sum, items as usize, hits as usize))
    }
}

/// A walk down a ranking for all resamples at once.
pub(super) struct Walk<'a> {
    ranking: Ranking,
    success: &'a [bool],
    weights: &'a Weights,
}

impl<'a> Walk<'a> {
    pub(super) fn new(scores: &[f64], success: &'a [bool], weights: &'a Weights) -> Self {
        Self { ranking: Ranking::new(scores), success, weights }
    }

    /// Sums `add` over all blocks. It must give 0 for a block without hits.
    fn sum(&self, add: impl Fn(Block) -> f64) -> Lanes {
        let mut lanes = Lanes::new(self.weights.lanes());
        let mut sizes = vec![(0, 0); self.weights.lanes()];
        for block in self.ranking.blocks() {
            let any_hit = block.iter().any(|item| self.success[*item as usize]);
            if let (true, [item]) = (any_hit, block) {
                let drawn = self.weights.of(*item).iter().map(|drawn| i32::from(*drawn));
                lanes.pass(drawn.map(|drawn| (drawn, drawn, 1.0)), &add);
            } else if any_hit {
                self.count(block, &mut sizes);
                let share = |hits: i32, size: i32| f64::from(hits) / f64::from(size.max(1));
                let counted = sizes.iter().map(|&(size, hits)| (size, hits, share(hits, size)));
                lanes.pass(counted, &add);
            } else {
                for item in block {
                    lanes.pass_misses(self.weights.of(*item).iter().map(|drawn| i32::from(*drawn)));
                }
            }
        }
        lanes
    }

    /// Counts the items and hits of a block in every resample.
    fn count(&self, block: &[u32], sizes: &mut [(i32, i32)]) {
        sizes.fill((0, 0));
        for &item in block {
            let hit = i32::from(self.success[item as usize]);
            for ((size, hits), &drawn) in sizes.iter_mut().zip(self.weights.of(item)) {
                *size += i32::from(drawn);
                *hits += i32::from(drawn) * hit;
            }
        }
    }

    pub(super) fn auprc(&self) -> Vec<f64> {
        let sums = self.sum(|block| {
            let items = (block.before + block.size).max(1);
            f64::from(block.hits) * f64::from(block.hits_before + block.hits) / f64::from(items)
        });
        let both = |(sum, items, hits): (f64, usize, usize)| {
            if hits > 0 && hits < items { sum / hits as f64 } else { f64::NAN }
        };
        sums.totals().map(both).collect()
    }

    /// Sums over k of precision among the k most confident, with the harmonic numbers they are made
    /// of.
    ///
    /// A hit at position k counts in the precision at k and everywhere after it, so that it adds
    /// H(n) − H(k − 1). Misses add nothing, and hits of a block share its positions. The sum of H(j)
    /// over j < k is k · (H(k) − 1).
    fn precision_sums(&self) -> (Vec<(f64, usize, usize)>, Vec<f64>) {
        let harmonic = harmonic(self.weights.most);
        let below = harmonic.iter().enumerate().map(|(k, number)| k as f64 * (number - 1.0));
        let below: Vec<f64> = below.collect();
        let sums = self.sum(|block| {
            let after = (block.before + block.size) as usize;
            block.share * (below[after] - below[block.before as usize])
        });
        let whole = |(sum, items, hits): (f64, usize, usize)| {
            (hits as f64 * harmonic[items] - sum, items, hits)
        };
        (sums.totals().map(whole).collect(), harmonic)
    }

    pub(super) fn prr(&self) -> Vec<f64> {
        let (sums, harmonic) = self.precision_sums();
        let ratio = |(sum, items, hits): (f64, usize, usize)| {
            if hits == 0 || hits == items {
                return f64::NAN;
            }
            rejection_ratio(sum, items, hits, &harmonic)
        };
        sums.into_iter().map(ratio).collect()
    }

    pub(super) fn aurc(&self) -> Vec<f64> {
        let (sums, _) = self.precision_sums();
        let risk = |(sum, items, _): (f64, usize, usize)| {
            if items > 0 { 1.0 - sum / items as f64 } else { f64::NAN }
        };
        sums.into_iter().map(risk).collect()
    }
}
