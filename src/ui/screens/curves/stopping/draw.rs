//! Draws what stopping does over all thresholds, and what it does at the chosen one in words.

mod words;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::{Spot, Stopping, label};
use crate::engine::{self, StopPoint};
use crate::text::visible;
use crate::ui::hits::Hits;
use crate::ui::screens::curves::Subject;
use crate::ui::shared::Shared;
use crate::ui::widgets::{Axis, Curve, Mark, Plot, Stroke, paragraph, put, sentence_above, wrap};

pub(super) use words::sentences;

/// Lines of the plot at least.
const LEAST_HIGH: u16 = 9;

pub(super) fn draw(
    page: &Stopping,
    subject: &Subject,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) {
    let Some(answer) = page.found.get() else {
        let text = if shared.engine().is_some() { "Stopping runs …" } else { "" };
        return paragraph(buffer, area, text, shared.theme.dim);
    };
    let Some(simulated) = answer.as_ref() else {
        let text =
            "No graded run here has a turn with log-probabilities, so no run can be stopped.";
        return paragraph(buffer, area, text, shared.theme.dim);
    };
    let why = shared.one_outcome(&shared.cells_of(&subject.cells));
    let area = sentence_above(buffer, area, why.as_deref(), shared.theme.notice);
    let room = usize::from(area.width).saturating_sub(2);
    let sentences = sentences(page, simulated, subject, shared);
    let lines: Vec<String> = sentences.iter().flat_map(|text| wrap(text, room)).collect();
    let high = (lines.len() as u16).min(area.height.saturating_sub(LEAST_HIGH));
    let [plot, words] = Split::vertical([Constraint::Min(1), Constraint::Length(high)]).areas(area);
    draw_plot(page, simulated, shared, buffer, plot, hits);
    for (line, row) in lines.into_iter().zip(words.rows()) {
        put(buffer, row, Line::styled(format!(" {line}"), shared.theme.text));
    }
}

/// What is plotted: a name, in short where there is little room, and the share at a point.
type Measure = (&'static [&'static str], fn(&engine::Stopping, &StopPoint) -> Option<f64>);

const MEASURES: [Measure; 4] = [
    (&["failures stopped", "failures"], |all, point| {
        share(point.failures as f64, all.whole.failures as f64)
    }),
    (&["successes killed", "successes"], |all, point| {
        share(point.successes as f64, all.whole.successes as f64)
    }),
    (&["turns saved", "turns"], |all, point| share(point.turns as f64, all.whole.turns as f64)),
    (&["cost saved", "cost"], |all, point| share(point.cost, all.whole.cost)),
];

fn share(part: f64, all: f64) -> Option<f64> {
    (all > 0.0).then(|| part / all)
}

fn draw_plot(
    page: &Stopping,
    simulated: &engine::Stopping,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) {
    let theme = &shared.theme;
    let finite = || simulated.points.iter().map(|point| point.threshold).filter(|t| t.is_finite());
    let (low, high) = (finite().next().unwrap_or(0.0), finite().next_back().unwrap_or(1.0));
    let mut axis = Axis::spanning(low, high, (usize::from(area.width) / 9).max(2));
    if simulated.is_log {
        for (value, name) in &mut axis.ticks {
            *name = short(value.exp());
        }
    }
    let mut plot = Plot::new(axis, Axis::share());
    let rank = page.rank(simulated);
    let chosen = simulated.at(rank);
    plot.title = Line::from(vec![
        Span::styled("▸Early stopping", theme.selected),
        Span::styled(
            format!(" of runs whose {} so far is below τ", visible(&label(shared))),
            theme.dim,
        ),
    ]);
    for (index, (names, value)) in MEASURES.iter().enumerate() {
        let points = steps(simulated, *value);
        if points.is_empty() {
            continue;
        }
        plot.curves.push(Curve {
            points,
            stroke: Stroke::CURVES[index],
            style: theme.series(index),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        });
        let at = rank.clamp(low, high);
        let mark = value(simulated, &chosen);
        plot.marks.extend(mark.map(|y| Mark {
            at: (at, y),
            sign: '●',
            style: theme.series(index),
        }));
    }
    plot.cursor = Some(rank.clamp(low, high));
    let drawn = plot.draw(buffer, area, theme);
    for column in drawn.inner.columns() {
        hits.spot(column, Spot(drawn.at(column.x, column.y).0));
    }
}

/// The points of a line: a step at every threshold.
fn steps(
    simulated: &engine::Stopping,
    value: fn(&engine::Stopping, &StopPoint) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let mut from = None;
    for point in simulated.points.iter().filter(|point| point.threshold.is_finite()) {
        let Some(y) = value(simulated, point) else { return Vec::new() };
        points.extend(from.map(|from: f64| (from, y)));
        points.push((point.threshold, y));
        from = Some(point.threshold);
    }
    points
}

/// A confidence to three decimals, or as a power of ten where it is tiny.
fn short(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.0005 {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.3}");
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}
