//! Repairs styles that collide once a frame is drawn.
//!
//! Without tints a selected row is reversed, and dim text on it is hard to read. An underline is meant
//! for words: on the blanks around them it looks like a line of the table.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

/// Repairs all lines of an area.
pub(super) fn repair(buffer: &mut Buffer, area: Rect) {
    for line in area.rows() {
        brighten(buffer, line);
        lift_underlines(buffer, line);
    }
}

/// Reversed text is never dim.
fn brighten(buffer: &mut Buffer, line: Rect) {
    for position in line.positions() {
        let cell = &mut buffer[position];
        if cell.modifier.contains(Modifier::REVERSED) {
            cell.modifier.remove(Modifier::DIM);
        }
    }
}

/// Of blanks, only a single one between two underlined words keeps its underline.
fn lift_underlines(buffer: &mut Buffer, line: Rect) {
    let is_underlined = |buffer: &Buffer, x: u16, blank: bool| {
        let cell = &buffer[(x, line.y)];
        cell.modifier.contains(Modifier::UNDERLINED) && (cell.symbol() == " ") == blank
    };
    let mut x = line.left();
    while x < line.right() {
        let start = x;
        while x < line.right() && is_underlined(buffer, x, true) {
            x += 1;
        }
        let is_gap = x == start + 1
            && start > line.left()
            && x < line.right()
            && is_underlined(buffer, start - 1, false)
            && is_underlined(buffer, x, false);
        for blank in start..x {
            if !is_gap {
                buffer[(blank, line.y)].modifier.remove(Modifier::UNDERLINED);
            }
        }
        x = x.max(start + 1);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;

    /// A line in which every cell of a text has some modifiers.
    fn drawn(text: &str, modifier: Modifier) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, text.len() as u16, 1));
        buffer.set_string(0, 0, text, Style::new().add_modifier(modifier));
        let area = buffer.area;
        repair(&mut buffer, area);
        buffer
    }

    #[test]
    fn only_words_are_underlined() {
        let line = drawn("  two words   0/1 ", Modifier::UNDERLINED | Modifier::BOLD);
        let marks = line.content.iter().map(|cell| {
            assert!(cell.modifier.contains(Modifier::BOLD), "the rest of a style stays");
            if cell.modifier.contains(Modifier::UNDERLINED) { '_' } else { ' ' }
        });
        assert_eq!(marks.collect::<String>(), "  _________   ___ ");
    }

    #[test]
    fn a_reversed_row_is_not_dim() {
        let line = drawn("dim", Modifier::REVERSED | Modifier::DIM);
        assert!(line.content.iter().all(|cell| cell.modifier == Modifier::REVERSED));
        let line = drawn("dim", Modifier::DIM);
        assert!(line.content.iter().all(|cell| cell.modifier == Modifier::DIM));
    }
}
