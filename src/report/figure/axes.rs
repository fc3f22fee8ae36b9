//! A panel with two axes, and the names of its series.

use super::canvas::{Anchor, Canvas, SIZE, SMALL, Stroke, Words, series};
use super::letters::{text_width, widest};

/// An axis: its range, its ticks and what it shows.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub from: f64,
    pub to: f64,
    pub ticks: Vec<(f64, String)>,
    pub title: String,
}

impl Axis {
    /// From 0 to 1 with ticks at every fifth.
    pub(super) fn share(title: &str) -> Self {
        Self::numbers(0.0, 1.0, title)
    }

    /// A range of numbers with four to eight round ticks.
    pub(super) fn numbers(from: f64, to: f64, title: &str) -> Self {
        Self::in_units(from, to, 1.0, title)
    }

    /// A range of shares with ticks in points, hundredths of 1.
    pub(super) fn points(from: f64, to: f64, title: &str) -> Self {
        Self::in_units(from, to, 100.0, title)
    }

    fn in_units(from: f64, to: f64, units: f64, title: &str) -> Self {
        let (from, to) = if to > from { (from, to) } else { (from - 0.5, from + 0.5) };
        let step = round_step((to - from) * units);
        let decimals = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
        let first = (from * units / step - 1e-9).ceil() as i64;
        let last = (to * units / step + 1e-9).floor() as i64;
        let ticks = (first..=last).map(|tick| {
            let value = tick as f64 * step;
            (value / units, label(value, decimals))
        });
        Self { from, to, ticks: ticks.collect(), title: title.to_owned() }
    }

    /// Groups at 0, 1, 2 … with their names.
    pub(super) fn groups<S: Into<String>>(names: impl IntoIterator<Item = S>, title: &str) -> Self {
        let ticks: Vec<(f64, String)> =
            names.into_iter().enumerate().map(|(at, name)| (at as f64, name.into())).collect();
        let to = ticks.len() as f64 - 0.5;
        Self { from: -0.5, to, ticks, title: title.to_owned() }
    }

    /// How far along the axis a value lies, 0 to 1.
    fn position(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }
}

/// A number as ticks have it: `.5`, `−.25`, `1`, `1.5`, `20`.
fn label(value: f64, decimals: usize) -> String {
    let is_whole = (value - value.round()).abs() < 1e-9;
    let digits = format!("{:.*}", if is_whole { 0 } else { decimals }, value.abs());
    let digits = digits.strip_prefix('0').filter(|rest| !rest.is_empty()).unwrap_or(&digits);
    let sign = if value < 0.0 && digits != "0" { "−" } else { "" };
    format!("{sign}{digits}")
}

/// A step of 1, 2 or 5 times a power of ten that divides a range into four to eight parts.
fn round_step(range: f64) -> f64 {
    let rough = range / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| range / step <= 6.5).unwrap_or(power * 10.0)
}

/// A rectangle of the sheet in which values are points.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    pub x: Axis,
    pub y: Axis,
}

impl Panel {
    /// The point of two values.
    pub(super) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (
            self.left + self.x.position(x) * self.width,
            self.top + (1.0 - self.y.position(y)) * self.height,
        )
    }

    /// The edges on the right and at the bottom.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.left + self.width, self.top + self.height)
    }

    /// Draws axes, ticks and titles.
    pub(super) fn draw(&self, canvas: &mut Canvas) {
        let frame = Stroke { colour: canvas.inks.line, width: 0.6, dashes: &[] };
        let (right, bottom) = self.ends();
        canvas.line(&[(self.left, self.top), (self.left, bottom), (right, bottom)], frame);
        let words = canvas.remarks(Anchor::Middle);
        for (value, label) in &self.x.ticks {
            let (x, _) = self.at(*value, self.y.from);
            canvas.line(&[(x, bottom), (x, bottom + 2.5)], frame);
            canvas.text((x, bottom + 3.5 + SMALL), label, words);
        }
        for (value, label) in &self.y.ticks {
            let (_, y) = self.at(self.x.from, *value);
            canvas.line(&[(self.left - 2.5, y), (self.left, y)], frame);
            canvas.text((self.left - 4.0, y + SMALL * 0.35), label, canvas.remarks(Anchor::End));
        }
        let middle = (self.left + self.width / 2.0, self.top + self.height / 2.0);
        let title = canvas.words(Anchor::Middle);
        if !self.x.title.is_empty() {
            canvas.text((middle.0, bottom + 5.5 + 2.4 * SMALL), &self.x.title, title);
        }
        if !self.y.title.is_empty() {
            let labels: Vec<&str> = self.y.ticks.iter().map(|(_, label)| label.as_str()).collect();
            let turned = Words { turned: -90.0, ..title };
            canvas.text(
                (self.left - 8.0 - widest(&labels, SMALL), middle.1),
                &self.y.title,
                turned,
            );
        }
    }

    /// Draws a dashed line across at a value, such as chance.
    pub(super) fn rule(&self, canvas: &mut Canvas, y: f64) {
        let stroke = Stroke { colour: canvas.inks.dim, width: 0.6, dashes: &[2.0, 2.0] };
        canvas.line(&[self.at(self.x.from, y), self.at(self.x.to, y)], stroke);
    }

    /// The same upright.
    pub(super) fn upright_rule(&self, canvas: &mut Canvas, x: f64) {
        let stroke = Stroke { colour: canvas.inks.dim, width: 0.6, dashes: &[2.0, 2.0] };
        canvas.line(&[self.at(x, self.y.from), self.at(x, self.y.to)], stroke);
    }
}

/// The names of the series, in as many lines as they need; gives where the next line would be.
pub(super) fn legend(canvas: &mut Canvas, names: &[String], left: f64, top: f64) -> f64 {
    let (mut x, mut y) = (left, top);
    for (position, name) in names.iter().enumerate() {
        let width = 28.0 + text_width(name, SIZE, false);
        if x > left && x + width - 9.0 > canvas.width {
            (x, y) = (left, y + SIZE + 2.5);
        }
        let stroke = series(position, canvas.shade);
        canvas.line(&[(x, y - 2.5), (x + 16.0, y - 2.5)], stroke);
        canvas.mark(position, (x + 8.0, y - 2.5), stroke.colour);
        canvas.text((x + 19.0, y), name, canvas.words(Anchor::Start));
        x += width;
    }
    y + SIZE + 2.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let labels = |axis: Axis| -> Vec<String> {
            axis.ticks.into_iter().map(|(_, label)| label).collect()
        };
        let numbers = |from, to| labels(Axis::numbers(from, to, ""));
        assert_eq!(numbers(0.0, 1.0), ["0", ".2", ".4", ".6", ".8", "1"]);
        assert_eq!(numbers(-0.4, 0.4), ["−.4", "−.2", "0", ".2", ".4"]);
        assert_eq!(numbers(0.0, 12.0), ["0", "2", "4", "6", "8", "10", "12"]);
        assert_eq!(numbers(9.6, 11.2), ["10", "10.5", "11"]);
        assert_eq!(numbers(-1.2, 1.2), ["−1", "−.5", "0", ".5", "1"]);
        assert_eq!(labels(Axis::points(-0.1, 0.1, "")), ["−10", "−5", "0", "5", "10"]);
        for (from, to) in [(0.0, 0.003), (3.0, 3.0), (-1e6, 1e6)] {
            let count = numbers(from, to).len();
            assert!((3..=9).contains(&count), "{from}..{to}: {count}");
        }
    }

    #[test]
    fn larger_values_stand_higher_and_further_right() {
        let panel = Panel {
            left: 10.0,
            top: 5.0,
            width: 100.0,
            height: 50.0,
            x: Axis::share(""),
            y: Axis::share(""),
        };
        assert_eq!(panel.at(0.0, 0.0), (10.0, 55.0));
        assert_eq!(panel.at(1.0, 1.0), (110.0, 5.0));
    }
}
