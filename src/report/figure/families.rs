//! The best scorer of every family in every cell: one point a cell.

use super::axes::{Axis, Panel, legend};
use super::canvas::{Anchor, COLUMN, Canvas, SMALL, Stroke, series};
use super::{Figure, FigureError, FigureOptions};
use crate::engine::{Engine, MethodBest, MethodFamily};
use crate::metrics::Metric;
use crate::text::counted;

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
    let mut canvas = Canvas::new(COLUMN, 0.0, options.shade);
    let chance = match options.metric {
        Metric::Auroc => Some(0.5),
        Metric::Prr => Some(0.0),
        // Chance of the others depends on the cell, and errors have none.
        _ => None,
    };
    let all = || values.iter().copied().chain(chance);
    let (low, high) =
        (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let room = 0.06 * (high - low).max(0.1);
    let among = |method: MethodFamily| {
        let of_method = found.iter().filter(|found| found.method == method);
        of_method.map(|found| found.among).max().unwrap_or(0)
    };
    let panel = Panel {
        left: 34.0,
        top: 8.0,
        width: 198.0,
        height: 140.0,
        x: Axis::groups(MethodFamily::ALL.map(MethodFamily::id), ""),
        y: Axis::numbers(low - room, high + room, &options.metric.id().to_uppercase()),
    };
    panel.draw(&mut canvas);
    if let Some(chance) = chance {
        panel.rule(&mut canvas, chance);
    }
    for (method, index) in MethodFamily::ALL.into_iter().zip(0u8..) {
        let of_method: Vec<&MethodBest> =
            found.iter().filter(|found| found.method == method).collect();
        points(&mut canvas, &panel, engine, &datasets, f64::from(index), &of_method);
    }
    let (_, bottom) = panel.ends();
    for (method, index) in MethodFamily::ALL.into_iter().zip(0u8..) {
        let (x, _) = panel.at(f64::from(index), 0.0);
        let of_method = found.iter().filter(|found| found.method == method);
        let cells = of_method.filter(|found| found.best.value.is_some()).count();
        let words = canvas.remarks(Anchor::Middle);
        let best_of = format!("best of {}, n {}", among(method), counted(cells as u64, "cell"));
        canvas.text((x, bottom + 4.5 + 2.2 * SMALL), &best_of, words);
    }
    let y = legend(&mut canvas, &datasets, 8.0, bottom + 33.0);
    let dashed = if chance.is_some() { "; dashed: chance" } else { "" };
    let remark = format!(
        "a point: the best of the family in a cell, chosen on the same tasks; bar: mean over cells{dashed}"
    );
    canvas.height = canvas.explain((8.0, y), &remark);
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
    let mut values = Vec::new();
    for (index, found) in found.iter().enumerate() {
        let Some(value) = found.best.value else { continue };
        values.push(value);
        let dataset = &engine.frames()[found.best.cell].cell.dataset;
        let position = datasets.iter().position(|known| known == dataset).unwrap_or(0);
        let beside = ((index as f64 + 0.5) / count - 0.5) * 0.7;
        let colour = series(position, canvas.shade).colour;
        canvas.mark(position, panel.at(x + beside, value), colour);
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let stroke = Stroke { colour: canvas.inks.text, width: 1.2, dashes: &[] };
    if !values.is_empty() {
        canvas.line(&[panel.at(x - 0.4, mean), panel.at(x + 0.4, mean)], stroke);
    }
}
