//! Renders a drawn screen as text, as text with colours, and as SVG.
//!
//! Only what [`visible`] lets through is drawn, whatever a cell contains.

mod ansi;
mod svg;

use std::borrow::Cow;

use ratatui::buffer::{Buffer, CellWidth};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthChar;

use crate::text::visible;

pub use ansi::ansi;
pub use svg::{Frame, SvgOptions, animated_svg, svg};

/// The endings of files that hold a picture of a screen.
pub const PICTURES: [&str; 3] = ["svg", "ansi", "txt"];

/// The colours and modifiers of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Look {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

/// A symbol and the columns that it occupies.
struct Glyph<'a> {
    symbol: Cow<'a, str>,
    column: u16,
    columns: u16,
    look: Look,
}

impl Glyph<'_> {
    /// Whether only the terminal's background is visible.
    fn is_blank(&self) -> bool {
        let shown = Modifier::UNDERLINED | Modifier::REVERSED | Modifier::CROSSED_OUT;
        self.symbol == " " && self.look.bg == Color::Reset && !self.look.modifier.intersects(shown)
    }
}

/// The text of a screen, one line per row, without trailing spaces.
pub fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for row in rows(buffer) {
        let start = text.len();
        row.iter().for_each(|glyph| text.push_str(&glyph.symbol));
        text.truncate(start + text[start..].trim_end_matches(' ').len());
        text.push('\n');
    }
    text
}

/// The rows of a screen.
fn rows(buffer: &Buffer) -> impl Iterator<Item = Vec<Glyph<'_>>> {
    let area = buffer.area;
    (area.top()..area.bottom()).map(move |y| {
        let mut row = Vec::with_capacity(usize::from(area.width));
        let mut column = 0;
        while column < area.width {
            let cell = &buffer[(area.left() + column, y)];
            let (symbol, columns) = safe(cell.symbol());
            let look = Look { fg: cell.fg, bg: cell.bg, modifier: cell.modifier };
            // A symbol that the edge cuts off shows nothing.
            let (symbol, columns) = if columns > area.width - column {
                (Cow::Borrowed(" "), 1)
            } else {
                (symbol, columns)
            };
            row.push(Glyph { symbol, column, columns, look });
            // A wide symbol covers the cells after it.
            column += columns;
        }
        row
    })
}

/// Makes a symbol safe to show, and measures its columns.
fn safe(symbol: &str) -> (Cow<'_, str>, u16) {
    match visible(symbol) {
        // A symbol without width would shift everything after it.
        Cow::Borrowed(symbol) => match symbol.cell_width() {
            0 => (Cow::Borrowed(" "), 1),
            columns => (Cow::Borrowed(symbol), columns),
        },
        // The marks may be wider than the symbol that they replace, so only the first is drawn.
        Cow::Owned(marked) => {
            let first = marked.chars().next().unwrap_or(' ');
            let columns = first.width().unwrap_or(1).max(1) as u16;
            (Cow::Owned(first.to_string()), columns)
        }
    }
}

/// The index of a named colour in a palette of 16.
fn palette_index(named: Color) -> u8 {
    match named {
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn text_keeps_rows_and_drops_trailing_spaces() {
        let mut buffer = Buffer::empty(Rect::new(3, 2, 8, 3));
        buffer.set_string(3, 2, "日本 a", Style::new());
        buffer.set_string(4, 4, "b", Style::new().fg(Color::Red));
        buffer[(10, 3)].set_symbol("日");
        assert_eq!(text(&buffer), "日本 a\n\n b\n");
    }

    #[test]
    fn control_characters_are_never_drawn() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        let hostile =
            ["\u{1b}", "\u{9b}", "\u{202e}", "\n", "\u{200d}", "", "\u{301}", "a\u{200b}"];
        for (column, symbol) in (0..).zip(hostile) {
            buffer[(column, 0)].set_symbol(symbol);
        }
        assert_eq!(text(&buffer), "␛�↔␊· ·a\n");
        let options = SvgOptions { title: "\u{1b}]0;\u{202e}".to_owned(), ..SvgOptions::default() };
        for drawn in [ansi(&buffer), svg(&buffer, &options)] {
            let raw =
                |c: char| c.is_control() && c != '\n' || "\u{202e}\u{200d}\u{200b}".contains(c);
            assert!(!drawn.contains(raw), "{drawn:?}");
        }
    }
}
