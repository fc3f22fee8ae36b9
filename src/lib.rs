//! qualm

pub mod metrics;
pub mod model;
pub mod readers;
pub mod rng;
pub mod scorers;
