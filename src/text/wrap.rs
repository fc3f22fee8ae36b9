//! Wraps text into lines of a given width.
//!
//! Widths are columns of a terminal. A letter and the marks on it are never separated.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Columns that a text takes on screen.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Wraps a text into lines of at most this width, between words where that is possible. Line breaks
/// of the text are kept, and so is the indentation of a line.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    wrap_ranges(text, room).into_iter().map(|range| text[range].to_owned()).collect()
}

/// Wraps a text as [`wrap`] does, and returns the lines as byte ranges of the text.
pub fn wrap_ranges(text: &str, room: usize) -> Vec<Range<usize>> {
    let room = room.max(1);
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let first = lines.len();
        let indent = line.len() - line.trim_start_matches(' ').len();
        // Plain text needs no segmentation.
        if line.is_ascii() {
            let letters = line.char_indices().map(|(byte, _)| (byte, &line[byte..=byte], 1));
            break_line(line.len(), indent, letters, room, &mut lines);
        } else {
            let letters = line.grapheme_indices(true);
            let letters = letters.map(|(byte, letter)| (byte, letter, letter.width()));
            break_line(line.len(), indent, letters, room, &mut lines);
        }
        for range in &mut lines[first..] {
            let trimmed = line[range.clone()].trim_end().len();
            *range = start + range.start..start + range.start + trimmed;
        }
        start += line.len() + 1;
    }
    lines
}

/// Breaks one line, given its letters with their bytes and widths.
fn break_line<'t>(
    length: usize,
    indent: usize,
    letters: impl Iterator<Item = (usize, &'t str, usize)>,
    room: usize,
    lines: &mut Vec<Range<usize>>,
) {
    let (mut start, mut used) = (0, 0);
    // The byte after the last space, and the width up to there.
    let mut word: Option<(usize, usize)> = None;
    'letters: for (byte, letter, size) in letters {
        // What is left after a break between words may still be too wide with this letter.
        while used + size > room && used > 0 {
            if letter == " " {
                // The space that a line ends with is not shown.
                lines.push(start..byte);
                (start, used, word) = (byte + 1, 0, None);
                continue 'letters;
            }
            if let Some((next, before)) = word.filter(|(next, _)| *next < byte) {
                lines.push(start..next);
                (start, used) = (next, used - before);
            } else {
                lines.push(start..byte);
                (start, used) = (byte, 0);
            }
            word = None;
        }
        used += size;
        // A break in the indentation would leave an empty line.
        if letter == " " && byte >= indent {
            word = Some((byte + 1, used));
        }
    }
    // A space that is not shown leaves nothing behind.
    if start < length || length == 0 {
        lines.push(start..length);
    }
}

/// The first lines of a text, which may be very long, and whether there are more.
pub fn wrap_some(text: &str, room: usize, most: usize) -> (Vec<String>, bool) {
    // No letter is wider than two columns, so this much fills the lines at least.
    let enough = (room + 1) * (most + 1);
    let end = text.char_indices().nth(enough).map_or(text.len(), |(byte, _)| byte);
    let mut lines = wrap(&text[..end], room);
    let more = lines.len() > most || end < text.len();
    lines.truncate(most);
    (lines, more)
}

/// Cuts a text anywhere into pieces of at most this width; together they are the whole text.
pub fn pieces(text: &str, room: usize) -> Vec<Range<usize>> {
    let (mut pieces, mut start, mut used) = (Vec::new(), 0, 0);
    for (byte, letter) in text.grapheme_indices(true) {
        let size = letter.width();
        if used + size > room && byte > start {
            pieces.push(start..byte);
            (start, used) = (byte, 0);
        }
        used += size;
    }
    pieces.push(start..text.len());
    pieces
}

/// The beginning of a line of at most this width, followed by `…` if something was cut.
pub fn excerpt(line: &str, room: usize) -> String {
    let first = pieces(line, room).swap_remove(0);
    if first.end == line.len() && line.width() <= room {
        return line.to_owned();
    }
    let shown = if line[first.clone()].width() <= room { &line[first] } else { "" };
    format!("{}…", shown.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_width() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("a\n\nb", 9), ["a", "", "b"]);
        assert_eq!(wrap("日本語 x", 4), ["日本", "語 x"]);
        assert_eq!(wrap("one two", 3), ["one", "two"]);
        assert_eq!(wrap("", 3), [""]);
        assert_eq!(wrap("one two ", 7), ["one two"]);
        assert_eq!(wrap("y xab日b", 4), ["y", "xab", "日b"]);
        for text in ["x yy zzz  wwww", "aaaa bb", "日本 語語語 a"] {
            for room in 2..9 {
                assert!(wrap(text, room).iter().all(|line| line.width() <= room), "{text} {room}");
                let kept: String = wrap(text, room).concat().replace(' ', "");
                assert_eq!(kept, text.replace(' ', ""));
            }
        }
    }

    #[test]
    fn indentation_stays_with_its_line() {
        assert_eq!(wrap("  abcdef gh", 6), ["  abcd", "ef gh"]);
        assert_eq!(wrap("  ab cdef", 6), ["  ab", "cdef"]);
        assert_eq!(wrap(" xab日b", 4), [" xab", "日b"]);
    }

    #[test]
    fn a_long_text_is_broken_at_spaces_and_loses_nothing() {
        let text = "word ".repeat(60).trim_end().to_owned();
        let lines = wrap(&text, 90);
        assert!(lines.len() > 3);
        assert!(lines.iter().all(|line| line.width() <= 90 && !line.ends_with(' ')));
        assert_eq!((lines.join(" "), lines[0].len()), (text, 89));
        assert_eq!(wrap(&format!("{} b", "a".repeat(90)), 90)[0].len(), 90);
        let lines = wrap(&"日".repeat(200), 90);
        assert!(lines.iter().all(|line| line.width() <= 90));
        assert_eq!(lines.concat(), "日".repeat(200));
    }

    #[test]
    fn letters_and_their_marks_stay_together() {
        // A heart that is drawn in colour is two columns wide, its letter alone one.
        assert_eq!(wrap("❤\u{fe0f}❤\u{fe0f}a", 4), ["❤\u{fe0f}❤\u{fe0f}", "a"]);
        assert_eq!(wrap("e\u{301}e\u{301}", 1), ["e\u{301}", "e\u{301}"]);
        assert_eq!(wrap("שלום עולם", 5), ["שלום", "עולם"]);
        assert_eq!(pieces("e\u{301}e\u{301}", 1), [0..3, 3..6]);
    }

    #[test]
    fn long_texts_are_not_laid_out_whole() {
        assert_eq!(wrap_some("one two three", 5, 2), (vec!["one".into(), "two".into()], true));
        assert_eq!(wrap_some("one", 5, 2), (vec!["one".into()], false));
        let (lines, more) = wrap_some(&"x".repeat(5_000_000), 80, 3);
        assert!(lines.len() == 3 && more);
    }

    #[test]
    fn pieces_are_the_whole_text() {
        assert_eq!(pieces("ab cd", 2), [0..2, 2..4, 4..5]);
        assert_eq!(pieces("日本", 1), [0..3, 3..6]);
        assert_eq!(pieces("", 3), [0..0; 1]);
    }

    #[test]
    fn excerpts_end_in_a_mark_where_they_are_cut() {
        assert_eq!(excerpt("abcdef", 4), "abcd…");
        assert_eq!(excerpt("abc def", 4), "abc…");
        assert_eq!(excerpt("abc", 3), "abc");
        assert_eq!(excerpt("日本", 1), "…");
    }
}
