//! The signs of the cells.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend = &[
    ("▸", "the selected cell"),
    ("━━", "the share of references, or of all runs, that are solved"),
];
