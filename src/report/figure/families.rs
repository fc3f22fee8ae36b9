//! The best scorer of every family in every cell: one point a cell.

use super::axes::{Axis, Panel};
use super::canvas::{Anchor, Canvas, Stroke, series};
use super::samples::legend;
use super::{Figure, FigureError, FigureOptions};
use crate::engine::{Engine, MethodBest, MethodFamily};

/// Draws the best value of each family; the mark of a point is its dataset's.
pub(super) fn families(engine: &Engine, options: &FigureOptions) -> Result<Figure, FigureError> {
    let found = engine.best_of_methods(options.metric, None);
    let values: Vec<f64> = found.iter().filter_map(|found| found.best.value).collect();
    if values.is_empty() {
        return Err(FigureError::NoValues);
    }
    let mut datasets: Vec<String> = Vec::new();
    for frame in engine.frames() {
        if !datasets.contains(&frame.cell.dataset) {
            datasets.push(frame.cell.dataset.clone());
        }
    }
    let mut canvas = Canvas::new(330.0, 215.0, options.shade);
    let low = values.iter().copied().fold(0.0, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    let room = 0.06 * (high - low).max(0.1);
    let among = |method: MethodFamily| {
        let of_method = found.iter().filter(|found| found.method == method);
        of_method.map(|found| found.among).max().unwrap_or(0)
    };
    let ticks = MethodFamily::ALL.into_iter().zip(0u8..).map(|(method, index)| {
        (f64::from(index), format!("{} (best of {})", method.id(), among(method)))
    });
    let panel = Panel {
        left: 40.0,
        top: 10.0,
        width: 280.0,
        height: 160.0,
        x: Axis { from: -0.5, to: 2.5, ticks: ticks.collect(), title: String::new() },
        y: Axis::numbers(low - room, high + room, &options.metric.id().to_uppercase()),
    };
    panel.draw(&mut canvas);
    panel.rule(&mut canvas, 0.0);
    for (method, index) in MethodFamily::ALL.into_iter().zip(0u8..) {
        let of_method: Vec<&MethodBest> =
            found.iter().filter(|found| found.method == method).collect();
        points(&mut canvas, &panel, engine, &datasets, f64::from(index), &of_method);
    }
    legend(&mut canvas, &datasets, 198.0);
    let words = canvas.remarks(Anchor::Start);
    let remark =
        "one point a cell, chosen within its family on the same tasks; bar: mean over cells";
    canvas.text((40.0, 210.0), remark, words);
    let title = format!("Best {} of every family and cell", options.metric.id().to_uppercase());
    Ok(Figure { title, canvas })
}

/// The points of one family, beside each other by cell, and their mean.
fn points(
    canvas: &mut Canvas,
    panel: &Panel,
    engine: &Engine,
    datasets: &[String],
    x: f64,
    found: &[&MethodBest],
) {
    let count = found.len().max(1) as f64;
    let mut sum = 0.0;
    for (index, found) in found.iter().enumerate() {
        let Some(value) = found.best.value else { continue };
        sum += value;
        let dataset = &engine.frames()[found.best.cell].cell.dataset;
        let position = datasets.iter().position(|known| known == dataset).unwrap_or(0);
        let beside = ((index as f64 + 0.5) / count - 0.5) * 0.7;
        let colour = series(position, canvas.shade).colour;
        canvas.mark(position, panel.at(x + beside, value), colour);
    }
    let mean = sum / count;
    let stroke = Stroke { colour: canvas.inks.text, width: 1.2, dashes: &[] };
    if !found.is_empty() {
        canvas.line(&[panel.at(x - 0.4, mean), panel.at(x + 0.4, mean)], stroke);
    }
}
