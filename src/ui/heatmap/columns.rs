//! The columns of a heatmap that fit on screen, and their heads.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::Heatmap;
use crate::model::Cell;
use crate::report::Show;
use crate::text::visible;
use crate::ui::hits::scrolled;
use crate::ui::theme::Depth;
use crate::ui::widgets::{padded, put, short_names, width};

/// The columns of a heatmap that are on screen.
#[derive(Debug)]
pub(in crate::ui) struct Columns {
    /// The cells from left to right.
    pub cells: Vec<usize>,
    /// How many columns are hidden to the left.
    pub offset: usize,
    /// How many columns there are.
    all: usize,
    width: u16,
    /// Where the first column begins.
    x: u16,
}

impl Columns {
    /// The columns that fit beside labels of some width, with the selected one in sight.
    pub fn new(
        heatmap: &Heatmap<'_>,
        area: Rect,
        label: u16,
        all: &[usize],
        offset: usize,
    ) -> Self {
        let room = area.width.saturating_sub(label);
        let (least, most) = widths(heatmap);
        let count = (all.len() as u16).max(1);
        // Where all columns fit, the room that is left over makes them wider.
        let width = (room / count).clamp(least, most);
        let fitting = usize::from(room / width).max(1);
        let selected = all.iter().position(|cell| *cell == heatmap.shared.cell).unwrap_or(0);
        let offset = scrolled(offset, selected, fitting, all.len());
        let cells = all.iter().copied().skip(offset).take(fitting).collect();
        Self { cells, offset, all: all.len(), width, x: area.x + label }
    }

    /// Where a column crosses a line or a block of lines.
    pub fn area(&self, index: usize, lines: Rect) -> Rect {
        let x = self.x + index as u16 * self.width;
        Rect { x, width: self.width.min(lines.right().saturating_sub(x)), ..lines }
    }

    /// The cells with where their columns cross some lines.
    pub fn areas(&self, lines: Rect) -> impl Iterator<Item = (usize, Rect)> {
        self.cells.iter().enumerate().map(move |(index, &cell)| (cell, self.area(index, lines)))
    }
}

/// The widest column, however long a name is.
const WIDEST: u16 = 28;

/// The narrowest and widest column for what is shown.
fn widths(heatmap: &Heatmap<'_>) -> (u16, u16) {
    let glyph = u16::from(heatmap.shared.theme.depth() == Depth::None);
    let sign = u16::from(heatmap.pinned.is_some());
    let cells = heatmap.shared.cells.iter();
    let names = cells.flat_map(|cell| [&cell.model, &cell.condition]);
    let longest = names.map(|name| width(&visible(name)).min(60) as u16 + 2).max().unwrap_or(0);
    let most = longest.clamp(16, WIDEST);
    match heatmap.shared.lens.show {
        Show::Value | Show::Rank => (6 + glyph + sign, most),
        Show::HalfRange => (10 + glyph + sign, most),
        Show::Interval => (11 + glyph + sign, most),
        Show::Swatch => (3 + glyph, 6),
    }
}

impl Heatmap<'_> {
    /// How many lines the heads take: datasets, models and, where there are any, conditions.
    pub fn head_lines(&self) -> u16 {
        let named = |cell: &Cell| cell.condition != Cell::DEFAULT_CONDITION;
        2 + u16::from(self.shared.cells.iter().any(named))
    }

    /// Draws the names of the cells over their columns.
    pub fn draw_heads(&self, buffer: &mut Buffer, area: Rect, columns: &Columns) {
        let (theme, cells) = (&self.shared.theme, &self.shared.cells);
        self.draw_datasets(buffer, area, columns);
        let room = usize::from(columns.width).saturating_sub(1);
        let names = |name: fn(&Cell) -> &String| -> Vec<String> {
            let all: Vec<String> =
                cells.iter().map(|cell| visible(name(cell)).into_owned()).collect();
            short_names(&all, room)
        };
        let (models, mut conditions) = (names(|cell| &cell.model), names(|cell| &cell.condition));
        // That a condition is not stated says nothing.
        for (name, cell) in conditions.iter_mut().zip(cells) {
            if cell.condition == Cell::DEFAULT_CONDITION {
                name.clear();
            }
        }
        for (cell, head) in columns.areas(area) {
            let style = if cell == self.shared.cell { theme.selected } else { theme.dim };
            let lines = [Some(&models[cell]), (area.height > 2).then(|| &conditions[cell])];
            for (name, line) in lines.into_iter().flatten().zip(1..) {
                let line = Rect { y: head.y + line, height: 1, ..head };
                put(buffer, line, Line::styled(format!(" {}", padded(name, room)), style));
            }
        }
        self.draw_arrows(buffer, area, columns);
    }

    /// Draws the name of each dataset over the columns of its cells.
    fn draw_datasets(&self, buffer: &mut Buffer, area: Rect, columns: &Columns) {
        let cells = &self.shared.cells;
        let names: Vec<_> = cells.iter().map(|cell| visible(&cell.dataset)).collect();
        let mut first = 0;
        let datasets = columns.cells.chunk_by(|&a, &b| cells[a].dataset == cells[b].dataset);
        for dataset in datasets {
            let last = first + dataset.len() - 1;
            let left = columns.area(first, area);
            let width = columns.area(last, area).right() - left.x;
            let room = usize::from(width).saturating_sub(1);
            let name = padded(&short_names(&names, room)[dataset[0]], room);
            let line = Rect { width, height: 1, ..left };
            put(buffer, line, Line::styled(format!("│{name}"), self.shared.theme.header));
            first = last + 1;
        }
    }

    /// Says that there are more columns to either side.
    fn draw_arrows(&self, buffer: &mut Buffer, area: Rect, columns: &Columns) {
        let style = self.shared.theme.accent;
        if columns.offset > 0 {
            let left = Rect { x: columns.x.saturating_sub(1), width: 1, ..area };
            put(buffer, left, Line::styled("◂", style));
        }
        if columns.offset + columns.cells.len() < columns.all {
            let right = Rect { x: area.right() - 1, width: 1, ..area };
            put(buffer, right, Line::styled("▸", style));
        }
    }
}
