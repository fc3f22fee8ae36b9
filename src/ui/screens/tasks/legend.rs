//! The signs of the tasks.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend = &[
    ("✓ ✗ ·", "solved, failed, not graded; the reference, then the samples: ✗ ✓✓✗"),
    ("▸ ●", "the selected task, a marked task"),
    ("━━━╸", "the score, from the lowest of the cell to the highest"),
    ("▲12 ▼3 =", "ranks gained, lost, unchanged since the scorer before"),
    ("▾ ▴", "sorted by this column, the largest or the smallest first"),
    ("✎", "somebody wrote a note"),
    ("–", "no value"),
    ("◂ weakest", "the turn of lowest confidence"),
    ("█ ▅ ▂", "the confidence of a turn, from the lowest of the run"),
];
