//! The aligned rows of the panes.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::{marks, put};
use super::{head, vertical};
use crate::app::{App, Block, Comparison, Hit, Ink, Layout};
use crate::compare::{Contrast, Loop, Row, RowKind, Step, TurnView, before};
use crate::model::Trajectory;
use crate::text::{counted, visible};
use crate::theme::Theme;
use crate::widgets::{bar, fit, two, width};

/// From this width on a pane shows bars, below it glyphs.
const WITH_BARS: u16 = 56;

/// From this width on it shows rank and weight of turns.
const WITH_RANKS: u16 = 40;

/// A pane with all that its rows need.
struct Pane<'a> {
    app: &'a App,
    own: &'a Comparison,
    pane: usize,
    views: Vec<TurnView>,
    heights: Vec<f64>,
    /// The first row in which the runs part.
    first_part: Option<usize>,
    /// Calls that are made again and again, by pane.
    loops: Arc<Vec<Vec<Loop>>>,
    /// Columns of the narrowest pane: all show the same.
    wide: u16,
}

pub(super) fn draw(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    own: &Comparison,
    panes: &[usize],
    layout: &mut Layout,
) {
    let count = panes.len() as u16;
    let wide = area.width.saturating_sub(count - 1) / count;
    let areas: Vec<Rect> = (0..count)
        .map(|place| {
            let x = area.x + place * (wide + 1);
            let width = if place + 1 == count { area.right() - x } else { wide };
            Rect { x, width, ..area }
        })
        .collect();
    let widths: Vec<(usize, usize)> =
        panes.iter().zip(&areas).map(|(pane, area)| (*pane, usize::from(area.width))).collect();
    let blocks = app.blocks(own, &widths);
    let first_part = own.sheet.rows.iter().position(Row::parts);
    layout.scrolls = vec![(0, 0); own.opened.len()];
    let body = Rect {
        y: area.y + head::LINES + 1,
        height: area.height.saturating_sub(head::LINES + 1),
        ..area
    };
    for (place, (&pane, area)) in panes.iter().zip(&areas).enumerate() {
        let views = app.turn_views(own.run(pane));
        let top = Rect { height: head::LINES.min(area.height), ..*area };
        head::draw(buffer, top, app, own, pane, &views);
        let heights = marks::heights(&views);
        let loops = app.loops(own);
        let drawn = Pane { app, own, pane, views, heights, first_part, loops, wide };
        let free = !app.compare.free.is_empty();
        let lines = if free {
            own_lines(own, pane, &blocks.panes[place])
        } else {
            shared_lines(&blocks.panes)
        };
        let own_body = Rect { x: area.x, width: area.width, ..body };
        drawn.draw(buffer, own_body, &lines, &blocks.panes[place], layout);
        if place > 0 {
            vertical(buffer, Rect { x: area.x - 1, width: 1, ..*area }, app);
        }
    }
    if !app.compare.free.is_empty() {
        return rule(buffer, area, app, " unlocked: b locks ");
    }
    let hidden = own.opened.len() - panes.len();
    let text = if hidden > 0 {
        format!(" {} more: Tab ", counted(hidden as u64, "pane"))
    } else {
        String::new()
    };
    rule(buffer, area, app, &text);
    layout.scrolls.iter_mut().for_each(|own| {
        if *own == (0, 0) {
            *own = (layout.scroll, layout.hidden);
        }
    });
}

fn rule(buffer: &mut Buffer, area: Rect, app: &App, text: &str) {
    let line =
        Rect { y: area.y + head::LINES.min(area.height.saturating_sub(1)), height: 1, ..area };
    put(buffer, line, Line::styled("─".repeat(usize::from(area.width)), app.theme.rule));
    let size = (width(text) as u16).min(area.width);
    let place = Rect { x: area.right() - size, width: size, ..line };
    put(buffer, place, Line::styled(text.to_owned(), app.theme.warn));
}

/// For every row the line at which it begins, and the number of all lines; rows that a pane does not
/// show have no line.
type Starts = Vec<usize>;

/// All panes beside each other: a row is as high as its highest block.
fn shared_lines(panes: &[Vec<Block>]) -> Starts {
    let rows = panes.first().map_or(0, Vec::len);
    sums((0..rows).map(|row| panes.iter().map(|pane| pane[row].len()).max().unwrap_or(0) + 1))
}

/// One pane on its own: no gaps.
fn own_lines(own: &Comparison, pane: usize, blocks: &[Block]) -> Starts {
    sums(blocks.iter().enumerate().map(|(row, block)| {
        let gap =
            own.sheet.rows[row].kind == RowKind::Action && own.sheet.step(row, pane).is_none();
        if gap { 0 } else { block.len() + 1 }
    }))
}

fn sums(heights: impl Iterator<Item = usize>) -> Starts {
    let mut start = 0;
    let mut starts = vec![0];
    starts.extend(heights.map(|height| {
        start += height;
        start
    }));
    starts
}

impl Pane<'_> {
    fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        starts: &Starts,
        blocks: &[Block],
        layout: &mut Layout,
    ) {
        let room = usize::from(area.height);
        let all = starts.last().copied().unwrap_or(0);
        let hidden = all.saturating_sub(room);
        let row = self.app.row_in(&self.own.sheet, self.pane);
        let offset = self.offset(starts, row, room).min(hidden);
        for (line, place) in (offset..all).zip(area.rows()) {
            // The last row that begins at this line or above, and is not empty.
            let row = starts.partition_point(|start| *start <= line) - 1;
            layout.hit(place, Hit::Row(self.pane, row));
            match line - starts[row] {
                0 => self.head(buffer, place, row),
                body => {
                    if let Some(line) = blocks[row].get(body - 1) {
                        put(buffer, place, self.text(line));
                    }
                }
            }
        }
        layout.scrolls[self.pane] = (offset, hidden);
        (layout.page, layout.scroll, layout.hidden) = (room, offset, hidden);
    }

    /// The first line: as it was scrolled, else as before as far as the selected row is in sight.
    fn offset(&self, starts: &Starts, row: usize, room: usize) -> usize {
        let scroll =
            self.app.compare.free.get(self.pane).map_or(self.app.compare.scroll, |own| own.scroll);
        if let Some(scroll) = scroll {
            return scroll;
        }
        let before = self.app.layout.scrolls.get(self.pane).map_or(0, |own| own.0);
        let (start, end) = (starts[row], starts[row + 1]);
        // Of a row higher than the screen its beginning is shown.
        let end = end.min(start + room);
        if start < before {
            start.saturating_sub(if row == 0 { start } else { 1 })
        } else if end > before + room {
            end - room
        } else {
            before
        }
    }

    fn text<'l>(&self, line: &'l [(String, Ink)]) -> Line<'l> {
        let theme = &self.app.theme;
        let span = |(text, ink): &'l (String, Ink)| Span::styled(text.as_str(), style(theme, *ink));
        Line::from(line.iter().map(span).collect::<Vec<_>>())
    }

    fn head(&self, buffer: &mut Buffer, area: Rect, row: usize) {
        let theme = &self.app.theme;
        let selected = row == self.app.row_in(&self.own.sheet, self.pane);
        let focused = selected && self.pane == self.app.compare.focus;
        if selected {
            buffer.set_style(area, if focused { theme.selected_row } else { theme.title_bar });
        }
        let mark = if focused { "▸" } else { " " };
        let run = self.own.run(self.pane);
        let line = match (self.own.sheet.rows[row].kind, self.own.sheet.step(row, self.pane)) {
            (RowKind::Before, _) => {
                let count = before(run).len() as u64;
                let text =
                    format!("{mark}    before the first turn: {}", counted(count, "message"));
                Line::styled(text, theme.dim)
            }
            (RowKind::End, _) => ending(run, mark, theme, self.app.is_blind()),
            (RowKind::Action, None) => Line::styled(format!("{mark}   · ·"), theme.dim),
            (RowKind::Action, Some(step)) => {
                let right = self.right(step, self.wide);
                let size = right.width() as u16;
                let place = Rect {
                    x: area.right().saturating_sub(size),
                    width: size.min(area.width),
                    ..area
                };
                put(buffer, place, right);
                let left = Rect { width: area.width.saturating_sub(size), ..area };
                return put(buffer, left, self.left(row, step, mark, self.wide));
            }
        };
        put(buffer, area, line);
    }

    /// Turn, confidence, action and what is to be said of it.
    fn left<'l>(&self, row: usize, step: &Step, mark: &str, wide: u16) -> Line<'l> {
        let theme = &self.app.theme;
        let run = self.own.run(self.pane);
        let view = &self.views[step.turn];
        let part = if self.first_part == Some(row) { "◆" } else { " " };
        let mut spans =
            vec![Span::styled(mark.to_owned(), theme.selected), Span::styled(part, theme.warn)];
        if step.is_first() {
            spans.push(Span::styled(format!("{:>3} ", step.turn + 1), theme.title));
            spans.push(confidence(theme, view, self.heights[step.turn], wide));
        } else {
            let space = if wide >= WITH_BARS { 10 } else { 7 };
            spans.push(Span::styled(format!("  └ {}", " ".repeat(space)), theme.dim));
        }
        let room = usize::from(wide / 2).max(12);
        spans.push(Span::styled(fit(&visible(step.kind(run)), room), theme.title));
        if view.weakest && step.is_first() {
            spans.push(Span::styled(" ◂ weakest", theme.warn));
        }
        if step.failed(run) {
            spans.push(Span::styled(" ! failed", theme.error));
        }
        if let Some(own) = self.loops[self.pane].iter().find(|own| {
            step.call.is_some() && (own.first_turn..=own.last_turn).contains(&step.turn)
        }) {
            let first = own.first_turn == step.turn && step.is_first();
            let text = if first {
                format!(" ↻ ×{} to turn {}", own.times, own.last_turn + 1)
            } else {
                " ↻".to_owned()
            };
            spans.push(Span::styled(text, theme.warn));
        }
        let (words, style) = contrast(self.contrast(row), theme);
        spans.push(Span::styled(fit(&visible(&words), room), style));
        Line::from(spans)
    }

    /// How the action stands to its counterpart.
    fn contrast(&self, row: usize) -> Contrast {
        let sheet = &self.own.sheet;
        match (self.pane, self.app.counterpart(self.pane)) {
            (_, None) => Contrast::None,
            (0, Some(other)) => match sheet.contrast(row, other) {
                // Seen from the first pane.
                Contrast::Missing => Contrast::OnlyHere,
                other => other.clone(),
            },
            (pane, Some(_)) => sheet.contrast(row, pane).clone(),
        }
    }

    /// Rank within the run, and weight.
    fn right<'l>(&self, step: &Step, wide: u16) -> Line<'l> {
        let theme = &self.app.theme;
        let view = &self.views[step.turn];
        let noted = self.app.compare.keys.get(self.pane).is_some_and(|key| {
            let notes = self.app.notes_of(key.id).iter();
            notes
                .filter(|own| own.draw == Some(key.draw))
                .any(|own| own.turn == Some(step.turn as u32))
        });
        let mut spans = Vec::new();
        if noted && step.is_first() {
            spans.push(Span::styled(" ✎", theme.warn));
        }
        if let (Some(rank), true) = (view.rank, step.is_first() && wide >= WITH_RANKS) {
            let scored = self.views.iter().filter(|own| own.rank.is_some()).count();
            spans.push(Span::styled(format!(" {rank}/{scored}"), theme.dim));
            if let (Some(weight), true) = (view.weight, self.app.lens.scorer.base().is_some()) {
                spans.push(Span::styled(format!(" w{}", two(weight)), theme.dim));
            }
        }
        Line::from(spans)
    }
}

fn confidence<'a>(theme: &Theme, view: &TurnView, height: f64, wide: u16) -> Span<'a> {
    let bars = wide >= WITH_BARS;
    match view.confidence {
        Some(value) => {
            let shape = if bars { bar(height, 4) } else { theme.glyph(height).to_string() };
            Span::styled(format!("{shape} {:>4} ", two(value)), theme.confidence(value))
        }
        None if bars => Span::styled("        – ", theme.dim),
        None => Span::styled("     – ", theme.dim),
    }
}

fn contrast(own: Contrast, theme: &Theme) -> (String, Style) {
    match own {
        Contrast::None | Contrast::Same | Contrast::Missing => (String::new(), theme.dim),
        Contrast::Arguments(keys) if keys.iter().all(String::is_empty) => {
            (" ≠ arguments".to_owned(), theme.warn)
        }
        Contrast::Arguments(keys) => (format!(" ≠ {}", keys.join(", ")), theme.warn),
        Contrast::Other => (" ≠ other action".to_owned(), theme.warn),
        Contrast::OnlyHere => (" only here".to_owned(), theme.accent),
    }
}

/// How a run ended; how it was graded is left out for who is to judge it.
fn ending<'a>(run: &Trajectory, mark: &str, theme: &Theme, blind: bool) -> Line<'a> {
    let ended = run
        .head
        .termination
        .as_deref()
        .map_or("ended".to_owned(), |own| format!("ended {}", visible(own)));
    let reward =
        run.head.outcome.reward.map_or(String::new(), |own| format!(" · reward {}", two(own)));
    let bad = crate::compare::ended_badly(run);
    let style = if bad { theme.error } else { theme.dim };
    if blind {
        return Line::styled(format!("{mark}   ■ {ended}"), style);
    }
    Line::from(vec![
        Span::styled(format!("{mark}   ■ {ended}{reward} "), style),
        marks::outcome(run.head.outcome.success, theme),
    ])
}

fn style(theme: &Theme, ink: Ink) -> Style {
    match ink {
        Ink::Agent => theme.agent,
        Ink::Call => theme.accent,
        Ink::Removed => theme.bad,
        Ink::Added => theme.good,
        Ink::Result => theme.tool,
        Ink::Error => theme.error,
        Ink::User => theme.user,
        Ink::Dim => theme.dim,
        Ink::Note => theme.warn,
    }
}
