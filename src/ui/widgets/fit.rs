//! Fits text into a given width.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The text cut to a width, with `…` where something was cut.
pub fn fit(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut used = 0;
    for letter in text.chars() {
        let size = letter.width().unwrap_or(0);
        if used + size + 1 > room {
            break;
        }
        used += size;
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
        let size = letter.width().unwrap_or(0);
        if used + size > tail_room {
            break;
        }
        (start, used) = (at, used + size);
    }
    format!("{}{}", fit(text, room - used), &text[start..])
}

/// The text cut or filled to a width exactly.
pub fn padded(text: &str, room: usize) -> String {
    let mut text = fit(text, room);
    text.push_str(&" ".repeat(room.saturating_sub(text.width())));
    text
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
}
