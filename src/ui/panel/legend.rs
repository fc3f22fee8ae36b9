//! The signs of runs side by side.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(in crate::ui) const LEGEND: Legend = &[
    ("✓ ✗", "the run solves the task, or fails"),
    ("◆", "the runs first differ here"),
    ("· ·", "only another run does something here"),
    ("≠", "other arguments, or another action, than the first pane"),
    ("◂ weakest", "the turn of lowest confidence"),
    ("█ ▅ ▂", "the confidence of a turn, from the lowest of the run"),
    ("2/10 w.00", "rank of the turn within the run, and its weight under the aggregator"),
    ("↻ ×3", "the call is repeated with the same arguments"),
    ("! failed", "the call failed"),
    ("✱", "the decisive error of the run, as somebody marked it"),
    ("└", "a further call of the same turn"),
    ("› ↳ ›↳", "the user, a result, a result of the user's own tools"),
    ("~ ≡ ✎", "thoughts, fixed texts, notes"),
    ("[-a-] {+b+}", "only in the first pane, only in this one"),
    ("━ ╍ ╌", "without colour: how much in doubt a token is"),
    ("■", "how the run ended"),
];
