//! The drift of turns, and values of the propagation scorers whose weights it gives.
//!
//! No text is embedded. How far a run drifts in each turn is drawn instead, until the weighted doubt of
//! all turns predicts success as published. The doubts are those of the run's tokens.

use super::plan::Targets;
use super::standings::{Standings, square};
use crate::model::Drift;
use crate::rng::Rng;
use crate::scorers::propagation::DriftWeights;

/// The scorers, in the order of their values.
pub const WEIGHTS: [DriftWeights; 3] = DriftWeights::ALL;

type Values = [f64; WEIGHTS.len()];

/// What weights by position add to those by distance: the paper gives their AUROC as means over cells,
/// 0.434 and 0.426.
const POSITION_ADDS: f64 = 0.008;

/// The drift of a reference and what follows from it.
#[derive(Clone, Debug)]
pub struct Propagated {
    /// The drift of every turn.
    pub drifts: Vec<Drift>,
    /// The values of the scorers.
    pub values: Values,
}

/// The drift of every reference, from the length-normalised probabilities of its turns.
pub fn drifts(
    confidence: &[Vec<f64>],
    success: &[bool],
    targets: &Targets,
    rng: &mut Rng,
) -> Vec<Propagated> {
    const CLOSE: f64 = 0.004;
    const TRIES: usize = 150;
    let doubts: Vec<Vec<f64>> = confidence
        .iter()
        .map(|turns| turns.iter().map(|probability| -probability.ln()).collect())
        .collect();
    let mut drawn: Vec<Propagated> = doubts.iter().map(|doubts| draw(doubts, rng)).collect();
    let by_distance = targets.auroc("prop-dist", None);
    let wanted = [by_distance, by_distance + POSITION_ADDS, targets.auroc("prop-hmm", None)];
    let values = drawn.iter().map(|drawn| drawn.values).collect();
    let mut standings = Standings::new(values, success, wanted);
    if !standings.has_both_outcomes() {
        return drawn;
    }
    let mut errors = standings.errors();
    for _ in 0..doubts.len() * TRIES {
        if errors.iter().all(|error| error.abs() < CLOSE) {
            break;
        }
        let task = rng.below(doubts.len());
        let again = draw(&doubts[task], rng);
        let changed = standings.errors_after(errors, &[(task, again.values)]);
        if square(&changed) < square(&errors) {
            standings.replace(task, again.values);
            drawn[task] = again;
            errors = changed;
        }
    }
    drawn
}

/// Draws the drift of one run.
fn draw(doubts: &[f64], rng: &mut Rng) -> Propagated {
    // From the request, a run moves away step by step; from its observation, an action is anywhere.
    let rise = rng.range(0.0, 0.3);
    let inquiry = |turn: usize| 0.3 + rise * (turn + 1) as f64 / doubts.len() as f64;
    let mut drifts: Vec<Drift> = (0..doubts.len())
        .map(|turn| Drift {
            action: inquiry(turn) + rng.range(-0.05, 0.05),
            observation: rng.range(0.1, 0.9),
            severity: None,
        })
        .collect();
    for drift in &mut drifts {
        drift.severity = Some(severity(drift.action + drift.observation, rng));
    }
    let values = WEIGHTS.map(|weights| weights.score(doubts, &drifts).unwrap_or_default());
    Propagated { drifts, values }
}

/// The expected severity of a turn, from 1 to 3: mostly that of one of three states.
fn severity(distance: f64, rng: &mut Rng) -> f64 {
    const STEEP: f64 = 12.0;
    let seen = distance + rng.range(-0.25, 0.25);
    let beyond = |border: f64| 1.0 / (1.0 + (-STEEP * (seen - border)).exp());
    1.0 + beyond(0.8) + beyond(1.1)
}
