//! The signs of two cells compared.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend = &[
    (
        "0/3 → 3/3",
        "draws that solve the task, of all of them, in the baseline and in the candidate",
    ),
    ("[lo, hi]", "95% interval; both cells are resampled with the same tasks"),
    ("+ −", "candidate minus baseline; shares in points of 100"),
    ("pass@k", "at least one of k draws solves the task; pass^k: all k do"),
    (
        "fixed",
        "most draws of the candidate solve it, most of the baseline do not; broken: reversed",
    ),
    ("shaky", "otherwise solved by some draws only"),
    ("detectable", "smallest difference found with 80% power by a two-sided test at 5%"),
];
