//! A line in which something is typed, with what fits above it and what is wrong below it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget as _};

use super::put;
use crate::app::{App, Ask, Hit, Layout, Prompt};
use crate::text::visible;
use crate::widgets::{fit, padded, width};

/// Completions that are shown.
const MOST: usize = 8;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, own: &Prompt, layout: &mut Layout) {
    let theme = &app.theme;
    let marked = own.marked.unwrap_or(0);
    let first = marked.saturating_sub(MOST - 1);
    let shown: Vec<_> = own.completions.iter().enumerate().skip(first).take(MOST).collect();
    let height = shown.len() as u16 + 2;
    let place = Rect { y: area.bottom().saturating_sub(height), height, ..area };
    Clear.render(place, buffer);
    buffer.set_style(place, theme.overlay);
    layout.hit(area, Hit::Nothing);
    for ((at, completion), line) in shown.into_iter().zip(place.rows()) {
        let name = padded(&fit(&visible(&completion.name), 28), 28);
        let (mark, style) =
            if own.marked == Some(at) { ("▸", theme.selected) } else { (" ", theme.text) };
        let spans = vec![
            Span::styled(format!("   {mark} {name} "), style),
            Span::styled(completion.hint, theme.dim),
        ];
        put(buffer, line, Line::from(spans));
    }
    let line = Rect { y: place.bottom() - 2, height: 1, ..place };
    let sign = match own.ask {
        Ask::Search => " / ",
        Ask::Filter => " & ",
        Ask::Export => " write to ",
    };
    put(buffer, line, Line::styled(sign, theme.key));
    let indent = width(sign) as u16;
    let rest = Rect { x: line.x + indent, width: line.width.saturating_sub(indent), ..line };
    own.widget().render(rest, buffer);
    let below = Rect { y: place.bottom() - 1, height: 1, ..place };
    match &own.error {
        Some(error) => {
            let text = own.text();
            let before = width(text.get(..error.at.start).unwrap_or(&text));
            let size = width(text.get(error.at.clone()).unwrap_or_default()).max(1);
            let space = " ".repeat(usize::from(indent) + before);
            let message = format!("{space}{} {}", "^".repeat(size), visible(&error.message));
            let message = if width(&message) > usize::from(below.width) {
                // Under the caret if there is room, else from the left.
                format!(" {}", visible(&error.message))
            } else {
                message
            };
            put(buffer, below, Line::styled(fit(&message, usize::from(below.width)), theme.error));
        }
        None => put(buffer, below, Line::styled(format!("   {}", hint(own.ask)), theme.dim)),
    }
}

fn hint(ask: Ask) -> &'static str {
    match ask {
        Ask::Search => "⏎ keep  Esc forget  then n/N next and previous hit",
        Ask::Filter => "⏎ apply  Tab complete  Esc leave  empty lifts the filter",
        Ask::Export => "⏎ write  .svg .ansi .txt for a picture, .csv .json .md .tex for the table",
    }
}
