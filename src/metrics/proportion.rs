//! A share of successes with its interval.

/// The 97.5% quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The 95% interval of a share by Wilson's score, which also holds where all or none succeed; none
/// without a trial.
pub fn wilson(successes: u64, trials: u64) -> Option<(f64, f64)> {
    if trials == 0 {
        return None;
    }
    let n = trials as f64;
    let share = successes as f64 / n;
    let centre = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    Some((((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_statsmodels_has_it() {
        // statsmodels.stats.proportion.proportion_confint(count, nobs, alpha=0.05, method="wilson")
        let cases = [
            (12, 50, 0.142_973_913_969_917_2, 0.374_126_837_579_429_2),
            (0, 10, 0.0, 0.277_532_799_862_889_26),
            (10, 10, 0.722_467_200_137_110_6, 1.0),
            (399, 800, 0.464_191_372_916_111_73, 0.533_320_574_274_402_5),
            (1, 1, 0.206_549_314_377_237_4, 1.0),
        ];
        for (successes, trials, lo, hi) in cases {
            let (low, high) = wilson(successes, trials).expect("trials");
            assert!((low - lo).abs() < 1e-12, "{successes} of {trials}: {low}");
            assert!((high - hi).abs() < 1e-12, "{successes} of {trials}: {high}");
        }
        assert_eq!(wilson(0, 0), None);
    }
}
