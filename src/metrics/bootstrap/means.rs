//! Means over resampled tasks.

use rayon::prelude::*;

use super::{Resampling, Weights};

/// The mean of every column in every resample of the tasks; NaN where a resample has no value. All columns
/// have one value per task, NaN where it is absent, and all are resampled together.
pub fn resampled_means(
    tasks: usize,
    columns: &[Vec<f64>],
    resampling: Resampling,
    stream: u64,
) -> Vec<Vec<f64>> {
    let one = |resample: usize| {
        let weights = Weights::draw(tasks, resample..resample + 1, resampling.seed, stream);
        let counts: Vec<f64> = weights.lane(0).map(f64::from).collect();
        let mean = |column: &Vec<f64>| {
            let known = column.iter().zip(&counts).filter(|(value, _)| !value.is_nan());
            let (sum, count) = known.fold((0.0, 0.0), |(sum, count), (value, drawn)| {
                (sum + value * drawn, count + drawn)
            });
            sum / count
        };
        columns.iter().map(mean).collect()
    };
    let resamples: Vec<Vec<f64>> = (0..resampling.resamples).into_par_iter().map(one).collect();
    let of_column = |column: usize| resamples.iter().map(|means| means[column]).collect();
    (0..columns.len()).map(of_column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_that_of_the_tasks_drawn() {
        let columns = [vec![1.0, 0.0, 3.0, f64::NAN], vec![f64::NAN; 4]];
        let resampling = Resampling { resamples: 20, seed: 3 };
        let means = resampled_means(4, &columns, resampling, 7);
        let weights = Weights::draw(4, 0..20, 3, 7);
        for (lane, mean) in means[0].iter().enumerate() {
            let drawn: Vec<u16> = weights.lane(lane).collect();
            let (sum, count) = (drawn[0] + 3 * drawn[2], drawn[0] + drawn[1] + drawn[2]);
            assert!((mean - f64::from(sum) / f64::from(count)).abs() < 1e-12, "{lane}");
        }
        assert!(means[1].iter().all(|mean| mean.is_nan()));
    }
}
