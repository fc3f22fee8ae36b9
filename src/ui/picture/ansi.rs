//! Renders a screen as text with ANSI colour sequences, and no other sequences.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::{Glyph, Look, rows};

/// The codes that set each modifier.
const MODIFIERS: [(Modifier, &str); 9] = [
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::SLOW_BLINK, "5"),
    (Modifier::RAPID_BLINK, "6"),
    (Modifier::REVERSED, "7"),
    (Modifier::HIDDEN, "8"),
    (Modifier::CROSSED_OUT, "9"),
];

/// The screen with its colours, one line per row. Each line resets the terminal's colours, so that it
/// can be copied or paged.
pub fn ansi(buffer: &Buffer) -> String {
    let mut text = String::new();
    for row in rows(buffer) {
        let end = row.iter().rposition(|glyph| !glyph.is_blank()).map_or(0, |last| last + 1);
        let mut current = Look::default();
        for Glyph { symbol, look, .. } in &row[..end] {
            change(&mut text, current, *look);
            text.push_str(symbol);
            current = *look;
        }
        change(&mut text, current, Look::default());
        text.push('\n');
    }
    text
}

/// Writes the sequence that changes one look into the next.
fn change(text: &mut String, from: Look, to: Look) {
    if from == to {
        return;
    }
    if to == Look::default() {
        text.push_str("\u{1b}[0m");
        return;
    }
    let mut codes = Vec::new();
    // One code ends both bold and dim, so modifiers are ended by a reset.
    let from = if to.modifier.contains(from.modifier) {
        from
    } else {
        codes.push("0".to_owned());
        Look::default()
    };
    for (modifier, code) in MODIFIERS {
        if (to.modifier - from.modifier).contains(modifier) {
            codes.push(code.to_owned());
        }
    }
    if to.fg != from.fg {
        codes.push(colour(to.fg, 30));
    }
    if to.bg != from.bg {
        codes.push(colour(to.bg, 40));
    }
    let _ = write!(text, "\u{1b}[{}m", codes.join(";"));
}

/// The code of a colour: 30 starts those of text, 40 those of the background.
fn colour(colour: Color, start: u8) -> String {
    match colour {
        Color::Reset => (start + 9).to_string(),
        Color::Rgb(red, green, blue) => format!("{};2;{red};{green};{blue}", start + 8),
        Color::Indexed(index) => format!("{};5;{index}", start + 8),
        named => match super::palette_index(named) {
            index @ 0..8 => (start + index).to_string(),
            bright => (start + 60 + bright - 8).to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn only_changes_are_written() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 3));
        let red = Style::new().fg(Color::Red);
        buffer.set_string(0, 0, "ab", red);
        buffer.set_string(2, 0, "cd", red.bg(Color::Indexed(235)));
        buffer.set_string(4, 0, "e", Style::new().fg(Color::Rgb(1, 2, 3)));
        buffer.set_string(6, 0, "日", Style::new().fg(Color::DarkGray).bg(Color::White));
        buffer.set_string(0, 1, "x", Style::new().add_modifier(Modifier::BOLD));
        buffer.set_string(1, 1, "y", red.add_modifier(Modifier::BOLD | Modifier::REVERSED));
        buffer.set_string(2, 1, "z", red);
        assert_eq!(
            ansi(&buffer).replace('\u{1b}', "^"),
            "^[31mab^[48;5;235mcd^[38;2;1;2;3;49me^[0m ^[90;107m日^[0m\n\
             ^[1mx^[7;31my^[0;31mz^[0m\n\
             \n"
        );
    }

    #[test]
    fn a_background_is_kept_to_the_end_of_the_line() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
        buffer.set_style(Rect::new(0, 0, 3, 1), Style::new().bg(Color::Blue));
        assert_eq!(ansi(&buffer), "\u{1b}[44m   \u{1b}[0m\n");
    }
}
