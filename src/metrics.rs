//! How well a confidence predicts success: slices in, numbers out.

mod auroc;

pub use auroc::auroc;
