//! A metric by the number of samples: a small panel for every cell, datasets below each other.

use super::axes::{Axis, Panel, legend};
use super::canvas::{Anchor, COLUMN, Canvas, PAGE, SIZE, SMALL, Words, series};
use super::letters::lines;
use super::{Figure, FigureError, FigureOptions, cell_names};
use crate::engine::{Engine, SampleRow};
use crate::metrics::Metric;
use crate::scorers::Scorer;

/// The height of a panel's plot, and the room around it.
const HIGH: f64 = 60.0;
const ROOM: (f64, f64) = (22.0, 36.0);

/// The least width of a panel's plot.
const NARROW: f64 = 60.0;

/// The room to the left of all panels.
const LEFT: f64 = 34.0;

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
    let lines_of_panels = places.iter().map(|(line, _)| line + 1).max().unwrap_or(1);
    let room = |width: f64| (width - LEFT + ROOM.0 - 4.0) / columns as f64 - ROOM.0;
    // As wide as a column of a paper, else as a page, else as wide as need be.
    let width = [COLUMN, PAGE].into_iter().find(|width| room(*width) >= NARROW);
    let wide = width.map_or(NARROW, &room);
    let step = (wide + ROOM.0, HIGH + ROOM.1);
    let right = LEFT + step.0 * columns as f64 - ROOM.0 + 4.0;
    let mut canvas = Canvas::new(right, 0.0, options.shade);
    let range = range(&rows, options.metric);
    for (cell, (line, column)) in places.iter().enumerate() {
        let of_cell: Vec<&SampleRow> = rows.iter().filter(|row| row.cell == cell).collect();
        let most = of_cell.iter().map(|row| row.samples).max().unwrap_or(1);
        let ticks = (1..=most).map(|samples| (samples as f64, samples.to_string())).collect();
        let title = if *line + 1 == lines_of_panels { "samples" } else { "" };
        let panel = Panel {
            left: LEFT + step.0 * *column as f64,
            top: 20.0 + step.1 * *line as f64,
            width: wide,
            height: HIGH,
            x: Axis { from: 0.8, to: most as f64 + 0.2, ticks, title: title.to_owned() },
            y: Axis::numbers(range.0, range.1, ""),
        };
        panel.draw(&mut canvas);
        if let Some(chance) = options.metric.chance(success_rate(engine, cell)) {
            panel.rule(&mut canvas, chance);
        }
        let (dataset, model) = &names[cell];
        let words = Words { bold: true, size: SMALL, ..canvas.words(Anchor::Middle) };
        let middle = panel.left + wide / 2.0;
        let heading = lines(&format!("{dataset} · {model}"), SMALL, wide + ROOM.0 - 4.0);
        for (line, above) in heading.iter().rev().zip(0u8..) {
            let y = panel.top - 3.0 - f64::from(above) * (SMALL + 1.0);
            canvas.text((middle, y), line, words);
        }
        let n = of_cell.iter().map(|row| row.n).max().unwrap_or(0);
        let corner = (panel.ends().0, panel.ends().1 - 3.0);
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
    let below = 20.0 + step.1 * lines_of_panels as f64;
    let y = legend(&mut canvas, &labels, 8.0, below);
    let name = options.metric.id().to_uppercase();
    let remark = format!(
        "{name} by the number of samples, averaged over the subsets of each size; dashed: chance; n: tasks"
    );
    canvas.height = canvas.explain((8.0, y), &remark);
    let title = format!("{name} by the number of samples");
    let words = Words { turned: -90.0, ..canvas.words(Anchor::Middle) };
    canvas.text((SIZE + 2.0, below / 2.0), &name, words);
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
