//! A metric by the number of samples: a small panel for every cell, datasets below each other.

use super::axes::{Axis, Panel};
use super::canvas::{Anchor, Canvas, SIZE, Words, series, text_width};
use super::{Figure, FigureError, FigureOptions, cell_names};
use crate::engine::{Engine, SampleRow};
use crate::metrics::Metric;
use crate::scorers::Scorer;

/// The size of a panel's plot, and the room around it.
const PLOT: (f64, f64) = (78.0, 62.0);
const ROOM: (f64, f64) = (24.0, 34.0);

/// Every consistency scorer by the number of samples, in every cell.
pub(super) fn samples(engine: &Engine, options: &FigureOptions) -> Result<Figure, FigureError> {
    let rows = engine.sample_sensitivity(options.metric);
    if rows.is_empty() {
        return Err(FigureError::NoSamples);
    }
    let scorers = engine.consistency_ids();
    let names = cell_names(engine);
    let places = places(engine);
    let columns = places.iter().map(|(_, column)| column + 1).max().unwrap_or(1);
    let lines = places.iter().map(|(line, _)| line + 1).max().unwrap_or(1);
    let step = (PLOT.0 + ROOM.0, PLOT.1 + ROOM.1);
    let width = 36.0 + step.0 * columns as f64;
    let height = 44.0 + step.1 * lines as f64;
    let mut canvas = Canvas::new(width, height, options.shade);
    let range = range(&rows, options.metric);
    for (cell, (line, column)) in places.iter().enumerate() {
        let of_cell: Vec<&SampleRow> = rows.iter().filter(|row| row.cell == cell).collect();
        let most = of_cell.iter().map(|row| row.samples).max().unwrap_or(1);
        let ticks = (1..=most).map(|samples| (samples as f64, samples.to_string())).collect();
        let title = if *line + 1 == lines { "samples" } else { "" };
        let panel = Panel {
            left: 36.0 + step.0 * *column as f64,
            top: 24.0 + step.1 * *line as f64,
            width: PLOT.0,
            height: PLOT.1,
            x: Axis { from: 0.8, to: most as f64 + 0.2, ticks, title: title.to_owned() },
            y: Axis::numbers(range.0, range.1, ""),
        };
        panel.draw(&mut canvas);
        if let Some(chance) = options.metric.chance(success_rate(engine, cell)) {
            panel.rule(&mut canvas, chance);
        }
        let (dataset, model) = &names[cell];
        let words = Words { bold: true, ..canvas.words(Anchor::Middle) };
        let middle = panel.left + PLOT.0 / 2.0;
        canvas.text((middle, panel.top - 5.0), &format!("{dataset} · {model}"), words);
        let n = of_cell.iter().map(|row| row.n).max().unwrap_or(0);
        let corner = (panel.left + PLOT.0, panel.top + PLOT.1 - 3.0);
        canvas.text(corner, &format!("n {n}"), canvas.remarks(Anchor::End));
        for (position, scorer) in scorers.iter().enumerate() {
            let of_scorer = of_cell.iter().filter(|row| row.scorer == *scorer);
            let points: Vec<(f64, f64)> = of_scorer
                .filter_map(|row| Some(panel.at(row.samples as f64, row.value?)))
                .collect();
            let stroke = series(position, options.shade);
            canvas.line(&points, stroke);
            points.iter().for_each(|point| canvas.mark(position, *point, stroke.colour));
        }
    }
    let labels: Vec<String> = scorers.iter().map(|id| Scorer::parse(id).label()).collect();
    legend(&mut canvas, &labels, height - 6.0);
    let title = format!("{} by the number of samples", options.metric.id().to_uppercase());
    let words = Words { turned: -90.0, ..canvas.words(Anchor::Middle) };
    canvas.text((SIZE + 2.0, height / 2.0), &options.metric.id().to_uppercase(), words);
    Ok(Figure { title, canvas })
}

/// The line and column of every cell: a line for every dataset.
fn places(engine: &Engine) -> Vec<(usize, usize)> {
    let mut datasets: Vec<(&str, usize)> = Vec::new();
    let cells = engine.frames().iter().map(|frame| {
        let dataset = frame.cell.dataset.as_str();
        let line = datasets.iter().position(|(known, _)| *known == dataset).unwrap_or_else(|| {
            datasets.push((dataset, 0));
            datasets.len() - 1
        });
        let column = datasets[line].1;
        datasets[line].1 += 1;
        (line, column)
    });
    cells.collect()
}

/// The share of solved tasks with a label.
fn success_rate(engine: &Engine, cell: usize) -> f64 {
    let labels = engine.frames()[cell].tasks.iter().filter_map(|task| task.success);
    let (solved, count) =
        labels.fold((0u32, 0u32), |(solved, count), won| (solved + u32::from(won), count + 1));
    f64::from(solved) / f64::from(count.max(1))
}

/// The range of all values, with chance in it where all cells have the same.
fn range(rows: &[SampleRow], metric: Metric) -> (f64, f64) {
    let values = rows.iter().filter_map(|row| row.value);
    let chance = (metric == Metric::Auroc).then_some(0.5);
    let (low, high) = values
        .chain(chance)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let room = 0.05 * (high - low).max(0.02);
    (low - room, high + room)
}

/// The series with their names, in one line.
pub(super) fn legend(canvas: &mut Canvas, names: &[String], y: f64) {
    let mut x = 36.0;
    for (position, name) in names.iter().enumerate() {
        let stroke = series(position, canvas.shade);
        canvas.line(&[(x, y - 2.5), (x + 16.0, y - 2.5)], stroke);
        canvas.mark(position, (x + 8.0, y - 2.5), stroke.colour);
        canvas.text((x + 19.0, y), name, canvas.words(Anchor::Start));
        x += 28.0 + text_width(name, SIZE);
    }
}
