//! The verdicts of two judges on every pair of a reference and a sample.
//!
//! Where the databases know the truth, the judges err at the same rates in every cell. Where they
//! do not, because both runs failed, the first judge's answer is free: it is chosen so that the
//! cell's TER predicts success as well, or as badly, as published.

use super::outcomes::{Grade, Grades};
use super::plan::{PlannedTask, SAMPLES};
use crate::rng::Rng;

/// The judges' names.
pub const JUDGES: [&str; 2] = ["gemini-flash-lite (synthetic)", "gemini-flash (synthetic)"];

const RECALL: f64 = 0.93;
const PRECISION: f64 = 0.88;
/// Share of pairs of which the judges say the same.
const AGREEMENT: f64 = 0.91;
/// Share of the first judge's errors that the second does not make.
const CORRECTED: f64 = 0.5;
/// Share of failure-failure pairs called equivalent, before the cell is steered.
const SAME_FAILURE: f64 = 0.40;
const UNPARSED: f64 = 0.003;

/// An answer: equivalent or not, or nothing that could be read.
pub type Answer = Option<bool>;
/// The answers for the pairs of every task.
pub type Answers = Vec<[Answer; SAMPLES]>;

type Pair = (usize, usize);

/// Pairs by what the databases say of them.
#[derive(Default)]
struct Strata {
    same: Vec<Pair>,
    different: Vec<Pair>,
    unknown: Vec<Pair>,
}

impl Strata {
    /// In random order, so that the first few are a fair draw.
    fn new(grades: &[Grades], keep: impl Fn(Pair) -> bool, rng: &mut Rng) -> Self {
        let mut strata = Self::default();
        for (task, grades) in grades.iter().enumerate() {
            for pair in (0..SAMPLES).map(|sample| (task, sample)).filter(|pair| keep(*pair)) {
                match grades.truth(pair.1) {
                    Some(true) => strata.same.push(pair),
                    Some(false) => strata.different.push(pair),
                    None => strata.unknown.push(pair),
                }
            }
        }
        for stratum in [&mut strata.same, &mut strata.different, &mut strata.unknown] {
            rng.shuffle(stratum);
        }
        strata
    }
}

/// The first judge's answers, steered to the target; the grades of samples change where no answer
/// could reach it.
pub fn first_judge(
    tasks: &[PlannedTask],
    grades: &mut [Grades],
    target: f64,
    rng: &mut Rng,
) -> Answers {
    const ROUNDS: usize = 120;
    // AUROC moves in steps, large ones where tasks are few.
    let solved = grades.iter().filter(|grades| grades.reference.success).count();
    let good_enough = (0.5 / (solved * (grades.len() - solved)) as f64).max(0.01);
    let mut answers = answer(grades, rng);
    for _ in 0..ROUNDS {
        let error = settle(&mut answers, grades, target, rng);
        if error.abs() <= good_enough || !regrade(tasks, grades, error < 0.0, rng) {
            break;
        }
        answers = answer(grades, rng);
    }
    settle(&mut answers, grades, target, rng);
    answers
}

/// Answers with the wanted numbers of errors.
fn answer(grades: &[Grades], rng: &mut Rng) -> Answers {
    let strata = Strata::new(grades, |_| true, rng);
    let mut answers = vec![[None; SAMPLES]; grades.len()];
    let found = RECALL * strata.same.len() as f64;
    let hits = found.round() as usize;
    // Half of the different pairs at most: where nearly all succeed, precision is above the rest's.
    let alarms =
        ((found * (1.0 / PRECISION - 1.0)).round() as usize).min(strata.different.len() / 2);
    for (index, &(task, sample)) in strata.same.iter().enumerate() {
        answers[task][sample] = Some(index < hits);
    }
    for (index, &(task, sample)) in strata.different.iter().enumerate() {
        answers[task][sample] = Some(index < alarms);
    }
    for &(task, sample) in &strata.unknown {
        answers[task][sample] = Some(rng.chance(SAME_FAILURE));
    }
    for answer in answers.iter_mut().flatten().filter(|_| rng.chance(UNPARSED)) {
        *answer = None;
    }
    answers
}

/// Reverses answers for failure-failure pairs until TER has the wanted AUROC; returns the error left.
fn settle(answers: &mut Answers, grades: &[Grades], target: f64, rng: &mut Rng) -> f64 {
    const CLOSE: f64 = 0.004;
    let mut levels = Levels::new(answers, grades);
    let keep = |(task, sample): Pair| answers[task][sample].is_some();
    let free = Strata::new(grades, keep, rng).unknown;
    let mut error = levels.auroc() - target;
    for (task, sample) in free {
        if error.abs() < CLOSE {
            break;
        }
        let mut turned = answers[task];
        turned[sample] = turned[sample].map(|equivalent| !equivalent);
        let class = usize::from(grades[task].reference.success);
        let (old, new) = (level(answers[task]), level(turned));
        levels.shift(class, old, new);
        let changed = levels.auroc() - target;
        if changed.abs() < error.abs() {
            answers[task] = turned;
            error = changed;
        } else {
            levels.shift(class, new, old);
        }
    }
    error
}

/// Lets one more sample of a solved task succeed, or one more sample of any task fail.
fn regrade(tasks: &[PlannedTask], grades: &mut [Grades], raise: bool, rng: &mut Rng) -> bool {
    let mut pairs = Vec::new();
    for (task, grades) in grades.iter().enumerate() {
        for sample in 0..SAMPLES {
            let (now, complete) =
                (grades.samples[sample].success, tasks[task].samples[sample].complete);
            let helps = if raise { grades.reference.success && !now && complete } else { now };
            if helps {
                pairs.push((task, sample));
            }
        }
    }
    if pairs.is_empty() {
        return false;
    }
    let (task, sample) = *rng.pick(&pairs);
    grades[task].samples[sample] = Grade::plain(raise);
    true
}

/// Twelfths of a task's parsed answers that say equivalent: halves and thirds are whole numbers.
fn level(answers: [Answer; SAMPLES]) -> usize {
    let parsed = answers.iter().flatten().count();
    let equivalent = answers.iter().flatten().filter(|same| **same).count();
    (12 * equivalent).checked_div(parsed).unwrap_or(0)
}

/// Numbers of failed and solved tasks at every level.
#[derive(Default)]
pub struct Levels {
    count: [[usize; 13]; 2],
}

impl Levels {
    /// Counts the tasks under these answers.
    pub fn new(answers: &Answers, grades: &[Grades]) -> Self {
        let mut levels = Self::default();
        for (answers, grades) in answers.iter().zip(grades) {
            levels.count[usize::from(grades.reference.success)][level(*answers)] += 1;
        }
        levels
    }

    fn shift(&mut self, class: usize, from: usize, to: usize) {
        self.count[class][from] -= 1;
        self.count[class][to] += 1;
    }

    /// The AUROC of TER.
    pub fn auroc(&self) -> f64 {
        let [failed, solved] = &self.count;
        let (mut wins, mut below) = (0, 0);
        for (failed, solved) in failed.iter().zip(solved) {
            wins += solved * (2 * below + failed);
            below += failed;
        }
        let pairs = 2 * below * solved.iter().sum::<usize>();
        if pairs == 0 { 0.5 } else { wins as f64 / pairs as f64 }
    }
}

/// The second judge's answers: the first one's, but for the wanted share of pairs. Half of the
/// first one's errors are among them, so that the second is a little better.
pub fn second_judge(first: &Answers, grades: &[Grades], rng: &mut Rng) -> Answers {
    let parsed = |(task, sample): Pair| first[task][sample].is_some();
    let Strata { same, different, unknown } = Strata::new(grades, parsed, rng);
    let wrong = |&(task, sample): &Pair| first[task][sample] != grades[task].truth(sample);
    let (errors, right): (Vec<Pair>, Vec<Pair>) =
        same.into_iter().chain(different).partition(wrong);
    let share = |count: usize| ((1.0 - AGREEMENT) * count as f64).round() as usize;
    let turned = share(errors.len() + right.len());
    let corrected = ((CORRECTED * errors.len() as f64).round() as usize).min(turned);
    let mut right = right;
    rng.shuffle(&mut right);
    let mut second = first.clone();
    let changes = errors.iter().take(corrected);
    let changes = changes.chain(right.iter().take(turned - corrected));
    for &(task, sample) in changes.chain(unknown.iter().take(share(unknown.len()))) {
        second[task][sample] = second[task][sample].map(|equivalent| !equivalent);
    }
    for (answers, grades) in second.iter_mut().zip(grades) {
        for (sample, answer) in answers.iter_mut().enumerate() {
            // What the first judge left unread, the second reads, and mostly right.
            *answer = answer.or(Some(grades.truth(sample).unwrap_or(false)));
            if rng.chance(UNPARSED) {
                *answer = None;
            }
        }
    }
    second
}

/// The confidence a judge states: lower where it errs or nobody knows.
pub fn stated(answer: Answer, truth: Option<bool>, rng: &mut Rng) -> Option<f64> {
    let (low, high) = match (answer?, truth) {
        (answer, Some(truth)) if answer == truth => (0.82, 1.0),
        (_, Some(_)) => (0.55, 0.95),
        (_, None) => (0.6, 0.97),
    };
    Some((rng.range(low, high) * 100.0).round() / 100.0)
}
