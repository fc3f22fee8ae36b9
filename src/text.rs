//! Text that others wrote, made safe to show.
//!
//! Transcripts, names and paths come from models, users and tools. None of their control or escape
//! sequences may reach a terminal: each such character is shown as a visible mark instead.

use std::borrow::Cow;

/// The text with every character that could steer a terminal, reorder a line or hide in it
/// replaced by a visible mark.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| mark(c).is_none()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| mark(c).unwrap_or(c)).collect())
}

/// The same of a text of several lines: line breaks stay, tabs become spaces.
pub fn readable(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\n' || mark(c).is_none()) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '\n' => safe.push(c),
            '\t' => safe.push_str("    "),
            '\r' if letters.peek() == Some(&'\n') => {}
            _ => safe.push(mark(c).unwrap_or(c)),
        }
    }
    Cow::Owned(safe)
}

/// Whether a character may not be shown as it is.
pub fn is_hidden(c: char) -> bool {
    mark(c).is_some()
}

/// The mark that stands for a character, if it may not be shown as it is.
fn mark(c: char) -> Option<char> {
    match c {
        // Control pictures: ␀ stands 0x2400 after NUL.
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32),
        '\u{7f}' => Some('\u{2421}'),
        // C1 controls, among them a one-character escape sequence introducer.
        '\u{80}'..='\u{9f}' => Some('\u{fffd}'),
        // Marks and overrides of direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some('\u{2194}')
        }
        // Characters without width, and line breaks of their own.
        '\u{ad}'
        | '\u{34f}'
        // Letters that are drawn as nothing.
        | '\u{115f}'
        | '\u{1160}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => Some('\u{b7}'),
        '\u{2028}' | '\u{2029}' => Some('\u{23ce}'),
        _ => None,
    }
}

/// Whether a text holds words, whatever their case.
pub fn holds(text: &str, words: &str) -> bool {
    if text.is_ascii() && words.is_ascii() {
        let (text, words) = (text.as_bytes(), words.as_bytes());
        return text.windows(words.len().max(1)).any(|part| part.eq_ignore_ascii_case(words));
    }
    text.to_lowercase().contains(&words.to_lowercase())
}

/// Where words stand in a text, whatever their case, from left to right and apart.
pub fn find_all(text: &str, words: &str) -> Vec<std::ops::Range<usize>> {
    let wanted: Vec<char> = words.chars().flat_map(char::to_lowercase).collect();
    let Some(first) = wanted.first() else { return Vec::new() };
    let mut found = Vec::new();
    let mut free = 0;
    for (start, letter) in text.char_indices() {
        if start < free || letter.to_lowercase().next() != Some(*first) {
            continue;
        }
        let mut left = wanted.as_slice();
        let mut end = start;
        for letter in text[start..].chars() {
            let folded: Vec<char> = letter.to_lowercase().collect();
            let Some(rest) = left.strip_prefix(folded.as_slice()) else { break };
            (left, end) = (rest, end + letter.len_utf8());
            if left.is_empty() {
                found.push(start..end);
                free = end;
                break;
            }
        }
    }
    found
}

/// A count with its thousands apart: 2390 is `2,390`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun: `1 task`, `2,390 tasks`.
pub fn counted(count: u64, noun: &str) -> String {
    let ending = match noun.strip_suffix('y') {
        _ if count == 1 => return format!("1 {noun}"),
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    };
    format!("{} {ending}", grouped(count))
}

/// A size in bytes as people say it: `512 B`, `1.5 kB`, `2.0 MB`.
pub fn sized(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..999_950 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A share as a whole percentage that says 0% and 100% only of none and all.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    match part {
        0 => "0%".to_owned(),
        _ if part == whole => "100%".to_owned(),
        _ => format!("{:.0}%", (part as f64 / whole as f64 * 100.0).clamp(1.0, 99.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_stays() {
        let hostile = "a\u{1b}]0;title\u{7}\u{9b}31m\u{202e}b\u{200b}c\nd\u{7f}";
        assert_eq!(visible(hostile), "a␛]0;title␇�31m↔b·c␊d␡");
        assert!(matches!(visible("plain – ✓ 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn words_are_found_whatever_their_case() {
        assert_eq!(find_all("Ab ab aB", "AB"), [0..2, 3..5, 6..8]);
        assert_eq!(find_all("aaaaa", "aa"), [0..2, 2..4]);
        assert_eq!(find_all("Über über", "ÜBER"), [0..5, 6..11]);
        assert_eq!(find_all("x", ""), [0..0; 0]);
        assert!(holds("a Task", "tASK") && holds("ÜB", "üb") && !holds("ab", "abc"));
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(readable("a\r\nb\tc\u{1b}[2J\rd"), "a\nb    c␛[2J␍d");
        assert!(matches!(readable("a\nb"), Cow::Borrowed(_)));
    }

    #[test]
    fn numbers_as_people_write_them() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "trajectory"), "1 trajectory");
        assert_eq!(counted(2390, "trajectory"), "2,390 trajectories");
        assert_eq!(counted(0, "task"), "0 tasks");
        assert_eq!([512, 1_540, 999_960].map(sized), ["512 B", "1.5 kB", "1.0 MB"]);
    }

    #[test]
    fn only_none_and_all_are_0_and_100_percent() {
        assert_eq!(percent(0, 10), "0%");
        assert_eq!(percent(1, 1000), "1%");
        assert_eq!(percent(999, 1000), "99%");
        assert_eq!(percent(10, 10), "100%");
        assert_eq!(percent(0, 0), "–");
    }
}
