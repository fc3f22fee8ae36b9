//! Is an agent consistent because it is right, or because it repeats itself? Agreement by the
//! outcomes of the pair, by the solvability of the task, and by the number of samples.

mod list;
mod samples;
mod scope;
mod treat;

use rayon::prelude::*;

use super::frame::{mean, name_stream};
use super::{Engine, Frame, PairId, PairValues, Task, TaskId};
use crate::metrics::bootstrap::{Interval, Resampling, clustered};

pub use list::{STUCK_AGREEMENT, STUCK_FILTER, StuckTask};
pub use samples::{SampleBand, SampleRow};
pub use scope::Scope;
pub(super) use treat::Treated;
pub use treat::{ScopeEffect, StuckEffect, StuckTreatment, TreatedValue};

/// How reference and sample of a pair ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairOutcome {
    /// Both succeeded.
    BothSucceed,
    /// One of them did.
    OneSucceeds,
    /// Neither did.
    BothFail,
}

impl PairOutcome {
    /// All groups, in the order they are listed.
    pub const ALL: [Self; 3] = [Self::BothSucceed, Self::OneSucceeds, Self::BothFail];

    /// The id that JSON uses.
    pub fn id(self) -> &'static str {
        match self {
            Self::BothSucceed => "success-success",
            Self::OneSucceeds => "success-failure",
            Self::BothFail => "failure-failure",
        }
    }

    /// The outcome of a pair whose labels are known.
    pub fn of(reference: Option<bool>, sample: Option<bool>) -> Option<Self> {
        Some(match (reference?, sample?) {
            (true, true) => Self::BothSucceed,
            (false, false) => Self::BothFail,
            _ => Self::OneSucceeds,
        })
    }
}

/// How often the draws of a task succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Solvability {
    /// All draws succeed.
    Always,
    /// Some do.
    Sometimes,
    /// None does.
    Never,
}

impl Solvability {
    /// All groups, in the order they are listed.
    pub const ALL: [Self; 3] = [Self::Always, Self::Sometimes, Self::Never];

    /// The id that JSON uses.
    pub fn id(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Sometimes => "sometimes",
            Self::Never => "never",
        }
    }

    /// The solvability of a task; none when a draw has no label.
    pub fn of(task: &Task) -> Option<Self> {
        let draws = task.samples.iter().map(|sample| sample.success).chain([task.success]);
        let labels: Option<Vec<bool>> = draws.collect();
        let labels = labels?;
        Some(match labels.iter().filter(|label| **label).count() {
            0 => Self::Never,
            solved if solved == labels.len() => Self::Always,
            _ => Self::Sometimes,
        })
    }
}

/// Mean agreement of one group of pairs or tasks under one scorer.
#[derive(Clone, Debug, PartialEq)]
pub struct StuckRow<G> {
    /// The cells that the group is taken from.
    pub scope: Scope,
    /// The scorer's id.
    pub scorer: String,
    /// The group.
    pub group: G,
    /// Mean agreement; none in an empty group.
    pub mean: Option<f64>,
    /// Its 95% interval, over tasks.
    pub interval: Option<Interval>,
    /// Pairs or tasks in the group.
    pub n: usize,
    /// The tasks that these are, or belong to.
    pub tasks: usize,
}

impl Frame {
    /// The pairs of a row that are in a group and have a value: the index of the sample, and the
    /// value.
    fn pairs_of<'f>(
        &'f self,
        row: usize,
        values: PairValues<'f>,
        group: PairOutcome,
    ) -> impl Iterator<Item = (usize, f64)> + 'f {
        let task = &self.tasks[row];
        let pairs = task.samples.iter().zip(values.of(row)).enumerate();
        pairs.filter_map(move |(index, (sample, value))| {
            let is_in_group = PairOutcome::of(task.success, sample.success) == Some(group);
            let counts = is_in_group && !value.is_nan() && self.counts_pair(row, sample);
            counts.then_some((index, *value))
        })
    }

    /// The mean agreement of a task in a group; none if it is in another, or has no value. Of several
    /// rows of a task, the first has it.
    fn mean_of(&self, task: usize, values: PairValues<'_>, group: Solvability) -> Option<f64> {
        let is_in_group = Solvability::of(&self.tasks[task]) == Some(group);
        if !is_in_group || !self.is_first(task) {
            return None;
        }
        Some(mean(self.task_pairs(task, values))).filter(|value| !value.is_nan())
    }
}

impl Engine {
    /// Consistency scorers that have pair values.
    pub fn consistency_ids(&self) -> Vec<String> {
        let scorers = self.scorers.iter().filter(|scorer| scorer.family().is_consistency());
        let ids = scorers.map(|scorer| scorer.id().to_owned());
        ids.filter(|id| self.frames.iter().any(|frame| frame.pair_values(id).is_some())).collect()
    }

    /// Agreement by the outcomes of reference and sample. [`Engine::pairs_counted`] lists the pairs
    /// of a row.
    pub fn stuck_pairs(
        &self,
        scopes: &[Scope],
        scorers: &[String],
        resampling: Option<Resampling>,
    ) -> Vec<StuckRow<PairOutcome>> {
        self.stuck(scopes, scorers, resampling, &PairOutcome::ALL, |frame, task, values, group| {
            let pairs = frame.pairs_of(task, values, group);
            pairs.fold([0.0, 0.0], |[sum, n], (_, value)| [sum + value, n + 1.0])
        })
    }

    /// Agreement by how often the draws of a task succeed. [`Engine::tasks_counted`] lists the tasks
    /// of a row.
    pub fn stuck_tasks(
        &self,
        scopes: &[Scope],
        scorers: &[String],
        resampling: Option<Resampling>,
    ) -> Vec<StuckRow<Solvability>> {
        self.stuck(scopes, scorers, resampling, &Solvability::ALL, |frame, task, values, group| {
            frame.mean_of(task, values, group).map_or([0.0, 0.0], |value| [value, 1.0])
        })
    }

    /// The pairs that a row of [`Engine::stuck_pairs`] counts.
    pub fn pairs_counted(&self, scope: &Scope, scorer: &str, group: PairOutcome) -> Vec<PairId> {
        let tasks = self.with_values(scope, scorer);
        let pairs = tasks.flat_map(|(id, frame, values)| {
            let pairs = frame.pairs_of(id.task as usize, values, group);
            let samples = &frame.tasks[id.task as usize].samples;
            pairs.map(move |(index, _)| PairId { id, draw: samples[index].draw })
        });
        pairs.collect()
    }

    /// The tasks that a row of [`Engine::stuck_tasks`] counts.
    pub fn tasks_counted(&self, scope: &Scope, scorer: &str, group: Solvability) -> Vec<TaskId> {
        let tasks = self.with_values(scope, scorer);
        let tasks = tasks.filter(|(id, frame, values)| {
            frame.mean_of(id.task as usize, *values, group).is_some()
        });
        tasks.map(|(id, ..)| id).collect()
    }

    /// The rows of a scope with the values of their cell's pairs.
    fn with_values<'e>(
        &'e self,
        scope: &'e Scope,
        scorer: &'e str,
    ) -> impl Iterator<Item = (TaskId, &'e Frame, PairValues<'e>)> + 'e {
        self.cells_of(scope).into_iter().flat_map(move |cell| {
            let frame = &self.frames[cell];
            let all = frame.pair_values(scorer);
            all.into_iter().flat_map(move |all| {
                let tasks = 0..frame.tasks.len();
                tasks.map(move |task| {
                    let id = TaskId { cell: cell as u32, task: task as u32 };
                    (id, frame, all)
                })
            })
        })
    }

    /// The mean of every group; `sums` gives what a task adds to its sum and its count.
    fn stuck<G: Copy + Send + Sync>(
        &self,
        scopes: &[Scope],
        scorers: &[String],
        resampling: Option<Resampling>,
        groups: &[G],
        sums: impl Fn(&Frame, usize, PairValues<'_>, G) -> [f64; 2] + Sync,
    ) -> Vec<StuckRow<G>> {
        let rows = scopes.iter().flat_map(|scope| {
            let rows = scorers.iter().map(move |scorer| (scope, scorer));
            rows.flat_map(|(scope, scorer)| groups.iter().map(move |group| (scope, scorer, *group)))
        });
        let rows: Vec<_> = rows.collect();
        let row = |(scope, scorer, group): (&Scope, &String, G)| {
            let mut tasks: Vec<[f64; 2]> = Vec::new();
            for (id, frame, pairs) in self.with_values(scope, scorer) {
                let added = sums(frame, id.task as usize, pairs, group);
                match tasks.last_mut().filter(|_| !frame.is_first(id.task as usize)) {
                    Some([sum, n]) => (*sum, *n) = (*sum + added[0], *n + added[1]),
                    None => tasks.push(added),
                }
            }
            let (mean, interval, n) = average(&tasks, scope, resampling);
            let (scope, scorer) = (scope.clone(), scorer.clone());
            let tasks = tasks.iter().filter(|[_, n]| *n > 0.0).count();
            StuckRow { scope, scorer, group, mean, interval, n, tasks }
        };
        rows.into_par_iter().map(row).collect()
    }
}

/// The mean, its interval and the count, from what every task adds to sum and count.
fn average(
    tasks: &[[f64; 2]],
    scope: &Scope,
    resampling: Option<Resampling>,
) -> (Option<f64>, Option<Interval>, usize) {
    let [sum, n] = tasks.iter().fold([0.0, 0.0], |[sum, n], task| [sum + task[0], n + task[1]]);
    let ratio: fn(&[f64; 2]) -> f64 = |[sum, n]| sum / n;
    // One task alone says nothing about others.
    let several = tasks.iter().filter(|task| task[1] > 0.0).count() > 1;
    let interval = resampling.filter(|_| several).and_then(|resampling| {
        let stream = name_stream(&[&scope.to_string()]);
        clustered(tasks, resampling, stream, &[ratio]).pop().flatten()
    });
    ((n > 0.0).then_some(sum / n), interval, n as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_need_labels() {
        assert_eq!(PairOutcome::of(Some(true), None), None);
        assert_eq!(PairOutcome::of(Some(true), Some(false)), Some(PairOutcome::OneSucceeds));
        assert_eq!(PairOutcome::of(Some(false), Some(false)), Some(PairOutcome::BothFail));
    }
}
