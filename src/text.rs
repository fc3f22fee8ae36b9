//! Safe text, text cells of CSV, wrapped text, short names, words found in a text, and numbers as people write
//! them.
//!
//! Transcripts, names and paths come from models, users and tools. None of their control or escape
//! sequences may reach a terminal: [`visible`] and [`readable`] replace them with visible marks.

mod cell;
mod find;
mod names;
mod nearest;
mod numbers;
mod safe;
mod wrap;

pub use cell::{guarded, unguarded};
pub use find::{find_all, holds};
pub use names::short_names;
pub use nearest::nearest;
pub use numbers::{counted, grouped, percent, signed, sized, two};
pub use safe::{bounded, marked, readable, shell_word, shell_words, visible, xml};
pub use wrap::{excerpt, pieces, width, wrap, wrap_ranges, wrap_some};
