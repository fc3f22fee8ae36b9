//! Curves of up to four scorers over the cells of a figure, taken together: ROC, precision–recall,
//! risk–coverage and reliability.

use super::axes::{Axis, Panel};
use super::canvas::{Anchor, Canvas, SIZE, Stroke, series};
use super::{Figure, FigureError, FigureOptions};
use crate::engine::{Curves, Engine, ScorerCurves};
use crate::metrics::Metric;
use crate::metrics::curve::{Band, CurvePoint, oracle_retained};
use crate::scorers::Scorer;
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
    let usual = || engine.usual_view().map(|(scorer, _)| scorer).into_iter().collect();
    let scorers: Vec<Scorer> =
        if options.scorers.is_empty() { usual() } else { options.scorers.clone() };
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
    let height = 190.0 + (SIZE + 3.5) * drawn.len() as f64;
    let mut canvas = Canvas::new(240.0, height, options.shade);
    let [x, y] = kind.axes();
    let (x, y) = (Axis::share(x), Axis::share(y));
    let panel = Panel { left: 38.0, top: 10.0, width: 190.0, height: 140.0, x, y };
    panel.draw(&mut canvas);
    guides(&mut canvas, &panel, kind, drawn[0]);
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
        let line = 190.0 + (SIZE + 3.5) * position as f64 - 4.0;
        canvas.line(&[(38.0, line - 2.5), (56.0, line - 2.5)], stroke);
        let label = legend(kind, curves);
        canvas.text((60.0, line), &label, canvas.words(Anchor::Start));
    }
    remark(&mut canvas, &made, kind, height);
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
fn remark(canvas: &mut Canvas, made: &Curves, kind: CurveKind, height: f64) {
    let guides = match kind {
        CurveKind::Roc => "dashed: chance",
        CurveKind::PrecisionRecall => "dashed: share of successes",
        CurveKind::RiskCoverage => "dashed: random, dotted: oracle",
        CurveKind::Reliability => "dashed: perfect calibration",
    };
    let bands = made.resamples.filter(|_| kind != CurveKind::Reliability);
    let bands =
        bands.map_or(String::new(), |resamples| format!("; 95% bands, {resamples} resamples"));
    let words = canvas.remarks(Anchor::Start);
    canvas.text((38.0, height - 5.0), &format!("{guides}{bands}"), words);
}
