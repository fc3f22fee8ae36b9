//! Confidence scorers: pure functions from a trajectory (and its samples) to a number, larger
//! meaning more sure of success.
//!
//! [`SPECS`] is the table of all scorers and has one row each; the functions stand in one file a
//! family. Beside them is [`pattern`], which finds what the draws of a task have in common.

pub mod aggregate;
pub mod consistency;
mod family;
pub mod pattern;
pub mod propagation;
mod scorer;
mod spec;
pub mod whitebox;

pub use family::Family;
pub use scorer::Scorer;
pub use spec::{Direction, Formula, Level, Need, SPECS, Spec, ValueRange};
