//! Outcomes and verdicts of a cell of which the paper reports agreement by outcome: as many pairs and tasks
//! of every kind, as many of them called equivalent, and some tasks that repeat one failing plan.

use super::outcomes::{Grade, Grades};
use super::plan::{PlannedTask, SAMPLES, StuckFigures};
use super::verdicts::{Answers, Levels};
use crate::rng::Rng;

/// Tasks of which the judge calls every draw equivalent although none succeeds.
const STUCK: usize = 4;

/// Grades the samples anew, so that pairs and tasks of every kind are as many as published.
pub fn regroup(tasks: &[PlannedTask], grades: &mut [Grades], stuck: &StuckFigures, rng: &mut Rng) {
    let (mut solved, mut failed): (Vec<usize>, Vec<usize>) =
        (0..grades.len()).partition(|&task| grades[task].reference.success);
    rng.shuffle(&mut solved);
    rng.shuffle(&mut failed);
    grades.iter_mut().for_each(|grades| grades.samples = [Grade::plain(false); SAMPLES]);
    let [both, one, _] = stuck.pairs.map(|pairs| pairs.n);
    // Of solved tasks some are solved by all draws; the others share what is left.
    let always = stuck.always.n.min(solved.len());
    let (all, some) = solved.split_at(always);
    all.iter().for_each(|&task| grades[task].samples = [Grade::plain(true); SAMPLES]);
    let left = both.saturating_sub(SAMPLES * always);
    succeed(tasks, grades, some, left, SAMPLES - 1, rng);
    // Of failed ones, those that are solved sometimes have the other mixed pairs.
    let mixed = one.saturating_sub(SAMPLES * solved.len() - both);
    let sometimes = failed.len().saturating_sub(stuck.never.n);
    let failed = &failed[..sometimes];
    for &task in failed {
        succeed(tasks, grades, &[task], 1, SAMPLES, rng);
    }
    succeed(tasks, grades, failed, mixed.saturating_sub(sometimes), SAMPLES, rng);
}

/// Lets so many more samples of some tasks succeed, at most so many of each; those that leave nothing out
/// first.
fn succeed(
    tasks: &[PlannedTask],
    grades: &mut [Grades],
    among: &[usize],
    count: usize,
    most: usize,
    rng: &mut Rng,
) {
    let mut pairs: Vec<(usize, usize)> =
        among.iter().flat_map(|&task| (0..SAMPLES).map(move |sample| (task, sample))).collect();
    rng.shuffle(&mut pairs);
    pairs.sort_by_key(|&(task, sample)| !tasks[task].samples[sample].complete);
    let mut left = count;
    for (task, sample) in pairs {
        let solved = grades[task].samples.iter().filter(|grade| grade.success).count();
        if left > 0 && solved < most && !grades[task].samples[sample].success {
            grades[task].samples[sample] = Grade::plain(true);
            left -= 1;
        }
    }
}

/// The first judge's answers: of every kind of pair as many equivalent as published, and dealt such that
/// TER predicts success as published.
pub fn stuck_judge(grades: &[Grades], stuck: &StuckFigures, target: f64, rng: &mut Rng) -> Answers {
    const TRIES: usize = 4_000;
    const CLOSE: f64 = 0.004;
    let mut answers: Answers = vec![[Some(false); SAMPLES]; grades.len()];
    let strata = strata(grades, stuck, rng);
    for (pairs, equivalent) in &strata {
        for &(task, sample) in pairs.iter().take(*equivalent) {
            answers[task][sample] = Some(true);
        }
    }
    let free: Vec<&Vec<(usize, usize)>> =
        strata.iter().map(|(pairs, _)| pairs).filter(|pairs| pairs.len() > 1).collect();
    let mut error = Levels::new(&answers, grades).auroc() - target;
    for _ in 0..TRIES {
        if error.abs() < CLOSE || free.is_empty() {
            break;
        }
        // Two answers on pairs of one kind change places.
        let pairs = rng.pick(&free);
        let (one, other) = (*rng.pick(pairs), *rng.pick(pairs));
        let mut changed = answers.clone();
        changed[one.0][one.1] = answers[other.0][other.1];
        changed[other.0][other.1] = answers[one.0][one.1];
        let now = Levels::new(&changed, grades).auroc() - target;
        if now.abs() < error.abs() {
            (answers, error) = (changed, now);
        }
    }
    answers
}

type Stratum = (Vec<(usize, usize)>, usize);

/// Pairs of one kind in random order, with how many are equivalent: of tasks that every draw solves, of
/// stuck ones, of others that none solves, and of the rest by how the pair ended.
fn strata(grades: &[Grades], stuck: &StuckFigures, rng: &mut Rng) -> Vec<Stratum> {
    let solved = |task: usize| grades[task].draws().filter(|grade| grade.success).count();
    let mut never: Vec<usize> = (0..grades.len()).filter(|&task| solved(task) == 0).collect();
    rng.shuffle(&mut never);
    let (repeating, never) = never.split_at(STUCK.min(never.len()));
    let all = |tasks: &[usize]| -> Vec<(usize, usize)> {
        tasks.iter().flat_map(|&task| (0..SAMPLES).map(move |sample| (task, sample))).collect()
    };
    let always: Vec<usize> =
        (0..grades.len()).filter(|&task| solved(task) == SAMPLES + 1).collect();
    let sometimes: Vec<usize> =
        (0..grades.len()).filter(|&task| (1..=SAMPLES).contains(&solved(task))).collect();
    let mut by_outcome = [Vec::new(), Vec::new(), Vec::new()];
    for (task, sample) in all(&sometimes) {
        let successes = usize::from(grades[task].reference.success)
            + usize::from(grades[task].samples[sample].success);
        by_outcome[2 - successes].push((task, sample));
    }
    let [both, one, neither] = stuck.pairs.map(|pairs| pairs.equivalent);
    let repeated = all(repeating);
    let [with, mixed, without] = by_outcome;
    let mut strata = vec![
        (all(never), stuck.never.equivalent.saturating_sub(repeated.len())),
        (with, both.saturating_sub(stuck.always.equivalent)),
        (mixed, one),
        (without, neither.saturating_sub(stuck.never.equivalent)),
        (all(&always), stuck.always.equivalent),
    ];
    strata.iter_mut().for_each(|(pairs, _)| rng.shuffle(pairs));
    // Those of a stuck task are all equivalent, and stay so.
    strata.extend(repeated.into_iter().map(|pair| (vec![pair], 1)));
    strata
}
