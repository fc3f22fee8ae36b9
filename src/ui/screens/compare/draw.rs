//! Draws the runs and, where there is room or it is asked for, what the agent did not see.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::Line;

use super::Compare;
use crate::compare::MOST_PANES;
use crate::text::readable;
use crate::ui::hits::Hits;
use crate::ui::panel::{self, Section, Spot};
use crate::ui::shared::Shared;
use crate::ui::theme::Theme;
use crate::ui::widgets::{paragraph, put, vertical_rule, wrap_some};

/// From this width on the side pane is there without being asked for.
const WITH_SIDE: u16 = 150;

/// From this width on several runs fit beside the side pane.
const WIDE: u16 = 100;

/// What drawing found out.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Of the runs.
    pub panel: panel::Layout,
    /// The side pane is there.
    pub side: bool,
}

pub(super) fn draw(
    compare: &Compare,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let panel = &compare.panel;
    let comparison = match panel.ready(shared) {
        Ok(comparison) => comparison,
        Err((text, style)) => {
            paragraph(buffer, area, &text, style);
            return Layout::default();
        }
    };
    let side = compare.side.unwrap_or(area.width >= WITH_SIDE);
    if !side {
        let panel = panel.draw(&comparison, MOST_PANES, shared, buffer, area, hits);
        return Layout { panel, side };
    }
    let alone = area.width < WIDE;
    let wide = if alone { area.width / 2 } else { (area.width / 3).clamp(34, 52) };
    let [main, gap, beside] =
        Split::horizontal([Constraint::Min(1), Constraint::Length(1), Constraint::Length(wide)])
            .areas(area);
    vertical_rule(buffer, gap, shared.theme.rule);
    draw_side(&panel.side(&comparison, shared), &shared.theme, buffer, beside);
    let most = if alone { 1 } else { MOST_PANES };
    let panel = panel.draw(&comparison, most, shared, buffer, main, hits);
    Layout { panel, side }
}

/// The lines of a section, and whether there are more than so many.
fn wrapped(section: &Section, room: usize, most: usize) -> (Vec<String>, bool) {
    let Some(each) = section.most else {
        return wrap_some(&readable(&section.lines.join("\n")), room, most);
    };
    let mut all = Vec::new();
    for line in &section.lines {
        // What follows a mark or an indented note is indented likewise.
        let indent = if line.starts_with([' ', '✓', '✗', '·']) { "  " } else { "" };
        let (lines, more) = wrap_some(
            &readable(line.trim_start()),
            room.saturating_sub(indent.len() + 1).max(1),
            each,
        );
        let last = lines.len().saturating_sub(1);
        let is_note = line.starts_with(' ');
        all.extend(lines.into_iter().enumerate().map(|(index, line)| {
            let margin = if index > 0 || is_note { indent } else { "" };
            let end = if more && index == last { "…" } else { "" };
            format!("{margin}{line}{end}")
        }));
    }
    let more = all.len() > most;
    all.truncate(most);
    (all, more)
}

/// What the agent did not see.
fn draw_side(sections: &[Section], theme: &Theme, buffer: &mut Buffer, area: Rect) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let room = usize::from(inner.width);
    let height = usize::from(inner.height);
    let mut lines = vec![Line::styled("hidden from the agent", theme.notice)];
    // The first is the longest: it leaves room for the others.
    let others: usize = sections.iter().skip(1).map(|section| section.lines.len() + 2).sum();
    let first = height.saturating_sub(others + 3).max(4);
    for (index, section) in sections.iter().enumerate() {
        lines.push(Line::default());
        let (title, _) = wrap_some(&readable(&section.title), room, 2);
        lines.extend(title.into_iter().map(|line| Line::styled(line, theme.header)));
        let most = if index == 0 { first } else { height };
        let (wrapped, more) = wrapped(section, room, most);
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
