//! qualm

pub mod metrics;
pub mod model;
pub mod rng;
pub mod scorers;
