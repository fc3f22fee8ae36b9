//! The rows of a pane, and which of them are visible.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Scene, Spot, call_name};
use crate::compare::{Loop, RowKind, TurnView};
use crate::ui::hits::Hits;
use crate::ui::marks;
use crate::ui::panel::blocks::{Block, Blocks, Ink};
use crate::ui::panel::search::{LineMark, marks};
use crate::ui::panel::{Comparison, Sight};
use crate::ui::theme::Theme;
use crate::ui::widgets::put;

/// A pane with all that its rows need.
pub(super) struct Pane<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) pane: usize,
    pub(super) views: Vec<TurnView>,
    pub(super) heights: Vec<f64>,
    /// The first row in which the runs diverge.
    pub(super) diverges: Option<usize>,
    /// Calls that are made again and again, by pane.
    pub(super) loops: Arc<Vec<Vec<Loop>>>,
    /// Columns of the narrowest pane: all show the same.
    pub(super) narrowest: u16,
    /// The line of the selected hit within its row.
    pub(super) hit_line: Option<usize>,
}

impl<'a> Pane<'a> {
    pub(super) fn new(
        scene: Scene<'a>,
        pane: usize,
        diverges: Option<usize>,
        narrowest: u16,
    ) -> Self {
        let views = scene.shared.turn_views(scene.comparison.run(pane));
        let heights = marks::heights(&views);
        let loops = scene.panel.loops(scene.comparison);
        Self { scene, pane, views, heights, diverges, loops, narrowest, hit_line: None }
    }

    /// Draws the rows, whose blocks stand at an index; returns the first line on screen and how far
    /// it could be scrolled.
    pub(super) fn draw(
        &self,
        blocks: &Blocks,
        index: usize,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) -> (usize, usize) {
        let theme = &self.scene.shared.theme;
        let shown = &blocks.panes[index];
        let starts = if self.scene.panel.free.is_empty() {
            aligned_starts(&blocks.panes)
        } else {
            starts_without_gaps(self.scene.comparison, self.pane, shown)
        };
        let room = usize::from(area.height);
        let all = starts.last().copied().unwrap_or(0);
        let hidden = all.saturating_sub(room);
        let offset = self.offset(&starts, room).min(hidden);
        let mut found = Found::default();
        for (line, area) in (offset..all).zip(area.rows()) {
            // The last row that begins at this line or above, and is not empty.
            let row = starts.partition_point(|start| *start <= line) - 1;
            hits.spot(area, Spot::Row(self.pane, row));
            match line - starts[row] {
                0 => self.draw_head(row, buffer, area),
                below => {
                    if let Some(line) = shown[row].get(below - 1) {
                        let marks = self.marks(&mut found, row, &shown[row]);
                        let marks = marks.iter().filter(|mark| mark.line == below);
                        put(buffer, area, inked(line, marks, self.selected_hit(row), theme));
                    }
                }
            }
        }
        (offset, hidden)
    }

    /// The first line: as it was scrolled, else as before as far as the selected row is in sight.
    fn offset(&self, starts: &[usize], room: usize) -> usize {
        let panel = self.scene.panel;
        let scroll = panel.free.get(self.pane).map_or(panel.scroll, |cursor| cursor.scroll);
        if let Some(scroll) = scroll {
            return scroll;
        }
        let row = panel.row_in(&self.scene.comparison.sheet, self.pane);
        let before = panel.scrolls.get(self.pane).map_or(0, |scroll| scroll.0);
        let (start, end) = (starts[row], starts[row + 1]);
        let sight = if panel.free.is_empty() || self.pane == panel.focus {
            panel.sight
        } else {
            Sight::Row
        };
        match (sight, self.hit_line.map(|line| start + line)) {
            (Sight::Third, _) => return start.saturating_sub(room / 3),
            (Sight::Hit, Some(line)) if (before..before + room).contains(&line) => return before,
            (Sight::Hit, Some(line)) => return line.saturating_sub(room / 3),
            _ => {}
        }
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

    /// Where the searched words stand in a row. The marks of the row before are kept: its lines follow.
    fn marks<'f>(&self, found: &'f mut Found, row: usize, block: &Block) -> &'f [LineMark] {
        let Scene { panel, comparison, .. } = self.scene;
        if !panel.search.trim().is_empty() && found.row != Some(row) {
            let name = call_name(comparison, row, self.pane);
            *found = Found { row: Some(row), marks: marks(name, block, &panel.search) };
        }
        &found.marks
    }

    /// Which hit of a row is the selected one.
    fn selected_hit(&self, row: usize) -> Option<usize> {
        let hit = self.scene.panel.hit.filter(|hit| (hit.row, hit.pane) == (row, self.pane));
        hit.map(|hit| hit.nth)
    }
}

/// The marks of the row that was searched last.
#[derive(Default)]
struct Found {
    row: Option<usize>,
    marks: Vec<LineMark>,
}

/// For every row the line at which it begins, and the number of all lines, where panes are aligned:
/// a row is as high as its highest block.
fn aligned_starts(panes: &[Vec<Block>]) -> Vec<usize> {
    let rows = panes.first().map_or(0, Vec::len);
    sums((0..rows).map(|row| panes.iter().map(|pane| pane[row].len()).max().unwrap_or(0) + 1))
}

/// The same of one pane on its own, where rows without an action take no line.
fn starts_without_gaps(comparison: &Comparison, pane: usize, blocks: &[Block]) -> Vec<usize> {
    let sheet = &comparison.sheet;
    sums(blocks.iter().enumerate().map(|(row, block)| {
        let gap = sheet.rows[row].kind == RowKind::Action && sheet.step(row, pane).is_none();
        if gap { 0 } else { block.len() + 1 }
    }))
}

fn sums(heights: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut start = 0;
    let mut starts = vec![0];
    starts.extend(heights.map(|height| {
        start += height;
        start
    }));
    starts
}

/// A line with the searched words in it marked.
fn inked<'l, 'm>(
    line: &'l [(String, Ink)],
    marks: impl Iterator<Item = &'m LineMark>,
    selected: Option<usize>,
    theme: &Theme,
) -> Line<'l> {
    let marks: Vec<&LineMark> = marks.collect();
    let mut spans = Vec::new();
    let mut start = 0;
    for (text, ink) in line {
        let base = style(*ink, theme);
        let mut from = 0;
        for mark in &marks {
            let begin = mark.bytes.start.saturating_sub(start).clamp(from, text.len());
            let end = mark.bytes.end.saturating_sub(start).clamp(begin, text.len());
            if begin < end {
                spans.push(Span::styled(&text[from..begin], base));
                let style = if selected == Some(mark.nth) { theme.cursor } else { theme.match_ };
                spans.push(Span::styled(&text[begin..end], style));
                from = end;
            }
        }
        spans.push(Span::styled(&text[from..], base));
        start += text.len();
    }
    Line::from(spans)
}

fn style(ink: Ink, theme: &Theme) -> Style {
    match ink {
        Ink::Agent => theme.agent,
        Ink::Call => theme.accent,
        Ink::Removed => theme.bad,
        Ink::Added => theme.good,
        Ink::Result => theme.tool,
        Ink::Error => theme.error,
        Ink::User => theme.user,
        Ink::Dim | Ink::Aside => theme.dim,
        Ink::Note => theme.warn,
    }
}
