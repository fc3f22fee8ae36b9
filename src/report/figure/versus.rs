//! Pairs of cells on the tasks that they share: values of both, and paired differences.

use super::axes::{Axis, Panel};
use super::canvas::{Anchor, COLUMN, Canvas, SIZE, SMALL, Stroke, Words, series};
use super::letters::{lines, text_width};
use super::{Figure, FigureError, FigureOptions, chosen_scorers};
use crate::engine::{
    CellPairs, CellVersus, Compared, Engine, Pass, Source, VersusOptions, pair_cells,
};
use crate::metrics::bootstrap::Interval;
use crate::store::RunColumns;
use crate::text::counted;

/// The height of a row.
const ROW: f64 = 12.0;

/// The two panels: values, and differences.
const VALUES: (f64, f64) = (72.0, 70.0);
const DIFFERENCES: (f64, f64) = (156.0, 74.0);

/// A number of both cells as a row.
struct Row {
    name: String,
    compared: Compared,
    /// The range above and below 0 in which repeats of the same run differ.
    noise: Option<f64>,
}

/// Draws the pairs that are named or, where none is, those that are meant.
pub(super) fn versus(
    engine: &Engine,
    runs: &RunColumns,
    options: &FigureOptions,
) -> Result<Figure, FigureError> {
    let source = Source { engine, runs };
    let pairs = pairs(source, options)?;
    let scorers = chosen_scorers(engine, options);
    let compare = VersusOptions {
        scorers: &scorers,
        metric: options.metric,
        resampling: Some(options.resampling),
        confidence: Interval::CONFIDENCE,
    };
    let compared = pairs.iter().map(|pair| CellVersus::new([source; 2], *pair, &compare));
    let compared: Vec<CellVersus> = compared.filter(|one| one.versus.labelled() > 0).collect();
    if compared.is_empty() {
        return Err(FigureError::NoSharedTasks);
    }
    let groups: Vec<(&CellVersus, Vec<Row>)> =
        compared.iter().map(|one| (one, rows(one, options))).collect();
    let mut canvas = Canvas::new(COLUMN, 0.0, options.shade);
    let y = draw(&mut canvas, &groups);
    let has_noise = compared.iter().any(|one| one.versus.noise_range().is_some());
    let noise =
        if has_noise { "; grey: 95% of differences between repeats of the same run" } else { "" };
    let remark = format!(
        "paired differences on the shared tasks, with 95% intervals over tasks; filled: the interval \
         excludes 0{noise}"
    );
    canvas.height = canvas.explain((8.0, y), &remark);
    Ok(Figure { title: "Two cells on the tasks they share".to_owned(), canvas })
}

/// The pairs that are named or, where none is, those that are meant.
fn pairs(source: Source<'_>, options: &FigureOptions) -> Result<CellPairs, FigureError> {
    match &options.pairs {
        Some(pairs) => Ok(pairs.clone()),
        None => {
            let cells = source.cells();
            pair_cells([&cells, &cells], [None; 2], true).map_err(FigureError::Pairs)
        }
    }
}

/// Success, success in as many draws as there are, and scorers.
fn rows(one: &CellVersus, options: &FigureOptions) -> Vec<Row> {
    let versus = &one.versus;
    let row = |name: &str, compared: &Compared| Row {
        name: name.to_owned(),
        compared: *compared,
        noise: None,
    };
    let mut rows = vec![Row { noise: versus.noise_range(), ..row("success", &versus.success) }];
    if let Some((k, passes)) = versus.passes.last().filter(|(k, _)| *k > 1) {
        for (pass, compared) in Pass::ALL.into_iter().zip(passes) {
            rows.push(row(&pass.name(*k), compared));
        }
    }
    for found in &versus.scorers {
        let name = format!("{} {}", options.metric.id().to_uppercase(), found.scorer.label());
        rows.push(row(&name, &found.compared));
    }
    rows.retain(|row| row.compared.difference.is_some());
    rows
}

/// Draws all groups; gives where the next line would be.
fn draw(canvas: &mut Canvas, groups: &[(&CellVersus, Vec<Row>)]) -> f64 {
    let (values, differences) = axes(groups);
    let mut top = 4.0;
    for (index, (one, rows)) in groups.iter().enumerate() {
        top = heading(canvas, one, top);
        let is_last = index + 1 == groups.len();
        let panel = |(left, width): (f64, f64), axis: &Axis| {
            let ticks = if is_last { axis.ticks.clone() } else { Vec::new() };
            let title = if is_last { axis.title.clone() } else { String::new() };
            Panel {
                left,
                top,
                width,
                height: ROW * rows.len() as f64,
                x: Axis { ticks, title, ..axis.clone() },
                y: Axis {
                    from: rows.len() as f64 - 0.5,
                    to: -0.5,
                    ticks: Vec::new(),
                    title: String::new(),
                },
            }
        };
        let panels = [panel(VALUES, &values), panel(DIFFERENCES, &differences)];
        panels.iter().for_each(|panel| panel.draw(canvas));
        panels[1].upright_rule(canvas, 0.0);
        for (index, row) in rows.iter().enumerate() {
            draw_row(canvas, &panels, index as f64, row);
        }
        top += ROW * rows.len() as f64 + 8.0;
    }
    top + 28.0
}

/// The axes of both panels, which hold all numbers.
fn axes(groups: &[(&CellVersus, Vec<Row>)]) -> (Axis, Axis) {
    let rows = || groups.iter().flat_map(|(_, rows)| rows);
    let differences = rows().flat_map(|row| {
        let ends = row.compared.interval.map(|ends| [ends.lo, ends.hi]);
        ends.into_iter().flatten().chain(row.compared.difference).chain(row.noise)
    });
    let most = 1.08 * differences.fold(0.01, |most: f64, value| most.max(value.abs()));
    let values = rows().flat_map(|row| row.compared.values).flatten();
    let (low, high) = values.fold((0.0f64, 1.0f64), |(low, high), v| (low.min(v), high.max(v)));
    (Axis::numbers(low, high, "value"), Axis::points(-most, most, "difference (points)"))
}

/// The names of both cells with their marks, and the number of tasks; gives where the rows begin.
fn heading(canvas: &mut Canvas, one: &CellVersus, top: f64) -> f64 {
    let [baseline, candidate] = &one.cells;
    let mut y = top + SIZE;
    for (position, cell) in [baseline, candidate].into_iter().enumerate() {
        let stroke = series(position, canvas.shade);
        canvas.shaped_mark(position, (11.0, y - 2.5), stroke.colour, position == 0);
        let role = if position == 0 { "baseline" } else { "candidate" };
        for line in lines(&format!("{role} {cell}"), SMALL, COLUMN - 22.0) {
            let words = Words { size: SMALL, ..canvas.words(Anchor::Start) };
            canvas.text((16.0, y), &line, words);
            y += SMALL + 2.0;
        }
    }
    let tasks = counted(one.versus.labelled() as u64, "task");
    let draws = one.versus.usual_draws();
    let draws = if draws == 1 { "1 draw".to_owned() } else { format!("{draws} draws") };
    let words = canvas.remarks(Anchor::Start);
    canvas.text((16.0, y), &format!("n {tasks} × {draws}"), words);
    y + 4.0
}

fn draw_row(canvas: &mut Canvas, [values, differences]: &[Panel; 2], y: f64, row: &Row) {
    let (_, middle) = values.at(0.0, y);
    let words = canvas.words(Anchor::End);
    let room = VALUES.0 - 10.0;
    // A long name is written smaller.
    let fits = (room / text_width(&row.name, SIZE, false)).min(1.0);
    let words = Words { size: SIZE * fits, ..words };
    canvas.text((VALUES.0 - 5.0, middle + SIZE * 0.35), &row.name, words);
    let shade = canvas.shade;
    for position in 0..2 {
        let (value, ends) = (row.compared.values[position], row.compared.intervals[position]);
        let stroke = Stroke { dashes: &[], width: 0.8, ..series(position, shade) };
        // Both are beside each other, so that neither hides the other.
        let beside = if position == 0 { y - 0.17 } else { y + 0.17 };
        if let Some(ends) = ends {
            canvas.line(&[values.at(ends.lo, beside), values.at(ends.hi, beside)], stroke);
        }
        if let Some(value) = value {
            canvas.shaped_mark(position, values.at(value, beside), stroke.colour, position == 0);
        }
    }
    if let Some(range) = row.noise {
        let (left, top) = differences.at(-range, y - 0.42);
        let (right, bottom) = differences.at(range, y + 0.42);
        let corners = [(left, top), (right, top)];
        canvas.band(&corners, &corners.map(|(x, _)| (x, bottom)), canvas.inks.text);
    }
    let colour = canvas.inks.text;
    if let Some(ends) = row.compared.interval {
        let line = [differences.at(ends.lo, y), differences.at(ends.hi, y)];
        canvas.line(&line, Stroke { colour, width: 0.9, dashes: &[] });
    }
    if let Some(difference) = row.compared.difference {
        let open = row.compared.interval.is_none_or(|ends| ends.lo <= 0.0 && ends.hi >= 0.0);
        canvas.shaped_mark(0, differences.at(difference, y), colour, open);
    }
}
