//! Figures for papers and pages, drawn from the numbers of the engine: as SVG and, with the feature
//! `figures`, as PNG and PDF. Text stays text in SVG and PDF.

mod axes;
mod canvas;
mod curves;
mod families;
mod format;
mod heatmap;
mod letters;
mod noise;
#[cfg(feature = "figures")]
mod print;
mod samples;
mod stuck;
mod svg;
#[cfg(test)]
mod tests;
mod turns;
mod versus;

use crate::colour::Shade;
use crate::engine::{CellPairs, Engine};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::model::Cell;
use crate::scorers::Scorer;
use crate::scorers::whitebox::Base;
use crate::store::{RunColumns, Store, StoreError};
use crate::text::short_names;
use canvas::Canvas;
use curves::CurveKind;

pub use format::{FigureFormat, FigureFormatError};

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
    /// The confidence of turns along the run, by outcome.
    Turns,
    /// Pairs of cells on the tasks they share.
    Versus,
    /// Flips between draws, and the difference that some tasks and draws show.
    Noise,
}

impl FigureKind {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Grid,
        Self::Aggregators,
        Self::Families,
        Self::Roc,
        Self::PrecisionRecall,
        Self::RiskCoverage,
        Self::Reliability,
        Self::Samples,
        Self::Stuck,
        Self::Turns,
        Self::Versus,
        Self::Noise,
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
            Self::Turns => "turns",
            Self::Versus => "versus",
            Self::Noise => "noise",
        }
    }

    /// What it shows, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Grid => "every scorer in every cell",
            Self::Aggregators => "a base score under every aggregator in every cell",
            Self::Families => "the best scorer of every family in every cell",
            Self::Roc => "ROC curves of up to four scorers",
            Self::PrecisionRecall => "precision–recall curves",
            Self::RiskCoverage => "success among accepted tasks by coverage",
            Self::Reliability => "confidence compared with success",
            Self::Samples => "a metric by the number of samples",
            Self::Stuck => "agreement of draws by outcome",
            Self::Turns => "confidence of turns along the run, by outcome",
            Self::Versus => "two cells on the tasks they share",
            Self::Noise => "flips between draws, and detectable differences by tasks and draws",
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
    /// The scorers of a figure of some; that which a store opens with if none is named, all in a grid.
    pub scorers: Vec<Scorer>,
    /// The pairs of cells to compare; those that are meant if none is named.
    pub pairs: Option<CellPairs>,
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
            pairs: None,
            resampling: Resampling::default(),
        }
    }
}

/// Why a figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// No scorer has a value of the metric.
    #[error(
        "no scorer has a value here; see `qualm report --table cells` and choose another metric or scope"
    )]
    NoValues,
    /// Every run has the same outcome.
    #[error(
        "the figure needs successes and failures with a score; choose another scorer, cell or scope"
    )]
    OneOutcome,
    /// No scorer is a probability.
    #[error("reliability is of scores from 0 to 1; choose such a scorer")]
    NoProbabilities,
    /// No task was run more than once.
    #[error("no task has a sample beside its reference; run each task more than once")]
    NoSamples,
    /// No graded run has a turn with a confidence.
    #[error("no graded run has a turn with this base score; import log-probabilities")]
    NoTurns,
    /// No task has two draws that are repeats.
    #[error("no task has two graded draws of one temperature; run each task more than once")]
    NoRepeats,
    /// Which cells to compare is not clear.
    #[error("{0}")]
    Pairs(String),
    /// No pair of cells shares a task.
    #[error("the cells share no task with known outcomes in both; name cells of the same tasks")]
    NoSharedTasks,
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
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
        svg::svg(&self.canvas, &self.title)
    }

    /// The figure as a file of a format.
    pub fn bytes(&self, format: FigureFormat) -> Result<Vec<u8>, FigureFormatError> {
        match format {
            FigureFormat::Svg => Ok(self.svg().into_bytes()),
            #[cfg(feature = "figures")]
            FigureFormat::Png => print::png(&self.canvas),
            #[cfg(feature = "figures")]
            FigureFormat::Pdf => print::pdf(&self.canvas, &self.title),
            #[cfg(not(feature = "figures"))]
            FigureFormat::Png | FigureFormat::Pdf => {
                Err(FigureFormatError::NotBuilt(format.ending()))
            }
        }
    }

    /// Its width and height in points, 72 to the inch.
    pub fn size(&self) -> (f64, f64) {
        (self.canvas.width, self.canvas.height)
    }
}

/// Draws a figure. Without a store, temperatures of draws are not known, and all draws are taken as repeats
/// of each other.
pub fn figure(
    kind: FigureKind,
    engine: &Engine,
    store: Option<&Store>,
    options: &FigureOptions,
) -> Result<Figure, FigureError> {
    let runs = || store.map_or_else(|| Ok(RunColumns::default()), Store::run_columns);
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
        FigureKind::Turns => turns::turns(engine, options),
        FigureKind::Versus => versus::versus(engine, &runs()?, options),
        FigureKind::Noise => noise::noise(engine, &runs()?, options),
    }
}

/// The scorers that are chosen, or the one that a store opens with.
fn chosen_scorers(engine: &Engine, options: &FigureOptions) -> Vec<Scorer> {
    match &options.scorers[..] {
        [] => super::request::usual_scorer(engine),
        chosen => chosen.to_vec(),
    }
}

/// Which cells a figure is of together: `airline/gpt-4o, 50 tasks`.
fn together(engine: &Engine) -> String {
    let together = if engine.frames().len() > 1 { " together" } else { "" };
    format!("{}{together}", super::tables::scope_in_words(engine))
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
