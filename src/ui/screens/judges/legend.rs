//! The signs of the judges.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend = &[
    ("κ", "agreement beyond chance, and after it the number of pairs"),
    ("≡ ≢", "said equivalent, said different: right or wrong by the database"),
    ("●", "the judge that makes TER"),
    ("✓", "you voted on the pair"),
    ("†", "fewer than 20 pairs of the rarer answer: read with care"),
    ("‡", "rests on votes on pairs that were not drawn at random"),
];
