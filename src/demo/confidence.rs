//! The agent's confidence in every turn of its references and samples.
//!
//! First, last and weakest turn are drawn separately and dealt to the tasks; the other turns are
//! then moved until the means over turns predict success as published too. So one aggregator can
//! rank a cell well and another upside down. The probability of a whole turn, `sp`, falls with its
//! length: which turns of a task are the doubtful ones, and which task of an outcome has which
//! doubt, changes `sp` and leaves `lnsp` as it is.

use super::plan::Targets;
use super::standings::{Standings, square};
use super::steer::deal;
use crate::rng::Rng;
use crate::scorers::aggregate::Aggregator;

/// How far a turn is from certainty, in units of the cell.
const MIDDLE: std::ops::Range<f64> = 0.05..1.8;
const ENDS: std::ops::Range<f64> = 0.2..1.5;
/// Above every other range, so that the turn is the weakest for sure.
const WEAKEST: std::ops::Range<f64> = 2.0..3.4;

/// The turns of one reference; those between the ends, but for the weakest, are free to move.
#[derive(Clone)]
struct Course {
    turns: Vec<f64>,
    weakest: usize,
    jitter: Vec<f64>,
    /// How long every turn is compared with the others, from -1 to 1.
    long: Vec<f64>,
    /// Tokens of every turn.
    tokens: Vec<f64>,
}

/// Where the free turns of a course stand.
#[derive(Clone, Copy)]
struct Free {
    level: f64,
    /// How far they rise from the first to the last.
    slope: f64,
    /// How far they rise from the shortest to the longest.
    tilt: f64,
}

impl Course {
    /// Moves the free turns.
    fn set_free(&mut self, free: Free) {
        let last = self.turns.len() - 1;
        for turn in (1..last).filter(|turn| *turn != self.weakest) {
            let position = 2.0 * turn as f64 / last as f64 - 1.0;
            let value = free.level
                + free.slope * position
                + free.tilt * self.long[turn]
                + self.jitter[turn];
            self.turns[turn] = value.clamp(MIDDLE.start, MIDDLE.end);
        }
    }

    /// Makes another turn the weakest; where there is no other, nothing changes.
    fn move_weakest(&mut self, rng: &mut Rng) {
        if self.turns.len() > 2 {
            let turn = 1 + rng.below(self.turns.len() - 2);
            self.turns.swap(turn, self.weakest);
            self.weakest = turn;
        }
    }

    /// A turn that is dealt: the first, the last or the weakest.
    fn dealt(&self, which: usize) -> usize {
        [0, self.turns.len() - 1, self.weakest][which]
    }
}

/// The length-normalised probability of every turn, by task. `tokens` are numbers of tokens, turn by turn.
pub fn turns(
    tokens: &[Vec<usize>],
    success: &[bool],
    targets: &Targets,
    rng: &mut Rng,
) -> Vec<Vec<f64>> {
    let mut dealt = |range: &std::ops::Range<f64>, aggregator: Aggregator| -> Vec<f64> {
        let values: Vec<f64> = tokens.iter().map(|_| -rng.range(range.start, range.end)).collect();
        let target = targets.auroc("lnsp", Some(&aggregator.id()));
        deal(&values, success, target, rng).into_iter().map(|index| -values[index]).collect()
    };
    let first = dealt(&ENDS, Aggregator::First);
    let last = dealt(&ENDS, Aggregator::Last);
    let weakest = dealt(&WEAKEST, Aggregator::Min);
    let courses: Vec<Course> = tokens
        .iter()
        .enumerate()
        .map(|(task, tokens)| course(tokens, [first[task], weakest[task], last[task]], rng))
        .collect();
    // Doubt per turn that puts the mean at its published level, within what greedy text can have.
    let unit = ((1.0 - targets.level("lnsp", Some("mean"))) / 1.2).clamp(0.012, 0.06);
    let courses = Search::new(courses, success, targets, unit, rng).run(rng);
    let sure = |turns: Vec<f64>| turns.into_iter().map(|lack| 1.0 - unit * lack).collect();
    courses.into_iter().map(|course| sure(course.turns)).collect()
}

/// The confidence in every turn of a sample with so many turns: about that of its reference at the same
/// stage, and a little less, since a sampled token is not always the likeliest.
pub fn of_sample(reference: &[f64], turns: usize, rng: &mut Rng) -> Vec<f64> {
    const LEAST: f64 = 0.7;
    (0..turns)
        .map(|turn| {
            let nearby = reference[turn * reference.len() / turns];
            (1.0 - (1.0 - nearby) * rng.range(0.7, 1.6)).max(LEAST)
        })
        .collect()
}

fn course(tokens: &[usize], [first, weakest, last]: [f64; 3], rng: &mut Rng) -> Course {
    let length = tokens.len();
    let mut turns = vec![1.0; length];
    // With fewer than three turns there is no middle; the weakest then takes an end.
    let low = if length > 2 { 1 + rng.below(length - 2) } else { 0 };
    turns[length - 1] = last;
    turns[0] = first;
    turns[low] = weakest;
    let jitter = (0..length).map(|_| rng.range(-0.35, 0.35)).collect();
    let tokens: Vec<f64> = tokens.iter().map(|count| *count as f64).collect();
    let mean = tokens.iter().sum::<f64>() / length as f64;
    let long = tokens.iter().map(|count| ((count - mean) / mean).clamp(-1.0, 1.0)).collect();
    Course { turns, weakest: low, jitter, long, tokens }
}

/// The rules under which `lnsp` is steered by the free turns; the others are dealt.
const STEERED: [Aggregator; 3] = [Aggregator::Early, Aggregator::Mean, Aggregator::Late];

/// What is steered: `lnsp` under these rules, then `sp` under all of the paper.
const COLUMNS: usize = STEERED.len() + Aggregator::PAPER.len();

/// Confidences of one task, or errors of the cell, by what is steered.
type Column = [f64; COLUMNS];

/// Changes one or two tasks after the other, keeping what brings the cell nearer to what is published.
struct Search<'a> {
    courses: Vec<Course>,
    success: &'a [bool],
    unit: f64,
    standings: Standings<'a, COLUMNS>,
}

impl<'a> Search<'a> {
    fn new(
        mut courses: Vec<Course>,
        success: &'a [bool],
        targets: &Targets,
        unit: f64,
        rng: &mut Rng,
    ) -> Self {
        for course in &mut courses {
            course.set_free(Free { level: rng.range(0.3, 1.3), slope: 0.0, tilt: 0.0 });
        }
        let values: Vec<Column> = courses.iter().map(|course| confidences(course, unit)).collect();
        let lnsp = STEERED.iter().map(|rule| targets.auroc("lnsp", Some(&rule.id())));
        let sp = Aggregator::PAPER.iter().map(|rule| targets.auroc("sp", Some(&rule.id())));
        let mut wanted = Column::default();
        wanted.iter_mut().zip(lnsp.chain(sp)).for_each(|(wanted, target)| *wanted = target);
        Self { courses, success, unit, standings: Standings::new(values, success, wanted) }
    }

    fn run(mut self, rng: &mut Rng) -> Vec<Course> {
        const CLOSE: f64 = 0.004;
        const TRIES: usize = 120;
        if !self.standings.has_both_outcomes() {
            return self.courses;
        }
        let mut errors = self.standings.errors();
        for _ in 0..self.courses.len() * TRIES {
            if errors.iter().all(|error| error.abs() < CLOSE) {
                break;
            }
            self.attempt(self.changed(rng), &mut errors);
        }
        self.courses
    }

    /// A change to one task, or to two of the same outcome.
    fn changed(&self, rng: &mut Rng) -> Vec<(usize, Course)> {
        let task = rng.below(self.courses.len());
        let mut course = self.courses[task].clone();
        match rng.below(4) {
            0 | 1 => {
                let (level, slope) = (rng.range(MIDDLE.start, MIDDLE.end), rng.range(-1.0, 1.0));
                course.set_free(Free { level, slope, tilt: rng.range(-1.0, 1.0) });
            }
            2 => course.move_weakest(rng),
            _ => {
                let other = rng.below(self.courses.len());
                if other == task || self.success[other] != self.success[task] {
                    return Vec::new();
                }
                // AUROC of what is dealt does not see which task of an outcome has it.
                let mut with = self.courses[other].clone();
                let which = rng.below(3);
                let (one, two) = (course.dealt(which), with.dealt(which));
                std::mem::swap(&mut course.turns[one], &mut with.turns[two]);
                return vec![(task, course), (other, with)];
            }
        }
        vec![(task, course)]
    }

    /// Makes a change if it brings the cell nearer.
    fn attempt(&mut self, change: Vec<(usize, Course)>, errors: &mut Column) {
        let values = change.iter().map(|(task, course)| (*task, confidences(course, self.unit)));
        let values: Vec<(usize, Column)> = values.collect();
        let changed = self.standings.errors_after(*errors, &values);
        if distance(&changed) >= distance(errors) {
            return;
        }
        *errors = changed;
        for ((task, course), (_, values)) in change.into_iter().zip(values) {
            self.standings.replace(task, values);
            self.courses[task] = course;
        }
    }
}

/// The confidence in a task under everything that is steered.
fn confidences(course: &Course, unit: f64) -> Column {
    let sp = course.turns.iter().zip(&course.tokens);
    let sp: Vec<f64> = sp.map(|(lack, tokens)| ((1.0 - unit * lack).ln() * tokens).exp()).collect();
    // Confidence, so less lack is more.
    let lnsp = STEERED.iter().map(|rule| -rule.apply(&course.turns).unwrap_or_default());
    let sp = Aggregator::PAPER.iter().map(|rule| rule.apply(&sp).unwrap_or_default());
    let mut column = Column::default();
    column.iter_mut().zip(lnsp.chain(sp)).for_each(|(column, value)| *column = value);
    column
}

/// How far the cell is from what is published. Where both cannot be had, `lnsp` comes before `sp`.
fn distance(errors: &Column) -> f64 {
    const LNSP: f64 = 4.0;
    let (lnsp, sp) = errors.split_at(STEERED.len());
    LNSP * LNSP * square(lnsp) + square(sp)
}
