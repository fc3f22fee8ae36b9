//! Intervals and quantiles of resampled values.

/// A percentile interval, of 95% unless stated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end, the 2.5% quantile.
    pub lo: f64,
    /// The upper end, the 97.5% quantile.
    pub hi: f64,
    /// Resamples that left the value undefined and were skipped.
    pub skipped: usize,
}

impl Interval {
    /// The confidence of an interval, unless stated.
    pub const CONFIDENCE: f64 = 0.95;

    /// The interval of resampled values; none when all of them are undefined.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        Self::at(values, Self::CONFIDENCE)
    }

    /// The same at another confidence.
    pub fn at(mut values: Vec<f64>, confidence: f64) -> Option<Self> {
        let all = values.len();
        values.retain(|value| !value.is_nan());
        if values.is_empty() {
            return None;
        }
        let skipped = all - values.len();
        let tail = (1.0 - confidence) / 2.0;
        let (lo, hi) = (quantile(&mut values, tail), quantile(&mut values, 1.0 - tail));
        Some(Self { lo, hi, skipped })
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
        // numpy.quantile([3, 1, 2, 4], [0.1, 0.9]) = [1.3, 3.7]
        let interval = Interval::at(vec![3.0, 1.0, 2.0, 4.0], 0.8).expect("values");
        assert!((interval.lo - 1.3).abs() < 1e-12 && (interval.hi - 3.7).abs() < 1e-12);
    }
}
