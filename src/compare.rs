//! Trajectories side by side: actions aligned by the edit script that `aec` counts, arguments and
//! words held against each other, the confidence of every turn.
//!
//! A [`Sheet`] is what the explorer's Compare and `qualm show` draw. It knows runs by reference only
//! and keeps places, no text.

mod align;
mod arguments;
mod effects;
mod json;
mod loops;
mod sheet;
mod steps;
mod tokens;
mod turns;
mod wanted;
mod words;

pub use arguments::{
    Difference, Line, canonical, differences, differing_keys, lay_out, lay_out_container,
};
pub use effects::{Effect, beside, effects};
pub use loops::{Loop, loops};
pub use sheet::{Contrast, Row, RowKind, Sheet, ended_badly};
pub use steps::{Step, before, steps};
pub use tokens::{HeatRange, Measure};
pub use turns::{TurnView, confidence, run_confidence, run_ranking, turn_views, weak_turns};
pub use wanted::{MOST_PANES, Wanted, usual_draws};
pub use words::{Change, Piece, changes, differing};
