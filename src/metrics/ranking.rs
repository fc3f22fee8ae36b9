/// Neighbours in rank closer than this are tied: last-bit noise must not rank.
pub const TIE: f64 = 1e-12;

/// Items in order of falling confidence, in blocks of ties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    order: Vec<u32>,
    /// Where each block ends in `order`.
    ends: Vec<u32>,
}

/// A number for a score, the smaller the higher the score.
fn key(score: f64) -> u64 {
    let bits = score.to_bits();
    if bits >> 63 == 0 { !bits & !SIGN } else { bits }
}

/// The score of a key.
fn score(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 0 { !key & !SIGN } else { key })
}

/// The sign of a float.
const SIGN: u64 = 1 << 63;

impl Ranking {
    /// Ranks scores; a missing one (NaN) is left out.
    pub fn new(scores: &[f64]) -> Self {
        let mut keyed: Vec<(u64, u32)> = (0u32..)
            .zip(scores)
            .filter(|(_, score)| !score.is_nan())
            .map(|(item, score)| (key(*score), item))
            .collect();
        // Keys beside their items: a sort through the scores would wait for memory at every step.
        keyed.sort_unstable();
        let mut ends = Vec::with_capacity(keyed.len());
        for place in 1..=keyed.len() {
            let tied = keyed.get(place).is_some_and(|&(next, _)| {
                let before = keyed[place - 1].0;
                let gap = score(before) - score(next);
                // Equal infinities have no gap; theirs is NaN.
                gap < TIE || gap.is_nan()
            });
            if !tied {
                ends.push(place as u32);
            }
        }
        let order = keyed.into_iter().map(|(_, item)| item).collect();
        Self { order, ends }
    }

    /// Ranks scores with ties broken by position, the first being the most confident.
    pub fn in_order(scores: &[f64]) -> Self {
        let mut ranking = Self::new(scores);
        let mut start = 0;
        for &end in &ranking.ends {
            ranking.order[start..end as usize].sort_unstable();
            start = end as usize;
        }
        ranking.ends = (1..=ranking.order.len() as u32).collect();
        ranking
    }

    /// Number of items ranked.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether nothing is ranked.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Blocks of tied items, the most confident first.
    pub fn blocks(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.order[start as usize..end as usize])
    }

    /// The rank of every item, 1 being the most confident; tied items share the mean of theirs, and
    /// an item that is not ranked has none.
    pub fn ranks(&self, items: usize) -> Vec<Option<f64>> {
        let mut ranks = vec![None; items];
        let mut before = 0;
        for block in self.blocks() {
            let rank = before as f64 + f64::midpoint(1.0, block.len() as f64);
            block.iter().for_each(|&item| ranks[item as usize] = Some(rank));
            before += block.len();
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(ranking: &Ranking) -> Vec<Vec<u32>> {
        ranking
            .blocks()
            .map(|block| {
                let mut block = block.to_vec();
                block.sort_unstable();
                block
            })
            .collect()
    }

    #[test]
    fn ties_noise_and_missing_scores() {
        let scores = [0.5, f64::NAN, 0.9, 0.5 + 1e-16, 0.1, f64::NEG_INFINITY, f64::NEG_INFINITY];
        let ranking = Ranking::new(&scores);
        assert_eq!(blocks(&ranking), [vec![2], vec![0, 3], vec![4], vec![5, 6]]);
        let ranks = ranking.ranks(7);
        assert_eq!(ranks[1], None);
        assert_eq!((ranks[0], ranks[6]), (Some(2.5), Some(5.5)));
    }

    #[test]
    fn in_order_breaks_ties_by_position() {
        let ranking = Ranking::in_order(&[0.5, 0.9, 0.5, 0.5]);
        assert_eq!(blocks(&ranking), [vec![1], vec![0], vec![2], vec![3]]);
    }
}
