//! Scores in order of confidence, in blocks of ties.

use std::cell::RefCell;

/// Neighbours in rank closer than this are tied: last-bit noise must not rank.
pub const TIE: f64 = 1e-12;

/// Items in order of falling confidence, in blocks of ties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    order: Vec<u32>,
    /// Where each block ends in `order`.
    ends: Vec<u32>,
}

/// A number that is smaller for a higher score.
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

/// From this many items on, they are put into buckets before they are sorted.
const MANY: usize = 512;

/// Items in every bucket if the scores were spread evenly.
const A_BUCKET: usize = 2;

/// Memory for sorting, kept by each thread: a grid ranks hundreds of columns, and fresh memory for
/// each would take longer than the sort.
#[derive(Default)]
struct Scratch {
    keyed: Vec<(u64, u32)>,
    starts: Vec<u32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The items with a score and their keys, the highest score first and equal ones by item. Keys are
/// stored with their items: a sort through the scores would wait for memory at every step.
fn sorted<'s>(scores: &[f64], scratch: &'s mut Scratch) -> &'s [(u64, u32)] {
    let Scratch { keyed, starts } = scratch;
    let known = || (0u32..).zip(scores.iter().copied()).filter(|(_, score)| !score.is_nan());
    let (mut items, mut low, mut high) = (0, f64::INFINITY, f64::NEG_INFINITY);
    for (_, score) in known() {
        (items, low, high) = (items + 1, low.min(score), high.max(score));
    }
    let buckets = items / A_BUCKET;
    let scale = (buckets as f64 - 1.0) / (high - low);
    if items < MANY || !scale.is_finite() || scale <= 0.0 {
        keyed.clear();
        keyed.extend(known().map(|(item, score)| (key(score), item)));
        keyed.sort_unstable();
        return keyed;
    }
    // Rounding keeps the order, so buckets are in order whatever the spread.
    let bucket = |score: f64| (((high - score) * scale) as usize).min(buckets - 1);
    starts.clear();
    starts.resize(buckets + 1, 0);
    known().for_each(|(_, score)| starts[bucket(score) + 1] += 1);
    let mut sum = 0;
    for start in &mut *starts {
        sum += *start;
        *start = sum;
    }
    // The old content is overwritten.
    keyed.resize(items, (0, 0));
    for (item, score) in known() {
        let next = &mut starts[bucket(score)];
        keyed[*next as usize] = (key(score), item);
        *next += 1;
    }
    // Every start has moved to the end of its bucket.
    let mut rest = &mut keyed[..];
    let mut before = 0;
    for end in &starts[..buckets] {
        let (bucket, others) = rest.split_at_mut((end - before) as usize);
        if bucket.len() > 1 {
            bucket.sort_unstable();
        }
        (rest, before) = (others, *end);
    }
    keyed
}

impl Ranking {
    /// Ranks scores; a missing one (NaN) is left out.
    pub fn new(scores: &[f64]) -> Self {
        SCRATCH.with_borrow_mut(|scratch| Self::of(sorted(scores, scratch)))
    }

    fn of(keyed: &[(u64, u32)]) -> Self {
        let mut ends = Vec::with_capacity(keyed.len());
        for index in 1..=keyed.len() {
            let tied = keyed.get(index).is_some_and(|&(next, _)| {
                let before = keyed[index - 1].0;
                let gap = score(before) - score(next);
                // Equal infinities have no gap; theirs is NaN.
                gap < TIE || gap.is_nan()
            });
            if !tied {
                ends.push(index as u32);
            }
        }
        let order = keyed.iter().map(|(_, item)| *item).collect();
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

    /// The same ranking of the items' owners, given the owner of every item: an owner is ranked once for
    /// each of its items.
    #[must_use]
    pub fn of_owners(mut self, owner: &[u32]) -> Self {
        self.order.iter_mut().for_each(|item| *item = owner[*item as usize]);
        self
    }

    /// Number of items ranked.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether nothing is ranked.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// How many items are in the first, the first two and the first three quarters. A block of ties is
    /// on one side of a cut, whichever is nearer; halfway, it is not in the first or last quarter.
    pub fn quarters(&self) -> [u32; 3] {
        let items = self.len() as u32;
        [1, 2, 3].map(|quarters| {
            let ends = std::iter::once(0).chain(self.ends.iter().copied());
            // In quarters of an item, so that the distance is a whole number.
            let distance = |end: &u32| (4 * end).abs_diff(quarters * items);
            let nearest = if quarters < 3 {
                ends.min_by_key(distance)
            } else {
                ends.min_by_key(|end| (distance(end), u32::MAX - end))
            };
            nearest.unwrap_or(0)
        })
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

/// The mean of the ranks under several scorers, as a share: 1 is surest of all. A row that lacks a score
/// has NaN. It needs no outcomes, so that nothing is fitted.
pub fn rank_average(columns: &[&[f64]]) -> Vec<f64> {
    let rows = columns.first().map_or(0, |column| column.len());
    let is_whole = |row: usize| columns.iter().all(|column| !column[row].is_nan());
    let mut sums: Vec<f64> =
        (0..rows).map(|row| if is_whole(row) { 0.0 } else { f64::NAN }).collect();
    for column in columns {
        let pairs = column.iter().zip(&sums);
        let whole: Vec<f64> =
            pairs.map(|(score, sum)| if sum.is_nan() { f64::NAN } else { *score }).collect();
        let ranking = Ranking::new(&whole);
        let ranked = ranking.len() as f64;
        for (sum, rank) in sums.iter_mut().zip(ranking.ranks(rows)) {
            // The middle of the rank's part of 0..1.
            *sum += rank.map_or(f64::NAN, |rank| 1.0 - (rank - 0.5) / ranked);
        }
    }
    sums.iter().map(|sum| sum / columns.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

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
    fn ties_are_on_one_side_of_a_quarter() {
        let quarters = |scores: &[f64]| Ranking::new(scores).quarters();
        assert_eq!(quarters(&[0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]), [2, 4, 6]);
        // Three tied at the top: nearer to two than none is.
        assert_eq!(quarters(&[0.9, 0.9, 0.9, 0.5, 0.4, 0.3, 0.2, 0.1]), [3, 4, 6]);
        // Five of eight tied at the top: without them none is, which is nearer.
        assert_eq!(quarters(&[0.9, 0.9, 0.9, 0.9, 0.9, 0.3, 0.2, 0.1]), [0, 5, 6]);
        // Halfway: four tied at each end are in neither quarter.
        assert_eq!(quarters(&[0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1]), [0, 4, 8]);
        // All tied: nobody is sure, nobody in doubt.
        assert_eq!(quarters(&[0.5; 6]), [0, 0, 6]);
        assert_eq!(quarters(&[]), [0; 3]);
        assert_eq!(quarters(&[0.3, f64::NAN]), [0, 0, 1]);
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
    fn many_scores_rank_like_few() {
        let mut rng = Rng::new(5, 0);
        let draws: [fn(&mut Rng) -> f64; 5] = [
            |rng| rng.range(0.0, 1.0),
            |rng| rng.below(9) as f64 - 4.0,
            |rng| -rng.range(1e-9, 1.0).powi(-3),
            |rng| if rng.chance(0.1) { f64::NAN } else { rng.range(-1e300, 1e300) },
            |rng| if rng.chance(0.1) { f64::NEG_INFINITY } else { 0.5 },
        ];
        for (kind, draw) in draws.into_iter().enumerate() {
            let scores: Vec<f64> = (0..3 * MANY).map(|_| draw(&mut rng)).collect();
            let mut expected: Vec<u32> = (0u32..).take(scores.len()).collect();
            expected.retain(|&item| !scores[item as usize].is_nan());
            expected.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
            assert_eq!(Ranking::new(&scores).order, expected, "kind {kind}");
        }
    }

    #[test]
    fn in_order_breaks_ties_by_position() {
        let ranking = Ranking::in_order(&[0.5, 0.9, 0.5, 0.5]);
        assert_eq!(blocks(&ranking), [vec![1], vec![0], vec![2], vec![3]]);
    }

    #[test]
    fn ranks_are_averaged_over_whole_rows() {
        let a = [0.9, 0.5, 0.1, f64::NAN];
        let b = [-3.0, -1.0, -3.0, -2.0];
        // Ranks of a: 1 2 3, of b among the first three: 2.5 1 2.5.
        let expected = [(1.0 - 0.5 / 3.0 + 1.0 - 2.0 / 3.0) / 2.0];
        let average = rank_average(&[&a, &b]);
        assert!((average[0] - expected[0]).abs() < 1e-12);
        assert!(average[3].is_nan() && average[1] > average[0] && average[0] > average[2]);
        assert!(rank_average(&[]).is_empty());
    }
}
