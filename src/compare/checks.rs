//! The checks of a run in words: what was expected, whether it was met, and where a call went wrong.

use super::expected::{CallFound, CallPosition, ExpectedCall};
use crate::model::{Basis, Check, CheckKind, Trajectory};

/// Checks of one kind that follow one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckGroup {
    /// Their kind.
    pub kind: CheckKind,
    /// Whether the reward is based on this kind; unknown where the results do not say.
    pub in_basis: Option<bool>,
    /// The checks.
    pub lines: Vec<CheckLine>,
}

impl CheckGroup {
    /// The kind, whether a judge decides, and whether that counts.
    pub fn title(&self) -> String {
        let judge = (self.kind == CheckKind::Language).then_some("by a judge");
        let part = self
            .in_basis
            .map(|counts| if counts { "part of the reward" } else { "not part of the reward" });
        let words = [Some(self.kind.id()), judge, part];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// A check in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckLine {
    /// Whether it was met.
    pub met: Option<bool>,
    /// What was expected.
    pub expected: String,
    /// What became of an expected call that was not made as it should have been.
    pub call: Option<String>,
    /// What the harness says about it.
    pub detail: Option<String>,
}

impl CheckLine {
    /// `✓` met, `✗` failed, `·` unknown.
    pub fn mark(&self) -> char {
        match self.met {
            Some(true) => '✓',
            Some(false) => '✗',
            None => '·',
        }
    }
}

/// What was expected, a call with its arguments, which may be wrapped between them.
pub fn expectation(check: &Check) -> String {
    let Some(arguments) = &check.arguments else { return check.expected.clone() };
    let (mut spaced, mut in_string, mut is_escaped) = (String::new(), false, false);
    for letter in arguments.chars() {
        spaced.push(letter);
        if in_string {
            in_string = is_escaped || letter != '"';
            is_escaped = !is_escaped && letter == '\\';
        } else {
            in_string = letter == '"';
            if matches!(letter, ',' | ':') {
                spaced.push(' ');
            }
        }
    }
    format!("{}({spaced})", check.expected)
}

/// The checks of a run, given what became of its expected calls.
pub fn check_groups(run: &Trajectory, expected: &[ExpectedCall]) -> Vec<CheckGroup> {
    let counted = run.head.outcome.basis.as_ref().map(Basis::kinds);
    let mut groups: Vec<CheckGroup> = Vec::new();
    for (index, check) in run.checks.iter().enumerate() {
        if groups.last().is_none_or(|group| group.kind != check.kind) {
            let in_basis = counted.map(|kinds| kinds.contains(check.kind));
            groups.push(CheckGroup { kind: check.kind, in_basis, lines: Vec::new() });
        }
        let call = expected.iter().find(|call| call.check == index);
        let line = CheckLine {
            met: check.met,
            expected: expectation(check),
            call: call.and_then(|call| call_words(run, call)),
            detail: check.detail.clone(),
        };
        if let Some(group) = groups.last_mut() {
            group.lines.push(line);
        }
    }
    groups
}

/// The expected calls that were made nowhere.
pub fn missing_calls<'r>(
    run: &'r Trajectory,
    expected: &'r [ExpectedCall],
) -> impl Iterator<Item = &'r Check> {
    expected.iter().filter(|call| call.is_missing()).map(|call| &run.checks[call.check])
}

/// What became of an expected call, unless it was made as it should have been.
fn call_words(run: &Trajectory, call: &ExpectedCall) -> Option<String> {
    match &call.found {
        CallFound::Made(_) => None,
        CallFound::Never => Some("never made".to_owned()),
        CallFound::Otherwise(position, _) => {
            let words = call.difference_words().unwrap_or_default();
            let position = position_words(run, *position);
            Some(format!("{position} has other arguments; expected {words}"))
        }
    }
}

/// The turn of a call, from 1.
fn position_words(run: &Trajectory, position: CallPosition) -> String {
    let before = run.turns.iter().filter(|turn| (turn.message as usize) < position.message).count();
    let is_turn = run.turns.iter().any(|turn| turn.message as usize == position.message);
    match (is_turn, before) {
        (true, before) => format!("turn {}", before + 1),
        (false, 0) => "the user's call before turn 1".to_owned(),
        (false, before) => format!("the user's call after turn {before}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::expected_calls;
    use crate::model::{Cell, Head, Message, Role, ToolCall};

    #[test]
    fn checks_are_grouped_as_the_harness_orders_them() {
        let call = |name: &str, arguments: &str| ToolCall {
            id: String::new(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        let said = |role, call| Message { tool_calls: vec![call], ..Message::text(role, "") };
        let messages = vec![
            said(Role::User, call("reboot", r#"{"hard":true}"#)),
            said(Role::Assistant, call("get", "{}")),
            said(Role::Assistant, call("pay", r#"{"sum":2}"#)),
            said(Role::User, call("toggle", r#"{"on":true}"#)),
        ];
        let mut run = Trajectory::new(Head::new(Cell::new("d", "m"), "1"), messages, |_| None);
        let action = |name: &str, arguments: &str| Check {
            arguments: Some(arguments.to_owned()),
            ..Check::new(CheckKind::Action, name, Some(false))
        };
        run.checks = vec![
            Check::new(CheckKind::Database, "same", Some(true)),
            action("pay", r#"{"sum":3}"#),
            action("toggle", r#"{"on":false}"#),
            action("reboot", r#"{"hard":false}"#),
            action("send", "{}"),
            Check {
                detail: Some("it did".to_owned()),
                ..Check::new(CheckKind::Language, "is kind", None)
            },
        ];
        run.head.outcome.basis = Some(Basis::new(["DB", "NL_ASSERTION"]));
        let expected = expected_calls(&run);
        let groups = check_groups(&run, &expected);
        let titles: Vec<String> = groups.iter().map(CheckGroup::title).collect();
        assert_eq!(
            titles,
            [
                "database, part of the reward",
                "action, not part of the reward",
                "language, by a judge, part of the reward",
            ]
        );
        let calls: Vec<Option<&str>> = groups[1].lines.iter().map(|l| l.call.as_deref()).collect();
        assert_eq!(
            calls,
            [
                Some("turn 2 has other arguments; expected sum 3, not 2"),
                Some(
                    "the user's call after turn 2 has other arguments; expected on false, not true"
                ),
                Some(
                    "the user's call before turn 1 has other arguments; expected hard false, not true"
                ),
                Some("never made"),
            ]
        );
        assert_eq!(groups[1].lines[0].expected, r#"pay({"sum": 3})"#);
        let spaced = expectation(&action("f", r#"{"a":["x,\\",1],"b":"\"c:,d"}"#));
        assert_eq!(spaced, r#"f({"a": ["x,\\", 1], "b": "\"c:,d"})"#);
        let marks: String = groups.iter().map(|group| group.lines[0].mark()).collect();
        assert_eq!(marks, "✓✗·");
        assert_eq!(groups[2].lines[0].detail.as_deref(), Some("it did"));
        let missing: Vec<&str> =
            missing_calls(&run, &expected).map(|check| check.expected.as_str()).collect();
        assert_eq!(missing, ["send"]);
    }
}
