//! The best threshold for an aim, what it achieves on runs that did not choose it, and the runs beside it.

use rayon::prelude::*;

use super::pool::Pool;
use super::{Engine, Scale, TaskId};
use crate::metrics::TIE;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::metrics::curve::Steps;
use crate::metrics::folds;
use crate::metrics::threshold::{Aim, Decision, Weighed};
use crate::model::Costs;
use crate::scorers::Scorer;

/// A share or a cost with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The value; none where it is not defined.
    pub value: Option<f64>,
    /// Its 95% interval, where it was asked for.
    pub interval: Option<Interval>,
}

/// What thresholds achieve on runs that did not choose them: every fold under the threshold of the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldOut {
    /// The counts over all folds.
    pub decision: Decision,
    /// The share of runs that are accepted.
    pub coverage: Estimate,
    /// The share of successes among them.
    pub retained: Estimate,
    /// The share of failures that are reviewed.
    pub caught: Estimate,
    /// The share of successes that are reviewed.
    pub lost: Estimate,
    /// The expected cost of a run.
    pub cost: Estimate,
    /// The number of folds.
    pub folds: usize,
    /// The folds for which no threshold of the others achieves the aim; all of their runs are reviewed.
    pub unachieved: usize,
    /// The resamples behind the intervals.
    pub resamples: usize,
}

/// The best threshold of a scorer for an aim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestThreshold {
    /// The aim.
    pub aim: Aim,
    /// How the scorer's numbers are written.
    pub scale: Scale,
    /// The best threshold on all runs, in the numbers that rank; infinite where accepting nothing is best,
    /// none where no threshold achieves the aim.
    pub threshold: Option<f64>,
    /// What it achieves on the runs that chose it.
    pub decision: Option<Decision>,
    /// What it would have achieved on others; none where an outcome has fewer than two tasks.
    pub held_out: Option<HeldOut>,
}

impl BestThreshold {
    /// The threshold as the scorer gives its values.
    pub fn confidence(&self) -> Option<f64> {
        self.threshold.map(|threshold| self.scale.confidence(threshold))
    }
}

/// A run beside a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearRun {
    /// Its row.
    pub id: TaskId,
    /// The number that it ranks by.
    pub score: f64,
    /// Whether it succeeded.
    pub success: Option<bool>,
}

/// The runs beside a threshold, the nearest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearRuns {
    /// The accepted ones.
    pub above: Vec<NearRun>,
    /// The others.
    pub below: Vec<NearRun>,
}

impl Engine {
    /// The best threshold of a scorer for an aim, over the rows of some cells; none when no row has a
    /// score. A confidence of [`Aim::Score`] is as the scorer gives it. Folds have the seed of the
    /// resampling.
    pub fn best_threshold(
        &self,
        cells: &[usize],
        scorer: &Scorer,
        aim: Aim,
        costs: &Costs,
        resampling: Resampling,
    ) -> Option<BestThreshold> {
        let pool = Pool::new(self, cells);
        let values = pool.values(scorer)?;
        let (scores, scale) = (values.rank, values.scale);
        let ranked = match aim {
            Aim::Score(confidence) => Aim::Score(scale.rank(confidence)),
            aim => aim,
        };
        let steps = Steps::new(&scores, &pool.success);
        let threshold = ranked.choose(&steps, costs);
        let decision = threshold.map(|threshold| Decision::at(&steps, threshold));
        let held_out = held_out(&pool, &scores, ranked, costs, resampling);
        Some(BestThreshold { aim, scale, threshold, decision, held_out })
    }

    /// The runs of some cells beside a threshold, in the numbers that rank: at most so many on each side.
    pub fn near_threshold(
        &self,
        cells: &[usize],
        scorer: &Scorer,
        threshold: f64,
        most: usize,
    ) -> NearRuns {
        let mut near = NearRuns::default();
        for &cell in cells {
            let frame = &self.frames[cell];
            let Some(values) = frame.values(scorer) else { continue };
            for (row, score) in values.rank.iter().enumerate().filter(|(_, score)| !score.is_nan())
            {
                let id = TaskId { cell: cell as u32, task: row as u32 };
                let success = frame.tasks[row].success;
                let side =
                    if *score >= threshold - TIE { &mut near.above } else { &mut near.below };
                side.push(NearRun { id, score: *score, success });
            }
        }
        nearest(&mut near.above, most, |run| run.score);
        nearest(&mut near.below, most, |run| -run.score);
        near
    }
}

/// Leaves the runs with the smallest distance, in order; equal ones by id.
fn nearest(runs: &mut Vec<NearRun>, most: usize, distance: fn(&NearRun) -> f64) {
    let order = |a: &NearRun, b: &NearRun| {
        distance(a).total_cmp(&distance(b)).then_with(|| a.id.cmp(&b.id))
    };
    if most > 0 && runs.len() > most {
        runs.select_nth_unstable_by(most - 1, order);
    }
    runs.truncate(most);
    runs.sort_unstable_by(order);
}

fn held_out(
    pool: &Pool<'_>,
    scores: &[f64],
    aim: Aim,
    costs: &Costs,
    resampling: Resampling,
) -> Option<HeldOut> {
    let success = &pool.success;
    let fold_of = pool.folds(|row| !scores[row].is_nan(), resampling.seed)?;
    let folds = folds::count(&fold_of);
    let thresholds: Vec<Option<f64>> = (0..folds)
        .into_par_iter()
        .map(|fold| {
            let others = scores.iter().zip(&fold_of);
            let others =
                others.map(|(score, of)| if usize::from(*of) == fold { f64::NAN } else { *score });
            aim.choose(&Steps::new(&others.collect::<Vec<f64>>(), success), costs)
        })
        .collect();
    let rows = scores.iter().zip(&fold_of).enumerate().filter(|(_, (score, _))| !score.is_nan());
    let accepted: Vec<(usize, bool)> = rows
        .map(|(row, (score, fold))| {
            let threshold = thresholds.get(usize::from(*fold)).copied().flatten();
            (row, threshold.is_some_and(|threshold| *score >= threshold - TIE))
        })
        .collect();
    let mut decision = Decision::default();
    for (row, accepted) in &accepted {
        let (success, accepted) = (usize::from(success[*row]), usize::from(*accepted));
        decision = decision.plus(Decision {
            runs: 1,
            successes: success,
            accepted,
            accepted_successes: success * accepted,
        });
    }
    let resampling = pool.affordable(resampling);
    let lanes: Vec<Weighed> = (0..resampling.resamples)
        .into_par_iter()
        .map(|resample| {
            let drawn = pool.draw(resample, resampling.seed);
            let mut weighed = Weighed::default();
            for (row, accepted) in &accepted {
                weighed.add(success[*row], *accepted, f64::from(drawn[*row]));
            }
            weighed
        })
        .collect();
    let estimate = |value: Option<f64>, of: &dyn Fn(&Weighed) -> Option<f64>| {
        let values = lanes.iter().map(|lane| of(lane).unwrap_or(f64::NAN)).collect();
        Estimate { value, interval: value.and_then(|_| Interval::of(values)) }
    };
    Some(HeldOut {
        coverage: estimate(decision.coverage(), &Weighed::coverage),
        retained: estimate(decision.retained(), &Weighed::retained),
        caught: estimate(decision.share_caught(), &Weighed::share_caught),
        lost: estimate(decision.share_lost(), &Weighed::share_lost),
        cost: estimate(decision.cost(costs), &|lane| lane.cost(costs)),
        decision,
        folds,
        unachieved: thresholds.iter().filter(|threshold| threshold.is_none()).count(),
        resamples: resampling.resamples,
    })
}
