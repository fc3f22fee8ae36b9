//! The signs of stuck tasks.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend = &[
    ("✓✓ ✓✗ ✗✗", "pairs of draws: both solve it, one does, none does"),
    ("±", "half the interval of a mean; the number after it is n"),
    ("●", "counts as stuck: no draw solves it, and the draws agree"),
    ("×1–3", "how often the draws repeat the call"),
    ("● ⢕ chance", "the metric by the number of samples, its interval, and what guessing gives"),
];
