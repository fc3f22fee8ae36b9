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
use crate::ui::widgets::{fit, paragraph, put, vertical_rule, wrap_some};

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
    let Some(brief) = &section.brief else {
        return wrap_some(&readable(&section.lines.join("\n")), room, most);
    };
    let mut all: Vec<String> =
        brief.iter().flat_map(|(line, rows)| cut(line, room, *rows)).collect();
    let more = all.len() > most;
    all.truncate(most);
    (all, more)
}

/// So many rows of a line. What follows its mark or its indent stays indented.
fn cut(line: &str, room: usize, rows: usize) -> Vec<String> {
    let mark = line.split_inclusive(' ').next().filter(|mark| mark.chars().count() == 2);
    let (mark, text) = match (line.strip_prefix("  "), mark) {
        (Some(text), _) => ("  ", text),
        (None, Some(mark)) => (mark, &line[mark.len()..]),
        (None, None) => ("", line),
    };
    let indent = if mark.is_empty() { "" } else { "  " };
    let (lines, more) = wrap_some(&readable(text), room.saturating_sub(indent.len()).max(1), rows);
    let last = lines.len().saturating_sub(1);
    let row = |(index, line): (usize, String)| {
        let margin = if index == 0 { mark } else { indent };
        let line = if more && index == last {
            // Room for the sign that something is left out.
            format!("{}…", fit(&line, room.saturating_sub(indent.len() + 1)).trim_end_matches('…'))
        } else {
            line
        };
        format!("{margin}{line}")
    };
    lines.into_iter().enumerate().map(row).collect()
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
