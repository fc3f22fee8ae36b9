//! The signs of the grid.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend = &[
    ("▸ ▐.67▌", "the selected scorer, and its value in the selected cell"),
    ("†", "fewer than 20 tasks of the rarer outcome: read with care"),
    ("n/a", "not defined here: one outcome only, or no probabilities"),
    ("–", "the scorer has no values here"),
    ("▸24", "a folded family shows the best of that many scorers"),
    ("dimmed", "the interval contains chance (for a difference, 0); without colour ·"),
    ("Δ", "differences to the pinned scorer"),
    ("▲ △ · ▽ ▼", "without colour: well above chance to well below"),
    ("▁ … █", "without colour: low to high, for ECE and Brier"),
];
