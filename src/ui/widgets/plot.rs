//! A plot with axes: lines in several strokes, a band, guides, marks, and names at the ends of lines.
//!
//! ```text
//!  Risk–coverage · success of the tasks that are kept
//!   1 │⠉⠉⠑⠒⠤⣀
//!  .5 ┤       ⠉⠒⠤●⣀⣀ LNSP·min
//!   0 └──┬─────┬──┬──────┬
//!     0  .25   .5 .75    1
//! ```

mod axis;
mod bars;
mod dots;
mod label;
mod stroke;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::{put, width};
use crate::ui::theme::Theme;
pub use axis::Axis;
pub use bars::Bars;
use dots::{ACROSS, DOWN, Dots};
use label::Taken;
use stroke::Pen;
pub use stroke::Stroke;

/// Lines of a plot that the axis below and its ticks take.
const BELOW: u16 = 2;

/// A line through points.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Its points, from its beginning to its end.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Its colour.
    pub style: Style,
    /// Its names, the first that has room is written beside it; none of a guide.
    pub names: Vec<String>,
}

/// An area between two heights.
#[derive(Clone, Debug, Default)]
pub struct Area {
    /// Positions with the lower and the upper end, from left to right.
    pub points: Vec<(f64, f64, f64)>,
    /// Its colour.
    pub style: Style,
}

/// A sign at a point.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Where it stands.
    pub at: (f64, f64),
    /// The sign.
    pub sign: char,
    /// Its colour.
    pub style: Style,
}

/// What is plotted.
#[derive(Clone, Debug)]
pub struct Plot<'a> {
    /// The line above it.
    pub title: Line<'a>,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// An area behind the lines.
    pub area: Option<Area>,
    /// Bars in place of the vertical axis.
    pub bars: Option<Bars>,
    /// The lines; the first is on top.
    pub curves: Vec<Curve>,
    /// A vertical line over the whole height.
    pub cursor: Option<f64>,
    /// Signs over the lines; the first is on top.
    pub marks: Vec<Mark>,
    /// Texts at positions of the horizontal axis, on a line below its ticks.
    pub counts: Vec<(f64, String)>,
}

/// Where a plot was drawn.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The area between the axes.
    pub inner: Rect,
    x: Axis,
    y: Axis,
}

impl Drawn {
    /// The values in the middle of a character.
    pub fn at(&self, column: u16, row: u16) -> (f64, f64) {
        let share = |offset: u16, size: u16| (f64::from(offset) + 0.5) / f64::from(size.max(1));
        let right = share(column.saturating_sub(self.inner.x), self.inner.width);
        let down = share(row.saturating_sub(self.inner.y), self.inner.height);
        (self.x.at(right), self.y.at(1.0 - down))
    }

    /// The column of a value; none outside of the plot.
    pub fn column(&self, x: f64) -> Option<u16> {
        let share = self.x.along(x);
        let last = self.inner.width.checked_sub(1)?;
        (-1e-9..=1.0 + 1e-9)
            .contains(&share)
            .then(|| self.inner.x + ((share * f64::from(self.inner.width)) as u16).min(last))
    }

    fn row(&self, y: f64) -> Option<u16> {
        let share = 1.0 - self.y.along(y);
        let last = self.inner.height.checked_sub(1)?;
        (-1e-9..=1.0 + 1e-9)
            .contains(&share)
            .then(|| self.inner.y + ((share * f64::from(self.inner.height)) as u16).min(last))
    }

    /// The dot of a point.
    fn dot(&self, (x, y): (f64, f64)) -> (i64, i64) {
        let (across, down) =
            (usize::from(self.inner.width) * ACROSS, usize::from(self.inner.height) * DOWN);
        let dots = |share: f64, size: usize| {
            (share.clamp(0.0, 1.0) * size.saturating_sub(1) as f64).round() as i64
        };
        (dots(self.x.along(x), across), dots(1.0 - self.y.along(y), down))
    }
}

impl Plot<'_> {
    /// Nothing between two axes.
    pub fn new(x: Axis, y: Axis) -> Self {
        Self {
            title: Line::default(),
            x,
            y,
            area: None,
            bars: None,
            curves: Vec::new(),
            cursor: None,
            marks: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Draws it; what comes back says where.
    pub fn draw(&self, buffer: &mut Buffer, area: Rect, theme: &Theme) -> Drawn {
        let names = if self.bars.is_some() { 0 } else { self.tick_width() };
        let left = names + 1;
        let inner = Rect {
            x: area.x + left.min(area.width),
            y: area.y + 1.min(area.height),
            width: area.width.saturating_sub(left + 1),
            height: area.height.saturating_sub(1 + BELOW + u16::from(!self.counts.is_empty())),
        };
        let drawn = Drawn { inner, x: self.x.clone(), y: self.y.clone() };
        put(buffer, Rect { height: area.height.min(1), ..area }, self.title.clone());
        if inner.width == 0 || inner.height == 0 {
            return drawn;
        }
        self.draw_axes(buffer, &drawn, names, theme);
        match &self.bars {
            Some(bars) => bars.draw(buffer, inner, theme),
            None => self.draw_lines(buffer, &drawn),
        }
        self.draw_cursor(buffer, &drawn, theme);
        for mark in self.marks.iter().rev() {
            if let (Some(column), Some(row)) = (drawn.column(mark.at.0), drawn.row(mark.at.1)) {
                let cell = &mut buffer[(column, row)];
                cell.reset();
                cell.set_char(mark.sign).set_style(mark.style);
            }
        }
        drawn
    }

    /// The width of the widest name of the vertical axis.
    fn tick_width(&self) -> u16 {
        self.y.ticks.iter().map(|(_, name)| width(name) as u16).max().unwrap_or(0)
    }

    fn draw_axes(&self, buffer: &mut Buffer, drawn: &Drawn, names: u16, theme: &Theme) {
        let inner = drawn.inner;
        let side = inner.x - 1;
        for row in inner.top()..inner.bottom() {
            buffer[(side, row)].set_symbol("│").set_style(theme.rule);
        }
        let named = if self.bars.is_some() { &[][..] } else { &self.y.ticks };
        for (value, name) in named {
            let Some(row) = drawn.row(*value) else { continue };
            buffer[(side, row)].set_symbol("┤").set_style(theme.rule);
            let wide = width(name) as u16;
            let label = Rect { x: side - wide.min(names), y: row, width: wide, height: 1 };
            put(buffer, label, Line::styled(name.clone(), theme.dim));
        }
        let (axis, below) = (inner.bottom(), inner.bottom() + 1);
        buffer[(side, axis)].set_symbol("└").set_style(theme.rule);
        for column in inner.left()..inner.right() {
            buffer[(column, axis)].set_symbol("─").set_style(theme.rule);
        }
        for column in draw_texts(buffer, drawn, below, &self.x.ticks, theme) {
            buffer[(column, axis)].set_symbol("┬").set_style(theme.rule);
        }
        if !self.counts.is_empty() {
            put(
                buffer,
                Rect { x: side, y: below + 1, width: 1, height: 1 },
                Line::styled("n", theme.dim),
            );
            draw_texts(buffer, drawn, below + 1, &self.counts, theme);
        }
    }

    fn draw_lines(&self, buffer: &mut Buffer, drawn: &Drawn) {
        let mut fill = Dots::new(drawn.inner);
        if let Some(area) = &self.area {
            fill_area(&mut fill, area, drawn);
        }
        let mut lines = Dots::new(drawn.inner);
        let mut paths = Vec::with_capacity(self.curves.len());
        for curve in self.curves.iter().rev() {
            let mut pen = Pen::new(&mut lines, curve.stroke, curve.style);
            for point in &curve.points {
                let (x, y) = drawn.dot(*point);
                pen.to(x, y);
            }
            paths.push(pen.path);
        }
        paths.reverse();
        fill.draw(buffer);
        lines.draw(buffer);
        self.draw_names(buffer, drawn, &fill, &paths);
    }

    fn draw_names(
        &self,
        buffer: &mut Buffer,
        drawn: &Drawn,
        fill: &Dots,
        paths: &[Vec<(u16, u16)>],
    ) {
        let inner = drawn.inner;
        let mut taken = Taken::new(inner, |column, row| fill.has(column, row));
        paths.iter().enumerate().for_each(|(line, path)| taken.take_line(line, path));
        for mark in &self.marks {
            if let (Some(column), Some(row)) = (drawn.column(mark.at.0), drawn.row(mark.at.1)) {
                taken.take(column - inner.x, row - inner.y, 1);
            }
        }
        if let Some(column) = self.cursor.and_then(|x| drawn.column(x)) {
            (0..inner.height).for_each(|row| taken.take(column - inner.x, row, 1));
        }
        for ((line, curve), path) in self.curves.iter().enumerate().zip(paths) {
            let widths: Vec<u16> = curve.names.iter().map(|name| width(name) as u16).collect();
            if let Some((name, column, row)) = taken.find_room(line, path, &widths) {
                let (x, y) = (inner.x + column, inner.y + row);
                let area = Rect { x, y, width: widths[name], height: 1 };
                buffer.set_style(area, Style::reset());
                put(buffer, area, Line::styled(curve.names[name].clone(), curve.style));
            }
        }
    }

    /// The cursor is behind what stands there already.
    fn draw_cursor(&self, buffer: &mut Buffer, drawn: &Drawn, theme: &Theme) {
        let Some(column) = self.cursor.and_then(|x| drawn.column(x)) else { return };
        for row in drawn.inner.top()..drawn.inner.bottom() {
            let cell = &mut buffer[(column, row)];
            if cell.symbol() == " " {
                cell.set_symbol("╎").set_style(theme.accent);
            }
        }
        buffer[(column, drawn.inner.bottom())].set_symbol("┴").set_style(theme.accent);
    }
}

/// Writes texts centred at their positions, each with a space before it; returns the columns of those
/// that had room.
fn draw_texts(
    buffer: &mut Buffer,
    drawn: &Drawn,
    row: u16,
    texts: &[(f64, String)],
    theme: &Theme,
) -> Vec<u16> {
    let mut free = drawn.inner.x.saturating_sub(1);
    let mut columns = Vec::new();
    for (value, text) in texts {
        let Some(column) = drawn.column(*value) else { continue };
        let wide = width(text) as u16;
        let last = (drawn.inner.right() + 1).saturating_sub(wide);
        let x = column.saturating_sub(wide / 2).min(last);
        if x >= free {
            let label = Rect { x, y: row, width: wide, height: 1 };
            put(buffer, label, Line::styled(text.clone(), theme.dim));
            free = x + wide + 1;
            columns.push(column);
        }
    }
    columns
}

/// Every second dot between two heights. A point alone is as wide as a character.
fn fill_area(dots: &mut Dots, area: &Area, drawn: &Drawn) {
    let (across, _) = dots.size();
    let reach = (drawn.x.high - drawn.x.low) / f64::from(drawn.inner.width) * 0.75;
    for x in 0..across {
        let at = drawn.x.at((x as f64 + 0.5) / across as f64);
        let Some((low, high)) = heights(&area.points, at, reach) else { continue };
        let ((_, top), (_, bottom)) = (drawn.dot((at, high)), drawn.dot((at, low)));
        let rows = (top.max(0) as usize)..=(bottom.max(0) as usize);
        rows.filter(|y| (x + y) % 2 == 0).for_each(|y| dots.set(x, y, area.style));
    }
}

/// The heights at a position, on the lines between the points beside it; a little before the first point
/// and after the last, theirs.
fn heights(points: &[(f64, f64, f64)], at: f64, reach: f64) -> Option<(f64, f64)> {
    let after = points.partition_point(|(x, ..)| *x <= at);
    let before = after.checked_sub(1).and_then(|index| points.get(index));
    let is_near = |point: &&(f64, f64, f64)| (point.0 - at).abs() <= reach;
    let (low, high) = match (before, points.get(after)) {
        (Some(from), Some(to)) => {
            let share = ((at - from.0) / (to.0 - from.0)).clamp(0.0, 1.0);
            let between = |a: f64, b: f64| a + (b - a) * share;
            (between(from.1, to.1), between(from.2, to.2))
        }
        (one, None) | (None, one) => one.filter(is_near).map(|point| (point.1, point.2))?,
    };
    (!low.is_nan() && !high.is_nan()).then_some((low, high))
}

#[cfg(test)]
mod tests;
