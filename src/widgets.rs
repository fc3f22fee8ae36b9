//! Drawing pieces that know a theme and nothing of the app.

mod bar;

pub use bar::bar;
