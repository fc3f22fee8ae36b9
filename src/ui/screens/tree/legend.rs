//! The signs of the tree.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend = &[
    ("▸", "the selected branch"),
    ("●", "the marked branch, which another is opened beside"),
    ("├ └", "draws diverge here"),
    ("◆ 2 ways", "how many branches begin here"),
    ("2/3 67%", "draws of the branch that solve the task"),
    ("✓ ✗", "a draw that ends here solves the task, or fails"),
];
