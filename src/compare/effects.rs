//! What a run changed: its calls, without those that only read.

use std::collections::HashMap;

use super::arguments::canonical;
use super::steps::steps;
use crate::model::Trajectory;

/// A call that may have changed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideEffect {
    /// The tool.
    pub name: String,
    /// Its arguments in their canonical form.
    pub arguments: String,
    /// How often it succeeded.
    pub times: usize,
}

/// First words of tools that only read. Any other tool is taken to change something: a call too
/// many does little harm, one too few misleads.
const LOOKING: [&str; 30] = [
    "get",
    "search",
    "find",
    "list",
    "check",
    "calculate",
    "think",
    "look",
    "show",
    "read",
    "view",
    "fetch",
    "query",
    "count",
    "verify",
    "lookup",
    "retrieve",
    "describe",
    "ls",
    "cat",
    "pwd",
    "estimate",
    "display",
    "compute",
    "validate",
    "compare",
    "convert",
    "tail",
    "diff",
    "grep",
];

/// Whether a tool only reads, by its name.
fn looks(name: &str) -> bool {
    let first = name.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| !word.is_empty());
    let first = first.unwrap_or_default();
    // `getUser` begins with `get` too.
    let end = first.char_indices().skip(1).find(|(_, c)| c.is_ascii_uppercase());
    let word = &first[..end.map_or(first.len(), |(at, _)| at)];
    LOOKING.iter().any(|looking| looking.eq_ignore_ascii_case(word))
}

/// The calls of a run that changed something, judged by names and results: failed calls and those
/// that only read are left out, repeated calls are counted.
pub fn effects(run: &Trajectory) -> Vec<SideEffect> {
    let mut effects: Vec<SideEffect> = Vec::new();
    let mut known: HashMap<(&str, String), usize> = HashMap::new();
    for step in steps(run) {
        let Some(call) = step.call(run).filter(|call| !looks(&call.name)) else { continue };
        if step.failed(run) {
            continue;
        }
        let arguments = canonical(&call.arguments);
        let index = *known.entry((&call.name, arguments.clone())).or_insert(effects.len());
        if index == effects.len() {
            effects.push(SideEffect { name: call.name.clone(), arguments, times: 0 });
        }
        effects[index].times += 1;
    }
    effects
}

/// Effects of two runs: what both did, what only the first did, what only the second did. A call that
/// one made more often counts for both as often as the other made it.
pub fn beside(a: &Trajectory, b: &Trajectory) -> [Vec<SideEffect>; 3] {
    let (mut first, mut second) = (effects(a), effects(b));
    let mut both = Vec::new();
    let name = |effect: &SideEffect| (effect.name.clone(), effect.arguments.clone());
    let others: HashMap<(String, String), usize> =
        second.iter().enumerate().map(|(index, effect)| (name(effect), index)).collect();
    for effect in &mut first {
        if let Some(other) = others.get(&name(effect)) {
            let other = &mut second[*other];
            let times = effect.times.min(other.times);
            both.push(SideEffect { times, ..effect.clone() });
            effect.times -= times;
            other.times -= times;
        }
    }
    first.retain(|effect| effect.times > 0);
    second.retain(|effect| effect.times > 0);
    [both, first, second]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head, Message, Role, ToolCall};

    fn run(calls: &[(&str, &str, bool)]) -> Trajectory {
        let mut messages = Vec::new();
        for (name, arguments, error) in calls {
            let mut call = Message::text(Role::Assistant, "");
            let (name, arguments) = ((*name).to_owned(), (*arguments).to_owned());
            call.tool_calls = vec![ToolCall { id: String::new(), name, arguments }];
            messages.push(call);
            messages.push(Message { error: *error, ..Message::text(Role::Tool, "ok") });
        }
        Trajectory::new(Head::new(Cell::new("d", "m"), "1"), messages, |_| None)
    }

    #[test]
    fn looking_changes_nothing_and_neither_does_what_failed() {
        for name in ["get_user", "getUser", "search-flights", "list", "calculate"] {
            assert!(looks(name), "{name}");
        }
        for name in ["update_order", "getaway_book", "listen", "cancel", ""] {
            assert!(!looks(name), "{name}");
        }
        let a = run(&[
            ("get_user", "{}", false),
            ("cancel", r#"{"id": 1, "why": "x"}"#, false),
            ("cancel", r#"{"why":"x","id":1}"#, false),
            ("refund", "{}", true),
            ("transfer", "{}", false),
        ]);
        let b = run(&[("cancel", r#"{"id": 1, "why": "x"}"#, false), ("refund", "{}", false)]);
        let [both, first, second] = beside(&a, &b);
        assert_eq!((both[0].name.as_str(), both[0].times), ("cancel", 1));
        let names: Vec<(&str, usize)> =
            first.iter().map(|effect| (effect.name.as_str(), effect.times)).collect();
        assert_eq!(names, [("cancel", 1), ("transfer", 1)], "once more than the other");
        assert_eq!(
            second.iter().map(|effect| effect.name.as_str()).collect::<Vec<_>>(),
            ["refund"]
        );
    }
}
