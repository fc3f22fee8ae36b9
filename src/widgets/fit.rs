//! Text into a given width.

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

/// The text cut or filled to a width exactly.
pub fn padded(text: &str, room: usize) -> String {
    let mut text = fit(text, room);
    text.push_str(&" ".repeat(room.saturating_sub(text.width())));
    text
}

/// The text in lines of at most this width, broken between words where that is possible. Lines of
/// the text itself stay lines.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let mut own = String::new();
        let mut used = 0;
        // The byte after the last space, and the width up to there.
        let mut word = None;
        for letter in line.chars() {
            let size = letter.width().unwrap_or(0);
            if used + size > room && used > 0 {
                if letter == ' ' {
                    // The space that a line ends at is not seen.
                    lines.push(std::mem::take(&mut own));
                    (used, word) = (0, None);
                    continue;
                }
                let rest = if let Some((byte, before)) = word.filter(|(byte, _)| *byte < own.len())
                {
                    used -= before;
                    own.split_off(byte)
                } else {
                    used = 0;
                    String::new()
                };
                lines.push(std::mem::replace(&mut own, rest));
                word = None;
            }
            own.push(letter);
            used += size;
            if letter == ' ' {
                word = Some((own.len(), used));
            }
        }
        lines.push(own);
    }
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines
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
    }

    #[test]
    fn lines_of_a_width() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("a\n\nb", 9), ["a", "", "b"]);
        assert_eq!(wrap("日本語 x", 4), ["日本", "語 x"]);
        assert_eq!(wrap("one two", 3), ["one", "two"]);
        assert_eq!(wrap("", 3), [""]);
        for text in ["x yy zzz  wwww", "aaaa bb", "日本 語語語 a"] {
            for room in 2..9 {
                assert!(wrap(text, room).iter().all(|line| line.width() <= room), "{text} {room}");
                let kept: String = wrap(text, room).concat().replace(' ', "");
                assert_eq!(kept, text.replace(' ', ""));
            }
        }
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
