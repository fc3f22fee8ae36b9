//! The checks of a run, in words and as JSON.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::json::object;
use super::lines::{self, safe};
use super::runs::SideBySide;
use crate::compare::{
    ArgumentDifference, CallFound, CheckGroup, CheckLine, ExpectedCall, check_groups,
};
use crate::model::{Basis, Check, Trajectory};

/// What the reward of a run is made of, and that a judge decides a part of it.
pub(super) fn basis_words(run: &Trajectory) -> Option<String> {
    let basis = run.head.outcome.basis.as_ref()?;
    let judge = if basis.is_judged() { ", partly by a judge" } else { "" };
    Some(format!("made of {}{judge}", safe(basis.as_str())))
}

/// The checks of a pane's run, a line each and what is known about it below.
pub(super) fn check_lines(shown: &SideBySide<'_>, pane: usize, full: bool) -> Vec<String> {
    let groups = check_groups(shown.runs[pane], &shown.expected[pane]);
    groups.iter().flat_map(|group| group_lines(group, full)).collect()
}

fn group_lines(group: &CheckGroup, full: bool) -> Vec<String> {
    let mut all = vec![group.title()];
    for line in &group.lines {
        let CheckLine { expected, call, detail, .. } = line;
        let mut indented = |margin: &str, next: &str, text: &str| {
            for (index, line) in lines::fitted(&lines::plain(text), full).into_iter().enumerate() {
                all.push(format!("{}{line}", if index == 0 { margin } else { next }));
            }
        };
        indented(&format!("  {} ", line.mark()), "    ", expected);
        call.iter().for_each(|words| indented("    ", "    ", words));
        detail.iter().for_each(|words| indented("    ", "    ", words));
    }
    all
}

/// What was expected of a pane's action instead of its arguments, in words.
pub(super) fn expected_words(shown: &SideBySide<'_>, row: usize, pane: usize) -> Option<String> {
    let step = shown.sheet.step(row, pane)?;
    let position = step.position(shown.runs[pane])?;
    ExpectedCall::otherwise_at(&shown.expected[pane], position)?.difference_words()
}

/// The checks of a pane's run as JSON.
pub(super) struct CheckList<'s>(pub(super) &'s SideBySide<'s>, pub(super) usize);

impl Serialize for CheckList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (run, expected) = (self.0.runs[self.1], &self.0.expected[self.1]);
        serializer.collect_seq(run.checks.iter().enumerate().map(|(index, check)| {
            let call = expected.iter().find(|call| call.check == index);
            CheckObject { run, check, call }
        }))
    }
}

struct CheckObject<'s> {
    run: &'s Trajectory,
    check: &'s Check,
    call: Option<&'s ExpectedCall>,
}

impl Serialize for CheckObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { run, check, call } = self;
        let counted = run.head.outcome.basis.as_ref().map(Basis::kinds);
        let (found, position, differences) = match call.map(|call| &call.found) {
            None => (None, None, &[][..]),
            Some(CallFound::Never) => (Some("never"), None, &[][..]),
            Some(CallFound::Made(position)) => (Some("made"), Some(position), &[][..]),
            Some(CallFound::Otherwise(position, differences)) => {
                (Some("otherwise"), Some(position), differences.as_slice())
            }
        };
        object!(serializer, {
            "kind": check.kind.id(),
            "in_basis": counted.map(|kinds| kinds.contains(check.kind)),
            "expected": check.expected,
            "arguments": check.arguments,
            "compared": check.compared,
            "met": check.met,
            "detail": check.detail,
            "found": found,
            "message": position.map(|position| position.message),
            "call": position.map(|position| position.call + 1),
            "differences": differences.iter().map(Different).collect::<Vec<_>>(),
        })
    }
}

struct Different<'s>(&'s ArgumentDifference);

impl Serialize for Different<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "path": self.0.path,
            "expected": self.0.first,
            "passed": self.0.second,
        })
    }
}
