//! The signs of the aggregators.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend = &[
    ("▸ ▐.67▌", "the selected aggregator, and its value in the selected cell"),
    ("†", "fewer than 20 tasks of the rarer outcome: read with care"),
    ("○", "the aggregator that ranks are compared with"),
    ("● ○", "weights of a turn under both aggregators, higher is more"),
    ("▲8 ▼4 =", "ranks gained, lost, unchanged between the two"),
    ("✓ ✗ ·", "solved, failed, not graded; the reference, then the samples"),
    ("swing", "how far the choice of the aggregator moves the metric"),
];
