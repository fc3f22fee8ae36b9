//! The keys, from the table that dispatches them.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use crate::app::keymap;
use crate::theme::Theme;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let lines: Vec<Line<'_>> = keymap::BINDINGS
        .iter()
        .map(|binding| {
            Line::from(vec![
                Span::styled(format!(" {:>12}  ", binding.shown), theme.key),
                Span::raw(binding.description),
            ])
        })
        .collect();
    let (width, height) = (58.min(area.width), (lines.len() as u16 + 2).min(area.height));
    let area = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" Keys ")), area);
}
