//! One value of a heatmap: its text, its colour, the cursor around it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Heatmap;
use crate::report::{FAINT, Show, holds_chance, holds_zero};
use crate::scorers::Scorer;
use crate::ui::shared::Pending;
use crate::ui::theme::Depth;
use crate::ui::widgets::{padded, put, signed, two, width};

/// How one value is to be drawn.
#[derive(Clone, Copy, Debug)]
pub(in crate::ui) struct Value<'a> {
    /// The scorer.
    pub scorer: &'a Scorer,
    /// The cell.
    pub cell: usize,
    /// The scorers that it is ranked among.
    pub among: &'a [Scorer],
    /// It is the best of its column.
    pub best: bool,
    /// It has the cursor.
    pub selected: bool,
}

impl Heatmap<'_> {
    /// Draws one value on its colour.
    pub fn draw_value(&self, buffer: &mut Buffer, area: Rect, drawn: &Value<'_>) {
        let (theme, numbers) = (&self.shared.theme, &self.shared.numbers);
        let number = numbers.number(drawn.scorer, drawn.cell);
        let value = self.value(drawn.scorer, drawn.cell);
        let known = numbers.row(drawn.scorer).is_some();
        let heat = value.map_or(f64::NAN, |value| self.heat(value, drawn.cell, drawn.scorer));
        let colourless = theme.depth() == Depth::None;
        let uncertain = value.is_some() && self.holds_chance(drawn);
        let heat = if uncertain { heat * FAINT } else { heat };
        let style = match (number, value) {
            // The glyph says it; bold and underlined are for the best.
            (_, Some(_)) if colourless && uncertain => theme.dim,
            (_, Some(_)) if colourless => theme.text,
            (_, Some(_)) if uncertain => theme.diverging(heat).patch(theme.dim),
            (_, Some(_)) if self.is_diverging() => theme.diverging(heat),
            (_, Some(_)) => theme.sequential(heat),
            (Some(_), None) => theme.muted_heat,
            (None, None) => theme.dim,
        };
        let mut text = match (value, known) {
            (_, false) => "·".to_owned(),
            (None, true) if self.waits_for(drawn) => "…".to_owned(),
            (None, true) if number.is_some() => "n/a".to_owned(),
            (None, true) => "–".to_owned(),
            (Some(value), true) => self.shown(drawn, value),
        };
        let flagged = number.is_some_and(|number| number.counts.is_flagged());
        let show = self.shared.lens.show;
        if flagged && value.is_some() && !matches!(show, Show::Swatch | Show::Interval) {
            text.push('†');
        }
        if colourless && value.is_some() {
            let glyph = match self.is_diverging() {
                _ if uncertain => '·',
                true => theme.signed_glyph(heat),
                false => theme.glyph(heat),
            };
            text.insert(0, glyph);
        }
        let style = if drawn.best { style.patch(theme.best) } else { style };
        draw_text(buffer, area, &text, style, drawn.selected.then_some(theme.cursor));
    }

    /// Whether the interval of a value holds what chance gives, or cannot tell, or that of a difference
    /// holds zero; not before the interval is known.
    fn holds_chance(&self, drawn: &Value<'_>) -> bool {
        let numbers = &self.shared.numbers;
        if self.pinned.is_some_and(|pinned| pinned != drawn.scorer) {
            return holds_zero(numbers.difference(drawn.scorer, drawn.cell).get());
        }
        let counts = numbers.number(drawn.scorer, drawn.cell).map(|number| number.counts);
        let interval = numbers.interval(drawn.scorer, drawn.cell).get();
        holds_chance(self.shared.lens.metric, interval, counts)
    }

    /// Whether resampling tells anything about a value: with one task of an outcome, every resample ranks
    /// the same one.
    fn tells(&self, drawn: &Value<'_>) -> bool {
        let number = self.shared.numbers.number(drawn.scorer, drawn.cell);
        number.is_some_and(|number| number.counts.can_be_resampled())
    }

    /// Whether a difference is still to come.
    fn waits_for(&self, drawn: &Value<'_>) -> bool {
        let numbers = &self.shared.numbers;
        let pinned = self.pinned.and_then(|pinned| numbers.value(pinned, drawn.cell));
        pinned.is_some()
            && numbers.value(drawn.scorer, drawn.cell).is_some()
            && numbers.difference(drawn.scorer, drawn.cell) == Pending::Waiting
    }

    /// The value as the lens shows values.
    fn shown(&self, drawn: &Value<'_>, value: f64) -> String {
        let numbers = &self.shared.numbers;
        let (text, interval) = if self.pinned.is_some() {
            let difference = numbers.difference(drawn.scorer, drawn.cell).get();
            (signed(value), difference.and_then(|difference| difference.interval))
        } else {
            (two(value), numbers.interval(drawn.scorer, drawn.cell).get())
        };
        match (self.shared.lens.show, interval) {
            (Show::Value, _) => text,
            (Show::HalfRange, Some(_)) if !self.tells(drawn) => format!("{text}±–"),
            (Show::Interval, Some(_)) if !self.tells(drawn) => "–".to_owned(),
            (Show::HalfRange, Some(interval)) => format!("{text}±{}", two(interval.half_range())),
            (Show::HalfRange, None) => format!("{text}±…"),
            (Show::Interval, Some(interval)) => {
                format!("{}:{}", two(interval.lo), two(interval.hi))
            }
            (Show::Interval, None) => "…".to_owned(),
            (Show::Rank, _) => self.rank(drawn).to_string(),
            (Show::Swatch, _) => String::new(),
        }
    }

    /// The rank of a scorer in its cell, from 1.
    fn rank(&self, drawn: &Value<'_>) -> usize {
        let value = |scorer: &Scorer| self.shared.numbers.value(scorer, drawn.cell);
        let this = value(drawn.scorer).unwrap_or(f64::NAN);
        let higher = self.shared.lens.metric.higher_is_better();
        let better = |other: &f64| if higher { *other > this } else { *other < this };
        drawn.among.iter().filter_map(value).filter(better).count() + 1
    }
}

fn draw_text(buffer: &mut Buffer, area: Rect, text: &str, style: Style, cursor: Option<Style>) {
    buffer.set_style(area, style);
    let room = usize::from(area.width);
    match cursor {
        // What has no room between the brackets is whole without them.
        Some(cursor) if width(text) + 2 > room => {
            put(buffer, area, Line::styled(padded(text, room), style.patch(cursor)));
        }
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
        None => put(
            buffer,
            area,
            Line::styled(format!(" {}", padded(text, room.saturating_sub(1))), style),
        ),
    }
}
