//! The turns of each group, with their values.

use std::collections::BTreeMap;

use super::{BINS, SignalBy, TurnGroup};
use crate::engine::pool::{Pool, PoolRow};
use crate::engine::{Frame, Task};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::running;
use crate::scorers::whitebox::Base;
use crate::store::{TurnAction, TurnActions};

/// Values that rows own, such as those of their turns.
#[derive(Default)]
pub(in crate::engine) struct Items {
    /// The row that owns each.
    pub(super) owner: Vec<u32>,
    /// The turn of the row's run.
    pub(super) turns: Vec<u32>,
    /// What it is ranked by.
    pub(super) values: Vec<f64>,
}

impl Items {
    fn push(&mut self, row: usize, turn: u32, value: f64) {
        self.owner.push(row as u32);
        self.turns.push(turn);
        self.values.push(value);
    }
}

/// The scored turns of a run, by their numbers.
pub(in crate::engine) struct ScoredTurns {
    pub(in crate::engine) numbers: Vec<u32>,
    pub(in crate::engine) values: Vec<f64>,
    /// The number of turns of the run, scored or not.
    pub(in crate::engine) all: u32,
}

impl ScoredTurns {
    /// The turns of a row that has a label; none where it has no label or no turn with a value.
    pub(in crate::engine) fn of(frame: &Frame, row: usize, base: Base) -> Option<Self> {
        let task = &frame.tasks[row];
        task.success?;
        let turns = frame.turn_numbers(row).zip(frame.turn_values(row, base).iter().copied());
        let (numbers, values): (Vec<u32>, Vec<f64>) =
            turns.filter(|(_, value)| !value.is_nan()).unzip();
        let last = *numbers.last()?;
        Some(Self { numbers, values, all: task.turns.unwrap_or(0).max(last + 1) })
    }
}

/// The turns of every group that has any. The parts of a run are all there, also empty ones.
pub(super) fn items(pool: &Pool<'_>, base: Base, by: SignalBy<'_>) -> Vec<(TurnGroup, Items)> {
    match by {
        SignalBy::Position => by_position(pool, base),
        SignalBy::Share(rule) => by_share(pool, base, rule),
        SignalBy::Action(actions) => by_action(pool, base, actions),
    }
}

fn scored<'p>(
    pool: &'p Pool<'_>,
    base: Base,
) -> impl Iterator<Item = (usize, &'p Task, ScoredTurns)> + 'p {
    let turns = move |PoolRow { index, frame, task, .. }: PoolRow<'p>| {
        Some((index, &frame.tasks[task], ScoredTurns::of(frame, task, base)?))
    };
    pool.each().filter_map(turns)
}

/// The part of a run that a turn is in: the first turn is at 0, the last one at 1.
fn position(turn: u32, turns: u32) -> usize {
    let last = turns.saturating_sub(1);
    if last == 0 { 0 } else { (BINS as u64 * u64::from(turn) / u64::from(last)) as usize }
        .min(BINS - 1)
}

fn by_position(pool: &Pool<'_>, base: Base) -> Vec<(TurnGroup, Items)> {
    let mut bins: [Items; BINS] = Default::default();
    for (row, _, ScoredTurns { numbers, values, all }) in scored(pool, base) {
        for (turn, value) in numbers.into_iter().zip(values) {
            bins[position(turn, all)].push(row, turn, value);
        }
    }
    bins.into_iter().enumerate().map(|(bin, items)| (TurnGroup::Position(bin), items)).collect()
}

/// The score of every run over its first turns: ⌈T·k/10⌉ of them for k of 1 to 10.
fn by_share(pool: &Pool<'_>, base: Base, rule: Aggregator) -> Vec<(TurnGroup, Items)> {
    let mut shares: [Items; BINS] = Default::default();
    for (row, _, ScoredTurns { numbers, values, all }) in scored(pool, base) {
        let running = running(base, rule, &values);
        for (share, items) in shares.iter_mut().enumerate() {
            let turns = (u64::from(all) * (share as u64 + 1)).div_ceil(BINS as u64);
            let known = numbers.partition_point(|turn| u64::from(*turn) < turns);
            if let Some(last) = known.checked_sub(1) {
                items.push(row, numbers[last], running[last]);
            }
        }
    }
    shares.into_iter().enumerate().map(|(share, items)| (TurnGroup::Share(share), items)).collect()
}

/// All turns, those with a message, those with a call, and those with a call of each tool. A turn that
/// calls a tool twice is in its group once.
fn by_action(pool: &Pool<'_>, base: Base, actions: &TurnActions) -> Vec<(TurnGroup, Items)> {
    let [mut every, mut messages, mut calls] = <[Items; 3]>::default();
    let mut tools: BTreeMap<&str, Items> = BTreeMap::new();
    for (row, task, ScoredTurns { numbers, values, .. }) in scored(pool, base) {
        let Some(run) = task.row_of(task.draw) else { continue };
        for (turn, value) in numbers.into_iter().zip(values) {
            every.push(row, turn, value);
            let Some(of_turn) = actions.of(run, turn) else { continue };
            let mut names: Vec<&str> = Vec::new();
            let mut is_message = false;
            for action in of_turn {
                match action {
                    TurnAction::Message => is_message = true,
                    TurnAction::Call(name) if !names.contains(&name) => names.push(name),
                    TurnAction::Call(_) => {}
                }
            }
            if is_message {
                messages.push(row, turn, value);
            }
            if !names.is_empty() {
                calls.push(row, turn, value);
            }
            for name in names {
                tools.entry(name).or_default().push(row, turn, value);
            }
        }
    }
    let mut tools: Vec<(&str, Items)> = tools.into_iter().collect();
    tools.sort_by_key(|(_, items)| std::cmp::Reverse(items.values.len()));
    let groups =
        [(TurnGroup::All, every), (TurnGroup::Message, messages), (TurnGroup::Call, calls)];
    let tools = tools.into_iter().map(|(name, items)| (TurnGroup::Tool(name.to_owned()), items));
    let has_any = |(_, items): &(TurnGroup, Items)| !items.values.is_empty();
    groups.into_iter().chain(tools).filter(has_any).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_turn_is_at_the_beginning_and_the_last_at_the_end() {
        let bins = |turns: u32| (0..turns).map(|turn| position(turn, turns)).collect::<Vec<_>>();
        assert_eq!(bins(1), [0]);
        assert_eq!(bins(2), [0, 9]);
        assert_eq!(bins(3), [0, 5, 9]);
        assert_eq!(bins(4), [0, 3, 6, 9]);
        assert_eq!(bins(11), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]);
    }
}
