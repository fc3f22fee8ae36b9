//! Drawing functions that know a theme and nothing about the app.

mod bar;
mod draw;
mod fit;
mod memo;
mod plot;
mod slider;

pub use crate::text::{short_names, width, wrap, wrap_ranges, wrap_some};
pub use crate::text::{signed, two};
pub use bar::{bar, floor};
pub use draw::{paragraph, put, rule, sentence_above, titled_rule, vertical_rule};
pub use fit::{fit, fit_middle, padded};
pub use memo::Memo;
pub use plot::{Area, Axis, Bars, Curve, Drawn, Mark, Plot, Stroke};
pub use slider::slider;
