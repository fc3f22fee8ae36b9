//! The signs of the cells.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend =
    &[("▸", "the selected cell"), ("━━", "the share of references that are solved")];
