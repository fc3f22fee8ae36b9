//! Tails of the normal and of the binomial distribution.

use std::f64::consts::PI;

/// From here on the continued fraction converges faster than the series.
const FAR: f64 = 2.0;

/// The complement of the error function, for numbers from 0 on: twice the normal tail beyond √2 times
/// the number.
pub(super) fn erfc(x: f64) -> f64 {
    let density = (-x * x).exp() / PI.sqrt();
    if x < FAR {
        // erf(x) = 2 density Σ 2ⁿ x²ⁿ⁺¹ / (2n+1)!!, in which all terms have one sign.
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term > sum * 1e-18 {
            odd += 2.0;
            term *= 2.0 * x * x / odd;
            sum += term;
        }
        return 1.0 - 2.0 * density * sum;
    }
    // density / (x + ½/(x + 1/(x + 3/2/(x + …)))), from the inside.
    let fraction = (1..=120).rev().fold(x, |inner, step| x + f64::from(step) / 2.0 / inner);
    density / fraction
}

/// The probability of at most `most` heads in `tosses` of a fair coin, for `most` up to half of them.
pub(super) fn half_binomial(most: u64, tosses: u64) -> f64 {
    let n = tosses as f64;
    let log: f64 = (1..=most).map(|k| ((n - most as f64 + k as f64) / k as f64).ln()).sum();
    let mut term = (log - n * 2f64.ln()).exp();
    let mut sum = term;
    for k in (1..=most).rev() {
        term *= k as f64 / (n - k as f64 + 1.0);
        sum += term;
        if term < sum * 1e-18 {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_as_scipy_has_them() {
        // scipy.special.erfc(x)
        let cases = [
            (0.0, 1.0),
            (0.1, 0.887_537_083_981_715_2),
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_16),
            (1.9, 0.007_209_570_764_742_531),
            (2.0, 0.004_677_734_981_047_266),
            (2.1, 0.002_979_466_656_332_984_5),
            (3.0, 2.209_049_699_858_544_5e-5),
            (5.0, 1.537_459_794_428_034_7e-12),
            (10.0, 2.088_487_583_762_544_6e-45),
        ];
        for (x, expected) in cases {
            let found = erfc(x);
            assert!((found / expected - 1.0).abs() < 1e-11, "erfc({x}) = {found}");
        }
    }
}
