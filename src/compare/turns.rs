//! The turns of a run under a base score and an aggregator.

use crate::model::{Trajectory, Turn, Unscored};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::{self, Base};

/// A turn's confidence and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnView {
    /// The confidence; none without log-probabilities.
    pub confidence: Option<f64>,
    /// Its rank among the run's turns, 1 for the most confident; equal turns share a rank.
    pub rank: Option<usize>,
    /// The share of the aggregate that it moves.
    pub weight: Option<f64>,
    /// It is the weakest of several.
    pub weakest: bool,
    /// Why it has no confidence.
    pub unscored: Option<Unscored>,
}

/// The confidence of one turn.
pub fn confidence(turn: &Turn, base: Base) -> Option<f64> {
    let value = ranked_by(turn, base);
    if base.ranks_by_log() { value.map(f64::exp) } else { value }
}

/// The value that ranks a turn: its confidence, or the log where that may underflow.
fn ranked_by(turn: &Turn, base: Base) -> Option<f64> {
    turn.scores.and_then(|scores| base.ranking(&scores))
}

/// Confidence, rank and weight of every turn.
pub fn turn_views(run: &Trajectory, base: Base, rule: Aggregator) -> Vec<TurnView> {
    let keys: Vec<Option<f64>> = run.turns.iter().map(|turn| ranked_by(turn, base)).collect();
    let known: Vec<f64> = run.turns.iter().filter_map(|turn| confidence(turn, base)).collect();
    let mut sorted: Vec<f64> = keys.iter().flatten().copied().collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let least = sorted.last().copied();
    let mut weights = rule.weights(&known).into_iter();
    let mut found = sorted.len() < 2;
    run.turns
        .iter()
        .zip(keys)
        .enumerate()
        .map(|(index, (turn, key))| {
            let weakest = !found && key.is_some() && key == least;
            found |= weakest;
            TurnView {
                confidence: confidence(turn, base),
                rank: key.map(|key| sorted.partition_point(|other| *other > key) + 1),
                weight: key.and_then(|_| weights.next()),
                weakest,
                unscored: whitebox::unscored(run, index, base),
            }
        })
        .collect()
}

/// The least confident quarter of a run's turns, in order.
pub fn weak_turns(run: &Trajectory, base: Base) -> Vec<usize> {
    let turns = run.turns.iter().enumerate();
    let mut known: Vec<(usize, f64)> =
        turns.filter_map(|(index, turn)| Some((index, ranked_by(turn, base)?))).collect();
    known.sort_by(|a, b| a.1.total_cmp(&b.1));
    known.truncate(known.len().div_ceil(4));
    let mut weak: Vec<usize> = known.into_iter().map(|(turn, _)| turn).collect();
    weak.sort_unstable();
    weak
}

/// The confidence of a run: that of its turns under the aggregator.
pub fn run_confidence(run: &Trajectory, base: Base, rule: Aggregator) -> Option<f64> {
    let ranking = run_ranking(run, base, rule);
    if base.ranks_by_log_under(rule) { ranking.map(f64::exp) } else { ranking }
}

/// The value that ranks a run: its confidence, or the log where that may underflow.
pub fn run_ranking(run: &Trajectory, base: Base, rule: Aggregator) -> Option<f64> {
    let keys = run.turns.iter().filter_map(|turn| ranked_by(turn, base));
    if !base.ranks_by_log_under(rule) {
        return rule.apply(&keys.collect::<Vec<f64>>());
    }
    // The sequence probability is kept as a log already.
    let logs: Vec<f64> =
        if base.ranks_by_log() { keys.collect() } else { keys.map(f64::ln).collect() };
    rule.apply_log(&logs)
}
