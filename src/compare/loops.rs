//! Loops inside one trajectory: the same calls with the same arguments, again and again.

use std::collections::HashMap;

use super::arguments::canonical;
use crate::model::{ToolCall, Trajectory};

/// Calls of a cycle, at most.
const LONGEST: usize = 8;

/// How often a cycle must occur to be a loop.
const OFTEN: usize = 3;

/// Calls that are made again and again, in the same order and with the same arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The turn of its first call, from 0.
    pub first_turn: usize,
    /// The turn of its last call.
    pub last_turn: usize,
    /// Calls of one round: 1 for the same call every time.
    pub period: usize,
    /// Rounds.
    pub times: usize,
    /// The tools of one round, `get_user → get_order`.
    pub call: String,
}

/// Finds the loops of a trajectory: rounds of up to eight calls that occur at least three times in a
/// row. Loops do not overlap. Calls are compared by name and arguments, whatever the order and
/// spacing of their JSON. Messages to the user in between do not end a loop.
pub fn loops(run: &Trajectory) -> Vec<Loop> {
    let mut calls: Vec<(usize, &ToolCall)> = Vec::new();
    for (index, turn) in run.turns.iter().enumerate() {
        let message = &run.messages[turn.message as usize];
        calls.extend(message.tool_calls.iter().map(|call| (index, call)));
    }
    let mut known: HashMap<(&str, String), u32> = HashMap::new();
    let codes: Vec<u32> = calls
        .iter()
        .map(|(_, call)| {
            let next = known.len() as u32;
            *known.entry((&call.name, canonical(&call.arguments))).or_insert(next)
        })
        .collect();
    let found = cycles(&codes).into_iter().map(|(first, period, times)| {
        let names = calls[first..first + period].iter().map(|(_, call)| call.name.as_str());
        Loop {
            first_turn: calls[first].0,
            last_turn: calls[first + period * times - 1].0,
            period,
            times,
            call: names.collect::<Vec<_>>().join(" → "),
        }
    });
    found.collect()
}

/// The first index, period and rounds of every cycle.
fn cycles(codes: &[u32]) -> Vec<(usize, usize, usize)> {
    // By period and index: how many codes from here on are the same as one period later.
    let alike: Vec<Vec<u32>> = (1..=LONGEST)
        .map(|period| {
            let mut lengths = vec![0; codes.len()];
            for index in (0..codes.len().saturating_sub(period)).rev() {
                if codes[index] == codes[index + period] {
                    lengths[index] = lengths[index + 1] + 1;
                }
            }
            lengths
        })
        .collect();
    let mut found = Vec::new();
    let mut index = 0;
    while index < codes.len() {
        let cycle = (1..=LONGEST).find_map(|period| {
            let times = alike[period - 1][index] as usize / period + 1;
            (times >= OFTEN).then_some((period, times))
        });
        match cycle {
            Some((period, times)) => {
                found.push((index, period, times));
                index += period * times;
            }
            None => index += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head, Message, Role};

    fn call(text: &str) -> Message {
        let (name, arguments) = text.split_once('(').unwrap_or((text, "{}"));
        let mut message = Message::text(Role::Assistant, "");
        let (id, name) = (String::new(), name.to_owned());
        message.tool_calls.push(ToolCall { id, name, arguments: arguments.to_owned() });
        message
    }

    fn run(turns: Vec<Message>) -> Vec<Loop> {
        loops(&Trajectory::new(Head::new(Cell::new("d", "m"), "1"), turns, |_| None))
    }

    fn of(texts: &[&str]) -> Vec<(usize, usize, usize, usize, String)> {
        let found = run(texts.iter().map(|text| call(text)).collect()).into_iter();
        found
            .map(|found| (found.first_turn, found.last_turn, found.period, found.times, found.call))
            .collect()
    }

    #[test]
    fn the_same_call_again_and_again() {
        let spellings =
            [r#"a({"x":1,"y":[2,{"b":1,"a":2}]}"#, r#"a({"y": [2,{"a":2,"b":1}],"x":1}"#];
        let texts = ["b", spellings[0], spellings[1], spellings[0], "b"];
        assert_eq!(of(&texts), [(1, 3, 1, 3, "a".to_owned())]);
        assert_eq!(of(&["a", "a"]), []);
        assert_eq!(of(&["a({\"x\":1}", "a({\"x\":2}", "a({\"x\":3}"]), [], "other arguments");
        assert_eq!(of(&["a(not json", "a( not json", "a(not json "]).len(), 1);
    }

    #[test]
    fn cycles_of_several_calls() {
        let texts = ["z", "a", "b", "a", "b", "a", "b", "a"];
        assert_eq!(of(&texts), [(1, 6, 2, 3, "a → b".to_owned())]);
        let texts = ["a", "a", "b", "a", "a", "b", "a", "a", "b"];
        assert_eq!(of(&texts), [(0, 8, 3, 3, "a → a → b".to_owned())]);
        let texts = ["a", "a", "a", "b", "b", "b", "b"];
        assert_eq!(of(&texts), [(0, 2, 1, 3, "a".to_owned()), (3, 6, 1, 4, "b".to_owned())]);
    }

    #[test]
    fn turns_are_counted_with_messages_and_several_calls() {
        let mut twice = call("a");
        twice.tool_calls.push(twice.tool_calls[0].clone());
        let talk = || Message::text(Role::Assistant, "One moment.");
        let found = run(vec![talk(), twice, talk(), call("a"), talk()]);
        assert_eq!((found[0].first_turn, found[0].last_turn, found[0].times), (1, 3, 3));
        assert_eq!(run(vec![talk(), talk(), talk()]), []);
        assert_eq!(run(Vec::new()), []);
    }

    #[test]
    fn long_runs_take_no_time() {
        let codes: Vec<u32> = (0..200_000).map(|index| index % 5).collect();
        assert_eq!(cycles(&codes), [(0, 5, 40_000)]);
        let none: Vec<u32> = (0..200_000).map(|index| index % 9).collect();
        assert_eq!(cycles(&none), []);
    }
}
