//! Heatmaps of cells: column heads, values and their colours, shared by the grid and the aggregators.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::put;
use crate::app::{App, Hit, Layout, Show};
use crate::model::Cell;
use crate::scorers::Scorer;
use crate::text::visible;
use crate::theme::Depth;
use crate::widgets::{padded, short_names, signed, two};

/// The columns of a heatmap that are on screen.
pub(super) struct Columns {
    /// Cells from left to right.
    pub cells: Vec<usize>,
    /// Place of the first among all.
    pub offset: usize,
    /// Width of each.
    pub width: u16,
    /// Where the first begins.
    pub x: u16,
}

impl Columns {
    /// The columns that fit beside labels of some width, with the selected one in sight.
    pub fn new(app: &App, area: Rect, label: u16, all: &[usize], offset: usize) -> Self {
        let room = area.width.saturating_sub(label);
        let (least, most) = widths(app);
        let count = (all.len() as u16).max(1);
        // A column too many needs no width of its own: what is left over makes columns wider.
        let width = (room / count).clamp(least, most);
        let fitting = usize::from(room / width).max(1);
        let selected = all.iter().position(|own| *own == app.cell).unwrap_or(0);
        let offset = crate::app::scrolled(offset, selected, fitting, all.len());
        let cells = all.iter().copied().skip(offset).take(fitting).collect();
        Self { cells, offset, width, x: area.x + label }
    }

    pub fn area(&self, place: usize, row: Rect) -> Rect {
        let x = self.x + place as u16 * self.width;
        Rect { x, width: self.width.min(row.right().saturating_sub(x)), ..row }
    }
}

/// The narrowest and widest column for what is shown.
fn widths(app: &App) -> (u16, u16) {
    let glyph = u16::from(app.theme.depth() == Depth::None);
    let sign = u16::from(app.pinned().is_some());
    match app.grid.show {
        Show::Value | Show::Rank => (6 + glyph + sign, 16),
        Show::HalfRange => (10 + glyph + sign, 16),
        Show::Interval => (11 + glyph + sign, 16),
        Show::Swatch => (3 + glyph, 6),
    }
}

/// How many lines the heads take: datasets, models and, where there are any, conditions.
pub(super) fn head_lines(app: &App) -> u16 {
    2 + u16::from(app.columns.iter().any(|own| own.condition != Cell::DEFAULT_CONDITION))
}

pub(super) fn draw_heads(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    columns: &Columns,
    layout: &mut Layout,
) {
    let theme = &app.theme;
    let room = usize::from(columns.width).saturating_sub(1);
    let names = |name: fn(&Cell) -> &String| -> Vec<String> {
        let all: Vec<String> =
            app.columns.iter().map(|own| visible(name(own)).into_owned()).collect();
        short_names(&all, room)
    };
    let (models, conditions) = (names(|own| &own.model), names(|own| &own.condition));
    let mut start = 0;
    for (place, &cell) in columns.cells.iter().enumerate() {
        let next = columns.cells.get(place + 1);
        let same = |other: usize| app.columns[other].dataset == app.columns[cell].dataset;
        if !next.is_some_and(|&next| same(next)) {
            let first = columns.area(start, area);
            let span =
                Rect { width: columns.area(place, area).right() - first.x, height: 1, ..first };
            let name = visible(&app.columns[cell].dataset).into_owned();
            let name = padded(&name, usize::from(span.width).saturating_sub(1));
            put(buffer, span, Line::styled(format!("│{name}"), theme.header));
            start = place + 1;
        }
        let lines = [Some(&models[cell]), (area.height > 2).then(|| &conditions[cell])];
        for (line, name) in lines.into_iter().flatten().enumerate() {
            let mut own = columns.area(place, area);
            own.y += 1 + line as u16;
            own.height = 1;
            let style = if cell == app.cell { theme.selected } else { theme.dim };
            put(buffer, own, Line::styled(format!(" {}", padded(name, room)), style));
        }
        layout.hit(columns.area(place, area), Hit::GridColumn(cell));
    }
    arrows(buffer, area, app, columns);
}

/// Says that there are more columns to either side.
fn arrows(buffer: &mut Buffer, area: Rect, app: &App, columns: &Columns) {
    let last = columns.offset + columns.cells.len();
    let style = app.theme.accent;
    if columns.offset > 0 {
        let own = Rect { x: columns.x.saturating_sub(1), width: 1, ..area };
        put(buffer, own, Line::styled("◂", style));
    }
    if last < app.columns.len() {
        let own = Rect { x: area.right() - 1, width: 1, ..area };
        put(buffer, own, Line::styled("▸", style));
    }
}

/// How one value is to be drawn.
pub(super) struct Value<'a> {
    pub scorer: &'a Scorer,
    pub cell: usize,
    /// The scorers that it is ranked among.
    pub among: &'a [Scorer],
    /// It is the best of its column.
    pub best: bool,
    /// It has the cursor.
    pub selected: bool,
}

pub(super) fn draw_value(buffer: &mut Buffer, area: Rect, app: &App, own: &Value<'_>) {
    let theme = &app.theme;
    let number = app.data.numbers.number(own.scorer, own.cell);
    let value = app.grid_value(own.scorer, own.cell);
    let known = app.data.numbers.row(own.scorer).is_some();
    let heat = value.map_or(f64::NAN, |value| app.heat(value, own.cell, own.scorer));
    let diverging = app.pinned().is_some() || has_chance(app);
    let style = match (number, value) {
        // The glyph says it; bold and underlined are for the best.
        (_, Some(_)) if theme.depth() == Depth::None => theme.text,
        (_, Some(_)) if diverging => theme.diverging(heat),
        (_, Some(_)) => theme.sequential(heat),
        (Some(_), None) => theme.muted_heat,
        (None, None) => theme.dim,
    };
    let flagged = number.is_some_and(|own| own.counts.is_flagged());
    let mut text = match (value, known) {
        (_, false) => "·".to_owned(),
        (None, true) if number.is_some() => "n/a".to_owned(),
        (None, true) => "–".to_owned(),
        (Some(value), true) => shown(app, own, value),
    };
    if flagged && value.is_some() && !matches!(app.grid.show, Show::Swatch | Show::Interval) {
        text.push('†');
    }
    let glyph = if theme.depth() == Depth::None && value.is_some() {
        let glyph = if diverging { theme.signed_glyph(heat) } else { theme.glyph(heat) };
        glyph.to_string()
    } else {
        String::new()
    };
    let style = if own.best { style.patch(theme.best) } else { style };
    draw_text(buffer, area, &format!("{glyph}{text}"), style, own.selected.then_some(theme.cursor));
}

fn draw_text(buffer: &mut Buffer, area: Rect, text: &str, style: Style, cursor: Option<Style>) {
    buffer.set_style(area, style);
    let room = usize::from(area.width);
    match cursor {
        Some(cursor) => {
            // Brackets, so that it is seen without colour too.
            let text = padded(text, room.saturating_sub(2));
            let line = Line::from(vec![
                Span::styled("▐", cursor),
                Span::styled(text, style.patch(cursor)),
                Span::styled("▌", cursor),
            ]);
            put(buffer, area, line);
        }
        None => put(buffer, area, Line::styled(format!(" {}", padded(text, room - 1)), style)),
    }
}

fn shown(app: &App, own: &Value<'_>, value: f64) -> String {
    let numbers = &app.data.numbers;
    let pinned = app.pinned().is_some();
    let text = if pinned { signed(value) } else { two(value) };
    let interval = if pinned {
        numbers.paired(own.scorer, own.cell)
    } else {
        numbers.interval(own.scorer, own.cell)
    };
    match (app.grid.show, interval.get()) {
        (Show::Value, _) => text,
        (Show::HalfRange, Some(interval)) => format!("{text}±{}", two(interval.half_range())),
        (Show::HalfRange, None) => format!("{text}±…"),
        (Show::Interval, Some(interval)) => format!("{}:{}", two(interval.lo), two(interval.hi)),
        (Show::Interval, None) => "…".to_owned(),
        (Show::Rank, _) => {
            let value = |scorer: &Scorer| numbers.value(scorer, own.cell);
            let mine = value(own.scorer).unwrap_or(f64::NAN);
            let higher = app.lens.metric.higher_is_better();
            let better = |value: &f64| if higher { *value > mine } else { *value < mine };
            (own.among.iter().filter_map(value).filter(better).count() + 1).to_string()
        }
        (Show::Swatch, _) => String::new(),
    }
}

fn has_chance(app: &App) -> bool {
    crate::app::chance(app.lens.metric, 0.5).is_some()
}
