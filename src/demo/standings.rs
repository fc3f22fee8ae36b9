//! Values of a cell's tasks under several scorers, and the AUROC of each while single tasks change.
//!
//! With the values of both outcomes in order, the effect of a changed value is found by two searches,
//! without looking at the other tasks.

/// The values of all tasks under `N` scorers, with the AUROC that each scorer should have.
pub struct Standings<'a, const N: usize> {
    success: &'a [bool],
    targets: [f64; N],
    /// By task.
    values: Vec<[f64; N]>,
    /// By scorer: the values of failed and of solved tasks in order.
    sorted: Vec<[Vec<f64>; 2]>,
    pairs: f64,
}

impl<'a, const N: usize> Standings<'a, N> {
    pub fn new(values: Vec<[f64; N]>, success: &'a [bool], targets: [f64; N]) -> Self {
        let sorted = (0..N).map(|column| {
            [false, true].map(|class| {
                let of_class = values.iter().zip(success).filter(|(_, solved)| **solved == class);
                let mut sorted: Vec<f64> = of_class.map(|(values, _)| values[column]).collect();
                sorted.sort_unstable_by(f64::total_cmp);
                sorted
            })
        });
        let sorted = sorted.collect();
        let solved = success.iter().filter(|solved| **solved).count();
        let pairs = (solved * (success.len() - solved)) as f64;
        Self { success, targets, values, sorted, pairs }
    }

    /// Whether there are tasks of both outcomes.
    pub fn has_both_outcomes(&self) -> bool {
        self.pairs > 0.0
    }

    /// The values of a task.
    pub fn values(&self, task: usize) -> &[f64; N] {
        &self.values[task]
    }

    /// How far every AUROC is from its target.
    pub fn errors(&self) -> [f64; N] {
        std::array::from_fn(|column| {
            let solved = (0..self.success.len()).filter(|&task| self.success[task]);
            let wins = solved.map(|task| self.wins(column, task, self.values[task][column]));
            wins.sum::<f64>() / self.pairs - self.targets[column]
        })
    }

    /// The errors after a change to some tasks of one outcome. These do not compete with each other, so
    /// what each of them changes adds up.
    pub fn errors_after(&self, mut errors: [f64; N], changes: &[(usize, [f64; N])]) -> [f64; N] {
        for (task, values) in changes {
            for (column, error) in errors.iter_mut().enumerate() {
                let now = self.wins(column, *task, self.values[*task][column]);
                *error += (self.wins(column, *task, values[column]) - now) / self.pairs;
            }
        }
        errors
    }

    /// Gives a task other values.
    pub fn replace(&mut self, task: usize, values: [f64; N]) {
        for (column, sorted) in self.sorted.iter_mut().enumerate() {
            let sorted = &mut sorted[usize::from(self.success[task])];
            let old = self.values[task][column];
            sorted.remove(sorted.partition_point(|value| *value < old));
            let new = values[column];
            sorted.insert(sorted.partition_point(|value| *value < new), new);
        }
        self.values[task] = values;
    }

    /// Pairs that `value` of `task` wins against the tasks of the other outcome; a tie is half a win.
    fn wins(&self, column: usize, task: usize, value: f64) -> f64 {
        let others = &self.sorted[column][usize::from(!self.success[task])];
        let below = others.partition_point(|other| *other < value);
        let tied = others[below..].partition_point(|other| *other <= value);
        let above = others.len() - below - tied;
        let clear = if self.success[task] { below } else { above };
        clear as f64 + 0.5 * tied as f64
    }
}

/// The sum of squares.
pub fn square(errors: &[f64]) -> f64 {
    errors.iter().map(|error| error * error).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::auroc;
    use crate::rng::Rng;

    #[test]
    fn errors_follow_every_change() {
        let mut rng = Rng::new(8, 0);
        let success: Vec<bool> = (0..40).map(|task| task % 3 == 0).collect();
        // Few levels, so that many tasks tie.
        let mut draw = || [(); 2].map(|()| rng.below(6) as f64 / 5.0);
        let values: Vec<[f64; 2]> = (0..40).map(|_| draw()).collect();
        let targets = [0.6, 0.3];
        let mut standings = Standings::new(values, &success, targets);
        let mut errors = standings.errors();
        for task in (0..40).chain(0..40) {
            let changed = draw();
            errors = standings.errors_after(errors, &[(task, changed)]);
            standings.replace(task, changed);
            for column in 0..2 {
                let scores: Vec<f64> = (0..40).map(|task| standings.values(task)[column]).collect();
                let reached = auroc(&scores, &success).expect("both outcomes");
                assert!((errors[column] - (reached - targets[column])).abs() < 1e-12);
            }
        }
    }
}
