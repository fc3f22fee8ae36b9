//! Tests of paired outcomes: `McNemar`'s test, and a permutation test that swaps the two values of a task.

mod tail;

use crate::rng::Rng;

/// Tasks that one run of two solves and the other does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct McNemar {
    /// Tasks that only the second solves.
    pub gained: u64,
    /// Tasks that only the first solves.
    pub lost: u64,
}

impl McNemar {
    /// Counts pairs of outcomes, first and second.
    pub fn of(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut counts = Self::default();
        for pair in pairs {
            counts.gained += u64::from(pair == (false, true));
            counts.lost += u64::from(pair == (true, false));
        }
        counts
    }

    /// The two-sided p-value of the exact test: by the binomial distribution of the tasks that differ.
    pub fn exact(self) -> f64 {
        let all = self.gained + self.lost;
        (2.0 * tail::half_binomial(self.gained.min(self.lost), all)).min(1.0)
    }

    /// The statistic with the correction for continuity and its p-value; none where no task differs.
    pub fn corrected(self) -> Option<(f64, f64)> {
        let all = (self.gained + self.lost) as f64;
        let apart = self.gained.abs_diff(self.lost) as f64 - 1.0;
        let statistic = (all > 0.0).then(|| apart * apart / all)?;
        Some((statistic, tail::erfc((statistic / 2.0).sqrt())))
    }
}

/// The result of a permutation test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Permutation {
    /// The two-sided p-value.
    pub p: f64,
    /// Permutations that were drawn at random; none where all of them are counted.
    pub drawn: Option<usize>,
}

/// Additions that an exact count may take; beyond that permutations are drawn.
const MOST_STEPS: usize = 200_000_000;

/// Permutations that are drawn at random, at most.
const MOST_DRAWN: usize = 9_999;

/// Fractions that shares of draws are made of are found up to this denominator.
const LARGEST_DENOMINATOR: i64 = 10_000;

/// The two-sided permutation test of paired values, given their differences: under the hypothesis that
/// both are alike, every difference could as well have the other sign. None without a difference.
pub fn permutation(differences: &[f64], seed: u64) -> Option<Permutation> {
    if differences.is_empty() {
        return None;
    }
    let moved: Vec<f64> = differences.iter().copied().filter(|value| *value != 0.0).collect();
    let units = in_units(&moved);
    let steps = |units: &Vec<i64>| units.len().saturating_mul(total(units));
    let exact = units.filter(|units| steps(units) <= MOST_STEPS).map(|units| count_all(&units));
    Some(exact.map_or_else(|| draw_some(&moved, seed), |p| Permutation { p, drawn: None }))
}

/// The values as multiples of a common fraction, if they have one that is not too small.
fn in_units(values: &[f64]) -> Option<Vec<i64>> {
    let near = |value: f64| (value - value.round()).abs() < 1e-9 * value.abs().max(1.0);
    let mut denominator = 1i64;
    for value in values {
        let scaled = value * denominator as f64;
        if !near(scaled) {
            let most = LARGEST_DENOMINATOR / denominator;
            denominator *= (2..=most).find(|factor| near(scaled * *factor as f64))?;
        }
    }
    Some(values.iter().map(|value| (value * denominator as f64).round() as i64).collect())
}

fn total(units: &[i64]) -> usize {
    units.iter().map(|unit| unit.unsigned_abs() as usize).sum()
}

/// The p-value over all signs, by the distribution of the sum of the differences that stay positive.
fn count_all(units: &[i64]) -> f64 {
    let observed = units.iter().sum::<i64>().unsigned_abs() as usize;
    let total = total(units);
    let mut chances = vec![0.0; total + 1];
    chances[0] = 1.0;
    let mut reached = 0;
    for step in units.iter().map(|unit| unit.unsigned_abs() as usize) {
        for sum in (0..=reached).rev() {
            chances[sum] /= 2.0;
            chances[sum + step] += chances[sum];
        }
        reached += step;
    }
    // The difference is twice the positive part minus the total.
    let least = (total + observed).div_ceil(2);
    (2.0 * chances[least..].iter().sum::<f64>()).min(1.0)
}

/// The p-value by random signs; the observed ones count as one of them.
fn draw_some(moved: &[f64], seed: u64) -> Permutation {
    let drawn = (2 * MOST_STEPS / moved.len().max(1)).clamp(199, MOST_DRAWN);
    let observed: f64 = moved.iter().sum();
    let slack = observed.abs() * 1e-12;
    let mut rng = Rng::new(seed, 0);
    let (mut above, mut below) = (1u32, 1u32);
    for _ in 0..drawn {
        let sum: f64 =
            moved.iter().map(|value| if rng.below(2) == 0 { *value } else { -value }).sum();
        above += u32::from(sum >= observed - slack);
        below += u32::from(sum <= observed + slack);
    }
    let p = 2.0 * f64::from(above.min(below)) / (drawn + 1) as f64;
    Permutation { p: p.min(1.0), drawn: Some(drawn) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mcnemar_as_statsmodels_has_it() {
        // statsmodels.stats.contingency_tables.mcnemar([[10, lost], [gained, 20]], exact=True), and with
        // exact=False, correction=True its statistic and p-value
        let cases = [
            (12, 5, 0.143_463_134_765_625, 2.117_647_058_823_529_4, 0.145_610_095_396_862_9),
            (3, 3, 1.0, 0.166_666_666_666_666_66, 0.683_091_398_309_608_6),
            (1, 0, 1.0, 0.0, 1.0),
            (
                40,
                17,
                0.003_201_543_767_450_381_3,
                8.491_228_070_175_438,
                0.003_568_628_436_933_398_7,
            ),
            (200, 150, 0.008_720_036_530_555_947, 6.86, 0.008_814_654_904_213_312),
            (0, 9, 0.003_906_25, 7.111_111_111_111_111, 0.007_660_761_135_179_461),
            (7, 1, 0.070_312_5, 3.125, 0.077_099_871_743_542_02),
        ];
        for (gained, lost, exact, statistic, p) in cases {
            let test = McNemar { gained, lost };
            assert!((test.exact() - exact).abs() < 1e-12, "{test:?}: {}", test.exact());
            let corrected = test.corrected().expect("tasks differ");
            assert!((corrected.0 - statistic).abs() < 1e-12, "{test:?}: {corrected:?}");
            assert!((corrected.1 - p).abs() < 1e-12, "{test:?}: {corrected:?}");
        }
        assert_eq!((McNemar::default().exact(), McNemar::default().corrected()), (1.0, None));
        let pairs = [(true, true), (false, true), (false, false), (true, false), (false, true)];
        assert_eq!(McNemar::of(pairs), McNemar { gained: 2, lost: 1 });
    }

    fn differences(first: &[f64], second: &[f64]) -> Vec<f64> {
        first.iter().zip(second).map(|(first, second)| second - first).collect()
    }

    #[test]
    fn all_permutations_as_scipy_counts_them() {
        // scipy.stats.permutation_test((a, b), lambda x, y, axis: numpy.mean(y - x, axis=axis),
        //     permutation_type="samples", n_resamples=numpy.inf, vectorized=True).pvalue
        let a = [0.0, 0.25, 0.5, 1.0, 0.75, 0.0, 0.25, 1.0, 0.5, 0.0, 0.75, 0.25];
        let b = [0.5, 0.25, 1.0, 1.0, 0.5, 0.25, 0.75, 1.0, 1.0, 0.0, 1.0, 0.0];
        let found = permutation(&differences(&a, &b), 0).expect("differences");
        assert!((found.p - 0.117_187_5).abs() < 1e-12, "{found:?}");
        assert_eq!(found.drawn, None);
        // Draws that differ in number from task to task.
        let third = 1.0 / 3.0;
        let a = [third, 0.5, 0.0, 1.0, 2.0 / 3.0, 0.25, 0.0, third, 0.5];
        let b = [2.0 / 3.0, 1.0, 0.5, 1.0, third, 0.75, 0.2, 1.0, 0.5];
        let found = permutation(&differences(&a, &b), 0).expect("differences");
        assert!((found.p - 0.062_5).abs() < 1e-12, "{found:?}");
        assert_eq!(found.drawn, None);
    }

    #[test]
    fn of_single_outcomes_it_is_mcnemars_exact_test() {
        let outcomes: Vec<f64> = [1.0; 12].into_iter().chain([-1.0; 5]).chain([0.0; 30]).collect();
        let found = permutation(&outcomes, 0).expect("differences");
        assert!((found.p - McNemar { gained: 12, lost: 5 }.exact()).abs() < 1e-12);
        assert_eq!(permutation(&[0.0; 4], 0).map(|test| test.p), Some(1.0));
        assert_eq!(permutation(&[], 0), None);
    }

    #[test]
    fn values_without_a_common_fraction_are_permuted_at_random() {
        let root = |index: i32| f64::from(index).sqrt() * if index % 3 == 0 { -1.0 } else { 1.0 };
        let values: Vec<f64> = (1..=12).map(root).collect();
        assert_eq!(in_units(&values), None);
        let found = permutation(&values, 0).expect("differences");
        assert_eq!(found.drawn, Some(MOST_DRAWN));
        // scipy.stats.permutation_test((zeros, values), lambda x, y, axis: numpy.mean(y - x, axis=axis),
        //     permutation_type="samples", n_resamples=numpy.inf, vectorized=True).pvalue
        assert!((found.p - 0.377_441_406_25).abs() < 0.015, "{found:?}");
    }
}
