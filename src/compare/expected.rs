//! Which calls of a run are those that its task expects.

use serde_json::{Map, Value};

use super::arguments::{ArgumentDifference, differences};
use crate::model::{Check, CheckKind, ToolCall, Trajectory};

/// A call of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallPosition {
    /// The index of its message.
    pub message: usize,
    /// Its index among the calls of the message.
    pub call: usize,
}

/// What became of an expected call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallFound {
    /// It was made here first.
    Made(CallPosition),
    /// This call has its name and other arguments: first what was expected, second what was passed.
    Otherwise(CallPosition, Vec<ArgumentDifference>),
    /// No call is left that has its name.
    Never,
}

/// An expected call and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedCall {
    /// The index of its check.
    pub check: usize,
    /// What became of it.
    pub found: CallFound,
}

impl ExpectedCall {
    /// What was expected instead of a call's arguments; none unless it was made with others.
    pub fn difference_words(&self) -> Option<String> {
        let CallFound::Otherwise(_, differences) = &self.found else { return None };
        let words = differences.iter().map(|difference| {
            let path = match difference.path.as_str() {
                "" => "arguments",
                path => path,
            };
            match (&difference.first, &difference.second) {
                (Some(expected), Some(passed)) => format!("{path} {expected}, not {passed}"),
                (Some(expected), None) => format!("{path} {expected}"),
                (None, _) => format!("no {path}"),
            }
        });
        Some(words.collect::<Vec<_>>().join("; "))
    }

    /// Whether it was made nowhere.
    pub fn is_missing(&self) -> bool {
        self.found == CallFound::Never
    }

    /// The expectation that a call meets only with other arguments.
    pub fn otherwise_at(calls: &[Self], position: CallPosition) -> Option<&Self> {
        let is_here = |call: &&Self| matches!(call.found, CallFound::Otherwise(found, _) if found == position);
        calls.iter().find(is_here)
    }
}

/// Finds the expected calls of a run among those that the agent and the user made.
///
/// A call is the expected one if it has the same name and all compared arguments are equal. Compared are
/// those that the harness names, else those that the call passes, as tau2-bench does. Of the others the
/// nearest call of the same name that is no expected one stands for it: the one with the fewest
/// different arguments, of several the first, and each for one expectation only. A call that the harness
/// accepts although no call is equal is left out.
pub fn expected_calls(run: &Trajectory) -> Vec<ExpectedCall> {
    let expected: Vec<Expected> = run
        .checks
        .iter()
        .enumerate()
        .filter(|(_, check)| check.kind == CheckKind::Action)
        .map(|(index, check)| Expected::new(index, check))
        .collect();
    if expected.is_empty() {
        return Vec::new();
    }
    let calls = made_calls(run, &expected);
    let mut taken: Vec<bool> =
        calls.iter().map(|call| expected.iter().any(|e| e.is(call))).collect();
    let exact = |expected: &Expected<'_>| calls.iter().find(|call| expected.is(call));
    let mut found: Vec<Option<CallFound>> = expected
        .iter()
        .map(|expected| exact(expected).map(|call| CallFound::Made(call.position)))
        .collect();
    let mut near = Vec::new();
    for (index, expected) in
        expected.iter().enumerate().filter(|(index, _)| found[*index].is_none())
    {
        let alike =
            calls.iter().enumerate().filter(|(call, made)| !taken[*call] && expected.names(made));
        near.extend(alike.map(|(call, made)| (expected.different(made).len(), index, call)));
    }
    near.sort_unstable();
    for (_, index, call) in near {
        if found[index].is_none() && !taken[call] {
            taken[call] = true;
            let differences = expected[index].differences(&calls[call]);
            found[index] = Some(CallFound::Otherwise(calls[call].position, differences));
        }
    }
    let is_accepted = |expected: &Expected<'_>| expected.check.met == Some(true);
    let is_made = |found: &Option<CallFound>| matches!(found, Some(CallFound::Made(_)));
    let all = expected.iter().zip(found);
    all.filter(|(expected, found)| is_made(found) || !is_accepted(expected))
        .map(|(expected, found)| ExpectedCall {
            check: expected.index,
            found: found.unwrap_or(CallFound::Never),
        })
        .collect()
}

/// Arguments by name; none where the text is no JSON object.
type Arguments = Option<Map<String, Value>>;

fn arguments(text: &str) -> Arguments {
    serde_json::from_str(text).ok()
}

struct Made<'r> {
    position: CallPosition,
    call: &'r ToolCall,
    arguments: Arguments,
}

/// The calls that have the name of an expected one.
fn made_calls<'r>(run: &'r Trajectory, expected: &[Expected<'_>]) -> Vec<Made<'r>> {
    let mut calls = Vec::new();
    for (message, said) in run.messages.iter().enumerate() {
        for (call, made) in said.tool_calls.iter().enumerate() {
            if expected.iter().any(|expected| expected.check.expected == made.name) {
                let position = CallPosition { message, call };
                calls.push(Made { position, call: made, arguments: arguments(&made.arguments) });
            }
        }
    }
    calls
}

struct Expected<'r> {
    index: usize,
    check: &'r Check,
    arguments: Arguments,
}

impl<'r> Expected<'r> {
    fn new(index: usize, check: &'r Check) -> Self {
        Self { index, check, arguments: arguments(check.arguments.as_deref().unwrap_or("{}")) }
    }

    fn names(&self, made: &Made<'_>) -> bool {
        self.check.expected == made.call.name
    }

    /// Whether a call is the expected one.
    fn is(&self, made: &Made<'_>) -> bool {
        if !self.names(made) {
            return false;
        }
        let (Some(expected), Some(passed)) = (&self.arguments, &made.arguments) else {
            return self.check.arguments.as_deref() == Some(&made.call.arguments);
        };
        let is_equal = |name: &String| match (expected.get(name), passed.get(name)) {
            (Some(a), Some(b)) => equal(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        match &self.check.compared {
            Some(names) => names.iter().all(is_equal),
            None => passed.keys().all(is_equal),
        }
    }

    /// The compared arguments that differ, by name; all of them count where the harness names none.
    fn different(&self, made: &Made<'_>) -> Vec<String> {
        let (Some(expected), Some(passed)) = (&self.arguments, &made.arguments) else {
            return vec![String::new()];
        };
        let mut names: Vec<&String> = match &self.check.compared {
            Some(names) => names.iter().collect(),
            None => expected.keys().chain(passed.keys()).collect(),
        };
        names.sort_unstable();
        names.dedup();
        let differs = |name: &&String| match (expected.get(*name), passed.get(*name)) {
            (Some(a), Some(b)) => !equal(a, b),
            (a, b) => a.is_some() || b.is_some(),
        };
        names.into_iter().filter(differs).cloned().collect()
    }

    fn differences(&self, made: &Made<'_>) -> Vec<ArgumentDifference> {
        let (Some(expected), Some(passed)) = (&self.arguments, &made.arguments) else {
            let first = self.check.arguments.clone();
            let second = Some(made.call.arguments.clone());
            return vec![ArgumentDifference { path: String::new(), first, second }];
        };
        let names = self.different(made);
        let of = |all: &Map<String, Value>| {
            let some = names.iter().filter_map(|name| Some((name.clone(), all.get(name)?.clone())));
            Value::Object(some.collect()).to_string()
        };
        let number =
            |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<f64>().ok());
        let mut found = differences(&of(expected), &of(passed));
        found.retain(|part| {
            number(&part.first).is_none() || number(&part.first) != number(&part.second)
        });
        found
    }
}

/// Whether two values are equal; numbers are by their value, so that 2 is 2.0.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| equal(x, y))
        }
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| equal(x, y)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head, Message, Role};

    /// A run of the agent's calls, each `name{arguments}`; one that begins with `user:` is the user's.
    fn run(calls: &[&str], expected: &[(&str, Option<bool>)]) -> Trajectory {
        let call = |text: &str| {
            let (name, arguments) = text.split_at(text.find('{').expect("arguments"));
            ToolCall { id: String::new(), name: name.to_owned(), arguments: arguments.to_owned() }
        };
        let message = |text: &&str| {
            let (role, text) = match text.strip_prefix("user:") {
                Some(text) => (Role::User, text),
                None => (Role::Assistant, *text),
            };
            Message { tool_calls: vec![call(text)], ..Message::text(role, "") }
        };
        let messages = calls.iter().map(message).collect();
        let mut run = Trajectory::new(Head::new(Cell::new("d", "m"), "1"), messages, |_| None);
        run.checks = expected
            .iter()
            .map(|(text, met)| {
                let ToolCall { name, arguments, .. } = call(text);
                let check = Check::new(CheckKind::Action, name, *met);
                Check { arguments: Some(arguments), ..check }
            })
            .collect();
        run
    }

    /// For every expectation the message of its call, what differs there, or `never`.
    fn found(calls: &[&str], expected: &[&str]) -> Vec<String> {
        let expected: Vec<_> = expected.iter().map(|text| (*text, None)).collect();
        words(&run(calls, &expected))
    }

    fn words(run: &Trajectory) -> Vec<String> {
        let word = |call: ExpectedCall| match &call.found {
            CallFound::Made(position) => format!("{}", position.message),
            CallFound::Never => "never".to_owned(),
            CallFound::Otherwise(position, _) => {
                format!("{}: {}", position.message, call.difference_words().expect("differences"))
            }
        };
        expected_calls(run).into_iter().map(word).collect()
    }

    #[test]
    fn numbers_and_the_order_of_keys_do_not_matter() {
        let calls = [r#"pay{"to":"x","sum":2.0,"parts":[{"a":1,"b":2}]}"#];
        assert_eq!(found(&calls, &[r#"pay{"parts":[{"b":2.0,"a":1}],"sum":2,"to":"x"}"#]), ["0"]);
        assert_eq!(
            found(&calls, &[r#"pay{"parts":[{"a":1,"b":3}],"sum":2,"to":"y"}"#]),
            [r#"0: parts[0].b 3, not 2; to "y", not "x""#]
        );
    }

    #[test]
    fn the_first_equal_call_counts_whoever_made_it() {
        let calls = [r#"user:a{"x":1}"#, "b{}", r#"a{"x":1}"#];
        assert_eq!(found(&calls, &[r#"a{"x":1}"#, "b{}", "c{}"]), ["0", "1", "never"]);
    }

    #[test]
    fn an_expected_call_does_not_stand_for_another_one() {
        let both = [r#"get{"id":"A"}"#, r#"get{"id":"B"}"#];
        assert_eq!(found(&both[..1], &both), ["0", "never"]);
        let calls = [both[0], r#"get{"id":"C"}"#];
        assert_eq!(found(&calls, &both), ["0", r#"1: id "B", not "C""#]);
    }

    #[test]
    fn the_nearest_call_is_chosen_and_used_once() {
        let calls = [r#"f{"a":1,"b":9}"#, r#"f{"a":9,"b":9}"#];
        let expected = [r#"f{"a":5,"b":5}"#, r#"f{"a":1,"b":1}"#, r#"f{"a":7,"b":7}"#];
        assert_eq!(
            found(&calls, &expected),
            ["1: a 5, not 9; b 5, not 9", "0: b 1, not 9", "never"]
        );
    }

    #[test]
    fn only_compared_arguments_count() {
        let mut some = run(&[r#"f{"a":1,"b":2}"#], &[(r#"f{"a":1,"b":3}"#, None)]);
        assert_eq!(words(&some), ["0: b 3, not 2"]);
        some.checks[0].compared = Some(vec!["a".to_owned()]);
        assert_eq!(words(&some), ["0"]);
        some.checks[0].compared = Some(Vec::new());
        assert_eq!(words(&some), ["0"]);
        some.checks[0].compared = Some(vec!["b".to_owned(), "c".to_owned()]);
        assert_eq!(words(&some), ["0: b 3, not 2"]);
        // Without a list those that the call passes.
        assert_eq!(found(&["f{}"], &[r#"f{"a":1}"#]), ["0"]);
        assert_eq!(found(&[r#"f{"b":1}"#], &[r#"f{"a":1}"#]), ["0: a 1; no b"]);
    }

    #[test]
    fn what_the_harness_accepts_is_not_called_missing() {
        let some =
            run(&[r#"f{"a":1}"#], &[(r#"f{"a":2}"#, Some(true)), (r#"f{"a":3}"#, Some(false))]);
        let calls = expected_calls(&some);
        assert_eq!(calls.iter().map(|call| call.check).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn arguments_that_are_no_json_are_compared_as_they_are() {
        let mut some = run(&["f{"], &[("f{", None)]);
        assert_eq!(words(&some), ["0"]);
        some.checks[0].arguments = Some("{}".to_owned());
        assert_eq!(words(&some), ["0: arguments {}, not {"]);
    }
}
