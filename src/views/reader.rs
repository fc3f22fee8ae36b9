//! One text on the whole screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::put;
use crate::app::{App, Layout, Reader};
use crate::text::{counted, sized, visible};
use crate::theme::Theme;
use crate::widgets::fit;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let Some(reader) = &app.reader else {
        let text = "Nothing is read: Esc goes back.";
        return super::paragraph(buffer, area, text, app.theme.dim);
    };
    let [head, rule, body] =
        Split::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Min(1)])
            .areas(area);
    put(buffer, rule, Line::styled("─".repeat(usize::from(area.width)), app.theme.rule));
    let inner = Rect { x: body.x + 1, width: body.width.saturating_sub(2), ..body };
    let room = usize::from(inner.width);
    let lines = reader.lines(room);
    let height = usize::from(inner.height);
    let hidden = lines.len().saturating_sub(height);
    let first = reader.first_line(&lines).min(hidden);
    for (range, row) in lines.iter().skip(first).zip(inner.rows()) {
        put(buffer, row, marked(reader, range.clone(), &app.theme));
    }
    let shown = format!(
        "{} · {} · lines {}–{}",
        sized(reader.text.len()),
        counted(lines.len() as u64, "line"),
        first + 1,
        (first + height).min(lines.len())
    );
    let hits = match (reader.search.trim(), reader.hits.len()) {
        ("", _) => String::new(),
        (_, 0) => "  nothing found".to_owned(),
        (_, count) => format!("  hit {} of {count}", reader.hit + 1),
    };
    let title = fit(&visible(&reader.title), usize::from(area.width) / 2);
    put(
        buffer,
        head,
        Line::from(vec![
            Span::styled(format!(" {title}  "), app.theme.title),
            Span::styled(shown, app.theme.dim),
            Span::styled(hits, app.theme.warn),
        ]),
    );
    (layout.page, layout.room) = (height, room);
    (layout.scroll, layout.hidden) = (first, hidden);
}

/// A line with what was found in it marked.
fn marked<'r>(reader: &'r Reader, line: std::ops::Range<usize>, theme: &Theme) -> Line<'r> {
    let text = &reader.text;
    let base = if text[line.clone()].starts_with("── ") { theme.header } else { theme.text };
    let from = reader.hits.partition_point(|hit| hit.end <= line.start);
    let mut spans = Vec::new();
    let mut place = line.start;
    for (number, hit) in reader.hits.iter().enumerate().skip(from) {
        if hit.start >= line.end {
            break;
        }
        let (start, end) = (hit.start.max(line.start), hit.end.min(line.end));
        spans.push(Span::styled(&text[place..start], base));
        let style = if number == reader.hit { theme.cursor } else { theme.match_ };
        spans.push(Span::styled(&text[start..end], style));
        place = end;
    }
    spans.push(Span::styled(&text[place.min(line.end)..line.end], base));
    Line::from(spans)
}
