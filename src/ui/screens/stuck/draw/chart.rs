//! The metric by the number of samples as a small chart: a line, its band of intervals, and chance.
//!
//! ```text
//!  AUROC of TER by samples
//!  .76 ⢕⢕⢄
//!      ⠤●⠤⠤●⠤⠤●
//!  .38 ⢕⢕⢕
//!       1 .54  2 .56  3 .58
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::Drawing;
use crate::engine::SampleBand;
use crate::ui::widgets::{put, two};

/// Columns of the values at the left edge.
const AXIS: u16 = 5;

/// Columns of a number of samples with its value, and a space.
const LABEL: u16 = 6;

/// What is drawn: points from left to right, on dots of a grid.
struct Plot {
    /// The place of the first point and of the last, in dots from the left.
    ends: (f64, f64),
    /// The values at the bottom and at the top.
    range: (f64, f64),
    /// Dots from left to right and from top to bottom.
    size: (usize, usize),
}

impl Plot {
    /// The value of a curve that is given at every point, at a dot from the left.
    fn at(&self, curve: &[f64], dot: usize) -> Option<f64> {
        let (first, last) = self.ends;
        let steps = (curve.len() - 1) as f64;
        let along = if last > first { (dot as f64 - first) / (last - first) * steps } else { 0.0 };
        // Half a character to both sides, so that a point alone has a band too.
        let reach = if last > first { steps / (last - first) } else { 0.0 };
        if along < -1.5 * reach
            || along > steps + 1.5 * reach
            || (dot as f64 - first).abs() > 3.0 && steps == 0.0
        {
            return None;
        }
        let along = along.clamp(0.0, steps);
        let (from, share) = (along.floor() as usize, along.fract());
        let to = (from + 1).min(curve.len() - 1);
        Some(curve[from] * (1.0 - share) + curve[to] * share)
    }

    /// The dot from the top at which a value stands.
    fn row(&self, value: f64) -> usize {
        let (low, high) = self.range;
        let share = (high - value) / (high - low);
        ((share * (self.size.1 - 1) as f64).round().max(0.0) as usize).min(self.size.1 - 1)
    }
}

/// Dots in characters of two by four.
struct Dots {
    cells: Vec<u8>,
    columns: usize,
}

impl Dots {
    fn set(&mut self, x: usize, y: usize) {
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        self.cells[y / 4 * self.columns + x / 2] |= BITS[x % 2][y % 4];
    }

    fn symbol(&self, column: usize, row: usize) -> Option<char> {
        let bits = self.cells[row * self.columns + column];
        (bits > 0).then(|| char::from_u32(0x2800 + u32::from(bits)).unwrap_or(' '))
    }
}

impl Drawing<'_> {
    /// The metric of the selected scorer by the number of samples.
    pub(super) fn draw_chart(&self, buffer: &mut Buffer, area: Rect) {
        let theme = &self.shared.theme;
        let Some(scorer) = self.scorers.get(self.screen.row) else { return };
        let title = format!("{} of {} by samples", self.metric(), scorer.to_uppercase());
        put(buffer, area, Line::styled(title, theme.header));
        let bands: Vec<&SampleBand> =
            self.bands(scorer).filter(|band| band.value.is_some()).collect();
        if bands.is_empty() || area.height < 4 || area.width < AXIS + LABEL {
            let rest = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
            put(buffer, rest, Line::styled("no value", theme.dim));
            return;
        }
        let inner = Rect {
            x: area.x + AXIS,
            y: area.y + 1,
            width: area.width - AXIS,
            height: area.height - 2,
        };
        let slot = (inner.width / bands.len() as u16).max(1);
        let centre =
            |index: usize| (index as u16 * slot + slot.min(LABEL) / 2).min(inner.width - 1);
        let chance = self.chance(scorer);
        let plot = Plot {
            ends: (f64::from(centre(0) * 2), f64::from(centre(bands.len() - 1) * 2)),
            range: range(&bands, chance),
            size: (usize::from(inner.width) * 2, usize::from(inner.height) * 4),
        };
        self.draw_axis(buffer, area, inner, &plot);
        self.draw_dots(buffer, inner, &plot, &bands, chance);
        for (index, band) in bands.iter().enumerate() {
            let (x, value) = (inner.x + centre(index), band.value.unwrap_or_default());
            let point = Rect { x, y: inner.y + (plot.row(value) / 4) as u16, width: 1, height: 1 };
            put(buffer, point, Line::styled("●", theme.accent));
            let text = format!("{} {}", band.samples, two(value));
            let room = Rect {
                x: inner.x + index as u16 * slot,
                y: inner.bottom(),
                width: slot,
                height: 1,
            };
            if usize::from(slot) > text.len() || index == 0 {
                put(buffer, room.intersection(area), Line::styled(text, theme.text));
            } else if slot > 2 || index + 1 == bands.len() {
                put(
                    buffer,
                    room.intersection(area),
                    Line::styled(band.samples.to_string(), theme.dim),
                );
            }
        }
    }

    fn draw_axis(&self, buffer: &mut Buffer, area: Rect, inner: Rect, plot: &Plot) {
        let ends = [(inner.y, plot.range.1), (inner.bottom() - 1, plot.range.0)];
        for (y, value) in ends {
            let label = Rect { y, width: AXIS, height: 1, ..area };
            put(buffer, label, Line::styled(format!("{:>4}", two(value)), self.shared.theme.dim));
        }
    }

    /// Chance as a row of dashes, the band as every second dot, the value as a line of dots.
    fn draw_dots(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        plot: &Plot,
        bands: &[&SampleBand],
        chance: Option<f64>,
    ) {
        let theme = &self.shared.theme;
        let columns = usize::from(area.width);
        let empty = || Dots { cells: vec![0; columns * usize::from(area.height)], columns };
        let (mut fill, mut line) = (empty(), empty());
        let values: Vec<f64> = bands.iter().filter_map(|band| band.value).collect();
        let ends = |end: fn(&SampleBand) -> Option<f64>| -> Option<Vec<f64>> {
            bands.iter().map(|band| end(band)).collect()
        };
        let low = ends(|band| band.interval.map(|interval| interval.lo));
        let high = ends(|band| band.interval.map(|interval| interval.hi));
        for x in 0..plot.size.0 {
            if let Some(value) = plot.at(&values, x) {
                line.set(x, plot.row(value));
            }
            let (Some(low), Some(high)) = (&low, &high) else { continue };
            let (Some(low), Some(high)) = (plot.at(low, x), plot.at(high, x)) else { continue };
            let rows = plot.row(high)..=plot.row(low);
            rows.filter(|y| (x + y) % 2 == 0).for_each(|y| fill.set(x, y));
        }
        let level = chance.map(|chance| plot.row(chance) / 4);
        for (row, line_area) in area.rows().enumerate() {
            for column in 0..columns {
                let spot = Rect { x: area.x + column as u16, width: 1, ..line_area };
                let (symbol, style) = match (line.symbol(column, row), fill.symbol(column, row)) {
                    (Some(symbol), _) => (symbol, theme.accent),
                    (None, _) if level == Some(row) => ('╌', theme.warn),
                    (None, Some(symbol)) => (symbol, theme.dim),
                    (None, None) => continue,
                };
                put(buffer, spot, Line::styled(symbol.to_string(), style));
            }
        }
    }
}

/// The least and the largest value that is drawn, apart by at least a tenth.
fn range(bands: &[&SampleBand], chance: Option<f64>) -> (f64, f64) {
    let ends = bands.iter().filter_map(|band| band.interval).flat_map(|band| [band.lo, band.hi]);
    let values = bands.iter().filter_map(|band| band.value).chain(ends).chain(chance);
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let spare = (0.1 - (high - low)).max(0.0) / 2.0;
    (low - spare, high + spare)
}
