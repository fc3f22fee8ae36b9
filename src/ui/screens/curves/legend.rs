//! The signs of the curves.

use crate::ui::screens::Legend;

/// What the signs mean.
pub(super) const LEGEND: Legend = &[
    ("1 2 3 4", "the scorers by their lines: solid, dashed, dotted, dash and dot"),
    ("● 2", "the threshold on the selected curve; others where they accept as many"),
    ("⢕", "the band of the selected curve: 95% of its resamples"),
    ("○", "a bin of the selected scorer; n below is how many tasks it has"),
    ("oracle random", "a perfect ranking, and none at all"),
    ("✓ ▄ ✗ ▀", "tasks by confidence: successes upwards, failures downwards"),
    ("turns so far", "Signal: AUROC of single turns, and of runs up to there; chance is .5"),
    ("1831/200", "Signal: turns and their runs"),
    ("╎", "Stopping: the threshold τ; [8, 35] is a 95% interval in percent"),
    ("● ◆ ▲", "Families: the best white-box, consistency and reflexive scorer"),
    ("├─●─┤ 1 2 ·", "Families: a difference; which scorer is decisively better, or none"),
    ("†", "fewer than 20 tasks of the rarer outcome: read with care"),
];
