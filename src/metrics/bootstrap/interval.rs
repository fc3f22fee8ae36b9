//! Intervals and quantiles of resampled values.

/// A 95% percentile interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The 2.5% quantile.
    pub lo: f64,
    /// The 97.5% quantile.
    pub hi: f64,
    /// Resamples that left the value undefined and were skipped.
    pub skipped: usize,
}

impl Interval {
    /// The interval of resampled values; none when all of them are undefined.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        let all = values.len();
        values.retain(|value| !value.is_nan());
        if values.is_empty() {
            return None;
        }
        let skipped = all - values.len();
        Some(Self { lo: quantile(&mut values, 0.025), hi: quantile(&mut values, 0.975), skipped })
    }

    /// Half the distance between the ends.
    pub fn half_range(&self) -> f64 {
        (self.hi - self.lo) / 2.0
    }
}

/// A quantile with linear interpolation between neighbours, as `numpy.quantile` computes it.
pub fn quantile(values: &mut [f64], share: f64) -> f64 {
    let position = share * (values.len() - 1) as f64;
    let below = position.floor() as usize;
    let (_, low, above) = values.select_nth_unstable_by(below, f64::total_cmp);
    let low = *low;
    let next = above.iter().copied().reduce(f64::min).unwrap_or(low);
    low + (next - low) * (position - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        // numpy.quantile([3, 1, 2, 4], [0.025, 0.5, 0.975]) = [1.075, 2.5, 3.925]
        let mut values = [3.0, 1.0, 2.0, 4.0];
        for (share, expected) in [(0.025, 1.075), (0.5, 2.5), (0.975, 3.925)] {
            assert!((quantile(&mut values, share) - expected).abs() < 1e-12);
        }
        let interval = Interval::of(vec![f64::NAN, 1.0]).expect("one value");
        assert_eq!((interval.lo, interval.hi, interval.skipped), (1.0, 1.0, 1));
        assert_eq!(Interval::of(vec![f64::NAN]), None);
    }
}
