//! Styles of lines, which differ without colour too.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::dots::{ACROSS, Dots};

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stroke {
    /// Without a gap.
    #[default]
    Solid,
    /// Long dashes.
    Dashed,
    /// Single dots.
    Dotted,
    /// A dash and a dot in turn.
    DashDot,
    /// Few dots, for what other lines are compared with.
    Faint,
}

impl Stroke {
    /// Those that tell curves apart.
    pub const CURVES: [Self; 4] = [Self::Solid, Self::Dashed, Self::Dotted, Self::DashDot];

    /// Whether the dot after so many others of the line is drawn.
    fn is_on(self, step: usize) -> bool {
        match self {
            Self::Solid => true,
            Self::Dashed => step % 9 < 6,
            Self::Dotted => step.is_multiple_of(3),
            Self::DashDot => matches!(step % 11, 0..=5 | 8),
            Self::Faint => step.is_multiple_of(4),
        }
    }

    /// A short piece of it, so many characters wide.
    pub fn sample(self, columns: u16) -> String {
        let area = Rect::new(0, 0, columns, 1);
        let (mut dots, mut buffer) = (Dots::new(area), Buffer::empty(area));
        let steps = (0..usize::from(columns) * ACROSS).filter(|step| self.is_on(*step));
        steps.for_each(|step| dots.set(step, 2, Style::new()));
        dots.draw(&mut buffer);
        buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
    }
}

/// A pen that draws straight lines one after the other, with one pattern throughout.
#[derive(Debug)]
pub(super) struct Pen<'a> {
    pub dots: &'a mut Dots,
    pub stroke: Stroke,
    pub style: Style,
    at: Option<(i64, i64)>,
    steps: usize,
    /// The characters that the line goes through, from its beginning.
    pub path: Vec<(u16, u16)>,
}

impl<'a> Pen<'a> {
    pub fn new(dots: &'a mut Dots, stroke: Stroke, style: Style) -> Self {
        Self { dots, stroke, style, at: None, steps: 0, path: Vec::new() }
    }

    /// Draws a line to a dot, or begins there.
    pub fn to(&mut self, x: i64, y: i64) {
        let Some((from_x, from_y)) = self.at.replace((x, y)) else { return self.dot(x, y) };
        let (wide, high) = (x - from_x, y - from_y);
        let length = wide.abs().max(high.abs());
        for step in 1..=length {
            let along =
                |from: i64, by: i64| from + (2 * by * step + length * by.signum()) / (2 * length);
            self.dot(along(from_x, wide), along(from_y, high));
        }
    }

    fn dot(&mut self, x: i64, y: i64) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if self.stroke.is_on(self.steps) {
            self.dots.set(x, y, self.style);
        }
        self.steps += 1;
        let cell = ((x / ACROSS) as u16, (y / super::dots::DOWN) as u16);
        if self.path.last() != Some(&cell) {
            self.path.push(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_differ_without_colour() {
        let samples = Stroke::CURVES.map(|stroke| stroke.sample(12));
        assert_eq!(samples, ["⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤", "⠤⠤⠤ ⠠⠤⠤⠄ ⠤⠤⠤", "⠄⠠ ⠄⠠ ⠄⠠ ⠄⠠ ", "⠤⠤⠤ ⠄⠠⠤⠤⠄⠠ ⠤"]);
    }
}
