//! How well values point to one item among several: its rank from the lowest.

use super::TIE;

/// Where one item stands among several, from the lowest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankFromLowest {
    /// Items with a lower value.
    pub below: usize,
    /// Items with the same value, itself included.
    pub tied: usize,
    /// All items.
    pub items: usize,
}

impl RankFromLowest {
    /// The rank of the item at an index; none where it has no value. Items without one count nowhere.
    pub fn new(values: &[f64], index: usize) -> Option<Self> {
        let value = *values.get(index).filter(|value| !value.is_nan())?;
        let known = || values.iter().filter(|other| !other.is_nan());
        // Infinite values have no difference, but an order.
        let is_below = |a: f64, b: f64| a < b && b - a >= TIE;
        let below = known().filter(|other| is_below(**other, value)).count();
        let above = known().filter(|other| is_below(value, **other)).count();
        let items = known().count();
        Some(Self { below, tied: items - below - above, items })
    }

    /// The rank, 1 for the lowest; tied items share the mean of their ranks.
    pub fn rank(self) -> f64 {
        self.below as f64 + f64::midpoint(self.tied as f64, 1.0)
    }

    /// How often the item is among the first few when ties are broken at random.
    pub fn share_among_first(self, few: usize) -> f64 {
        let free = few.saturating_sub(self.below).min(self.tied);
        free as f64 / self.tied as f64
    }

    /// How often an item drawn at random is among the first few.
    pub fn chance_among_first(self, few: usize) -> f64 {
        few.min(self.items) as f64 / self.items as f64
    }

    /// The mean rank of an item drawn at random.
    pub fn chance_rank(self) -> f64 {
        f64::midpoint(self.items as f64, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// import numpy as np; from scipy.stats import rankdata
    /// x = [.9, .2, .5, .2, np.nan, .7]; k = ~np.isnan(x)
    /// rankdata(np.array(x)[k]) = [5, 1.5, 3, 1.5, 4]
    /// lo = rankdata(x[k], "min"); hi = rankdata(x[k], "max")
    /// np.clip((1 - lo + 1) / (hi - lo + 1), 0, 1) = [0, .5, 0, .5, 0]
    /// np.clip((3 - lo + 1) / (hi - lo + 1), 0, 1) = [0, 1, 1, 1, 0]
    #[test]
    fn ranks_are_those_of_scipy() {
        let values = [0.9, 0.2, 0.5, 0.2, f64::NAN, 0.7];
        let expected = [
            Some((5.0, 0.0, 0.0)),
            Some((1.5, 0.5, 1.0)),
            Some((3.0, 0.0, 1.0)),
            Some((1.5, 0.5, 1.0)),
            None,
            Some((4.0, 0.0, 0.0)),
        ];
        for (index, expected) in expected.into_iter().enumerate() {
            let found = RankFromLowest::new(&values, index).map(|found| {
                (found.rank(), found.share_among_first(1), found.share_among_first(3))
            });
            assert_eq!(found, expected, "{index}");
        }
        let found = RankFromLowest::new(&values, 0).expect("a value");
        assert_eq!((found.chance_among_first(1), found.chance_among_first(3)), (0.2, 0.6));
        assert!((found.chance_rank() - 3.0).abs() < 1e-12);
        let one = RankFromLowest::new(&[f64::NEG_INFINITY], 0).expect("a value");
        assert_eq!((one.rank(), one.chance_among_first(3)), (1.0, 1.0));
        assert_eq!(RankFromLowest::new(&values, 9), None);
    }

    /// Equal values find nothing: the shares are those of chance.
    #[test]
    fn ties_are_chance() {
        let found = RankFromLowest::new(&[0.5; 8], 3).expect("a value");
        assert!((found.share_among_first(1) - found.chance_among_first(1)).abs() < 1e-12);
        assert!((found.share_among_first(3) - found.chance_among_first(3)).abs() < 1e-12);
        assert!((found.rank() - found.chance_rank()).abs() < 1e-12);
    }
}
