//! The forward and the backward pass over a run in log space, and what a step of fitting counts in them.

use std::f64::consts::TAU;

use super::{Hmm, LEAST_VARIANCE, Observation, STATES};

/// A state that holds fewer turns than this keeps its values.
const LEAST_SHARE: f64 = 1e-10;

/// A number for each state.
type ByState = [f64; STATES];

/// The logs of all passes over one run.
pub(super) struct Pass {
    transitions: [ByState; STATES],
    densities: Vec<ByState>,
    forward: Vec<ByState>,
    backward: Vec<ByState>,
    pub(super) log_likelihood: f64,
}

impl Pass {
    /// Passes over a run, which must not be empty.
    pub(super) fn new(model: &Hmm, run: &[Observation]) -> Self {
        let transitions = model.transitions.map(|row| row.map(f64::ln));
        let densities: Vec<ByState> = run.iter().map(|drift| densities(model, drift)).collect();
        let mut forward: Vec<ByState> = Vec::with_capacity(run.len());
        forward.push(std::array::from_fn(|state| model.start[state].ln() + densities[0][state]));
        for turn in 1..run.len() {
            let before = forward[turn - 1];
            let reach = |to: usize| log_sum(|from| before[from] + transitions[from][to]);
            forward.push(std::array::from_fn(|to| reach(to) + densities[turn][to]));
        }
        let mut backward = vec![[0.0; STATES]; run.len()];
        for turn in (1..run.len()).rev() {
            let (after, seen) = (backward[turn], densities[turn]);
            let leave = |from: usize| log_sum(|to| transitions[from][to] + seen[to] + after[to]);
            backward[turn - 1] = std::array::from_fn(leave);
        }
        let last = forward[run.len() - 1];
        let log_likelihood = log_sum(|state| last[state]);
        Self { transitions, densities, forward, backward, log_likelihood }
    }

    /// The probability of each state at every turn.
    pub(super) fn posteriors(&self) -> Vec<ByState> {
        let posterior = |(forward, backward): (&ByState, &ByState)| {
            let logs: ByState = std::array::from_fn(|state| forward[state] + backward[state]);
            let all = log_sum(|state| logs[state]);
            logs.map(|log| (log - all).exp())
        };
        self.forward.iter().zip(&self.backward).map(posterior).collect()
    }

    /// The probability of a move from one state to another after a turn.
    fn moves(&self, turn: usize, from: usize, to: usize) -> f64 {
        let log = self.forward[turn][from]
            + self.transitions[from][to]
            + self.densities[turn + 1][to]
            + self.backward[turn + 1][to];
        (log - self.log_likelihood).exp()
    }
}

/// The log-densities of what was seen, by state.
fn densities(model: &Hmm, seen: &Observation) -> ByState {
    std::array::from_fn(|state| {
        let (means, variances) = (&model.means[state], &model.variances[state]);
        let part = |part: usize| {
            let off = seen[part] - means[part];
            (TAU * variances[part]).ln() + off * off / variances[part]
        };
        -0.5 * (part(0) + part(1))
    })
}

/// The log of a sum, given the logs of its parts.
fn log_sum(log: impl Fn(usize) -> f64) -> f64 {
    let logs: ByState = std::array::from_fn(log);
    let largest = logs.into_iter().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + logs.into_iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
}

/// What is expected of all runs under a model.
#[derive(Default)]
pub(super) struct Statistics {
    pub(super) log_likelihood: f64,
    start: ByState,
    moves: [ByState; STATES],
    turns: ByState,
    sums: [Observation; STATES],
    squares: [Observation; STATES],
}

impl Statistics {
    /// Adds a run, which must not be empty.
    pub(super) fn add(&mut self, model: &Hmm, run: &[Observation]) {
        let pass = Pass::new(model, run);
        let posteriors = pass.posteriors();
        self.log_likelihood += pass.log_likelihood;
        for state in 0..STATES {
            self.start[state] += posteriors[0][state];
            for (drift, posterior) in run.iter().zip(&posteriors) {
                let share = posterior[state];
                self.turns[state] += share;
                for (part, value) in drift.iter().enumerate() {
                    self.sums[state][part] += share * value;
                    self.squares[state][part] += share * value * value;
                }
            }
            for (to, count) in self.moves[state].iter_mut().enumerate() {
                *count += (0..run.len() - 1).map(|turn| pass.moves(turn, state, to)).sum::<f64>();
            }
        }
    }

    /// The likeliest model given the expectations; what they say nothing about stays.
    pub(super) fn maximised(&self, before: &Hmm) -> Hmm {
        let mut model = before.clone();
        model.start = shares(self.start, before.start);
        for state in 0..STATES {
            model.transitions[state] = shares(self.moves[state], before.transitions[state]);
            let turns = self.turns[state];
            if turns < LEAST_SHARE {
                continue;
            }
            for part in 0..2 {
                let (sum, squares) = (self.sums[state][part], self.squares[state][part]);
                let mean = sum / turns;
                let variance = (squares - 2.0 * mean * sum + mean * mean * turns) / turns;
                model.means[state][part] = mean;
                model.variances[state][part] = variance.max(LEAST_VARIANCE);
            }
        }
        model
    }
}

/// Counts as shares of their sum; the shares before where nothing was counted.
fn shares(counts: ByState, before: ByState) -> ByState {
    let sum: f64 = counts.iter().sum();
    if sum < LEAST_SHARE { before } else { counts.map(|count| count / sum) }
}
