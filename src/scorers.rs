//! Confidence scorers: pure functions from a trajectory (and its samples) to a number, larger
//! meaning more sure of success. One file a family. Beside them what repeats: [`pattern`] between
//! draws, [`loops`] inside one.

pub mod aggregate;
pub mod consistency;
pub mod pattern;
pub mod propagation;
mod scorer;
pub mod whitebox;

pub use scorer::{Family, Scorer};
