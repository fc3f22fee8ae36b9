//! The confidence of turns along the run, by outcome: where failures part from successes.

use super::axes::{Axis, Panel};
use super::canvas::{Anchor, COLUMN, Canvas, SIZE, Stroke, series};
use super::{Figure, FigureError, FigureOptions, together};
use crate::engine::{BINS, Engine, Signal, SignalBy, TurnMean, TurnMeans};
use crate::text::counted;

/// Draws the mean confidence of turns by their relative position for both outcomes, and below it how well
/// the turns of every position separate them.
pub(super) fn turns(engine: &Engine, options: &FigureOptions) -> Result<Figure, FigureError> {
    let cells: Vec<usize> = (0..engine.frames().len()).collect();
    let resampling = Some(engine.affordable(&cells, options.resampling));
    let means = engine.turn_means(&cells, options.base, resampling);
    let signal = engine.signal(&cells, options.base, SignalBy::Position, resampling);
    let sides: [Side; 2] =
        [("successes", |means| means.successes), ("failures", |means| means.failures)];
    let known = |side: Side| means.iter().any(|means| side.1(means).turns > 0);
    if !known(sides[0]) && !known(sides[1]) {
        return Err(FigureError::NoTurns);
    }
    if !sides.into_iter().all(known) {
        return Err(FigureError::OneOutcome);
    }
    let name = options.base.id().to_uppercase();
    let mut canvas = Canvas::new(COLUMN, 0.0, options.shade);
    let upper = Panel {
        left: 36.0,
        top: 8.0,
        width: 196.0,
        height: 96.0,
        x: Axis::share(""),
        y: confidences(&means, &format!("mean {name} of turns")),
    };
    upper.draw(&mut canvas);
    for (position, side) in sides.into_iter().enumerate() {
        draw_side(&mut canvas, &upper, position, &means, side);
    }
    let y = Axis::numbers(0.0, 1.0, "AUROC of turns");
    let x = Axis::share("relative position of the turn in its run");
    let lower = Panel { top: 126.0, height: 62.0, x, y, ..upper };
    lower.draw(&mut canvas);
    lower.rule(&mut canvas, 0.5);
    let parted = draw_signal(&mut canvas, &lower, &signal);
    let mut y = lower.ends().1 + 35.0;
    for (position, (name, side)) in sides.into_iter().enumerate() {
        let turns: usize = means.iter().map(|means| side(means).turns).sum();
        let runs = runs(&signal, position == 0);
        let label =
            format!("{name}: n {}, {}", counted(runs as u64, "run"), counted(turns as u64, "turn"));
        let stroke = series(position, options.shade);
        canvas.line(&[(8.0, y - 2.5), (26.0, y - 2.5)], stroke);
        canvas.mark(position, (17.0, y - 2.5), stroke.colour);
        canvas.text((30.0, y), &label, canvas.words(Anchor::Start));
        y += SIZE + 2.5;
    }
    let remark =
        format!("{parted}; 95% intervals over tasks; dashed: chance; {}", together(engine));
    canvas.height = canvas.explain((8.0, y + 1.0), &remark);
    Ok(Figure { title: format!("{name} of turns along the run, by outcome"), canvas })
}

/// An outcome, and its part of the means.
type Side = (&'static str, fn(&TurnMeans) -> TurnMean);

/// The middle of a part of the run.
fn middle(part: usize) -> f64 {
    (part as f64 + 0.5) / BINS as f64
}

/// An axis that holds all means and their intervals.
fn confidences(means: &[TurnMeans], title: &str) -> Axis {
    let sides = means.iter().flat_map(|means| [means.failures, means.successes]);
    let values = sides.flat_map(|side| {
        let ends = side.interval.map(|interval| [interval.lo, interval.hi]);
        ends.into_iter().flatten().chain(side.mean)
    });
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let room = 0.06 * (high - low).max(0.02);
    Axis::numbers((low - room).max(0.0), (high + room).min(1.0), title)
}

fn draw_side(
    canvas: &mut Canvas,
    panel: &Panel,
    position: usize,
    means: &[TurnMeans],
    (_, side): Side,
) {
    let stroke = series(position, canvas.shade);
    let parts = || means.iter().map(side).enumerate();
    let ends = |lower: bool| -> Vec<(f64, f64)> {
        let known = parts().filter_map(|(part, mean)| Some((part, mean.interval?)));
        known
            .map(|(part, ends)| panel.at(middle(part), if lower { ends.lo } else { ends.hi }))
            .collect()
    };
    canvas.band(&ends(true), &ends(false), stroke.colour);
    let points: Vec<(f64, f64)> =
        parts().filter_map(|(part, mean)| Some(panel.at(middle(part), mean.mean?))).collect();
    canvas.line(&points, stroke);
    points.iter().for_each(|point| canvas.mark(position, *point, stroke.colour));
}

/// Draws AUROC by position; says where it differs from chance.
fn draw_signal(canvas: &mut Canvas, panel: &Panel, signal: &[Signal]) -> String {
    let colour = canvas.inks.text;
    let whisker = Stroke { colour, width: 0.8, dashes: &[] };
    let mut parted = Vec::new();
    for (part, found) in signal.iter().enumerate() {
        let Some(value) = found.value else { continue };
        let x = middle(part);
        let differs = found.interval.is_some_and(|ends| ends.lo > 0.5 || ends.hi < 0.5);
        if let Some(ends) = found.interval {
            canvas.line(&[panel.at(x, ends.lo), panel.at(x, ends.hi)], whisker);
        }
        canvas.shaped_mark(0, panel.at(x, value), colour, !differs);
        parted.extend(differs.then_some(part));
    }
    match parted.len() {
        0 => "hollow: the interval includes chance, as everywhere here".to_owned(),
        _ => "filled: the interval excludes chance".to_owned(),
    }
}

/// The runs of an outcome: those of the part of the run that most have turns in.
fn runs(signal: &[Signal], succeed: bool) -> usize {
    let of = |found: &Signal| {
        if succeed { found.counts.successes } else { found.counts.runs - found.counts.successes }
    };
    signal.iter().map(of).max().unwrap_or(0)
}
