//! The rows of a pane, and which of them are in sight.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Scene, Spot};
use crate::compare::{Loop, RowKind, TurnView};
use crate::ui::hits::Hits;
use crate::ui::marks;
use crate::ui::panel::Comparison;
use crate::ui::panel::blocks::{Block, Blocks, Ink};
use crate::ui::theme::Theme;
use crate::ui::widgets::put;

/// A pane with all that its rows need.
pub(super) struct Pane<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) pane: usize,
    pub(super) views: Vec<TurnView>,
    pub(super) heights: Vec<f64>,
    /// The first row in which the runs part.
    pub(super) diverges: Option<usize>,
    /// Calls that are made again and again, by pane.
    pub(super) loops: Arc<Vec<Vec<Loop>>>,
    /// Columns of the narrowest pane: all show the same.
    pub(super) narrowest: u16,
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
        Self { scene, pane, views, heights, diverges, loops, narrowest }
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
        for (line, area) in (offset..all).zip(area.rows()) {
            // The last row that begins at this line or above, and is not empty.
            let row = starts.partition_point(|start| *start <= line) - 1;
            hits.spot(area, Spot::Row(self.pane, row));
            match line - starts[row] {
                0 => self.draw_head(row, buffer, area),
                below => {
                    if let Some(line) = shown[row].get(below - 1) {
                        put(buffer, area, inked(line, theme));
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

fn inked<'l>(line: &'l [(String, Ink)], theme: &Theme) -> Line<'l> {
    let span = |(text, ink): &'l (String, Ink)| Span::styled(text.as_str(), style(*ink, theme));
    Line::from(line.iter().map(span).collect::<Vec<_>>())
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
        Ink::Dim => theme.dim,
        Ink::Note => theme.warn,
    }
}
