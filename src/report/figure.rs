//! Figures for papers and pages: drawn as SVG with text as text, from the numbers of the engine.

mod axes;
mod canvas;
mod curves;
mod families;
mod heatmap;
mod samples;
mod stuck;

use crate::colour::Shade;
use crate::engine::Engine;
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::model::Cell;
use crate::scorers::Scorer;
use crate::scorers::whitebox::Base;
use crate::text::short_names;
use canvas::Canvas;
use curves::CurveKind;

/// A figure that can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureKind {
    /// Every scorer in every cell.
    Grid,
    /// A base score under every aggregator in every cell.
    Aggregators,
    /// The best scorer of every family in every cell.
    Families,
    /// ROC curves.
    Roc,
    /// Precision–recall curves.
    PrecisionRecall,
    /// Retained success by coverage.
    RiskCoverage,
    /// Confidence compared with success.
    Reliability,
    /// A metric by the number of samples.
    Samples,
    /// Agreement by outcome.
    Stuck,
}

impl FigureKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Grid,
        Self::Aggregators,
        Self::Families,
        Self::Roc,
        Self::PrecisionRecall,
        Self::RiskCoverage,
        Self::Reliability,
        Self::Samples,
        Self::Stuck,
    ];

    /// The id that `--what` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Aggregators => "aggregators",
            Self::Families => "families",
            Self::Roc => "roc",
            Self::PrecisionRecall => "pr",
            Self::RiskCoverage => "risk-coverage",
            Self::Reliability => "reliability",
            Self::Samples => "samples",
            Self::Stuck => "stuck",
        }
    }
}

/// How a figure is made.
#[derive(Clone, Debug)]
pub struct FigureOptions {
    /// The background.
    pub shade: Shade,
    /// The metric, for a figure of one.
    pub metric: Metric,
    /// The base score, for a figure of one.
    pub base: Base,
    /// The scorers of curves; that which a store opens with if none is named.
    pub scorers: Vec<Scorer>,
    /// How intervals are drawn.
    pub resampling: Resampling,
}

impl Default for FigureOptions {
    fn default() -> Self {
        Self {
            shade: Shade::Light,
            metric: Metric::Auroc,
            base: Base::Lnsp,
            scorers: Vec::new(),
            resampling: Resampling::default(),
        }
    }
}

/// Why a figure cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FigureError {
    /// No scorer has a value of the metric.
    #[error(
        "no scorer has a value here; see `qualm report --table cells` and choose another metric or scope"
    )]
    NoValues,
    /// Every run has the same outcome.
    #[error(
        "a curve needs successes and failures with a score; choose another scorer, cell or scope"
    )]
    OneOutcome,
    /// No scorer is a probability.
    #[error("reliability is of scores from 0 to 1; choose such a scorer")]
    NoProbabilities,
    /// No task was run more than once.
    #[error("no task has a sample beside its reference; run each task more than once")]
    NoSamples,
}

/// A drawn figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What it shows, in one phrase.
    pub title: String,
    canvas: Canvas,
}

impl Figure {
    /// The figure as a standalone SVG.
    pub fn svg(&self) -> String {
        self.canvas.svg(&self.title)
    }
}

/// Draws a figure.
pub fn figure(
    kind: FigureKind,
    engine: &Engine,
    options: &FigureOptions,
) -> Result<Figure, FigureError> {
    match kind {
        FigureKind::Grid => heatmap::grid(engine, options),
        FigureKind::Aggregators => heatmap::aggregators(engine, options),
        FigureKind::Families => families::families(engine, options),
        FigureKind::Roc => curves::curves(engine, CurveKind::Roc, options),
        FigureKind::PrecisionRecall => curves::curves(engine, CurveKind::PrecisionRecall, options),
        FigureKind::RiskCoverage => curves::curves(engine, CurveKind::RiskCoverage, options),
        FigureKind::Reliability => curves::curves(engine, CurveKind::Reliability, options),
        FigureKind::Samples => samples::samples(engine, options),
        FigureKind::Stuck => stuck::stuck(engine, options),
    }
}

/// The dataset and the model of every cell, short but different; a condition stands behind the model.
fn cell_names(engine: &Engine) -> Vec<(String, String)> {
    let models: Vec<String> = engine
        .frames()
        .iter()
        .map(|frame| match frame.cell.condition.as_str() {
            Cell::DEFAULT_CONDITION => frame.cell.model.clone(),
            condition => format!("{} {condition}", frame.cell.model),
        })
        .collect();
    let names: Vec<&str> = models.iter().map(String::as_str).collect();
    let short = short_names(&names, 22);
    let datasets = engine.frames().iter().map(|frame| frame.cell.dataset.clone());
    datasets.zip(short).collect()
}
