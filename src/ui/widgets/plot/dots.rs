//! Dots in characters of two by four.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Dots of a character from left to right.
pub const ACROSS: usize = 2;

/// Dots of a character from top to bottom.
pub const DOWN: usize = 4;

/// Dots over an area, each character in one style.
#[derive(Clone, Debug)]
pub struct Dots {
    area: Rect,
    cells: Vec<(u8, Style)>,
}

impl Dots {
    /// No dot yet.
    pub fn new(area: Rect) -> Self {
        let cells = usize::from(area.width) * usize::from(area.height);
        Self { area, cells: vec![(0, Style::new()); cells] }
    }

    /// Dots from left to right and from top to bottom.
    pub fn size(&self) -> (usize, usize) {
        (usize::from(self.area.width) * ACROSS, usize::from(self.area.height) * DOWN)
    }

    /// Sets a dot; its style is that of the whole character from now on.
    pub fn set(&mut self, x: usize, y: usize, style: Style) {
        const BITS: [[u8; DOWN]; ACROSS] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let (across, down) = self.size();
        if x < across && y < down {
            let cell = &mut self.cells[y / DOWN * usize::from(self.area.width) + x / ACROSS];
            *cell = (cell.0 | BITS[x % ACROSS][y % DOWN], style);
        }
    }

    /// Whether a character has a dot.
    pub fn has(&self, column: u16, row: u16) -> bool {
        self.cells[usize::from(row) * usize::from(self.area.width) + usize::from(column)].0 > 0
    }

    /// Draws the characters that have a dot.
    pub fn draw(&self, buffer: &mut Buffer) {
        for (position, (bits, style)) in self.area.positions().zip(&self.cells) {
            if *bits > 0 {
                let symbol = char::from_u32(0x2800 + u32::from(*bits)).unwrap_or(' ');
                let cell = &mut buffer[position];
                // A line over an area keeps nothing of its style: without colours that is faint.
                cell.reset();
                cell.set_char(symbol).set_style(*style);
            }
        }
    }
}
