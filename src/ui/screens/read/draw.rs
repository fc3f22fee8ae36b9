//! Draws one text on the whole screen, with what was found in it marked.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::Read;
use crate::text::{counted, sized, visible};
use crate::ui::shared::Shared;
use crate::ui::theme::Theme;
use crate::ui::widgets::{fit, paragraph, put, rule};

/// What drawing found out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// Lines on screen.
    pub page: usize,
    /// Columns of a line.
    pub room: usize,
}

pub(super) fn draw(read: &Read, shared: &Shared, buffer: &mut Buffer, area: Rect) -> Layout {
    let theme = &shared.theme;
    let Some(page) = read.page() else {
        paragraph(buffer, area, "There is no text to read: Esc goes back.", theme.dim);
        return Layout::default();
    };
    let [head, below, body] =
        Split::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Min(1)])
            .areas(area);
    rule(buffer, below, theme.rule);
    let inner = Rect { x: body.x + 1, width: body.width.saturating_sub(2), ..body };
    let (height, room) = (usize::from(inner.height), usize::from(inner.width));
    let lines = read.lines(room);
    let first = read.first_line(&lines).min(lines.len().saturating_sub(height));
    for (line, row) in lines.iter().skip(first).zip(inner.rows()) {
        put(buffer, row, marked(read, &page.text, line.clone(), theme));
    }
    let shown = format!(
        "{} · {} · lines {}–{}",
        sized(page.text.len()),
        counted(lines.len() as u64, "line"),
        first + 1,
        (first + height).min(lines.len())
    );
    let found = match (read.search.trim(), read.hits.len()) {
        ("", _) => String::new(),
        (_, 0) => "  nothing found".to_owned(),
        (_, count) => format!("  hit {} of {count}", read.hit + 1),
    };
    let title = fit(&visible(&page.title), usize::from(area.width) / 2);
    let line = Line::from(vec![
        Span::styled(format!(" {title}  "), theme.title),
        Span::styled(shown, theme.dim),
        Span::styled(found, theme.warn),
    ]);
    put(buffer, head, line);
    Layout { page: height, room }
}

/// A line with what was found in it marked.
fn marked<'t>(read: &Read, text: &'t str, line: Range<usize>, theme: &Theme) -> Line<'t> {
    let base = if text[line.clone()].starts_with("── ") { theme.header } else { theme.text };
    let first = read.hits.partition_point(|hit| hit.end <= line.start);
    let mut spans = Vec::new();
    let mut from = line.start;
    for (index, hit) in read.hits.iter().enumerate().skip(first) {
        if hit.start >= line.end {
            break;
        }
        let (start, end) = (hit.start.max(line.start), hit.end.min(line.end));
        spans.push(Span::styled(&text[from..start], base));
        let style = if index == read.hit { theme.cursor } else { theme.match_ };
        spans.push(Span::styled(&text[start..end], style));
        from = end;
    }
    spans.push(Span::styled(&text[from.min(line.end)..line.end], base));
    Line::from(spans)
}
