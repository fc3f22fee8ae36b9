//! Values of the propagation scorers whose weights an encoder gives.
//!
//! No text is embedded. How far a run drifts in each turn is drawn instead, until the weighted doubt of
//! all turns predicts success as published. The doubts are those of the run's tokens.

use super::plan::Targets;
use super::standings::{Standings, square};
use crate::rng::Rng;
use crate::scorers::propagation::weighted;

/// The scorers, in the order of their values.
pub const SCORERS: [&str; 3] = ["prop-dist", "prop-pd", "prop-hmm"];

type Values = [f64; SCORERS.len()];

/// What weights by position add to those by distance: the paper gives their AUROC as means over cells,
/// 0.434 and 0.426.
const POSITION_ADDS: f64 = 0.008;

/// The values of every reference, from the length-normalised probabilities of its turns.
pub fn values(
    confidence: &[Vec<f64>],
    success: &[bool],
    targets: &Targets,
    rng: &mut Rng,
) -> Vec<Values> {
    const CLOSE: f64 = 0.004;
    const TRIES: usize = 150;
    let doubts: Vec<Vec<f64>> = confidence
        .iter()
        .map(|turns| turns.iter().map(|probability| -probability.ln()).collect())
        .collect();
    let drawn = doubts.iter().map(|doubts| draw(doubts, rng)).collect();
    let by_distance = targets.auroc("prop-dist", None);
    let wanted = [by_distance, by_distance + POSITION_ADDS, targets.auroc("prop-hmm", None)];
    let mut standings = Standings::new(drawn, success, wanted);
    if !standings.has_both_outcomes() {
        return standings.into_values();
    }
    let mut errors = standings.errors();
    for _ in 0..doubts.len() * TRIES {
        if errors.iter().all(|error| error.abs() < CLOSE) {
            break;
        }
        let task = rng.below(doubts.len());
        let values = draw(&doubts[task], rng);
        let changed = standings.errors_after(errors, &[(task, values)]);
        if square(&changed) < square(&errors) {
            standings.replace(task, values);
            errors = changed;
        }
    }
    standings.into_values()
}

/// The values of one run under a drift that is drawn.
fn draw(doubts: &[f64], rng: &mut Rng) -> Values {
    // From the request, a run moves away step by step; from its observation, an action is anywhere.
    let rise = rng.range(0.0, 0.3);
    let inquiry = |turn: usize| 0.3 + rise * (turn + 1) as f64 / doubts.len() as f64;
    let distance: Vec<f64> = (0..doubts.len())
        .map(|turn| inquiry(turn) + rng.range(-0.05, 0.05) + rng.range(0.1, 0.9))
        .collect();
    let with_position: Vec<f64> =
        (1..).zip(&distance).map(|(number, distance)| f64::from(number) * distance).collect();
    let severity: Vec<f64> = distance.iter().map(|distance| severity(*distance, rng)).collect();
    [distance, with_position, severity]
        .map(|weights| weighted(doubts, &weights).unwrap_or_default())
}

/// The expected severity of a turn, from 1 to 3: mostly that of one of three states.
fn severity(distance: f64, rng: &mut Rng) -> f64 {
    const STEEP: f64 = 12.0;
    let seen = distance + rng.range(-0.25, 0.25);
    let beyond = |border: f64| 1.0 / (1.0 + (-STEEP * (seen - border)).exp());
    1.0 + beyond(0.8) + beyond(1.1)
}
