//! Logistic regression with few columns: penalised for ensembles, and Platt's for calibration.

use super::TIE;

/// The inverse strength of the penalty, as scikit-learn's `C`.
pub const C: f64 = 1.0;

/// The most steps of Newton's method; it needs about ten.
const MOST_STEPS: usize = 100;

/// The method stops when no parameter moves by more than this.
const TOLERANCE: f64 = 1e-12;

/// How a column is brought to mean 0 and deviation 1, by the rows that a model is fitted on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Standard {
    mean: f64,
    scale: f64,
    /// The range of the finite values; an infinite one counts as the nearest end.
    low: f64,
    high: f64,
}

impl Standard {
    fn new(column: &[f64], rows: &[usize]) -> Self {
        let finite = || rows.iter().map(|row| column[*row]).filter(|value| value.is_finite());
        let (low, high) =
            (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        let values = || rows.iter().map(|row| finite_of(column[*row], low, high));
        let n = rows.len() as f64;
        let mean = values().sum::<f64>() / n;
        let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
        // As scikit-learn has it: a column that varies by rounding only is constant.
        let noise = n * f64::EPSILON * variance + (n * mean * f64::EPSILON).powi(2);
        let scale = if variance <= noise { 1.0 } else { variance.sqrt() };
        Self { mean, scale, low, high }
    }

    fn apply(&self, value: f64) -> f64 {
        (finite_of(value, self.low, self.high) - self.mean) / self.scale
    }
}

/// A value; the nearest end of the range for an infinite one.
fn finite_of(value: f64, low: f64, high: f64) -> f64 {
    if value.is_infinite() { value.clamp(low, high) } else { value }
}

/// A fitted model: the probability of success from one number of every column.
#[derive(Clone, Debug, PartialEq)]
pub struct Logistic {
    intercept: f64,
    weights: Vec<f64>,
    columns: Vec<Standard>,
}

/// 1 / (1 + exp(-x)), exact at both ends.
fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
}

/// ln(1 + exp(x)) without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

impl Logistic {
    /// The penalised regression of success on some columns, over some rows: minimises
    /// `C` · Σ log loss + ½ Σ weight², with standardised columns and a free intercept. As scikit-learn's
    /// `LogisticRegression(C=1)` on `StandardScaler().fit_transform(X)`.
    pub fn fit(columns: &[&[f64]], success: &[bool], rows: &[usize]) -> Self {
        let target = |row: usize| f64::from(u8::from(success[row]));
        Self::minimise(columns, target, rows, 1.0 / C)
    }

    /// Platt's calibration of one column: without a penalty, on targets that are a little less sure than
    /// the outcomes, so that a column that separates these has a finite weight. As scikit-learn's
    /// `_SigmoidCalibration`.
    pub fn platt(column: &[f64], success: &[bool], rows: &[usize]) -> Self {
        let hits = rows.iter().filter(|row| success[**row]).count() as f64;
        let misses = rows.len() as f64 - hits;
        let (high, low) = ((hits + 1.0) / (hits + 2.0), 1.0 / (misses + 2.0));
        let target = |row: usize| if success[row] { high } else { low };
        let standard = Standard::new(column, rows);
        // A constant column has any weight without a penalty, and 0 with one.
        let varies = rows.iter().any(|row| standard.apply(column[*row]).abs() > TIE);
        Self::minimise(&[column], target, rows, if varies { 0.0 } else { 1.0 })
    }

    /// Minimises Σ log loss + `penalty` · ½ Σ weight² by Newton's method, halving steps that do not help.
    fn minimise(
        columns: &[&[f64]],
        target: impl Fn(usize) -> f64,
        rows: &[usize],
        penalty: f64,
    ) -> Self {
        let standards: Vec<Standard> =
            columns.iter().map(|column| Standard::new(column, rows)).collect();
        let size = columns.len() + 1;
        let mut design = Vec::with_capacity(rows.len() * size);
        for row in rows {
            design.push(1.0);
            let inputs = columns.iter().zip(&standards);
            design.extend(inputs.map(|(column, standard)| standard.apply(column[*row])));
        }
        let targets: Vec<f64> = rows.iter().map(|row| target(*row)).collect();
        let problem = Problem { design: &design, targets: &targets, size, penalty };
        let mut parameters = vec![0.0; size];
        let mut loss = problem.loss(&parameters);
        for _ in 0..MOST_STEPS {
            let Some(step) = problem.step(&parameters) else { break };
            let mut length = 1.0;
            let moved = loop {
                let moved: Vec<f64> =
                    parameters.iter().zip(&step).map(|(at, by)| at - length * by).collect();
                let next = problem.loss(&moved);
                // Near the minimum, the loss no longer tells two steps apart.
                if next <= loss + TOLERANCE * loss.abs() || length < 1e-6 {
                    loss = next;
                    break moved;
                }
                length /= 2.0;
            };
            let largest = step.iter().map(|by| (by * length).abs()).fold(0.0, f64::max);
            parameters = moved;
            if largest <= TOLERANCE {
                break;
            }
        }
        let weights = parameters.split_off(1);
        Self { intercept: parameters[0], weights, columns: standards }
    }

    /// The weights of the standardised columns.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weight of the standardised columns at 0.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// The probability of success of a row; NaN where a value is missing.
    pub fn predict(&self, columns: &[&[f64]], row: usize) -> f64 {
        let parts = self.weights.iter().zip(&self.columns).zip(columns);
        let sum: f64 =
            parts.map(|((weight, standard), column)| weight * standard.apply(column[row])).sum();
        sigmoid(self.intercept + sum)
    }
}

/// A regression to be fitted: rows of `size` numbers, the first of which is 1.
struct Problem<'a> {
    design: &'a [f64],
    targets: &'a [f64],
    size: usize,
    penalty: f64,
}

impl Problem<'_> {
    fn rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.design.chunks(self.size).zip(self.targets.iter().copied())
    }

    fn loss(&self, parameters: &[f64]) -> f64 {
        let squares: f64 = parameters[1..].iter().map(|weight| weight * weight).sum();
        let losses: f64 = self
            .rows()
            .map(|(row, target)| {
                let x = dot(row, parameters);
                softplus(x) - target * x
            })
            .sum();
        losses + 0.5 * self.penalty * squares
    }

    /// Newton's step: the gradient divided by the curvature. None where the curvature vanishes.
    fn step(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        let size = self.size;
        let mut gradient = vec![0.0; size];
        let mut curvature = vec![0.0; size * size];
        for (row, target) in self.rows() {
            let probability = sigmoid(dot(row, parameters));
            let weight = probability * (1.0 - probability);
            for (i, x) in row.iter().enumerate() {
                gradient[i] += x * (probability - target);
                for (j, y) in row[..=i].iter().enumerate() {
                    curvature[i * size + j] += weight * x * y;
                }
            }
        }
        for i in 1..size {
            gradient[i] += self.penalty * parameters[i];
            curvature[i * size + i] += self.penalty;
        }
        solve(&mut curvature, gradient, size)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves A x = b for a symmetric positive A, of which the lower half is given, by Cholesky's
/// factorisation.
fn solve(matrix: &mut [f64], mut right: Vec<f64>, size: usize) -> Option<Vec<f64>> {
    for i in 0..size {
        for j in 0..=i {
            let product: f64 = (0..j).map(|k| matrix[i * size + k] * matrix[j * size + k]).sum();
            let rest = matrix[i * size + j] - product;
            matrix[i * size + j] = if i != j {
                rest / matrix[j * size + j]
            } else if rest > 0.0 {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    for i in 0..size {
        let known: f64 = (0..i).map(|k| matrix[i * size + k] * right[k]).sum();
        right[i] = (right[i] - known) / matrix[i * size + i];
    }
    for i in (0..size).rev() {
        let known: f64 = (i + 1..size).map(|k| matrix[k * size + i] * right[k]).sum();
        right[i] = (right[i] - known) / matrix[i * size + i];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_column_has_no_weight() {
        let (flat, signal) = ([0.3; 6], [0.1, 0.9, 0.2, 0.8, 0.4, 0.5]);
        let success = [false, true, false, true, true, false];
        let rows: Vec<usize> = (0..6).collect();
        let model = Logistic::fit(&[&flat, &signal], &success, &rows);
        assert_eq!(model.weights()[..1], [0.0]);
        assert!(model.weights()[1] > 0.5);
        let platt = Logistic::platt(&flat, &success, &rows);
        assert_eq!(platt.weights(), [0.0]);
        assert!((platt.predict(&[&flat], 0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn infinite_and_missing_values() {
        let column = [f64::NEG_INFINITY, -5.0, -3.0, -1.0, f64::NAN, -4.0];
        let success = [false, false, true, true, true, true];
        let model = Logistic::fit(&[&column], &success, &[0, 1, 2, 3, 5]);
        let p = |row| model.predict(&[&column], row);
        assert!((p(0) - p(1)).abs() < 1e-15, "an infinite value is the lowest finite one");
        assert!(p(1) < p(5) && p(5) < p(3) && p(4).is_nan());
    }

    #[test]
    fn separated_outcomes_have_a_finite_fit() {
        let column = [0.1, 0.2, 0.8, 0.9];
        let success = [false, false, true, true];
        for model in [
            Logistic::fit(&[&column], &success, &[0, 1, 2, 3]),
            Logistic::platt(&column, &success, &[0, 1, 2, 3]),
        ] {
            assert!(model.weights()[0].is_finite() && model.weights()[0] > 0.0);
            assert!(model.predict(&[&column], 3) > 0.6);
        }
    }
}
