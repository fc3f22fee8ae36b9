//! A hidden Markov model of drift: three states of growing severity, each with independent Gaussian
//! drifts. It is fitted by expectation maximisation, and no labels are used.

mod passes;

use rayon::prelude::*;

use crate::rng::Rng;
use passes::{Pass, Statistics};

/// The number of states.
pub const STATES: usize = 3;

/// What is seen of a turn: its drift from the task, and that between its action and what followed.
pub type Observation = [f64; 2];

/// The smallest variance: the drift of turns that nothing follows is exactly 0, and a state of such turns
/// only would have an infinite likelihood.
const LEAST_VARIANCE: f64 = 1e-6;

/// Folds of cross-fitting.
const FOLDS: usize = 5;

/// The fewest observations that a model is fitted to.
const FEWEST: usize = 2 * STATES;

/// A model with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Hmm {
    /// The probability of each state at the first turn.
    pub start: [f64; STATES],
    /// The probability of each state after each state.
    pub transitions: [[f64; STATES]; STATES],
    /// The mean drifts in each state.
    pub means: [Observation; STATES],
    /// The variances of the drifts in each state.
    pub variances: [Observation; STATES],
}

/// How a model is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// How often fitting starts anew, from other values; the likeliest result counts.
    pub restarts: usize,
    /// The most steps of one fit.
    pub steps: usize,
    /// A fit ends when a step raises the log-likelihood of an observation by less, on average.
    pub tolerance: f64,
    /// The seed of start values and folds.
    pub seed: u64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { restarts: 6, steps: 100, tolerance: 1e-6, seed: 15 }
    }
}

/// The drifts of one run, with the number of its task.
#[derive(Clone, Debug, PartialEq)]
pub struct DriftRun {
    /// Runs of the same task are in the same fold.
    pub task: usize,
    /// The drifts of its turns.
    pub drifts: Vec<Observation>,
}

/// The expected severity of every turn, by a model that was fitted to the runs of other tasks; none of a
/// run for which there are too few others. `stream` keeps the random numbers of cells apart.
pub fn cross_fitted(runs: &[DriftRun], stream: u64, options: &FitOptions) -> Vec<Option<Vec<f64>>> {
    let fold_of = folds(runs, stream, options.seed);
    let fits: Vec<Option<Hmm>> = (0..FOLDS)
        .into_par_iter()
        .map(|fold| {
            let others = runs.iter().zip(&fold_of).filter(|(_, other)| **other != fold);
            let others: Vec<&[Observation]> = others.map(|(run, _)| &run.drifts[..]).collect();
            Hmm::fit(&others, stream, options)
        })
        .collect();
    let severities =
        |(run, fold): (&DriftRun, &usize)| Some(fits[*fold].as_ref()?.severities(&run.drifts));
    runs.iter().zip(&fold_of).map(severities).collect()
}

/// The fold of every run: tasks are dealt out in random order.
fn folds(runs: &[DriftRun], stream: u64, seed: u64) -> Vec<usize> {
    let mut tasks: Vec<usize> = runs.iter().map(|run| run.task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    Rng::new(seed, stream).shuffle(&mut tasks);
    let position = |task: usize| tasks.iter().position(|other| *other == task).unwrap_or_default();
    runs.iter().map(|run| position(run.task) % FOLDS).collect()
}

impl Hmm {
    /// Fits a model to runs, its states in the order of their mean drift; none where there is too little to
    /// fit to.
    pub fn fit(runs: &[&[Observation]], stream: u64, options: &FitOptions) -> Option<Self> {
        let all: Vec<Observation> = runs.iter().flat_map(|run| run.iter().copied()).collect();
        if all.len() < FEWEST {
            return None;
        }
        let mut rng = Rng::new(options.seed, stream.wrapping_add(1));
        let by_thirds = Self::from_thirds(&all);
        let starts = (1..options.restarts).map(|_| Self::from_three(&all, &mut rng));
        let starts: Vec<Self> = std::iter::once(by_thirds).chain(starts).collect();
        let fits = starts.into_iter().map(|start| start.climb(runs, all.len(), options));
        let best = fits.filter(|(likelihood, _)| likelihood.is_finite());
        let best = best.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(best.1.ordered())
    }

    /// Steps of expectation maximisation until they gain little; returns the log-likelihood too.
    fn climb(self, runs: &[&[Observation]], turns: usize, options: &FitOptions) -> (f64, Self) {
        let (mut model, mut best) = (self, f64::NEG_INFINITY);
        for _ in 0..options.steps {
            let (next, likelihood) = model.step(runs);
            // A NaN ends it as well.
            if likelihood.is_nan() || likelihood - best < options.tolerance * turns as f64 {
                return (likelihood.max(best), model);
            }
            (model, best) = (next, likelihood);
        }
        (best, model)
    }

    /// One step of expectation maximisation; returns the log-likelihood before the step too.
    pub fn step(&self, runs: &[&[Observation]]) -> (Self, f64) {
        let mut statistics = Statistics::default();
        for run in runs.iter().filter(|run| !run.is_empty()) {
            statistics.add(self, run);
        }
        (statistics.maximised(self), statistics.log_likelihood)
    }

    /// The log-likelihood of a run.
    pub fn log_likelihood(&self, run: &[Observation]) -> f64 {
        if run.is_empty() { 0.0 } else { Pass::new(self, run).log_likelihood }
    }

    /// The probability of each state at every turn, given the whole run.
    pub fn posteriors(&self, run: &[Observation]) -> Vec<[f64; STATES]> {
        if run.is_empty() { Vec::new() } else { Pass::new(self, run).posteriors() }
    }

    /// The expected severity of every turn: state 1, 2 or 3 by its mean drift.
    pub fn severities(&self, run: &[Observation]) -> Vec<f64> {
        let severity = |posterior: [f64; STATES]| -> f64 {
            posterior.iter().enumerate().map(|(state, share)| (state + 1) as f64 * share).sum()
        };
        self.posteriors(run).into_iter().map(severity).collect()
    }

    /// The same model, its states by ascending mean drift.
    #[must_use]
    pub fn ordered(&self) -> Self {
        let total = |state: usize| self.means[state].iter().sum::<f64>();
        let mut order: [usize; STATES] = std::array::from_fn(|state| state);
        order.sort_by(|a, b| total(*a).total_cmp(&total(*b)));
        Self {
            start: order.map(|state| self.start[state]),
            transitions: order.map(|from| order.map(|to| self.transitions[from][to])),
            means: order.map(|state| self.means[state]),
            variances: order.map(|state| self.variances[state]),
        }
    }

    /// Start values: a state for each third of the turns by drift.
    fn from_thirds(all: &[Observation]) -> Self {
        let mut sorted = all.to_vec();
        let total = |drift: &Observation| drift.iter().sum::<f64>();
        sorted.sort_by(|a, b| total(a).total_cmp(&total(b)));
        let bound = |third: usize| third * sorted.len() / STATES;
        let thirds: [&[Observation]; STATES] =
            std::array::from_fn(|third| &sorted[bound(third)..bound(third + 1)]);
        Self::start_with(thirds.map(mean), thirds.map(variance))
    }

    /// Start values: around three random turns, as wide as all.
    fn from_three(all: &[Observation], rng: &mut Rng) -> Self {
        let means = std::array::from_fn(|_| *rng.pick(all));
        Self::start_with(means, [variance(all); STATES])
    }

    fn start_with(means: [Observation; STATES], variances: [Observation; STATES]) -> Self {
        let even = 1.0 / STATES as f64;
        Self { start: [even; STATES], transitions: [[even; STATES]; STATES], means, variances }
    }
}

fn mean(drifts: &[Observation]) -> Observation {
    let sum = |part: usize| drifts.iter().map(|drift| drift[part]).sum::<f64>();
    [sum(0), sum(1)].map(|sum| sum / drifts.len() as f64)
}

/// The variances, none too small.
fn variance(drifts: &[Observation]) -> Observation {
    let mean = mean(drifts);
    let squares = |part: usize| drifts.iter().map(move |drift| (drift[part] - mean[part]).powi(2));
    let sums = [squares(0).sum::<f64>(), squares(1).sum::<f64>()];
    sums.map(|sum| (sum / drifts.len() as f64).max(LEAST_VARIANCE))
}

#[cfg(test)]
mod tests;
