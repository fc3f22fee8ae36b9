//! qualm

pub mod import;
pub mod metrics;
pub mod model;
pub mod readers;
pub mod rng;
pub mod scorers;
pub mod store;
pub mod text;
