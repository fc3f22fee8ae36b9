//! Drawing pieces that know a theme and nothing of the app.

mod bar;
mod fit;
mod memo;
mod number;
mod slider;

pub use bar::{bar, floor};
pub use fit::{fit, fit_middle, padded, short_names, width, wrap, wrap_ranges, wrap_some};
pub use memo::Memo;
pub use number::{signed, two};
pub use slider::slider;
