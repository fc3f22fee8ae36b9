//! How well a confidence predicts success: slices in, numbers out.
//!
//! The positive class is success, and a higher score is more confident. Scores closer than [`TIE`]
//! are tied. Where a metric is not defined (one class only, nothing to rank) it has no value, never
//! 0.5, and [`Undefined`] says why.

pub mod agreement;
pub mod bootstrap;
pub mod curve;
pub mod folds;
pub mod isotonic;
mod kind;
pub mod locate;
pub mod logistic;
pub mod paired;
mod points;
pub mod power;
mod proportion;
mod ranking;
mod repeats;
pub mod threshold;

pub use folds::Labelled;
pub use kind::{Metric, Undefined};
pub use points::{auprc, aurc, auroc, brier, ece, prr, prr_in_order, spearman};
pub use proportion::wilson;
pub use ranking::{Ranking, TIE, rank_average};
pub use repeats::{Repeats, Variance, VarianceSums, variance_sums};
