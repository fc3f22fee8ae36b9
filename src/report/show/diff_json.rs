//! A diff as JSON.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::action::ShownAction;
use super::diff::{Diff, DiffRow};
use super::json::{object, panes, pretty};
use crate::compare::ArgumentDifference;
use crate::scorers::aggregate::Aggregator;

pub(super) fn render(diff: &Diff<'_>) -> String {
    pretty(&DiffObject(diff))
}

struct DiffObject<'s>(&'s Diff<'s>);

impl Serialize for DiffObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let diff = self.0;
        let shown = diff.shown;
        object!(serializer, {
            "task": shown.task(),
            "dataset": shown.dataset(),
            "scorer": shown.scores.scorer.id(),
            "aggregator": shown.scores.scorer.aggregator().map(Aggregator::id),
            "panes": panes(shown, 2),
            "same": diff.same,
            "words_differ": diff.words_differ,
            "edits": diff.edits(),
            "hunks": diff.hunks().map(|rows| Hunk(diff, rows)).collect::<Vec<_>>(),
        })
    }
}

struct Hunk<'s>(&'s Diff<'s>, &'s [DiffRow]);

impl Serialize for Hunk<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "rows": self.1.iter().map(|row| DiffRowObject(self.0, row)).collect::<Vec<_>>(),
        })
    }
}

struct DiffRowObject<'s>(&'s Diff<'s>, &'s DiffRow);

impl Serialize for DiffRowObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (diff, row) = (self.0, self.1);
        let [a, b] = diff.actions(row);
        object!(serializer, {
            "kind": row.kind.id(),
            "a": a.map(DiffAction),
            "b": b.map(DiffAction),
            "differences": row.differences.iter().map(DiffValue).collect::<Vec<_>>(),
        })
    }
}

struct DiffAction<'s>(ShownAction<'s>);

impl Serialize for DiffAction<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let action = self.0;
        object!(serializer, {
            "turn": action.turn(),
            "action": action.name(),
            "confidence": action.view.confidence,
            "weakest": action.view.weakest,
            "error": action.failed(),
            "arguments": action.arguments(),
            "words": action.words(),
        })
    }
}

struct DiffValue<'s>(&'s ArgumentDifference);

impl Serialize for DiffValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "path": self.0.path,
            "a": self.0.first,
            "b": self.0.second,
        })
    }
}
