//! Lines, rules and paragraphs on a buffer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::{width, wrap};

/// Draws a line at the top of an area; what does not fit is cut with a mark.
pub fn put<'a>(buffer: &mut Buffer, area: Rect, line: impl Into<Line<'a>>) {
    if area.height == 0 || area.width == 0 {
        return;
    }
    let line = line.into();
    buffer.set_line(area.x, area.y, &line, area.width);
    if line.width() > usize::from(area.width) {
        buffer[(area.right() - 1, area.y)].set_symbol("…");
    }
}

/// Draws a line across.
pub fn rule(buffer: &mut Buffer, area: Rect, style: Style) {
    put(buffer, area, Line::styled("─".repeat(usize::from(area.width)), style));
}

/// Draws a line down.
pub fn vertical_rule(buffer: &mut Buffer, area: Rect, style: Style) {
    for row in area.rows() {
        put(buffer, row, Line::styled("│", style));
    }
}

/// Draws a line across with a title in it; returns where the title stands.
pub fn titled_rule(
    buffer: &mut Buffer,
    area: Rect,
    style: Style,
    title: &str,
    title_style: Style,
) -> Rect {
    rule(buffer, area, style);
    let wide = (width(title) as u16).min(area.width.saturating_sub(1));
    let titled = Rect { x: area.x + 1, width: wide, ..area };
    buffer.set_style(titled, Style::reset());
    put(buffer, titled, Line::styled(title, title_style));
    titled
}

/// Draws a text that says something, with a margin.
pub fn paragraph(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let inner = Rect {
        x: area.x + 2,
        y: area.y + 1.min(area.height),
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(1),
    };
    let lines = wrap(text, usize::from(inner.width));
    for (line, row) in lines.into_iter().zip(inner.rows()) {
        put(buffer, row, Line::styled(line, style));
    }
}

/// Draws a sentence on the first lines of an area; returns what is left below it.
pub fn sentence_above(buffer: &mut Buffer, area: Rect, text: Option<&str>, style: Style) -> Rect {
    let lines =
        text.map_or(Vec::new(), |text| wrap(text, usize::from(area.width).saturating_sub(2)));
    let high = (lines.len() as u16).min(area.height / 3);
    for (line, row) in lines.into_iter().zip(area.rows().take(usize::from(high))) {
        put(buffer, row, Line::styled(format!(" {line}"), style));
    }
    Rect { y: area.y + high, height: area.height - high, ..area }
}
