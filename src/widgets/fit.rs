//! Text into a given width.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns that a text takes on screen.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text cut to a width, with `…` where something was cut.
pub fn fit(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut used = 0;
    for letter in text.chars() {
        let own = letter.width().unwrap_or(0);
        if used + own + 1 > room {
            break;
        }
        used += own;
        cut.push(letter);
    }
    if room > 0 {
        cut.push('…');
    }
    cut
}

/// The text cut in its middle, where names that begin alike differ in their ends.
pub fn fit_middle(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let tail_room = room.saturating_sub(1) / 2;
    let mut start = text.len();
    let mut used = 0;
    for (at, letter) in text.char_indices().rev() {
        let own = letter.width().unwrap_or(0);
        if used + own > tail_room {
            break;
        }
        (start, used) = (at, used + own);
    }
    format!("{}{}", fit(text, room - used), &text[start..])
}

/// The text cut or filled to a width exactly.
pub fn padded(text: &str, room: usize) -> String {
    let mut text = fit(text, room);
    text.push_str(&" ".repeat(room.saturating_sub(text.width())));
    text
}

/// The text in lines of at most this width, broken between words where that is possible. Lines of
/// the text itself stay lines.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    wrap_ranges(text, room).into_iter().map(|own| text[own].to_owned()).collect()
}

/// The same as places in the text.
pub fn wrap_ranges(text: &str, room: usize) -> Vec<Range<usize>> {
    let room = room.max(1);
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let first = lines.len();
        // A letter and the marks on it take their place together; plain text needs no looking.
        if line.is_ascii() {
            let letters = line.char_indices().map(|(at, _)| (at, &line[at..=at], 1));
            break_line(line.len(), letters, room, &mut lines);
        } else {
            let letters = line.grapheme_indices(true).map(|(at, own)| (at, own, own.width()));
            break_line(line.len(), letters, room, &mut lines);
        }
        for own in &mut lines[first..] {
            let trimmed = line[own.clone()].trim_end().len();
            *own = start + own.start..start + own.start + trimmed;
        }
        start += line.len() + 1;
    }
    lines
}

/// Breaks one line, given its letters with their places and widths.
fn break_line<'t>(
    length: usize,
    letters: impl Iterator<Item = (usize, &'t str, usize)>,
    room: usize,
    lines: &mut Vec<Range<usize>>,
) {
    let (mut start, mut used) = (0, 0);
    // The byte after the last space, and the width up to there.
    let mut word: Option<(usize, usize)> = None;
    'letters: for (at, letter, size) in letters {
        // What is left after a break between words may still be too wide with this letter.
        while used + size > room && used > 0 {
            if letter == " " {
                // The space that a line ends at is not seen.
                lines.push(start..at);
                (start, used, word) = (at + 1, 0, None);
                continue 'letters;
            }
            if let Some((byte, before)) = word.filter(|(byte, _)| *byte < at) {
                lines.push(start..byte);
                (start, used) = (byte, used - before);
            } else {
                lines.push(start..at);
                (start, used) = (at, 0);
            }
            word = None;
        }
        used += size;
        if letter == " " {
            word = Some((at + 1, used));
        }
    }
    // A space that was not seen leaves nothing behind.
    if start < length || length == 0 {
        lines.push(start..length);
    }
}

/// The first lines of a text, which may be very long, and whether there are more.
pub fn wrap_some(text: &str, room: usize, most: usize) -> (Vec<String>, bool) {
    // No letter is wider than two columns, so this much fills the lines at least.
    let enough = (room + 1) * (most + 1);
    let end = text.char_indices().nth(enough).map_or(text.len(), |(at, _)| at);
    let mut lines = wrap(&text[..end], room);
    let more = lines.len() > most || end < text.len();
    lines.truncate(most);
    (lines, more)
}

/// Names shortened to a width and still apart: a beginning that several share is left out, then the
/// middle goes.
pub fn short_names(names: &[String], room: usize) -> Vec<String> {
    let mut unique: Vec<&String> = Vec::new();
    names.iter().for_each(|name| {
        if !unique.contains(&name) {
            unique.push(name);
        }
    });
    let first = |name: &str| name.split_once(['-', '_', '/']).map(|(first, _)| first.to_owned());
    let rest = |name: &str| name.split_once(['-', '_', '/']).map(|(_, rest)| rest.to_owned());
    let shared = |name: &str| {
        first(name).is_some_and(|own| {
            unique.iter().filter(|other| first(other).as_ref() == Some(&own)).count() > 1
        })
    };
    let short: Vec<String> = unique
        .iter()
        .map(|name| {
            if name.width() <= room {
                return (*name).clone();
            }
            rest(name).filter(|_| shared(name)).unwrap_or_else(|| (*name).clone())
        })
        .collect();
    let head = |name: &String| -> String { name.chars().take(room).collect() };
    let heads: Vec<String> = short.iter().map(head).collect();
    let cut = |place: usize| {
        let clash = heads.iter().filter(|own| **own == heads[place]).count() > 1;
        let letters: Vec<char> = short[place].chars().collect();
        if clash && room > 3 && letters.len() > room {
            let tail = room / 2;
            let start = letters[..room - tail].iter();
            return start.chain(&letters[letters.len() - tail..]).collect();
        }
        heads[place].clone()
    };
    let place = |name: &String| unique.iter().position(|own| *own == name).unwrap_or(0);
    names.iter().map(|name| cut(place(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_to_a_width() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("日本語", 4), "日…");
        assert_eq!(padded("日本語", 6), "日本語");
        assert_eq!(padded("日本語", 4), "日… ");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(fit_middle("abcdefghij", 7), "abc…hij");
        assert_eq!(fit_middle("日本語日本語", 6), "日…語");
        assert_eq!(fit_middle("abc", 3), "abc");
    }

    #[test]
    fn lines_of_a_width() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("a\n\nb", 9), ["a", "", "b"]);
        assert_eq!(wrap("日本語 x", 4), ["日本", "語 x"]);
        assert_eq!(wrap("one two", 3), ["one", "two"]);
        assert_eq!(wrap("", 3), [""]);
        assert_eq!(wrap("one two ", 7), ["one two"]);
        assert_eq!(wrap(" xab日b", 4), ["", "xab", "日b"]);
        for text in ["x yy zzz  wwww", "aaaa bb", "日本 語語語 a"] {
            for room in 2..9 {
                assert!(wrap(text, room).iter().all(|line| line.width() <= room), "{text} {room}");
                let kept: String = wrap(text, room).concat().replace(' ', "");
                assert_eq!(kept, text.replace(' ', ""));
            }
        }
    }

    #[test]
    fn letters_and_their_marks_stay_together() {
        // A heart that is drawn in colour is two columns wide, its letter alone one.
        assert_eq!(wrap("❤\u{fe0f}❤\u{fe0f}a", 4), ["❤\u{fe0f}❤\u{fe0f}", "a"]);
        assert_eq!(wrap("e\u{301}e\u{301}", 1), ["e\u{301}", "e\u{301}"]);
        assert_eq!(wrap("שלום עולם", 5), ["שלום", "עולם"]);
    }

    #[test]
    fn long_texts_are_not_laid_out_whole() {
        assert_eq!(wrap_some("one two three", 5, 2), (vec!["one".into(), "two".into()], true));
        assert_eq!(wrap_some("one", 5, 2), (vec!["one".into()], false));
        let (lines, more) = wrap_some(&"x".repeat(5_000_000), 80, 3);
        assert!(lines.len() == 3 && more);
    }

    #[test]
    fn names_stay_apart() {
        let names = ["gpt-4o-mini", "gpt-oss-20b", "Qwen2.5-7B", "Qwen3.5-9B"].map(str::to_owned);
        assert_eq!(short_names(&names, 5), ["4o-mi", "oss-2", "Qwen2", "Qwen3"]);
        assert_eq!(short_names(&names, 12), names);
        let alike = ["claude-3-opus-1", "claude-3-opus-2"].map(str::to_owned);
        assert_eq!(short_names(&alike, 6), ["3-os-1", "3-os-2"]);
    }
}
