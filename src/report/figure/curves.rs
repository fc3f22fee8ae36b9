//! Curves of up to four scorers over the cells of a figure, taken together: ROC, precision–recall,
//! risk–coverage and reliability.

use super::axes::{Axis, Panel};
use super::canvas::{Anchor, COLUMN, Canvas, SIZE, Stroke, series};
use super::letters::lines;
use super::{Figure, FigureError, FigureOptions, chosen_scorers, together};
use crate::engine::{Curves, Engine, ScorerCurves};
use crate::metrics::Metric;
use crate::metrics::curve::{Band, CurvePoint, oracle_retained};
use crate::text::two;

/// Which curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CurveKind {
    Roc,
    PrecisionRecall,
    RiskCoverage,
    Reliability,
}

impl CurveKind {
    fn title(self) -> &'static str {
        match self {
            Self::Roc => "ROC curves",
            Self::PrecisionRecall => "Precision–recall curves",
            Self::RiskCoverage => "Retained success by coverage",
            Self::Reliability => "Reliability",
        }
    }

    /// The titles of both axes.
    fn axes(self) -> [&'static str; 2] {
        match self {
            Self::Roc => ["failures accepted", "successes accepted"],
            Self::PrecisionRecall => ["recall", "precision"],
            Self::RiskCoverage => ["coverage", "success among accepted"],
            Self::Reliability => ["confidence", "share of successes"],
        }
    }

    /// The metrics of the legend.
    fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Roc => &[Metric::Auroc],
            Self::PrecisionRecall => &[Metric::Auprc],
            Self::RiskCoverage => &[Metric::Prr, Metric::Aurc],
            Self::Reliability => &[Metric::Ece],
        }
    }

    fn points(self, curves: &ScorerCurves) -> Vec<(f64, f64)> {
        let of = |points: &[CurvePoint]| points.iter().map(|point| (point.x, point.y)).collect();
        match self {
            Self::Roc => of(&curves.roc),
            Self::PrecisionRecall => of(&curves.precision_recall),
            Self::RiskCoverage => of(&curves.risk_coverage),
            Self::Reliability => {
                let bins = curves.reliability.iter().flatten();
                bins.filter_map(|bin| Some((bin.mean, bin.share()?))).collect()
            }
        }
    }

    fn band(self, curves: &ScorerCurves) -> &[Band] {
        let Some(bands) = &curves.bands else { return &[] };
        match self {
            Self::Roc => &bands.roc,
            Self::PrecisionRecall => &bands.precision_recall,
            Self::RiskCoverage => &bands.risk_coverage,
            Self::Reliability => &[],
        }
    }
}

/// Draws the curves of the chosen scorers, or of the one that a store opens with.
pub(super) fn curves(
    engine: &Engine,
    kind: CurveKind,
    options: &FigureOptions,
) -> Result<Figure, FigureError> {
    let scorers = chosen_scorers(engine, options);
    let cells: Vec<usize> = (0..engine.frames().len()).collect();
    let made = engine.curves(&cells, &scorers, Some(options.resampling));
    let drawn = made.scorers.iter().filter(|curves| !kind.points(curves).is_empty());
    let drawn: Vec<&ScorerCurves> = drawn.collect();
    if drawn.is_empty() {
        return Err(match kind {
            CurveKind::Reliability => FigureError::NoProbabilities,
            _ => FigureError::OneOutcome,
        });
    }
    let mut canvas = Canvas::new(COLUMN, 0.0, options.shade);
    let [x, y] = kind.axes();
    let (x, y) = (Axis::share(x), Axis::share(y));
    let panel = Panel { left: 34.0, top: 8.0, width: 196.0, height: 150.0, x, y };
    panel.draw(&mut canvas);
    guides(&mut canvas, &panel, kind, drawn[0]);
    let mut line = panel.ends().1 + 36.0;
    for (position, curves) in drawn.iter().enumerate() {
        let stroke = series(position, options.shade);
        let ends = |end: fn(&Band) -> f64| -> Vec<(f64, f64)> {
            kind.band(curves).iter().map(|band| panel.at(band.x, end(band))).collect()
        };
        canvas.band(&ends(|band| band.lo), &ends(|band| band.hi), stroke.colour);
        let points: Vec<(f64, f64)> =
            kind.points(curves).into_iter().map(|(x, y)| panel.at(x, y)).collect();
        canvas.line(&points, stroke);
        if kind == CurveKind::Reliability {
            points.iter().for_each(|point| canvas.mark(position, *point, stroke.colour));
        }
        canvas.line(&[(8.0, line - 2.5), (26.0, line - 2.5)], stroke);
        for part in lines(&legend(kind, curves), SIZE, COLUMN - 34.0) {
            canvas.text((30.0, line), &part, canvas.words(Anchor::Start));
            line += SIZE + 2.5;
        }
    }
    let remark = format!("{}; {}", remark(&made, kind), together(engine));
    canvas.height = canvas.explain((8.0, line + 1.0), &remark);
    Ok(Figure { title: kind.title().to_owned(), canvas })
}

/// The name of a scorer with its metrics and the number of runs.
fn legend(kind: CurveKind, curves: &ScorerCurves) -> String {
    let metrics = kind.metrics().iter().filter_map(|metric| {
        Some(format!("{} {}", metric.id().to_uppercase(), two(curves.metric(*metric)?)))
    });
    let metrics: Vec<String> = metrics.collect();
    format!("{}: {}, n {}", curves.scorer.label(), metrics.join(", "), curves.counts.words())
}

/// What guessing gives, and the best that is possible.
fn guides(canvas: &mut Canvas, panel: &Panel, kind: CurveKind, curves: &ScorerCurves) {
    let counts = curves.counts;
    let share = counts.successes as f64 / counts.runs.max(1) as f64;
    let stroke = Stroke { colour: canvas.inks.dim, width: 0.6, dashes: &[2.0, 2.0] };
    match kind {
        CurveKind::Roc | CurveKind::Reliability => {
            canvas.line(&[panel.at(0.0, 0.0), panel.at(1.0, 1.0)], stroke);
        }
        CurveKind::PrecisionRecall => panel.rule(canvas, share),
        CurveKind::RiskCoverage => {
            panel.rule(canvas, share);
            let oracle = (0..=100).map(|step| {
                let coverage = f64::from(step) / 100.0;
                panel.at(coverage, oracle_retained(coverage, share))
            });
            let oracle: Vec<(f64, f64)> = oracle.collect();
            canvas.line(&oracle, Stroke { dashes: &[0.8, 1.6], ..stroke });
        }
    }
}

/// What the faint parts of the drawing are.
fn remark(made: &Curves, kind: CurveKind) -> String {
    let guides = match kind {
        CurveKind::Roc => "dashed: chance",
        CurveKind::PrecisionRecall => "dashed: share of successes",
        CurveKind::RiskCoverage => "dashed: random; dotted: oracle",
        CurveKind::Reliability => "dashed: perfect calibration",
    };
    match made.resamples.filter(|_| kind != CurveKind::Reliability) {
        Some(resamples) => format!("{guides}; 95% bands of {resamples} resamples of tasks"),
        None => guides.to_owned(),
    }
}
