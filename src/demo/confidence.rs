//! How sure the agent is in every turn of its references.
//!
//! First, last and weakest turn are drawn separately and dealt to the tasks; the other turns are then
//! moved until the means over turns predict success as published too. So one aggregator can rank a cell
//! well and another upside down.

use super::plan::Targets;
use super::steer::deal;
use crate::rng::Rng;
use crate::scorers::aggregate::Aggregator;

/// How far a turn is from certainty, in units of the cell.
const MIDDLE: std::ops::Range<f64> = 0.05..1.8;
const ENDS: std::ops::Range<f64> = 0.2..1.5;
/// Above every other range, so that the turn is the weakest for sure.
const WEAKEST: std::ops::Range<f64> = 2.0..3.4;

/// The turns of one reference; those between the ends, but for the weakest, are free to move.
struct Course {
    turns: Vec<f64>,
    weakest: usize,
    jitter: Vec<f64>,
}

impl Course {
    /// The turns with the free ones around `level`, rising by `slope` from the first to the last.
    fn with_free_turns(&self, level: f64, slope: f64) -> Vec<f64> {
        let mut turns = self.turns.clone();
        let last = turns.len() - 1;
        for turn in (1..last).filter(|turn| *turn != self.weakest) {
            let position = 2.0 * turn as f64 / last as f64 - 1.0;
            let value = level + slope * position + self.jitter[turn];
            turns[turn] = value.clamp(MIDDLE.start, MIDDLE.end);
        }
        turns
    }
}

/// The length-normalised probability of every turn, by task. `lengths` are numbers of turns.
pub fn turns(
    lengths: &[usize],
    success: &[bool],
    targets: &Targets,
    rng: &mut Rng,
) -> Vec<Vec<f64>> {
    let count = lengths.len();
    let mut dealt = |range: &std::ops::Range<f64>, aggregator: Aggregator| -> Vec<f64> {
        let values: Vec<f64> = (0..count).map(|_| -rng.range(range.start, range.end)).collect();
        let target = targets.auroc("lnsp", Some(&aggregator.id()));
        deal(&values, success, target, rng).into_iter().map(|index| -values[index]).collect()
    };
    let first = dealt(&ENDS, Aggregator::First);
    let last = dealt(&ENDS, Aggregator::Last);
    let weakest = dealt(&WEAKEST, Aggregator::Min);
    let courses: Vec<Course> = (0..count)
        .map(|task| course(lengths[task], [first[task], weakest[task], last[task]], rng))
        .collect();
    // Doubt per turn that puts the mean at its published level, within what greedy text can have.
    let unit = ((1.0 - targets.level("lnsp", Some("mean"))) / 1.2).clamp(0.012, 0.06);
    let lack = Search::new(&courses, success, targets, rng).run(rng);
    lack.into_iter().map(|turns| turns.into_iter().map(|x| 1.0 - unit * x).collect()).collect()
}

fn course(length: usize, [first, weakest, last]: [f64; 3], rng: &mut Rng) -> Course {
    let mut turns = vec![1.0; length];
    // With fewer than three turns there is no middle; the weakest then takes an end.
    let low = if length > 2 { 1 + rng.below(length - 2) } else { 0 };
    turns[length - 1] = last;
    turns[0] = first;
    turns[low] = weakest;
    let jitter = (0..length).map(|_| rng.range(-0.35, 0.35)).collect();
    Course { turns, weakest: low, jitter }
}

const STEERED: [Aggregator; 3] = [Aggregator::Early, Aggregator::Mean, Aggregator::Late];

/// Moves the free turns of one task after the other, keeping what brings the means nearer.
struct Search<'a> {
    courses: &'a [Course],
    success: &'a [bool],
    targets: [f64; 3],
    turns: Vec<Vec<f64>>,
    // By aggregator and task; confidence, so less lack is more.
    values: [Vec<f64>; 3],
    pairs: f64,
}

impl<'a> Search<'a> {
    fn new(courses: &'a [Course], success: &'a [bool], targets: &Targets, rng: &mut Rng) -> Self {
        let turns: Vec<Vec<f64>> =
            courses.iter().map(|course| course.with_free_turns(rng.range(0.3, 1.3), 0.0)).collect();
        let values = STEERED.map(|rule| turns.iter().map(|lack| confidence(rule, lack)).collect());
        let positives = success.iter().filter(|solved| **solved).count();
        let pairs = (positives * (success.len() - positives)) as f64;
        let targets = STEERED.map(|rule| targets.auroc("lnsp", Some(&rule.id())));
        Self { courses, success, targets, turns, values, pairs }
    }

    fn run(mut self, rng: &mut Rng) -> Vec<Vec<f64>> {
        const CLOSE: f64 = 0.004;
        const TRIES: usize = 12;
        if self.pairs == 0.0 {
            return self.turns;
        }
        let mut errors = [0, 1, 2].map(|rule| self.auroc(rule) - self.targets[rule]);
        for _ in 0..self.courses.len() * TRIES {
            if errors.iter().all(|error| error.abs() < CLOSE) {
                break;
            }
            let task = rng.below(self.courses.len());
            let (level, slope) = (rng.range(MIDDLE.start, MIDDLE.end), rng.range(-1.0, 1.0));
            let turns = self.courses[task].with_free_turns(level, slope);
            let values = STEERED.map(|rule| confidence(rule, &turns));
            let mut changed = errors;
            for (rule, changed) in changed.iter_mut().enumerate() {
                *changed += self.gain(rule, task, values[rule]);
            }
            if square(changed) < square(errors) {
                errors = changed;
                self.turns[task] = turns;
                for (by_task, value) in self.values.iter_mut().zip(values) {
                    by_task[task] = value;
                }
            }
        }
        self.turns
    }

    /// Pairs that `value` of `task` wins against the tasks of the other outcome.
    fn wins(&self, rule: usize, task: usize, value: f64) -> f64 {
        let solved = self.success[task];
        let others = self.values[rule].iter().zip(self.success);
        let others = others.filter(|(_, success)| **success != solved);
        let below = others.filter(|(other, _)| (value > **other) == solved).count();
        below as f64
    }

    /// What AUROC gains when a task gets another value.
    fn gain(&self, rule: usize, task: usize, value: f64) -> f64 {
        let now = self.values[rule][task];
        (self.wins(rule, task, value) - self.wins(rule, task, now)) / self.pairs
    }

    fn auroc(&self, rule: usize) -> f64 {
        let solved = (0..self.success.len()).filter(|&task| self.success[task]);
        solved.map(|task| self.wins(rule, task, self.values[rule][task])).sum::<f64>() / self.pairs
    }
}

fn confidence(rule: Aggregator, lack: &[f64]) -> f64 {
    -rule.apply(lack).unwrap_or_default()
}

fn square(errors: [f64; 3]) -> f64 {
    errors.iter().map(|error| error * error).sum()
}
