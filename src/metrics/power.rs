//! The smallest difference that a comparison would show.

use super::Repeats;

/// The sum of the 97.5% and the 80% quantile of the normal distribution: a difference of so many standard
/// errors is found with 80% power by a two-sided test at 5%.
const POWER: f64 = 1.959_963_984_540_054 + 0.841_621_233_572_914_3;

/// What makes the difference of two paired success rates vary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedVariance {
    /// The variance over tasks of the true difference.
    pub tasks: f64,
    /// The variance of one draw's outcome in its task, both sides together; none where no task has several
    /// draws, so that it cannot be told apart.
    pub draw: Option<f64>,
}

impl PairedVariance {
    /// The variances behind some tasks, each with its draws on both sides; none with fewer than two tasks.
    pub fn of(tasks: &[[Repeats; 2]]) -> Option<Self> {
        let known = || tasks.iter().filter_map(|[a, b]| Some((b.rate()? - a.rate()?, a, b)));
        let count = known().count() as f64;
        if count < 2.0 {
            return None;
        }
        let mean = known().map(|(difference, ..)| difference).sum::<f64>() / count;
        let square = |(difference, ..): (f64, &Repeats, &Repeats)| (difference - mean).powi(2);
        let all = known().map(square).sum::<f64>() / (count - 1.0);
        let side = |side: usize| mean_of(tasks.iter().filter_map(|task| task[side].variance()));
        let Some((first, second)) = side(0).zip(side(1)) else {
            return Some(Self { tasks: all, draw: None });
        };
        // How far draws alone move the difference of a task, given how many there are.
        let share = |(_, a, b): (f64, &Repeats, &Repeats)| {
            first / f64::from(a.draws) + second / f64::from(b.draws)
        };
        let by_draws = known().map(share).sum::<f64>() / count;
        Some(Self { tasks: (all - by_draws).max(0.0), draw: Some(first + second) })
    }

    /// The standard error of the difference over so many tasks with so many draws each. Without a known
    /// variance of draws it is that of as many draws as there are.
    pub fn standard_error(self, tasks: usize, draws: u32) -> f64 {
        let by_draws = self.draw.unwrap_or(0.0) / f64::from(draws.max(1));
        ((self.tasks + by_draws) / tasks as f64).sqrt()
    }

    /// The smallest difference that so many tasks with so many draws each show: with 80% power, by a
    /// two-sided test at 5%.
    pub fn detectable(self, tasks: usize, draws: u32) -> f64 {
        POWER * self.standard_error(tasks, draws)
    }
}

/// The standard deviation of the difference of two repeats of a run over the same tasks: each task brings
/// the variance of one draw on both sides, over its draws. None where a side has no task with several.
pub fn repeat_deviation(tasks: &[[Repeats; 2]]) -> Option<f64> {
    let mut sum = 0.0;
    let mut count = 0.0;
    let means = [0, 1].map(|side| mean_of(tasks.iter().filter_map(|task| task[side].variance())));
    for task in tasks.iter().filter(|task| task.iter().all(|side| side.draws > 0)) {
        for (side, mean) in task.iter().zip(means) {
            // A task with one draw has the mean of the others.
            sum += side.variance().or(mean)? / f64::from(side.draws);
        }
        count += 1.0;
    }
    (count > 0.0).then(|| sum.sqrt() / count)
}

/// The mean; none without a value.
fn mean_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then_some(sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn detectable_differences_as_statsmodels_has_them() {
        // statsmodels.stats.power.NormalIndPower(ddof=0).solve_power(nobs1=tasks, alpha=0.05, power=0.8,
        //     ratio=0) × standard deviation; it also counts the far tail, which adds 1e-6 here
        for (deviation, tasks, expected) in
            [(0.35f64, 114, 0.091_837_283_472_330_32), (0.5, 50, 0.198_101_788_238_475_18)]
        {
            let variance = PairedVariance { tasks: deviation.powi(2), draw: None };
            let found = variance.detectable(tasks, 1);
            assert!((found / expected - 1.0).abs() < 2e-6, "{found}");
        }
    }

    /// Two sides of some tasks, with rates that differ by task.
    fn simulated(tasks: usize, draws: u32, stream: u64) -> Vec<[Repeats; 2]> {
        let mut rng = Rng::new(9, stream);
        let side =
            |rate: f64, rng: &mut Rng| Repeats::of((0..draws).map(|_| Some(rng.chance(rate))));
        let task = |_| {
            let rate = rng.range(0.1, 0.7);
            let other = rate + rng.range(-0.1, 0.3);
            [side(rate, &mut rng), side(other, &mut rng)]
        };
        (0..tasks).map(task).collect()
    }

    #[test]
    fn variances_of_tasks_and_draws_are_told_apart() {
        // The true difference is uniform over 0.4, so its variance is 0.4² / 12 = 0.01333.
        let found = PairedVariance::of(&simulated(40_000, 4, 1)).expect("tasks");
        assert!((found.tasks - 0.4f64.powi(2) / 12.0).abs() < 0.003, "{found:?}");
        let single = PairedVariance::of(&simulated(40_000, 1, 2)).expect("tasks");
        assert_eq!(single.draw, None);
        // One draw a task: both variances in one, as four draws foretell it.
        let foretold = found.standard_error(40_000, 1);
        assert!((single.standard_error(40_000, 1) / foretold - 1.0).abs() < 0.02);
        assert_eq!(PairedVariance::of(&simulated(1, 4, 3)), None);
    }

    #[test]
    fn repeats_differ_as_far_as_simulated_ones() {
        let tasks = 60;
        let mut rng = Rng::new(4, 0);
        let rates: Vec<f64> = (0..tasks).map(|_| rng.range(0.0, 1.0)).collect();
        let mut run = |draws: u32| -> Vec<Repeats> {
            let task = |rate: &f64| Repeats::of((0..draws).map(|_| Some(rng.chance(*rate))));
            rates.iter().map(task).collect()
        };
        let rate = |run: &[Repeats]| {
            run.iter().filter_map(|task| task.rate()).sum::<f64>() / f64::from(tasks)
        };
        let repeats = 4000;
        let (mut squares, mut foretold) = (0.0, 0.0);
        for _ in 0..repeats {
            let (first, second) = (run(3), run(3));
            squares += (rate(&first) - rate(&second)).powi(2);
            let pairs: Vec<[Repeats; 2]> =
                first.into_iter().zip(second).map(|(a, b)| [a, b]).collect();
            foretold += repeat_deviation(&pairs).expect("draws").powi(2);
        }
        assert!((foretold / squares - 1.0).abs() < 0.08, "{foretold} {squares}");
        assert_eq!(repeat_deviation(&[[Repeats { solved: 1, draws: 1 }; 2]]), None);
    }
}
