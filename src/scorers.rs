//! Confidence scorers: pure functions from a trajectory (and its samples) to a number, larger
//! meaning more sure of success.
//!
//! [`SPECS`] is the table of all scorers, one row each; their functions are in one file per family.
//! [`pattern`] finds what the draws of a task have in common.

pub mod aggregate;
pub mod consistency;
mod family;
pub mod hmm;
pub mod pattern;
pub mod propagation;
mod recipe;
mod running;
mod scorer;
mod spec;
pub mod whitebox;

pub use family::Family;
pub use recipe::{Method, Recipe, WrongRecipe};
pub use running::running;
pub use scorer::Scorer;
pub use spec::{Direction, Formula, Level, NEXT_ACTIONS, Need, SPECS, Spec, ValueRange};
