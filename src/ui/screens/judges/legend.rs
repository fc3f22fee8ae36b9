//! The signs of the judges.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend = &[
    ("κ", "agreement beyond chance, and after it the number of pairs"),
    ("≡ ≢", "said equivalent, said different: right or wrong by the database"),
    ("●", "the judge that makes TER"),
    ("✓", "you voted on the pair"),
    ("0.31", "how urgent a look at the pair is"),
];
