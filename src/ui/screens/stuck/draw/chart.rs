//! The metric by the number of samples as a small chart: a line, its band of intervals, and chance.
//!
//! ```text
//!  AUROC of TER by samples
//!  .76┤⢕⢕⢄
//!     │⠤●⠤⠤●⠤⠤●
//!  .38┤⢕⢕⢕
//!     └─┬──┬──┬
//!     1 .54  2 .56  3 .58
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::Drawing;
use crate::engine::SampleBand;
use crate::ui::widgets::{Area, Axis, Curve, Mark, Plot, Stroke, put, two, width};

/// Columns of the chart at least.
const LEAST_WIDE: u16 = 11;

/// Lines of the chart at least.
const LEAST_HIGH: u16 = 5;

impl Drawing<'_> {
    /// The metric of the selected scorer by the number of samples.
    pub(super) fn draw_chart(&self, buffer: &mut Buffer, area: Rect) {
        let theme = &self.shared.theme;
        let Some(scorer) = self.scorers.get(self.screen.row) else { return };
        let title = format!("{} of {} by samples", self.metric(), scorer.to_uppercase());
        let title = Line::styled(title, theme.header);
        let bands: Vec<&SampleBand> =
            self.bands(scorer).filter(|band| band.value.is_some()).collect();
        if bands.is_empty() || area.height < LEAST_HIGH || area.width < LEAST_WIDE {
            put(buffer, area, title);
            let rest = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
            put(buffer, rest, Line::styled("no value", theme.dim));
            return;
        }
        let plot = Plot { title, ..self.sample_plot(&bands, self.chance(scorer), area.width) };
        plot.draw(buffer, area, theme);
    }

    fn sample_plot<'a>(&self, bands: &[&SampleBand], chance: Option<f64>, room: u16) -> Plot<'a> {
        let theme = &self.shared.theme;
        let points: Vec<(f64, f64)> =
            bands.iter().filter_map(|band| Some((band.samples as f64, band.value?))).collect();
        let ends = |band: &&SampleBand| {
            let interval = band.interval?;
            Some((band.samples as f64, interval.lo, interval.hi))
        };
        let (low, high) = range(bands, chance);
        let y = Axis { low, high, ticks: [low, high].map(|value| (value, two(value))).to_vec() };
        let x = sample_axis(&points, room);
        let mark = |at: &(f64, f64)| Mark { at: *at, sign: '●', style: theme.accent };
        let (first, last) = (x.low, x.high);
        let chance = chance.map(|chance| Curve {
            points: vec![(first, chance), (last, chance)],
            stroke: Stroke::Faint,
            style: theme.warn,
            names: vec!["chance".to_owned()],
        });
        let mut plot = Plot::new(x, y);
        plot.area =
            Some(Area { points: bands.iter().filter_map(ends).collect(), style: theme.dim });
        plot.marks = points.iter().map(mark).collect();
        let value = Curve { points, style: theme.accent, ..Curve::default() };
        plot.curves = std::iter::once(value).chain(chance).collect();
        plot
    }
}

/// The numbers of samples, each with its value where there is room.
fn sample_axis(points: &[(f64, f64)], room: u16) -> Axis {
    let named = |(samples, value): &(f64, f64)| (*samples, format!("{samples} {}", two(*value)));
    let mut ticks: Vec<(f64, String)> = points.iter().map(named).collect();
    let needed: usize = ticks.iter().map(|(_, name)| width(name) + 1).sum();
    if needed > usize::from(room) {
        ticks.iter_mut().skip(1).for_each(|(samples, name)| *name = samples.to_string());
    }
    let ends = |point: Option<&(f64, f64)>| point.map_or(0.0, |(samples, _)| *samples);
    Axis { low: ends(points.first()) - 0.5, high: ends(points.last()) + 0.5, ticks }
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
