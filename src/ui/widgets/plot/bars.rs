//! Counts of two classes as bars: one upwards, one downwards, on the same scale.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

use crate::text::grouped;
use crate::ui::theme::{Depth, Theme};
use crate::ui::widgets::{put, width};

/// Counts of two classes in the same bins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// Bars upwards.
    pub up: Vec<usize>,
    /// Bars downwards.
    pub down: Vec<usize>,
}

impl Bars {
    /// Draws them in half characters over the whole area; the bins have equal widths.
    pub(super) fn draw(&self, buffer: &mut Buffer, area: Rect, theme: &Theme) {
        let most = |counts: &[usize]| counts.iter().copied().max().unwrap_or(0);
        let (above, below) = (most(&self.up), most(&self.down));
        let bins = self.up.len().max(self.down.len());
        if above + below == 0 || bins == 0 || area.height < 2 {
            return;
        }
        // Both sides on one scale; each has a row at least.
        let rows = f64::from(area.height);
        let share = above as f64 / (above + below) as f64;
        let up_rows = (share * rows).round().clamp(1.0, rows - 1.0) as u16;
        let halves = |rows: u16, most: usize| f64::from(rows) * 2.0 / most.max(1) as f64;
        let scale = halves(up_rows, above).min(halves(area.height - up_rows, below));
        for (offset, column) in (area.left()..area.right()).enumerate() {
            let bin = offset * bins / usize::from(area.width);
            let strip = Rect { x: column, width: 1, ..area };
            let count = |counts: &[usize]| counts.get(bin).copied().unwrap_or(0);
            let bar = |up: bool| Bar {
                base: area.y + up_rows,
                halves: count(if up { &self.up } else { &self.down }) as f64 * scale,
                up,
                // Without colour a bar downwards would run together with the one above it.
                signs: match (up, theme.depth()) {
                    (true, _) => ["█", "▄"],
                    (false, Depth::None) => ["▒", "▒"],
                    (false, _) => ["█", "▀"],
                },
                style: if up { theme.good } else { theme.bad }
                    .remove_modifier(Modifier::UNDERLINED),
            };
            bar(true).draw(buffer, strip);
            bar(false).draw(buffer, strip);
        }
        self.draw_scale(buffer, area, theme);
    }

    /// What each side counts, in the corners where no bar is.
    fn draw_scale(&self, buffer: &mut Buffer, area: Rect, theme: &Theme) {
        let last = area.bottom() - 1;
        for (row, sign, counts, style) in
            [(area.y, "✓", &self.up, theme.good), (last, "✗", &self.down, theme.bad)]
        {
            let total: usize = counts.iter().sum();
            let text = format!("{sign} {}", grouped(total as u64));
            let wide = (width(&text) as u16).min(area.width);
            let corner = Rect { y: row, width: wide, height: 1, ..area };
            let right = Rect { x: area.right() - wide, ..corner };
            let is_free = |area: &Rect| area.positions().all(|at| buffer[at].symbol() == " ");
            if let Some(free) = [corner, right].into_iter().find(is_free) {
                put(buffer, free, Line::styled(text, style));
            }
        }
    }
}

/// A bar up or down from the line between two rows.
struct Bar {
    /// The first row below that line.
    base: u16,
    /// Its height, in halves of a row. What is not 0 is seen.
    halves: f64,
    up: bool,
    /// The signs of a whole row and of half a row.
    signs: [&'static str; 2],
    style: Style,
}

impl Bar {
    fn draw(&self, buffer: &mut Buffer, strip: Rect) {
        let halves = if self.halves > 0.0 { self.halves.round().max(1.0) as u16 } else { 0 };
        for step in 0..halves.div_ceil(2) {
            let row =
                if self.up { self.base.checked_sub(step + 1) } else { Some(self.base + step) };
            let is_whole = step * 2 + 1 < halves;
            let symbol = self.signs[usize::from(!is_whole)];
            if let Some(row) = row.filter(|row| (strip.top()..strip.bottom()).contains(row)) {
                buffer[(strip.x, row)].set_symbol(symbol).set_style(self.style);
            }
        }
    }
}
