//! How well a confidence predicts success: slices in, numbers out.
//!
//! The positive class is success, and a higher score is more confident. Scores closer than [`TIE`]
//! are tied. Where a metric is not defined (one class only, nothing to rank) it has no value, never
//! 0.5, and [`Undefined`] says why.

pub mod agreement;
pub mod bootstrap;
mod kind;
pub mod locate;
mod points;
mod proportion;
mod ranking;

pub use kind::{Metric, Undefined};
pub use points::{auprc, aurc, auroc, brier, ece, prr, prr_in_order, spearman};
pub use proportion::wilson;
pub use ranking::{Ranking, TIE};
