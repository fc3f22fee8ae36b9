//! Trajectories side by side: actions aligned by the edit script that `aec` counts, arguments and
//! words compared, the confidence of every turn.
//!
//! The explorer's Compare, `qualm show` and `qualm diff` all read a [`Sheet`]. It keeps indices into
//! the runs and no text.

mod align;
mod arguments;
mod checks;
mod effects;
mod expected;
mod json;
mod loops;
mod run_name;
mod sheet;
mod steps;
mod tokens;
mod tree;
mod turns;
mod words;

pub use arguments::{
    ArgumentDifference, JsonLine, canonical, differences, differing_keys, lay_out,
    lay_out_container,
};
pub use checks::{CheckGroup, CheckLine, check_groups, expectation, missing_calls};
pub use effects::{SideEffect, beside, effects};
pub use expected::{CallFound, CallPosition, ExpectedCall, expected_calls};
pub use loops::{Loop, loops};
pub use run_name::{MOST_PANES, RunName, usual_draws};
pub use sheet::{Contrast, RowKind, Sheet, SheetRow, ended_badly};
pub use steps::{Step, before, steps};
pub use tokens::{HeatRange, Measure};
pub use tree::{Branch, DrawTree, TreeDraw, TreeLine, TreePair};
pub use turns::{TurnView, confidence, run_confidence, run_ranking, turn_views, weak_turns};
pub use words::{Change, Piece, changes, differing};
