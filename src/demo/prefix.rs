//! How well resampled next actions agree with the actions of a reference, as if the agent had been asked
//! again at every turn.
//!
//! In most runs one turn is open and the others are nearly settled, as the published means say. Turns are
//! drawn again until the values predict success as published. Where nothing is published, they predict it
//! half as well as the agreement of whole runs.

use super::plan::Targets;
use super::standings::{Standings, square};
use crate::rng::Rng;
use crate::scorers::NEXT_ACTIONS;

/// The scorers, in the order of their values.
pub const SCORERS: [&str; 5] = [
    "prefix-type-mean",
    "prefix-type-min",
    "prefix-name-mean",
    "prefix-name-min",
    "prefix-tool-mean",
];

const COLUMNS: usize = SCORERS.len();

type Values = [f64; COLUMNS];

/// How many of the resampled actions agree with the action of a turn.
#[derive(Clone, Copy, Debug)]
pub struct Agreement {
    is_call: bool,
    /// Those that are calls as well, or messages as well.
    pub types: usize,
    /// Those of the same tool, or messages as well.
    pub names: usize,
}

/// The agreement at every turn of every reference. `calls` says by task which turns are tool calls.
pub fn turns(
    calls: &[Vec<bool>],
    success: &[bool],
    targets: &Targets,
    rng: &mut Rng,
) -> Vec<Vec<Agreement>> {
    Search::new(calls, success, targets, rng).run(rng)
}

/// The values of a reference; none for calls where it has none.
pub fn values(turns: &[Agreement]) -> [Option<f64>; COLUMNS] {
    let has_calls = turns.iter().any(|turn| turn.is_call);
    let [type_mean, type_min, name_mean, name_min, tool_mean] = summary(turns).map(Some);
    [type_mean, type_min, name_mean, name_min, tool_mean.filter(|_| has_calls)]
}

/// Draws the turns of one task after the other again, keeping what brings the cell nearer to its targets.
struct Search<'a> {
    calls: &'a [Vec<bool>],
    /// How often an open turn goes another way.
    open: f64,
    means: [Option<f64>; COLUMNS],
    /// By task.
    turns: Vec<Vec<Agreement>>,
    standings: Standings<'a, COLUMNS>,
    /// Sums over all tasks.
    sums: Values,
}

impl<'a> Search<'a> {
    fn new(calls: &'a [Vec<bool>], success: &'a [bool], targets: &Targets, rng: &mut Rng) -> Self {
        // Runs that differ from each other come from turns that are open.
        let open = (1.3 * (1.0 - targets.level("aec", None))).clamp(0.15, 0.6);
        let half = f64::midpoint(0.5, targets.auroc("aec", None));
        let wanted = SCORERS.map(|scorer| {
            let published = targets.published_auroc(scorer, None);
            published.unwrap_or_else(|| half + rng.range(-0.03, 0.03))
        });
        let turns: Vec<Vec<Agreement>> =
            calls.iter().map(|calls| agreements(calls, open, rng)).collect();
        let drawn: Vec<Values> = turns.iter().map(|turns| summary(turns)).collect();
        let sums = std::array::from_fn(|column| drawn.iter().map(|values| values[column]).sum());
        let means = SCORERS.map(|scorer| targets.published_mean(scorer));
        let standings = Standings::new(drawn, success, wanted);
        Self { calls, open, means, turns, standings, sums }
    }

    fn run(mut self, rng: &mut Rng) -> Vec<Vec<Agreement>> {
        const TRIES: usize = 300;
        if !self.standings.has_both_outcomes() {
            return self.turns;
        }
        let mut errors = self.standings.errors();
        let mut off = self.off(&self.sums);
        for _ in 0..self.calls.len() * TRIES {
            if is_close(&errors) && is_close(&off) {
                break;
            }
            let task = rng.below(self.calls.len());
            let turns = agreements(&self.calls[task], self.open, rng);
            let values = summary(&turns);
            let changed = self.standings.errors_after(errors, &[(task, values)]);
            let now = self.standings.values(task);
            let sums =
                std::array::from_fn(|column| self.sums[column] + values[column] - now[column]);
            let changed_off = self.off(&sums);
            if square(&changed) + square(&changed_off) < square(&errors) + square(&off) {
                self.standings.replace(task, values);
                self.turns[task] = turns;
                (self.sums, errors, off) = (sums, changed, changed_off);
            }
        }
        self.turns
    }

    /// How far the means over tasks are from what is published; 0 where nothing is.
    fn off(&self, sums: &Values) -> Values {
        let count = self.calls.len() as f64;
        std::array::from_fn(|column| {
            self.means[column].map_or(0.0, |mean| sums[column] / count - mean)
        })
    }
}

fn is_close(errors: &Values) -> bool {
    errors.iter().all(|error| error.abs() < 0.004)
}

/// Draws the agreement in every turn of a run: one turn is open, in others an action seldom differs.
fn agreements(calls: &[bool], open: f64, rng: &mut Rng) -> Vec<Agreement> {
    const SELDOM: f64 = 0.1;
    let weakest = rng.below(calls.len());
    let open = (open * rng.range(0.0, 2.0)).min(0.95);
    let agreement = |(turn, &is_call): (usize, &bool)| {
        let another = if turn == weakest { open } else { SELDOM * open };
        let mut agree = |of: usize, chance: f64| (0..of).filter(|_| !rng.chance(chance)).count();
        let types = agree(NEXT_ACTIONS, another);
        // A message has no other name, a call may be of another tool.
        let names = if is_call { agree(types, 0.3 * another) } else { types };
        Agreement { is_call, types, names }
    };
    calls.iter().enumerate().map(agreement).collect()
}

/// The values of a run; without a call, all actions stand for the calls.
fn summary(turns: &[Agreement]) -> Values {
    let types = || turns.iter().map(|turn| turn.types);
    let names = || turns.iter().map(|turn| turn.names);
    let calls: Vec<usize> =
        turns.iter().filter(|turn| turn.is_call).map(|turn| turn.names).collect();
    // One division, so that equal shares are equal numbers.
    let share = |agreeing: usize, turns: usize| agreeing as f64 / (NEXT_ACTIONS * turns) as f64;
    let mean = |agreeing: usize| share(agreeing, turns.len());
    let name_mean = mean(names().sum());
    [
        mean(types().sum()),
        share(types().min().unwrap_or(0), 1),
        name_mean,
        share(names().min().unwrap_or(0), 1),
        if calls.is_empty() { name_mean } else { share(calls.iter().sum(), calls.len()) },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_by_hand() {
        let turn = |is_call, types, names| Agreement { is_call, types, names };
        let turns = [turn(true, 5, 4), turn(false, 3, 3), turn(true, 4, 2)];
        let expected = [12.0 / 15.0, 0.6, 9.0 / 15.0, 0.4, 6.0 / 10.0];
        let mut off =
            summary(&turns).into_iter().zip(expected).map(|(found, wanted)| found - wanted);
        assert!(off.all(|off: f64| off.abs() < 1e-12), "{:?}", summary(&turns));
    }

    #[test]
    fn names_agree_at_most_as_often_as_types() {
        let mut rng = Rng::new(1, 9);
        for _ in 0..200 {
            let turns = agreements(&[true, false, true, true], 0.5, &mut rng);
            let fits = |turn: &Agreement| {
                turn.names <= turn.types && (turn.is_call || turn.names == turn.types)
            };
            assert!(turns.iter().all(fits));
        }
    }
}
