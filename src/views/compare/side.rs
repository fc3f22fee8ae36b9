//! What the agent did not see.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::super::put;
use crate::app::{App, Comparison};
use crate::text::readable;
use crate::widgets::wrap_some;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, own: &Comparison) {
    let theme = &app.theme;
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let room = usize::from(inner.width);
    let height = usize::from(inner.height);
    let mut lines = vec![Line::styled("hidden from the agent", theme.notice)];
    let sections = app.side(own);
    // The first is the longest: it leaves room for the others.
    let others: usize = sections.iter().skip(1).map(|own| own.lines.len() + 2).sum();
    let most = height.saturating_sub(others + 3).max(4);
    for (place, section) in sections.iter().enumerate() {
        lines.push(Line::default());
        let (title, _) = wrap_some(&readable(&section.title), room, 2);
        lines.extend(title.into_iter().map(|line| Line::styled(line, theme.header)));
        let text = section.lines.join("\n");
        let most = if place == 0 { most } else { height };
        let (wrapped, more) = wrap_some(&readable(&text), room, most);
        lines.extend(wrapped.into_iter().map(|line| Line::styled(line, theme.text)));
        if more {
            lines.push(Line::styled("… I reads all", theme.dim));
        }
    }
    if lines.len() > height {
        lines.truncate(height.saturating_sub(1));
        lines.push(Line::styled("… I reads all", theme.dim));
    }
    for (line, row) in lines.into_iter().zip(inner.rows()) {
        put(buffer, row, line);
    }
}
