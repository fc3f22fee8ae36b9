//! The lines of a laid-out row that contain the searched words.

use std::ops::Range;

use super::one_line;
use crate::text::find_all;
use crate::ui::panel::blocks::{Block, Ink};

/// A part of a line that belongs to a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui::panel) struct LineMark {
    /// The line of the row; 0 is its head.
    pub(in crate::ui::panel) line: usize,
    /// Its bytes in the line, whatever pieces that consists of.
    pub(in crate::ui::panel) bytes: Range<usize>,
    /// Which hit of the row it belongs to, from 0.
    pub(in crate::ui::panel) nth: usize,
}

/// Where the words stand in a row, given the name in its head and the lines below it.
pub(in crate::ui::panel) fn marks(name: &str, block: &Block, words: &str) -> Vec<LineMark> {
    let mut shown = Shown::default();
    shown.piece(0, 0, name);
    for (index, line) in block.iter().enumerate() {
        shown.space();
        let mut start = 0;
        for (piece, (text, ink)) in line.iter().enumerate() {
            // The first piece is the margin; sizes and notes are no part of the run.
            if piece > 0 && !matches!(ink, Ink::Aside | Ink::Note) {
                shown.piece(index + 1, start, text);
            }
            start += text.len();
        }
    }
    let found = find_all(&shown.text, &one_line(words)).into_iter().enumerate();
    found.flat_map(|(nth, bytes)| shown.lines(bytes, nth)).collect()
}

/// The text of a row with a space for every gap between words, and where each byte of it is shown.
#[derive(Default)]
struct Shown {
    text: String,
    /// The line and the byte in it.
    origins: Vec<(usize, usize)>,
}

impl Shown {
    fn piece(&mut self, line: usize, start: usize, text: &str) {
        for (byte, letter) in text.char_indices() {
            if letter.is_whitespace() {
                self.space();
                continue;
            }
            self.text.push(letter);
            self.origins.extend((0..letter.len_utf8()).map(|next| (line, start + byte + next)));
        }
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
            // A space is where the letter before it is: it begins no hit of its own.
            let last = self.origins.last().copied().unwrap_or_default();
            self.origins.push(last);
        }
    }

    /// The parts of lines that some bytes of the text are shown on.
    fn lines(&self, bytes: Range<usize>, nth: usize) -> Vec<LineMark> {
        let mut marks: Vec<LineMark> = Vec::new();
        for &(line, byte) in &self.origins[bytes] {
            match marks.last_mut() {
                Some(mark) if mark.line == line => mark.bytes.end = mark.bytes.end.max(byte + 1),
                _ => marks.push(LineMark { line, bytes: byte..byte + 1, nth }),
            }
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pieces: &[(&str, Ink)]) -> Vec<(String, Ink)> {
        let margin = ("    ↳ ".to_owned(), Ink::Dim);
        let pieces = pieces.iter().map(|(text, ink)| ((*text).to_owned(), *ink));
        std::iter::once(margin).chain(pieces).collect()
    }

    #[test]
    fn words_are_found_across_pieces_and_wrapped_lines() {
        let block = vec![
            line(&[("1.6 kB pay", Ink::Aside)]),
            line(&[("by Pay", Ink::Result), ("Pal or by credit", Ink::Added)]),
            line(&[("card, paypal", Ink::Result)]),
        ];
        let mark = |line, bytes, nth| LineMark { line, bytes, nth };
        let margin = "    ↳ ".len();
        assert_eq!(
            marks("paypal_refund", &block, "PAYPAL"),
            [
                mark(0, 0..6, 0),
                mark(2, margin + 3..margin + 9, 1),
                mark(3, margin + 6..margin + 12, 2)
            ]
        );
        let both = marks("", &block, "credit  card");
        assert_eq!(both.len(), 2, "one hit on two lines");
        assert_eq!((both[0].line, both[1].line, both[1].nth), (2, 3, 0));
        assert_eq!(marks("", &block, "kb"), [], "sizes are not searched");
    }
}
